/* Finds the __global__ functions of CUDA C++ and the kernels of PTX. See the header. */
#include "kernels/user/skeleton_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */

bool source_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

const char *source_closing(const char *open, const char *end)
{
	const bool angles = *open == '<';
	int depth = 0;

	for (const char *c = open; c < end; c++) {
		if (strchr("([{", *c) || (angles && *c == '<'))
			depth++;
		else if (strchr(")]}", *c) || (angles && *c == '>'))
			depth--;
		if (!depth)
			return c;
	}
	return NULL;
}

char *source_squeezed(struct annotation_pool *pool, const char *begin, const char *end)
{
	struct text text = TEXT_INIT;
	char *result;

	for (const char *c = begin; c < end; c++)
		if (!isspace((unsigned char)*c))
			text_add_char(&text, *c);
		else if (text.length && text.data[text.length - 1] != ' ')
			text_add_char(&text, ' ');
	if (text.length && text.data[text.length - 1] == ' ')
		text.length--;
	result = pool_take(pool, &text);
	return result;
}

const char *source_name_gap(const struct source_parameter *parameter)
{
	const size_t length = strlen(parameter->type);

	return !*parameter->name || (length && strchr("*&", parameter->type[length - 1])) ? ""
											  : " ";
}

const char *source_find_word(const char *begin, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (const char *c = begin; (size_t)(end - c) >= length; c++) {
		c = memchr(c, *word, (size_t)(end - c) - length + 1);
		if (!c)
			return NULL;
		if (!memcmp(c, word, length) && (c == begin || !source_is_word(c[-1])) &&
		    (c + length == end || !source_is_word(c[length])))
			return c;
	}
	return NULL;
}

static const char *skip_white(const char *c, const char *end)
{
	while (c < end && isspace((unsigned char)*c))
		c++;
	return c;
}

static const char *skip_word(const char *c, const char *end)
{
	while (c < end && source_is_word(*c))
		c++;
	return c;
}

/* ---- without comments, literals and directives ---- */

static size_t blank_until(char *text, size_t from, size_t to)
{
	for (; from < to; from++)
		if (text[from] != '\n')
			text[from] = ' ';
	return to;
}

/* The end of a literal that begins at `from` with the quote text[from]. */
static size_t literal_end(const char *text, size_t from, size_t length)
{
	size_t i = from + 1;

	while (i < length && text[i] != text[from] && text[i] != '\n')
		i += text[i] == '\\' ? 2 : 1;
	return i < length ? i + 1 : length;
}

/* The end of R"mark(…)mark", of which text[from] is the quote. */
static size_t raw_literal_end(const char *text, size_t from, size_t length)
{
	const char *open = memchr(text + from, '(', length - from);
	size_t mark = open ? (size_t)(open - text) - from - 1 : 0;

	if (!open || mark > 16)
		return literal_end(text, from, length);
	for (const char *c = open; (c = memchr(c, ')', (size_t)(text + length - c))); c++)
		if ((size_t)(text + length - c) > mark + 1 && c[mark + 1] == '"' &&
		    !memcmp(c + 1, text + from + 1, mark))
			return (size_t)(c - text) + mark + 2;
	return length;
}

/* The end of a line, with the lines that a backslash joins to it. */
static size_t joined_line_end(const char *text, size_t from, size_t length)
{
	while (from < length && text[from] != '\n')
		from += text[from] == '\\' && from + 1 < length ? 2 : 1;
	return from;
}

static size_t block_comment_end(const char *text, size_t from, size_t length)
{
	for (size_t i = from + 2; i + 1 < length; i++)
		if (text[i] == '*' && text[i + 1] == '/')
			return i + 2;
	return length;
}

/* Overwrites comments, literals and directives with blanks; lines stay where they are. */
static void blank_what_is_no_code(char *text, size_t length)
{
	bool line_begins = true;

	for (size_t i = 0; i < length;) {
		const char c = text[i], next = i + 1 < length ? text[i + 1] : '\0';

		if (c == '/' && next == '*')
			i = blank_until(text, i, block_comment_end(text, i, length));
		else if ((c == '/' && next == '/') || (c == '#' && line_begins))
			i = blank_until(text, i, joined_line_end(text, i, length));
		else if (c == '"' && i && text[i - 1] == 'R')
			i = blank_until(text, i, raw_literal_end(text, i, length));
		/* 1'000 is a number */
		else if (c == '"' || (c == '\'' && !(i && isalnum((unsigned char)text[i - 1]))))
			i = blank_until(text, i, literal_end(text, i, length));
		else {
			line_begins = c == '\n' || (line_begins && isspace((unsigned char)c));
			i++;
		}
	}
}

/* ---- parameters ---- */

static bool names_a_type(const char *word, size_t length)
{
	static const char *const words[] = {"const",  "void", "bool",     "char",    "short",
					    "int",    "long", "float",    "double",  "signed",
					    "struct", "auto", "unsigned", "volatile"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == length && !memcmp(word, words[i], length))
			return true;
	return false;
}

/* "const float *__restrict__ x", "T (*x)[4]", "float x[]", each without a default. */
static struct source_parameter parse_parameter(struct annotation_pool *pool, const char *begin,
					       const char *end)
{
	struct source_parameter parameter = {.name = ""};
	const char *star = memchr(begin, '*', (size_t)(end - begin));
	const char *bracket = memchr(begin, '[', (size_t)(end - begin));
	const char *name_end = bracket ? bracket : end;
	const char *name;

	while (name_end > begin && (isspace((unsigned char)name_end[-1]) || name_end[-1] == ')'))
		name_end--;
	name = name_end;
	while (name > begin && source_is_word(name[-1]))
		name--;
	/* the last word is a name only if a type stands before it */
	if (name < name_end && skip_white(begin, end) < name &&
	    !names_a_type(name, (size_t)(name_end - name)) && strncmp(name, "__restrict", 10) != 0)
		parameter.name = pool_copy(pool, name, (size_t)(name_end - name));
	else
		name = name_end;
	parameter.type = source_squeezed(pool, begin, name);
	parameter.pointer = star || bracket;
	parameter.constant =
		parameter.pointer && source_find_word(begin, star ? star : name, "const") != NULL;
	return parameter;
}

/* The next comma outside brackets; `end`: none. */
static const char *parameter_end(const char *c, const char *end)
{
	int depth = 0;

	for (; c < end && (depth > 0 || *c != ','); c++)
		depth += strchr("([{<", *c) ? 1 : strchr(")]}>", *c) ? -1 : 0;
	return c;
}

static void parse_parameters(struct source_kernel *kernel, struct annotation_pool *pool,
			     const char *begin, const char *end)
{
	begin = skip_white(begin, end);
	if (begin == end || !strcmp(source_squeezed(pool, begin, end), "void"))
		return;
	while (begin <= end) {
		const char *next = parameter_end(begin, end);
		const char *value = memchr(begin, '=', (size_t)(next - begin));

		pool_append(pool, kernel->parameters, kernel->parameter_count,
			    parse_parameter(pool, begin, value ? value : next));
		begin = next + 1;
	}
}

/* ---- variables ---- */

const char *source_variable(struct annotation_pool *pool, const char *after, const char *end)
{
	const char *name = NULL, *name_end = NULL;
	const char *c = after;

	while (c < end && !strchr(";=({[<", *c)) {
		if (!source_is_word(*c)) {
			c++;
			continue;
		}
		name = c;
		c = name_end = skip_word(c, end);
	}
	if (!name || c == end || strchr("({<", *c))
		return NULL;
	while (c < end && !strchr(";={", *c))
		c++;
	return c < end && *c == ';' ? pool_copy(pool, name, (size_t)(name_end - name)) : NULL;
}

/* ---- kernels ---- */

struct source_reading {
	struct annotation_pool *pool;
	struct source_kernels *out;
	const char *begin, *end;
	const char *counted; /* the lines up to here are in `line` */
	size_t line;
	/* between `template <` and '>' of the declaration that is being read; NULL: no template */
	const char *head, *head_end;
	bool instantiated; /* "template __global__ …" */
};

static void read_launch_bounds(struct source_kernel *kernel, const char *word, size_t length,
			       const char *open)
{
	static const char bounds[] = "__launch_bounds__";

	if (length == sizeof(bounds) - 1 && !memcmp(word, bounds, length))
		kernel->most_threads = strtol(open + 1, NULL, 10);
	if (kernel->most_threads < 0 || kernel->most_threads > 1024)
		kernel->most_threads = 0;
}

/* Reads from behind `__global__` to the open bracket of the parameters. NULL: this is no kernel. */
static const char *read_kernel_name(struct source_kernel *kernel, struct source_reading *r,
				    const char *c, const char *end)
{
	const char *word = NULL;
	size_t length = 0;

	while (c < end) {
		const char *close;

		if (source_is_word(*c)) {
			word = c;
			c = skip_word(c, end);
			length = (size_t)(c - word);
		} else if (*c == '(' && word && strncmp(word, "__", 2) != 0) {
			kernel->name = pool_copy(r->pool, word, length);
			return c;
		} else if (*c == '(' || *c == '[' || *c == '<') {
			close = source_closing(c, end);
			if (!close)
				return NULL;
			if (*c == '(')
				read_launch_bounds(kernel, word ? word : c, length, c);
			c = close + 1;
		} else if (isspace((unsigned char)*c) || *c == ':') {
			c++;
		} else {
			return NULL;
		}
	}
	return NULL;
}

/* Reads the kernel behind `__global__`. Returns where the next may begin. */
static const char *read_source_kernel(struct source_reading *r, const char *after)
{
	const char *end = r->end - after > SOURCE_MAX_HEADER ? after + SOURCE_MAX_HEADER : r->end;
	struct source_kernel kernel = {0};
	const char *open = read_kernel_name(&kernel, r, after, end);
	const char *close = open ? source_closing(open, end) : NULL;
	const char *c;

	for (; r->counted < after; r->counted++)
		r->line += *r->counted == '\n';
	kernel.line = r->line;
	if (!close || r->instantiated)
		return after;
	parse_parameters(&kernel, r->pool, open + 1, close);
	if (r->head)
		kernel.template_head = source_squeezed(r->pool, r->head, r->head_end);
	c = skip_white(close + 1, r->end);
	if (c < r->end && *c == '{') {
		const char *last = source_closing(c, r->end);

		last = last ? last : r->end;
		kernel.body = pool_copy(r->pool, c, (size_t)(last - c));
		c = last;
	}
	pool_append(r->pool, r->out->items, r->out->count, kernel);
	return c;
}

/* Reads what follows `template`. Returns where to go on. */
static const char *read_template_head(struct source_reading *r, const char *after)
{
	const char *open = skip_white(after, r->end);
	const char *end = r->end - open > SOURCE_MAX_HEADER ? open + SOURCE_MAX_HEADER : r->end;
	const char *close = open < end && *open == '<' ? source_closing(open, end) : NULL;

	r->instantiated = open < r->end && *open != '<';
	r->head = close ? open + 1 : NULL;
	r->head_end = close;
	return close ? close + 1 : after;
}

void source_kernels_read(struct source_kernels *out, struct annotation_pool *pool, const char *text,
			 size_t length)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	char *code = pool_copy(pool, text, strnlen(text, length));
	struct source_reading r = {.pool = pool, .out = out, .begin = code, .line = 1};
	const char *c = code;

	r.end = code + strlen(code);
	r.counted = code;
	blank_what_is_no_code(code, (size_t)(r.end - code));
	*out = (struct source_kernels){.code = code};
	if (!strncmp(c, byte_order_mark, strlen(byte_order_mark)))
		c += strlen(byte_order_mark);
	while (c < r.end && out->count < SOURCE_MAX_KERNELS) {
		const char *word = c;

		if (!source_is_word(*c)) {
			if (strchr(";{}", *c)) {
				r.head = NULL;
				r.instantiated = false;
			}
			c++;
			continue;
		}
		c = skip_word(c, r.end);
		if (c - word == 8 && !memcmp(word, "template", 8))
			c = read_template_head(&r, c);
		else if (c - word == 10 && !memcmp(word, "__global__", 10))
			c = read_source_kernel(&r, c);
		else if (!out->variable && ((c - word == 10 && !memcmp(word, "__device__", 10)) ||
					    (c - word == 12 && !memcmp(word, "__constant__", 12))))
			out->variable = source_variable(pool, c, r.end);
	}
}

/* ---- PTX: ".entry NAME(.param .u64 .ptr .global .align 4 NAME, …)" ---- */

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

		pool_append(pool, kernel->parameters, kernel->parameter_count,
			    parse_ptx_parameter(begin, next, marked));
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
	const char *c, *name, *brace, *last;

	name = skip_white(after, end);
	c = skip_word(name, end);
	kernel.name = pool_copy(pool, name, (size_t)(c - name));
	c = skip_white(c, end);
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
	pool_append(pool, out->items, out->count, kernel);
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

		line = skip_white(line, last);
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
