#include "harness/protocol/protocol.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int member_wrong(const char *name, const char *should, struct error *err)
{
	return error_set(err, PL_EPROTOCOL, "member '%s' is not %s", name, should);
}

/* A bit of a type of jansson. */
#define TYPE(type) (1u << (type))

/* A member of one of some types. NULL: there is none, and *err says why. */
static json_t *member_get(const json_t *object, const char *name, unsigned types,
			  const char *should, struct error *err)
{
	json_t *value = json_object_get(object, name);

	if (!json_is_object(object))
		error_set(err, PL_EPROTOCOL,
			  "member '%s' cannot be read: its parent is not an object", name);
	else if (!value)
		error_set(err, PL_EPROTOCOL, "member '%s' is missing", name);
	else if (types & TYPE(json_typeof(value)))
		return value;
	else
		member_wrong(name, should, err);
	return NULL;
}

int member_string(char *out, size_t size, const json_t *object, const char *name, struct error *err)
{
	const char *text;
	size_t length;

	if (member_borrow(&text, object, name, false, err))
		return PL_EPROTOCOL;
	length = strlen(text);
	if (length >= size)
		return error_set(err, PL_EPROTOCOL, "member '%s' has %zu bytes; the limit is %zu",
				 name, length, size - 1);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return member_wrong(name, "free of control characters", err);
	memset(out, 0, size);
	memcpy(out, text, length);
	return 0;
}

int member_borrow(const char **out, const json_t *object, const char *name, bool nullable,
		  struct error *err)
{
	const unsigned types = TYPE(JSON_STRING) | (nullable ? TYPE(JSON_NULL) : 0);
	json_t *value =
		member_get(object, name, types, nullable ? "a string or null" : "a string", err);

	if (!value)
		return PL_EPROTOCOL;
	*out = json_string_value(value); /* NULL of a null */
	return 0;
}

int member_int64(int64_t *out, const json_t *object, const char *name, int64_t low, int64_t high,
		 struct error *err)
{
	json_t *value = member_get(object, name, TYPE(JSON_INTEGER), "a whole number", err);
	int64_t number;

	if (!value)
		return PL_EPROTOCOL;
	number = json_integer_value(value);
	if (number < low || number > high)
		return error_set(err, PL_EPROTOCOL,
				 "member '%s' is %" PRId64 ", outside of %" PRId64 " to %" PRId64,
				 name, number, low, high);
	*out = number;
	return 0;
}

int member_real(double *out, const json_t *object, const char *name, struct error *err)
{
	json_t *value =
		member_get(object, name, TYPE(JSON_INTEGER) | TYPE(JSON_REAL), "a number", err);

	if (!value)
		return PL_EPROTOCOL;
	if (!isfinite(json_number_value(value)))
		return member_wrong(name, "a number", err);
	*out = json_number_value(value);
	return 0;
}

int member_real_or_null(double *out, const json_t *object, const char *name, struct error *err)
{
	if (!json_is_null(json_object_get(object, name)))
		return member_real(out, object, name, err);
	*out = NAN;
	return 0;
}

int member_bool(bool *out, const json_t *object, const char *name, struct error *err)
{
	json_t *value =
		member_get(object, name, TYPE(JSON_TRUE) | TYPE(JSON_FALSE), "true or false", err);

	if (!value)
		return PL_EPROTOCOL;
	*out = json_is_true(value);
	return 0;
}

int member_array(json_t **out, const json_t *object, const char *name, size_t limit,
		 struct error *err)
{
	json_t *value = member_get(object, name, TYPE(JSON_ARRAY), "an array", err);

	if (!value)
		return PL_EPROTOCOL;
	if (json_array_size(value) > limit)
		return error_set(err, PL_EPROTOCOL,
				 "member '%s' has %zu elements; the limit is %zu", name,
				 json_array_size(value), limit);
	*out = value;
	return 0;
}

int member_object(json_t **out, const json_t *object, const char *name, size_t limit,
		  struct error *err)
{
	json_t *value = member_get(object, name, TYPE(JSON_OBJECT), "an object", err);

	if (!value)
		return PL_EPROTOCOL;
	if (json_object_size(value) > limit)
		return error_set(err, PL_EPROTOCOL, "member '%s' has %zu members; the limit is %zu",
				 name, json_object_size(value), limit);
	*out = value;
	return 0;
}

int member_strings(struct string_list *out, const json_t *object, const char *name, size_t limit,
		   struct error *err)
{
	json_t *array = NULL;

	if (member_array(&array, object, name, limit, err))
		return PL_EPROTOCOL;
	for (size_t i = 0; i < json_array_size(array); i++)
		if (!json_is_string(json_array_get(array, i)))
			return member_wrong(name, "an array of strings", err);
	for (size_t i = 0; i < json_array_size(array); i++)
		string_list_add(out, json_string_value(json_array_get(array, i)));
	return 0;
}

json_t *json_text(const char *text)
{
	json_t *json;
	char *ascii;

	if (!text)
		return json_null();
	json = json_string(text);
	if (json)
		return json;
	ascii = xstrdup(text);
	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(ascii);
	free(ascii);
	return json;
}

json_t *json_number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_strings(const struct string_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_text(list->items[i]));
	return array;
}

static json_t *field_encode(const struct field *field, const void *values)
{
	const struct field_value value = field_read(field, values);

	if (field->kind == FIELD_TEXT)
		return json_text(value.text);
	if (!value.known)
		return json_null();
	return field->kind == FIELD_REAL ? json_number_or_null(value.real)
					 : json_integer(value.integer);
}

json_t *fields_encode(const struct field_list *list, const void *values)
{
	json_t *object = json_object();

	for (size_t i = 0; i < list->count; i++)
		json_object_set_new(object, list->items[i].name,
				    field_encode(&list->items[i], values));
	return object;
}

static int integer_decode(void *member, const struct field *field, const json_t *object,
			  struct error *err)
{
	const bool may_be_unknown =
		field->kind != FIELD_INT && field->unknown != FIELD_ALWAYS_KNOWN;
	const int64_t most = field->kind == FIELD_INT ? INT32_MAX : INT64_MAX;
	int64_t number = field->unknown;
	int small, rc = 0;

	if (!may_be_unknown || !json_is_null(json_object_get(object, field->name)))
		rc = member_int64(&number, object, field->name, 0, most, err);
	small = (int)number;
	if (!rc && field->kind == FIELD_INT)
		memcpy(member, &small, sizeof(small));
	else if (!rc)
		memcpy(member, &number, sizeof(number));
	return rc;
}

int fields_decode(void *values, const struct field_list *list, const json_t *object,
		  struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < list->count && !rc; i++) {
		const struct field *field = &list->items[i];
		char *member = (char *)values + field->offset;
		double real = NAN;

		if (field->kind == FIELD_TEXT)
			rc = member_string(member, field->size, object, field->name, err);
		else if (field->kind == FIELD_REAL)
			rc = member_real_or_null(&real, object, field->name, err);
		else
			rc = integer_decode(member, field, object, err);
		if (!rc && field->kind == FIELD_REAL)
			memcpy(member, &real, sizeof(real));
	}
	return rc;
}
