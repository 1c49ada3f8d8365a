/* JSON that is written while it is built; see the header. */
#include "reports/table/json_stream.h"

#include <errno.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/stream.h"

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
