/*
 * Runs a program with a time limit and takes what it prints. A guard, a process between this one
 * and the program, ends all that the program started, also in other sessions and groups: the kernel
 * makes it the parent of what lost its own. It does so when the program exits, when it is asked to,
 * and when this process is gone, however it ended.
 */
#include "base/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct guard {
	pid_t pid; /* a zombie once everything has ended, until guard_end() */
	int answer;
};

/* What cannot be killed, such as a program of another user, is given up after this many looks. */
#define MOST_LOOKS 5000
#define LOOK_NS 1000000

struct guard_answer {
	int error, status;
	int64_t peak_bytes;
};

/* The functions below run in the child of a process that may have threads, so they call only what
 * is safe there: no malloc(). */

/* ---- children ---- */

/* Returns the parent of a process by its number in /proc, or 0. */
static pid_t process_parent(const char *number)
{
	char path[300] = "/proc/", text[512]; /* a name has 255 bytes at most */
	const char *end;
	ssize_t got;
	int fd;

	strcat(strcat(path, number), "/stat");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	end = strrchr(text, ')'); /* a name may contain anything; then " S 123": state, parent */
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 3, NULL, 10) : 0;
}

static void children_kill(void)
{
	_Alignas(struct dirent64) char bytes[4096];
	const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t got;

	while (fd >= 0 && (got = getdents64(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const void *)(bytes + at);

			if (isdigit((unsigned char)entry->d_name[0]) &&
			    process_parent(entry->d_name) == getpid())
				kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
			at += entry->d_reclen;
		}
	}
	if (fd >= 0)
		close(fd);
}

void process_children_end(void)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};

	for (int looks = 0; looks < MOST_LOOKS;) {
		const pid_t ended = waitpid(-1, NULL, WNOHANG);

		if (ended < 0 && errno == ECHILD)
			return;
		if (ended)
			continue;
		/* the children of one that ends become children of this process */
		children_kill();
		nanosleep(&nap, NULL);
		looks++;
	}
}

/* ---- the program ---- */

/* None of the signals that perflab and its workers ignore or catch. */
static void signals_default(void)
{
	static const int numbers[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP, SIGPIPE,
				      SIGXFSZ, SIGTTOU, SIGCHLD, SIGUSR1};
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		signal(numbers[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A scheduler may have set lower limits. They stay; only root could raise the hard one. */
static bool memory_is_limited(int64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit))
		return false;
	if (limit.rlim_max > (rlim_t)bytes)
		limit.rlim_max = (rlim_t)bytes;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_AS, &limit);
}

static void program_become(const struct limited_program *program, char *const *variables,
			   int answer)
{
	struct guard_answer failed = {0};

	setpgid(0, 0);
	signals_default();
	if ((!program->folder || !chdir(program->folder)) &&
	    (!program->memory_limit || memory_is_limited(program->memory_limit)))
		execvpe(program->argv[0], program->argv, variables);
	failed.error = errno;
	if (write(answer, &failed, sizeof(failed)) < 0)
		_exit(126);
	_exit(127);
}

/* ---- the guard ---- */

/* Waits until the program exits or its end is asked for, then ends all that is left. */
static void guard_watch(pid_t program, const sigset_t *awaited, int answer)
{
	struct guard_answer told = {0};
	struct rusage usage = {0};
	pid_t ended = 0;
	int number = 0;

	while (ended != program && number != SIGTERM) {
		while ((ended = waitpid(-1, &told.status, WNOHANG)) > 0 && ended != program)
			;
		if (ended != program)
			number = sigwaitinfo(awaited, NULL);
	}
	kill(-program, SIGKILL);
	kill(program, SIGKILL); /* it may not have made its group yet */
	while (ended != program && (ended = waitpid(program, &told.status, 0)) < 0)
		if (errno != EINTR)
			break;
	process_children_end();
	getrusage(RUSAGE_CHILDREN, &usage);
	told.peak_bytes = (int64_t)usage.ru_maxrss * 1024;
	_exit(write(answer, &told, sizeof(told)) == sizeof(told) ? 0 : 1);
}

/* The descriptors go above those that they become, so that none is overwritten. */
static bool streams_take(const int streams[3], int *answer)
{
	int above[4];

	for (int i = 0; i < 4; i++) {
		above[i] = fcntl(i < 3 ? streams[i] : *answer, F_DUPFD_CLOEXEC, 4);
		if (above[i] < 0)
			return false;
	}
	for (int i = 0; i < 3; i++)
		if (dup2(above[i], i) < 0)
			return false;
	*answer = dup3(above[3], 3, O_CLOEXEC);
	if (*answer < 0)
		return false;
	if (close_range(4, ~0U, 0))
		closefrom(4);
	return true;
}

/* All signals are blocked, and stay so in the guard. */
static void guard_become(const struct limited_program *program, char *const *variables,
			 const int streams[3], int answer, pid_t parent)
{
	struct guard_answer failed = {0};
	sigset_t awaited;
	pid_t child;

	setpgid(0, 0);
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, SIGTERM);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (getppid() != parent)
		_exit(1);
	child = streams_take(streams, &answer) ? fork() : -1;
	if (!child)
		program_become(program, variables, answer);
	failed.error = errno;
	if (child > 0)
		guard_watch(child, &awaited, answer);
	_exit(write(answer, &failed, sizeof(failed)) == sizeof(failed) ? 0 : 1);
}

/* ---- the caller ---- */

static bool is_replaced(const char *variable, const struct string_list *by)
{
	for (size_t i = 0; by && i < by->count; i++) {
		const size_t length = strcspn(by->items[i], "=");

		if (!strncmp(by->items[i], variable, length) && variable[length] == '=')
			return true;
	}
	return false;
}

char **environment_with(const struct string_list *variables)
{
	size_t count = 0, used = 0, more = variables ? variables->count : 0;
	char **all;

	while (environ && environ[count])
		count++;
	all = xcalloc(count + more + 1, sizeof(*all));
	for (size_t i = 0; i < more; i++)
		all[used++] = variables->items[i];
	for (size_t i = 0; i < count; i++) {
		if (!is_replaced(environ[i], variables))
			all[used++] = environ[i];
	}
	return all;
}

/* Starts the program with these descriptors as its stdin, stdout and stderr. Returns 0 or the error
 * number of what failed before the program was tried; guard_end() tells of the program. */
static int guard_start(struct guard *out, const struct limited_program *program,
		       const int streams[3])
{
	char **variables = environment_with(program->variables);
	const pid_t parent = getpid();
	sigset_t all, before;
	int ends[2], error = 0;

	if (pipe2(ends, O_CLOEXEC)) {
		free(variables);
		return errno;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	out->pid = fork();
	if (!out->pid)
		guard_become(program, variables, streams, ends[1], parent);
	if (out->pid < 0)
		error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (error)
		close(ends[0]);
	out->answer = ends[0];
	free(variables);
	return error;
}

/* Waits for the guard. Returns 0 with the wait status of the program and the most memory that one
 * of its processes had, or the error number with which it could not be started. */
static int guard_end(const struct guard *guard, int *status, int64_t *peak_bytes)
{
	struct guard_answer told = {0};
	int own = 0;
	ssize_t got;

	while (waitpid(guard->pid, &own, 0) < 0 && errno == EINTR)
		;
	got = read(guard->answer, &told, sizeof(told));
	close(guard->answer);
	/* without an answer the program killed the guard, or was killed with it */
	*status = got == sizeof(told) ? told.status : own;
	*peak_bytes = told.peak_bytes;
	return told.error;
}

/* How often the end of the program and *stop are looked for. */
#define LOOK_MS 5
/* A full pipe is 16 reads. What the program started may go on printing, and must not be read for
 * ever. */
#define READS_AFTER_END 32

/* ---- listening ---- */

/* Reads once, also what is not kept: the program would block on a full pipe. Returns false at the
 * end of the output. */
static bool keep_output(struct text *said, int fd, const struct limited_program *program)
{
	char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes));
	const size_t limit = program->output_limit;
	const size_t room = said->length < limit ? limit - said->length : 0;

	if (got <= 0)
		return got < 0 && (errno == EINTR || errno == EAGAIN);
	for (ssize_t i = 0; i < got; i++) /* output is text: NUL would hide what follows */
		if (!bytes[i])
			bytes[i] = '?';
	text_add_bytes(said, bytes, program->keep_last || (size_t)got < room ? (size_t)got : room);
	/* twice the limit is kept until the oldest output is forgotten, so that few bytes are moved
	 */
	if (program->keep_last && said->length > 2 * limit) {
		memmove(said->data, said->data + said->length - limit, limit + 1);
		said->length = limit;
	}
	return true;
}

/* The program stays a zombie, so that its number is not given to another. */
static bool has_exited(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

/* The program may close its output before it exits, and what it started may hold the output open
 * after. */
static enum program_end listen_to(struct text *said, int fd, pid_t pid,
				  const struct limited_program *program)
{
	struct pollfd output = {.fd = fd, .events = POLLIN};
	int rest = READS_AFTER_END;

	for (;;) {
		bool exited;
		int ready;

		if (program->stop && *program->stop)
			return PROGRAM_STOPPED;
		if (monotonic_ns() >= program->end_ns)
			return PROGRAM_LATE;
		exited = has_exited(pid);
		ready = poll(&output, 1, exited ? 0 : LOOK_MS);
		if (ready > 0 && !keep_output(said, fd, program))
			output.fd = -1; /* poll() only waits from now on */
		if (exited && (ready <= 0 || !rest--))
			return PROGRAM_EXITED;
	}
}

/* Returns 0 or an error number. */
static int start(struct guard *guard, const struct limited_program *program, int output)
{
	const int empty = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int streams[3] = {program->input_fd ? program->input_fd : empty,
				program->output_fd ? program->output_fd : output,
				program->without_messages ? empty : output};
	const int error = empty < 0 ? errno : guard_start(guard, program, streams);

	if (empty >= 0)
		close(empty);
	return error;
}

enum program_end process_limited(struct text *said, int *status,
				 const struct limited_program *program)
{
	struct guard guard;
	enum program_end end;
	int64_t peak_bytes;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC)) {
		*status = errno;
		return PROGRAM_NOT_STARTED;
	}
	*status = start(&guard, program, ends[1]);
	close(ends[1]);
	if (*status) {
		close(ends[0]);
		return PROGRAM_NOT_STARTED;
	}
	end = listen_to(said, ends[0], guard.pid, program);
	close(ends[0]);
	if (end !=
	    PROGRAM_EXITED) { /* asks the guard to end the program with all that it started */
		kill(guard.pid, SIGTERM);
		kill(guard.pid, SIGCONT); /* the program may have stopped it */
	}
	error = guard_end(&guard, status, &peak_bytes);
	if (program->peak_bytes)
		*program->peak_bytes = peak_bytes;
	if (error)
		*status = error;
	return error ? PROGRAM_NOT_STARTED : end;
}
