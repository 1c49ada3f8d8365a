/*
 * json_stream: writes JSON like report_json_write(), but keeps only one value of a list in memory:
 * a report of ten thousand cases is far larger as a tree than as text. Keys are constants of
 * perflab, or keys of jansson's, which need no escapes.
 */
#ifndef REPORTS_TABLE_JSON_STREAM_H
#define REPORTS_TABLE_JSON_STREAM_H

#include <stdio.h>

#include "reports/table/json.h"

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
