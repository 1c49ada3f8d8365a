/*
 * Fuzz target: any bytes as PTX, as a cubin and as a record of the cache. Each reader must end with
 * a result, or with an error and nothing to free.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* "/proc/self/fd/3": a file with these bytes. */
static char *file_of(int *fd, const void *bytes, size_t size)
{
	*fd = memfd_create("cubin", 0);
	if (*fd < 0 || write(*fd, bytes, size) != (ssize_t)size)
		abort();
	return xasprintf("/proc/self/fd/%d", *fd);
}

/* Compares a cubin with itself, but for one byte, which its last bytes choose. */
static void compare(char *text, size_t size)
{
	struct string_list entries = {0};
	struct entry_list list;
	struct cubin_kernels a, b;
	char *first, *second;
	uint32_t at;
	int fd[2];

	if (size < sizeof(at) || cubin_entries_read(&list, text, size, NULL))
		return;
	memcpy(&at, text + size - sizeof(at), sizeof(at));
	at %= size;
	for (size_t i = 0; i < list.count; i++)
		string_list_add(&entries, list.items[i].name);
	entry_list_release(&list);
	first = file_of(&fd[0], text, size);
	text[at] ^= 1;
	second = file_of(&fd[1], text, size);
	text[at] ^= 1;
	a = (struct cubin_kernels){first, &entries, "/a"};
	b = (struct cubin_kernels){second, &entries, "/b/c"};
	if (cubin_entries_are_same(&a, &b) != cubin_entries_are_same(&b, &a))
		abort();
	for (int i = 0; i < 2; i++)
		close(fd[i]);
	free(first);
	free(second);
	string_list_release(&entries);
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
	compare(text, size);
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
