/* Lines over a socket: partial lines, lines that are too long, closed sockets, and deadlines. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/protocol/channel.h"

struct pair {
	struct channel channel;
	int peer;
	volatile int stop;
};

static int set_up(void **context)
{
	struct pair *pair = calloc(1, sizeof(*pair));
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	channel_init(&pair->channel, ends[0], &pair->stop);
	pair->peer = ends[1];
	*context = pair;
	return 0;
}

static int tear_down(void **context)
{
	struct pair *pair = *context;

	channel_release(&pair->channel);
	if (pair->peer >= 0)
		close(pair->peer);
	free(pair);
	return 0;
}

static void say(struct pair *pair, const char *bytes)
{
	assert_int_equal(send(pair->peer, bytes, strlen(bytes), MSG_NOSIGNAL),
			 (ssize_t)strlen(bytes));
}

static void leave(struct pair *pair)
{
	close(pair->peer);
	pair->peer = -1;
}

static int64_t soon(void)
{
	return monotonic_ns() + 20000000;
}

static int64_t received(struct pair *pair)
{
	json_t *json = NULL;
	int64_t value;

	assert_int_equal(channel_receive(&pair->channel, &json, -1, NULL), CHANNEL_OK);
	value = json_integer_value(json_object_get(json, "n"));
	json_decref(json);
	return value;
}

/* ---- a side that takes its time ---- */

struct slow_side {
	struct channel_side side; /* first: see serve_slowly() */
	struct pair *pair;
	int64_t deadline_ns;
	int ends[2];
};

/* The peer answers at once, but perflab serves something else until the deadline has passed. */
static void serve_slowly(struct channel_side *side)
{
	struct slow_side *slow = (struct slow_side *)side;
	char byte;

	assert_int_equal(read(slow->ends[0], &byte, 1), 1);
	say(slow->pair, "{\"n\": 4}\n");
	while (monotonic_ns() <= slow->deadline_ns)
		;
}

static void test_an_answer_in_time_is_taken_late(void **context)
{
	struct pair *pair = *context;
	struct slow_side slow = {.side = {.serve = serve_slowly}, .pair = pair};
	json_t *json = NULL;

	assert_int_equal(pipe(slow.ends), 0);
	slow.side.fd = slow.ends[0];
	slow.deadline_ns = soon();
	pair->channel.sides[0] = &slow.side;
	assert_int_equal(write(slow.ends[1], "x", 1), 1);
	assert_int_equal(channel_receive(&pair->channel, &json, slow.deadline_ns, NULL),
			 CHANNEL_OK);
	assert_int_equal(json_integer_value(json_object_get(json, "n")), 4);
	json_decref(json);
	json = NULL;
	assert_int_equal(channel_receive(&pair->channel, &json, slow.deadline_ns, NULL),
			 CHANNEL_TIMEOUT);
	close(slow.ends[0]);
	close(slow.ends[1]);
}

static void test_lines_come_in_any_pieces(void **context)
{
	struct pair *pair = *context;
	json_t *json = NULL;

	say(pair, "{\"n\": 1}\n{\"n\": 2}\n{\"n\"");
	assert_int_equal(received(pair), 1);
	assert_int_equal(received(pair), 2);
	assert_int_equal(channel_receive(&pair->channel, &json, soon(), NULL), CHANNEL_TIMEOUT);
	say(pair, ": 3}");
	assert_int_equal(channel_receive(&pair->channel, &json, soon(), NULL), CHANNEL_TIMEOUT);
	say(pair, "\n");
	assert_int_equal(received(pair), 3);
}

static void test_ends(void **context)
{
	struct pair *pair = *context;
	json_t *json = NULL;

	say(pair, "{\"n\": 1}\n");
	leave(pair);
	assert_int_equal(received(pair), 1);
	assert_int_equal(channel_receive(&pair->channel, &json, -1, NULL), CHANNEL_ENDED);
}

static void test_cut(void **context)
{
	struct pair *pair = *context;
	json_t *json = NULL;

	say(pair, "{\"n\": 1}\n{\"n\":");
	leave(pair);
	assert_int_equal(received(pair), 1);
	assert_int_equal(channel_receive(&pair->channel, &json, -1, NULL), CHANNEL_CUT);
}

static void test_bad_lines_are_survived(void **context)
{
	static const char *const bad[] = {
		"\n",
		"x\n",
		"[1]\n",
		"1\n",
		"{\"a\": 1, \"a\": 2}\n",
		"{\"a\": 1e999}\n",
		"{\"a\": \"\xff\"}\n",
		"{\"a\": \"\\u0000\"}\n",
		"{} {}\n",
		"{\"a\": 99999999999999999999}\n",
	};
	struct pair *pair = *context;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json_t *json = NULL;
		struct error err = {0};

		say(pair, bad[i]);
		assert_int_equal(channel_receive(&pair->channel, &json, -1, &err), CHANNEL_BAD);
		assert_null(json);
		assert_int_equal(err.code, PL_EPROTOCOL);
	}
	say(pair, "{\"n\": 4}\n");
	assert_int_equal(received(pair), 4);
}

static void test_stop(void **context)
{
	struct pair *pair = *context;
	json_t *json = NULL;

	pair->stop = 1;
	assert_int_equal(channel_receive(&pair->channel, &json, -1, NULL), CHANNEL_STOPPED);
}

static void test_send(void **context)
{
	struct pair *pair = *context;
	json_t *json = json_pack("{s:s, s:I}", "text", "two\nlines", "n",
				 (json_int_t)INT64_C(9007199254740993));
	char line[128] = "";

	assert_int_equal(channel_send(&pair->channel, json, -1, NULL), CHANNEL_OK);
	assert_true(recv(pair->peer, line, sizeof(line) - 1, 0) > 0);
	assert_string_equal(line, "{\"text\":\"two\\nlines\",\"n\":9007199254740993}\n");
	leave(pair);
	assert_int_equal(channel_send(&pair->channel, json, -1, NULL), CHANNEL_ENDED);
	json_decref(json);
}

static void test_send_to_one_who_does_not_read(void **context)
{
	struct pair *pair = *context;
	char *megabytes = malloc((8u << 20) + 1);
	json_t *json;

	memset(megabytes, 'x', 8u << 20);
	megabytes[8u << 20] = '\0';
	json = json_pack("{s:s}", "text", megabytes);
	assert_int_equal(channel_send(&pair->channel, json, soon(), NULL), CHANNEL_TIMEOUT);
	json_decref(json);
	free(megabytes);
}

static void test_too_long_to_send(void **context)
{
	struct pair *pair = *context;
	char *megabytes = malloc(CHANNEL_MAX_LINE + 1);
	struct error err = {0};
	json_t *json;

	memset(megabytes, 'x', CHANNEL_MAX_LINE);
	megabytes[CHANNEL_MAX_LINE] = '\0';
	json = json_pack("{s:s}", "text", megabytes);
	assert_int_equal(channel_send(&pair->channel, json, -1, &err), CHANNEL_BROKEN);
	assert_int_equal(err.code, PL_EPROTOCOL);
	json_decref(json);
	free(megabytes);
}

#define CHANNEL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		CHANNEL_TEST(test_lines_come_in_any_pieces),
		CHANNEL_TEST(test_an_answer_in_time_is_taken_late),
		CHANNEL_TEST(test_ends),
		CHANNEL_TEST(test_cut),
		CHANNEL_TEST(test_bad_lines_are_survived),
		CHANNEL_TEST(test_stop),
		CHANNEL_TEST(test_send),
		CHANNEL_TEST(test_send_to_one_who_does_not_read),
		CHANNEL_TEST(test_too_long_to_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
