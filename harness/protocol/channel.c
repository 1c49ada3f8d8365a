#include "harness/protocol/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The longest time between two checks of *stop. */
#define STOP_POLL_MS 100
#define RECEIVE_BYTES 65536

void channel_init(struct channel *channel, int fd, const volatile int *stop)
{
	*channel = (struct channel){.fd = fd, .stop = stop};
}

void channel_release(struct channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	free(channel->data);
	*channel = (struct channel){.fd = -1};
}

/* Waits until the socket is ready for `events`. A hang-up counts as ready; the following send() or
 * recv() reports it. */
static enum channel_result channel_wait(struct channel *channel, short events, int64_t deadline_ns,
					struct error *err)
{
	for (;;) {
		struct pollfd wait[1 + CHANNEL_SIDES] = {{.fd = channel->fd, .events = events}};
		/* Serving a side may take longer than the deadline allows. The peer is late only if
		 * there is nothing of it to take after that. */
		const bool late = deadline_ns >= 0 && monotonic_ns() >= deadline_ns;
		int64_t left_ms = -1;
		int ready;

		for (size_t i = 0; i < CHANNEL_SIDES; i++)
			wait[1 + i] = (struct pollfd){
				.fd = channel->sides[i] ? channel->sides[i]->fd : -1,
				.events = POLLIN};
		if (channel->stop && *channel->stop) {
			error_set(err, PL_EINTERRUPTED, "interrupted");
			return CHANNEL_STOPPED;
		}
		if (deadline_ns >= 0) {
			int64_t left_ns = deadline_ns - monotonic_ns();

			left_ms = left_ns <= 0 ? 0 : left_ns / 1000000 + 1;
		}
		if (channel->stop && (left_ms < 0 || left_ms > STOP_POLL_MS))
			left_ms = STOP_POLL_MS;
		ready = poll(wait, ARRAY_SIZE(wait), left_ms > 3600000 ? 3600000 : (int)left_ms);
		for (size_t i = 0; ready > 0 && i < CHANNEL_SIDES; i++)
			if (wait[1 + i].revents)
				channel->sides[i]->serve(channel->sides[i]);
		if (ready > 0 && wait[0].revents)
			return CHANNEL_OK;
		if (ready < 0 && errno != EINTR) {
			error_set(err, PL_EIO, "cannot wait for the peer: %s", strerror(errno));
			return CHANNEL_BROKEN;
		}
		if (late) {
			error_set(err, PL_EWORKER, "no answer in time");
			return CHANNEL_TIMEOUT;
		}
	}
}

static enum channel_result channel_send_bytes(struct channel *channel, const char *bytes,
					      size_t length, int64_t deadline_ns, struct error *err)
{
	while (length) {
		ssize_t sent = send(channel->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0) {
			bytes += sent;
			length -= (size_t)sent;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			enum channel_result result =
				channel_wait(channel, POLLOUT, deadline_ns, err);

			if (result != CHANNEL_OK)
				return result;
		} else if (errno == EPIPE || errno == ECONNRESET) {
			error_set(err, PL_EIO, "the peer closed the socket");
			return CHANNEL_ENDED;
		} else if (errno != EINTR) {
			error_set(err, PL_EIO, "cannot send to the peer: %s", strerror(errno));
			return CHANNEL_BROKEN;
		}
	}
	return CHANNEL_OK;
}

enum channel_result channel_send(struct channel *channel, const json_t *message,
				 int64_t deadline_ns, struct error *err)
{
	char *json = json_dumps(message, JSON_COMPACT);
	struct text line = TEXT_INIT;
	enum channel_result result;

	if (!json) {
		error_set(err, PL_EPROTOCOL, "a message cannot be written as JSON");
		return CHANNEL_BROKEN;
	}
	text_add(&line, json);
	free(json);
	result = channel_send_line(channel, &line, deadline_ns, err);
	text_release(&line);
	return result;
}

enum channel_result channel_send_line(struct channel *channel, struct text *line,
				      int64_t deadline_ns, struct error *err)
{
	if (line->length + 1 > CHANNEL_MAX_LINE) {
		error_set(err, PL_EPROTOCOL, "a message of %zu bytes is beyond the limit of %u",
			  line->length, CHANNEL_MAX_LINE);
		return CHANNEL_BROKEN;
	}
	text_add_char(line, '\n');
	return channel_send_bytes(channel, line->data, line->length, deadline_ns, err);
}

/* Makes room for RECEIVE_BYTES more, moving what is unread to the front first. */
static void channel_make_room(struct channel *channel)
{
	if (channel->start) {
		memmove(channel->data, channel->data + channel->start,
			channel->end - channel->start);
		channel->end -= channel->start;
		channel->scanned -= channel->start;
		channel->start = 0;
	}
	channel->data = xgrow(channel->data, &channel->capacity, channel->end + RECEIVE_BYTES, 1);
}

static enum channel_result channel_fill(struct channel *channel, int64_t deadline_ns,
					struct error *err)
{
	ssize_t got;

	if (channel->end - channel->start >= CHANNEL_MAX_LINE) {
		error_set(err, PL_EPROTOCOL, "a line is longer than %u bytes", CHANNEL_MAX_LINE);
		return CHANNEL_BROKEN;
	}
	channel_make_room(channel);
	for (;;) {
		enum channel_result result = channel_wait(channel, POLLIN, deadline_ns, err);

		if (result != CHANNEL_OK)
			return result;
		got = recv(channel->fd, channel->data + channel->end, RECEIVE_BYTES, MSG_DONTWAIT);
		if (got > 0) {
			channel->end += (size_t)got;
			return CHANNEL_OK;
		}
		if (got == 0 || errno == ECONNRESET)
			break;
		if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
			error_set(err, PL_EIO, "cannot receive from the peer: %s", strerror(errno));
			return CHANNEL_BROKEN;
		}
	}
	if (channel->end > channel->start) {
		error_set(err, PL_EPROTOCOL, "the peer closed the socket in the middle of a line");
		return CHANNEL_CUT;
	}
	error_set(err, PL_EIO, "the peer closed the socket");
	return CHANNEL_ENDED;
}

static enum channel_result line_decode(json_t **out, const char *line, size_t length,
				       struct error *err)
{
	json_error_t where;
	json_t *message = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);

	if (!message) {
		error_set(err, PL_EPROTOCOL, "a line is not JSON: %s", where.text);
		return CHANNEL_BAD;
	}
	if (!json_is_object(message)) {
		json_decref(message);
		error_set(err, PL_EPROTOCOL, "a line is JSON but not an object");
		return CHANNEL_BAD;
	}
	*out = message;
	return CHANNEL_OK;
}

enum channel_result channel_receive(struct channel *channel, json_t **out, int64_t deadline_ns,
				    struct error *err)
{
	for (;;) {
		char *newline = NULL;
		const char *line;
		enum channel_result result;

		if (channel->scanned < channel->end)
			newline = memchr(channel->data + channel->scanned, '\n',
					 channel->end - channel->scanned);
		if (newline) {
			line = channel->data + channel->start;
			channel->start = (size_t)(newline - channel->data) + 1;
			channel->scanned = channel->start;
			return line_decode(out, line, (size_t)(newline - line), err);
		}
		channel->scanned = channel->end;
		result = channel_fill(channel, deadline_ns, err);
		if (result != CHANNEL_OK)
			return result;
	}
}
