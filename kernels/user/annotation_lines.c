/*
 * From the text of a file to its annotations. In a source, code surrounds them.
 * What an annotation means is known to annotations_parse.c.
 */
#include <string.h>
#include <strings.h>

#include "kernels/user/annotation_words.h"

/* The bytes at the beginning of a comment that tell whether it was meant as an annotation. */
#define NEAR_PREFIX_BYTES 256

struct line_reading {
	struct annotation_lines *lines;
	struct annotation_pool *pool;
	const char *folder;
	struct annotation_place place; /* of the physical line */
	struct text joined;            /* an annotation that continues */
	struct annotation_place start; /* where it began; file NULL: none continues */
	struct error *err;
};

static bool is_line_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_utf8(const char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		unsigned char lead = (unsigned char)text[i++];
		size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
		uint32_t point = more == 0 ? lead : lead & (0x3fU >> more);

		if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || more > length - i)
			return false;
		for (size_t k = 0; k < more; k++, i++) {
			if (((unsigned char)text[i] & 0xc0) != 0x80)
				return false;
			point = point << 6 | ((unsigned char)text[i] & 0x3fU);
		}
		/* overlong forms, surrogates, and what lies beyond Unicode */
		if ((more == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) ||
		    (more == 3 && (point < 0x10000 || point > 0x10ffff)))
			return false;
	}
	return true;
}

static int check_characters(struct line_reading *r, const char *begin, const char *end)
{
	for (const char *c = begin; c < end; c++)
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
			return annotation_error(r->err, r->place,
						"character %td of the annotation is a control "
						"character (byte 0x%02x); remove it",
						c - begin + 1, (unsigned)(unsigned char)*c);
	if (!is_utf8(begin, (size_t)(end - begin)))
		return annotation_error(r->err, r->place,
					"the annotation is not UTF-8; save the file as UTF-8");
	return 0;
}

/* Adds one annotation, or a part of one that continues. */
static int add_annotation(struct line_reading *r, const char *begin, const char *end)
{
	bool continues;
	int rc;

	while (begin < end && is_line_blank(*begin))
		begin++;
	while (begin < end && is_line_blank(end[-1]))
		end--;
	continues = begin < end && end[-1] == '\\';
	for (end -= continues; begin < end && is_line_blank(end[-1]);)
		end--;
	rc = check_characters(r, begin, end);
	if (rc)
		return rc;
	if (!r->start.file)
		r->start = r->place;
	else if (r->joined.length && begin < end)
		text_add_char(&r->joined, ' ');
	text_add_bytes(&r->joined, begin, (size_t)(end - begin));
	if (r->joined.length > ANNOTATION_MAX_BYTES)
		return annotation_error(r->err, r->start,
					"the annotation has over %d bytes; shorten it",
					ANNOTATION_MAX_BYTES);
	if (continues)
		return 0;
	if (r->joined.length) {
		r->lines->items = pool_room(r->pool, r->lines->items, r->lines->count,
					    sizeof(*r->lines->items));
		r->lines->items[r->lines->count++] = (struct annotation_line){
			.place = r->start,
			.folder = r->folder,
			.text = pool_copy(r->pool, r->joined.data, r->joined.length),
		};
	}
	text_clear(&r->joined);
	r->start = (struct annotation_place){0};
	return 0;
}

/* The next "//" (or '#') outside double quotes; `end` if there is none. */
static const char *find_comment(const char *begin, const char *end, bool sidecar)
{
	bool quoted = false;

	for (const char *c = begin; c < end; c++) {
		if (quoted && *c == '\\')
			c++;
		else if (*c == '"')
			quoted = !quoted;
		else if (!quoted && sidecar && *c == '#' && (c == begin || is_line_blank(c[-1])))
			return c;
		else if (!quoted && !sidecar && *c == '/' && end - c > 1 && c[1] == '/')
			return c;
	}
	return end;
}

/* What follows "// perflab:" at `comment`; NULL: this is another comment. */
static const char *after_prefix(const char *comment, const char *end)
{
	static const char prefix[] = "perflab:";

	if (end - comment < 2 || memcmp(comment, "//", 2) != 0)
		return NULL;
	for (comment += 2; comment < end && is_line_blank(*comment); comment++)
		;
	if ((size_t)(end - comment) < sizeof(prefix) - 1 ||
	    memcmp(comment, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	return comment + sizeof(prefix) - 1;
}

/* The next "// perflab:" outside double quotes. One line may have several annotations. */
static const char *find_next_prefix(const char *begin, const char *end)
{
	const char *c = find_comment(begin, end, false);

	while (c < end && !after_prefix(c, end))
		c = find_comment(c + 2, end, false);
	return c < end ? c : end;
}

/* Refuses "// perflab axis n = 1" and "// Perflab: axis n = 1", which would be ignored. */
static int refuse_near_prefix(struct line_reading *r, const char *comment, const char *end)
{
	static const char name[] = "perflab";
	char text[NEAR_PREFIX_BYTES];
	const char *c = comment;
	bool colon;
	size_t length;
	int rc;

	for (c += c < end ? 2 : 0; c < end && is_line_blank(*c); c++)
		;
	if ((size_t)(end - c) < sizeof(name) || strncasecmp(c, name, sizeof(name) - 1) != 0)
		return 0;
	c += sizeof(name) - 1;
	if (!is_line_blank(*c) && *c != ':')
		return 0;
	for (colon = false; c < end && (is_line_blank(*c) || (*c == ':' && !colon)); c++)
		colon |= *c == ':';
	while (end > c && is_line_blank(end[-1]))
		end--;
	length = (size_t)(end - c) < sizeof(text) ? (size_t)(end - c) : sizeof(text) - 1;
	memcpy(text, c, length);
	text[length] = '\0';
	if (!begins_as_annotation(text, colon))
		return 0;
	rc = check_characters(r, comment, end);
	if (rc)
		return rc;
	return annotation_error(r->err, r->place,
				"the comment \"%.*s\" is ignored, because an annotation begins "
				"with \"perflab:\"; did you mean \"// perflab: %.40s\"?",
				(int)(end - comment < 60 ? end - comment : 60), comment, text);
}

/* A comment counts only if it begins with the prefix, so that "// // perflab:" is none. */
static int read_source_line(struct line_reading *r, const char *begin, const char *end)
{
	const char *comment = find_comment(begin, end, false);
	const char *annotation = after_prefix(comment, end);
	int rc = 0;

	if (!annotation && r->start.file)
		return annotation_error(r->err, r->start,
					"the annotation ends in a backslash, but the next line "
					"does not begin with \"// perflab:\"; add the prefix, or "
					"remove the backslash");
	if (!annotation)
		return refuse_near_prefix(r, comment, end);
	while (!rc && annotation) {
		const char *next = find_next_prefix(annotation, end);

		rc = add_annotation(r, annotation, next);
		annotation = after_prefix(next, end);
	}
	return rc;
}

static int read_sidecar_line(struct line_reading *r, const char *begin, const char *end)
{
	const char *annotation;

	while (begin < end && is_line_blank(*begin))
		begin++;
	annotation = after_prefix(begin, end);
	if (annotation)
		begin = annotation;
	end = find_comment(begin, end, true);
	if (begin == end && r->start.file)
		return annotation_error(r->err, r->start,
					"the annotation ends in a backslash, but the next line is "
					"empty; remove the backslash");
	return add_annotation(r, begin, end);
}

static int read_annotation_lines(struct line_reading *r, bool sidecar, const char *text,
				 size_t length)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *end = text + length;
	int rc = 0;

	if (length >= 3 && !memcmp(text, byte_order_mark, 3))
		text += 3;
	while (!rc && text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		const char *next = line_end ? line_end + 1 : end;

		line_end = line_end ? line_end : end;
		if (line_end > text && line_end[-1] == '\r')
			line_end--;
		r->place.line++;
		if (memchr(text, '\0', (size_t)(line_end - text)))
			return annotation_error(r->err, r->place,
						"a NUL byte: this is not a text file; give the "
						"source, PTX, or a cubin named .cubin");
		rc = sidecar ? read_sidecar_line(r, text, line_end)
			     : read_source_line(r, text, line_end);
		text = next;
	}
	if (!rc && r->start.file)
		rc = annotation_error(r->err, r->start,
				      "the annotation ends in a backslash, but the file ends; "
				      "remove the backslash");
	return rc;
}

int annotation_lines_add(struct annotation_lines *lines, struct annotation_pool *pool,
			 const char *file, const char *folder, bool sidecar, const char *text,
			 size_t length, struct error *err)
{
	struct line_reading r = {
		.lines = lines,
		.pool = pool,
		.folder = folder,
		.place = {.file = file},
		.joined = TEXT_INIT,
		.err = err,
	};
	int rc = read_annotation_lines(&r, sidecar, text, length);

	text_release(&r.joined);
	return rc;
}
