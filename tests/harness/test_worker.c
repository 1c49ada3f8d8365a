/* Finding, starting and asking a worker. */
#include "harness/client/client.h"
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int set_up(void **context)
{
	(void)context;
	set_variable("PERFLAB_WORKER_FAKE", FAKE_WORKER);
	set_variable("FAKE_WORKER_SCRIPT", NULL);
	set_variable("FAKE_WORKER_LOG", NULL);
	return 0;
}

static void test_find(void **context)
{
	struct text path = TEXT_INIT;
	struct error err = {0};
	char *before = strdup(getenv("PATH"));

	(void)context;
	assert_int_equal(worker_find(&path, "fake", &err), 0);
	assert_string_equal(path.data, FAKE_WORKER);

	set_variable("PERFLAB_WORKER_FAKE", "/dev/null");
	assert_int_equal(worker_find(&path, "fake", &err), PL_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "$PERFLAB_WORKER_FAKE names '/dev/null'"));
	assert_int_equal(worker_find(&path, "none", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'none' is no backend: there are cuda and ptx"));
	assert_int_equal(worker_find(&path, "../evil", &err), PL_EUSAGE);
	assert_int_equal(worker_find(&path, "", &err), PL_EUSAGE);

	/* In $PATH, as git finds git-foo. */
	char root[] = "/tmp/perflab-path-XXXXXX";
	char *link_path;

	assert_non_null(mkdtemp(root));
	link_path = xasprintf("%s/perflab-worker-elsewhere", root);
	assert_int_equal(symlink(FAKE_WORKER, link_path), 0);
	set_variable("PATH", root);
	assert_int_equal(worker_find(&path, "elsewhere", &err), 0);
	assert_string_equal(path.data, link_path);
	set_variable("PATH", before);
	unlink(link_path);
	rmdir(root);
	free(link_path);
	free(before);
	text_release(&path);
}

static int start(struct worker_process *worker, const char *script, int64_t timeout_ns,
		 struct error *err)
{
	set_variable("FAKE_WORKER_SCRIPT", script);
	return worker_start(worker, FAKE_WORKER, NULL, NULL, timeout_ns, err);
}

static void test_start_and_end(void **context)
{
	struct worker_process worker = {0};
	struct error err = {0};
	pid_t pid;

	(void)context;
	assert_int_equal(start(&worker, NULL, WORKER_START_TIMEOUT_NS, &err), 0);
	pid = worker.pid;
	assert_int_equal(getpgid(pid), pid);
	worker_end(&worker);
	assert_int_equal(worker.pid, 0);
	assert_int_equal(kill(pid, 0), -1); /* reaped: no such process */
	worker_end(&worker);
	worker_kill(&worker);
}

/* A stopped process does not see SIGTERM. */
static void test_kills_a_stopped_worker(void **context)
{
	struct worker_process worker = {0};
	struct error err = {0};
	pid_t pid;

	(void)context;
	assert_int_equal(start(&worker, NULL, WORKER_START_TIMEOUT_NS, &err), 0);
	pid = worker.pid;
	assert_int_equal(kill(pid, SIGSTOP), 0);
	worker_kill(&worker);
	assert_int_equal(worker.pid, 0);
	assert_int_equal(kill(pid, 0), -1);
}

/* A worker that kept perflab's files open would keep its database locked. */
static void test_inherits_only_the_socket(void **context)
{
	struct worker_process worker = {0};
	struct error err = {0};
	int open_here = open("/dev/zero", O_RDONLY);
	char link_path[64];
	char target[256] = "";

	(void)context;
	assert_true(open_here > 2);
	open_here = dup2(open_here, 40);
	assert_int_equal(start(&worker, NULL, WORKER_START_TIMEOUT_NS, &err), 0);
	snprintf(link_path, sizeof(link_path), "/proc/%d/fd/40", (int)worker.pid);
	assert_int_equal(readlink(link_path, target, sizeof(target) - 1), -1);
	snprintf(link_path, sizeof(link_path), "/proc/%d/fd/0", (int)worker.pid);
	assert_true(readlink(link_path, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "/dev/null");
	worker_kill(&worker);
	close(open_here);
}

static void test_start_fails(void **context)
{
	struct worker_process worker = {0};
	struct error err = {0};

	(void)context;
	assert_int_equal(start(&worker, "start_hang", 100000000, &err), PL_EWORKER);
	assert_non_null(strstr(err.text, "did not answer in time"));
	assert_int_equal(start(&worker, "start_exit", WORKER_START_TIMEOUT_NS, &err), PL_EWORKER);
	assert_non_null(strstr(err.text, "exited with 3"));
	assert_int_equal(start(&worker, "bad_protocol_version", WORKER_START_TIMEOUT_NS, &err),
			 PL_EVERSION);
	assert_int_equal(
		worker_start(&worker, "/dev/null", NULL, NULL, WORKER_START_TIMEOUT_NS, &err),
		PL_EWORKER);
	assert_non_null(strstr(err.text, "it could not be run"));
	assert_int_equal(worker.pid, 0);
}

static void count_check(void *context, const struct worker_check *check)
{
	int *bad = context;

	*bad += !check->ok;
	assert_int_equal(check->ok, !*check->remedy);
}

static void take_device(void *context, int ordinal, const struct device_info *device)
{
	assert_int_equal(ordinal, 0);
	*(struct device_info *)context = *device;
}

static void count_metric(void *context, const struct worker_metric *metric)
{
	assert_non_null(strstr(metric->name, "__"));
	++*(int *)context;
}

static void test_queries(void **context)
{
	struct device_info device = {0};
	struct string_list wanted = {0}, missing = {0};
	struct error err = {0};
	int64_t passes = 0;
	int count = 0;

	(void)context;
	assert_int_equal(worker_doctor("fake", count_check, &count, &err), 0);
	assert_int_equal(count, 0);
	assert_int_equal(worker_devices("fake", take_device, &device, &err), 0);
	assert_string_equal(device.name, "Fake GPU");
	assert_int_equal(worker_metrics("fake", NULL, NULL, count_metric, &count, &err), 0);
	assert_int_equal(count, 2);
	assert_int_equal(worker_metrics("fake", "GH100", "dram", count_metric, &count, &err), 0);
	assert_int_equal(count, 3);
	assert_int_equal(worker_metrics("fake", "XX1", NULL, count_metric, &count, &err),
			 PL_EUSAGE);
	assert_string_equal(err.text, "no chip is called 'XX1': there is GH100");
	string_list_add(&wanted, "a__sum");
	string_list_add(&wanted, "nonsense__sum");
	assert_int_equal(worker_pass_count("fake", NULL, &wanted, &passes, &missing, &err), 0);
	assert_int_equal(passes, 1);
	assert_int_equal(missing.count, 1);
	string_list_release(&wanted);
	string_list_release(&missing);
}

static void test_queries_without_a_device(void **context)
{
	struct device_info device = {0};
	struct error err = {0};
	int bad = 0;

	(void)context;
	set_variable("FAKE_WORKER_SCRIPT", "no_device");
	assert_int_equal(worker_doctor("fake", count_check, &bad, &err), 0);
	assert_int_equal(bad, 1);
	assert_int_equal(worker_devices("fake", take_device, &device, &err), PL_EUNSUPPORTED);
	assert_string_equal(err.text, "there is no fake device: plug one in");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_find, set_up),
		cmocka_unit_test_setup(test_start_and_end, set_up),
		cmocka_unit_test_setup(test_kills_a_stopped_worker, set_up),
		cmocka_unit_test_setup(test_inherits_only_the_socket, set_up),
		cmocka_unit_test_setup(test_start_fails, set_up),
		cmocka_unit_test_setup(test_queries, set_up),
		cmocka_unit_test_setup(test_queries_without_a_device, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
