/*
 * members: reading JSON objects that strangers wrote. Each reader checks that
 * the member is there, is of the right type and within limits, and names it
 * in the error (PL_EPROTOCOL) if not; *out is untouched on failure. Tables of
 * rows map a struct to an object and back. Internal to harness/.
 */
#ifndef HARNESS_PROTOCOL_MEMBERS_H
#define HARNESS_PROTOCOL_MEMBERS_H

#include "base/base.h"
#include <jansson.h>

/* Copies the string into out[size]; too long or with control characters is an error. */
int member_string(char *out, size_t size, const json_t *object, const char *name,
		  struct error *err);
/* Borrows the string: valid as long as the object. null in the object gives NULL if `nullable`. */
int member_borrow(const char **out, const json_t *object, const char *name, bool nullable,
		  struct error *err);
/* A whole number in [low, high]. */
int member_int64(int64_t *out, const json_t *object, const char *name, int64_t low, int64_t high,
		 struct error *err);
/* A finite number. */
int member_real(double *out, const json_t *object, const char *name, struct error *err);
/* null gives NAN. */
int member_real_or_null(double *out, const json_t *object, const char *name, struct error *err);
int member_bool(bool *out, const json_t *object, const char *name, struct error *err);
/* Borrows; an array of at most `limit` elements, an object with at most `limit` members. */
int member_array(json_t **out, const json_t *object, const char *name, size_t limit,
		 struct error *err);
int member_object(json_t **out, const json_t *object, const char *name, size_t limit,
		  struct error *err);
/* Adds the strings of an array to *out. */
int member_strings(struct string_list *out, const json_t *object, const char *name, size_t limit,
		   struct error *err);

/* JSON of C values that need not be valid JSON: text that is not UTF-8 keeps its ASCII with '?' for
 * the rest, NULL and numbers that are not finite are null. */
json_t *json_text(const char *text);
json_t *json_number_or_null(double value);
json_t *json_strings(const struct string_list *list);

/* ---- structs as tables ---- */

enum member_kind {
	MEMBER_STRING,         /* char[size] */
	MEMBER_INT,            /* int, from 0 */
	MEMBER_INT64,          /* int64_t, from 0 */
	MEMBER_INT64_OR_NULL,  /* int64_t; `absent` is null */
	MEMBER_DOUBLE_OR_NULL, /* double; NAN is null */
};

struct member_row {
	const char *name;
	enum member_kind kind;
	size_t offset, size;
	int64_t absent;
};
#define MEMBER_ROW(type, field, kind, absent)                                           \
	{                                                                               \
#field, kind, offsetof(type, field), sizeof(((type *)0)->field), absent \
	}

json_t *members_encode(const struct member_row *rows, size_t count, const void *values);
int members_decode(void *values, const struct member_row *rows, size_t count, const json_t *object,
		   struct error *err);

#endif
