/* Ctrl-C: the one thing that reaches a program outside of any call. */
#include <signal.h>
#include <stdint.h>

#include "cli/shared.h"

/*
 * One wish to stop can arrive as several signals: timeout(1) signals the program and then its
 * whole process group, a terminal that goes away sends SIGHUP beside what it was closed with. What
 * comes this soon after the first is no second wish.
 */
#define SAME_WISH_NS INT64_C(500000000)

/* A signal handler has no context, so these are the variables of the program. */
static volatile int requested;
static int64_t requested_ns;

/* Each of the signals blocks the others, so that no call of this is inside another. */
static void request(int signal_number)
{
	if (!requested) {
		requested_ns = monotonic_ns();
		requested = 1;
	} else if (monotonic_ns() - requested_ns > SAME_WISH_NS) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
}

const volatile int *interruption_catch(void)
{
	struct sigaction action = {.sa_handler = request}, before;

	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, and means it */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	return &requested;
}
