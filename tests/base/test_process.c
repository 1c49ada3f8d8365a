#include "base/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Only root may raise the limit of a scheduler. No process reaches these limits. */
static void a_lower_limit_of_memory_stays(void **state)
{
	const struct rlimit lower = {(rlim_t)1 << 48, (rlim_t)1 << 50};
	int status;
	const pid_t child = fork();

	(void)state;
	if (!child) {
		if (setrlimit(RLIMIT_AS, &lower))
			_exit(1);
		prints("ulimit -S -v; ulimit -H -v",
		       (struct limited_program){.memory_limit = INT64_C(2) << 50},
		       "274877906944\n1099511627776\n");
		prints("ulimit -S -v; ulimit -H -v",
		       (struct limited_program){.memory_limit = INT64_C(1) << 47},
		       "137438953472\n137438953472\n");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
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

/* Waits until no process has this word of its own in its command line. */
static bool ends(const char *word)
{
	char *script =
		xasprintf("for i in $(seq 200); do pgrep -xf 'sleep %s' >/dev/null || exit 0;"
			  " sleep 0.05; done; exit 1",
			  word);
	const int status = system(script);

	free(script);
	return status == 0;
}

static void nothing_is_left_running(void **state)
{
	struct text said = TEXT_INIT;
	int status;

	(void)state;
	/* a session of its own, without a parent, beside others of them */
	prints("(setsid sleep 3101.1 &) ; (setsid sh -c '(setsid sleep 3101.2 & ) & sleep 3101.3' "
	       "&)"
	       " >/dev/null; echo done",
	       (struct limited_program){0}, "done\n");
	assert_true(ends("3101.1") && ends("3101.2") && ends("3101.3"));
	assert_int_equal(run(&said, &status, "setsid -w sleep 3102.1", (struct limited_program){0},
			     SECOND_NS / 5),
			 PROGRAM_LATE);
	assert_true(ends("3102.1"));
	text_release(&said);
}

/* The process that starts the program is killed by SIGKILL. */
static void nothing_outlives_a_killed_process(void **state)
{
	const pid_t child = fork();

	(void)state;
	if (!child) {
		struct text said = TEXT_INIT;
		int status;

		run(&said, &status,
		    "(setsid sleep 3103.1 &); kill -9 $(ps -o ppid= $PPID); sleep 3103.2",
		    (struct limited_program){0}, 20 * SECOND_NS);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(ends("3103.1") && ends("3103.2"));
}

static void memory_has_a_limit(void **state)
{
	struct text said = TEXT_INIT;
	int64_t peak_bytes = 0;
	struct limited_program program = {.memory_limit = INT64_C(256) << 20,
					  .peak_bytes = &peak_bytes};
	int status;

	(void)state;
	assert_int_equal(run(&said, &status,
			     "head -c 200000000 /dev/zero | tail -c 199999999 >/dev/null", program,
			     20 * SECOND_NS),
			 PROGRAM_EXITED);
	assert_int_equal(status, 0);
	assert_true(peak_bytes > 150000000);
	assert_int_equal(run(&said, &status,
			     "head -c 400000000 /dev/zero | tail -c 399999999 >/dev/null", program,
			     20 * SECOND_NS),
			 PROGRAM_EXITED);
	assert_int_not_equal(status, 0);
	text_release(&said);
}

static void a_filter_tells_its_end(void **state)
{
	char *good[] = {"cat", NULL}, *silent[] = {shell, option, "echo >&2; echo why >&2", NULL};
	char *bad[] = {shell, option, "exit 2", NULL}, *none[] = {"no-such-program", NULL};
	struct text input = TEXT_INIT;
	struct error err;
	size_t length;
	char *out;

	(void)state;
	text_add_bytes(&input, "a\0b", 3);
	assert_int_equal(process_filter(&out, &length, 100, &input, good, &err), 0);
	assert_int_equal(length, 3);
	assert_memory_equal(out, "a\0b", 3);
	free(out);
	assert_int_equal(process_filter(&out, &length, 2, &input, good, &err), PL_EPARSE);
	assert_int_equal(process_filter(&out, &length, 100, &input, silent, &err), PL_EIO);
	assert_string_equal(err.text, "/bin/sh printed nothing: why");
	assert_int_equal(process_filter(&out, &length, 100, &input, bad, &err), PL_EIO);
	assert_string_equal(err.text, "/bin/sh failed: it printed no message");
	assert_int_equal(process_filter(&out, &length, 100, &input, none, &err), PL_ENOENT);
	text_release(&input);
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

/* A process that was killed left a folder; another one still has its own. */
static void folders_of_ended_processes_are_removed(void **state)
{
	char *left, *held, *mine;
	int lock, pipes[2];
	struct error err;
	char base[] = "/tmp/test-held-XXXXXX";
	pid_t child;

	(void)state;
	assert_non_null(mkdtemp(base));
	assert_int_equal(setenv("TMPDIR", base, 1), 0);
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		char *path;
		int own;

		held_folder_make(&path, &own, "perflab-test", NULL);
		_exit(write(pipes[1], path, strlen(path) + 1) < 0);
	}
	left = xcalloc(1, 200);
	assert_true(read(pipes[0], left, 199) > 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(access(left, F_OK), 0);
	assert_int_equal(held_folder_make(&held, &lock, "perflab-test", &err), 0);
	assert_int_not_equal(access(left, F_OK), 0);
	held_folders_clean("perflab-test");
	assert_int_equal(access(held, F_OK), 0);
	close(lock);
	assert_int_equal(held_folder_make(&mine, &lock, "perflab-other", &err), 0);
	assert_int_equal(access(held, F_OK), 0);
	held_folders_clean("perflab-test");
	assert_int_not_equal(access(held, F_OK), 0);
	folder_remove(base);
	close(lock);
	close(pipes[0]);
	close(pipes[1]);
	free(left);
	free(held);
	free(mine);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_taken),
		cmocka_unit_test(the_last_output_is_kept),
		cmocka_unit_test(the_limit_counts_what_the_text_held),
		cmocka_unit_test(the_program_has_a_place_of_its_own),
		cmocka_unit_test(a_lower_limit_of_memory_stays),
		cmocka_unit_test(the_end_is_told),
		cmocka_unit_test(nothing_is_left_running),
		cmocka_unit_test(nothing_outlives_a_killed_process),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(a_filter_tells_its_end),
		cmocka_unit_test(a_closed_output_is_no_end),
		cmocka_unit_test(capture_takes_stdout_of_a_success),
		cmocka_unit_test(temporary_folders),
		cmocka_unit_test(folders_of_ended_processes_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
