/* Bulk and tensor copies to shared memory of other blocks of a cluster. */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
#define WITHIN "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define REDUCE_SHARED \
	"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define TENSOR "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
/* Two areas of 256 bytes at %r19 and %r18 and an mbarrier for one arrival at %r20, which all blocks
 * know of. %r16: the rank of the block; %p1: thread 0; %p3: thread 0 of the block of rank 0; %rd4:
 * the address of the thread's word of the output of its block, 32 words each. */
#define AREAS                                                                                \
	".reg .b16 %h<4>;\n.shared .align 128 .b8 area[256];\n"                              \
	".shared .align 128 .b8 other[256];\n.shared .align 8 .b8 bar[8];\n"                 \
	"mov.u32 %r19, area;\nmov.u32 %r18, other;\nmov.u32 %r20, bar;\n"                    \
	"shl.b32 %r17, %r1, 2;\nadd.u32 %r21, %r19, %r17;\nadd.u32 %r22, %r18, %r17;\n"      \
	"mov.u32 %r16, %cluster_ctarank;\nmov.u32 %r15, %ctaid.x;\nshl.b32 %r15, %r15, 7;\n" \
	"cvt.u64.u32 %rd4, %r15;\nadd.s64 %rd4, %rd4, %rd3;\n"                               \
	"setp.eq.u32 %p1, %r1, 0;\nor.b32 %r14, %r16, %r1;\nsetp.eq.u32 %p3, %r14, 0;\n"     \
	"@%p1 mbarrier.init.shared.b64 [%r20], 1;\n" CLUSTER_SYNC
#define EXPECT(bytes) "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes ";\n"
#define WAIT "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n@!%p2 bra WAIT;\n"
#define STORE "st.global.u32 [%rd4], %r4;\n"

static uint32_t numbers[64];

static int number_words(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		numbers[i] = 100 + i;
	return 0;
}

static struct machine_result run(const char *ptx, int64_t blocks)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .grid = {blocks},
						  .cluster = {blocks, 1, 1},
						  .block = {32},
						  .in = numbers,
						  .in_words = 64,
						  .out_words = (size_t)blocks * 32,
						  .checked_blocks = -1,
						  .check_global = true});
}

static struct machine_result run_clean(const char *ptx, int64_t blocks)
{
	struct machine_result result = run(ptx, blocks);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

/* Some finding of that kind has these words. */
static void assert_told(const char *ptx, int64_t blocks, enum finding_kind kind, const char *words)
{
	struct machine_result result = run(ptx, blocks);
	bool told = false;

	for (size_t i = 0; i < result.findings.count; i++) {
		const struct finding *finding = &result.findings.items[i];

		told |= finding->kind == kind && strstr(finding->text, words);
		if (finding->kind != kind)
			print_message("%s\n", finding->text);
	}
	if (!told)
		fail_msg("no finding has '%s', of %zu", words, result.findings.count);
	machine_release(&result);
}

/* Rank 0 loads for the ranks 0 and 2; rank 1 gets nothing and waits for nothing. */
static void a_multicast_writes_to_the_blocks_of_its_mask(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		AREAS "mov.u16 %h1, 5;\nmov.u32 %r4, 0;\nsetp.eq.u32 %p4, %r16, 1;\n@%p4 bra "
		      "DONE;\n" EXPECT(
			      "128") "@%p3 " LOAD
				     ".multicast::cluster [%r19], [%rd2], 128, [%r20], %h1;\n" WAIT
				     "ld.shared.u32 %r4, [%r21];\nDONE:\n" STORE CLUSTER_SYNC
				     "ret;\n");
	struct machine_result result = run_clean(ptx, 3);

	(void)state;
	for (uint32_t i = 0; i < 96; i++)
		assert_int_equal(result.out[i], i / 32 == 1 ? 0 : 100 + i % 32);
	machine_release(&result);
}

/* Each block loads one half of a box for both, as multicast is used. */
static void halves_of_a_tile_are_multicast(void **state)
{
	static const char ptx[] = MACHINE_MAP_KERNEL(
		AREAS "mov.u16 %h1, 3;\nshl.b32 %r5, %r16, 7;\nadd.u32 %r5, %r5, %r19;\n"
		      "shl.b32 %r6, %r16, 1;\n" EXPECT("256") CLUSTER_SYNC
		"@%p1 " TENSOR ".multicast::cluster [%r5], [%rd9, {0, %r6}], [%r20], %h1;\n" WAIT
		"ld.shared.u32 %r4, [%r21+128];\n" STORE CLUSTER_SYNC "ret;\n");
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {16, 4},
		.strides = {0, 64},
		.box = {16, 2},
		.steps = {1, 1},
	};
	struct machine_result result = machine_run(&(struct machine_case){.ptx = ptx,
									  .grid = {2},
									  .cluster = {2, 1, 1},
									  .block = {32},
									  .in = numbers,
									  .in_words = 64,
									  .out_words = 64,
									  .map = &map,
									  .checked_blocks = -1,
									  .check_global = true});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(result.out[i], 132 + i % 32);
	machine_release(&result);
}

/* Sends the own area to the block of the next rank, and signals its mbarrier. */
#define SEND(copy)                                                                          \
	"xor.b32 %r13, %r16, 1;\nmapa.shared::cluster.u32 %r12, %r18, %r13;\n"              \
	"mapa.shared::cluster.u32 %r11, %r20, %r13;\nshl.b32 %r10, %r16, 8;\n"              \
	"add.u32 %r10, %r10, %r1;\nst.shared.u32 [%r21], %r10;\nst.shared.u32 [%r22], 7;\n" \
	"fence.proxy.async;\n" CLUSTER_SYNC EXPECT("128") "@%p1 " copy                      \
							  " [%r12], [%r19], 128, [%r11];\n"

static void blocks_send_to_each_other(void **state)
{
	static const char copies[] = MACHINE_KERNEL(
		AREAS SEND(WITHIN) WAIT "ld.shared.u32 %r4, [%r22];\n" STORE CLUSTER_SYNC "ret;\n");
	static const char adds[] =
		MACHINE_KERNEL(AREAS SEND(REDUCE_SHARED ".add.u32") WAIT
			       "ld.shared.u32 %r4, [%r22];\n" STORE CLUSTER_SYNC "ret;\n");
	struct machine_result result = run_clean(copies, 2);

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(result.out[i], (i / 32 ? 0 : 256) + i % 32);
	machine_release(&result);
	result = run_clean(adds, 2);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(result.out[i], (i / 32 ? 0 : 256) + i % 32 + 7);
	machine_release(&result);
}

static void what_is_too_early_is_told(void **state)
{
	(void)state;
	/* A barrier of the cluster is no wait for the copy, neither for its destination … */
	assert_told(MACHINE_KERNEL(AREAS SEND(WITHIN) CLUSTER_SYNC
				   "ld.shared.u32 %r4, [%r22];\n" WAIT STORE CLUSTER_SYNC "ret;\n"),
		    2, FINDING_UNWAITED_COPY, "has waited for its asynchronous copy to it");
	/* … nor for its source, which the mbarrier of the other block completes. */
	assert_told(MACHINE_KERNEL(AREAS SEND(
			    WITHIN) "bar.sync 0;\nst.shared.u32 [%r21], 5;\n" WAIT CLUSTER_SYNC
				    "ret;\n"),
		    2, FINDING_UNWAITED_COPY, "has waited for its bulk copy from it");
}

static void bad_places_are_told(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(AREAS "mov.u16 %h1, 6;\n@%p3 " LOAD
					 ".multicast::cluster [%r19], [%rd2], 128, [%r20], %h1;\n"
					 "ret;\n"),
		    2, FINDING_OUT_OF_BOUNDS,
		    "a multicast to the ranks of the mask 0x6 in a cluster of 2 blocks");
	assert_told(MACHINE_KERNEL(AREAS "mov.u16 %h1, 0;\n@%p3 " LOAD
					 ".multicast::cluster [%r19], [%rd2], 128, [%r20], %h1;\n"
					 "ret;\n"),
		    2, FINDING_OUT_OF_BOUNDS, "mask 0x0");
	assert_told(MACHINE_KERNEL(AREAS "mapa.shared::cluster.u32 %r12, %r19, 1;\n@%p3 " LOAD
					 " [%r12], [%rd2], 128, [%r20];\n" CLUSTER_SYNC "ret;\n"),
		    2, FINDING_MBARRIER,
		    "a bulk copy to the block with rank 1 of the cluster signals an mbarrier of "
		    "rank 0; both must be in one block");
	assert_told(MACHINE_KERNEL(AREAS "mapa.shared::cluster.u32 %r12, %r19, 5;\n@%p3 " LOAD
					 " [%r12], [%rd2], 128, [%r20];\nret;\n"),
		    2, FINDING_OUT_OF_BOUNDS, "of a block that is not in the cluster, which has 2");
	assert_told(MACHINE_KERNEL(AREAS
				   "mapa.shared::cluster.u32 %r12, %r19, 1;\n"
				   "mapa.shared::cluster.u32 %r11, %r20, 1;\n"
				   "@%p3 cp.async.bulk.shared::cta.global.mbarrier::complete_tx"
				   "::bytes [%r12], [%rd2], 128, [%r11];\nret;\n"),
		    2, FINDING_OUT_OF_BOUNDS, "use shared::cluster");
	assert_told(MACHINE_KERNEL(AREAS "mapa.shared::cluster.u32 %r12, %r19, 1;\n"
					 "@%p3 cp.async.bulk.global.shared::cta.bulk_group "
					 "[%rd1], [%r12], 128;\nret;\n"),
		    2, FINDING_OUT_OF_BOUNDS, "rank 1 in the cluster");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_multicast_writes_to_the_blocks_of_its_mask),
		cmocka_unit_test(halves_of_a_tile_are_multicast),
		cmocka_unit_test(blocks_send_to_each_other),
		cmocka_unit_test(what_is_too_early_is_told),
		cmocka_unit_test(bad_places_are_told),
	};

	return cmocka_run_group_tests(tests, number_words, NULL);
}
