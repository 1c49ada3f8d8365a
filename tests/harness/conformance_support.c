/* Requests to the worker that is tested, and its replies. */
#include "conformance_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const char *worker_path;

static void answers_read(struct answers *a)
{
	bool done = false;

	json_decref(a->replies);
	a->replies = json_array();
	while (!done) {
		json_t *message = NULL;
		struct error err = {0};
		const char *name = NULL;

		if (channel_receive(&a->worker.channel, &message,
				    monotonic_ns() + ANSWER_TIMEOUT_NS, &err) != CHANNEL_OK)
			fail_msg("no `done` came: %s", err.text);
		assert_int_equal(member_borrow(&name, message, "reply", false, NULL), 0);
		done = !strcmp(name, "done");
		if (done) {
			const char *reason = NULL;
			enum trial_status status;

			assert_int_equal(member_string(a->status, sizeof(a->status), message,
						       "status", NULL),
					 0);
			assert_true(trial_status_parse(&status, a->status));
			assert_int_equal(member_borrow(&reason, message, "reason", true, NULL), 0);
			a->has_reason = reason && *reason;
			/* Every status except ok has a reason. */
			assert_int_equal(status == TRIAL_OK, reason == NULL);
			a->unsupported = json_is_true(json_object_get(message, "unsupported"));
			a->usage = json_is_true(json_object_get(message, "usage"));
		} else {
			json_array_append(a->replies, message);
		}
		json_decref(message);
	}
}

void ask(struct answers *a, const char *line)
{
	size_t length = strlen(line);

	assert_int_equal(send(a->worker.channel.fd, line, length, MSG_NOSIGNAL), (ssize_t)length);
	assert_int_equal(send(a->worker.channel.fd, "\n", 1, MSG_NOSIGNAL), 1);
	answers_read(a);
}

void ask_json(struct answers *a, json_t *request)
{
	assert_int_equal(channel_send(&a->worker.channel, request, -1, NULL), CHANNEL_OK);
	json_decref(request);
	answers_read(a);
}

size_t replies_of(const struct answers *a, const char *name)
{
	size_t count = 0;
	size_t i;
	json_t *reply;

	json_array_foreach(a->replies, i, reply) count +=
		!strcmp(json_string_value(json_object_get(reply, "reply")), name);
	return count;
}

void assert_refused(struct answers *a, const char *line)
{
	ask(a, line);
	if (strcmp(a->status, "failed"))
		fail_msg("%s: %s", line, a->status);
	assert_int_equal(json_array_size(a->replies), 0);
}

void assert_serves(struct answers *a)
{
	ask(a, "{\"request\": \"hello\", \"protocol\": 3}");
	assert_string_equal(a->status, "ok");
	assert_int_equal(replies_of(a, "hello"), 1);
}

static void show_line(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "%s\n", line);
}

static struct worker_output printed = {.line = show_line};

int conformance_set_up(void **context)
{
	struct answers *a = calloc(1, sizeof(*a));
	struct error err = {0};

	if (worker_start(&a->worker, worker_path, &printed, NULL, ANSWER_TIMEOUT_NS, &err))
		fail_msg("%s", err.text);
	*context = a;
	return 0;
}

int conformance_tear_down(void **context)
{
	struct answers *a = *context;

	worker_kill(&a->worker);
	json_decref(a->replies);
	free(a);
	return 0;
}
