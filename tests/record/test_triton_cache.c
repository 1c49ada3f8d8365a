/* The PTX in a cache of Triton is found by the bytes of the machine code, and only by them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/triton_cache.h"

static int make_cache(void **state)
{
	char *folder;

	if (temporary_folder_make(&folder, "perflab-triton", NULL))
		return -1;
	*state = folder;
	return 0;
}

static int remove_cache(void **state)
{
	folder_remove(*state);
	free(*state);
	return 0;
}

static void cache_write(const char *cache, const char *hash, const char *name, const char *bytes)
{
	char *folder = xasprintf("%s/%s", cache, hash);
	char *path = xasprintf("%s/%s", folder, name);
	FILE *file;

	mkdir(folder, 0700);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(bytes, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
	free(folder);
}

static void expect_not_found(const char *cache, const char *kernel, const char *cubin)
{
	struct error err = {0};
	char *ptx;
	size_t bytes;

	assert_int_equal(triton_cache_find(&ptx, &bytes, cache, kernel, cubin, strlen(cubin), &err),
			 PL_ENOENT);
	assert_null(ptx);
	assert_int_equal(err.code, PL_ENOENT);
}

static void equal_machine_code_gives_its_ptx(void **state)
{
	struct error err = {0};
	char *ptx;
	size_t bytes;

	cache_write(*state, "AAAA", "softmax.cubin", "code 1");
	cache_write(*state, "AAAA", "softmax.ptx", "text 1");
	cache_write(*state, "BBBB", "softmax.cubin", "code 2");
	cache_write(*state, "BBBB", "softmax.ptx", "text 2");
	cache_write(*state, "CCCC", "other.cubin", "code 2");
	cache_write(*state, "CCCC", "other.ptx", "text 3");
	cache_write(*state, "DDDD", "launcher.so", "");
	if (triton_cache_find(&ptx, &bytes, *state, "softmax", "code 2", 6, &err))
		fail_msg("%s", err.text);
	assert_string_equal(ptx, "text 2");
	assert_int_equal(bytes, 6);
	free(ptx);
}

static void long_names_are_cut(void **state)
{
	char kernel[201], cubin[200], text[200];
	struct error err = {0};
	char *ptx;
	size_t bytes;

	memset(kernel, 'k', 200);
	kernel[200] = '\0';
	snprintf(cubin, sizeof(cubin), "%.150s.cubin", kernel);
	snprintf(text, sizeof(text), "%.150s.ptx", kernel);
	cache_write(*state, "AAAA", cubin, "code 1");
	cache_write(*state, "AAAA", text, "text 1");
	if (triton_cache_find(&ptx, &bytes, *state, kernel, "code 1", 6, &err))
		fail_msg("%s", err.text);
	assert_string_equal(ptx, "text 1");
	free(ptx);
}

static void other_machine_code_is_refused(void **state)
{
	cache_write(*state, "AAAA", "softmax.cubin", "code 1");
	cache_write(*state, "AAAA", "softmax.ptx", "text 1");
	expect_not_found(*state, "softmax", "code 2");
	expect_not_found(*state, "softmax", "code 11");
	expect_not_found(*state, "softmax", "code");
	expect_not_found(*state, "soft", "code 1");
	expect_not_found("/nonexistent", "softmax", "code 1");
}

static void names_stay_in_the_cache(void **state)
{
	cache_write(*state, "AAAA", "softmax.cubin", "code 1");
	cache_write(*state, "AAAA", "softmax.ptx", "text 1");
	expect_not_found(*state, "../AAAA/softmax", "code 1");
	expect_not_found(*state, "", "code 1");
}

static void machine_code_without_ptx_gives_none(void **state)
{
	cache_write(*state, "AAAA", "softmax.cubin", "code 1");
	expect_not_found(*state, "softmax", "code 1");
}

static void expect_folder(const char *cache, const char *home, const char *user_home,
			  const char *expected)
{
	struct text folder = TEXT_INIT;

	setenv("TRITON_CACHE_DIR", cache, 1);
	setenv("TRITON_HOME", home, 1);
	setenv("HOME", user_home, 1);
	assert_int_equal(triton_cache_folder(&folder), *expected != '\0');
	assert_string_equal(folder.data, expected);
	text_release(&folder);
}

static void the_environment_names_the_cache(void **state)
{
	(void)state;
	expect_folder("/c", "/t", "/h", "/c");
	expect_folder("", "/t", "/h", "/t/.triton/cache");
	expect_folder("", "", "/h", "/h/.triton/cache");
	expect_folder("", "", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_machine_code_gives_its_ptx, make_cache,
						remove_cache),
		cmocka_unit_test_setup_teardown(long_names_are_cut, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(other_machine_code_is_refused, make_cache,
						remove_cache),
		cmocka_unit_test_setup_teardown(names_stay_in_the_cache, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(machine_code_without_ptx_gives_none, make_cache,
						remove_cache),
		cmocka_unit_test(the_environment_names_the_cache),
	};

	return cmocka_run_group_tests_name("record_triton_cache", tests, NULL, NULL);
}
