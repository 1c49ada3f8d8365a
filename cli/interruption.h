/* Ctrl-C and the other signals that ask the program to stop. */
#ifndef CLI_INTERRUPTION_H
#define CLI_INTERRUPTION_H

/* From now on the first Ctrl-C, SIGTERM or SIGHUP only makes *result non-zero, so that the work in
 * progress can end cleanly. A signal more than half a second later ends the program immediately.
 * (timeout(1) sends two signals.) */
const volatile int *interruption_catch(void);

#endif
