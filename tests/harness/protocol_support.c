#include "protocol_support.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

json_t *parse(const char *text)
{
	json_error_t where;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &where);

	if (!json)
		fail_msg("%s: %s", text, where.text);
	return json;
}

json_t *parse_quoted(const char *text)
{
	char *quoted = strdup(text);
	json_t *json;

	for (char *c = quoted; *c; c++)
		if (*c == '\'')
			*c = '"';
	json = parse(quoted);
	free(quoted);
	return json;
}

json_t *transmit(json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);
	json_t *copy;

	assert_non_null(text);
	assert_null(strchr(text, '\n'));
	copy = parse(text);
	free(text);
	json_decref(json);
	return copy;
}

void replace(json_t *json, const char *path, const char *value)
{
	struct string_list parts = {0};
	const char *last;

	string_list_split(&parts, path, '/');
	for (size_t i = 0; i + 1 < parts.count; i++)
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(parts.items[i]))
					   : json_object_get(json, parts.items[i]);
	last = parts.items[parts.count - 1];
	{
		char *wrapped = xasprintf("[%s]", value);
		json_t *array = parse(wrapped);
		json_t *new_value = json_array_get(array, 0);

		if (json_is_array(json))
			json_array_set(json, (size_t)atoi(last), new_value);
		else
			json_object_set(json, last, new_value);
		json_decref(array);
		free(wrapped);
	}
	string_list_release(&parts);
}
