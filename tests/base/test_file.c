#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(void **state)
{
	char *folder = xstrdup("/tmp/perflab-base-XXXXXX");

	*state = folder;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	int rc = rmdir(*state);

	free(*state);
	return rc;
}

static char *write_file(void **state, const char *bytes, size_t length)
{
	char *path = xasprintf("%s/file", (const char *)*state);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	return path;
}

static void assert_reads(void **state, const char *bytes, size_t length, size_t limit)
{
	char *path = write_file(state, bytes, length);
	struct error err = {0};
	char *out = NULL;
	size_t got = SIZE_MAX;

	assert_int_equal(read_file(&out, &got, path, limit, &err), 0);
	assert_int_equal(got, length);
	assert_memory_equal(out, bytes, length);
	assert_int_equal(out[length], '\0');
	assert_int_equal(err.code, 0);
	free(out);
	unlink(path);
	free(path);
}

static void a_file_is_read_whole(void **state)
{
	size_t length = 1000003;
	char *bytes = xmalloc(length);

	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)(i * 7 + i / 251);
	assert_reads(state, "", 0, 0);
	assert_reads(state, "a\0b", 3, 3);
	assert_reads(state, bytes, 65535, 65535);
	assert_reads(state, bytes, 65536, 65536);
	assert_reads(state, bytes, length, SIZE_MAX);
	free(bytes);
}

static void assert_fails(const char *path, size_t limit, int code)
{
	struct error err = {0};
	char *out = NULL;
	size_t length = 77;

	assert_int_equal(read_file(&out, &length, path, limit, &err), code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, path));
	assert_null(out);
	assert_int_equal(length, 77);
}

static void what_is_over_the_limit_is_refused(void **state)
{
	char *path = write_file(state, "abcd", 4);

	assert_fails(path, 3, PL_EPARSE);
	assert_fails(path, 0, PL_EPARSE);
	unlink(path);
	free(path);
	assert_fails("/dev/zero", 100000, PL_EPARSE);
}

static void what_is_no_file_is_refused(void **state)
{
	char *path = write_file(state, "", 0);
	char *below = xasprintf("%s/below", path);

	assert_fails("/nonexistent/file", 10, PL_ENOENT);
	assert_fails("", 10, PL_ENOENT);
	assert_fails(below, 10, PL_ENOENT);
	assert_fails(*state, 10, PL_EPARSE);
	unlink(path);
	/* nobody opens its other end, so waiting for that would never end */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_fails(path, 10, PL_EPARSE);
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_fails(path, 10, PL_EPARSE);
	unlink(path);
	free(below);
	free(path);
}

static void a_file_of_unknown_size_is_read(void **state)
{
	char *out = NULL;
	size_t length = 0;

	(void)state;
	assert_int_equal(read_file(&out, &length, "/proc/self/status", 1 << 20, NULL), 0);
	assert_memory_equal(out, "Name:", 5);
	assert_true(length > 100);
	free(out);
}

static void own_files_lie_beside_the_programs_folder(void **state)
{
	struct text out = TEXT_INIT;
	struct error err = {0};
	char program[PATH_MAX];
	struct text back = TEXT_INIT;
	char resolved[PATH_MAX];

	(void)state;
	text_add(&out, "what was there before");
	assert_int_equal(install_path(&out, "tests/unit_base", &err), 0);
	/* this program is tests/unit_base in the build folder */
	assert_non_null(realpath("/proc/self/exe", program));
	assert_string_equal(out.data, program);
	assert_int_equal(install_path(&back, "", &err), 0);
	assert_non_null(realpath(back.data, resolved));
	assert_memory_equal(program, resolved, strlen(resolved));
	assert_int_equal(err.code, 0);
	text_release(&out);
	text_release(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_read_whole, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(what_is_over_the_limit_is_refused, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, make_folder,
						remove_folder),
		cmocka_unit_test(a_file_of_unknown_size_is_read),
		cmocka_unit_test(own_files_lie_beside_the_programs_folder),
	};

	return cmocka_run_group_tests_name("base_file", tests, NULL, NULL);
}
