/*
 * Replays of captures on the driver of host memory, which can map memory at old
 * addresses, too. The kernel is a function of this test.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/workers/case_capture.h"
#include "harness/workers/cuda/operation.h"
#include "harness/workers/tolerance.h"
#include "tests/capture/make_capture.h"

/*
 * The recorded launch adds `added` to `sum` element by element, and stores the
 * address of the list behind its last element, as the list of lists has both. All of
 * it lies in one granule but `far`, which nothing reads, and a variable of the
 * image, which it changes.
 */
enum { LISTS, SUM, ADDED, MANAGED, ON_HOST, FAR, VARIABLE, MEMORIES };
enum { N = 60, BYTES = 512 };
#define ADDRESS UINT64_C(0x5e2a00000000)

struct replay_bench {
	struct bench *bench;
	char path[64];
	struct launch_case work;
	struct case_buffer buffers[MEMORIES];
	struct case_launch launch;
	struct case_arg args[2];
	struct case_check_item items[2];
	unsigned char variable[BYTES];
	/* What the kernel saw, and what it does wrong. */
	uint64_t lists_at, variable_at;
	int variable_held;      /* a byte, before the kernel changed it */
	double error;           /* relative, added to each element */
	int executions;         /* of the kernel */
	bool differs;           /* the error grows from execution to execution */
	int64_t writes_outside; /* bytes after the end of `sum` that it writes */
};

static const uint64_t offsets[MEMORIES] = {[LISTS] = 0x1000,
					   [SUM] = 0x4000,
					   [ADDED] = 0x4300,
					   [MANAGED] = 0,
					   [ON_HOST] = 0x800,
					   [FAR] = UINT64_C(64) << 20,
					   [VARIABLE] = UINT64_C(128) << 20};

static void fill_floats(unsigned char *out, float first, float step)
{
	for (int i = 0; i < N; i++)
		memcpy(out + 4 * i, &(float){first + step * (float)i}, sizeof(float));
}

static void put_address(unsigned char *out, uint64_t address)
{
	memcpy(out, &address, sizeof(address));
}

/* NaN, infinity and other bytes that are no result lie beside the elements. */
static void write_capture(const char *path)
{
	static unsigned char contents[MEMORIES][BYTES], after[BYTES];
	struct made_content content[MEMORIES];
	struct capture_memory memory[MEMORIES];
	struct capture_pointer in_lists[] = {
		{0, SUM, 16}, {8, ADDED, 0}, {16, MANAGED, 8}, {24, ON_HOST, 4}, {32, VARIABLE, 8}};
	struct capture_pointer in_sum[] = {{BYTES - 8, ADDED, 128}};
	struct made_capture what = {
		.info = {.kernel = "add_lists", .memory = memory, .memory_count = MEMORIES},
		.content = content};
	struct error err = {0};

	memset(contents, 0xff, sizeof(contents));
	for (size_t m = 0; m < MEMORIES; m++) {
		memory[m] =
			(struct capture_memory){.address = ADDRESS + offsets[m], .bytes = BYTES};
		content[m] = (struct made_content){contents[m], NULL};
	}
	memory[MANAGED].kind = CAPTURE_MANAGED;
	memory[ON_HOST].kind = CAPTURE_HOST;
	memory[VARIABLE].kind = CAPTURE_VARIABLE;
	memory[VARIABLE].variable = (char *)"counter";
	memory[LISTS].before.items = in_lists;
	memory[LISTS].before.count = ARRAY_SIZE(in_lists);
	memory[SUM].after.items = in_sum;
	memory[SUM].after.count = ARRAY_SIZE(in_sum);
	for (size_t i = 0; i < ARRAY_SIZE(in_lists); i++)
		put_address(contents[LISTS] + in_lists[i].offset,
			    memory[in_lists[i].memory].address + in_lists[i].addend);
	fill_floats(contents[SUM] + 16, 1, 0.25f);
	fill_floats(contents[ADDED], 2, 0.5f);
	memcpy(after, contents[SUM], BYTES);
	fill_floats(after + 16, 3, 0.75f);
	put_address(after + BYTES - 8, memory[ADDED].address + 128);
	content[SUM].after = after;
	if (make_capture(path, &what, &err))
		fail_msg("%s", err.text);
}

/* As support.cu does. */
static void compare_elements(void **arguments, bool is_float)
{
	const size_t size = is_float ? sizeof(float) : 1;
	const unsigned char *result = *(const unsigned char **)arguments[0];
	const unsigned char *expected = *(const unsigned char **)arguments[1];
	unsigned long long *out = *(unsigned long long **)arguments[6];

	for (uint64_t i = 0; i < *(const uint64_t *)arguments[2]; i++) {
		const bool same = !memcmp(result + i * size, expected + i * size, size);
		float got = 0, wanted = 1;

		if (is_float) {
			memcpy(&got, result + i * size, size);
			memcpy(&wanted, expected + i * size, size);
		}
		if (is_float ? is_right((double)got, (double)wanted, *(double *)arguments[3],
					*(double *)arguments[4], same && *(int *)arguments[5])
			     : same)
			continue;
		out[0]++;
		out[1] = i < out[1] ? i : out[1];
	}
}

static void add_lists(struct replay_bench *replay, float **lists, uint64_t variable)
{
	unsigned char *sum = (unsigned char *)lists[0] - 16;
	double error = replay->error;

	replay->lists_at = (uint64_t)(uintptr_t)lists;
	replay->variable_at = variable;
	replay->variable_held = replay->variable[4];
	replay->variable[4] = 7;
	replay->executions++;
	if (replay->differs)
		error *= replay->executions;
	for (int i = 0; i < N; i++)
		lists[0][i] = (float)((double)(lists[0][i] + lists[1][i]) * (1 + error));
	put_address(sum + BYTES - 8, (uint64_t)(uintptr_t)lists[1] + 128);
	memset(sum + BYTES, 0, (size_t)replay->writes_outside);
}

static void execute_replay(struct stub_driver *stub, const char *name, void **arguments)
{
	if (!strncmp(name, "compare_", 8))
		compare_elements(arguments, !strcmp(name, "compare_f32"));
	if (!strncmp(name, "add_lists", 9))
		add_lists(stub->context, *(float ***)arguments[0], *(uint64_t *)arguments[1]);
}

static int set_up_replay(void **context)
{
	static struct replay_bench replay;
	struct bench *bench;

	bench_set_up(context);
	bench = *context;
	replay = (struct replay_bench){.bench = bench};
	snprintf(replay.path, sizeof(replay.path), "/tmp/perflab-replay-XXXXXX");
	close(mkstemp(replay.path));
	strcat(replay.path, CAPTURE_SUFFIX);
	write_capture(replay.path);
	for (size_t m = 0; m < MEMORIES; m++) {
		struct case_buffer *buffer = &replay.buffers[m];

		*buffer = (struct case_buffer){.type = ELEMENT_U8,
					       .length = BYTES,
					       .role = m == SUM ? BUFFER_INOUT : BUFFER_IN,
					       .fill = FILL_CAPTURE,
					       .fill_file = replay.path,
					       .fill_index = m};
		snprintf(buffer->name, sizeof(buffer->name), "m%zu", m);
	}
	replay.buffers[VARIABLE].symbol = (char *)"counter";
	bench->stub.variable = replay.variable;
	bench->stub.variable_bytes = BYTES;
	replay.args[0] = (struct case_arg){.kind = ARG_BUFFER, .integer = LISTS};
	replay.args[1] = (struct case_arg){.kind = ARG_BUFFER, .integer = VARIABLE, .addend = 4};
	replay.launch = (struct case_launch){.entry = "add_lists",
					     .grid = {1, 1, 1},
					     .block = {32, 1, 1},
					     .cluster = {1, 1, 1},
					     .args = replay.args,
					     .arg_count = 2};
	replay.items[0] = (struct case_check_item){SUM, replay.path, false};
	replay.work = (struct launch_case){
		.kernel = "add_lists",
		.variant = "captured",
		.image = "fault/none",
		.check = {.kind = CHECK_FILE, .items = replay.items, .item_count = 1},
		.buffers = replay.buffers,
		.buffer_count = MEMORIES,
		.launches = &replay.launch,
		.launch_count = 1,
	};
	bench->stub.execute = execute_replay;
	bench->stub.context = &replay;
	*context = &replay;
	return 0;
}

static int tear_down_replay(void **context)
{
	struct replay_bench *replay = *context;
	char *without = xstrdup(replay->path);

	*strrchr(without, '.') = '\0';
	unlink(without);
	unlink(replay->path);
	free(without);
	*context = replay->bench;
	return bench_tear_down(context);
}

static void prepare(struct replay_bench *replay, struct operation *operation)
{
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (operation_load(operation, &replay->bench->resources, &replay->work, &skip, &err) ||
	    operation_prepare(operation, true, &err))
		fail_msg("%s", err.text);
	assert_int_equal(skip.length, 0);
}

/* Verifies the case, once more if the result differs, as the worker does. */
static char *verified(struct replay_bench *replay, struct operation *operation)
{
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};

	prepare(replay, operation);
	if (operation_verify(operation, &mismatch, &accuracy, &err) ||
	    (mismatch.length && replay_again(operation, &mismatch, &err)))
		fail_msg("%s", err.text);
	return text_detach(&mismatch);
}

static void expect_verified(struct replay_bench *replay, struct operation *operation)
{
	char *mismatch = verified(replay, operation);

	assert_string_equal(mismatch, "");
	free(mismatch);
}

static uint64_t word_of(const struct operation *operation, size_t buffer, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)(uintptr_t)operation->buffers[buffer].data + offset,
	       sizeof(word));
	return word;
}

/* Memory of the GPU is where it was; addresses of other memory are rewritten. */
static void test_old_addresses(void **context)
{
	struct replay_bench *replay = *context;
	struct operation operation = {0};

	expect_verified(replay, &operation);
	assert_true(replay->lists_at == ADDRESS + offsets[LISTS]);
	assert_true(operation.buffers[SUM].data == ADDRESS + offsets[SUM]);
	assert_true(operation.buffers[FAR].data == ADDRESS + offsets[FAR]);
	assert_true(word_of(&operation, LISTS, 0) == ADDRESS + offsets[SUM] + 16);
	assert_true(operation.buffers[MANAGED].data != ADDRESS + offsets[MANAGED]);
	assert_true(word_of(&operation, LISTS, 16) == operation.buffers[MANAGED].data + 8);
	assert_true(word_of(&operation, LISTS, 24) == operation.buffers[ON_HOST].data + 4);
	/* Two granules, not one per memory. */
	assert_int_equal(replay->bench->stub.mapped_bytes, 2 * STUB_GRANULE);
	assert_int_equal(replay->bench->stub.reserved_bytes, 2 * STUB_HINT);
	operation_release(&operation);
	assert_int_equal(replay->bench->stub.mapped_bytes, 0);
}

static void expect_mismatch(struct replay_bench *replay, const char *const *parts)
{
	struct operation operation = {0};
	char *mismatch = verified(replay, &operation);

	for (; *parts; parts++)
		if (!strstr(mismatch, *parts))
			fail_msg("\"%s\" is not in: %s", *parts, mismatch);
	free(mismatch);
	operation_release(&operation);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A variable is where the image has it, gets its content before each execution, and may change. */
static void test_variables(void **context)
{
	struct replay_bench *replay = *context;
	const uint64_t at = (uint64_t)(uintptr_t)replay->variable;
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;

	expect_verified(replay, &operation);
	assert_true(replay->variable_at == at + 4);
	assert_true(word_of(&operation, LISTS, 32) == at + 8);
	assert_int_equal(replay->variable[4], 7);
	assert_int_equal(operation_verify(&operation, &mismatch, &accuracy, NULL), 0);
	assert_int_equal(mismatch.length, 0);
	assert_int_equal(replay->variable_held, 0xff);
	operation_release(&operation);
	/* As a result, it is compared. */
	replay->buffers[VARIABLE].role = BUFFER_INOUT;
	replay->items[1] = (struct case_check_item){VARIABLE, replay->path, false};
	replay->work.check.item_count = 2;
	expect_mismatch(replay,
			PARTS("1 of 512 bytes of 'm6' differ from what the program's launch "
			      "left; the first, [4], is 7, expected 255"));
}

static void expect_moved(struct replay_bench *replay)
{
	struct operation operation = {0};

	expect_verified(replay, &operation);
	assert_true(operation.buffers[SUM].data != ADDRESS + offsets[SUM]);
	assert_true(replay->lists_at == operation.buffers[LISTS].data);
	assert_true(word_of(&operation, LISTS, 0) == operation.buffers[SUM].data + 16);
	assert_true(word_of(&operation, LISTS, 8) == operation.buffers[ADDED].data);
	assert_int_equal(replay->bench->stub.mapped_bytes, 0);
	assert_int_equal(replay->bench->stub.reserved_bytes, 0);
	operation_release(&operation);
}

static void test_other_addresses(void **context)
{
	struct replay_bench *replay = *context;

	replay->bench->stub.moves = true;
	expect_moved(replay);
	replay->bench->stub.moves = false;
	replay->bench->stub.maps_fail = true;
	expect_moved(replay);
}

/* The contents on the device are those of the addresses, so later cases must not share them. */
static void test_each_case_has_the_contents_of_its_addresses(void **context)
{
	struct replay_bench *replay = *context;
	struct operation operation = {0};

	for (int i = 0; i < 4; i++) {
		replay->bench->stub.moves = i % 2;
		expect_verified(replay, &operation);
		operation_release(&operation);
	}
}

/* There is no memory for whole granules, but for the blocks. */
static void test_memory_without_room_for_granules(void **context)
{
	struct replay_bench *replay = *context;

	replay->bench->stub.memory_bytes = replay->bench->stub.used_bytes + STUB_GRANULE / 2;
	expect_moved(replay);
}

/* A base case uses the same memory, where the case has put it. */
static void test_base_case_shares_the_memory(void **context)
{
	struct replay_bench *replay = *context;
	struct operation operation = {0}, base = {0};
	struct launch_case other = replay->work;
	struct text why = TEXT_INIT;
	struct error err = {0};

	expect_verified(replay, &operation);
	assert_int_equal(beside_prepare(&base, &operation, &other, &why, &err), 0);
	assert_string_equal(why.length ? why.data : "", "");
	assert_true(beside_same_buffers(&operation, &base));
	assert_true(base.buffers[SUM].data == operation.buffers[SUM].data);
	operation_forget(&base);
	assert_int_equal(replay->bench->stub.mapped_bytes, 2 * STUB_GRANULE);
	operation_release(&operation);
}

static void test_wrong_each_time(void **context)
{
	struct replay_bench *replay = *context;

	replay->error = 0.5;
	expect_mismatch(replay, PARTS("the replay gives another result than the program did: ",
				      " of 512 bytes of 'm1' differ from what the program's launch "
				      "left; the first, [18], is 144, expected 64",
				      "; two replays agree with each other"));
	assert_int_equal(replay->executions, 2);
	replay->launch.entry = "add_lists_faster";
	expect_mismatch(replay, PARTS("the kernel gives another result than the program did"));
}

/* An error of 1 in 10^6 and 2 in 10^6: floats in another order. */
static void test_not_deterministic(void **context)
{
	struct replay_bench *replay = *context;
	struct operation operation = {0};

	replay->error = 1e-6;
	replay->differs = true;
	expect_mismatch(
		replay,
		PARTS("two replays differ from each other, too",
		      "the kernel is not deterministic; compared as f32, the largest "
		      "relative difference in 'm1' is 2",
		      "add --annotate 'compare m1 as f32' --annotate 'tolerance rel = 1e-05'"));
	replay->executions = 0;
	replay->buffers[SUM].has_compared = true;
	replay->buffers[SUM].compared = ELEMENT_F32;
	replay->work.tolerance_rel = 1e-5;
	/* The NaN beside the elements are right, because they are the recorded ones. */
	expect_verified(replay, &operation);
	operation_release(&operation);
}

static void test_writes_beside_memory(void **context)
{
	struct replay_bench *replay = *context;

	replay->writes_outside = 1;
	expect_mismatch(replay, PARTS("the kernel wrote outside of 'm1'"));
}

static void test_launch_attributes(void **context)
{
	struct replay_bench *replay = *context;
	struct stub_driver *stub = &replay->bench->stub;
	struct operation operation = {0};

	replay->launch.grid[0] = 16;
	replay->launch.cluster[0] = 16;
	replay->launch.has_carveout = true;
	replay->launch.carveout = 25;
	expect_verified(replay, &operation);
	assert_int_equal(stub->nonportable_clusters, 1);
	assert_int_equal(stub->attribute_count, 2);
	assert_int_equal(stub->attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
	assert_int_equal(stub->attributes[0].value.clusterDim.x, 16);
	assert_int_equal(stub->attributes[1].id,
			 CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
	assert_int_equal(stub->attributes[1].value.sharedMemCarveout, 25);
	operation_release(&operation);
	stub->nonportable_clusters = 0;
	replay->launch.cluster[0] = 8;
	replay->launch.has_carveout = false;
	expect_verified(replay, &operation);
	assert_int_equal(stub->nonportable_clusters, 0);
	assert_int_equal(stub->attribute_count, 1);
	operation_release(&operation);
}

#define REPLAY(test) cmocka_unit_test_setup_teardown(test, set_up_replay, tear_down_replay)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPLAY(test_old_addresses),
		REPLAY(test_variables),
		REPLAY(test_other_addresses),
		REPLAY(test_each_case_has_the_contents_of_its_addresses),
		REPLAY(test_memory_without_room_for_granules),
		REPLAY(test_base_case_shares_the_memory),
		REPLAY(test_wrong_each_time),
		REPLAY(test_not_deterministic),
		REPLAY(test_writes_beside_memory),
		REPLAY(test_launch_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
