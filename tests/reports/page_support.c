#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/reports/page_support.h"

json_t *page_of(const struct run *run, const struct report_options *options)
{
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *root;

	page_write(stream, run, options);
	fclose(stream);
	assert_null(strpbrk(bytes, "<>&"));
	root = json_loads(bytes, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	free(bytes);
	return root;
}

json_t *at(json_t *value, const char *path)
{
	struct string_list steps = {0};

	string_list_split(&steps, path, '.');
	for (size_t i = 0; i < steps.count; i++) {
		value = steps.items[i][0] == '#'
				? json_array_get(value, strtoul(steps.items[i] + 1, NULL, 10))
				: json_object_get(value, steps.items[i]);
		if (!value)
			fail_msg("no %s in %s", steps.items[i], path);
	}
	string_list_release(&steps);
	return value;
}

const char *word_at(json_t *root, const char *path)
{
	return json_string_value(json_array_get(json_object_get(root, "words"),
						(size_t)json_integer_value(at(root, path))));
}
