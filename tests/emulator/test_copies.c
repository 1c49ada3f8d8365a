/* Asynchronous copies: what is decoded, when their bytes arrive, and what they cost. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/machine/copies/async_copies.h"

/* ---- decoding ---- */

static void copies_and_waits_are_decoded(void **state)
{
	struct decoded decoded = decode_body(
		".shared .align 16 .b8 tile[64];\nmov.u64 %rd1, 4096;\nmov.u32 %r1, tile;\n"
		"setp.eq.u32 %p1, %r1, 0;\n"
		"cp.async.ca.shared.global [%r1+4], [%rd1+8], 4;\n"
		"cp.async.cg.shared::cta.global.L2::128B [tile+16], [%rd1], 16, %r1;\n"
		"cp.async.ca.shared.global [%rd1], [%rd1+-16], 16, %p1;\n"
		"cp.async.commit_group;\ncp.async.wait_group 3;\ncp.async.wait_all;\nret;");
	const struct instruction *code = decoded.function->code + 3;

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B64 MOV_B32 SETP_EQ_U32 COPY COPY COPY COPY_COMMIT COPY_WAIT "
			    "COPY_WAIT RET");
	assert_int_equal(code[0].kind, COPY_THROUGH_L1);
	assert_int_equal(code[0].width * code[0].vector, 4);
	assert_true(code[0].narrow_address);
	assert_int_equal(code[0].offset, 4);
	assert_int_equal(code[0].from_offset, 8);
	assert_int_equal(code[0].c, 0);
	assert_int_equal(code[1].kind, COPY_PAST_L1);
	assert_int_equal(code[1].width * code[1].vector, 16);
	assert_int_equal(code[1].offset, 16);
	assert_true(code[1].c != 0 && code[1].d == 0);
	assert_false(code[2].narrow_address);
	assert_int_equal(code[2].from_offset, -16);
	assert_true(code[2].c == 0 && code[2].d != 0);
	assert_int_equal(code[4].offset, 3);
	assert_int_equal(code[5].offset, -1);
	decoded_release(&decoded);
}

static void copies_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		const char *statement, *words;
	} refused[] = {
		{"cp.async.ca.shared.global [%r1], [%rd1], 12;", "4, 8 or 16 bytes"},
		{"cp.async.ca.shared.global [%r1], [%rd1], %r2;", "4, 8 or 16 bytes"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 8;",
		 "a copy that bypasses the L1 must have 16 bytes"},
		{"cp.async.ca.shared.global [%r1], [%rd1], 8, 9;", "greater than the 8 bytes"},
		{"cp.async.ca.shared.global [%r1], [%rd1], 8, %rd1, %rd1;", "operand"},
		{"cp.async.ca.shared.global [%r1], [%rd1];", "operand"},
		{"cp.async.ca.shared.global [%r1], [%r1], 4;",
		 "32-bit register cannot hold this address"},
		{"cp.async.ca.shared.global [%rd1], %rd1, 4;", "an address in []"},
		{"cp.async.ca.shared.global [%rd1], [p], 4;", "a param variable"},
		{"cp.async.wait_group %r1;", "a number of groups"},
		{"cp.async.wait_group -1;", "a number of groups"},
		{"cp.async.wait_group;", "operand"},
		{"cp.async.wait_all 0;", "operand"},
		{"cp.async.commit_group 0;", "operand"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err;

		if (decode_body_fails(body, &err, NULL) != PL_EPARSE ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

static void copies_of_other_kinds_are_gaps(void **state)
{
	static const char *const gaps[] = {
		"cp.async.shared.global [%r1], [%rd1], 16;",
		"cp.async.ca.cg.shared.global [%r1], [%rd1], 16;",
		"cp.async.ca.shared::cluster.global [%r1], [%rd1], 16;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		char *body = xasprintf("%s\nret;", gaps[i]);
		struct error err;

		if (decode_body_fails(body, &err, NULL) != PL_EUNSUPPORTED)
			fail_msg("%s: %s", gaps[i], err.text);
		free(body);
	}
}

/* ---- when they arrive ---- */

/* Shared memory of 16 bytes a thread; the thread's are at %r20. */
#define SLOTS                                                        \
	".shared .align 16 .b8 slots[1024];\nmov.u32 %r19, slots;\n" \
	"shl.b32 %r20, %r1, 4;\nadd.u32 %r20, %r19, %r20;\n"
#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"

static const uint32_t numbers[] = {11, 22, 33, 44, 55, 66, 77, 88};

static struct machine_result run(const char *ptx, int64_t threads, int64_t checked_blocks)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {threads},
						  .in = numbers,
						  .in_words = ARRAY_SIZE(numbers),
						  .checked_blocks = checked_blocks});
}

/* One thread; nobody looks for findings, so that what it sees is all there is. */
static uint32_t seen(const char *ptx)
{
	struct machine_result result = run(ptx, 1, 0);
	uint32_t value = result.out[0];

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	return value;
}

#define COPY_TWO                                                                 \
	"st.shared.u32 [%r20], 1;\nst.shared.u32 [%r20+4], 2;\n"                 \
	"cp.async.ca.shared.global [%r20], [%rd2], 4;\ncp.async.commit_group;\n" \
	"cp.async.ca.shared.global [%r20+4], [%rd2+4], 4;\n"
#define SUM \
	"ld.shared.u32 %r5, [%r20];\nld.shared.u32 %r6, [%r20+4];\nadd.u32 %r4, %r5, %r6;\n" STORE

static void bytes_arrive_when_they_are_waited_for(void **state)
{
	(void)state;
	assert_int_equal(seen(MACHINE_KERNEL(SLOTS COPY_TWO SUM)), 1 + 2);
	/* the second is in no group yet */
	assert_int_equal(seen(MACHINE_KERNEL(SLOTS COPY_TWO "cp.async.wait_group 0;\n" SUM)),
			 11 + 2);
	assert_int_equal(seen(MACHINE_KERNEL(SLOTS COPY_TWO "cp.async.wait_all;\n" SUM)), 11 + 22);
	assert_int_equal(
		seen(MACHINE_KERNEL(SLOTS COPY_TWO
				    "cp.async.commit_group;\ncp.async.wait_group 2;\n" SUM)),
		1 + 2);
	assert_int_equal(
		seen(MACHINE_KERNEL(SLOTS COPY_TWO
				    "cp.async.commit_group;\ncp.async.wait_group 1;\n" SUM)),
		11 + 2);
	/* an empty group counts, too */
	assert_int_equal(seen(MACHINE_KERNEL(SLOTS COPY_TWO
					     "cp.async.commit_group;\ncp.async.commit_group;\n"
					     "cp.async.wait_group 1;\n" SUM)),
			 11 + 22);
}

static void bytes_are_those_of_when_the_copy_began(void **state)
{
	(void)state;
	assert_int_equal(seen(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 8;\n"
						   "st.global.u32 [%rd2], 5;\n"
						   "cp.async.wait_all;\n" SUM)),
			 11 + 22);
}

static void what_is_not_read_is_zero(void **state)
{
	(void)state;
	/* 6 of 16 bytes: 11, and the low half of 22 */
	assert_int_equal(
		seen(MACHINE_KERNEL(SLOTS "mov.u32 %r7, 6;\nst.shared.u32 [%r20+12], 3;\n"
					  "cp.async.cg.shared.global [%r20], [%rd2], 16, %r7;\n"
					  "cp.async.wait_all;\nld.shared.u32 %r8, [%r20+12];\n"
					  "add.u32 %r20, %r20, %r8;\n" SUM)),
		11 + 22);
	/* nothing, not even of an address that is no allocation's */
	assert_int_equal(
		seen(MACHINE_KERNEL(SLOTS "setp.eq.u32 %p1, %r1, 0;\nmov.u64 %rd5, 16;\n"
					  "cp.async.ca.shared.global [%r20], [%rd5], 8, %p1;\n"
					  "cp.async.wait_all;\n" SUM)),
		0);
}

/* Lanes that part have groups of their own: the odd ones commit once more. */
static void groups_are_each_threads_own(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL(SLOTS "and.b32 %r7, %r1, 1;\nsetp.eq.u32 %p1, %r7, 1;\n"
					 "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
					 "cp.async.commit_group;\n@!%p1 bra SKIP;\n"
					 "cp.async.commit_group;\nSKIP:\ncp.async.wait_group 1;\n"
					 "ld.shared.u32 %r4, [%r20];\n" STORE),
		    40, 0);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t thread = 0; thread < 40; thread++)
		assert_int_equal(result.out[thread], thread % 2 ? 11 : 0);
	machine_release(&result);
}

/* The next block of the same warps has waited for nothing. */
static void a_block_begins_without_copies(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL(SLOTS "mov.u32 %r7, %ctaid.x;\nsetp.eq.u32 %p1, %r7, 0;\n"
				     "@%p1 cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
				     "@%p1 cp.async.commit_group;\n@%p1 exit;\n"
				     "st.shared.u32 [%r20], 9;\ncp.async.wait_all;\n"
				     "ld.shared.u32 %r4, [%r20];\n" STORE);
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .grid = {2}, .in = numbers, .in_words = 8, .checked_blocks = -1});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[0], 9);
	machine_release(&result);
}

/* ---- what is wrong ---- */

static void assert_told(const char *ptx, enum finding_kind kind, const char *line,
			const char *words)
{
	struct machine_result result = run(ptx, 64, -1);

	assert_finding(&result, kind, line_with(ptx, line), words);
	machine_release(&result);
}

static void use_before_the_wait_is_told(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
					 "ld.shared.u32 %r4, [%r20];\ncp.async.wait_all;\n" STORE),
		    FINDING_UNWAITED_COPY, "ld.shared.u32",
		    "thread (0,0,0) reads word 0 before thread (0,0,0) has waited for its "
		    "asynchronous copy to it at line 20 of the PTX");
	assert_told(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 8;\n"
					 "atom.shared.add.u32 %r4, [%r20+4], 1;\n"
					 "cp.async.wait_all;\n" STORE),
		    FINDING_UNWAITED_COPY, "atom.shared", "thread (0,0,0) changes word 1");
	/* a byte is enough */
	assert_told(MACHINE_KERNEL(SLOTS
				   "cp.async.ca.shared.global [%r20], [%rd2], 16;\n"
				   "ld.shared.u8 %r4, [%r20+13];\ncp.async.wait_all;\n" STORE),
		    FINDING_UNWAITED_COPY, "ld.shared.u8", "reads byte 13");
	/* two copies to one place, of other bytes */
	assert_told(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
					 "cp.async.ca.shared.global [%r20], [%rd2+4], 4;\n"
					 "cp.async.wait_all;\nld.shared.u32 %r4, [%r20];\n" STORE),
		    FINDING_UNWAITED_COPY, "cp.async.ca.shared.global [%r20], [%rd2+4]",
		    "thread (0,0,0) writes word 0");
}

static void a_wait_orders_only_ones_own_thread(void **state)
{
	static const char right[] =
		MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
				     "cp.async.wait_all;\nbar.sync 0;\nxor.b32 %r7, %r20, 512;\n"
				     "ld.shared.u32 %r4, [%r7];\n" STORE);
	struct machine_result result = run(right, 64, -1);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[63], 11);
	machine_release(&result);
	assert_told(
		MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
				     "bar.sync 0;\ncp.async.wait_all;\nxor.b32 %r7, %r20, 16;\n"
				     "ld.shared.u32 %r4, [%r7];\n" STORE),
		FINDING_RACE, "ld.shared.u32",
		"thread (32,0,0) reads word 132 at line 24 of the PTX, which thread (33,0,0) wrote "
		"at line 20");
}

/* All threads copy the same to one place: nobody can tell who was last. */
static void copies_of_the_same_bytes_are_in_nobodys_way(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r19], [%rd2], 16;\n"
					 "cp.async.wait_all;\nbar.sync 0;\n"
					 "ld.shared.u32 %r4, [%r19+8];\n" STORE),
		    64, -1);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[40], 33);
	machine_release(&result);
}

static void addresses_and_amounts_are_checked(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(SLOTS "add.s64 %rd2, %rd2, 24;\n"
					 "cp.async.ca.shared.global [%r20], [%rd2], 8;\n"
					 "cp.async.ca.shared.global [%r20], [%rd2+8], 8;\nret;\n"),
		    FINDING_OUT_OF_BOUNDS, "cp.async.ca.shared.global [%r20], [%rd2+8]",
		    "an 8-byte asynchronous copy from");
	assert_told(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2+4], 8;\nret;\n"),
		    FINDING_MISALIGNED, "cp.async", "not a multiple of 8");
	assert_told(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20+8], [%rd2], 16;\nret;\n"),
		    FINDING_MISALIGNED, "cp.async", "copy to shared memory at byte 8");
	assert_told(
		MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20+1024], [%rd2], 4;\nret;\n"),
		FINDING_OUT_OF_BOUNDS, "cp.async",
		"copy to shared memory at byte 1024, which ends 4 bytes past its end (1024 bytes)");
	assert_told(MACHINE_KERNEL(SLOTS
				   "mov.u32 %r7, 5;\n"
				   "cp.async.ca.shared.global [%r20], [%rd2], 4, %r7;\nret;\n"),
		    FINDING_UNSUPPORTED, "cp.async",
		    "4 bytes has a source size of 5, which is undefined");
}

#define MANY_COPIES(count)                                                         \
	MACHINE_KERNEL(SLOTS "mov.u32 %r7, 0;\nAGAIN:\n"                           \
			     "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"      \
			     "cp.async.commit_group;\nadd.u32 %r7, %r7, 1;\n"      \
			     "setp.lt.u32 %p1, %r7, " count ";\n@%p1 bra AGAIN;\n" \
			     "cp.async.wait_all;\nld.shared.u32 %r4, [%r20];\n" STORE)
static void a_warp_may_have_many_copies_pending(void **state)
{
	struct machine_result result = run(MANY_COPIES("1816"), 32, 0);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[5], 11);
	machine_release(&result);
	assert_told(MANY_COPIES("4097"), FINDING_UNSUPPORTED, "cp.async.ca",
		    "4096 asynchronous copies of a warp are pending");
}

/* ---- what they cost ---- */

static void copies_are_counted_for_themselves(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL(SLOTS "cp.async.ca.shared.global [%r20], [%rd2], 16;\n"
					 "cp.async.wait_all;\nld.shared.u32 %r4, [%r20];\n" STORE),
		    64, -1);

	(void)state;
	assert_int_equal(result.counts.async_copy_requests, 2);
	assert_int_equal(result.counts.async_copy_sectors, 2);
	/* of each 8 lanes that one place is for, one after the other */
	assert_int_equal(result.counts.async_copy_wavefronts, 2 * 32);
	assert_int_equal(result.counts.global_load_requests, 0);
	assert_int_equal(result.counts.shared_store_requests, 0);
	assert_int_equal(result.counts.shared_load_requests, 2);
	machine_release(&result);
}

/* Lane l copies from and to these multiples of its bytes: those of an H200's recorded cases. */
static struct copy_cost cost(unsigned bytes, bool past_l1, unsigned from_step, unsigned from_first,
			     unsigned to_step, unsigned to_first)
{
	uint64_t from[LANES];
	uint32_t to[LANES];

	for (unsigned lane = 0; lane < LANES; lane++) {
		from[lane] = UINT64_C(0x7f0000000000) + (lane * from_step + from_first) * bytes;
		to[lane] = (lane * to_step + to_first) * bytes;
	}
	return copy_cost(&(struct copy_lanes){.mask = ALL_LANES,
					      .reading = ALL_LANES,
					      .bytes = bytes,
					      .past_l1 = past_l1,
					      .from = from,
					      .to = to});
}

static void copies_cost_what_an_h200_counted(void **state)
{
	static const struct {
		unsigned bytes, past_l1, from_step, from_first, to_step, to_first;
		unsigned sectors, wavefronts;
	} cases[] = {
		{4, 0, 1, 0, 1, 0, 4, 1},
		{4, 0, 2, 0, 1, 0, 8, 2}, /* banks of the source */
		{4, 0, 8, 4, 1, 0, 32, 8},
		{4, 0, 0, 0, 1, 0, 1, 32},  /* one word for all, a lane a pass */
		{4, 0, 1, 0, 16, 0, 4, 16}, /* banks of the destination */
		{8, 0, 1, 0, 1, 0, 8, 2},
		{16, 0, 1, 0, 1, 0, 16, 4},
		{16, 0, 2, 0, 1, 0, 32, 8},
		{16, 1, 1, 0, 1, 0, 16, 4},
		{16, 1, 1, 1, 1, 0, 32, 12}, /* halves of sectors change places */
		{16, 1, 1, 4, 1, 0, 16, 8},  /* a line goes to two */
		{16, 1, 3, 0, 1, 0, 32, 24},
		{16, 1, 3, 4, 1, 0, 32, 28},
		{16, 1, 2, 0, 1, 0, 32, 32},
		{16, 1, 3, 0, 3, 0, 32, 24},
		{16, 1, 6, 0, 6, 0, 32, 24},
		{16, 1, 4, 1, 4, 1, 32, 16},
		{16, 1, 1, 1, 1, 1, 17, 6},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct copy_cost got =
			cost(cases[i].bytes, cases[i].past_l1, cases[i].from_step,
			     cases[i].from_first, cases[i].to_step, cases[i].to_first);

		if (got.sectors != cases[i].sectors || got.wavefronts != cases[i].wavefronts)
			fail_msg("case %zu: %u sectors, %u passes", i, got.sectors, got.wavefronts);
	}
}

/* Passes of a warp's copy of 32 groups of four floats, `across` of them in a row of a tile in
 * shared memory: those of rows and columns below the given ones are read, of rows of `n` floats. */
static unsigned passes_of_tile(unsigned to_first, unsigned to_row, unsigned across, unsigned n,
			       unsigned rows, unsigned columns)
{
	uint64_t from[LANES];
	uint32_t to[LANES], reading = 0;

	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned row = lane / across, column = lane % across * 4;

		from[lane] = UINT64_C(0x7f0000000000) + (row * n + column) * 4;
		to[lane] = (to_first + row * to_row + column) * 4;
		reading |= (uint32_t)(row < rows && column < columns) << lane;
	}
	return copy_cost(&(struct copy_lanes){.mask = ALL_LANES,
					      .reading = reading,
					      .bytes = 16,
					      .past_l1 = true,
					      .from = from,
					      .to = to})
		.wavefronts;
}

/* matmul/async_copy, blocks of 256 and n = 4: tiles of 128 x 16 words in rows of 20, and of
 * 16 x 256. An H200 counted 264 passes of its 48 copies. */
static void what_is_not_read_costs_what_an_h200_counted(void **state)
{
	const unsigned words_of_a = 128 * 20;
	unsigned of_a = 0, of_b = 0;

	(void)state;
	for (unsigned row = 0; row < 128; row += 8)
		of_a += passes_of_tile(row * 20, 20, 4, 4, row == 0 ? 4 : 0, 4);
	for (unsigned k = 0; k < 16; k++)
		for (unsigned column = 0; column < 256; column += 128)
			of_b += passes_of_tile(words_of_a + k * 256 + column, 256, 32, 4, k < 4,
					       column == 0 ? 4 : 0);
	assert_int_equal(of_a + of_b, 264);
	/* Nothing is read: a store. */
	assert_int_equal(passes_of_tile(0, 20, 4, 4, 0, 0), 8);
	assert_int_equal(passes_of_tile(words_of_a, 256, 32, 4, 0, 0), 4);
	/* 24 of 32 groups are, of three lines, and all stored besides. */
	assert_int_equal(passes_of_tile(words_of_a, 256, 32, 96, 1, 96), 3 + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_and_waits_are_decoded),
		cmocka_unit_test(copies_that_make_no_sense_are_refused),
		cmocka_unit_test(copies_of_other_kinds_are_gaps),
		cmocka_unit_test(bytes_arrive_when_they_are_waited_for),
		cmocka_unit_test(bytes_are_those_of_when_the_copy_began),
		cmocka_unit_test(what_is_not_read_is_zero),
		cmocka_unit_test(groups_are_each_threads_own),
		cmocka_unit_test(a_block_begins_without_copies),
		cmocka_unit_test(use_before_the_wait_is_told),
		cmocka_unit_test(a_wait_orders_only_ones_own_thread),
		cmocka_unit_test(copies_of_the_same_bytes_are_in_nobodys_way),
		cmocka_unit_test(addresses_and_amounts_are_checked),
		cmocka_unit_test(a_warp_may_have_many_copies_pending),
		cmocka_unit_test(copies_are_counted_for_themselves),
		cmocka_unit_test(copies_cost_what_an_h200_counted),
		cmocka_unit_test(what_is_not_read_costs_what_an_h200_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
