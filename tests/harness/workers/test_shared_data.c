/* Shared data: what a worker does with the ranges of a request, good and bad ones. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/protocol/channel.h"
#include "harness/protocol/protocol.h"
#include "harness/workers/case_buffers.h"
#include "harness/workers/case_capture.h"
#include "harness/workers/expected.h"
#include "harness/workers/shared_data.h"
#include "kernels/data_key.h"

#define RANGE (INT64_C(64) << 10)
#define FILE_RANGES 16

/* perflab's end of the socket, and the file that it shares. */
struct bench {
	struct channel channel, perflab;
	struct worker_reply reply;
	struct shared_data *shared;
	json_t *request;
};

static int set_up(void **context)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	int file = memfd_create("shared", MFD_CLOEXEC), ends[2];

	assert_int_equal(ftruncate(file, FILE_RANGES * RANGE), 0);
	if (file != WORKER_DATA_FD) {
		assert_int_equal(dup2(file, WORKER_DATA_FD), WORKER_DATA_FD);
		close(file);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	channel_init(&bench->channel, ends[0], NULL);
	channel_init(&bench->perflab, ends[1], NULL);
	bench->reply.channel = &bench->channel;
	bench->request = json_pack("{s:[]}", "data");
	*context = bench;
	return 0;
}

static int tear_down(void **context)
{
	struct bench *bench = *context;

	shared_data_close(bench->shared);
	channel_release(&bench->channel);
	channel_release(&bench->perflab);
	json_decref(bench->request);
	close(WORKER_DATA_FD);
	free(bench);
	return 0;
}

static void add_range(struct bench *bench, const char *key, int64_t offset, int64_t bytes,
		      bool fill)
{
	struct data_range range = {.offset = offset, .bytes = bytes, .fill = fill};

	hash_of(range.key, key, strlen(key));
	json_array_append_new(json_object_get(bench->request, "data"), range_to_json(&range));
}

static void open_shared(struct bench *bench)
{
	struct error err = {0};

	if (shared_data_open(&bench->shared, bench->request, &bench->reply, &err))
		fail_msg("%s", err.text);
}

/* The next reply is `filled` with this key; NULL: there is none. */
static void expect_filled(struct bench *bench, const char *key)
{
	char hash[HASH_TEXT_BYTES];
	json_t *message = NULL;
	const enum channel_result result = channel_receive(&bench->perflab, &message, 0, NULL);

	assert_int_equal(result, key ? CHANNEL_OK : CHANNEL_TIMEOUT);
	if (!key)
		return;
	hash_of(hash, key, strlen(key));
	assert_string_equal(json_string_value(json_object_get(message, "reply")), "filled");
	assert_string_equal(json_string_value(json_object_get(message, "key")), hash);
	json_decref(message);
}

static int64_t file_bytes(void)
{
	struct stat file;

	assert_int_equal(fstat(WORKER_DATA_FD, &file), 0);
	return file.st_size;
}

/* ---- ranges ---- */

static void test_content_is_found_under_its_key(void **context)
{
	struct bench *bench = *context;
	const char content[] = "sixteen bytes...";
	const void *found;

	assert_int_equal(pwrite(WORKER_DATA_FD, content, 16, 3 * RANGE), 16);
	add_range(bench, "one", 3 * RANGE, 16, false);
	open_shared(bench);
	found = shared_data_find(bench->shared, "one", 16);
	assert_non_null(found);
	assert_memory_equal(found, content, 16);
	assert_ptr_equal(shared_data_find(bench->shared, "one", 16), found);
	/* of another size, or under another key */
	assert_null(shared_data_find(bench->shared, "one", 15));
	assert_null(shared_data_find(bench->shared, "one", 17));
	assert_null(shared_data_find(bench->shared, "two", 16));
	assert_null(shared_data_find(NULL, "one", 16));
	/* what is there cannot be written */
	assert_false(shared_data_is_wanted(bench->shared, "one"));
	assert_null(shared_data_target(bench->shared, "one", 16));
	assert_int_equal(shared_data_give(bench->shared, "one", "other bytes.....", 16), 0);
	assert_int_equal(shared_data_announce(bench->shared, "one"), 0);
	assert_memory_equal(found, content, 16);
	expect_filled(bench, NULL);
}

static void test_wanted_content_is_given_once(void **context)
{
	struct bench *bench = *context;
	char back[16];

	add_range(bench, "one", RANGE, 16, true);
	add_range(bench, "two", 2 * RANGE, 16, true);
	open_shared(bench);
	assert_true(shared_data_is_wanted(bench->shared, "one"));
	assert_null(shared_data_find(bench->shared, "one", 16)); /* nobody has written it */
	assert_int_equal(shared_data_give(bench->shared, "one", "0123456789abcdef", 15), 0);
	expect_filled(bench, NULL);
	assert_int_equal(shared_data_give(bench->shared, "one", "0123456789abcdef", 16), 0);
	expect_filled(bench, "one");
	assert_int_equal(pread(WORKER_DATA_FD, back, 16, RANGE), 16);
	assert_memory_equal(back, "0123456789abcdef", 16);
	assert_int_equal(shared_data_give(bench->shared, "one", "fedcba9876543210", 16), 0);
	expect_filled(bench, NULL);
	assert_memory_equal(shared_data_find(bench->shared, "one", 16), "0123456789abcdef", 16);

	memset(shared_data_target(bench->shared, "two", 16), 'x', 16);
	expect_filled(bench, NULL);
	assert_int_equal(shared_data_announce(bench->shared, "two"), 0);
	expect_filled(bench, "two");
	assert_memory_equal(shared_data_find(bench->shared, "two", 16), "xxxxxxxxxxxxxxxx", 16);
}

/* Reading there would end the process, and writing would make the file larger. */
static void test_ranges_beyond_the_file(void **context)
{
	static const struct {
		int64_t offset, bytes;
	} rows[] = {
		{FILE_RANGES * RANGE, 1},     {(FILE_RANGES - 1) * RANGE, RANGE + 1},
		{0, FILE_RANGES * RANGE + 1}, {INT64_MAX / 2 / RANGE * RANGE, 16},
		{0, INT64_MAX / 2},           {INT64_MAX / 2 / RANGE * RANGE, INT64_MAX / 2},
	};
	struct bench *bench = *context;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char key[] = {(char)('a' + i), '\0'}, fill[] = {(char)('A' + i), '\0'};

		add_range(bench, key, rows[i].offset, rows[i].bytes, false);
		add_range(bench, fill, rows[i].offset, rows[i].bytes, true);
	}
	open_shared(bench);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char key[] = {(char)('a' + i), '\0'}, fill[] = {(char)('A' + i), '\0'};

		assert_null(shared_data_find(bench->shared, key, (size_t)rows[i].bytes));
		assert_null(shared_data_target(bench->shared, fill, (size_t)rows[i].bytes));
		if (rows[i].bytes == 16 || rows[i].bytes == 1)
			assert_int_equal(shared_data_give(bench->shared, fill, "0123456789abcdef",
							  (size_t)rows[i].bytes),
					 0);
	}
	assert_int_equal(file_bytes(), FILE_RANGES * RANGE);
	expect_filled(bench, NULL);
}

static void test_without_a_file(void **context)
{
	struct bench *bench = *context;

	close(WORKER_DATA_FD);
	add_range(bench, "one", 0, 16, false);
	add_range(bench, "two", 0, 16, true);
	open_shared(bench);
	assert_null(shared_data_find(bench->shared, "one", 16));
	assert_null(shared_data_target(bench->shared, "two", 16));
	assert_int_equal(shared_data_give(bench->shared, "two", "0123456789abcdef", 16), 0);
	expect_filled(bench, NULL);
}

static void test_a_request_without_data(void **context)
{
	struct bench *bench = *context;

	json_object_del(bench->request, "data");
	open_shared(bench);
	assert_null(shared_data_find(bench->shared, "one", 16));
	assert_false(shared_data_is_wanted(bench->shared, "one"));
}

static void test_bad_ranges_are_refused(void **context)
{
	struct bench *bench = *context;
	struct shared_data *shared = NULL;

	json_array_append_new(json_object_get(bench->request, "data"), json_pack("{}"));
	assert_int_equal(shared_data_open(&shared, bench->request, &bench->reply, NULL),
			 PL_EPROTOCOL);
	assert_null(shared);
}

/* perflab has closed its end. */
static void test_nobody_listens(void **context)
{
	struct bench *bench = *context;

	add_range(bench, "one", 0, 16, true);
	open_shared(bench);
	channel_release(&bench->perflab);
	assert_int_equal(shared_data_give(bench->shared, "one", "0123456789abcdef", 16), PL_EIO);
}

/* ---- preparing ---- */

#define N 20000
#define SEED 42

static struct case_buffer buffers[] = {
	{.name = "x",
	 .type = ELEMENT_F32,
	 .length = N,
	 .role = BUFFER_IN,
	 .fill = FILL_UNIFORM,
	 .fill_low = -1,
	 .fill_high = 1},
	{.name = "y",
	 .type = ELEMENT_I32,
	 .length = N,
	 .role = BUFFER_INOUT,
	 .fill = FILL_INTEGERS,
	 .fill_low = 0,
	 .fill_high = 100},
	{.name = "s", .type = ELEMENT_F32, .length = 1, .role = BUFFER_OUT},
	{.name = "t", .type = ELEMENT_F32, .length = N, .role = BUFFER_SCRATCH},
};
static struct case_check_item items[] = {{1, "y + i", false}, {2, "sum(x) + y[7]", false}};
static const struct launch_case work = {
	.kernel = "mine",
	.variant = "fast",
	.buffers = buffers,
	.buffer_count = 4,
	.check = {.kind = CHECK_EXPRESSION, .items = items, .item_count = 2},
};

static void make_directly(struct host_buffers *inputs, struct host_buffers *expected, bool mixed)
{
	struct error err = {0};

	for (size_t b = 0; b < work.buffer_count; b++) {
		inputs->data[b] = calloc(1, case_buffer_bytes(&buffers[b]));
		expected->data[b] = calloc(1, case_buffer_bytes(&buffers[b]));
		if (case_buffer_is_input(&buffers[b]))
			assert_int_equal(
				mixed ? case_fill_mixed(inputs->data[b], &buffers[b], SEED, &err)
				      : kernel_fill(inputs->data[b], &buffers[b], SEED, &err),
				0);
	}
	assert_int_equal(case_expected_compute(&work, NULL, inputs, expected, INT64_MAX, &err), 0);
}

static void free_data(struct host_buffers *data)
{
	for (size_t b = 0; b < work.buffer_count; b++)
		free(data->data[b]);
}

/* The key of an input or an expected result, with the first or the other inputs. */
static char *key_of(size_t b, bool expected, bool mixed)
{
	const uint64_t seed = SEED + (mixed ? MIXED_SEED_STEP : 0);

	return expected ? case_expected_key(&work, b, seed) : case_input_key(&buffers[b], seed);
}

static int64_t place_of(size_t b, bool expected, bool mixed)
{
	/* an item takes up to two ranges */
	return 2 * RANGE * (int64_t)(b + expected + 4 * mixed);
}

static void add_item(struct bench *bench, size_t b, bool expected, bool mixed, bool fill)
{
	char *key = key_of(b, expected, mixed);

	add_range(bench, key, place_of(b, expected, mixed), (int64_t)case_buffer_bytes(&buffers[b]),
		  fill);
	free(key);
}

static void assert_content(size_t b, bool expected, bool mixed, const void *content)
{
	const size_t bytes = case_buffer_bytes(&buffers[b]);
	void *back = malloc(bytes);

	assert_int_equal(pread(WORKER_DATA_FD, back, bytes, place_of(b, expected, mixed)), bytes);
	assert_memory_equal(back, content, bytes);
	free(back);
}

static void prepare(struct bench *bench)
{
	struct error err = {0};

	open_shared(bench);
	if (prepare_data(&work, SEED, bench->shared, INT64_MAX, &err))
		fail_msg("%s", err.text);
}

/* Items: x 0, y 1, expected y 2, expected s 3, and the same for the other inputs. */
static void test_prepared_data_are_what_a_worker_makes(void **context)
{
	struct bench *bench = *context;

	for (int mixed = 0; mixed < 2; mixed++) {
		add_item(bench, 0, false, mixed, true);
		add_item(bench, 1, false, mixed, true);
		add_item(bench, 1, true, mixed, true);
		add_item(bench, 2, true, mixed, true);
	}
	prepare(bench);
	for (int mixed = 0; mixed < 2; mixed++) {
		struct host_buffers inputs = {0}, expected = {0};

		make_directly(&inputs, &expected, mixed);
		assert_content(0, false, mixed, inputs.data[0]);
		assert_content(1, false, mixed, inputs.data[1]);
		assert_content(1, true, mixed, expected.data[1]);
		assert_content(2, true, mixed, expected.data[2]);
		free_data(&inputs);
		free_data(&expected);
	}
}

/* One result is wanted. The inputs are there, not wanted, or made for this only. */
static void test_only_what_is_wanted_is_made(void **context)
{
	struct bench *bench = *context;
	struct host_buffers inputs = {0}, expected = {0};
	char *key = key_of(2, true, false);

	make_directly(&inputs, &expected, false);
	assert_int_equal(pwrite(WORKER_DATA_FD, inputs.data[0], case_buffer_bytes(&buffers[0]),
				place_of(0, false, false)),
			 (ssize_t)case_buffer_bytes(&buffers[0]));
	add_item(bench, 0, false, false, false);
	add_item(bench, 2, true, false, true);
	prepare(bench);
	assert_content(2, true, false, expected.data[2]);
	expect_filled(bench, key);
	expect_filled(bench, NULL);
	free(key);
	free_data(&inputs);
	free_data(&expected);
}

/* A check that fails is no fault of the inputs, which are there then. */
static void test_a_check_that_fails(void **context)
{
	struct bench *bench = *context;
	struct host_buffers inputs = {0}, expected = {0};
	struct error err = {0};
	char *key = key_of(0, false, false);

	make_directly(&inputs, &expected, false);
	items[1].text = "x[-1]";
	add_item(bench, 0, false, false, true);
	add_item(bench, 2, true, false, true);
	open_shared(bench);
	assert_int_equal(prepare_data(&work, SEED, bench->shared, INT64_MAX, &err), PL_EUSAGE);
	items[1].text = "sum(x) + y[7]";
	assert_non_null(strstr(err.text, "verify s = x[-1]"));
	assert_content(0, false, false, inputs.data[0]);
	expect_filled(bench, key);
	expect_filled(bench, NULL);
	free(key);
	free_data(&inputs);
	free_data(&expected);
}

#define SHARED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SHARED_TEST(test_content_is_found_under_its_key),
		SHARED_TEST(test_wanted_content_is_given_once),
		SHARED_TEST(test_ranges_beyond_the_file),
		SHARED_TEST(test_without_a_file),
		SHARED_TEST(test_a_request_without_data),
		SHARED_TEST(test_bad_ranges_are_refused),
		SHARED_TEST(test_nobody_listens),
		SHARED_TEST(test_prepared_data_are_what_a_worker_makes),
		SHARED_TEST(test_only_what_is_wanted_is_made),
		SHARED_TEST(test_a_check_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
