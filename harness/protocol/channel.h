/*
 * channel: one JSON object a line over a stream socket, for both ends. Waits
 * have a deadline and can be stopped; a peer that is gone is a result, never
 * a signal. Internal to harness/.
 */
#ifndef HARNESS_PROTOCOL_CHANNEL_H
#define HARNESS_PROTOCOL_CHANNEL_H

#include "base/base.h"
#include <jansson.h>

#define CHANNEL_MAX_LINE (16u << 20)

enum channel_result {
	CHANNEL_OK,
	CHANNEL_BAD,     /* a whole line came that is not a JSON object; the next may be */
	CHANNEL_ENDED,   /* the peer closed, between lines */
	CHANNEL_CUT,     /* the peer closed in the middle of a line */
	CHANNEL_BROKEN,  /* a line beyond the limit, or the socket failed: nothing more comes */
	CHANNEL_TIMEOUT, /* the deadline passed */
	CHANNEL_STOPPED, /* *stop became non-zero */
};

struct channel {
	int fd;
	const volatile int *stop; /* NULL: nothing stops a wait */
	char *data;               /* bytes received and not yet used: [start, end) */
	size_t start, end, capacity;
	size_t scanned; /* data[start, scanned) holds no newline */
};

/* Owns fd from now on. */
void channel_init(struct channel *channel, int fd, const volatile int *stop);
void channel_release(struct channel *channel);

/* deadline_ns is of monotonic_ns(); -1: none. *err says what is wrong with any result but OK. */
enum channel_result channel_send(struct channel *channel, const json_t *message,
				 int64_t deadline_ns, struct error *err);
/* Sends a line that is JSON already; appends the newline to *line. */
enum channel_result channel_send_line(struct channel *channel, struct text *line,
				      int64_t deadline_ns, struct error *err);
/* *out is to be json_decref()'d. */
enum channel_result channel_receive(struct channel *channel, json_t **out, int64_t deadline_ns,
				    struct error *err);

#endif
