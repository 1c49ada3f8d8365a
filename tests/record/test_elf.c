/* The kernels and variables of a cubin are found, and a damaged one is not read beyond its end.
 * fixtures/make.sh made the file; $PERFLAB_IMAGES may name a folder with another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/elf.h"

static char *load_cubin(size_t *size)
{
	const char *folder = getenv("PERFLAB_IMAGES");
	char *path = xasprintf("%s/variables.cubin", folder ? folder : "tests/record/fixtures");
	struct error err = {0};
	char *bytes;

	if (read_file(&bytes, size, path, (size_t)1 << 20, &err))
		fail_msg("%s", err.text);
	free(path);
	return bytes;
}

static void describe_variable(void *context, const struct elf_variable *variable)
{
	struct text *text = context;

	text_addf(text, "%s %zu%s%s\n", variable->name, variable->bytes,
		  variable->constant ? " constant" : "", variable->initial ? " initial" : "");
}

static void expect_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("'%s' does not contain '%s'", text, line);
}

static void kernels_are_found_by_name(void **state)
{
	size_t size;
	char *cubin = load_cubin(&size);

	(void)state;
	assert_true(elf_has_kernel(cubin, size, "use"));
	assert_false(elf_has_kernel(cubin, size, "us"));
	assert_false(elf_has_kernel(cubin, size, "user"));
	assert_false(elf_has_kernel(cubin, size, ""));
	free(cubin);
}

static void variables_are_found_with_their_initial_values(void **state)
{
	size_t size;
	char *cubin = load_cubin(&size);
	struct text text = TEXT_INIT;

	(void)state;
	elf_each_variable(cubin, size, describe_variable, &text);
	expect_line(text.data, "counter 4\n");
	expect_line(text.data, "table 16 initial\n");
	expect_line(text.data, "limit 8 constant initial\n");
	assert_int_equal(text.length, strlen("counter 4\ntable 16 initial\nlimit 8 constant "
					     "initial\n"));
	text_release(&text);
	free(cubin);
}

static void take_initial(void *context, const struct elf_variable *variable)
{
	if (!strcmp(variable->name, "table"))
		memcpy(context, variable->initial, 4 * sizeof(float));
}

static void initial_values_are_those_of_the_source(void **state)
{
	const float expected[4] = {1, 2, 3, 4};
	float table[4] = {0};
	size_t size;
	char *cubin = load_cubin(&size);

	(void)state;
	elf_each_variable(cubin, size, take_initial, table);
	assert_memory_equal(table, expected, sizeof(expected));
	free(cubin);
}

static void the_size_comes_from_the_headers(void **state)
{
	size_t size;
	char *cubin = load_cubin(&size);
	char *longer = xcalloc(2, size);

	(void)state;
	memcpy(longer, cubin, size);
	assert_int_equal(elf_size(longer, 2 * size), size);
	assert_int_equal(elf_size(longer, size), size);
	assert_int_equal(elf_size(longer, size - 1), 0);
	assert_int_equal(elf_size("not an ELF file, but longer than the header of one, which has "
				  "64 bytes",
				  70),
			 0);
	free(longer);
	free(cubin);
}

static bool count_kernel(void *context, const char *name)
{
	*(size_t *)context += strlen(name) + 1;
	return false;
}

/* For the sanitizers: whatever is read must lie within the bytes. */
static void read_all(const void *bytes, size_t size)
{
	struct text text = TEXT_INIT;
	size_t count = 0;

	assert_true(elf_size(bytes, size) <= size);
	elf_each_kernel(bytes, size, count_kernel, &count);
	elf_each_variable(bytes, size, describe_variable, &text);
	text_release(&text);
}

static void cut_files_are_no_images(void **state)
{
	size_t size;
	char *cubin = load_cubin(&size);

	(void)state;
	for (size_t cut = 0; cut < size; cut++) {
		char *bytes = malloc(cut ? cut : 1);

		assert_non_null(bytes);
		memcpy(bytes, cubin, cut);
		assert_int_equal(elf_size(bytes, cut), 0);
		read_all(bytes, cut);
		free(bytes);
	}
	free(cubin);
}

static void damaged_tables_are_not_followed(void **state)
{
	static const unsigned char values[] = {0x00, 0x7f, 0x80, 0xff};
	Elf64_Ehdr header;
	size_t size;
	char *cubin = load_cubin(&size);

	(void)state;
	memcpy(&header, cubin, sizeof(header));
	for (size_t at = 0; at < size; at++) {
		const char kept = cubin[at];

		/* the header, the table of sections, and every eighth byte of the others */
		if (at >= sizeof(header) && at < header.e_shoff && at % 8)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			cubin[at] = (char)values[i];
			read_all(cubin, size);
		}
		cubin[at] = kept;
	}
	free(cubin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_found_by_name),
		cmocka_unit_test(variables_are_found_with_their_initial_values),
		cmocka_unit_test(initial_values_are_those_of_the_source),
		cmocka_unit_test(the_size_comes_from_the_headers),
		cmocka_unit_test(cut_files_are_no_images),
		cmocka_unit_test(damaged_tables_are_not_followed),
	};

	return cmocka_run_group_tests_name("record_elf", tests, NULL, NULL);
}
