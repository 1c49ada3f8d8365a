/* What all readers of annotations build on: memory, messages with their place, and reading from
 * left to right. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "capture/capture.h"
#include "kernels/user/annotation_words.h"
#include "kernels/user/annotations.h"
#include "kernels/user/kernel_file.h"

static void *pool_own(struct annotation_pool *pool, void *item)
{
	pool->items = xgrow(pool->items, &pool->capacity, pool->count + 1, sizeof(*pool->items));
	pool->items[pool->count++] = item;
	return item;
}

void *pool_new(struct annotation_pool *pool, size_t size)
{
	return pool_own(pool, xcalloc(1, size));
}

char *pool_copy(struct annotation_pool *pool, const char *text, size_t length)
{
	return pool_own(pool, xstrndup(text, length));
}

char *pool_text(struct annotation_pool *pool, const char *text)
{
	return text ? pool_copy(pool, text, strlen(text)) : NULL;
}

char *pool_take(struct annotation_pool *pool, struct text *text)
{
	char *copy = pool_copy(pool, text->data, text->length);

	text_release(text);
	return copy;
}

char *pool_format(struct annotation_pool *pool, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	return pool_own(pool, text);
}

void *pool_room(struct annotation_pool *pool, void *array, size_t count, size_t element_size)
{
	void *larger;

	if (count & (count - 1))
		return array;
	larger = pool_own(pool, xcalloc(count ? 2 * count : 1, element_size));
	if (count)
		memcpy(larger, array, count * element_size);
	return larger;
}

void pool_release(struct annotation_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++)
		free(pool->items[i]);
	free(pool->items);
	*pool = (struct annotation_pool){0};
}

int annotation_error(struct error *err, struct annotation_place place, const char *format, ...)
{
	struct error cause = {0};
	va_list arguments;
	char text[sizeof(cause.text)];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!place.line)
		return error_set(err, PL_EUSAGE, "%s: %s", place.file, text);
	return error_set(err, PL_EPARSE, "%s:%zu: %s", place.file, place.line, text);
}

const char *annotation_place_text(struct annotation_pool *pool, struct annotation_place place)
{
	return place.line ? pool_format(pool, "%s:%zu", place.file, place.line) : place.file;
}

/* ---- reading ---- */

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t identifier_length(const char *text)
{
	size_t length = 0;

	if (is_name_start(*text))
		while (is_name_character(text[length]))
			length++;
	return length;
}

bool is_c_identifier(const char *text)
{
	return *text && identifier_length(text) == strlen(text);
}

int scan_twice(struct annotation_scan *scan, const char *what, struct annotation_place first)
{
	return scan_error(scan, "%s is declared twice, first at %s; remove one", what,
			  annotation_place_text(scan->pool, first));
}

void scan_blanks(struct annotation_scan *scan)
{
	while (*scan->at == ' ' || *scan->at == '\t')
		scan->at++;
}

bool scan_accept(struct annotation_scan *scan, const char *symbol)
{
	size_t length = strlen(symbol);

	scan_blanks(scan);
	if (strncmp(scan->at, symbol, length) != 0)
		return false;
	scan->at += length;
	return true;
}

bool scan_accept_word(struct annotation_scan *scan, const char *word)
{
	size_t length = strlen(word);

	scan_blanks(scan);
	if (strncmp(scan->at, word, length) != 0 || is_name_character(scan->at[length]))
		return false;
	scan->at += length;
	return true;
}

int scan_end(struct annotation_scan *scan)
{
	scan_blanks(scan);
	return *scan->at ? scan_error(scan, "the annotation should end before \"%.60s\"", scan->at)
			 : 0;
}

/* Copies [begin, end) without blanks at its ends. */
static char *copy_trimmed(struct annotation_scan *scan, const char *begin, const char *end)
{
	while (begin < end && (*begin == ' ' || *begin == '\t'))
		begin++;
	while (begin < end && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return pool_copy(scan->pool, begin, (size_t)(end - begin));
}

char *scan_rest(struct annotation_scan *scan)
{
	const char *begin = scan->at;

	scan->at += strlen(scan->at);
	return copy_trimmed(scan, begin, scan->at);
}

int scan_identifier(struct annotation_scan *scan, const char **out, const char *what)
{
	size_t length;

	scan_blanks(scan);
	length = identifier_length(scan->at);
	if (!length)
		return scan_error(scan,
				  "the name of %s expected (letters, digits and _, no digit "
				  "first), found \"%.60s\"",
				  what, scan->at);
	*out = pool_copy(scan->pool, scan->at, length);
	scan->at += length;
	return 0;
}

int scan_quoted(struct annotation_scan *scan, const char **out, const char *what)
{
	struct text text = TEXT_INIT;
	const char *c;

	if (!scan_accept(scan, "\""))
		return scan_error(scan, "%s expected in double quotes, found \"%.60s\"", what,
				  scan->at);
	for (c = scan->at; *c && *c != '"'; c++) {
		if (*c == '\\' && (c[1] == '"' || c[1] == '\\'))
			c++;
		text_add_char(&text, *c);
	}
	*out = pool_take(scan->pool, &text);
	if (!*c)
		return scan_error(scan, "the closing quote of %s is missing", what);
	if (!**out)
		return scan_error(scan, "%s is empty", what);
	scan->at = c + 1;
	return 0;
}

/* ---- the files of a revision ---- */

const char *revision_path(struct annotation_pool *pool, const char *path)
{
	const struct kernel_file_revision *revision = pool->revision;
	const size_t length = revision ? strlen(revision->root) : 0;
	const char *there;

	if (!revision || strncmp(path, revision->root, length) != 0 || !strchr("/", path[length]) ||
	    has_suffix(path, CAPTURE_SUFFIX))
		return NULL;
	there = pool_format(pool, "%s%s", revision->tree, path + length);
	return access(there, F_OK) ? NULL : there;
}

const char *revision_now(struct annotation_pool *pool, const char *path)
{
	const struct kernel_file_revision *revision = pool->revision;
	const size_t length = revision ? strlen(revision->tree) : 0;

	if (!revision || strncmp(path, revision->tree, length) != 0)
		return path;
	return pool_format(pool, "%s%s", revision->root, path + length);
}

/* Git LFS keeps this text in place of a file. */
static bool is_lfs_pointer(const char *path)
{
	static const char begin[] = "version https://git-lfs";
	char *text = NULL;
	size_t length;
	const bool is = !read_file(&text, &length, path, 1024, NULL) &&
			!strncmp(text, begin, strlen(begin));

	free(text);
	return is;
}

const char *revision_data_path(struct annotation_pool *pool, const char *path)
{
	const char *here = revision_now(pool, path);
	char then[HASH_TEXT_BYTES], now[HASH_TEXT_BYTES];

	if (here == path || hash_file(then, path) || hash_file(now, here))
		return path;
	return !strcmp(then, now) || is_lfs_pointer(path) ? here : path;
}

const char *revision_shown(struct annotation_pool *pool, const char *shown)
{
	return pool_format(pool, "%s@%s", shown, pool->revision->mark);
}

/* ---- paths ---- */

const char *annotation_path(struct annotation_pool *pool, const char *folder, const char *path)
{
	char *full =
		path[0] == '/' ? pool_text(pool, path) : pool_format(pool, "%s/%s", folder, path);
	const char *then = revision_path(pool, full);

	return then ? then : full;
}

int scan_path(struct annotation_scan *scan, const char **out, const char *what, bool is_data)
{
	struct stat status;
	int rc = scan_quoted(scan, out, what);

	if (rc)
		return rc;
	*out = annotation_path(scan->pool, scan->folder, *out);
	if (stat(*out, &status) != 0)
		return scan_error(scan,
				  "%s: %s does not exist; paths are relative to the folder of the "
				  "file that names them",
				  what, *out);
	if (!S_ISREG(status.st_mode))
		return scan_error(scan, "%s: %s is not a regular file", what, *out);
	if (is_data)
		*out = revision_data_path(scan->pool, *out);
	return 0;
}

/* The character after a quoted text that begins at `c`; its end if the quote does not close. */
static const char *after_quotes(const char *c)
{
	for (c++; *c && *c != '"'; c++)
		if (*c == '\\' && c[1])
			c++;
	return *c ? c + 1 : c;
}

/* The first place outside brackets and quotes that begins with `symbol`; NULL: there is none. */
static const char *find_outside(const char *text, const char *symbol)
{
	size_t length = strlen(symbol);
	int depth = 0;

	for (const char *c = text; *c;) {
		if (depth == 0 && !strncmp(c, symbol, length))
			return c;
		if (*c == '"') {
			c = after_quotes(c);
			continue;
		}
		depth += *c == '(' || *c == '[';
		depth -= *c == ')' || *c == ']';
		if (depth < 0)
			return NULL;
		c++;
	}
	return NULL;
}

bool scan_before(struct annotation_scan *scan, const char *symbol, char **out)
{
	const char *found = find_outside(scan->at, symbol);

	if (!found)
		return false;
	*out = copy_trimmed(scan, scan->at, found);
	scan->at = found + strlen(symbol);
	return true;
}

int scan_until(struct annotation_scan *scan, char close, char **out)
{
	const char symbol[] = {close, '\0'};

	return scan_before(scan, symbol, out)
		       ? 0
		       : scan_error(scan, "\"%c\" is missing after \"%.60s\"", close, scan->at);
}

int scan_split(struct annotation_scan *scan, struct annotation_list *out, const char *text)
{
	struct annotation_list list = {0};
	const char *begin = text;

	if (text[strspn(text, " \t")])
		for (const char *comma = text; comma; begin = comma + 1) {
			const char *end;

			comma = find_outside(begin, ",");
			end = comma ? comma : begin + strlen(begin);
			list.items =
				pool_room(scan->pool, list.items, list.count, sizeof(*list.items));
			list.items[list.count] = copy_trimmed(scan, begin, end);
			if (!*list.items[list.count])
				return scan_error(scan, "an empty item in the list \"%.60s\"",
						  text);
			list.count++;
			if (!comma)
				break;
		}
	*out = list;
	return 0;
}

int scan_items(struct annotation_scan *scan, char close, struct annotation_list *out, char **inside)
{
	int rc = scan_until(scan, close, inside);

	return rc ? rc : scan_split(scan, out, *inside);
}

/* ---- names ---- */

bool is_device_limit(const char *name)
{
	static const char *const limits[] = {
#define X(field, meaning) #field,
		DEVICE_LIMIT_LIST(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!strcmp(limits[i], name))
			return true;
	return false;
}

int scan_check_length(const struct annotation_scan *scan, const char *what, const char *name,
		      size_t limit)
{
	if (strlen(name) < limit)
		return 0;
	return scan_error(scan, "the name of %s \"%.60s\" has %zu bytes; at most %zu are possible",
			  what, name, strlen(name), limit - 1);
}
