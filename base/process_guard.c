/* The process that ends what a program started. See process_guard.h. */
#include "base/process_guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

int guard_start(struct guard *out, const struct limited_program *program, const int streams[3])
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

void guard_ask(const struct guard *guard)
{
	kill(guard->pid, SIGTERM);
	kill(guard->pid, SIGCONT); /* the program may have stopped it */
}

int guard_end(const struct guard *guard, int *status, int64_t *peak_bytes)
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
