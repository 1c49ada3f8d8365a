/*
 * Checks the tables for mistakes in a new row. Runs in the root of the source tree, where the .cu
 * files are.
 */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

static void for_each_variant(void (*check)(const struct kernel *, const struct kernel_variant *))
{
	size_t count;
	const struct kernel *const *kernels = kernel_all(&count);

	assert_true(count >= 4);
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < kernels[k]->variant_count; v++)
			check(kernels[k], &kernels[k]->variants[v]);
}

static bool is_lower_snake(const char *name)
{
	if (!islower((unsigned char)name[0]))
		return false;
	for (const char *c = name; *c; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
			return false;
	return name[strlen(name) - 1] != '_';
}

static bool is_phrase(const char *text)
{
	return text && strlen(text) >= 10 && strlen(text) <= 90 && !strchr(text, '\n');
}

static void check_row(const struct kernel *kernel, const struct kernel_variant *variant)
{
	size_t same = 0;

	for (size_t v = 0; v < kernel->variant_count; v++)
		same += !strcmp(kernel->variants[v].name, variant->name);
	if (same != 1)
		fail_msg("%s/%s: the name is taken", kernel->name, variant->name);
	if (!is_lower_snake(variant->name) || !is_lower_snake(kernel->name))
		fail_msg("%s/%s: names are lower_snake", kernel->name, variant->name);
	if (!is_phrase(variant->lesson))
		fail_msg("%s/%s: the lesson is one line of 10 to 90 characters", kernel->name,
			 variant->name);
	/* What a fault shows is not measured: it is how the trial ends. */
	if (!strcmp(kernel->name, "fault"))
		assert_string_equal(variant->metric, "status");
	else if (!variant->metric || !metric_find(variant->metric))
		fail_msg("%s/%s: no metric is called \"%s\"", kernel->name, variant->name,
			 variant->metric ? variant->metric : "");
	assert_true(variant_axis_count(kernel, variant) <= KERNEL_MAX_CASE_AXES);
	assert_true(variant->launch_count >= 1);
	for (size_t i = 0; i < variant->constraint_count; i++)
		assert_true(is_phrase(variant->constraints[i].reason));
	assert_ptr_equal(kernel_find_variant(kernel, variant->name), variant);
}

static void test_rows(void **state)
{
	(void)state;
	for_each_variant(check_row);
}

static void test_families(void **state)
{
	size_t count;
	const struct kernel *const *kernels = kernel_all(&count);

	(void)state;
	for (size_t k = 0; k < count; k++) {
		bool has_block = false;

		assert_ptr_equal(kernel_find(kernels[k]->name), kernels[k]);
		assert_true(is_phrase(kernels[k]->summary));
		assert_non_null(kernels[k]->oracle);
		for (size_t a = 0; a < kernels[k]->axis_count; a++) {
			assert_true(is_lower_snake(kernels[k]->axes[a].name));
			assert_true(strlen(kernels[k]->axes[a].meaning) > 0);
			has_block |= !strcmp(kernels[k]->axes[a].name, "block");
		}
		assert_true(has_block);
		assert_true(kernels[k]->tolerance_rel >= 0 && kernels[k]->tolerance_rel < 1e-3);
	}
	assert_null(kernel_find("nothing"));
	assert_null(kernel_find_variant(kernels[0], "nothing"));
	assert_null(kernel_find_oracle("nothing"));
}

/* The protocol identifies an oracle by its name, so names must be unique. */
static void check_oracle(const struct kernel *kernel, const struct kernel_variant *variant)
{
	const struct kernel_oracle *oracle = variant->oracle ? variant->oracle : kernel->oracle;

	assert_ptr_equal(kernel_find_oracle(oracle->name), oracle);
}

static void test_oracle_names(void **state)
{
	(void)state;
	for_each_variant(check_oracle);
}

/* Finds an identifier as a complete token of a source file. */
static bool names_entry(const char *source, const char *entry)
{
	size_t length = strlen(entry);

	for (const char *at = strstr(source, entry); at; at = strstr(at + 1, entry)) {
		char before = at == source ? ' ' : at[-1];

		if (!isalnum((unsigned char)before) && before != '_' && at[length] == '(')
			return true;
	}
	return false;
}

static char *read_source(const char *format, const char *family, const char *name)
{
	char path[512];
	char *source = NULL;
	size_t length;
	struct error err = {0};

	snprintf(path, sizeof(path), format, family, name);
	if (read_file(&source, &length, path, 1 << 20, &err))
		return xstrdup("");
	return source;
}

/* Searches every header of device code in the family. */
static struct text read_headers(const char *family)
{
	struct text out = TEXT_INIT;
	char path[512];
	DIR *folder;

	snprintf(path, sizeof(path), "kernels/%s", family);
	folder = opendir(path);
	assert_non_null(folder);
	for (struct dirent *file = readdir(folder); file; file = readdir(folder)) {
		const char *end = strrchr(file->d_name, '.');

		if (end && !strcmp(end, ".cuh")) {
			char *source = read_source("kernels/%s/%s", family, file->d_name);

			text_add(&out, source);
			free(source);
		}
	}
	closedir(folder);
	return out;
}

static bool is_device_code(const struct kernel_variant *variant)
{
	for (size_t l = 0; l < variant->launch_count; l++)
		if (!variant->launches[l].library)
			return true;
	return false;
}

/* Every variant has its .cu, and in it, or in what the family shares, its entries; those of a
 * library have none. */
static void check_image(const struct kernel *kernel, const struct kernel_variant *variant)
{
	const char *image = variant->image ? strchr(variant->image, '/') + 1 : variant->name;
	char *family = variant->image ? xstrndup(variant->image, strcspn(variant->image, "/"))
				      : xstrdup(kernel->name);
	char *own = read_source("kernels/%s/%s.cu", family, image);
	struct text shared = read_headers(family);

	if (!is_device_code(variant))
		assert_string_equal(own, "");
	else if (!*own)
		fail_msg("kernels/%s/%s.cu is missing or empty", family, image);
	for (size_t l = 0; l < variant->launch_count; l++) {
		const char *entry = variant->launches[l].entry;

		if (!variant->launches[l].library && !names_entry(own, entry) &&
		    !names_entry(shared.data, entry))
			fail_msg("kernels/%s/%s.cu has no entry %s", family, image, entry);
	}
	free(own);
	text_release(&shared);
	free(family);
}

static void test_every_variant_has_its_source(void **state)
{
	(void)state;
	for_each_variant(check_image);
}

static void check_source_has_row(const char *family, const char *file)
{
	const struct kernel *kernel = kernel_find(family);
	char *name = xstrndup(file, strlen(file) - strlen(".cu"));

	if (!kernel)
		fail_msg("kernels/%s is no family of registry.c", family);
	else if (!kernel_find_variant(kernel, name))
		fail_msg("kernels/%s/%s has no row in %s.c", family, file, family);
	free(name);
}

/* … and every .cu has its row. */
static void test_every_source_has_its_variant(void **state)
{
	DIR *kernels = opendir("kernels");
	size_t found = 0;

	(void)state;
	assert_non_null(kernels);
	for (struct dirent *family = readdir(kernels); family; family = readdir(kernels)) {
		char path[512];
		DIR *folder;

		snprintf(path, sizeof(path), "kernels/%s", family->d_name);
		folder = family->d_name[0] == '.' ? NULL : opendir(path);
		if (!folder)
			continue;
		for (struct dirent *file = readdir(folder); file; file = readdir(folder)) {
			const char *end = strrchr(file->d_name, '.');

			if (end && !strcmp(end, ".cu")) {
				check_source_has_row(family->d_name, file->d_name);
				found++;
			}
		}
		closedir(folder);
	}
	closedir(kernels);
	assert_true(found >= 30);
}

static void test_enum_names(void **state)
{
	static const size_t element_bytes[ELEMENT_TYPES] = {
		[ELEMENT_F32] = 4, [ELEMENT_F64] = 8,  [ELEMENT_I32] = 4,  [ELEMENT_U32] = 4,
		[ELEMENT_F16] = 2, [ELEMENT_BF16] = 2, [ELEMENT_TF32] = 4, [ELEMENT_I8] = 1,
		[ELEMENT_U8] = 1,  [ELEMENT_I16] = 2,  [ELEMENT_U16] = 2,  [ELEMENT_I64] = 8,
		[ELEMENT_U64] = 8,
	};

	(void)state;
	for (int i = ELEMENT_F32; i < ELEMENT_TYPES; i++) {
		enum element_type type;

		assert_true(element_type_parse(&type, element_type_name((enum element_type)i)));
		assert_int_equal(type, i);
		assert_int_equal(element_size_bytes(type), element_bytes[i]);
	}
	for (int i = BUFFER_IN; i <= BUFFER_PER_CALL; i++) {
		enum buffer_role role;

		assert_true(buffer_role_parse(&role, buffer_role_name((enum buffer_role)i)));
		assert_int_equal(role, i);
	}
	for (int i = FILL_NONE; i <= FILL_FILE; i++) {
		enum buffer_fill fill;

		assert_true(buffer_fill_parse(&fill, buffer_fill_name((enum buffer_fill)i)));
		assert_int_equal(fill, i);
	}
	for (int i = ARG_BUFFER; i <= ARG_STRUCT; i++) {
		enum arg_kind kind;

		assert_true(arg_kind_parse(&kind, arg_kind_name((enum arg_kind)i)));
		assert_int_equal(kind, i);
	}
	for (int i = CHECK_ORACLE; i <= CHECK_NONE; i++) {
		enum check_kind kind;

		assert_true(check_kind_parse(&kind, check_kind_name((enum check_kind)i)));
		assert_int_equal(kind, i);
	}
	assert_false(check_kind_parse(&(enum check_kind){0}, "oracles"));
	assert_string_equal(buffer_role_name(BUFFER_PER_CALL), "per_call");
	assert_false(buffer_role_parse(&(enum buffer_role){0}, "inn"));
	assert_false(element_type_parse(&(enum element_type){0}, ""));
	assert_false(buffer_fill_parse(&(enum buffer_fill){0}, "Uniform"));
	assert_false(arg_kind_parse(&(enum arg_kind){0}, "f8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_oracle_names),
		cmocka_unit_test(test_every_variant_has_its_source),
		cmocka_unit_test(test_every_source_has_its_variant),
		cmocka_unit_test(test_enum_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
