/*
 * json_members: reads the members of JSON objects that are untrusted input.
 * Each reader checks that the member exists, has the right type and is within
 * its limits. Otherwise it returns PL_EPROTOCOL with the member's name in *err
 * and leaves *out unchanged. Tables of rows convert a struct to a JSON object
 * and back. Other modules include this header through protocol.h.
 */
#ifndef HARNESS_PROTOCOL_JSON_MEMBERS_H
#define HARNESS_PROTOCOL_JSON_MEMBERS_H

#include "base/base.h"
#include <jansson.h>

/* Copies the string into out[size]. A string that is too long or has control characters is an
 * error. */
int member_string(char *out, size_t size, const json_t *object, const char *name,
		  struct error *err);
/* Returns a string that lives as long as the object. With `nullable`, a JSON null gives NULL. */
int member_borrow(const char **out, const json_t *object, const char *name, bool nullable,
		  struct error *err);
/* Reads a whole number in [low, high]. */
int member_int64(int64_t *out, const json_t *object, const char *name, int64_t low, int64_t high,
		 struct error *err);
/* Reads a finite number. */
int member_real(double *out, const json_t *object, const char *name, struct error *err);
/* Reads a finite number, or null as NAN. */
int member_real_or_null(double *out, const json_t *object, const char *name, struct error *err);
int member_bool(bool *out, const json_t *object, const char *name, struct error *err);
/* Return an array of at most `limit` elements, or an object with at most `limit` members, that
 * lives as long as `object`. */
int member_array(json_t **out, const json_t *object, const char *name, size_t limit,
		 struct error *err);
int member_object(json_t **out, const json_t *object, const char *name, size_t limit,
		  struct error *err);
/* Appends the strings of an array to *out. */
int member_strings(struct string_list *out, const json_t *object, const char *name, size_t limit,
		   struct error *err);

/* Convert C values to JSON. In text that is not UTF-8, '?' replaces each byte that is not ASCII.
 * NULL, and numbers that are not finite, become null. */
json_t *json_text(const char *text);
json_t *json_number_or_null(double value);
json_t *json_strings(const struct string_list *list);

/* ---- structs as tables ---- */

enum member_kind {
	MEMBER_STRING,         /* char[size] */
	MEMBER_INT,            /* int >= 0 */
	MEMBER_INT64,          /* int64_t >= 0 */
	MEMBER_INT64_OR_NULL,  /* int64_t >= 0; the value `absent` is null in JSON */
	MEMBER_DOUBLE_OR_NULL, /* double; NAN is null in JSON */
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
