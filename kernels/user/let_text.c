/* Text that lets were expanded into. See let_text.h. */
#include "kernels/user/let_text.h"

#include <stdlib.h>
#include <string.h>

struct let_expansion {
	const struct let_expansion *next;
	const char *text;
	const struct let_segment *segments;
	size_t count;
};

void let_text_add(struct let_text *out, const char *bytes, size_t length,
		  const struct annotation_let *let)
{
	text_add_bytes(&out->text, bytes, length);
	if (!out->count || out->segments[out->count - 1].let != let) {
		out->segments = xgrow(out->segments, &out->capacity, out->count + 1,
				      sizeof(*out->segments));
		out->segments[out->count++].let = let;
	}
	out->segments[out->count - 1].end = out->text.length;
}

void let_text_release(struct let_text *text)
{
	text_release(&text->text);
	free(text->segments);
}

const char *let_text_keep(const struct annotation_scan *scan, const struct let_text *from)
{
	struct let_expansion *expansion = pool_new(scan->pool, sizeof(*expansion));
	size_t bytes = from->count * sizeof(*from->segments);
	struct let_segment *segments = pool_new(scan->pool, bytes);

	memcpy(segments, from->segments, bytes);
	*expansion = (struct let_expansion){
		.next = scan->place.expansions->first,
		.text = pool_copy(scan->pool, from->text.data, from->text.length),
		.segments = segments,
		.count = from->count,
	};
	scan->place.expansions->first = expansion;
	return expansion->text;
}

void lets_add_origin(struct text *out, struct annotation_place place, const char *expression,
		     size_t character)
{
	const struct let_expansion *found = place.expansions ? place.expansions->first : NULL;
	const char *part = NULL;
	const struct annotation_let *let = NULL;

	/* The expression can be a part of what was expanded: that of i32(…). */
	while (found && !(part = strstr(found->text, expression)))
		found = found->next;
	if (!found || !character)
		return;
	character += (size_t)(part - found->text);
	for (size_t i = 0; i < found->count; i++) {
		let = found->segments[i].let;
		if (found->segments[i].end >= character)
			break;
	}
	if (let && let->place.line)
		text_addf(out, " (in the let \"%s\" of %s:%zu)", let->name, let->place.file,
			  let->place.line);
	else if (let)
		text_addf(out, " (in the let \"%s\" of %s)", let->name, let->place.file);
}
