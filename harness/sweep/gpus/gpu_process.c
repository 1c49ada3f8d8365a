/* One process of a sweep on several GPUs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
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

#define PCI_FOLDER "/sys/bus/pci/devices"
#define PCI_FOLDER_VARIABLE "PERFLAB_PCI_FOLDER"
#define LIST_LIMIT 65536
/* The length of a bus id "0000:1b:00.0". A driver may give its domain eight digits. */
#define BUS_ID_LENGTH 12

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

static void limit_shared_memory(int64_t bytes)
{
	char limit[24];

	snprintf(limit, sizeof(limit), "%lld", (long long)bytes);
	setenv("PERFLAB_SHARED_MEMORY", limit, 1);
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

		take_signals(parent, &own.share->stop);
		limit_shared_memory(shared_bytes);
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

/* ---- the processors ---- */

/* The bus id as Linux names it. false: it is none. */
static bool read_bus_id(char out[BUS_ID_LENGTH + 1], const char *text)
{
	static const char form[] = "hhhh:hh:hh.h";
	const size_t length = text ? strlen(text) : 0;

	if (length < BUS_ID_LENGTH)
		return false;
	text += length - BUS_ID_LENGTH;
	for (size_t i = 0; i <= BUS_ID_LENGTH; i++) {
		if (form[i] == 'h' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
		out[i] = (char)tolower((unsigned char)text[i]);
	}
	return true;
}

/* Reads "0-15,32-47" and a line end. false: it is something else. */
static bool read_processors(cpu_set_t *out, const char *list)
{
	CPU_ZERO(out);
	while (isdigit((unsigned char)*list)) {
		char *end;
		const unsigned long first = strtoul(list, &end, 10);
		unsigned long last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last >= CPU_SETSIZE || first > last)
			return false;
		for (unsigned long i = first; i <= last; i++)
			CPU_SET(i, out);
		list = *end == ',' ? end + 1 : end;
	}
	return (*list == '\n' || *list == '\0') && CPU_COUNT(out);
}

/* The processors of the device that this process may use. NULL, or why there are none, malloc'd. */
static char *find_processors(cpu_set_t *out, char **list, const char *bus_id)
{
	const char *folder = getenv(PCI_FOLDER_VARIABLE);
	char linux_id[BUS_ID_LENGTH + 1], *path, *why = NULL;
	struct error cause = {0};
	cpu_set_t allowed;
	size_t length;

	if (!read_bus_id(linux_id, bus_id))
		return xstrdup("its PCI bus id is not known");
	path = xasprintf("%s/%s/local_cpulist", folder && *folder ? folder : PCI_FOLDER, linux_id);
	if (read_file(list, &length, path, LIST_LIMIT, &cause)) {
		why = xstrdup(cause.text);
	} else if (!read_processors(out, *list)) {
		why = xasprintf("%s is no list of processors", path);
	} else if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		why = xasprintf("the processors of this process: %s", strerror(errno));
	} else {
		CPU_AND(out, out, &allowed);
		if (!CPU_COUNT(out))
			why = xasprintf("this process may use none of the processors %s",
					strtok(*list, "\n"));
	}
	free(path);
	return why;
}

/* The threads that a worker has by now; later ones inherit it. */
static void pin_threads(pid_t worker, const cpu_set_t *processors)
{
	char path[64];
	DIR *folder;
	const struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)worker);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			sched_setaffinity((pid_t)atoi(entry->d_name), sizeof(*processors),
					  processors);
	if (folder)
		closedir(folder);
}

void gpu_pin(struct key_value_list *environment, pid_t worker)
{
	cpu_set_t processors;
	char *list = NULL, *why;

	why = find_processors(&processors, &list, key_value_get(environment, "gpu.pci_bus_id"));
	if (!why && sched_setaffinity(0, sizeof(processors), &processors))
		why = xasprintf("the system refuses it: %s", strerror(errno));
	if (why) {
		char *fact = xasprintf("not pinned: %s", why);

		key_value_set(environment, GPUS_PROCESSORS_KEY, fact);
		free(fact);
	} else {
		pin_threads(worker, &processors);
		list[strcspn(list, "\n")] = '\0';
		key_value_set(environment, GPUS_PROCESSORS_KEY, list);
	}
	free(why);
	free(list);
}
