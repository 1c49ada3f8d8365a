/* A program of the user that computes the expected results. The programs are shell scripts. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/workers/expected.h"

/* Longer than a busy machine takes to end a process. */
#define END_MOST_MS 60000
#define N 4
#define IN "\"$PERFLAB_INPUTS\""
#define OUT "\"$PERFLAB_RESULTS\""
#define COPY "cp " IN "/x.npy " OUT "/y.npy"

static float x[N] = {1, 2.5F, -3, 4}, y[N];
static char *check_folder; /* in which the program runs; NULL: the current one */
static char root[] = "/tmp/perflab-test-command-XXXXXX";

/* y is what the program writes. Returns its code. */
static int run_script(char *script, int64_t most_ms, struct error *err)
{
	struct case_buffer buffers[] = {
		{.name = "x", .type = ELEMENT_F32, .length = N, .role = BUFFER_IN},
		{.name = "rest", .type = ELEMENT_F32, .length = N, .role = BUFFER_SCRATCH},
		{.name = "y", .type = ELEMENT_F32, .length = N, .role = BUFFER_OUT},
	};
	const struct launch_case work = {
		.kernel = "mine",
		.variant = "fast",
		.axes = {{"block", 64}, {"n", N}},
		.axis_count = 2,
		.buffers = buffers,
		.buffer_count = ARRAY_SIZE(buffers),
		.check = {.kind = CHECK_COMMAND, .command = script, .folder = check_folder},
	};
	const struct host_buffers inputs = {.data = {x}};
	struct host_buffers expected = {.data = {[2] = y}};

	memset(y, 0, sizeof(y));
	return check_command_run(&work, &inputs, &expected, monotonic_ns() + most_ms * 1000000,
				 err);
}

/* Folders are made in `root`, and none is left there. */
static void assert_nothing_left(void)
{
	assert_int_equal(rmdir(root), 0);
	assert_int_equal(mkdir(root, 0700), 0);
}

static void run_must_succeed(char *script)
{
	struct error err = {0};

	if (run_script(script, 20000, &err))
		fail_msg("%s", err.text);
	assert_memory_equal(x, y, sizeof(x));
}

static void accepts(char *script)
{
	run_must_succeed(script);
	assert_nothing_left();
}

static void refuses(char *script, int code, const char *says)
{
	struct error err = {0};
	int rc = run_script(script, 20000, &err);

	if (rc != code || !strstr(err.text, says) || !strstr(err.text, "verify by "))
		fail_msg("%s: code %d, \"%s\"", script, rc, err.text);
	assert_nothing_left();
}

static void test_results_are_read(void **context)
{
	(void)context;
	accepts(COPY);
	/* what it prints does not matter */
	accepts("yes | head -c 300000; echo warning >&2; " COPY);
	accepts("cat; " COPY);
}

static void test_the_case_is_named(void **context)
{
	(void)context;
	accepts("test \"$PERFLAB_KERNEL/$PERFLAB_VARIANT\" = mine/fast && "
		"test \"$PERFLAB_CONFIG\" = block=64,n=4 && test $PERFLAB_AXIS_n = 4 && "
		"test $PERFLAB_AXIS_block = 64 && " COPY);
}

/* Only inputs are written: the results and the rest have no content yet. */
static void test_inputs(void **context)
{
	(void)context;
	accepts("test \"$(ls " IN ")\" = x.npy && test -z \"$(ls " OUT ")\" && " COPY);
}

/* The program may leave more than files, such as __pycache__. */
static void test_what_it_leaves_is_removed(void **context)
{
	(void)context;
	accepts("mkdir -p " OUT "/a/b " IN "/c && : > " OUT "/a/b/d && ln -s / " OUT
		"/a/link && " COPY);
}

static void test_its_folder(void **context)
{
	char *folder = xasprintf("%s/with a blank", root), *file = xasprintf("%s/here", folder);

	(void)context;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
	check_folder = folder;
	run_must_succeed("test -f here && " COPY);
	unlink(file);
	rmdir(folder);
	refuses("true", PL_EUSAGE, "cannot start /bin/sh in the folder ");
	check_folder = NULL;
	free(folder);
	free(file);
}

static void test_a_program_that_fails(void **context)
{
	(void)context;
	refuses("echo first; echo no NumPy >&2; echo; exit 3", PL_EUSAGE, "ended with 3: no NumPy");
	refuses("exit 1", PL_EUSAGE, "ended with 1: it printed nothing");
	refuses("/nowhere/at/all", PL_EUSAGE, "ended with 127");
	refuses("kill -ABRT $$", PL_EUSAGE, "signal 6 ended it");
	/* a result does not count if the program failed */
	refuses(COPY "; exit 3", PL_EUSAGE, "ended with 3");
}

static void test_bad_results(void **context)
{
	(void)context;
	refuses("true", PL_EUSAGE, "it wrote no y.npy into the folder $PERFLAB_RESULTS");
	refuses("head -c 136 " IN "/x.npy > " OUT "/y.npy", PL_EPARSE, "y.npy");
	refuses(": > " OUT "/y.npy", PL_EPARSE, "y.npy");
	refuses("echo 1 2 3 4 > " OUT "/y.npy", PL_EPARSE, "y.npy");
	refuses("sed 's/<f4/<i4/' " IN "/x.npy > " OUT "/y.npy", PL_EUSAGE, "i4");
	refuses("(sed 's/(4,)/(5,)/' " IN "/x.npy; printf '\\0\\0\\0\\0') > " OUT "/y.npy",
		PL_EUSAGE, "5");
}

static void hangs(char *script)
{
	const int64_t begin_ns = monotonic_ns();
	struct error err = {0};

	assert_int_equal(run_script(script, 1000, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "it ran longer than "));
	assert_true(monotonic_ns() - begin_ns < END_MOST_MS * INT64_C(1000000));
	assert_nothing_left();
}

static void test_a_program_that_hangs(void **context)
{
	(void)context;
	hangs("sleep 100");
	hangs("sleep 100 & wait");
	hangs("exec > /dev/null 2>&1; sleep 100");
	hangs("yes");
}

/* What it started in the background ends with it, and so closes the FIFO, which was open before. */
static void leaves_no_process(const char *rest, int64_t most_ms, int code)
{
	char *fifo = xasprintf("%s/fifo", root);
	char *script = xasprintf("exec 9> %s; sleep 100 & %s", fifo, rest);
	struct pollfd end;
	struct error err = {0};

	assert_int_equal(mkfifo(fifo, 0600), 0);
	end = (struct pollfd){.fd = open(fifo, O_RDONLY | O_NONBLOCK), .events = POLLIN};
	assert_true(end.fd >= 0);
	assert_int_equal(run_script(script, most_ms, &err), code);
	assert_int_equal(poll(&end, 1, END_MOST_MS), 1);
	assert_true(end.revents & POLLHUP);
	close(end.fd);
	unlink(fifo);
	free(fifo);
	free(script);
	assert_nothing_left();
}

static void test_no_process_is_left(void **context)
{
	(void)context;
	leaves_no_process("sleep 100", 3000, PL_EUSAGE);
	/* ... also if the program ends well, and what it started holds its output open */
	leaves_no_process("sleep 100 & " COPY, 20000, 0);
	leaves_no_process("yes & " COPY, 20000, 0);
	leaves_no_process("exit 3", 20000, PL_EUSAGE);
}

/* perflab ends its worker while the program runs. The FIFO says when that is. */
static void test_the_worker_is_ended(void **context)
{
	char *fifo = xasprintf("%s/fifo", root);
	char *script = xasprintf("exec 9> %s; echo 1 >&9; sleep 100", fifo);
	struct pollfd end;
	struct error err = {0};
	int reader, status, code;
	char bytes[2];
	pid_t worker;

	(void)context;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	reader = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	worker = fork();
	if (worker == 0) {
		code = run_script(script, 60000, &err);
		_exit(code ? 1 : 0);
	}
	end = (struct pollfd){.fd = reader, .events = POLLIN};
	assert_int_equal(poll(&end, 1, END_MOST_MS), 1);
	assert_int_equal(read(end.fd, bytes, sizeof(bytes)), 2);
	assert_int_equal(kill(worker, SIGTERM), 0);
	assert_int_equal(waitpid(worker, &status, 0), worker);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_int_equal(poll(&end, 1, END_MOST_MS), 1);
	assert_true(end.revents & POLLHUP);
	close(end.fd);
	unlink(fifo);
	free(fifo);
	free(script);
	assert_nothing_left();
}

/* A worker is killed at the end of its timeout, so the program must end before. */
static void ends_before(int64_t timeout_ms, int64_t least_ms, int64_t most_ms)
{
	const int64_t before_ns = monotonic_ns();
	const int64_t end_ns = case_check_end_ns(timeout_ms * 1000000);

	assert_true(end_ns >= before_ns + least_ms * 1000000);
	assert_true(end_ns <= monotonic_ns() + most_ms * 1000000);
}

static void test_the_end_is_before_the_timeout(void **context)
{
	(void)context;
	ends_before(60000, 50000, 50000);
	ends_before(3600000, 50000, 50000);
	ends_before(6000, 5000, 5000);
	ends_before(1, 0, 1);
}

/* The phase may have used its time before the program starts. */
static void test_no_time_is_left(void **context)
{
	struct error err = {0};

	(void)context;
	assert_int_equal(run_script("sleep 100", -5, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "it ran longer than 0 ns"));
	assert_nothing_left();
}

static int set_up(void **context)
{
	(void)context;
	return !mkdtemp(root) || setenv("TMPDIR", root, 1);
}

static int tear_down(void **context)
{
	(void)context;
	return rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results_are_read),
		cmocka_unit_test(test_the_case_is_named),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_what_it_leaves_is_removed),
		cmocka_unit_test(test_its_folder),
		cmocka_unit_test(test_a_program_that_fails),
		cmocka_unit_test(test_bad_results),
		cmocka_unit_test(test_a_program_that_hangs),
		cmocka_unit_test(test_no_process_is_left),
		cmocka_unit_test(test_the_worker_is_ended),
		cmocka_unit_test(test_the_end_is_before_the_timeout),
		cmocka_unit_test(test_no_time_is_left),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
