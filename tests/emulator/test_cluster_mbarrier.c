/* mbarriers of other blocks of a cluster: arrivals, bytes, asynchronous stores, the order that they
 * give, and what is wrong. */
#include "support_clusters.h"

#define WAIT_OBJECT                                                                         \
	"WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r27], 0;\n" \
	"@!%p3 bra WAIT;\n"
/* The first thread writes the next block's first word, and all threads read the own one. */
#define SIGNAL(signal)                                  \
	MACHINE_KERNEL(PLACES OBJECT signal WAIT_OBJECT \
		       "ld.shared.u32 %r4, [%r19];\n" CLUSTER_SYNC STORE)

static void mbarriers_of_other_blocks_order(void **state)
{
	static const char *const rows[] = {
		SIGNAL("@%p1 st.shared::cluster.u32 [%r23], %r21;\n"
		       "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r28];\n"),
		SIGNAL("@%p1 st.shared::cluster.u32 [%r23], %r21;\n"
		       "@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r28];\n"),
		SIGNAL("@%p1 st.u32 [%rd7], %r21;\n@%p1 mbarrier.arrive.expect_tx.release.cluster."
		       "shared::cluster.b64 _, [%r28], 4;\n"
		       "@%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r28], "
		       "4;\n"),
		SIGNAL("@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r27], 4;\n"
		       "@%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 "
		       "[%r23], %r21, [%r28];\n"),
		SIGNAL("@%p1 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r28], 16;\n"
		       "@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r28];\n"
		       "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
		       "[%r23], {%r21, %r21, %r21, %r21}, [%r28];\n"),
		SIGNAL("@%p1 st.shared.u32 [%r19], 0;\n" CLUSTER_SYNC
		       "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r27], 4;\n"
		       "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
		       "bytes.add.u32 [%r23], %r21, [%r28];\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_result result = cluster_run_clean(rows[i], 3);

		for (uint32_t block = 0; block < 6; block++)
			for (uint32_t k = 0; k < CLUSTER_THREADS; k++)
				if (result.out[block * CLUSTER_THREADS + k] !=
				    block / 3 * 3 + (block + 2) % 3)
					fail_msg("%zu: %u in block %u", i,
						 result.out[block * CLUSTER_THREADS + k], block);
		machine_release(&result);
	}
}

/* What a block stored to global memory before it arrived is there after the wait. */
static void mbarriers_of_other_blocks_order_global_memory(void **state)
{
#define PASS(arrive)                                                                         \
	MACHINE_KERNEL(PLACES OBJECT                                                         \
		       "mov.u32 %r30, %ntid.x;\nmul.lo.u32 %r31, %r30, 4;\n"                 \
		       "setp.eq.u32 %p4, %r22, 0;\n@%p4 ret;\nst.global.u32 [%rd5], %r21;\n" \
		       "bar.sync 0;\n" arrive "@%p2 ret;\n" WAIT_OBJECT                      \
		       "cvt.u64.u32 %rd9, %r31;\nsub.s64 %rd9, %rd5, %rd9;\n"                \
		       "ld.global.u32 %r4, [%rd9];\nadd.u32 %r4, %r4, 10;\n" STORE)
	static const char ptx[] =
		PASS("@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r28];\n");
	struct machine_result result = cluster_launch(ptx, 3);

	(void)state;
	/* Block 1 reads what block 0 stored. Block 2, the last, has returned. */
	for (size_t i = 0; i < result.findings.count; i++)
		assert_int_not_equal(result.findings.items[i].kind, FINDING_GLOBAL_RACE);
	assert_int_equal(result.out[CLUSTER_THREADS], 10);
	assert_int_equal(result.out[4 * CLUSTER_THREADS], 13);
	machine_release(&result);
#undef PASS
}

static void misuse_of_mbarriers_of_other_blocks_is_found(void **state)
{
	static const struct {
		const char *ptx, *line, *words;
		enum finding_kind kind;
	} rows[] = {
		{MACHINE_KERNEL(PLACES OBJECT
				"mbarrier.test_wait.parity.shared.b64 %p3, [%r28], 0;\n" STORE),
		 "mbarrier.test_wait", "of another block", FINDING_MBARRIER},
		{MACHINE_KERNEL(PLACES OBJECT
				"mbarrier.arrive.shared::cta.b64 %rd9, [%r28];\n" STORE),
		 "mbarrier.arrive", "of another block", FINDING_MBARRIER},
		/* a generic address, but with a result */
		{MACHINE_KERNEL(PLACES OBJECT
				"cvt.u64.u32 %rd9, %r28;\ncvta.shared.u64 %rd9, %rd9;\n"
				"mbarrier.arrive.b64 %rd10, [%rd9];\n" STORE),
		 "mbarrier.arrive", "of another block", FINDING_MBARRIER},
		{MACHINE_KERNEL(PLACES OBJECT
				"mbarrier.arrive.shared::cluster.b64 _, [%r28+1024];\n" STORE),
		 "mbarrier.arrive", "outside of the block's 1032 bytes", FINDING_OUT_OF_BOUNDS},
		{MACHINE_KERNEL(PLACES OBJECT
				"mapa.shared::cluster.u32 %r28, %r27, 2;\n"
				"mbarrier.arrive.shared::cluster.b64 _, [%r28];\n" STORE),
		 "mbarrier.arrive", "not in the cluster, which has 2", FINDING_OUT_OF_BOUNDS},
		{MACHINE_KERNEL(PLACES OBJECT
				"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r23], "
				"%r21, [%r27];\n" STORE),
		 "st.async", "both must be in one block", FINDING_MBARRIER},
		{MACHINE_KERNEL(PLACES OBJECT
				"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r23], "
				"%r21, [%r28+-8];\n" STORE),
		 "st.async", "no mbarrier is initialised", FINDING_MBARRIER},
		{MACHINE_KERNEL(
			 PLACES OBJECT
			 "st.async.mbarrier::complete_tx::bytes.u32 [%rd1], %r21, [%rd7];\n" STORE),
		 "st.async", "not in shared memory", FINDING_OUT_OF_BOUNDS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_cluster_finding_among(rows[i].ptx, rows[i].kind, rows[i].line,
					     rows[i].words);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mbarriers_of_other_blocks_order),
		cmocka_unit_test(mbarriers_of_other_blocks_order_global_memory),
		cmocka_unit_test(misuse_of_mbarriers_of_other_blocks_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
