/*
 * Fuzz target: any bytes as PTX, as a cubin and as a record of the cache. Each reader must end with
 * a result, or with an error and nothing to free.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_names(struct string_list *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (image_name_match(names->items[i], names->items[i]) != 3)
			abort();
	string_list_release(names);
}

static void expect_empty_or_named(struct entry_list *list, int rc, const struct error *err)
{
	size_t index;

	if (rc && (rc != PL_EPARSE || err->code != rc || !err->text[0] || list->count))
		abort();
	for (size_t i = 0; i < list->count; i++) {
		struct entry_list one = {&list->items[i], 1, 0};

		if (entry_find(&index, &one, list->items[i].name) != 1)
			abort();
		entry_find(&index, &one, "ns::k<float>");
	}
	entry_list_release(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cache_record record;
	struct entry_list list;
	struct string_list names = {0};
	struct error err = {0};
	char *text = malloc(size + 1);
	int rc;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rc = ptx_entries_read(&list, text, &err);
	ptx_access_read(list.items, list.count, text);
	expect_empty_or_named(&list, rc, &err);
	rc = cubin_entries_read(&list, data, size, &err);
	expect_empty_or_named(&list, rc, &err);
	ptx_variables_read(&names, text);
	expect_names(&names);
	rc = cubin_variables_read(&names, data, size, &err);
	if (rc && rc != PL_EPARSE)
		abort();
	expect_names(&names);
	rc = cache_record_read(&record, text, &err);
	if (rc && rc != PL_ECORRUPT)
		abort();
	cache_record_release(&record);
	free(text);
	return 0;
}
