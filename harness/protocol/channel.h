/*
 * channel: sends and receives JSON objects, one per line, over a stream socket.
 * perflab and the workers use the same code. Every wait has a deadline and can
 * be stopped. When the peer has closed the socket, the functions return a
 * result; the process never receives SIGPIPE. messages.h has the structs and
 * protocol.h their JSON.
 */
#ifndef HARNESS_PROTOCOL_CHANNEL_H
#define HARNESS_PROTOCOL_CHANNEL_H

#include "base/base.h"
#include <jansson.h>

/* The maximum length of a line in bytes. */
#define CHANNEL_MAX_LINE (16u << 20)

enum channel_result {
	CHANNEL_OK,
	CHANNEL_BAD,     /* a complete line is not a JSON object; the next line may be one */
	CHANNEL_ENDED,   /* the peer closed the socket between lines */
	CHANNEL_CUT,     /* the peer closed the socket in the middle of a line */
	CHANNEL_BROKEN,  /* a line is too long or the socket failed: the channel is unusable */
	CHANNEL_TIMEOUT, /* the deadline passed */
	CHANNEL_STOPPED, /* *stop became non-zero */
};

#define CHANNEL_SIDES 2
/* Another descriptor that is served while a channel waits. */
struct channel_side {
	int fd; /* -1: none any more */
	/* Called when there is something to read. */
	void (*serve)(struct channel_side *side);
};

struct channel {
	int fd;
	struct channel_side *sides[CHANNEL_SIDES]; /* NULL: none. Borrowed */
	const volatile int *stop;                  /* NULL: a wait ends only at its deadline */
	char *data; /* received bytes; [start, end) are not used yet */
	size_t start, end, capacity;
	size_t scanned; /* data[start, scanned) holds no newline */
};

/* Takes ownership of fd. channel_release() closes it. */
void channel_init(struct channel *channel, int fd, const volatile int *stop);
void channel_release(struct channel *channel);

/* deadline_ns is a time of monotonic_ns(); -1 means no deadline. *err has the reason of every
 * result except CHANNEL_OK. */
enum channel_result channel_send(struct channel *channel, const json_t *message,
				 int64_t deadline_ns, struct error *err);
/* Sends a line that is JSON already; appends the newline to *line. */
enum channel_result channel_send_line(struct channel *channel, struct text *line,
				      int64_t deadline_ns, struct error *err);
/* The caller calls json_decref() on *out. */
enum channel_result channel_receive(struct channel *channel, json_t **out, int64_t deadline_ns,
				    struct error *err);

#endif
