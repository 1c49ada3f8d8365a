/* Verifies a case by a program of the user. See check_command.h. */
#include "harness/workers/check_command.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/workers/case_buffers.h"
#include "kernels/npy.h"

/* How much of the program's output is kept for a message. */
#define OUTPUT_KEPT 4096
/* How often the end of the program is looked for. */
#define POLL_MS 5
/* A pipe holds 16 of them. A process that goes on printing must not be read for ever. */
#define READS_AFTER_END 32

struct check_folders {
	char *root, *inputs, *results;
};

/* ---- the folders ---- */

static int folders_make(struct check_folders *out, struct error *err)
{
	const char *base = getenv("TMPDIR");

	out->root = xasprintf("%s/perflab-check-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(out->root)) {
		int rc = error_set(err, PL_EIO, "cannot make a folder %s: %s", out->root,
				   strerror(errno));

		free(out->root);
		out->root = NULL;
		return rc;
	}
	out->inputs = xasprintf("%s/inputs", out->root);
	out->results = xasprintf("%s/results", out->root);
	if (mkdir(out->inputs, 0700) || mkdir(out->results, 0700))
		return error_set(err, PL_EIO, "cannot make a folder in %s: %s", out->root,
				 strerror(errno));
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

/* The program may have made folders in them. Links are removed, not followed. */
static void folders_remove(struct check_folders *folders)
{
	if (folders->root)
		nftw(folders->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(folders->inputs);
	free(folders->results);
	free(folders->root);
}

static int write_inputs(const struct check_folders *folders, const struct launch_case *work,
			const struct host_buffers *inputs, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		char *path;

		if (!case_buffer_is_input(buffer))
			continue;
		path = xasprintf("%s/%s.npy", folders->inputs, buffer->name);
		rc = npy_write(path, buffer->type, inputs->data[b], buffer->length, err);
		free(path);
	}
	return rc;
}

static int read_results(const struct check_folders *folders, const struct launch_case *work,
			struct host_buffers *expected, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		char *path;

		if (!case_buffer_is_result(buffer))
			continue;
		path = xasprintf("%s/%s.npy", folders->results, buffer->name);
		rc = npy_load(expected->data[b], buffer->type, buffer->length, path, err);
		if (rc == PL_ENOENT)
			rc = error_set(err, PL_EUSAGE,
				       "it wrote no %s.npy into the folder $PERFLAB_RESULTS",
				       buffer->name);
		free(path);
	}
	return rc;
}

/* ---- the program ---- */

static void set_environment(const struct check_folders *folders, const struct launch_case *work)
{
	struct text config = TEXT_INIT;

	setenv("PERFLAB_INPUTS", folders->inputs, 1);
	setenv("PERFLAB_RESULTS", folders->results, 1);
	setenv("PERFLAB_KERNEL", work->kernel, 1);
	setenv("PERFLAB_VARIANT", work->variant, 1);
	axes_text(&config, work->axes, work->axis_count);
	setenv("PERFLAB_CONFIG", config.data ? config.data : "", 1);
	text_release(&config);
	for (size_t i = 0; i < work->axis_count; i++) {
		char *name = xasprintf("PERFLAB_AXIS_%s", work->axes[i].name);
		char *value = xasprintf("%" PRId64, work->axes[i].value);

		setenv(name, value, 1);
		free(name);
		free(value);
	}
}

/* In the child: a process group of its own, so that all that it starts can be ended. */
static void start_program(const struct check_folders *folders, const struct launch_case *work,
			  int output)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(126);
	/* the socket to perflab and the files of the driver are not for the program */
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	set_environment(folders, work);
	if (work->check.folder && chdir(work->check.folder)) {
		fprintf(stderr, "cannot enter the folder %s: %s\n", work->check.folder,
			strerror(errno));
		_exit(126);
	}
	execl("/bin/sh", "sh", "-c", work->check.command, (char *)NULL);
	_exit(127);
}

/* Keeps the last bytes that the program printed. Returns false at the end of its output. */
static bool keep_output(struct text *kept, int fd)
{
	char bytes[OUTPUT_KEPT];
	ssize_t count = read(fd, bytes, sizeof(bytes));

	if (count <= 0)
		return count < 0 && (errno == EINTR || errno == EAGAIN);
	text_add_bytes(kept, bytes, (size_t)count);
	if (kept->length > 2 * OUTPUT_KEPT) {
		struct text last = TEXT_INIT;

		text_add_bytes(&last, kept->data + kept->length - OUTPUT_KEPT, OUTPUT_KEPT);
		text_release(kept);
		*kept = last;
	}
	return true;
}

/* Whether the program has ended. It stays a zombie, so that its number is not given away. */
static bool has_ended(pid_t child)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == child;
}

/*
 * Reads what the program prints until it ends or time is up. It may close its
 * output before, and what it started may hold the output open after. Returns
 * whether it ended in time.
 */
static bool read_until_end(struct text *kept, int fd, pid_t child, int64_t end_ns)
{
	struct pollfd output = {.fd = fd, .events = POLLIN};
	int rest = READS_AFTER_END;

	while (monotonic_ns() < end_ns) {
		const bool ended = has_ended(child);
		const int ready = poll(&output, 1, ended ? 0 : POLL_MS);

		if (ready > 0 && !keep_output(kept, fd))
			output.fd = -1; /* poll() only waits from now on */
		if (ended && (ready <= 0 || !rest--))
			return true;
	}
	return false;
}

/* Ends the program, and what it started, which could otherwise use the machine during the sweep. */
static int end_program(pid_t child)
{
	int status = 0;

	kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* The last line that is not empty. */
static const char *last_line(struct text *kept)
{
	char *line;

	while (kept->length && strchr(" \n\r\t", kept->data[kept->length - 1]))
		kept->data[--kept->length] = '\0';
	line = kept->length ? strrchr(kept->data, '\n') : NULL;
	return line ? line + 1 : kept->length ? kept->data : "it printed nothing";
}

static int refuse_late(int64_t allowed_ns, struct error *err)
{
	char allowed[32];

	format_duration(allowed, allowed_ns > 0 ? (double)allowed_ns : 0);
	return error_set(err, PL_EUSAGE,
			 "it ran longer than %s: a program and what its phase did before have 5/6 "
			 "of --timeout, 50 s at most",
			 allowed);
}

static int run_program(const struct check_folders *folders, const struct launch_case *work,
		       int64_t end_ns, struct error *err)
{
	const int64_t begin_ns = monotonic_ns();
	struct text kept = TEXT_INIT;
	int ends[2], status, rc = 0;
	bool in_time;
	pid_t child;

	if (pipe(ends))
		return error_set(err, PL_EIO, "cannot make a pipe: %s", strerror(errno));
	child = fork();
	if (child == 0)
		start_program(folders, work, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return error_set(err, PL_EIO, "cannot start a process: %s", strerror(errno));
	}
	/* Here, too: the child may not have come to it when it is ended. */
	setpgid(child, child);
	in_time = read_until_end(&kept, ends[0], child, end_ns);
	close(ends[0]);
	status = end_program(child);
	if (!in_time)
		rc = refuse_late(end_ns - begin_ns, err);
	else if (WIFSIGNALED(status))
		rc = error_set(err, PL_EUSAGE, "signal %d ended it: %s", WTERMSIG(status),
			       last_line(&kept));
	else if (WEXITSTATUS(status))
		rc = error_set(err, PL_EUSAGE, "it ended with %d: %s", WEXITSTATUS(status),
			       last_line(&kept));
	text_release(&kept);
	return rc;
}

int check_command_run(const struct launch_case *work, const struct host_buffers *inputs,
		      struct host_buffers *expected, int64_t end_ns, struct error *err)
{
	struct check_folders folders = {0};
	int rc = folders_make(&folders, err);

	if (rc == 0)
		rc = write_inputs(&folders, work, inputs, err);
	if (rc == 0)
		rc = run_program(&folders, work, end_ns, err);
	if (rc == 0)
		rc = read_results(&folders, work, expected, err);
	folders_remove(&folders);
	return error_context(err, rc, "verify by %s", work->check.command);
}
