/* Ctrl-C and the signals that are treated like it. */
#include <signal.h>
#include <stdint.h>

#include "base/base.h"
#include "cli/interruption.h"

/*
 * One request to stop can arrive as several signals: timeout(1) signals the program and then its
 * process group, and a terminal that closes sends SIGHUP as well. A signal this soon after the
 * first is no second request.
 */
#define SAME_REQUEST_NS INT64_C(500000000)

/* A signal handler has no context argument, so these are static. */
static volatile int requested;
static int64_t requested_ns;

/* The signals block one another, so calls of this never nest. */
static void request_stop(int signal_number)
{
	if (!requested) {
		requested_ns = monotonic_ns();
		requested = 1;
	} else if (monotonic_ns() - requested_ns > SAME_REQUEST_NS) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
}

const volatile int *interruption_catch(void)
{
	struct sigaction action = {.sa_handler = request_stop}, before;

	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup ignores SIGHUP: keep it ignored */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	return &requested;
}
