/* Launches with clusters: their shapes, what the registers say, and the barrier of a cluster. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* Leaves in %r20 the block's number in its cluster, in %r21 its linear number in a grid of one row,
 * and in %rd5 the address of out[that]. */
#define OWN_WORD                                                     \
	"mov.u32 %r20, %cluster_ctarank;\nmov.u32 %r21, %ctaid.x;\n" \
	"mul.wide.u32 %rd5, %r21, 4;\nadd.s64 %rd5, %rd1, %rd5;\nsetp.eq.u32 %p1, %r1, 0;\n"
#define CLUSTER_SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

/* The PTX of a kernel with a directive between its parameters and its body. */
static char *with_directive(const char *ptx, const char *directive)
{
	const char *body = strstr(ptx, "{\n.reg");

	return xasprintf("%.*s%s\n%s", (int)(body - ptx), ptx, directive, body);
}

static struct machine_result run_clean(const struct machine_case *work)
{
	struct machine_result result = machine_run(work);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

/* ---- registers ---- */

#define REGISTERS_WORDS 16
/* Stores all registers of clusters at out[16 * linear number of the block]. */
static const char registers[] = MACHINE_KERNEL(
	"mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ctaid.y;\nmov.u32 %r6, %ctaid.z;\n"
	"mov.u32 %r7, %nctaid.x;\nmov.u32 %r8, %nctaid.y;\nmad.lo.u32 %r9, %r6, %r8, %r5;\n"
	"mad.lo.u32 %r9, %r9, %r7, %r4;\nmul.wide.u32 %rd5, %r9, 64;\nadd.s64 %rd5, %rd1, %rd5;\n"
	"mov.u32 %r10, %clusterid.x;\nst.global.u32 [%rd5], %r10;\n"
	"mov.u32 %r10, %clusterid.y;\nst.global.u32 [%rd5+4], %r10;\n"
	"mov.u32 %r10, %clusterid.z;\nst.global.u32 [%rd5+8], %r10;\n"
	"mov.u32 %r10, %nclusterid.x;\nst.global.u32 [%rd5+12], %r10;\n"
	"mov.u32 %r10, %nclusterid.y;\nst.global.u32 [%rd5+16], %r10;\n"
	"mov.u32 %r10, %nclusterid.z;\nst.global.u32 [%rd5+20], %r10;\n"
	"mov.u32 %r10, %cluster_ctaid.x;\nst.global.u32 [%rd5+24], %r10;\n"
	"mov.u32 %r10, %cluster_ctaid.y;\nst.global.u32 [%rd5+28], %r10;\n"
	"mov.u32 %r10, %cluster_ctaid.z;\nst.global.u32 [%rd5+32], %r10;\n"
	"mov.u32 %r10, %cluster_nctaid.x;\nst.global.u32 [%rd5+36], %r10;\n"
	"mov.u32 %r10, %cluster_nctaid.y;\nst.global.u32 [%rd5+40], %r10;\n"
	"mov.u32 %r10, %cluster_nctaid.z;\nst.global.u32 [%rd5+44], %r10;\n"
	"mov.u32 %r10, %cluster_ctarank;\nst.global.u32 [%rd5+48], %r10;\n"
	"mov.u32 %r10, %cluster_nctarank;\nst.global.u32 [%rd5+52], %r10;\n"
	"mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r10, 1, 0, %p1;\n"
	"st.global.u32 [%rd5+56], %r10;\nst.global.u32 [%rd5+60], %r4;\nret;\n");

static void assert_registers(const char *ptx, const int64_t grid[3], const int64_t asked[3],
			     const int64_t cluster[3], bool explicit)
{
	struct machine_case work = {
		.ptx = ptx, .out_words = (size_t)(grid[0] * grid[1] * grid[2] * REGISTERS_WORDS)};
	struct machine_result result;

	memcpy(work.grid, grid, sizeof(work.grid));
	memcpy(work.cluster, asked, sizeof(work.cluster));
	result = run_clean(&work);
	for (int64_t z = 0; z < grid[2]; z++)
		for (int64_t y = 0; y < grid[1]; y++)
			for (int64_t x = 0; x < grid[0]; x++) {
				const int64_t at[3] = {x, y, z};
				const int64_t number = x + grid[0] * (y + grid[1] * z);
				const int64_t rank = x % cluster[0] +
						     cluster[0] * (y % cluster[1] +
								   cluster[1] * (z % cluster[2]));
				const uint32_t *got = result.out + number * REGISTERS_WORDS;

				for (int i = 0; i < 3; i++) {
					assert_int_equal(got[i], at[i] / cluster[i]);
					assert_int_equal(got[3 + i], grid[i] / cluster[i]);
					assert_int_equal(got[6 + i], at[i] % cluster[i]);
					assert_int_equal(got[9 + i], cluster[i]);
				}
				assert_int_equal(got[12], rank);
				assert_int_equal(got[13], cluster[0] * cluster[1] * cluster[2]);
				assert_int_equal(got[14], explicit);
				assert_int_equal(got[15], x);
			}
	assert_int_equal(result.counts.blocks_executed, grid[0] * grid[1] * grid[2]);
	machine_release(&result);
}

static void the_registers_tell_the_place_in_the_cluster(void **state)
{
	static const int64_t grid[3] = {4, 6, 2}, none[3] = {0}, ones[3] = {1, 1, 1};
	static const int64_t shapes[][3] = {{2, 1, 1}, {1, 3, 2}, {4, 2, 1}, {2, 2, 2}, {4, 2, 2}};
	char *compiled = with_directive(registers, ".explicitcluster\n.reqnctapercluster 2, 3, 1");
	char *limited = with_directive(registers, ".explicitcluster\n.maxclusterrank 8");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		assert_registers(registers, grid, shapes[i], shapes[i], true);
	/* Each block is a cluster of its own. */
	assert_registers(registers, grid, none, ones, false);
	assert_registers(registers, grid, ones, ones, false);
	assert_registers(compiled, grid, none, (const int64_t[]){2, 3, 1}, true);
	assert_registers(compiled, grid, (const int64_t[]){2, 3, 1}, (const int64_t[]){2, 3, 1},
			 true);
	assert_registers(limited, grid, shapes[2], shapes[2], true);
	free(compiled);
	free(limited);
}

static void the_wrong_type_is_refused(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(decode_body_fails("mov.u32 %r1, %is_explicit_cluster;\nret;", &err, NULL),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "%is_explicit_cluster is a predicate"));
	assert_int_equal(decode_body_fails("mov.pred %p1, %cluster_ctarank;\nret;", &err, NULL),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "%cluster_ctarank is not a predicate"));
}

static void shapes_that_no_device_accepts_are_refused(void **state)
{
	static const struct {
		const char *directive;
		int64_t grid[3], cluster[3];
		const char *words;
	} rows[] = {
		{"", {6, 1, 1}, {4, 1, 1}, "6 blocks along x, no multiple of the 4 of a cluster"},
		{"", {4, 3, 1}, {2, 2, 1}, "3 blocks along y, no multiple of the 2 of a cluster"},
		{"", {32, 1, 1}, {32, 1, 1}, "1 to 16 blocks are possible"},
		{"", {8, 8, 1}, {8, 4, 1}, "1 to 16 blocks are possible"},
		{"", {4, 1, 1}, {2, 0, 1}, "the cluster has 0 blocks in y"},
		{"", {4, 1, 1}, {-2, 1, 1}, "the cluster has -2 blocks in x"},
		{"", {4, 1, 1}, {INT64_MAX, INT64_MAX, 4}, "1 to 16 blocks are possible"},
		{".reqnctapercluster 4", {6, 1, 1}, {0}, "no multiple of the 4 of a cluster"},
		{".reqnctapercluster 2, 2", {4, 4, 1}, {4, 1, 1}, "compiled for exactly 2 x 2 x 1"},
		{".reqnctapercluster 0", {4, 1, 1}, {0}, "1 to 16 blocks are possible"},
		{".explicitcluster", {4, 1, 1}, {0}, "give the launch a cluster"},
		{".maxclusterrank 4", {8, 1, 1}, {8, 1, 1}, "1 to 4 blocks are possible"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *ptx = with_directive(registers, rows[i].directive);
		struct machine_case work = {.ptx = ptx, .out_words = 4096};
		struct error err;

		memcpy(work.grid, rows[i].grid, sizeof(work.grid));
		memcpy(work.cluster, rows[i].cluster, sizeof(work.cluster));
		assert_int_equal(machine_refused(&work, &err), PL_EUSAGE);
		if (!strstr(err.text, rows[i].words))
			fail_msg("%zu: %s", i, err.text);
		free(ptx);
	}
}

static void blocks_of_a_cluster_do_not_run_alone(void **state)
{
	static const int64_t blocks[] = {0, 1};
	const struct machine_case work = {.ptx = registers,
					  .grid = {4},
					  .cluster = {2},
					  .out_words = 64,
					  .blocks = blocks,
					  .block_count = 2};
	struct machine_case pairs = work;
	struct error err;

	(void)state;
	pairs.cluster[1] = pairs.cluster[2] = 1;
	assert_int_equal(machine_refused(&pairs, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "its blocks cannot run alone"));
}

/* ---- the barrier ---- */

/* Each block writes its number plus 1, then adds up what its cluster wrote, in global memory. */
#define SUM_OF_CLUSTER(sync)                                                                      \
	OWN_WORD "add.u32 %r22, %r21, 1;\n@%p1 st.global.u32 [%rd5], %r22;\n" sync                \
		 "mov.u32 %r4, 0;\nmov.u32 %r13, 0;\nmov.u32 %r11, %cluster_nctarank;\n"          \
		 "mul.wide.u32 %rd6, %r20, 4;\nsub.s64 %rd6, %rd5, %rd6;\nADD:\n"                 \
		 "ld.global.u32 %r14, [%rd6];\nadd.u32 %r4, %r4, %r14;\nadd.s64 %rd6, %rd6, 4;\n" \
		 "add.u32 %r13, %r13, 1;\nsetp.lt.u32 %p2, %r13, %r11;\n@%p2 bra ADD;\n" sync     \
		 "@%p1 st.global.u32 [%rd5], %r4;\nret;\n"

static void assert_cluster_sums(const char *ptx, bool cooperative)
{
	static const int64_t sizes[] = {1, 2, 8, 16};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct machine_result result =
			run_clean(&(struct machine_case){.ptx = ptx,
							 .grid = {32},
							 .block = {96},
							 .cluster = {sizes[i], 1, 1},
							 .out_words = 32,
							 .cooperative = cooperative,
							 .check_global = true,
							 .launches = 2,
							 .checked_blocks = -1});

		for (int64_t k = 0; k < 32; k++) {
			int64_t first = k / sizes[i] * sizes[i];

			assert_int_equal(result.out[k],
					 sizes[i] * first + sizes[i] * (sizes[i] + 1) / 2);
		}
		assert_int_equal(result.counts.blocks_executed, 64);
		machine_release(&result);
	}
}

static void a_cluster_barrier_orders_its_blocks(void **state)
{
	static const char aligned[] = MACHINE_KERNEL(SUM_OF_CLUSTER(CLUSTER_SYNC));
	static const char split[] = MACHINE_KERNEL(
		SUM_OF_CLUSTER("barrier.cluster.arrive.release;\nadd.u32 %r30, %r30, 1;\n"
			       "barrier.cluster.wait.acquire;\n"));
	static const char relaxed[] = MACHINE_KERNEL(
		SUM_OF_CLUSTER("fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed.aligned;\n"
			       "barrier.cluster.wait.acquire.aligned;\n"));

	(void)state;
	assert_cluster_sums(aligned, false);
	assert_cluster_sums(aligned, true);
	assert_cluster_sums(split, false);
	assert_cluster_sums(relaxed, false);
}

/* Without the barrier a block reads what another one of its cluster may not have written. */
static void without_it_blocks_race(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(SUM_OF_CLUSTER("bar.sync 0;\n"));
	struct machine_result result = machine_run(&(struct machine_case){.ptx = ptx,
									  .grid = {4},
									  .block = {32},
									  .cluster = {2, 1, 1},
									  .out_words = 4,
									  .check_global = true});

	(void)state;
	assert_true(result.findings.count > 0);
	for (size_t i = 0; i < result.findings.count; i++)
		assert_int_equal(result.findings.items[i].kind, FINDING_GLOBAL_RACE);
	machine_release(&result);
}

/* The barrier of one cluster does not order blocks of another: each block reads the word of the
 * block half a grid away. */
static void it_orders_no_other_clusters(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		OWN_WORD "@%p1 st.global.u32 [%rd5], %r21;\n" CLUSTER_SYNC
			 "xor.b32 %r22, %r21, 2;\nmul.wide.u32 %rd6, %r22, 4;\n"
			 "add.s64 %rd6, %rd1, %rd6;\nld.global.u32 %r4, [%rd6];\n" CLUSTER_SYNC
			 "@%p1 st.global.u32 [%rd5+16], %r4;\nret;\n");
	struct machine_case work = {.ptx = ptx,
				    .grid = {4},
				    .block = {32},
				    .cluster = {2, 1, 1},
				    .out_words = 8,
				    .check_global = true};
	struct machine_result result = machine_run(&work);

	(void)state;
	assert_int_equal(result.findings.count, 2); /* before the read, and after it */
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(result.findings.items[i].kind, FINDING_GLOBAL_RACE);
	machine_release(&result);
	work.cluster[0] = 4;
	result = run_clean(&work);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(result.out[4 + i], i ^ 2);
	machine_release(&result);
}

/* A block of a cluster publishes what the others stored before the barrier of the cluster: block 1
 * raises a flag, and the blocks of the next cluster read what block 0 stored. */
static void a_block_publishes_for_its_cluster(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		OWN_WORD
		"setp.gt.u32 %p2, %r21, 1;\n@%p2 bra READ;\nsetp.eq.u32 %p3, %r20, 0;\n"
		"@%p3 st.global.u32 [%rd1], 5;\n" CLUSTER_SYNC
		"setp.eq.u32 %p4, %r20, 1;\nfence.acq_rel.gpu;\n"
		"@%p4 st.relaxed.gpu.global.u32 [%rd1+4], 1;\nret;\nREAD:\n"
		"ld.acquire.gpu.global.u32 %r22, [%rd1+4];\nsetp.ne.u32 %p5, %r22, 1;\n"
		"@%p5 bra READ;\nld.global.u32 %r4, [%rd1];\nst.global.u32 [%rd5], %r4;\nret;\n");
	struct machine_result result = run_clean(&(struct machine_case){.ptx = ptx,
									.grid = {4},
									.block = {1},
									.cluster = {2, 1, 1},
									.out_words = 4,
									.check_global = true});

	(void)state;
	assert_int_equal(result.out[2], 5);
	assert_int_equal(result.out[3], 5);
	machine_release(&result);
}

/* Threads that have ended are not waited for, in the own block or in another one. */
static void ended_threads_do_not_count(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		OWN_WORD "setp.gt.u32 %p2, %r1, 39;\nsetp.eq.u32 %p3, %r21, 1;\n"
			 "@%p2 ret;\n@%p3 ret;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
			 "mov.u32 %r4, 7;\n@%p1 st.global.u32 [%rd5], %r4;\nret;\n");
	struct machine_result result = run_clean(&(struct machine_case){
		.ptx = ptx, .grid = {4}, .block = {96}, .cluster = {4, 1, 1}, .out_words = 4});
	static const uint32_t expected[] = {7, 0, 7, 7};

	(void)state;
	assert_memory_equal(result.out, expected, sizeof(expected));
	machine_release(&result);
}

static void misuse_of_the_barrier_is_found(void **state)
{
	static const struct {
		const char *ptx, *line, *words;
		enum finding_kind kind;
	} rows[] = {
		{MACHINE_KERNEL("barrier.cluster.wait;\nret;\n"), "barrier.cluster.wait",
		 "at which it has not arrived", FINDING_CLUSTER_BARRIER},
		{MACHINE_KERNEL("barrier.cluster.arrive;\nbarrier.cluster.arrive.relaxed;\n"
				"barrier.cluster.wait;\nret;\n"),
		 "barrier.cluster.arrive.relaxed", "arrives again", FINDING_CLUSTER_BARRIER},
		/* one block waits for its own threads, and the other one for that block */
		{MACHINE_KERNEL(OWN_WORD
				"setp.eq.u32 %p2, %r20, 0;\n@%p2 bra FIRST;\nbar.sync 1, 96;\n"
				"FIRST:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
				"ret;\n"),
		 "bar.sync 1", "barrier 1 is incomplete", FINDING_DEADLOCK},
		{MACHINE_KERNEL(OWN_WORD
				"setp.lt.u32 %p2, %r1, 32;\n@%p2 bra WAIT;\nbar.sync 1, 96;\n"
				"WAIT:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
				"ret;\n"),
		 "bar.sync 1", "barrier 1 is incomplete", FINDING_DEADLOCK},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_result result =
			machine_run(&(struct machine_case){.ptx = rows[i].ptx,
							   .grid = {2},
							   .block = {64},
							   .cluster = {2, 1, 1},
							   .out_words = 2});

		assert_finding(&result, rows[i].kind, line_with(rows[i].ptx, rows[i].line),
			       rows[i].words);
		machine_release(&result);
	}
}

/* One block waits at the barrier, the others for an mbarrier that completes never. */
static void a_cluster_that_cannot_continue_is_found(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		".shared .align 8 .b8 bar[8];\n" OWN_WORD "mov.u32 %r23, bar;\n"
		"@%p1 mbarrier.init.shared.b64 [%r23], 1;\nbar.sync 0;\n"
		"setp.eq.u32 %p2, %r20, 0;\n@%p2 bra MEET;\nWAIT:\n"
		"mbarrier.try_wait.parity.shared.b64 %p3, [%r23], 0;\n@!%p3 bra WAIT;\nMEET:\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx,
						   .grid = {4},
						   .block = {64},
						   .cluster = {4, 1, 1},
						   .max_instructions = 100000000,
						   .checked_blocks = -1});

	(void)state;
	assert_finding(&result, FINDING_DEADLOCK, line_with(ptx, "mbarrier.try_wait"),
		       "never completes");
	machine_release(&result);
}

/* ---- forms that are refused ---- */

static void unknown_forms_are_refused_by_name(void **state)
{
	static const char *const refused[] = {
		"barrier.cluster;",
		"barrier.cluster.sync;",
		"barrier.cluster.arrive.acquire;",
		"barrier.cluster.wait.release;",
		"barrier.cluster.wait.aligned.aligned;",
		"mapa.shared::cta.u32 %r1, %r2, 0;",
		"mapa.u32 %r1, %r2, 0;",
		"mapa.shared::cluster.s32 %r1, %r2, 0;",
		"getctarank.u32 %r1, %r2;",
		"st.async.shared::cta.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
		"st.async.mmio.release.sys.global.u32 [%rd1], %r2;",
		("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 "
		 "[%r1], %f1, [%r3];"),
	};
	static const struct {
		const char *text, *words;
	} invalid[] = {
		{"barrier.cluster.arrive 0;", "operands"},
		{"barrier.cluster.arrive.release.relaxed;", "both .release and .relaxed"},
		{"mapa.shared::cluster.u32 %r1, %r2;", "operands"},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32;", "operands"},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], %r2, [%r3];",
		 "the number of registers"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i]);
		char *name = xstrndup(refused[i], strcspn(refused[i], " ;"));
		struct error err;

		if (decode_body_fails(body, &err, NULL) != PL_EUNSUPPORTED ||
		    !strstr(err.text, name))
			fail_msg("%s: %s", refused[i], err.text);
		free(name);
		free(body);
	}
	for (size_t i = 0; i < ARRAY_SIZE(invalid); i++) {
		char *body = xasprintf("%s\nret;", invalid[i].text);
		struct error err;

		if (decode_body_fails(body, &err, NULL) != PL_EPARSE ||
		    !strstr(err.text, invalid[i].words))
			fail_msg("%s: %s", invalid[i].text, err.text);
		free(body);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_registers_tell_the_place_in_the_cluster),
		cmocka_unit_test(the_wrong_type_is_refused),
		cmocka_unit_test(shapes_that_no_device_accepts_are_refused),
		cmocka_unit_test(blocks_of_a_cluster_do_not_run_alone),
		cmocka_unit_test(a_cluster_barrier_orders_its_blocks),
		cmocka_unit_test(without_it_blocks_race),
		cmocka_unit_test(it_orders_no_other_clusters),
		cmocka_unit_test(a_block_publishes_for_its_cluster),
		cmocka_unit_test(ended_threads_do_not_count),
		cmocka_unit_test(misuse_of_the_barrier_is_found),
		cmocka_unit_test(a_cluster_that_cannot_continue_is_found),
		cmocka_unit_test(unknown_forms_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
