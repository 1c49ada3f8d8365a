/*
 * Races and unwritten bytes in global memory, as PTX that nvcc does not write: which rows and cells
 * remember an access, what orders blocks, and the limits of the check. test_planted.c has whole
 * kernels.
 */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* %r3: the number of the block. %p1: it is block 0. %p2: it is the last one. */
#define BLOCK                                                          \
	"mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %nctaid.x;\n"            \
	"sub.u32 %r4, %r4, 1;\nsetp.eq.u32 %p1, %r3, 0;\nsetp.eq.u32 " \
	"%p2, %r3, %r4;\n"
#define FIRST_LANE_OF_TEXT "setp.ne.u32 %%p3, %%r1, 0;\n@%%p3 ret;\n"
#define FIRST_LANE "setp.ne.u32 %p3, %r1, 0;\n@%p3 ret;\n"

static struct machine_result run_blocks(const char *ptx, int64_t blocks, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .grid = {blocks},
						  .block = {threads},
						  .out_words = 4096,
						  .check_global = true});
}

static void assert_clean(const char *ptx, int64_t blocks, int64_t threads)
{
	struct machine_result result = run_blocks(ptx, blocks, threads);
	struct text text = TEXT_INIT;

	if (result.findings.count) {
		finding_text(&text, &result.findings.items[0]);
		fail_msg("%s", text.data);
	}
	assert_int_equal(result.counts.unchecked_requests, 0);
	machine_release(&result);
}

/* The finding is at the last instruction that begins with `at`, and both its sides are named. */
static void assert_race(const char *ptx, int64_t blocks, int64_t threads, const char *at,
			const char *words)
{
	struct machine_result result = run_blocks(ptx, blocks, threads);

	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(ptx, at), words);
	assert_int_equal(result.counts.unchecked_requests, 0);
	machine_release(&result);
}

/* ---- what rows and cells remember ---- */

/* Block 0 stores 512 bytes in pieces of 16, and block 1 reads some of them. */
#define READS(load)                                                                                \
	MACHINE_KERNEL(BLOCK                                                                       \
		       "mul.wide.u32 %rd4, %r1, 16;\nadd.s64 %rd4, %rd1, %rd4;\n@!%p1 bra "        \
		       "READ;\nst.global.v4.u32 [%rd4], {%r1, %r1, %r1, %r1};\nret;\nREAD:\n" load \
		       ";\nadd.u32 %r8, %r8, 1;\nst.global.u32 [%rd1+4096], "                      \
		       "%r8;\nret;\n")

static void each_width_is_seen_by_the_others(void **state)
{
	static const struct {
		const char *ptx;
		int byte;
	} readers[] = {
		{READS("ld.global.u8 %r8, [%rd1+201]"), 201},
		{READS("ld.global.u16 %r8, [%rd1+202]"), 202},
		{READS("ld.global.u32 %r8, [%rd1+200]"), 200},
		{READS("ld.global.v2.u32 {%r8, %r9}, [%rd1+200]"), 200},
		{READS("ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd1+192]"), 192},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		char *words = xasprintf(
			"thread (0,0,0) of block (1,0,0) reads byte %d of 'out' at line %u of the "
			"PTX, which thread (12,0,0) of block (0,0,0) wrote at line %u of the PTX",
			readers[i].byte, line_with(readers[i].ptx, "ld.global"),
			line_with(readers[i].ptx, "st.global.v4"));

		assert_race(readers[i].ptx, 2, 32, "ld.global", words);
		free(words);
	}
}

static void bytes_after_words_keep_what_words_did(void **state)
{
	(void)state;
	/* Block 0 writes words 0 to 31, then byte 200; block 1 reads byte 7, which was in word 1.
	 */
	assert_race(MACHINE_KERNEL(BLOCK "@!%p1 bra READ;\nst.global.u32 [%rd3], %r1;\n"
					 "st.global.u8 [%rd1+200], %r4;\nret;\nREAD:\n" FIRST_LANE
					 "ld.global.s8 %r8, [%rd1+7];\nst.global.u32 [%rd1+400], "
					 "%r8;\nret;\n"),
		    2, 32, "ld.global.s8",
		    "thread (0,0,0) of block (1,0,0) reads byte 7 of 'out' at line 28 of the PTX, "
		    "which thread (1,0,0) of block (0,0,0) wrote at line 22 of the PTX");
}

static void a_row_of_many_accesses_forgets_no_write(void **state)
{
	(void)state;
	/* The lanes of block 0 write the words in falling order, those of block 1 read them so. */
	assert_race(MACHINE_KERNEL(BLOCK "mul.wide.u32 %rd4, %r1, 4;\nsub.s64 %rd4, %rd1, %rd4;\n"
					 "@!%p1 bra READ;\nst.global.u32 [%rd4+124], %r1;\nret;\n"
					 "READ:\nld.global.u32 %r8, [%rd4+124];\nst.global.u32 "
					 "[%rd4+1148], %r8;\nret;\n"),
		    2, 32, "ld.global",
		    "thread (0,0,0) of block (1,0,0) reads byte 124 of 'out' at line 27 of the "
		    "PTX, which thread (0,0,0) of block (0,0,0) wrote at line 24 of the PTX");
}

/* Each thread stores %r8 in a word of its own: what it has read is used. */
#define KEEP_READ                                                                         \
	"mad.lo.u32 %r9, %r3, 32, %r1;\nmul.wide.u32 %rd5, %r9, 4;\nadd.s64 %rd5, %rd1, " \
	"%rd5;\nst.global.u32 [%rd5+1024], %r8;\n"

static void a_writer_after_many_readers_races(void **state)
{
	(void)state;
	assert_race(MACHINE_KERNEL(BLOCK "ld.global.u32 %r8, [%rd3];\n" KEEP_READ "@%p2 "
					 "st.global.u32 [%rd3], %r8;\nret;\n"),
		    5, 32, "@%p2 st.global", "(4,0,0) writes byte 0 of 'out'");
	/* All lanes read one word: the row cannot remember its lanes in order. */
	assert_race(MACHINE_KERNEL(BLOCK "ld.global.u32 %r8, [%rd1];\n" KEEP_READ
					 "bar.warp.sync -1;\nsetp.eq.u32 %p4, %r1, 0;\n"
					 "and.pred %p4, %p4, %p2;\n@%p4 st.global.u32 [%rd1], %r8;"
					 "\nret;\n"),
		    5, 32, "@%p4 st.global", "and others of its warp read at line");
}

static void stores_of_the_same_value_do_not_race(void **state)
{
	(void)state;
	assert_clean(MACHINE_KERNEL("mov.u32 %r8, 7;\nst.global.u32 [%rd1], %r8;\nret;\n"), 3, 64);
	assert_race(MACHINE_KERNEL(BLOCK "st.global.u32 [%rd1], %r3;\nret;\n"), 3, 1, "st.global",
		    "writes byte 0 of 'out' at line 21 of the PTX, which thread (0,0,0) of block "
		    "(0,0,0) wrote at line 21 of the PTX with nothing between that orders the "
		    "blocks");
}

static void copies_read_their_source(void **state)
{
	(void)state;
	assert_race(MACHINE_HEADER ".shared .align 16 .b8 s[512];\n" MACHINE_ENTRY(
			    BLOCK "@!%p1 bra READ;\nst.global.u32 [%rd3], %r1;\nret;\nREAD:\n"
				  "mov.u32 %r9, s;\nshl.b32 %r8, %r1, 4;\nadd.u32 %r9, %r9, "
				  "%r8;\nmov.u32 %r10, 12;\nmul.wide.u32 %rd5, %r1, 16;\nadd.s64 "
				  "%rd5, %rd1, %rd5;\ncp.async.cg.shared.global [%r9], [%rd5], "
				  "16, %r10;\ncp.async.wait_all;\nret;\n"),
		    2, 4, "cp.async.cg", "thread (0,0,0) of block (1,0,0) reads byte 0 of 'out'");
}

/* ---- what orders blocks ---- */

/* Block 0 writes out[0] and then does SIGNAL; the others do WAIT and read it. */
#define MESSAGE(signal, wait)                                                                  \
	MACHINE_KERNEL(BLOCK                                                                   \
		       "@!%p1 bra READ;\nmov.u32 %r8, 9;\nst.global.u32 [%rd1], %r8;\n" signal \
		       "ret;\nREAD:\n" wait "ld.global.u32 %r9, [%rd1];\n"                     \
		       "add.u32 %r10, %r3, 100;\nmul.wide.u32 %rd6, %r10, 4;\nadd.s64 "        \
		       "%rd6, %rd1, %rd6;\nst.global.u32 [%rd6], %r9;\nret;\n")
#define READ_RACES(signal, wait)                                      \
	assert_race(MESSAGE(signal, wait), 2, 1, "ld.global.u32 %r9", \
		    "thread (0,0,0) of block (1,0,0) reads byte 0 of 'out'")

#define SET_ATOMIC "atom.global.exch.b32 %r11, [%rd1+64], 1;\n"
#define GET_ATOMIC "atom.global.add.u32 %r12, [%rd1+64], 0;\n"

static void releases_and_acquires_order_blocks(void **state)
{
	(void)state;
	assert_clean(MESSAGE("membar.gl;\n" SET_ATOMIC, GET_ATOMIC), 2, 1);
	assert_clean(MESSAGE("fence.acq_rel.sys;\nst.volatile.global.u32 [%rd1+64], %r8;\n",
			     "ld.volatile.global.u32 %r12, [%rd1+64];\n"),
		     2, 1);
	assert_clean(MESSAGE("st.release.gpu.global.u32 [%rd1+64], %r8;\n",
			     "ld.acquire.gpu.global.u32 %r12, [%rd1+64];\n"),
		     2, 1);
	assert_clean(MESSAGE("red.release.gpu.global.add.u32 [%rd1+64], 1;\n",
			     "ld.relaxed.gpu.global.u32 %r12, [%rd1+64];\nfence.acq_rel.gpu;\n"),
		     2, 1);
	assert_clean(MESSAGE("atom.acq_rel.gpu.global.add.u32 %r11, [%rd1+64], 1;\n", GET_ATOMIC),
		     2, 1);
}

static void half_an_order_is_none(void **state)
{
	(void)state;
	READ_RACES("", "");
	READ_RACES(SET_ATOMIC, GET_ATOMIC);                        /* no fence */
	READ_RACES("membar.gl;\n", GET_ATOMIC);                    /* nothing is set */
	READ_RACES("membar.gl;\n" SET_ATOMIC, "membar.gl;\n");     /* nothing is read */
	READ_RACES("membar.cta;\n" SET_ATOMIC, GET_ATOMIC);        /* for the block */
	READ_RACES("fence.proxy.alias;\n" SET_ATOMIC, GET_ATOMIC); /* for a proxy */
	READ_RACES(SET_ATOMIC "membar.gl;\n", GET_ATOMIC);         /* too late */
	READ_RACES("red.relaxed.gpu.global.add.u32 [%rd1+64], 1;\n", GET_ATOMIC);
}

static void atomics_of_a_block_are_none_for_others(void **state)
{
	static const char ptx[] = MESSAGE("st.release.cta.global.u32 [%rd1+64], %r8;\n",
					  "ld.acquire.cta.global.u32 %r12, [%rd1+64];\n");
	struct machine_result result = run_blocks(ptx, 2, 1);

	(void)state;
	assert_int_equal(result.findings.count, 2); /* on the flag, and on what it should order */
	assert_int_equal(result.findings.items[0].ptx_line, line_with(ptx, "ld.acquire"));
	assert_non_null(strstr(result.findings.items[0].text,
			       "an atomic with the scope of a block is none for other blocks"));
	assert_int_equal(result.findings.items[1].ptx_line, line_with(ptx, "ld.global.u32 %r9"));
	machine_release(&result);
	assert_clean(ptx, 1, 1);
}

static void only_what_precedes_the_fence_is_released(void **state)
{
	(void)state;
	READ_RACES("membar.gl;\nst.global.u32 [%rd1], 10;\n" SET_ATOMIC, GET_ATOMIC);
}

/* Read in one phase by all, written in the next by one: the reads are released, too. */
static void released_reads_do_not_race_with_a_writer(void **state)
{
	(void)state;
	assert_clean(MACHINE_KERNEL(BLOCK "ld.global.u32 %r8, [%rd1];\nadd.u32 %r8, %r8, 1;\n"
					  "membar.gl;\n" GET_ATOMIC
					  "@%p2 st.global.u32 [%rd1], %r8;\nret;\n"),
		     6, 1);
}

/* A loop of compare-and-swap begins with a plain load, here of both halves of its value. */
#define GUESSES(place)                                                                    \
	MACHINE_KERNEL("mov.u64 %rd7, %rd1;\nld.global.v2.u32 {%r8, %r9}, [%rd7" place    \
		       "];\nL: mov.b64 %rd4, {%r8, %r9};\nadd.s64 %rd5, %rd4, 1;\n"       \
		       "atom.global.cas.b64 %rd6, [%rd1], %rd4, %rd5;\nsetp.ne.s64 %p1, " \
		       "%rd6, %rd4;\nmov.b64 {%r8, %r9}, %rd6;\n@%p1 bra L;\nret;\n")

static void guesses_race_with_no_atomic(void **state)
{
	static const char ptx[] = GUESSES("");
	struct machine_result result;

	(void)state;
	assert_clean(ptx, 3, 32);
	result = run_blocks(ptx, 3, 32);
	assert_int_equal(result.out[0], 96);
	machine_release(&result);
	/* of another word they are no guesses */
	assert_clean(GUESSES("+8"), 3, 32);
	/* what the compare-and-swap compares with, at an address that was computed twice */
	assert_clean(MACHINE_KERNEL("add.s64 %rd7, %rd1, 4;\nld.global.u32 %r8, [%rd7];\n"
				    "add.u32 %r9, %r8, 1;\nadd.s64 %rd8, %rd1, 4;\n"
				    "atom.global.cas.b32 %r7, [%rd8], %r8, %r9;\nret;\n"),
		     3, 1);
	/* an addition corrects none: the load and the addition of the second block race */
	result = run_blocks(MACHINE_KERNEL("ld.global.u64 %rd4, [%rd1];\natom.global.add.u64 %rd6, "
					   "[%rd1], %rd4;\nret;\n"),
			    2, 1);
	assert_int_equal(result.findings.count, 2);
	machine_release(&result);
}

static void launches_are_ordered(void **state)
{
	struct machine_result result = machine_run(
		&(struct machine_case){.ptx = MACHINE_KERNEL("ld.global.u32 %r8, [%rd3];\nadd.u32 "
							     "%r8, %r8, 1;\nst.global.u32 [%rd3], "
							     "%r8;\nret;\n"),
				       .block = {64},
				       .check_global = true,
				       .launches = 3});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[63], 3);
	machine_release(&result);
}

/* The first launch reads the words behind the first. The second does, too, and its last block
 * writes them. What the first launch knew of readers must not hide those of the second. */
static void each_launch_remembers_its_own_reads(void **state)
{
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_KERNEL(
			BLOCK
			"atom.global.add.u32 %r5, [%rd1+4096], 0;\nld.global.u32 %r8, [%rd3+4];\n"
			"red.global.add.u32 [%rd1+4100], %r8;\n"
			"red.global.add.u32 [%rd1+4096], 1;\nsetp.ge.and.u32 %p4, %r5, 96, %p2;\n"
			"@%p4 st.global.u32 [%rd3+4], %r1;\nret;\n"),
		.grid = {3},
		.block = {32},
		.out_words = 2048,
		.check_global = true,
		.launches = 2});

	(void)state;
	assert_int_equal(result.findings.count, 1);
	assert_non_null(strstr(result.findings.items[0].text, "of block (2,0,0) writes byte 4 of"));
	assert_non_null(strstr(result.findings.items[0].text, "(0,0,0) of block (0,0,0) read"));
	machine_release(&result);
}

/* ---- orders of lanes ---- */

/* Block 0 accesses words in an order of its lanes, and block 1 writes one of them. */
static void a_race_names_the_lane_in_any_order(void **state)
{
	static const struct {
		const char *of_block_0, *word, *rival;
	} orders[] = {
		/* every second word */
		{"mad.wide.u32 %rd5, %r1, 8, %rd1;\nld.global.u32 %r8, [%rd5];\n", "12", "(6,0,0)"},
		{"mad.wide.u32 %rd5, %r1, 12, %rd1;\nld.global.u32 %r8, [%rd5+4];\n", "61",
		 "(20,0,0)"},
		/* one word behind the other, behind the first */
		{"mov.u32 %r8, 0;\nst.global.u32 [%rd3+4], %r1;\n", "45", "(44,0,0)"},
		{"ld.global.u32 %r8, [%rd3];\nld.global.u32 %r9, [%rd3+4];\nadd.u32 %r8, %r8, "
		 "%r9;\n",
		 "64", "(63,0,0)"},
		/* a row for each lane, and a column for each warp */
		{"and.b32 %r9, %r1, 31;\nshr.u32 %r10, %r1, 5;\nmad.wide.u32 %rd5, %r9, 128, "
		 "%rd1;\nmad.wide.u32 %rd5, %r10, 4, %rd5;\nld.global.u32 %r8, [%rd5];\n",
		 "161", "(37,0,0)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct text ptx = TEXT_INIT, rival = TEXT_INIT;
		struct machine_result result;

		text_add(&ptx, MACHINE_HEADER
			 ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
			 "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
			 "mad.wide.u32 %rd3, %r1, 4, %rd1;\n" BLOCK "@!%p1 bra $writer;\n");
		text_addf(&ptx,
			  "%smad.wide.u32 %%rd6, %%r1, 4, %%rd1;\nst.global.u32 "
			  "[%%rd6+8192], %%r8;\nret;\n$writer:\n" FIRST_LANE_OF_TEXT
			  "mov.u32 %%r9, %s;\nmad.wide.u32 %%rd5, %%r9, 4, %%rd1;\n"
			  "st.global.u32 [%%rd5], 77;\nret;\n}\n",
			  orders[i].of_block_0, orders[i].word);
		text_addf(&rival, "thread %s of block (0,0,0)", orders[i].rival);
		result = machine_run(&(struct machine_case){.ptx = ptx.data,
							    .grid = {2},
							    .block = {64},
							    .out_words = 4096,
							    .check_global = true});
		assert_int_equal(result.findings.count, 1);
		assert_non_null(strstr(result.findings.items[0].text, rival.data));
		machine_release(&result);
		text_release(&ptx);
		text_release(&rival);
	}
}

/* ---- unwritten bytes ---- */

static struct machine_result run_unwritten(const char *ptx, int launches, bool checked)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {32},
						  .out_words = 64,
						  .check_global = checked,
						  .out_unwritten = true,
						  .launches = launches});
}

static void reads_of_unwritten_bytes_are_reported(void **state)
{
	static const char ptx[] = MACHINE_KERNEL("st.global.u8 [%rd3+2], %r1;\nld.global.u16 %r8, "
						 "[%rd3+2];\nst.global.u32 [%rd3], %r8;\nret;\n");
	struct machine_result result = run_unwritten(ptx, 1, true);

	(void)state;
	assert_finding(&result, FINDING_UNWRITTEN, line_with(ptx, "ld.global"),
		       "byte 3 of 'out' (256 bytes) is read before the host or any thread");
	machine_release(&result);
	/* the second launch reads what the first one wrote */
	result = run_unwritten(MACHINE_KERNEL("setp.ne.u32 %p1, %r2, 0;\nst.global.u32 [%rd3], "
					      "%r1;\nld.global.u32 %r8, [%rd3];\nret;\n"),
			       2, true);
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
}

static void nothing_is_unwritten_without_the_check(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL("ld.global.u32 %r8, [%rd3];\nst.global.u32 [%rd3], %r8;\nret;\n");
	struct machine_result result = run_unwritten(ptx, 1, false);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.counts.unchecked_requests, 2);
	machine_release(&result);
	result = run_unwritten(ptx, 1, true);
	assert_int_equal(result.findings.count, 1);
	assert_int_equal(result.counts.unchecked_requests, 0);
	machine_release(&result);
}

static void what_nobody_uses_may_be_unwritten(void **state)
{
	struct machine_result result = run_unwritten(
		MACHINE_KERNEL("mul.wide.u32 %rd4, %r1, 8;\nadd.s64 %rd4, %rd1, %rd4;\n"
			       "st.global.u32 [%rd4], %r1;\nld.global.v2.u32 {%r8, %r9}, [%rd4];\n"
			       "st.global.u32 [%rd4], %r8;\nret;\n"),
		1, true);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	/* an exchange writes, another atomic reads */
	result = run_unwritten(
		MACHINE_KERNEL("atom.global.exch.b32 %r8, [%rd3], %r1;\natom.global.add.u32 %r9, "
			       "[%rd3], 1;\nret;\n"),
		1, true);
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	result = run_unwritten(MACHINE_KERNEL("red.global.add.u32 [%rd3], 1;\nret;\n"), 1, true);
	assert_finding(&result, FINDING_UNWRITTEN, 0, "byte 0 of 'out'");
	machine_release(&result);
}

/* ---- limits ---- */

static void what_the_limit_leaves_unchecked_is_counted(void **state)
{
	/* Two blocks store different values to the same words, twice in order, and then in falling
	 * order, which needs a record per cell. */
	static const char ptx[] =
		MACHINE_KERNEL(BLOCK "st.global.u32 [%rd3], %r3;\nst.global.u32 [%rd3], %r3;\n"
				     "mul.wide.u32 %rd4, %r1, 4;\nsub.s64 %rd4, %rd1, %rd4;\n"
				     "st.global.u32 [%rd4+124], %r3;\nret;\n");
	static const struct {
		int64_t bytes;
		uint64_t unchecked;
		size_t findings;
	} limits[] = {
		{64, 6, 0},      /* no segments, no rows */
		{8192, 6, 0},    /* segments, no rows for 16 KiB */
		{40000, 2, 1},   /* rows, and no records per cell */
		{1 << 20, 0, 1}, /* everything */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct machine_result result =
			machine_run(&(struct machine_case){.ptx = ptx,
							   .grid = {2},
							   .block = {32},
							   .out_words = 4096,
							   .check_global = true,
							   .check_most_bytes = limits[i].bytes});

		assert_int_equal(result.counts.unchecked_requests, limits[i].unchecked);
		assert_int_equal(result.findings.count, limits[i].findings);
		assert_int_equal(result.out[31], 1);
		machine_release(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_width_is_seen_by_the_others),
		cmocka_unit_test(bytes_after_words_keep_what_words_did),
		cmocka_unit_test(a_row_of_many_accesses_forgets_no_write),
		cmocka_unit_test(a_writer_after_many_readers_races),
		cmocka_unit_test(stores_of_the_same_value_do_not_race),
		cmocka_unit_test(copies_read_their_source),
		cmocka_unit_test(releases_and_acquires_order_blocks),
		cmocka_unit_test(half_an_order_is_none),
		cmocka_unit_test(atomics_of_a_block_are_none_for_others),
		cmocka_unit_test(only_what_precedes_the_fence_is_released),
		cmocka_unit_test(released_reads_do_not_race_with_a_writer),
		cmocka_unit_test(guesses_race_with_no_atomic),
		cmocka_unit_test(launches_are_ordered),
		cmocka_unit_test(each_launch_remembers_its_own_reads),
		cmocka_unit_test(a_race_names_the_lane_in_any_order),
		cmocka_unit_test(reads_of_unwritten_bytes_are_reported),
		cmocka_unit_test(nothing_is_unwritten_without_the_check),
		cmocka_unit_test(what_nobody_uses_may_be_unwritten),
		cmocka_unit_test(what_the_limit_leaves_unchecked_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
