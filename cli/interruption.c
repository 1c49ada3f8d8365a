/* Ctrl-C: the one thing that reaches a program outside of any call. */
#include <signal.h>

#include "cli/shared.h"

/* A signal handler has no context, so this is the one variable of the program. */
static volatile int requested;

static void request(int signal_number)
{
	(void)signal_number;
	requested = 1;
}

const volatile int *interruption_catch(void)
{
	struct sigaction action = {.sa_handler = request, .sa_flags = SA_RESETHAND}, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, and means it */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	return &requested;
}
