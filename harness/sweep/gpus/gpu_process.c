/* One process of a sweep on several GPUs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/client/client.h"
#include "harness/sweep/gpus/gpus.h"

/* Before the text of a notice; a zero ends it. */
#define MARK_WARNING 'w'
#define MARK_REMARK 'r'

/* ---- in the process ---- */

/* A signal handler has no context argument. */
static volatile int *stop_of_all;

static void stop_all(int signal_number)
{
	(void)signal_number;
	*stop_of_all = 1;
}

static void send_bytes(int fd, const char *bytes, size_t length)
{
	while (length) {
		const ssize_t sent = write(fd, bytes, length);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0) /* the parent is gone, and so is who would read it */
			return;
		bytes += sent;
		length -= (size_t)sent;
	}
}

/* What the observer of the process tells the parent with. */
struct gpu_teller {
	int fd;
	struct gpu_slot *slot;
};

static void send_notice(void *context, enum notice_kind kind, const char *line)
{
	char *notice = xasprintf("%c%s", kind == NOTICE_WARNING ? MARK_WARNING : MARK_REMARK, line);

	send_bytes(((const struct gpu_teller *)context)->fd, notice, strlen(notice) + 1);
	free(notice);
}

static void share_progress(void *context, const struct sweep_progress *progress)
{
	struct gpu_slot *slot = ((const struct gpu_teller *)context)->slot;

	/* progress before the run is that of the compiler, or of the ceilings */
	if (!atomic_load(&slot->run_id))
		return;
	if (!atomic_load(&slot->first_total))
		atomic_store(&slot->first_total, (long long)progress->total);
	atomic_store(&slot->total, (long long)progress->total);
	atomic_store(&slot->done, (long long)progress->done);
}

/* The terminal signals the parent alone, which then stops all processes at once. */
static void take_signals(pid_t parent, volatile int *stop)
{
	struct sigaction action = {.sa_handler = stop_all};

	stop_of_all = stop;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		*stop = 1;
}

static void run_process(const struct sweep_request *request, struct gpu_part *part, int device,
			int jobs, int fd)
{
	struct gpu_slot *slot = &part->share->slots[part->slot];
	struct gpu_teller teller = {fd, slot};
	const struct sweep_observer observer = {
		.context = &teller, .notice = send_notice, .progress = share_progress};
	const struct sweep_hooks hooks = gpu_part_hooks(part);
	struct sweep_request own = *request; /* borrows its lists */
	const int64_t begun_ns = monotonic_ns();
	struct sweep_result result = {0};
	struct error err = {0};

	own.settings.device = device;
	own.settings.jobs = jobs;
	own.hooks = &hooks;
	slot->code = sweep_run(&own, &observer, &part->share->stop, &result, &err);
	snprintf(slot->error, sizeof(slot->error), "%s", err.text);
	slot->impossible = result.impossible;
	sweep_result_release(&result);
	slot->wall_ns = monotonic_ns() - begun_ns;
	slot->over = true;
}

/* ---- in the parent ---- */

int gpu_process_start(struct gpu_process *out, const struct sweep_request *request,
		      const struct gpu_part *part, const struct gpu_device *gpu, int jobs,
		      int64_t shared_bytes, struct error *err)
{
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, PL_EIO, "a pipe for the process of a GPU: %s",
				 strerror(errno));
	fflush(NULL); /* what is not written yet must not be written twice */
	*out = (struct gpu_process){.notices = ends[0],
				    .unread = TEXT_INIT,
				    .gpu = gpu,
				    .slot = part->slot,
				    .pid = fork()};
	if (!out->pid) {
		struct gpu_part own = *part;
		char limit[24];

		take_signals(parent, &own.share->stop);
		snprintf(limit, sizeof(limit), "%lld", (long long)shared_bytes);
		setenv("PERFLAB_SHARED_MEMORY", limit, 1);
		data_file_renew();
		run_process(request, &own, gpu->number, jobs, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (out->pid > 0)
		return 0;
	close(ends[0]);
	out->pid = 0;
	out->notices = -1;
	return error_set(err, PL_EIO, "a process for a GPU: %s", strerror(errno));
}

static void reap_process(struct gpu_process *process, struct gpu_slot *slot)
{
	int status = 0;

	close(process->notices);
	process->notices = -1;
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	process->pid = 0;
	text_release(&process->unread);
	if (slot->over)
		return;
	slot->code = PL_EWORKER;
	if (WIFSIGNALED(status))
		snprintf(slot->error, sizeof(slot->error), "its process was killed by signal %d",
			 WTERMSIG(status));
	else
		snprintf(slot->error, sizeof(slot->error), "its process ended with %d",
			 WEXITSTATUS(status));
}

/* Gives whole notices to `notice` and keeps the beginning of the next one. */
static void pass_notices(struct gpu_process *process,
			 void (*notice)(void *context, const struct gpu_process *process,
					enum notice_kind kind, const char *line),
			 void *context)
{
	char *const all = process->unread.data;
	const size_t length = process->unread.length;
	size_t at = 0;

	for (const char *end; (end = memchr(all + at, 0, length - at));
	     at = (size_t)(end - all) + 1)
		notice(context, process, all[at] == MARK_REMARK ? NOTICE_REMARK : NOTICE_WARNING,
		       all + at + 1);
	memmove(all, all + at, length - at + 1);
	process->unread.length = length - at;
}

bool gpu_process_read(struct gpu_process *process, struct gpu_share *share,
		      void (*notice)(void *context, const struct gpu_process *process,
				     enum notice_kind kind, const char *line),
		      void *context)
{
	char bytes[4096];
	const ssize_t count = read(process->notices, bytes, sizeof(bytes));

	if (count > 0) {
		text_add_bytes(&process->unread, bytes, (size_t)count);
		pass_notices(process, notice, context);
		return true;
	}
	if (count < 0 && errno == EINTR)
		return true;
	reap_process(process, &share->slots[process->slot]);
	return false;
}
