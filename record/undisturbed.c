/* Keeps the state of a thread. See undisturbed.h. */
#include "record/undisturbed.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static void add_signals_of_files(sigset_t *out)
{
	sigemptyset(out);
	sigaddset(out, SIGPIPE);
	sigaddset(out, SIGXFSZ);
}

void undisturbed_begin(struct undisturbed *out)
{
	sigset_t blocked;

	out->error_number = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &out->cancel_state);
	add_signals_of_files(&blocked);
	sigpending(&out->pending);
	pthread_sigmask(SIG_BLOCK, &blocked, &out->mask);
}

void undisturbed_end(const struct undisturbed *before)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ};
	const struct timespec none = {0};

	/* A signal that was pending before is the program's. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigset_t one;

		sigemptyset(&one);
		sigaddset(&one, signals[i]);
		if (!sigismember(&before->pending, signals[i]))
			sigtimedwait(&one, NULL, &none);
	}
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	pthread_setcancelstate(before->cancel_state, NULL);
	errno = before->error_number;
}
