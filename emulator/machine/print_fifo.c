/* The buffer of device printf. See print_fifo.h. */
#include "emulator/machine/print_fifo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A ring of texts, each with a null byte at its end. */
struct print_fifo {
	char ring[PRINT_FIFO_BYTES];
	size_t begin, length;
	uint64_t lost, lost_bytes;
};

/* Removes the oldest text, and appends it to *out unless that is NULL. Returns its length. */
static size_t take_oldest(struct print_fifo *fifo, struct text *out)
{
	size_t length = 0;
	char next;

	while ((next = fifo->ring[(fifo->begin + length) % PRINT_FIFO_BYTES])) {
		if (out)
			text_add_char(out, next);
		length++;
	}
	fifo->begin = (fifo->begin + length + 1) % PRINT_FIFO_BYTES;
	fifo->length -= length + 1;
	return length;
}

void print_fifo_add(struct print_fifo **fifo, const char *text)
{
	const size_t bytes = strlen(text) + 1;
	struct print_fifo *to = *fifo;

	if (!to)
		to = *fifo = xcalloc(1, sizeof(*to));
	while (to->length && to->length + bytes > PRINT_FIFO_BYTES) {
		to->lost_bytes += take_oldest(to, NULL);
		to->lost++;
	}
	if (bytes > PRINT_FIFO_BYTES) {
		to->lost_bytes += bytes - 1;
		to->lost++;
		return;
	}
	for (size_t i = 0; i < bytes; i++)
		to->ring[(to->begin + to->length + i) % PRINT_FIFO_BYTES] = text[i];
	to->length += bytes;
}

void print_fifo_flush(struct print_fifo *fifo, const struct emulated_launch *launch)
{
	struct text text = TEXT_INIT;

	if (!fifo)
		return;
	if (fifo->lost) {
		text_addf(&text,
			  "... the first %" PRIu64 " outputs of printf in this launch (%" PRIu64
			  " bytes) are lost: the last 1 MiB is kept, as on a GPU\n",
			  fifo->lost, fifo->lost_bytes);
		launch->print(launch->print_context, text.data);
	}
	while (fifo->length) {
		text_clear(&text);
		take_oldest(fifo, &text);
		launch->print(launch->print_context, text.data ? text.data : "");
	}
	text_release(&text);
	free(fifo);
}
