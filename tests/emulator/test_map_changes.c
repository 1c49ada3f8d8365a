/* Kernels that change tensor maps: tensormap.replace, tensormap.cp_fenceproxy, and fences. */
#include "support_machine.h"

#include <string.h>

/* 16 rows of 24 elements of 4 bytes, copied 8 x 4 at a time. */
static const struct tensor_map plain = {
	.type = TENSOR_U32,
	.rank = 2,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

#define IN_WORDS 1024
static uint32_t input[IN_WORDS];

/* Word i is i + 1, so that no word is 0. */
static int number_input(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < IN_WORDS; i++)
		input[i] = i + 1;
	return 0;
}

/*
 * A kernel of 32 threads. Thread 0 has %p1, %r18 is the map in shared memory, %r19 an area, %r20 an
 * mbarrier, and %rd8 room for a map in global memory.
 */
#define KERNEL(body)                                                                          \
	MACHINE_HEADER                                                                        \
	".global .align 128 .b8 maps[128];\n"                                                 \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, "                  \
	".param .align 128 .b8 map[128])\n{\n" MACHINE_REGISTERS                              \
	"ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"                               \
	"mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"                                    \
	".shared .align 1024 .b8 area[1024];\n.shared .align 128 .b8 copy[128];\n"            \
	".shared .align 8 .b8 bar[8];\nmov.u32 %r18, copy;\nmov.u32 %r19, area;\n"            \
	"mov.u32 %r20, bar;\n@%p1 mbarrier.init.shared.b64 [%r20], 1;\nmov.u64 %rd8, maps;\n" \
	"shl.b32 %r5, %r1, 2;\ncvt.u64.u32 %rd3, %r5;\nadd.u32 %r17, %r18, %r5;\nbar.sync "   \
	"0;\n" body "}\n"
/* Each thread copies a word of the parameter to shared memory. */
#define TAKE                                                                         \
	"mov.b64 %rd9, map;\nadd.u64 %rd9, %rd9, %rd3;\nld.param.u32 %r4, [%rd9];\n" \
	"st.shared.u32 [%r17], %r4;\nbar.sync 0;\n"
#define ZERO "mov.u32 %r4, 0;\nst.shared.u32 [%r17], %r4;\nbar.sync 0;\n"
#define REPLACE(field) "@%p1 tensormap.replace.tile." field
#define SHARED32 ".shared::cta.b1024.b32 [%r18], "
#define SHARED64 ".shared::cta.b1024.b64 [%r18], "
#define GIVE "bar.sync 0;\n" COPY
#define COPY                                                                        \
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu" \
	".sync.aligned [%rd8], [%r18], 128;\n"
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%rd8], 128;\n"
/* Loads a box with the map at %rd8, and copies a word per thread to out. */
#define LOAD(coordinates, bytes)                                                                \
	"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes ";\n"                     \
	"@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" \
	" [%r19], [%rd8, {" coordinates "}], [%r20];\n"                                         \
	"WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n@!%p2 bra WAIT;\n"         \
	"add.u32 %r6, %r19, %r5;\nld.shared.u32 %r4, [%r6];\nadd.u64 %rd3, %rd3, %rd1;\n"       \
	"st.global.u32 [%rd3], %r4;\nret;\n"
#define LOAD_PLAIN LOAD("4, 1", "128")

static struct machine_result run_words(const char *ptx, size_t words)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .in = input,
						  .in_words = IN_WORDS,
						  .out_words = words,
						  .block = {32, 1, 1},
						  .map = &plain,
						  .checked_blocks = -1,
						  .check_global = true});
}

static struct machine_result run_clean(const char *ptx)
{
	struct machine_result result = run_words(ptx, 32);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

static void assert_told(const char *ptx, enum finding_kind kind, const char *words)
{
	struct machine_result result = run_words(ptx, 32);

	assert_finding(&result, kind, 0, words);
	machine_release(&result);
}

/* The box at (4, 1) of a tensor `width` wide and `height` high, whose rows are `pitch` words apart
 * and which begins at word `first`. */
static void assert_box(const char *ptx, uint32_t width, uint32_t height, uint32_t pitch,
		       uint32_t first)
{
	struct machine_result result = run_clean(ptx);

	for (uint32_t i = 0; i < 32; i++) {
		const uint32_t x = 4 + i % 8, y = 1 + i / 8;

		assert_int_equal(result.out[i],
				 x < width && y < height ? first + pitch * y + x + 1 : 0);
	}
	machine_release(&result);
}

/* ---- fields ---- */

static void a_copied_map_is_used(void **state)
{
	(void)state;
	assert_box(KERNEL(TAKE GIVE ACQUIRE LOAD_PLAIN), 24, 16, 24, 0);
}

static void fields_are_replaced(void **state)
{
	(void)state;
	assert_box(KERNEL(TAKE "add.u64 %rd4, %rd2, 64;\n" REPLACE("global_address") SHARED64
			  "%rd4;\n" GIVE ACQUIRE LOAD_PLAIN),
		   24, 16, 24, 16);
	assert_box(KERNEL(TAKE "mov.u32 %r7, 9;\n" REPLACE("global_dim") SHARED32
			  "0, %r7;\n" GIVE ACQUIRE LOAD_PLAIN),
		   9, 16, 24, 0);
	assert_box(KERNEL(TAKE REPLACE("global_dim") SHARED32 "1, 3;\n" GIVE ACQUIRE LOAD_PLAIN),
		   24, 3, 24, 0);
	assert_box(
		KERNEL(TAKE REPLACE("global_stride") SHARED64 "0, 48;\n" GIVE ACQUIRE LOAD_PLAIN),
		24, 16, 12, 0);
}

static void the_box_and_its_steps_are_replaced(void **state)
{
	/* 4 x 8, and 8 x 8 in steps of 2 */
	struct machine_result result =
		run_clean(KERNEL(TAKE REPLACE("box_dim") SHARED32 "0, 4;\n" REPLACE("box_dim")
					 SHARED32 "1, 8;\n" GIVE ACQUIRE LOAD_PLAIN));

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], 24 * (1 + i / 4) + 4 + i % 4 + 1);
	machine_release(&result);
	result = run_clean(KERNEL(TAKE REPLACE("element_stride") SHARED32 "1, 2;\n" REPLACE(
		"box_dim") SHARED32 "1, 8;\n" GIVE ACQUIRE LOAD_PLAIN));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], 24 * (1 + i / 8 * 2) + 4 + i % 8 + 1);
	machine_release(&result);
}

/* PTX numbers the types in another order than the driver: 10 is bf16, 7 is f32, 11 is tf32. */
static void the_type_is_replaced(void **state)
{
	struct machine_result result =
		run_clean(KERNEL(TAKE REPLACE("elemtype") SHARED32 "7;\n" REPLACE("fill_mode")
					 SHARED32 "1;\n" GIVE ACQUIRE LOAD("20, 1", "128")));

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		if (i % 8 < 4)
			assert_int_equal(result.out[i], 24 * (1 + i / 8) + 20 + i % 8 + 1);
		else
			assert_int_equal(result.out[i], 0x7ff77ff7);
	machine_release(&result);
	result = run_clean(
		KERNEL(TAKE REPLACE("elemtype") SHARED32 "11;\n" GIVE ACQUIRE LOAD_PLAIN));
	assert_int_equal(result.out[0], 0); /* rounded to tf32 */
	machine_release(&result);
	result = run_clean(KERNEL(TAKE REPLACE("elemtype") SHARED32 "9;\n" REPLACE("box_dim")
					  SHARED32 "0, 4;\n" GIVE ACQUIRE LOAD("2, 1", "128")));
	for (uint32_t i = 0; i < 32; i++) /* f64 */
		assert_int_equal(result.out[i], 24 * (1 + i / 8) + 4 + i % 8 + 1);
	machine_release(&result);
	result = run_clean(KERNEL(TAKE REPLACE("elemtype") SHARED32 "10;\n" REPLACE("box_dim")
					  SHARED32 "0, 16;\n" REPLACE("global_dim") SHARED32
				  "0, 24;\n" REPLACE("fill_mode") SHARED32
				  "1;\n" GIVE ACQUIRE LOAD("16, 1", "128")));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i],
				 i % 8 < 4 ? 24 * (1 + i / 8) + 8 + i % 8 + 1 : 0x7ff77ff7);
	machine_release(&result);
}

static void the_swizzle_is_replaced(void **state)
{
	struct machine_result result = run_clean(KERNEL(TAKE REPLACE("swizzle_mode") SHARED32
							"1;\n" REPLACE("interleave_layout") SHARED32
							"0;\n" GIVE ACQUIRE LOAD("0, 0", "128")));

	(void)state;
	/* Bit 7 of the offset is 0 in these 128 bytes, so that nothing moves. */
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], 24 * (i / 8) + i % 8 + 1);
	machine_release(&result);
	result = run_clean(KERNEL(TAKE REPLACE("swizzle_mode") SHARED32
				  "1;\n" GIVE ACQUIRE
				  "add.u32 %r19, %r19, 128;\n" LOAD("0, 0", "128")));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], 24 * (i / 8) + (i % 8 ^ 4) + 1);
	machine_release(&result);
}

/* As Triton makes maps. */
static void a_map_is_made_of_zeroes(void **state)
{
	(void)state;
	assert_box(KERNEL(ZERO REPLACE("global_address") SHARED64 "%rd2;\n" REPLACE("rank") SHARED32
			  "1;\n" REPLACE("box_dim") SHARED32 "0, 8;\n" REPLACE("box_dim") SHARED32
			  "1, 4;\n" REPLACE("global_dim") SHARED32 "0, 24;\n" REPLACE("global_dim")
				  SHARED32 "1, 16;\n" REPLACE("global_stride") SHARED64
			  "0, 96;\n" REPLACE("element_stride") SHARED32
			  "0, 1;\n" REPLACE("element_stride") SHARED32 "1, 1;\n" REPLACE("elemtype")
				  SHARED32 "2;\n" GIVE ACQUIRE LOAD_PLAIN),
		   24, 16, 24, 0);
	assert_told(KERNEL(ZERO REPLACE("rank") SHARED32 "1;\n" GIVE ACQUIRE LOAD_PLAIN),
		    FINDING_BAD_MAP, "size 0 of a tensor map is 0; sizes are 1 to 2^32");
}

static void a_map_is_changed_in_global_memory(void **state)
{
	(void)state;
	assert_box(KERNEL(TAKE GIVE REPLACE(
			   "global_dim.global.b1024.b32 [%rd8], 0, 9;\n") "@%p1 "
									  "fence.proxy.tensormap::"
									  "generic.release.gpu;"
									  "\n" ACQUIRE LOAD_PLAIN),
		   9, 16, 24, 0);
	assert_box(KERNEL(TAKE GIVE REPLACE(
			   "global_dim.b1024.b32 [%rd8], 0, 9;\n") "@%p1 "
								   "fence.proxy.tensormap::generic."
								   "release.gpu;\n" ACQUIRE
									   LOAD_PLAIN),
		   9, 16, 24, 0);
	assert_box(KERNEL(TAKE "cvt.u64.u32 %rd7, %r18;\ncvta.shared.u64 %rd7, %rd7;\n" REPLACE(
			   "global_dim.b1024.b32 [%rd7], 0, 9;\n") GIVE ACQUIRE LOAD_PLAIN),
		   9, 16, 24, 0);
}

/* ---- fences ---- */

static void a_missing_fence_is_told(void **state)
{
	static const char *const unacquired[] = {
		KERNEL(TAKE GIVE LOAD_PLAIN),
		/* before the change */
		KERNEL(TAKE ACQUIRE GIVE LOAD_PLAIN),
		/* the second change */
		KERNEL(TAKE GIVE ACQUIRE GIVE LOAD_PLAIN),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unacquired); i++)
		assert_told(unacquired[i], FINDING_UNFENCED,
			    "which this launch has changed; use "
			    "fence.proxy.tensormap::generic.acquire on it after the change and "
			    "before the copy");
	assert_told(KERNEL(TAKE GIVE ACQUIRE REPLACE("global_dim.global.b1024.b32 [%rd8], 0, 9;\n")
				   ACQUIRE LOAD_PLAIN),
		    FINDING_UNFENCED, "release the change by tensormap.cp_fenceproxy or");
}

/* ---- what is wrong ---- */

static void wrong_changes_are_told(void **state)
{
	(void)state;
	assert_told(KERNEL("st.shared.u32 [%r17], %r1;\nbar.sync 0;\n" REPLACE("rank") SHARED32
			   "1;\nret;\n"),
		    FINDING_BAD_MAP, "tensormap.replace: the bytes are not a tensor map");
	assert_told(KERNEL(TAKE REPLACE("rank") SHARED32 "5;\nret;\n"), FINDING_BAD_MAP,
		    "tensormap.replace: the new value is not a rank less 1, which is 0 to 4");
	assert_told(KERNEL(TAKE REPLACE("rank.shared::cta.b1024.b32 [%r18+64], 1;\nret;\n")),
		    FINDING_MISALIGNED, "a 128-byte tensor map in shared memory");
	assert_told(KERNEL(TAKE REPLACE("rank.shared::cta.b1024.b32 [%r18+65536], 1;\nret;\n")),
		    FINDING_OUT_OF_BOUNDS, "a 128-byte tensor map in shared memory");
	assert_told(KERNEL(REPLACE("rank.global.b1024.b32 [%rd8+64], 1;\nret;\n")),
		    FINDING_OUT_OF_BOUNDS, "a 128-byte tensor map at 0x");
	assert_told(KERNEL("mov.b64 %rd9, map;\ncvta.param.u64 %rd9, %rd9;\n" REPLACE(
			    "rank.b1024.b32 [%rd9], 1;\nret;\n")),
		    FINDING_BAD_MAP, "copy the map to shared or global memory first");
	assert_told(KERNEL(TAKE "add.u64 %rd8, %rd8, 16;\n" GIVE "ret;\n"), FINDING_MISALIGNED,
		    "which is not a multiple of 64");
	assert_told(KERNEL(TAKE "add.u64 %rd8, %rd8, %rd3;\n" GIVE "ret;\n"), FINDING_UNSUPPORTED,
		    "different addresses in the lanes");
	/* A lane goes past it, or executes another one. */
	assert_told(KERNEL(TAKE "@%p1 bra PAST;\n" COPY "PAST:\nret;\n"), FINDING_ABSENT_LANES,
		    "lanes 0xfffffffe of warp 0 execute it, but PTX demands all of the warp");
	assert_told(KERNEL(TAKE "@%p1 bra PAST;\n" COPY "ret;\nPAST:\n" COPY "ret;\n"),
		    FINDING_DEADLOCK,
		    "lanes 0xfffffffe of warp 0 name lanes 0x00000001, which wait elsewhere");
	assert_told(KERNEL(TAKE REPLACE("box_dim") SHARED32 "1, 300;\n" GIVE ACQUIRE LOAD_PLAIN),
		    FINDING_BAD_MAP,
		    "size 1 of the box of a tensor map is 300; these sizes are 1 to 256");
	assert_told(KERNEL(TAKE REPLACE("element_stride") SHARED32
			   "1, 65537;\n" GIVE ACQUIRE LOAD_PLAIN),
		    FINDING_BAD_MAP, "element strides are 1 to 8");
	/* Two threads of a warp change fields of one map. */
	assert_told(KERNEL(TAKE "setp.lt.u32 %p3, %r1, 2;\nadd.u32 %r7, %r1, 9;\n"
				"@%p3 tensormap.replace.tile.global_dim" SHARED32
				"0, %r7;\nret;\n"),
		    FINDING_RACE, "which thread (0,0,0) wrote");
	/* Nobody wrote the map. */
	assert_told(KERNEL(GIVE "ret;\n"), FINDING_UNINITIALISED,
		    "is read before any thread has written it");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copied_map_is_used),
		cmocka_unit_test(fields_are_replaced),
		cmocka_unit_test(the_box_and_its_steps_are_replaced),
		cmocka_unit_test(the_type_is_replaced),
		cmocka_unit_test(the_swizzle_is_replaced),
		cmocka_unit_test(a_map_is_made_of_zeroes),
		cmocka_unit_test(a_map_is_changed_in_global_memory),
		cmocka_unit_test(a_missing_fence_is_told),
		cmocka_unit_test(wrong_changes_are_told),
	};

	return cmocka_run_group_tests(tests, number_input, NULL);
}
