/* Distributed shared memory: accesses to other blocks of a cluster, what orders them, what is
 * counted, and what is wrong. */
#include "support_clusters.h"

#include <string.h>

/* ---- right ---- */

/* Each thread gives its number in the grid to the next block, which stores it. */
#define GIVE(store)                                                                              \
	MACHINE_KERNEL(PLACES WORDS "st.shared.u32 [%r25], 0;\n" CLUSTER_SYNC store CLUSTER_SYNC \
				    "ld.shared.u32 %r4, [%r25];\n" STORE)
#define TAKE(load)                  \
	MACHINE_KERNEL(PLACES WORDS \
		       "st.shared.u32 [%r25], %r30;\n" CLUSTER_SYNC load CLUSTER_SYNC STORE)

static void threads_access_other_blocks(void **state)
{
	static const struct {
		const char *ptx;
		bool from_next; /* else from the previous one */
	} rows[] = {
		{GIVE("st.shared::cluster.u32 [%r26], %r30;\n"), false},
		{GIVE("st.u32 [%rd8], %r30;\n"), false},
		{GIVE(".reg .b16 %h<3>;\nmov.b32 {%h1, %h2}, %r30;\n"
		      "st.shared::cluster.v2.u16 [%r26], {%h1, %h2};\n"),
		 false},
		{GIVE("atom.shared::cluster.exch.b32 %r31, [%r26], %r30;\n"), false},
		{GIVE("atom.exch.b32 %r31, [%rd8], %r30;\n"), false},
		{TAKE("ld.shared::cluster.u32 %r4, [%r26];\n"), true},
		{TAKE("ld.u32 %r4, [%rd8];\n"), true},
		{TAKE("atom.shared::cluster.add.u32 %r4, [%r26], 5;\n"), true},
	};
	static const int64_t sizes[] = {2, 3, 8, 16};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(sizes); i++) {
		const int64_t blocks = sizes[i % ARRAY_SIZE(sizes)];
		const bool from_next = rows[i / ARRAY_SIZE(sizes)].from_next;
		struct machine_result result =
			cluster_run_clean(rows[i / ARRAY_SIZE(sizes)].ptx, blocks);
		for (int64_t k = 0; k < 2 * blocks * CLUSTER_THREADS; k++) {
			const int64_t block = k / CLUSTER_THREADS, first = block / blocks * blocks;
			const int64_t from =
				first + (block - first + (from_next ? 1 : blocks - 1)) % blocks;

			assert_int_equal(result.out[k],
					 from * CLUSTER_THREADS + k % CLUSTER_THREADS);
		}
		machine_release(&result);
	}
}

/* All lanes of a warp add to one word of each block in turn: lanes of one instruction access
 * several blocks, their own among them. */
static void lanes_access_several_blocks(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		PLACES
		"mov.u32 %r31, %cluster_nctarank;\n@%p1 st.shared.u32 [%r19], 0;\n" CLUSTER_SYNC
		"rem.u32 %r31, %r1, %r31;\nmapa.shared::cluster.u32 %r32, %r19, %r31;\n"
		"red.shared::cluster.add.u32 [%r32], %r1;\n" CLUSTER_SYNC
		"ld.shared.u32 %r4, [%r19];\n" STORE);
	struct machine_result result = cluster_run_clean(ptx, 4);

	(void)state;
	for (uint32_t block = 0; block < 8; block++) {
		uint32_t sum = 0;

		for (uint32_t thread = block % 4; thread < CLUSTER_THREADS; thread += 4)
			sum += 4 * thread;
		assert_int_equal(result.out[block * CLUSTER_THREADS], sum);
	}
	machine_release(&result);
}

#define AT(body) MACHINE_KERNEL(PLACES WORDS body STORE)
static void addresses_name_their_block(void **state)
{
	static const struct {
		const char *ptx;
		uint32_t of_rank_0, of_rank_1;
	} rows[] = {
		{AT("getctarank.shared::cluster.u32 %r4, %r19;\n"), 0, 1},
		{AT("getctarank.shared::cluster.u32 %r4, %r23;\n"), 1, 0},
		{AT("getctarank.shared::cluster.u32 %r4, slots;\n"), 0, 1},
		{AT("getctarank.u64 %r4, %rd7;\n"), 1, 0},
		/* there and back again */
		{AT("mapa.shared::cluster.u32 %r31, %r23, %r20;\n"
		    "getctarank.shared::cluster.u32 %r4, %r31;\n"),
		 0, 1},
		{AT("mapa.shared::cluster.u32 %r31, slots, 1;\n"
		    "getctarank.shared::cluster.u32 %r4, %r31;\n"),
		 1, 1},
		{AT("mapa.shared::cluster.u64 %rd9, slots, 1;\n"
		    "getctarank.shared::cluster.u64 %r4, %rd9;\n"),
		 1, 1},
		{AT("isspacep.shared::cta %p3, %rd7;\nselp.u32 %r4, 1, 0, %p3;\n"), 0, 0},
		{AT("isspacep.shared %p3, %rd7;\nselp.u32 %r4, 1, 0, %p3;\n"), 0, 0},
		{AT("isspacep.shared::cluster %p3, %rd7;\nselp.u32 %r4, 1, 0, %p3;\n"), 1, 1},
		{AT("isspacep.global %p3, %rd7;\nselp.u32 %r4, 1, 0, %p3;\n"), 0, 0},
		{AT("isspacep.shared::cluster %p3, %rd1;\nselp.u32 %r4, 1, 0, %p3;\n"), 0, 0},
		{AT("mapa.u64 %rd9, %rd7, %r20;\nisspacep.shared::cta %p3, %rd9;\n"
		    "selp.u32 %r4, 1, 0, %p3;\n"),
		 1, 1},
		/* an address of shared::cluster is a generic address less the window */
		{AT("cvta.to.shared::cluster.u64 %rd9, %rd7;\ncvt.u32.u64 %r31, %rd9;\n"
		    "sub.u32 %r4, %r31, %r23;\n"),
		 0, 0},
		{AT("cvt.u64.u32 %rd9, %r23;\ncvta.shared::cluster.u64 %rd9, %rd9;\n"
		    "sub.s64 %rd9, %rd9, %rd7;\ncvt.u32.u64 %r4, %rd9;\n"),
		 0, 0},
		/* a mapped address of the own block is the one that it has there */
		{AT("mapa.shared::cluster.u32 %r31, %r25, %r20;\nsub.u32 %r4, %r31, %r25;\n"), 0,
		 0},
		{AT("cvt.u64.u32 %rd9, %r19;\ncvta.shared.u64 %rd9, %rd9;\n"
		    "mapa.u64 %rd6, %rd9, %r20;\nsub.s64 %rd9, %rd6, %rd9;\n"
		    "cvt.u32.u64 %r4, %rd9;\n"),
		 0, 0},
		/* the own block through a mapped address, also in shared::cta */
		{AT("mapa.shared::cluster.u32 %r31, %r25, %r20;\nst.shared::cluster.u32 [%r31], "
		    "7;\n"
		    "ld.shared.u32 %r4, [%r25];\n"),
		 7, 7},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_result result = cluster_run_clean(rows[i].ptx, 2);

		for (size_t k = 0; k < (size_t)4 * CLUSTER_THREADS; k++)
			if (result.out[k] !=
			    (k / CLUSTER_THREADS % 2 ? rows[i].of_rank_1 : rows[i].of_rank_0))
				fail_msg("%zu: %u in block %zu", i, result.out[k],
					 k / CLUSTER_THREADS);
		machine_release(&result);
	}
}

/* A block is a cluster of its own in a launch without clusters. */
static void a_block_alone_is_its_only_peer(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL(PLACES WORDS "st.shared.u32 [%r25], %r1;\n" CLUSTER_SYNC
					    "xor.b32 %r31, %r24, 4;\nadd.u32 %r31, %r23, %r31;\n"
					    "ld.shared::cluster.u32 %r4, [%r31];\n" STORE);
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .grid = {2}, .block = {64}, .out_words = 128, .checked_blocks = -1});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 128; i++)
		assert_int_equal(result.out[i], (i ^ 1) % 64);
	machine_release(&result);
}

/* ---- wrong addresses ---- */

static void addresses_outside_of_a_block_are_found(void **state)
{
	static const char past_end[] =
		MACHINE_KERNEL(PLACES CLUSTER_SYNC
			       "ld.shared::cluster.u32 %r4, [%r23+1024];\n" CLUSTER_SYNC STORE);
	static const char generic[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "st.u64 [%rd7+1020], %rd1;\n" CLUSTER_SYNC STORE);
	static const char misaligned[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "ld.shared::cluster.u32 %r4, [%r23+2];\n" CLUSTER_SYNC STORE);
	static const char no_rank[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "mapa.shared::cluster.u32 %r31, %r19, 2;\n"
				    "ld.shared::cluster.u32 %r4, [%r31];\n" CLUSTER_SYNC STORE);
	static const char huge_rank[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "mapa.shared::cluster.u32 %r31, %r19, -1;\n"
				    "red.shared::cluster.add.u32 [%r31], 1;\n" CLUSTER_SYNC STORE);
	static const char own_only[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "ld.shared::cta.u32 %r4, [%r23];\n" CLUSTER_SYNC STORE);
	static const char far_away[] =
		MACHINE_KERNEL(PLACES CLUSTER_SYNC
			       "ld.shared::cluster.u32 %r4, [%r19+16777216];\n" CLUSTER_SYNC STORE);
	static const char no_shared[] =
		MACHINE_KERNEL(PLACES CLUSTER_SYNC "mapa.u64 %rd9, %rd1, 0;\n" CLUSTER_SYNC STORE);

	(void)state;
	assert_cluster_finding(past_end, FINDING_OUT_OF_BOUNDS, "ld.shared::cluster",
			       "at byte 1024, which ends 4 bytes past its end (1024 bytes)");
	assert_cluster_finding(generic, FINDING_MISALIGNED, "st.u64", "at byte 1020");
	assert_cluster_finding(misaligned, FINDING_MISALIGNED, "ld.shared::cluster", "at byte 2");
	assert_cluster_finding(no_rank, FINDING_OUT_OF_BOUNDS, "ld.shared::cluster",
			       "a block that is not in the cluster, which has 2");
	assert_cluster_finding(huge_rank, FINDING_OUT_OF_BOUNDS, "red.shared::cluster",
			       "a block that is not in the cluster, which has 2");
	assert_cluster_finding(own_only, FINDING_OUT_OF_BOUNDS, "ld.shared::cta",
			       "use an instruction for shared::cluster");
	assert_cluster_finding(far_away, FINDING_OUT_OF_BOUNDS, "ld.shared::cluster",
			       "past its end");
	assert_cluster_finding(no_shared, FINDING_OUT_OF_BOUNDS, "mapa.u64 %rd9, %rd1",
			       "not in shared memory");
}

/* ---- blocks that may be absent ---- */

static void blocks_must_have_begun_and_not_ended(void **state)
{
	static const char early[] = MACHINE_KERNEL(
		PLACES "@%p1 st.shared::cluster.u32 [%r23], 1;\n" CLUSTER_SYNC "ret;\n");
	static const char unordered_end[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "@%p1 st.shared::cluster.u32 [%r23], 1;\nret;\n");
	/* The first block ends at once, the other one goes on for long. */
	static const char late[] = MACHINE_KERNEL(
		PLACES CLUSTER_SYNC "@%p2 ret;\nmov.u32 %r31, 0;\nLOOP:\nadd.u32 %r31, %r31, 1;\n"
				    "setp.lt.u32 %p3, %r31, 60000;\n@%p3 bra LOOP;\n"
				    "@%p1 st.shared::cluster.u32 [%r23], 1;\nret;\n");

	(void)state;
	assert_cluster_finding(early, FINDING_ABSENT_BLOCK, "@%p1 st.shared::cluster",
			       "before it is sure that the block has begun");
	assert_cluster_finding_among(unordered_end, FINDING_ABSENT_BLOCK, "",
				     "may still access its shared memory");
	assert_cluster_finding(late, FINDING_ABSENT_BLOCK, "@%p1 st.shared::cluster",
			       "after the block has ended");
}

/* ---- races ---- */

static void accesses_of_other_blocks_race(void **state)
{
	static const struct {
		const char *ptx, *line, *words;
		enum finding_kind kind;
	} rows[] = {
		/* nothing between a store to another block and the load there */
		{MACHINE_KERNEL(PLACES "@%p1 st.shared.u32 [%r19], 1;\n" CLUSTER_SYNC
				       "@%p1 st.shared::cluster.u32 [%r23], %r21;\nbar.sync 0;\n"
				       "ld.shared.u32 %r4, [%r19];\n" CLUSTER_SYNC STORE),
		 "ld.shared.u32 %r4", "no barrier of the cluster between", FINDING_RACE},
		/* the reader does not keep the writer of the next round away */
		{MACHINE_KERNEL(PLACES "@%p1 st.shared.u32 [%r19], 1;\n" CLUSTER_SYNC
				       "ld.shared::cluster.u32 %r4, [%r23];\nbar.sync 0;\n"
				       "@%p1 st.shared.u32 [%r19], 2;\n" CLUSTER_SYNC STORE),
		 "", "no barrier of the cluster between", FINDING_RACE},
		/* two blocks store to a third one */
		{MACHINE_KERNEL(PLACES
				"mapa.shared::cluster.u32 %r31, %r19, 0;\n" CLUSTER_SYNC
				"@%p1 st.shared::cluster.u32 [%r31], %r21;\n" CLUSTER_SYNC STORE),
		 "@%p1 st.shared::cluster", "of block (0,0,0)", FINDING_RACE},
		/* an atomic does not order a store */
		{MACHINE_KERNEL(PLACES "@%p1 st.shared.u32 [%r19], 1;\n" CLUSTER_SYNC
				       "@%p1 red.shared::cluster.add.u32 [%r23], 1;\n"
				       "@%p1 st.shared.u32 [%r19], 5;\n" CLUSTER_SYNC STORE),
		 "", "no barrier of the cluster between", FINDING_RACE},
		/* st.async is not waited for */
		{MACHINE_KERNEL(
			 PLACES OBJECT
			 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r27], 4;\nbar.sync 0;\n"
			 "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
			 "[%r23], %r21, [%r28];\nld.shared.u32 %r4, [%r19];\n" CLUSTER_SYNC STORE),
		 "", "", FINDING_RACE},
		/* another block's memory that nobody wrote */
		{MACHINE_KERNEL(PLACES CLUSTER_SYNC
				"ld.shared::cluster.u32 %r4, [%r23+8];\n" CLUSTER_SYNC STORE),
		 "ld.shared::cluster", "is read before any thread has written it",
		 FINDING_UNINITIALISED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_cluster_finding_among(rows[i].ptx, rows[i].kind, rows[i].line,
					     rows[i].words);
}

/* What is right between the threads of one block stays right in a cluster. */
static void barriers_of_a_block_still_order(void **state)
{
	static const char *const rows[] = {
		/* in rounds, by the barrier of the block and by bar.warp.sync */
		MACHINE_KERNEL(
			PLACES WORDS
			"mov.u32 %r31, 0;\nROUND:\nst.shared.u32 [%r25], %r31;\nbar.sync 0;\n"
			"xor.b32 %r32, %r24, 128;\nadd.u32 %r32, %r19, %r32;\n"
			"ld.shared.u32 %r4, [%r32];\nbar.sync 0;\nadd.u32 %r31, %r31, 1;\n"
			"setp.lt.u32 %p3, %r31, 5;\n@%p3 bra ROUND;\n" STORE),
		MACHINE_KERNEL(
			PLACES WORDS
			"mov.u32 %r31, 0;\nROUND:\nst.shared.u32 [%r25], %r31;\n"
			"bar.warp.sync -1;\nxor.b32 %r32, %r24, 4;\nadd.u32 %r32, %r19, %r32;\n"
			"ld.shared.u32 %r4, [%r32];\nbar.warp.sync -1;\n"
			"add.u32 %r31, %r31, 1;\nsetp.lt.u32 %p3, %r31, 5;\n@%p3 bra "
			"ROUND;\n" STORE),
		/* the barrier of the block passes on what the cluster's did, and the reverse */
		MACHINE_KERNEL(PLACES
			       "mov.u32 %r4, 0;\nmov.u32 %r31, 0;\nROUND:\n"
			       "@%p1 st.shared.u32 [%r19], %r31;\nbar.sync 0;\n" CLUSTER_SYNC
			       "ld.shared::cluster.u32 %r4, [%r23];\nbar.sync 0;\n" CLUSTER_SYNC
			       "add.u32 %r31, %r31, 1;\nsetp.lt.u32 %p3, %r31, 5;\n"
			       "@%p3 bra ROUND;\n" STORE),
		/* lanes set a word, then all count on it */
		MACHINE_KERNEL(PLACES
			       "@%p1 st.shared.u32 [%r19], 0;\n" CLUSTER_SYNC
			       "red.shared::cluster.add.u32 [%r23], 1;\n"
			       "red.shared.add.u32 [%r19], 1;\n" CLUSTER_SYNC
			       "ld.shared.u32 %r31, [%r19];\nadd.u32 %r4, %r31, -124;\n" STORE),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_result result = cluster_run_clean(rows[i], 2);

		for (size_t k = 0; k < (size_t)4 * CLUSTER_THREADS; k++)
			assert_int_equal(result.out[k], 4);
		machine_release(&result);
	}
}

static void a_missing_barrier_of_a_block_is_still_found(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL(PLACES WORDS CLUSTER_SYNC
			       "st.shared.u32 [%r25], %r1;\nxor.b32 %r32, %r24, 128;\n"
			       "add.u32 %r32, %r19, %r32;\nld.shared.u32 %r4, [%r32];\n" STORE);

	(void)state;
	assert_cluster_finding_among(ptx, FINDING_RACE, "ld.shared.u32 %r4",
				     "order the accesses with __syncthreads()");
}

/* Readers of earlier rounds make room for those of this one: two warps of the first block read,
 * then one of the other block, and nothing orders the store after that. */
static void later_readers_are_remembered(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL(PLACES "@%p1 st.shared.u32 [%r19], 1;\n" CLUSTER_SYNC
				      "@%p2 ld.shared.u32 %r4, [%r19];\n" CLUSTER_SYNC
				      "@!%p2 ld.shared::cluster.u32 %r31, [%r23];\n@!%p2 mov.u32 "
				      "%r4, %r31;\nand.pred %p3, %p1, %p2;\n"
				      "@%p3 st.shared.u32 [%r19], 2;\n" CLUSTER_SYNC STORE);

	(void)state;
	assert_cluster_finding(ptx, FINDING_RACE, "@%p3 st.shared.u32", "of block (1,0,0) read");
}

/* Without checks the data are the same. */
static void unchecked_blocks_give_the_same(void **state)
{
	static const char ptx[] = TAKE("ld.shared::cluster.u32 %r4, [%r26];\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx,
						   .grid = {8},
						   .block = {CLUSTER_THREADS},
						   .cluster = {4, 1, 1},
						   .out_words = (size_t)8 * CLUSTER_THREADS});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 8 * CLUSTER_THREADS; i++)
		assert_int_equal(result.out[i],
				 (i / CLUSTER_THREADS / 4 * 4 + (i / CLUSTER_THREADS + 1) % 4) *
						 CLUSTER_THREADS +
					 i % CLUSTER_THREADS);
	machine_release(&result);
}

/* ---- counts ---- */

/* Accesses to other blocks are counted apart; the own ones of the same instruction as ever. */
static void requests_to_other_blocks_are_counted_apart(void **state)
{
	static const char remote[] = TAKE("ld.shared::cluster.u32 %r4, [%r26];\n");
	static const char generic[] = TAKE("ld.u32 %r4, [%rd8];\n");
	/* odd lanes read the own block */
	static const char both[] = MACHINE_KERNEL(
		PLACES WORDS "st.shared.u32 [%r25], %r30;\n" CLUSTER_SYNC
			     "and.b32 %r31, %r1, 1;\nsetp.eq.u32 %p3, %r31, 1;\n"
			     "selp.u32 %r31, %r25, %r26, %p3;\n"
			     "ld.shared::cluster.u32 %r4, [%r31];\n" CLUSTER_SYNC STORE);
	static const struct {
		const char *ptx;
		uint64_t own, wavefronts;
	} rows[] = {{remote, 0, 0}, {generic, 0, 0}, {both, 8, 8}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_result result = cluster_run_clean(rows[i].ptx, 2);

		/* four blocks of two warps */
		assert_int_equal(result.counts.remote_shared_requests, 8);
		assert_int_equal(result.counts.shared_load_requests, rows[i].own);
		assert_int_equal(result.counts.shared_load_wavefronts, rows[i].wavefronts);
		assert_int_equal(result.counts.shared_store_requests, 8);
		assert_int_equal(result.counts.shared_store_wavefronts, 8);
		assert_int_equal(result.counts.shared_bank_conflicts, 0);
		machine_release(&result);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_access_other_blocks),
		cmocka_unit_test(lanes_access_several_blocks),
		cmocka_unit_test(addresses_name_their_block),
		cmocka_unit_test(a_block_alone_is_its_only_peer),
		cmocka_unit_test(addresses_outside_of_a_block_are_found),
		cmocka_unit_test(blocks_must_have_begun_and_not_ended),
		cmocka_unit_test(accesses_of_other_blocks_race),
		cmocka_unit_test(barriers_of_a_block_still_order),
		cmocka_unit_test(a_missing_barrier_of_a_block_is_still_found),
		cmocka_unit_test(later_readers_are_remembered),
		cmocka_unit_test(unchecked_blocks_give_the_same),
		cmocka_unit_test(requests_to_other_blocks_are_counted_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
