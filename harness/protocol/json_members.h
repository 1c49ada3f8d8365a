/*
 * json_members: reads the members of JSON objects that are untrusted input.
 * Each reader checks that the member exists, has the right type and is within
 * its limits. Otherwise it returns PL_EPROTOCOL with the member's name in *err
 * and leaves *out unchanged. Lists of fields (metrics/fields.h) convert a struct
 * to a JSON object and back. Other modules include this header through protocol.h.
 */
#ifndef HARNESS_PROTOCOL_JSON_MEMBERS_H
#define HARNESS_PROTOCOL_JSON_MEMBERS_H

#include "metrics/fields.h"
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

/* ---- structs whose members are a list of fields ---- */

/* A value that is not known becomes null, and a text that is not known "". */
json_t *fields_encode(const struct field_list *list, const void *values);
int fields_decode(void *values, const struct field_list *list, const json_t *object,
		  struct error *err);

#endif
