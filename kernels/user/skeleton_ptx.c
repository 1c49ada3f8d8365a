/* Finds the kernels of PTX: ".entry NAME(.param .u64 .ptr .global .align 4 NAME, …)". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/user/skeleton_source.h"

/* A pointer is marked `.ptr` in the PTX of newer compilers. In older PTX it is an integer. */
static struct source_parameter parse_ptx_parameter(const char *begin, const char *end, bool marked)
{
	static const char *const wide[] = {"u64", "b64", "s64"};
	struct source_parameter parameter = {.type = "", .name = ""};

	parameter.pointer = marked && source_find_word(begin, end, "ptr");
	for (size_t i = 0; i < ARRAY_SIZE(wide) && !marked; i++)
		parameter.pointer |= source_find_word(begin, end, wide[i]) != NULL;
	return parameter;
}

static void parse_ptx_parameters(struct source_kernel *kernel, struct annotation_pool *pool,
				 const char *begin, const char *end, bool marked)
{
	while (source_find_word(begin, end, "param")) {
		const char *comma = memchr(begin, ',', (size_t)(end - begin));
		const char *next = comma ? comma : end;

		kernel->parameters = pool_room(pool, kernel->parameters, kernel->parameter_count,
					       sizeof(*kernel->parameters));
		kernel->parameters[kernel->parameter_count++] =
			parse_ptx_parameter(begin, next, marked);
		begin = comma ? comma + 1 : end;
	}
}

static void read_ptx_bounds(struct source_kernel *kernel, const char *begin, const char *end)
{
	const char *exact = source_find_word(begin, end, "reqntid");
	const char *bound = exact ? exact : source_find_word(begin, end, "maxntid");
	long threads = bound ? strtol(bound + strlen("maxntid"), NULL, 10) : 0;

	kernel->exact_threads = exact != NULL;
	kernel->most_threads = threads > 0 && threads <= 1024 ? threads : 0;
}

/* Reads the kernel behind `.entry`. Returns where the next may begin. */
static const char *read_ptx_kernel(struct source_kernels *out, struct annotation_pool *pool,
				   const char *after, const char *end, bool marked)
{
	struct source_kernel kernel = {0};
	const char *c = after, *name, *brace, *last;

	while (c < end && isspace((unsigned char)*c))
		c++;
	name = c;
	while (c < end && source_is_word(*c))
		c++;
	kernel.name = pool_copy(pool, name, (size_t)(c - name));
	while (c < end && isspace((unsigned char)*c))
		c++;
	if (c < end && *c == '(') {
		const char *close = source_closing(c, end);

		if (!close)
			return end;
		parse_ptx_parameters(&kernel, pool, c + 1, close, marked);
		c = close + 1;
	}
	brace = memchr(c, '{', (size_t)(end - c));
	last = brace ? source_closing(brace, end) : NULL;
	if (last) {
		read_ptx_bounds(&kernel, c, brace);
		kernel.body = pool_copy(pool, brace, (size_t)(last - brace));
	}
	out->items = pool_room(pool, out->items, out->count, sizeof(*out->items));
	out->items[out->count++] = kernel;
	return last ? last : end;
}

/* A line ".visible .global .align 4 .b8 NAME[64];". Instructions have no dot before the space. */
static const char *find_ptx_variable(struct annotation_pool *pool, const char *text,
				     const char *end)
{
	static const char *const spaces[] = {"global", "const"};
	const char *name = NULL;

	for (const char *line = text; line < end && !name;) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));
		const char *last = feed ? feed : end;

		while (line < last && isspace((unsigned char)*line))
			line++;
		for (size_t i = 0; i < ARRAY_SIZE(spaces) && line < last && *line == '.'; i++) {
			const char *space = source_find_word(line, last, spaces[i]);

			/* a parameter has the space of what it points to */
			if (!name && space && space[-1] == '.' &&
			    !source_find_word(line, last, "param"))
				name = source_variable(pool, space + strlen(spaces[i]), end);
		}
		line = feed ? feed + 1 : end;
	}
	return name;
}

void ptx_kernels_read(struct source_kernels *out, struct annotation_pool *pool, const char *text,
		      size_t length)
{
	const char *end = text + strnlen(text, length);
	const bool marked = source_find_word(text, end, "ptr") != NULL;
	const char *entry;

	*out = (struct source_kernels){.variable = find_ptx_variable(pool, text, end)};
	while (out->count < SOURCE_MAX_KERNELS && (entry = source_find_word(text, end, "entry")))
		text = read_ptx_kernel(out, pool, entry + strlen("entry"), end, marked);
}
