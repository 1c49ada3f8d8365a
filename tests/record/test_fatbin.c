/* PTX is found in fat binaries of nvcc, in what programs pass around them, and nowhere else.
 * fixtures/make.sh made the files; $PERFLAB_IMAGES may name a folder with others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/fatbin.h"

#define PTX_START ".version 9.0\n.target sm_90\n.address_size 64\n"
#define MOST ((size_t)1 << 20)
#define HEADER_BYTES 16
/* Offsets in the header of an entry. */
#define ENTRY_HEADER_BYTES (HEADER_BYTES + 4)
#define ENTRY_BYTES (HEADER_BYTES + 8)
#define ENTRY_COMPRESSED_BYTES (HEADER_BYTES + 16)
#define ENTRY_TEXT_BYTES (HEADER_BYTES + 56)

static const char *const packings[] = {"plain", "lz4", "zstd"};

struct image {
	char *bytes;
	size_t size;
};

static struct image load(const char *name)
{
	const char *folder = getenv("PERFLAB_IMAGES");
	char *path = xasprintf("%s/%s.fatbin", folder ? folder : "tests/record/fixtures", name);
	struct image image;
	struct error err = {0};

	if (read_file(&image.bytes, &image.size, path, MOST, &err))
		fail_msg("%s", err.text);
	free(path);
	return image;
}

/* Finds the kernel and returns its PTX, which the caller frees. */
static struct fatbin_ptx expect_ptx(const void *image, const char *entry, int cc)
{
	struct fatbin_ptx ptx;
	struct error err = {0};
	char *definition = xasprintf(".entry %s(", entry);

	if (fatbin_find_ptx(&ptx, image, MOST, entry, cc, &err))
		fail_msg("%s", err.text);
	assert_int_equal(err.code, 0);
	assert_int_equal(strlen(ptx.text), ptx.bytes);
	assert_non_null(strstr(ptx.text, ".version"));
	assert_non_null(strstr(ptx.text, definition));
	free(definition);
	return ptx;
}

static void expect_target(const void *image, int cc, int target, char feature)
{
	struct fatbin_ptx ptx = expect_ptx(image, "axpy", cc);
	char *line = xasprintf(".target sm_%d%s\n", target, (char[]){feature, '\0'});

	assert_int_equal(ptx.target, target);
	assert_int_equal(ptx.feature, feature);
	assert_non_null(strstr(ptx.text, line));
	free(line);
	free(ptx.text);
}

static void expect_none(const void *image, const char *entry)
{
	struct fatbin_ptx ptx = {.text = (char *)"old"};
	struct error err = {0};

	assert_int_equal(fatbin_find_ptx(&ptx, image, MOST, entry, 90, &err), PL_ENOENT);
	assert_null(ptx.text);
	assert_non_null(strstr(err.text, entry));
}

static void expect_damage(const struct image *image, const char *part)
{
	struct fatbin_ptx ptx;
	struct error err = {0};

	assert_int_equal(fatbin_find_ptx(&ptx, image->bytes, MOST, "axpy", 90, &err), PL_EPARSE);
	assert_null(ptx.text);
	if (!strstr(err.text, part))
		fail_msg("'%s' does not contain '%s'", err.text, part);
}

static void every_packing_gives_the_same_text(void **state)
{
	struct fatbin_ptx all[ARRAY_SIZE(packings)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++) {
		struct image image = load(packings[i]);

		all[i] = expect_ptx(image.bytes, "axpy", 90);
		assert_string_equal(all[i].text, all[0].text);
		free(image.bytes);
	}
	/* the text has the code of axpy */
	assert_non_null(strstr(all[0].text, "fma.rn.f32"));
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		free(all[i].text);
}

static void kernels_are_found_by_their_whole_name(void **state)
{
	struct image image = load("zstd");

	(void)state;
	free(expect_ptx(image.bytes, "axpy_twice", 90).text);
	free(expect_ptx(image.bytes, "_Z4fillIfEvPT_S0_", 90).text);
	free(expect_ptx(image.bytes, "_Z4fillIiEvPT_S0_", 90).text);
	expect_none(image.bytes, "axp");
	expect_none(image.bytes, "axpy_twic");
	expect_none(image.bytes, "_Z4fillIdEvPT_S0_");
	expect_none(image.bytes, "");
	free(image.bytes);
}

static void the_best_target_for_the_device_is_taken(void **state)
{
	struct image two = load("zstd");
	struct image features = load("features");

	(void)state;
	expect_target(two.bytes, 80, 80, '\0');
	expect_target(two.bytes, 89, 80, '\0');
	expect_target(two.bytes, 90, 90, '\0');
	expect_target(two.bytes, 120, 90, '\0');
	/* nothing runs on 7.5: the nearest may still be of use */
	expect_target(two.bytes, 75, 80, '\0');
	expect_target(features.bytes, 90, 90, 'a');
	expect_target(features.bytes, 100, 100, 'f');
	expect_target(features.bytes, 103, 100, 'f');
	/* 12.0 is of another family, and no 9.0 */
	expect_target(features.bytes, 120, 90, '\0');
	free(two.bytes);
	free(features.bytes);
}

static void machine_code_is_passed_over(void **state)
{
	struct image mixed = load("mixed");
	struct image code = load("code");

	(void)state;
	expect_target(mixed.bytes, 80, 90, '\0');
	expect_none(code.bytes, "axpy");
	expect_none("\177ELF\2\1\1", "axpy");
	free(mixed.bytes);
	free(code.bytes);
}

static void headers_with_options_are_passed_over(void **state)
{
	struct image image = load("relocatable");

	(void)state;
	expect_target(image.bytes, 90, 90, '\0');
	free(image.bytes);
}

struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *linked;
};

static void wrappers_are_followed(void **state)
{
	struct image image = load("zstd");
	struct wrapper wrapper = {0x466243B1, 1, image.bytes, (const void *)"a file name"};
	size_t bytes;

	(void)state;
	expect_target(&wrapper, 90, 90, '\0');
	assert_ptr_equal(fatbin_part(&wrapper, 0, MOST, &bytes), image.bytes);
	assert_int_equal(bytes, image.size);
	assert_null(fatbin_part(&wrapper, 1, MOST, &bytes));
	free(image.bytes);
}

static void a_linked_program_leads_to_what_it_was_linked_from(void **state)
{
	struct image code = load("code");
	struct image has = load("zstd");
	const void *linked[] = {code.bytes, has.bytes, NULL};
	struct wrapper wrapper = {0x466243B1, 2, code.bytes, linked};
	size_t bytes;

	(void)state;
	expect_target(&wrapper, 80, 80, '\0');
	expect_none(&wrapper, "nothing");
	assert_ptr_equal(fatbin_part(&wrapper, 2, MOST, &bytes), has.bytes);
	assert_null(fatbin_part(&wrapper, 3, MOST, &bytes));
	assert_null(fatbin_part(&wrapper, 4, MOST, &bytes));
	free(code.bytes);
	free(has.bytes);
}

static void text_stands_for_itself(void **state)
{
	const char *text =
		"// comment\n\n" PTX_START ".visible .entry axpy(\n.param .u64 p\n)\n{\nret;\n}";
	struct fatbin_ptx ptx = expect_ptx(text, "axpy", 90);
	size_t bytes;

	(void)state;
	assert_int_equal(ptx.target, 0);
	assert_string_equal(ptx.text, text);
	free(ptx.text);
	assert_ptr_equal(fatbin_part(text, 0, MOST, &bytes), text);
	assert_int_equal(bytes, strlen(text) + 1);
	/* no zero byte within the limit */
	assert_null(fatbin_part(text, 0, strlen(text), &bytes));
	expect_none(text, "ret");
	expect_none("", "axpy");
	expect_none(".entry axpy() { }", "axpy");
	expect_none(NULL, "axpy");
}

static bool defines(const char *text)
{
	return ptx_defines_entry(text, strlen(text), "k");
}

static void only_a_body_defines_a_kernel(void **state)
{
	(void)state;
	assert_true(defines(".entry k { }"));
	assert_true(defines(".visible .entry\n// the name follows\n k\n(.param .b8 x[4])\n"
			    ".maxntid 256, 1, 1\n{ret;}"));
	assert_true(defines(".entry k(.param .u32 a);\n.entry k(.param .u32 a)/* ; */{}"));
	assert_false(defines(".extern .entry k(.param .u32 a);\n.entry j {}"));
	assert_false(defines("// .entry k {\n"));
	assert_false(defines(".entry k2 {}"));
	assert_false(defines(".entry k$ {}"));
	assert_false(defines(".entry k"));
	assert_false(defines(".func k {}"));
}

static void put(struct image *image, size_t offset, uint64_t value, size_t bytes)
{
	assert_true(offset + bytes <= image->size);
	memcpy(image->bytes + offset, &value, bytes);
}

static void keep_first_entry(struct image *image)
{
	uint32_t header_bytes;
	uint64_t bytes;

	memcpy(&header_bytes, image->bytes + ENTRY_HEADER_BYTES, sizeof(header_bytes));
	memcpy(&bytes, image->bytes + ENTRY_BYTES, sizeof(bytes));
	put(image, 8, header_bytes + bytes, 8);
}

static void damaged_headers_are_reported(void **state)
{
	static const struct {
		size_t offset, bytes;
		uint64_t value;
		const char *error;
	} cases[] = {
		{ENTRY_HEADER_BYTES, 4, 63, "ends behind it"},
		{ENTRY_HEADER_BYTES, 4, UINT32_MAX, "ends behind it"},
		{ENTRY_BYTES, 8, UINT64_MAX, "ends behind it"},
		{ENTRY_BYTES, 8, (uint64_t)1 << 32, "ends behind it"},
		{ENTRY_COMPRESSED_BYTES, 4, UINT32_MAX, "ends behind it"},
		{ENTRY_TEXT_BYTES, 8, UINT64_MAX, "claims to have 18446744073709551615 bytes"},
		{ENTRY_TEXT_BYTES, 8, 100, "cannot be decompressed"},
		{ENTRY_COMPRESSED_BYTES, 4, 7, "cannot be decompressed"},
	};

	(void)state;
	for (size_t packing = 1; packing < ARRAY_SIZE(packings); packing++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct image image = load(packings[packing]);

			keep_first_entry(&image);
			put(&image, cases[i].offset, cases[i].value, cases[i].bytes);
			expect_damage(&image, cases[i].error);
			free(image.bytes);
		}
	}
}

static void a_damaged_entry_does_not_hide_the_others(void **state)
{
	struct image image = load("zstd");

	(void)state;
	/* the entry for 8.0 comes first */
	put(&image, ENTRY_COMPRESSED_BYTES, 7, 4);
	expect_target(image.bytes, 80, 90, '\0');
	free(image.bytes);
}

static void every_cut_is_refused(void **state)
{
	(void)state;
	for (size_t packing = 0; packing < ARRAY_SIZE(packings); packing++) {
		struct image image = load(packings[packing]);

		for (size_t size = 0; size < image.size; size++) {
			/* exact, so that a sanitizer sees a read behind it */
			char *cut = malloc(size ? size : 1);
			struct fatbin_ptx ptx;

			assert_non_null(cut);
			memcpy(cut, image.bytes, size);
			assert_int_equal(fatbin_find_ptx_in(&ptx, cut, size, "axpy", 90, NULL),
					 PL_ENOENT);
			assert_null(ptx.text);
			free(cut);
		}
		free(image.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packing_gives_the_same_text),
		cmocka_unit_test(kernels_are_found_by_their_whole_name),
		cmocka_unit_test(the_best_target_for_the_device_is_taken),
		cmocka_unit_test(machine_code_is_passed_over),
		cmocka_unit_test(headers_with_options_are_passed_over),
		cmocka_unit_test(wrappers_are_followed),
		cmocka_unit_test(a_linked_program_leads_to_what_it_was_linked_from),
		cmocka_unit_test(text_stands_for_itself),
		cmocka_unit_test(only_a_body_defines_a_kernel),
		cmocka_unit_test(damaged_headers_are_reported),
		cmocka_unit_test(a_damaged_entry_does_not_hide_the_others),
		cmocka_unit_test(every_cut_is_refused),
	};

	return cmocka_run_group_tests_name("record_fatbin", tests, NULL, NULL);
}
