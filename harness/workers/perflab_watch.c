#include "harness/workers/perflab_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "harness/workers/worker_loop.h"

/* perflab closes the socket as soon as it has the last reply of a request, which is then about to
 * end. */
#define ABOUT_TO_END_MS 500
/* For the end by SIGTERM, in which a program of the user is ended; see check_command.c. */
#define END_MOST_MS 1000

static atomic_bool busy; /* one request at a time is executed in this process */

static void *watch_run(void *context)
{
	struct pollfd end = {.fd = (int)(intptr_t)context, .events = POLLRDHUP};

	while (!(end.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) &&
	       (poll(&end, 1, -1) >= 0 || errno == EINTR))
		;
	for (int ms = 0; ms < ABOUT_TO_END_MS; ms++) {
		if (!atomic_load(&busy))
			return NULL;
		poll(NULL, 0, 1);
	}
	kill(getpid(), SIGTERM);
	poll(NULL, 0, END_MOST_MS);
	kill(getpid(), SIGKILL);
	return NULL;
}

void worker_watch_perflab(int fd)
{
	pthread_t thread;
	sigset_t all, before;

	/* signals are for the thread that executes */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, watch_run, (void *)(intptr_t)fd) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void perflab_watch_busy(bool is_busy)
{
	atomic_store(&busy, is_busy);
}
