/* What parameters mean. See the header. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "kernels/user/skeleton_parts.h"

/* ---- elements ---- */

struct c_type {
	const char *c, *element;
	unsigned per_value;
};

/* Types of several words stand before the words that they contain. */
static const struct c_type c_types[] = {
	{"unsigned long", "u64", 1},
	{"long unsigned", "u64", 1},
	{"unsigned short", "u16", 1},
	{"unsigned char", "u8", 1},
	{"signed char", "i8", 1},
	{"unsigned", "u32", 1},
	{"long", "i64", 1},
	{"short", "i16", 1},
	{"char", "i8", 1},
	{"int", "i32", 1},
	{"signed", "i32", 1},
	{"float", "f32", 1},
	{"double", "f64", 1},
	{"bool", "u8", 1},
	{"half", "f16", 1},
	{"__half", "f16", 1},
	{"__nv_bfloat16", "bf16", 1},
	{"nv_bfloat16", "bf16", 1},
	{"__nv_bfloat162", "bf16", 2},
	{"nv_bfloat162", "bf16", 2},
	{"int8_t", "i8", 1},
	{"uint8_t", "u8", 1},
	{"int16_t", "i16", 1},
	{"uint16_t", "u16", 1},
	{"int32_t", "i32", 1},
	{"uint32_t", "u32", 1},
	{"int64_t", "i64", 1},
	{"uint64_t", "u64", 1},
	{"size_t", "u64", 1},
	{"ptrdiff_t", "i64", 1},
	{"uint", "u32", 1},
	{"uchar", "u8", 1},
	{"ushort", "u16", 1},
	{"byte", "u8", 1},
	{"void", "u8", 1},
	{"cuFloatComplex", "f32", 2},
	{"cuComplex", "f32", 2},
	{"cuDoubleComplex", "f64", 2},
};

/* "float4", "uchar2", "half2" */
static const struct c_type vector_bases[] = {
	{"float", "f32", 0},  {"double", "f64", 0}, {"int", "i32", 0},      {"uint", "u32", 0},
	{"char", "i8", 0},    {"uchar", "u8", 0},   {"short", "i16", 0},    {"ushort", "u16", 0},
	{"long", "i64", 0},   {"ulong", "u64", 0},  {"longlong", "i64", 0}, {"ulonglong", "u64", 0},
	{"__half", "f16", 0}, {"half", "f16", 0},
};

static bool vector_element(struct guessed_element *out, const char *type, const char *end)
{
	for (size_t i = 0; i < ARRAY_SIZE(vector_bases); i++)
		for (unsigned k = 1; k <= 4; k++) {
			char word[16];
			size_t length = strlen(vector_bases[i].c);

			memcpy(word, vector_bases[i].c, length);
			word[length] = (char)('0' + k);
			word[length + 1] = '\0';
			if (!source_find_word(type, end, word))
				continue;
			*out = (struct guessed_element){vector_bases[i].element, k, true};
			return true;
		}
	return false;
}

struct guessed_element guess_element(const char *type)
{
	const char *end = type + strlen(type);
	const char *star = strchr(type, '*');
	struct guessed_element element = {"f32", 1, false};

	if (star && strchr(star + 1, '*')) /* a pointer to pointers */
		return (struct guessed_element){"u64", 1, false};
	if (vector_element(&element, type, end))
		return element;
	for (size_t i = 0; i < ARRAY_SIZE(c_types); i++)
		if (source_find_word(type, end, c_types[i].c))
			return (struct guessed_element){c_types[i].element, c_types[i].per_value,
							true};
	return element;
}

struct guessed_element guess_ptx_element(const char *body)
{
	static const struct c_type suffixes[] = {{"bf16", "bf16", 1}, {"bf16x2", "bf16", 1},
						 {"f16", "f16", 1},   {"f16x2", "f16", 1},
						 {"f64", "f64", 1},   {"f32", "f32", 1}};
	const char *statements = body ? strchr(body, ';') : NULL;

	/* the declarations of registers come first and name types that only exist */
	while (statements && body) {
		const char *next = strstr(statements, ".reg");

		if (!next)
			break;
		statements = strchr(next, ';');
	}
	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && statements; i++)
		if (source_find_word(statements, statements + strlen(statements), suffixes[i].c))
			return (struct guessed_element){suffixes[i].element, 1, false};
	return (struct guessed_element){body ? "i32" : "f32", 1, false};
}

/* ---- words of a name ---- */

/* Whether one of the words of a name is in the list: "num_items" and "numItems" have "num". */
static bool name_has_word(const char *name, const char *const *words, size_t count)
{
	for (const char *c = name; *c;) {
		size_t length = 0;

		while (*c && !isalpha((unsigned char)*c))
			c++;
		while (isalpha((unsigned char)c[length]) &&
		       !(length && isupper((unsigned char)c[length]) &&
			 islower((unsigned char)c[length - 1])))
			length++;
		for (size_t i = 0; i < count && length; i++)
			if (strlen(words[i]) == length && !strncasecmp(c, words[i], length))
				return true;
		c += length;
	}
	return false;
}

#define NAME_HAS(name, ...)                                     \
	name_has_word(name, (const char *const[]){__VA_ARGS__}, \
		      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

const char *guess_integer(const char *name, unsigned dimensions, const char *total)
{
	if (NAME_HAS(name, "block", "blocksize", "threads", "nthreads", "blockdim"))
		return "block";
	if (dimensions > 1 && NAME_HAS(name, "total", "numel", "nelem", "nelems", "elements"))
		return total;
	if (dimensions > 1 &&
	    NAME_HAS(name, "w", "h", "d", "m", "k", "width", "height", "depth", "rows", "cols",
		     "columns", "nx", "ny", "nz", "pitch", "ld", "lda", "ldb", "ldc", "stride"))
		return "n";
	if (NAME_HAS(name, "tile", "stride", "offset", "warp", "inc", "ld", "step", "batch"))
		return "1";
	return NAME_HAS(name, "n", "size", "sz", "len", "length", "count", "cnt", "num", "numel",
			"nelem", "nelems", "elements", "total", "items")
		       ? "n"
		       : "1";
}

/* ---- roles ---- */

enum use { USE_WRITE = 1, USE_READ = 2, USE_OTHER = 4 };

/* `name[…] = …` writes; another `name[…]` reads; everything else hides what happens. */
static enum use use_at(const char *c, const char *end)
{
	while (c < end && isspace((unsigned char)*c))
		c++;
	if (c == end || *c != '[')
		return USE_OTHER;
	c = source_closing(c, end);
	if (!c)
		return USE_OTHER;
	for (c++; c < end && isspace((unsigned char)*c);)
		c++;
	return c + 1 < end && c[0] == '=' && c[1] != '=' ? USE_WRITE : USE_READ;
}

static unsigned uses_of(const char *body, const char *name)
{
	const char *end = body + strlen(body);
	unsigned uses = 0;

	for (const char *c = body; (c = source_find_word(c, end, name)); c += strlen(name))
		uses |= (unsigned)use_at(c + strlen(name), end);
	return uses;
}

const char *guess_role(const struct source_parameter *parameter, enum skeleton_access access,
		       const char *body)
{
	if (parameter->constant || access == SKELETON_NEVER_WRITTEN)
		return "in";
	if (access == SKELETON_ONLY_WRITTEN)
		return "out";
	if (*parameter->name && body)
		return uses_of(body, parameter->name) == USE_WRITE ? "out" : "inout";
	return NAME_HAS(parameter->name, "out", "output", "y", "c", "dst", "dest", "result",
			"results", "res", "o")
		       ? "out"
		       : "inout";
}

static bool type_has_word(const struct source_parameter *parameter, const char *word)
{
	return source_find_word(parameter->type, parameter->type + strlen(parameter->type), word);
}

bool guess_is_texture(const struct source_parameter *parameter)
{
	return type_has_word(parameter, "cudaTextureObject_t") ||
	       type_has_word(parameter, "cudaSurfaceObject_t");
}

bool guess_is_tensor_map(const struct source_parameter *parameter)
{
	return type_has_word(parameter, "CUtensorMap");
}

const char *guess_fill(const struct source_parameter *parameter, struct guessed_element element)
{
	if (!element.known && strchr(parameter->type, '*') != strrchr(parameter->type, '*'))
		return " constant(0)";
	if (type_has_word(parameter, "bool"))
		return " integers(0, 1)";
	if (strchr("iu", element.name[0]) &&
	    NAME_HAS(parameter->name, "index", "idx", "indices", "indexes", "ind", "ids", "id",
		     "map", "perm", "offset", "offsets", "ptr", "row", "rows", "col", "cols",
		     "rowptr", "colidx", "next", "keys", "labels"))
		return " index";
	return "";
}

unsigned guess_shared_bytes(const char *body)
{
	const char *end = body + strlen(body);

	for (const char *c = body; (c = source_find_word(c, end, "extern")); c++) {
		const char *open = memchr(c, '[', (size_t)(end - c));
		const char *stop = memchr(c, ';', (size_t)(end - c));
		const char *shared = source_find_word(c, end, "__shared__");
		char type[128];
		struct guessed_element element;

		if (!shared || !open || !stop || open > stop || shared > open)
			continue;
		if ((size_t)(open - shared) >= sizeof(type))
			return 8;
		memcpy(type, shared, (size_t)(open - shared));
		type[open - shared] = '\0';
		element = guess_element(type);
		if (!element.known || strchr(element.name, '8'))
			return 8; /* bytes that stand for another type */
		return element.per_value * (strstr(element.name, "64")   ? 8
					    : strstr(element.name, "32") ? 4
									 : 2);
	}
	return 0;
}

/* ---- dimensions ---- */

/* Whether the text before `end` ends in `word`, behind white space. */
static bool ends_in(const char *begin, const char *end, const char *word)
{
	const size_t length = strlen(word);

	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	return (size_t)(end - begin) >= length && !memcmp(end - length, word, length);
}

static const char *skip_blanks(const char *c)
{
	while (isspace((unsigned char)*c))
		c++;
	return c;
}

/* Whether `at`, which is blockIdx.y, is a factor of gridDim.x. */
static bool is_row_of_blocks(const char *body, const char *at)
{
	static const char row[] = "blockIdx.y", width[] = "gridDim.x";
	const char *next = skip_blanks(at + strlen(row)), *star = at;

	if (*next == '*' && !strncmp(skip_blanks(next + 1), width, strlen(width)))
		return true;
	while (star > body && isspace((unsigned char)star[-1]))
		star--;
	return star > body && star[-1] == '*' && ends_in(body, star - 1, width);
}

struct skeleton_dimensions guess_dimensions(const char *code, bool *linear)
{
	struct skeleton_dimensions named = {
		.thread_y = strstr(code, "threadIdx.y"),
		.thread_z = strstr(code, "threadIdx.z"),
		.block_z = strstr(code, "blockIdx.z"),
	};

	*linear = false;
	for (const char *c = code; (c = strstr(c, "blockIdx.y")); c++) {
		named.block_y |= !is_row_of_blocks(code, c);
		*linear = true;
	}
	*linear &= dimensions_count(named) == 1;
	return named;
}

unsigned dimensions_count(struct skeleton_dimensions dimensions)
{
	return dimensions.thread_z || dimensions.block_z   ? 3
	       : dimensions.thread_y || dimensions.block_y ? 2
							   : 1;
}

/* ---- lengths ---- */

enum reach { REACH_ONE, REACH_BLOCKS, REACH_ALL };

/* What an index in brackets reaches: "[0]", "[blockIdx.x]" or anything. */
static enum reach reach_of_index(const char *open, const char *end)
{
	static const char *const indices[] = {"0", "blockIdx.x"};
	const char *close = source_closing(open, end);
	const char *begin = skip_blanks(open + 1);

	while (close && close > begin && isspace((unsigned char)close[-1]))
		close--;
	for (size_t i = 0; close && i < ARRAY_SIZE(indices); i++)
		if ((size_t)(close - begin) == strlen(indices[i]) &&
		    !memcmp(begin, indices[i], strlen(indices[i])))
			return (enum reach)i;
	return REACH_ALL;
}

/* "*name" and "atomicAdd(name, " reach one element. */
static enum reach reach_at(const char *body, const char *use, const char *end, size_t length)
{
	const char *next = skip_blanks(use + length), *before = use;

	if (*next == '[')
		return reach_of_index(next, end);
	while (before > body && isspace((unsigned char)before[-1]))
		before--;
	if (before > body && before[-1] == '*')
		return REACH_ONE;
	if (before == body || before[-1] != '(' || *next != ',')
		return REACH_ALL;
	for (before--; before > body && source_is_word(before[-1]);)
		before--;
	return strncmp(before, "atomic", 6) ? REACH_ALL : REACH_ONE;
}

const char *guess_length(const char *body, const char *name, const char *total)
{
	const char *end = body + strlen(body), *c = body;
	enum reach reach = REACH_ONE;
	bool used = false;

	for (; *name && (c = source_find_word(c, end, name)); c += strlen(name)) {
		const enum reach here = reach_at(body, c, end, strlen(name));

		reach = here > reach ? here : reach;
		used = true;
	}
	return !used || reach == REACH_ALL ? total
	       : reach == REACH_ONE        ? "1"
					   : "ceil_div(n, block)";
}
