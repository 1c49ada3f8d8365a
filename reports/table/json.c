/* JSON for every report, and the check of its stream; see the header. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/json.h"

int stream_check(FILE *out, struct error *err)
{
	/* errno comes from the failed write: the writers call nothing else that sets it */
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return error_set(err, PL_EIO, "cannot write the output: %s",
			 errno ? strerror(errno) : "an earlier write failed");
}

json_t *report_json_text(const char *text)
{
	struct text clean = TEXT_INIT;
	json_t *value;

	if (!text)
		return json_null();
	escape_utf8(&clean, text);
	value = json_string(clean.data);
	text_release(&clean);
	return value;
}

json_t *report_json_known_text(const char *text)
{
	return report_json_text(text && *text ? text : NULL);
}

json_t *report_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void json_set_text(json_t *object, const char *name, const char *text)
{
	json_object_set_new(object, name, report_json_text(text));
}

void json_set_number(json_t *object, const char *name, double value)
{
	json_object_set_new(object, name, report_json_number(value));
}

void json_set_integer(json_t *object, const char *name, int64_t value)
{
	json_object_set_new(object, name, json_integer(value));
}

void json_set_bool(json_t *object, const char *name, bool value)
{
	json_object_set_new(object, name, json_boolean(value));
}

static int write_escaped(const char *bytes, size_t length, void *context)
{
	struct text shown = TEXT_INIT;
	bool failed;

	escape_json(&shown, bytes, length);
	failed = fwrite(shown.data, 1, shown.length, context) != shown.length;
	text_release(&shown);
	return failed ? -1 : 0;
}

int report_json_dump(FILE *out, json_t *value, size_t flags)
{
	return json_dump_callback(value, write_escaped, out, flags | JSON_REAL_PRECISION(15));
}

int report_json_write(FILE *out, json_t *root, struct error *err)
{
	int rc = report_json_dump(out, root, JSON_INDENT(2));

	json_decref(root);
	if (rc || fputc('\n', out) == EOF)
		return error_set(err, PL_EIO, "cannot write the output: %s", strerror(errno));
	return stream_check(out, err);
}

/* ---- JSON that is written while it is built ---- */

#define INDENT 2

static void new_line(const struct json_stream *stream)
{
	fprintf(stream->out, "\n%*s", stream->depth * INDENT, "");
}

/* What comes before a value: the comma after the last one, a line, and its key. */
static void begin_item(struct json_stream *stream, const char *key)
{
	if (stream->depth) {
		if (stream->filled[stream->depth])
			putc(',', stream->out);
		new_line(stream);
	}
	stream->filled[stream->depth] = true;
	if (key)
		fprintf(stream->out, "\"%s\": ", key);
}

static void write_part(const struct json_stream *stream, const char *bytes, size_t length)
{
	struct text shown = TEXT_INIT;

	escape_json(&shown, bytes, length);
	fwrite(shown.data, 1, shown.length, stream->out);
	text_release(&shown);
}

/* Indents the lines of a value. A string of JSON has no line ends. */
static int write_indented(const char *bytes, size_t length, void *context)
{
	const struct json_stream *stream = context;

	while (length) {
		const char *end = memchr(bytes, '\n', length);
		size_t part = end ? (size_t)(end - bytes) : length;

		write_part(stream, bytes, part);
		if (end) {
			new_line(stream);
			part++;
		}
		bytes += part;
		length -= part;
	}
	return 0;
}

void json_stream_open(struct json_stream *stream, const char *key, char bracket)
{
	begin_item(stream, key);
	putc(bracket, stream->out);
	stream->filled[++stream->depth] = false;
}

void json_stream_close(struct json_stream *stream, char bracket)
{
	const bool filled = stream->filled[stream->depth--];

	if (filled)
		new_line(stream);
	putc(bracket, stream->out);
}

void json_stream_value(struct json_stream *stream, const char *key, json_t *value)
{
	begin_item(stream, key);
	stream->failed |= json_dump_callback(value, write_indented, stream,
					     JSON_INDENT(INDENT) | JSON_REAL_PRECISION(15) |
						     JSON_ENCODE_ANY) != 0;
	json_decref(value);
}

void json_stream_members(struct json_stream *stream, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) json_stream_value(stream, key, json_incref(value));
	json_decref(object);
}

int json_stream_end(struct json_stream *stream, struct error *err)
{
	if (stream->failed || putc('\n', stream->out) == EOF)
		return error_set(err, PL_EIO, "cannot write the output: %s", strerror(errno));
	return stream_check(stream->out, err);
}
