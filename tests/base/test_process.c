#include "base/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND_NS INT64_C(1000000000)

static char shell[] = "/bin/sh", option[] = "-c";

/* Runs a script with a limit; the other settings are those of `program`. */
static enum program_end run(struct text *said, int *status, char *script,
			    struct limited_program program, int64_t limit_ns)
{
	char *argv[] = {shell, option, script, NULL};

	program.argv = argv;
	program.end_ns = monotonic_ns() + limit_ns;
	if (!program.output_limit)
		program.output_limit = 1000;
	return process_limited(said, status, &program);
}

static void prints(char *script, struct limited_program program, const char *wanted)
{
	struct text said = TEXT_INIT;
	int status = -1;

	assert_int_equal(run(&said, &status, script, program, 20 * SECOND_NS), PROGRAM_EXITED);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_string_equal(said.data, wanted);
	text_release(&said);
}

static void output_is_taken(void **state)
{
	(void)state;
	prints("echo a; echo b >&2", (struct limited_program){0}, "a\nb\n");
	prints("echo a; echo b >&2", (struct limited_program){.without_messages = true}, "a\n");
	prints("printf 'a\\0b'", (struct limited_program){0}, "a?b");
	prints("cat", (struct limited_program){0}, "");
	/* more than a pipe holds */
	prints("head -c 300000 /dev/zero; printf end", (struct limited_program){.output_limit = 2},
	       "??");
}

static void the_last_output_is_kept(void **state)
{
	struct text said = TEXT_INIT;
	int status;

	(void)state;
	assert_int_equal(run(&said, &status, "head -c 300000 /dev/zero; printf end",
			     (struct limited_program){.output_limit = 100, .keep_last = true},
			     20 * SECOND_NS),
			 PROGRAM_EXITED);
	assert_true(said.length >= 100 && said.length <= 200);
	assert_string_equal(said.data + said.length - 4, "?end");
	text_release(&said);
}

static void the_limit_counts_what_the_text_held(void **state)
{
	struct text said = TEXT_INIT;
	int status;

	(void)state;
	text_add(&said, "before ");
	run(&said, &status, "printf 0123456789", (struct limited_program){.output_limit = 10},
	    20 * SECOND_NS);
	assert_string_equal(said.data, "before 012");
	run(&said, &status, "printf 0123456789", (struct limited_program){.output_limit = 5},
	    20 * SECOND_NS);
	assert_string_equal(said.data, "before 012");
	text_release(&said);
}

static void the_program_has_a_place_of_its_own(void **state)
{
	struct string_list variables = {0};
	int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	(void)state;
	assert_true(fd >= 0);
	string_list_add(&variables, "HOME=/elsewhere");
	string_list_add(&variables, "PERFLAB_TEST_WORD=a=b");
	prints("echo $HOME $PERFLAB_TEST_WORD; pwd; ls /proc/self/fd | tail -n +5",
	       (struct limited_program){.folder = "/", .variables = &variables},
	       "/elsewhere a=b\n/\n");
	close(fd);
	string_list_release(&variables);
}

static void the_end_is_told(void **state)
{
	struct text said = TEXT_INIT;
	char *argv[] = {"/nowhere/at/all", NULL};
	struct limited_program none = {.argv = argv, .end_ns = INT64_MAX};
	const volatile int stop = 1;
	int status;

	(void)state;
	assert_int_equal(process_limited(&said, &status, &none), PROGRAM_NOT_STARTED);
	assert_int_equal(status, 2); /* ENOENT */
	assert_int_equal(run(&said, &status, "exit 3", (struct limited_program){0}, 20 * SECOND_NS),
			 PROGRAM_EXITED);
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_int_equal(
		run(&said, &status, "sleep 100", (struct limited_program){0}, SECOND_NS / 10),
		PROGRAM_LATE);
	assert_int_equal(run(&said, &status, "sleep 100", (struct limited_program){.stop = &stop},
			     20 * SECOND_NS),
			 PROGRAM_STOPPED);
	text_release(&said);
}

static void a_closed_output_is_no_end(void **state)
{
	struct text said = TEXT_INIT;
	int status;

	(void)state;
	assert_int_equal(run(&said, &status, "exec >/dev/null 2>&1; yes | head -n 100000; exit 5",
			     (struct limited_program){0}, 20 * SECOND_NS),
			 PROGRAM_EXITED);
	assert_int_equal(WEXITSTATUS(status), 5);
	text_release(&said);
}

static void capture_takes_stdout_of_a_success(void **state)
{
	char *good[] = {shell, option, "echo out; echo message >&2", NULL};
	char *bad[] = {shell, option, "echo out; exit 1", NULL};
	char *none[] = {"/nowhere/at/all", NULL};
	struct text out = TEXT_INIT;
	struct error err;

	(void)state;
	assert_int_equal(process_capture(&out, 100, good, &err), 0);
	assert_string_equal(out.data, "out\n");
	assert_int_equal(process_capture(&out, 100, bad, &err), PL_EIO);
	assert_int_equal(process_capture(&out, 100, none, &err), PL_EIO);
	assert_non_null(strstr(err.text, "cannot start /nowhere/at/all"));
	text_release(&out);
}

static void temporary_folders(void **state)
{
	char *path, *inner, *link;
	struct error err;
	struct stat status;

	(void)state;
	assert_int_equal(temporary_folder_make(&path, "perflab-test", &err), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	inner = xasprintf("%s/inner", path);
	link = xasprintf("%s/link", inner);
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(symlink("/", link), 0);
	folder_remove(path);
	assert_int_not_equal(stat(path, &status), 0);
	assert_int_equal(stat("/", &status), 0);
	free(link);
	free(inner);
	free(path);
	assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
	assert_int_equal(temporary_folder_make(&path, "perflab-test", &err), PL_EIO);
	assert_null(path);
	assert_non_null(strstr(err.text, "set TMPDIR"));
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_taken),
		cmocka_unit_test(the_last_output_is_kept),
		cmocka_unit_test(the_limit_counts_what_the_text_held),
		cmocka_unit_test(the_program_has_a_place_of_its_own),
		cmocka_unit_test(the_end_is_told),
		cmocka_unit_test(a_closed_output_is_no_end),
		cmocka_unit_test(capture_takes_stdout_of_a_success),
		cmocka_unit_test(temporary_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
