/* Starts a worker process and exchanges hellos. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "harness/client/client.h"
#include "harness/protocol/protocol.h"
#include "harness/record/record.h"

/* Whether the variables of `perflab record --env` are set. Another tool, such as a profiler, sets
 * the first of them, too, and stays. */
static bool recorder_is_attached(void)
{
	const char *tool = getenv(RECORD_INJECTION), *folder = getenv(RECORD_FOLDER_VARIABLE);
	const char *slash = tool ? strrchr(tool, '/') : NULL;
	struct text recorder = TEXT_INIT;
	bool attached;

	if (!tool || !folder || !*folder)
		return false;
	attached = strcmp(slash ? slash + 1 : tool, RECORDER_NAME) == 0 ||
		   (recorder_find(&recorder, NULL) == 0 && strcmp(recorder.data, tool) == 0);
	text_release(&recorder);
	return attached;
}

static bool is_variable(const char *entry, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* What else the loader preloads, if the recorder comes first, as record_preload() puts it; else all
 * that it preloads. "": nothing. */
static const char *preload_of_others(void)
{
	const char *all = getenv(RECORD_PRELOAD), *recorder = getenv(RECORD_INJECTION);
	const size_t length = strlen(recorder);

	if (!all)
		return "";
	if (strncmp(all, recorder, length) != 0 || (all[length] && all[length] != ':'))
		return all;
	return all + length + (all[length] == ':');
}

static bool attaches_recorder(const char *entry)
{
	return is_variable(entry, RECORD_INJECTION) || is_variable(entry, RECORD_FOLDER_VARIABLE) ||
	       is_variable(entry, RECORD_PRELOAD);
}

/* Adds them to *out. A NULL follows the items, as execve() needs it. */
static void worker_environment(struct string_list *out)
{
	const bool attached = recorder_is_attached();
	const char *preload = attached ? preload_of_others() : "";

	for (size_t i = 0; environ[i]; i++)
		if (!attached || !attaches_recorder(environ[i]))
			string_list_add(out, environ[i]);
	if (*preload) {
		char *entry = xasprintf(RECORD_PRELOAD "=%s", preload);

		string_list_add(out, entry);
		free(entry);
	}
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count] = NULL;
}

/* A signal before exec would run the handler of perflab in the child, which may write to memory
 * that other processes of perflab share. What is ignored stays so. */
static void child_drop_handlers(void)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct sigaction action;

		if (sigaction(ends[i], NULL, &action) || action.sa_handler == SIG_IGN)
			continue;
		action = (struct sigaction){.sa_handler = SIG_DFL};
		sigaction(ends[i], &action, NULL);
	}
}

/* Runs in the child between fork and exec, so it calls only async-signal-safe functions. Does not
 * return. */
static void child_become(const char *path, char *const *environment, int socket_fd, int output_fd,
			 int data_fd, pid_t parent)
{
	char *const argv[] = {(char *)path, NULL};
	sigset_t none;
	int null_fd;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(WORKER_NOT_STARTED);
	child_drop_handlers();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(output_fd, STDOUT_FILENO) < 0 ||
	    dup2(output_fd, STDERR_FILENO) < 0)
		_exit(WORKER_NOT_STARTED);
	/* above both numbers, so that neither is overwritten */
	socket_fd = fcntl(socket_fd, F_DUPFD_CLOEXEC, WORKER_DATA_FD + 1);
	data_fd = data_fd < 0 ? -1 : fcntl(data_fd, F_DUPFD_CLOEXEC, WORKER_DATA_FD + 1);
	if (socket_fd < 0 || dup2(socket_fd, WORKER_SOCKET_FD) < 0)
		_exit(WORKER_NOT_STARTED);
	if (data_fd < 0)
		close(WORKER_DATA_FD);
	else if (dup2(data_fd, WORKER_DATA_FD) < 0)
		_exit(WORKER_NOT_STARTED);
	if (close_range(WORKER_DATA_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC))
		for (int fd = WORKER_DATA_FD + 1; fd < 1024; fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	execve(path, argv, environment);
	_exit(WORKER_NOT_STARTED);
}

static int hello_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	int64_t version;
	int rc;

	if (strcmp(name, "hello"))
		return error_set(err, PL_EPROTOCOL, "'%.80s' came instead of a hello", name);
	rc = member_int64(&version, message, "protocol", 0, INT64_MAX, err);
	if (!rc)
		*(int64_t *)context = version;
	return rc;
}

static void hello_send(struct worker_process *worker, struct worker_hello *hello,
		       int64_t timeout_ns)
{
	struct text line = TEXT_INIT;

	*hello = (struct worker_hello){
		.exchange = EXCHANGE_INIT(hello_reply, &hello->version, timeout_ns), .version = -1};
	hello->exchange.what = "the hello of the worker";
	text_addf(&line, "{\"request\":\"hello\",\"protocol\":%d}", WORKER_PROTOCOL_VERSION);
	hello->over = exchange_begin(worker, &line, &hello->exchange, &hello->end, &hello->cause);
	text_release(&line);
}

static int hello_settle(struct worker_hello *hello, const char *path, struct error *err)
{
	const char *cause = hello->cause.text;

	if (hello->end == EXCHANGE_STOPPED)
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	if (hello->end == EXCHANGE_LIED)
		return error_set(err, PL_EPROTOCOL, "%s: %s", path, cause);
	if (hello->end != EXCHANGE_DONE)
		return error_set(err, PL_EWORKER, "%s did not start: %s", path, cause);
	if (hello->version < 0)
		return error_set(err, PL_EPROTOCOL, "%s ended the hello without one", path);
	if (hello->version != WORKER_PROTOCOL_VERSION)
		return error_set(
			err, PL_EVERSION,
			"%s speaks protocol %lld, this perflab %d: use perflab and worker of "
			"one installation",
			path, (long long)hello->version, WORKER_PROTOCOL_VERSION);
	if (hello->exchange.status != TRIAL_OK)
		return error_set(err, PL_EWORKER, "%s refused the hello: %s", path,
				 hello->exchange.reason.data);
	return 0;
}

int worker_begin(struct worker_process *worker, struct worker_hello *hello, const char *path,
		 struct worker_output *output, const volatile int *stop, int64_t timeout_ns,
		 struct error *err)
{
	pid_t parent = getpid();
	struct string_list environment = {0};
	const int data_fd = data_file_fd();
	int ends[2], output_fd;
	sigset_t all, before;

	*worker = (struct worker_process){.end_timeout_ns = WORKER_END_TIMEOUT_NS};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set(err, PL_EIO, "a socket for the worker: %s", strerror(errno));
	worker->printed = worker_pipe_new(output, &output_fd);
	if (!worker->printed) {
		close(ends[0]);
		close(ends[1]);
		return error_set(err, PL_EIO, "a pipe for the worker: %s", strerror(errno));
	}
	worker_environment(&environment);
	/* the child unblocks them when it has no handlers of perflab left */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	worker->pid = fork();
	if (!worker->pid)
		child_become(path, environment.items, ends[1], output_fd, data_fd, parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	string_list_release(&environment);
	close(ends[1]);
	close(output_fd);
	if (worker->pid < 0) {
		worker->pid = 0;
		close(ends[0]);
		worker_pipe_free(worker->printed);
		return error_set(err, PL_EIO, "a process for the worker: %s", strerror(errno));
	}
	/* The child does the same. The first call makes the group, so killing the group works. */
	setpgid(worker->pid, worker->pid);
	channel_init(&worker->channel, ends[0], stop);
	worker->channel.sides[0] = worker_pipe_side(worker->printed);
	hello_send(worker, hello, timeout_ns);
	return 0;
}

int worker_begun(struct worker_process *worker, struct worker_hello *hello, const char *path,
		 struct error *err)
{
	int rc;

	if (!hello->over)
		hello->end = exchange_finish(worker, &hello->exchange, &hello->cause);
	rc = hello_settle(hello, path, err);
	if (rc)
		worker_kill(worker);
	exchange_release(&hello->exchange);
	return rc;
}

int worker_start(struct worker_process *out, const char *path, struct worker_output *output,
		 const volatile int *stop, int64_t timeout_ns, struct error *err)
{
	struct worker_process worker;
	struct worker_hello hello;
	int rc = worker_begin(&worker, &hello, path, output, stop, timeout_ns, err);

	if (!rc)
		rc = worker_begun(&worker, &hello, path, err);
	if (!rc)
		*out = worker;
	return rc;
}
