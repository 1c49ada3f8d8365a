/* What is said of replays with another result, and how near contents are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/workers/case_buffers.h"
#include "harness/workers/case_capture.h"
#include "kernels/element.h"
#include "tests/capture/make_capture.h"

enum { COUNT = 4096 };

/* Two contents of elements of a type, of which every third differs by one in its last place. */
struct contents {
	unsigned char a[8 * COUNT], b[8 * COUNT];
	size_t bytes;
};

static void make_contents(struct contents *out, enum element_type type, double last_place)
{
	struct case_buffer buffer = {.name = "x",
				     .type = type,
				     .length = COUNT,
				     .fill = FILL_NORMAL,
				     .fill_low = 0,
				     .fill_high = 1};

	out->bytes = case_buffer_bytes(&buffer);
	assert_int_equal(kernel_fill(out->a, &buffer, 1, NULL), 0);
	memcpy(out->b, out->a, out->bytes);
	for (int64_t i = 0; i < COUNT; i += 3)
		element_store_nearest(type, out->b, i,
				      element_value(type, out->a, i) * (1 + last_place));
}

static void test_types_are_found(void **state)
{
	static const struct {
		enum element_type type;
		double last_place, least, most;
	} rows[] = {
		{ELEMENT_F32, 0x1p-22, 1e-7, 4e-7},
		{ELEMENT_F64, 0x1p-50, 4e-16, 2e-15},
		{ELEMENT_F16, 0x1p-10, 4e-4, 2e-3},
		{ELEMENT_BF16, 0x1p-7, 3e-3, 2e-2},
	};
	struct contents *contents = xmalloc(sizeof(*contents));

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct content_distance found;

		make_contents(contents, rows[i].type, rows[i].last_place);
		found = content_distance_find(contents->a, contents->b, contents->bytes);
		assert_true(found.known);
		if (found.type != rows[i].type)
			fail_msg("%s, not %s", element_type_name(found.type),
				 element_type_name(rows[i].type));
		if (found.relative < rows[i].least || found.relative > rows[i].most)
			fail_msg("%s: %g", element_type_name(found.type), found.relative);
	}
	free(contents);
}

/* Equal bits never count, whatever they are. */
static void test_no_type_fits(void **state)
{
	const uint32_t nan = 0x7fc00001;
	struct contents *contents = xmalloc(sizeof(*contents));

	(void)state;
	make_contents(contents, ELEMENT_F32, 0x1p-22);
	memcpy(contents->a, &nan, 4);
	memcpy(contents->b, &nan, 4);
	assert_true(content_distance_find(contents->a, contents->b, contents->bytes).known);
	contents->b[0] ^= 2; /* another NaN */
	assert_false(content_distance_find(contents->a, contents->b, contents->bytes).known);
	make_contents(contents, ELEMENT_F32, 0.5);
	assert_false(content_distance_find(contents->a, contents->b, contents->bytes).known);
	free(contents);
}

/* Sums near 0 have no relative difference that says anything. */
static void test_sums_near_zero(void **state)
{
	struct contents *contents = xmalloc(sizeof(*contents));
	const float small[] = {1e-9f, -3e-9f};
	struct content_distance found;

	(void)state;
	make_contents(contents, ELEMENT_F32, 0x1p-22);
	memcpy(contents->a + 400, &small[0], 4);
	memcpy(contents->b + 400, &small[1], 4);
	found = content_distance_find(contents->a, contents->b, contents->bytes);
	assert_true(found.known);
	assert_int_equal(found.type, ELEMENT_F32);
	assert_true(found.relative < 1e-6);
	assert_true(found.absolute > 3.9e-9 && found.absolute < 4.1e-9);
	free(contents);
}

static void expect_remedy(const struct case_buffer *buffer, struct content_distance distance,
			  const char *wanted)
{
	struct replay_remedy remedy = {.relative = 0};
	struct text text = TEXT_INIT;

	text_add(&text, "differ");
	replay_remedy_add(&remedy, buffer, &distance);
	replay_remedy_finish(&remedy, &text);
	assert_string_equal(text.data, wanted);
	text_release(&text);
}

static void test_remedy(void **state)
{
	struct case_buffer buffer = {.name = "m3", .type = ELEMENT_U8};

	(void)state;
	expect_remedy(&buffer, (struct content_distance){true, ELEMENT_F32, 3e-7, 0},
		      "differ; compared as f32, the largest relative difference in 'm3' is 3e-07: "
		      "add --annotate 'compare m3 as f32' --annotate 'tolerance rel = 1e-05'");
	expect_remedy(&buffer, (struct content_distance){true, ELEMENT_F16, 2e-3, 2e-5},
		      "differ; compared as f16, the largest relative difference in 'm3' is 0.002, "
		      "apart from some of at most 2e-05: add --annotate 'compare m3 as f16' "
		      "--annotate 'tolerance rel = 1e-02, abs = 1e-04'");
	buffer.has_compared = true;
	buffer.compared = ELEMENT_F32;
	expect_remedy(&buffer, (struct content_distance){true, ELEMENT_F32, 2e-7, 0},
		      "differ; compared as f32, the largest relative difference in 'm3' is 2e-07: "
		      "add --annotate 'tolerance rel = 1e-06'");
	expect_remedy(&buffer, (struct content_distance){false, ELEMENT_F32, 2e-7, 0}, "differ");
}

/* One line of each kind, although two buffers differ. */
static void test_remedy_of_two_buffers(void **state)
{
	const struct case_buffer buffers[] = {{.name = "m1", .type = ELEMENT_U8},
					      {.name = "m2", .type = ELEMENT_U8}};
	const struct content_distance distances[] = {{true, ELEMENT_F32, 3e-7, 0},
						     {true, ELEMENT_BF16, 8e-3, 0}};
	struct replay_remedy remedy = {.relative = 0};
	struct text text = TEXT_INIT;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		replay_remedy_add(&remedy, &buffers[i], &distances[i]);
	replay_remedy_finish(&remedy, &text);
	assert_non_null(strstr(text.data,
			       ": add --annotate 'compare m1 as f32' --annotate "
			       "'compare m2 as bf16' --annotate 'tolerance rel = 1e-01'"));
	text_release(&text);
}

/* ---- with a capture ---- */

struct replay {
	char folder[32], path[64];
	struct case_buffer buffers[2];
	struct case_launch launch;
	struct case_check_item item;
	struct launch_case work;
	struct case_capture *from;
};

static int set_up_replay(void **state)
{
	static const char *const lost[] = {"parameter 2 is a texture", "a second thing"};
	struct replay *replay = xcalloc(1, sizeof(*replay));
	unsigned char before[16] = {1}, after[16] = {2}, other[8] = {3};
	struct capture_pointer pointer = {8, 1, 4};
	struct capture_memory memory[] = {{.address = 0x1000, .bytes = 16, .before = {&pointer, 1}},
					  {.address = 0x2000, .bytes = 8}};
	struct made_content content[] = {{before, after}, {other, NULL}};
	struct made_capture what = {.info = {.kernel = "k",
					     .memory = memory,
					     .memory_count = 2,
					     .lost = {.items = (char **)lost, .count = 2}},
				    .content = content};
	struct error err = {0};

	memcpy(before + 8, &(uint64_t){0x2004}, 8);
	strcpy(replay->folder, "/tmp/replay-XXXXXX");
	assert_non_null(mkdtemp(replay->folder));
	strcat(strcpy(replay->path, replay->folder), "/a.capture");
	if (make_capture(replay->path, &what, &err))
		fail_msg("%s", err.text);
	for (size_t b = 0; b < 2; b++)
		replay->buffers[b] = (struct case_buffer){.name = {'m', (char)('0' + b)},
							  .type = ELEMENT_U8,
							  .length = b ? 8 : 16,
							  .role = b ? BUFFER_IN : BUFFER_INOUT,
							  .fill = FILL_CAPTURE,
							  .fill_file = replay->path,
							  .fill_index = b};
	replay->launch.entry = "k";
	replay->item = (struct case_check_item){0, replay->path, false};
	replay->work = (struct launch_case){
		.buffers = replay->buffers,
		.buffer_count = 2,
		.launches = &replay->launch,
		.launch_count = 1,
		.check = {.kind = CHECK_FILE, .items = &replay->item, .item_count = 1}};
	if (case_capture_open(&replay->from, &replay->work, &err))
		fail_msg("%s", err.text);
	*state = replay;
	return 0;
}

static int tear_down_replay(void **state)
{
	struct replay *replay = *state;

	case_capture_close(replay->from);
	unlink(replay->path);
	rmdir(replay->folder);
	free(replay);
	return 0;
}

static void test_contents_have_the_addresses_of_the_case(void **state)
{
	struct replay *replay = *state;
	unsigned char data[16];
	struct text key = TEXT_INIT, other = TEXT_INIT;
	uint64_t word;

	assert_int_equal(case_fill(data, &replay->work, 0, replay->from, 1, true, NULL), 0);
	memcpy(&word, data + 8, 8);
	assert_int_equal(data[0], 1);
	assert_true(word == 0x2004); /* nobody said where it is */
	case_capture_add_key(&key, replay->from, 0);
	case_capture_place(replay->from, 1, 0x7000);
	assert_int_equal(case_fill(data, &replay->work, 0, replay->from, 1, false, NULL), 0);
	memcpy(&word, data + 8, 8);
	assert_true(word == 0x7004);
	case_capture_add_key(&other, replay->from, 0);
	assert_string_not_equal(key.data, other.data);
	text_clear(&other);
	case_capture_add_key(&other, replay->from, 1);
	assert_int_equal(other.length, 0);
	text_release(&key);
	text_release(&other);
}

static void test_introduction(void **state)
{
	struct replay *replay = *state;
	struct text text = TEXT_INIT;

	assert_true(case_is_replay(&replay->work));
	text_add(&text, "1 byte differs");
	case_replay_introduce(&text, &replay->work, replay->from);
	case_replay_add_lost(&text, replay->from);
	assert_string_equal(text.data,
			    "the replay gives another result than the program did: 1 byte differs; "
			    "the capture lacks something: parameter 2 is a texture, and 1 more");
	/* a replacement may have the name of the recorded kernel */
	text_clear(&text);
	replay->work.is_replacement = true;
	text_add(&text, "1 byte differs");
	case_replay_introduce(&text, &replay->work, replay->from);
	assert_string_equal(text.data,
			    "the kernel gives another result than the program did: 1 byte differs");
	replay->work.is_replacement = false;
	text_clear(&text);
	replay->launch.entry = "better";
	text_add(&text, "1 byte differs");
	case_replay_introduce(&text, &replay->work, replay->from);
	assert_string_equal(text.data,
			    "the kernel gives another result than the program did: 1 byte differs");
	text_release(&text);
	replay->item.text = "a.npy";
	assert_false(case_is_replay(&replay->work));
}

/* Recorded NaN are right, other NaN are not; so are bytes within the tolerance. */
static void test_comparison(void **state)
{
	struct replay *replay = *state;
	const float nan = NAN;
	float expected[4] = {1, nan, INFINITY, 4}, result[4] = {1, nan, INFINITY, 4};
	struct case_difference difference;

	replay->buffers[0].has_compared = true;
	replay->buffers[0].compared = ELEMENT_F32;
	replay->work.tolerance_rel = 1e-3;
	assert_int_equal(case_compare(&replay->work, 0, result, expected).mismatches, 0);
	result[3] = 4.001f;
	assert_int_equal(case_compare(&replay->work, 0, result, expected).mismatches, 0);
	result[3] = 4.1f;
	difference = case_compare(&replay->work, 0, result, expected);
	assert_int_equal(difference.mismatches, 1);
	assert_int_equal(difference.first, 3);
	replay->item.text = "a.npy";
	assert_int_equal(case_compare(&replay->work, 0, result, expected).mismatches, 2);
	replay->item.text = replay->path;
	replay->buffers[0].has_compared = false;
	difference = case_compare(&replay->work, 0, result, expected);
	assert_int_equal(difference.mismatches, 3);
	assert_int_equal(difference.first, 12);
	/* a tolerance is of numbers, and these bytes are none unless a line says so */
	replay->work.tolerance_abs = 255;
	assert_int_equal(case_compare(&replay->work, 0, result, expected).mismatches, 3);
	replay->buffers[0].has_compared = true;
	replay->buffers[0].compared = ELEMENT_U8;
	assert_int_equal(case_compare(&replay->work, 0, result, expected).mismatches, 0);
}

static void test_refused(void **state)
{
	struct replay *replay = *state;
	struct case_capture *from;
	struct error err = {0};

	replay->buffers[1].fill_index = 2;
	assert_int_equal(case_capture_open(&from, &replay->work, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'m1' is memory 2"));
	replay->buffers[1].fill_index = 0;
	assert_int_equal(case_capture_open(&from, &replay->work, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'m1' has 8 bytes, and memory 0"));
	replay->buffers[1].fill_file = "/nowhere/b.capture";
	assert_int_equal(case_capture_open(&from, &replay->work, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "memory of one capture"));
	replay->buffers[0].fill_file = "/nowhere/b.capture";
	assert_int_equal(case_capture_open(&from, &replay->work, &err), PL_ENOENT);
	assert_null(from);
	replay->buffers[0].fill = replay->buffers[1].fill = FILL_NONE;
	assert_int_equal(case_capture_open(&from, &replay->work, &err), 0);
	assert_null(from);
}

#define REPLAY(test) cmocka_unit_test_setup_teardown(test, set_up_replay, tear_down_replay)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_are_found),
		cmocka_unit_test(test_no_type_fits),
		cmocka_unit_test(test_sums_near_zero),
		cmocka_unit_test(test_remedy),
		cmocka_unit_test(test_remedy_of_two_buffers),
		REPLAY(test_contents_have_the_addresses_of_the_case),
		REPLAY(test_introduction),
		REPLAY(test_comparison),
		REPLAY(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
