/*
 * JSON for every report: indented by two blanks, members in the order set, 15 significant digits,
 * every string valid UTF-8.
 */
#ifndef REPORTS_TABLE_JSON_H
#define REPORTS_TABLE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "base/base.h"

/* NULL gives null. Bytes that are not UTF-8 become U+FFFD. */
json_t *report_json_text(const char *text);
/* As report_json_text(); "" gives null too. */
json_t *report_json_known_text(const char *text);
/* A number that is not finite gives null. */
json_t *report_json_number(double value);
/* Set a member of an object; each value as above. */
void json_set_text(json_t *object, const char *name, const char *text);
void json_set_number(json_t *object, const char *name, double value);
void json_set_integer(json_t *object, const char *name, int64_t value);
void json_set_bool(json_t *object, const char *name, bool value);
/* Writes a value; hidden characters become \uNNNN. Returns 0, or -1 if the stream fails. */
int report_json_dump(FILE *out, json_t *value, size_t flags);
/* Writes `root` and releases it. PL_EIO when the stream fails. */
int report_json_write(FILE *out, json_t *root, struct error *err);

/* Flushes the stream. Returns 0, or PL_EIO if any write to it failed. Set errno to 0 before the
 * first write: its value becomes the reason in the message. */
int stream_check(FILE *out, struct error *err);

/*
 * json_stream: writes JSON like report_json_write(), but keeps only one value of a list in memory:
 * a report of ten thousand cases is far larger as a tree than as text. Keys are constants of
 * perflab, or keys of jansson's, which need no escapes.
 */
#define JSON_STREAM_DEPTH 8

/* Begins with {.out = FILE}. */
struct json_stream {
	FILE *out;
	int depth;
	bool filled[JSON_STREAM_DEPTH + 1]; /* per open bracket: it has a value */
	bool failed;
};

/* Opens an object '{' or a list '['. `key` is NULL for an element of a list and for the root. */
void json_stream_open(struct json_stream *stream, const char *key, char bracket);
void json_stream_close(struct json_stream *stream, char bracket); /* '}' or ']' */
/* Writes a value and releases it. */
void json_stream_value(struct json_stream *stream, const char *key, json_t *value);
/* Writes the members of an object into the open one, and releases the object. */
void json_stream_members(struct json_stream *stream, json_t *object);
/* Ends the line behind the root. PL_EIO: the stream failed. */
int json_stream_end(struct json_stream *stream, struct error *err);

#endif
