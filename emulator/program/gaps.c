/* What stands in the way of running a function, each thing once with how often. */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP_NAME_BYTES 120
#define GAPS_MOST 200 /* different things that are listed */

void program_gaps_release(struct program_gaps *gaps)
{
	for (size_t i = 0; i < gaps->count; i++)
		free(gaps->items[i].name);
	free(gaps->items);
	*gaps = (struct program_gaps){0};
}

void program_gaps_text(struct text *out, const struct program_gaps *gaps)
{
	for (size_t i = 0; i < gaps->count; i++) {
		const struct program_gap *gap = &gaps->items[i];

		text_addf(out, "%s%s %s", i ? ", " : "", gap->what, gap->name);
		if (gap->count > 1)
			text_addf(out, " (line %u, %u times)", gap->line, gap->count);
		else
			text_addf(out, " (line %u)", gap->line);
	}
}

void decode_gap(struct function_decoding *decoding, const char *what, const char *name)
{
	decode_gap_at(decoding, what, name,
		      decoding->at ? decoding->at->line : decoding->source->line);
}

void decode_gap_at(struct function_decoding *decoding, const char *what, const char *name,
		   uint32_t line)
{
	struct program_gaps *gaps = decoding->all->gaps;
	const char *function = decoding->source->name;
	struct program_gap *gap;
	char shown[GAP_NAME_BYTES + 4];

	decoding->gap = decoding->gapped = true;
	if (gaps->count >= GAPS_MOST) {
		what = "and";
		name = "more";
	}
	snprintf(shown, sizeof(shown), "%.*s%s", GAP_NAME_BYTES, name,
		 strlen(name) > GAP_NAME_BYTES ? "…" : "");
	for (size_t i = 0; i < gaps->count; i++) {
		gap = &gaps->items[i];
		if (gap->function == function && strcmp(gap->what, what) == 0 &&
		    strcmp(gap->name, shown) == 0) {
			gap->count++;
			return;
		}
	}
	gaps->items = xgrow(gaps->items, &gaps->capacity, gaps->count + 1, sizeof(*gaps->items));
	gaps->items[gaps->count++] = (struct program_gap){
		.function = function,
		.what = what,
		.name = xstrdup(shown),
		.line = line,
		.count = 1,
	};
}

void decode_nonsense(struct function_decoding *decoding, const char *format, ...)
{
	char words[256];
	va_list args;

	if (decoding->rc || decoding->gap)
		return;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	decoding->rc =
		error_set(decoding->all->err, PL_EPARSE, "line %u, %.80s: %s",
			  decoding->at ? decoding->at->line : decoding->source->line,
			  decoding->at ? decoding->at->mnemonic : decoding->source->name, words);
}
