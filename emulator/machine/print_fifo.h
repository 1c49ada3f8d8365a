/*
 * print_fifo: what printf of device code writes in one launch. As on a GPU, it is kept until the
 * launch ends, and new text takes the place of the oldest when there is too much of it. A GPU has
 * 1 MiB for the arguments of the calls; here it is 1 MiB of text. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_PRINT_FIFO_H
#define EMULATOR_MACHINE_PRINT_FIFO_H

#include "emulator/machine/machine.h"

#define PRINT_FIFO_BYTES ((size_t)1 << 20)

struct print_fifo; /* NULL: nothing was printed */
/* Adds what one call prints. *fifo is NULL at first. */
void print_fifo_add(struct print_fifo **fifo, const char *text);
/* Passes the texts to launch->print, oldest first, after a line that says how many are lost. Frees
 * the fifo. */
void print_fifo_flush(struct print_fifo *fifo, const struct emulated_launch *launch);

#endif
