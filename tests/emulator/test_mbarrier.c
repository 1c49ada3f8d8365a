/* mbarriers: phases, states, asynchronous copies that they track, the order that they give, and
 * what is wrong. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* An object at %r20 and 1024 bytes of shared memory at %r19; the thread's word is at %r21. */
#define OBJECT                                                                                 \
	".reg .b64 %s<9>;\n.shared .align 8 .b8 bar[8];\n.shared .align 16 .b8 slots[1024];\n" \
	"mov.u32 %r20, bar;\nmov.u32 %r19, slots;\nshl.b32 %r21, %r1, 2;\n"                    \
	"add.u32 %r21, %r19, %r21;\nsetp.eq.u32 %p1, %r1, 0;\n"
/* Thread 0 initialises the object, then all threads may use it. */
#define INIT(count) OBJECT "@%p1 mbarrier.init.shared.b64 [%r20], " count ";\nbar.sync 0;\n"
#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"
#define WAIT_FOR(label, parity)                                                                   \
	label ":\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], " parity ";\n@!%p2 bra " label \
	      ";\n"

static const uint32_t numbers[] = {11, 22, 33, 44, 55, 66, 77, 88};

static struct machine_result run(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {threads},
						  .in = numbers,
						  .in_words = ARRAY_SIZE(numbers),
						  .checked_blocks = -1});
}

static struct machine_result run_clean(const char *ptx, int64_t threads)
{
	struct machine_result result = run(ptx, threads);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

static uint32_t value_of(const char *ptx)
{
	struct machine_result result = run_clean(ptx, 1);
	uint32_t value = result.out[0];

	machine_release(&result);
	return value;
}

static void assert_told(const char *ptx, int64_t threads, enum finding_kind kind, const char *line,
			const char *words)
{
	struct machine_result result = run(ptx, threads);

	assert_finding(&result, kind, line_with(ptx, line), words);
	machine_release(&result);
}

/* Such a finding is among those of the launch. */
static void assert_race(const char *ptx, int64_t threads, const char *line)
{
	struct machine_result result = run(ptx, threads);
	bool found = false;

	for (size_t i = 0; i < result.findings.count; i++) {
		const struct finding *finding = &result.findings.items[i];

		found |= finding->kind == FINDING_RACE && finding->ptx_line == line_with(ptx, line);
	}
	if (!found)
		fail_msg("no race at %s, but %zu other findings", line, result.findings.count);
	machine_release(&result);
}

/* ---- decoding ---- */

static void all_forms_are_decoded(void **state)
{
	static const char *const accepted[] = {
		"mbarrier.init.b64 [%rd1], 1;",
		"mbarrier.init.shared::cta.b64 [%r1], %r2;",
		"mbarrier.inval.shared.b64 [%r1+8];",
		"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;",
		"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;",
		"mbarrier.complete_tx.shared.b64 [%r1], 16;",
		"mbarrier.arrive.b64 %rd2, [%rd1];",
		"mbarrier.arrive.release.cta.shared::cta.b64 %rd2, [%r1], 3;",
		"mbarrier.arrive.relaxed.cluster.b64 _, [%rd1], %r2;",
		"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
		"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd2, [%r1], 64;",
		"mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r1], 64;",
		"mbarrier.arrive.noComplete.shared.b64 %rd2, [%r1], 1;",
		"mbarrier.arrive.noComplete.release.cta.b64 %rd2, [%rd1], %r2;",
		"mbarrier.arrive_drop.shared.b64 %rd2, [%r1];",
		"mbarrier.arrive_drop.expect_tx.shared.b64 %rd2, [%r1], 8;",
		"mbarrier.arrive_drop.noComplete.shared.b64 %rd2, [%r1], 1;",
		"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;",
		"mbarrier.test_wait.acquire.cta.b64 %p1, [%rd1], %rd2;",
		"mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 %p1, [%r1], %r2;",
		"mbarrier.try_wait.shared.b64 %p1, [%r1], %rd2, 1000;",
		"mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], 0, %r2;",
		"mbarrier.pending_count.b64 %r2, %rd2;",
		"cp.async.mbarrier.arrive.b64 [%rd1];",
		"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		char *body = xasprintf("%s\nret;", accepted[i]);
		struct decoded decoded = decode_body(body);

		/* A constant address is moved to a register first. */
		if (!strstr(code_shape(decoded.function), "MBARRIER RET"))
			fail_msg("%s: %s", accepted[i], code_shape(decoded.function));
		decoded_release(&decoded);
		free(body);
	}
}

static void other_forms_are_refused(void **state)
{
	static const struct {
		const char *statement;
		int rc;
		const char *words;
	} refused[] = {
		/* unknown or contradictory modifiers are named */
		{"mbarrier.init.global.b64 [%rd1], 1;", PL_EUNSUPPORTED, "mbarrier.init.global"},
		{"mbarrier.init.shared.b32 [%r1], 1;", PL_EUNSUPPORTED, "mbarrier.init"},
		{"mbarrier.init.shared::cluster.b64 [%r1], 1;", PL_EUNSUPPORTED, "mbarrier.init"},
		{"mbarrier.init.relaxed.shared.b64 [%r1], 1;", PL_EUNSUPPORTED, "mbarrier.init"},
		{"mbarrier.arrive.release.relaxed.b64 %rd2, [%rd1];", PL_EUNSUPPORTED, "arrive"},
		{"mbarrier.arrive.parity.b64 %rd2, [%rd1];", PL_EUNSUPPORTED, "arrive.parity"},
		{"mbarrier.arrive.expect_tx.noComplete.b64 %rd2, [%rd1], 1;", PL_EUNSUPPORTED,
		 "expect_tx.noComplete"},
		{"mbarrier.arrive.b64.b64 %rd2, [%rd1];", PL_EUNSUPPORTED, "b64.b64"},
		{"mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd2;", PL_EUNSUPPORTED,
		 "test_wait"},
		{"mbarrier.test_wait.noinc.b64 %p1, [%rd1], %rd2;", PL_EUNSUPPORTED, "noinc"},
		{"mbarrier.wait.b64 %p1, [%rd1], %rd2;", PL_EUNSUPPORTED, "mbarrier.wait"},
		{"cp.async.mbarrier.arrive.parity.b64 [%rd1];", PL_EUNSUPPORTED, "parity"},
		{"cp.async.mbarrier.arrive.noinc.shared::cluster.b64 [%r1];", PL_EUNSUPPORTED,
		 "cluster"},
		/* operands that do not fit */
		{"mbarrier.init.shared.b64 [%r1];", PL_EPARSE, "operands"},
		{"mbarrier.init.b64 [%r1], 1;", PL_EPARSE, "32-bit register"},
		{"mbarrier.init.shared.b64 %r1, 1;", PL_EPARSE, "address in []"},
		{"mbarrier.init.b64 [p], 1;", PL_EPARSE, "in shared memory"},
		{"mbarrier.arrive.noComplete.shared.b64 %rd2, [%r1];", PL_EPARSE, "operands"},
		{"mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r1];", PL_EPARSE, "operands"},
		{"mbarrier.arrive.shared.b64 %r2, [%r1];", PL_EPARSE, "64"},
		{"mbarrier.arrive.shared::cluster.b64 %rd2, [%r1];", PL_EPARSE, "the result _"},
		{"mbarrier.test_wait.shared.b64 %p1, [%r1], %r2;", PL_EPARSE, "needs 64"},
		{"mbarrier.test_wait.shared.b64 %r2, [%r1], %rd2;", PL_EPARSE, "bits"},
		{"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2, 5;", PL_EPARSE, "operands"},
		{"mbarrier.pending_count.b64 %r2, %r1;", PL_EPARSE, "needs 64"},
		{"cp.async.mbarrier.arrive.shared.b64 [%r1], 1;", PL_EPARSE, "operands"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err;

		if (decode_body_fails(body, &err, NULL) != refused[i].rc ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

/* ---- phases ---- */

#define TEST_INTO(parity, bit)                                            \
	"mbarrier.test_wait.parity.shared.b64 %p2, [%r20], " parity ";\n" \
	"selp.u32 %r5, " bit ", 0, %p2;\nor.b32 %r4, %r4, %r5;\n"

static void a_phase_completes_with_the_last_arrival(void **state)
{
	(void)state;
	/* Phase 0 of 2: the phase before it is complete; one arrival is not enough, two are. */
	assert_int_equal(
		value_of(MACHINE_KERNEL(INIT("2") "mov.u32 %r4, 0;\n" TEST_INTO("0", "1") TEST_INTO(
			"1", "2") "mbarrier.arrive.shared.b64 _, "
				  "[%r20];\n" TEST_INTO("0", "4") "mbarrier.arrive.shared.b64 "
								  "_, [%r20];\n" TEST_INTO("0", "8")
									  TEST_INTO("1", "16")
										  STORE)),
		2 + 8);
	/* A count of 2 arrives twice; then an arrival that drops leaves one for the next phase. */
	assert_int_equal(
		value_of(MACHINE_KERNEL(INIT(
			"2") "mov.u32 %r4, 0;\nmbarrier.arrive.shared.b64 _, [%r20], "
			     "2;\n" TEST_INTO(
				     "0", "1") "mbarrier.arrive_drop.shared."
					       "b64 _, [%r20];\n" TEST_INTO(
						       "1", "2") "mbarrier.arrive.shared.b64 _, "
								 "[%r20];\n" TEST_INTO(
									 "1",
									 "4") "mbarrier.arrive."
									      "shared.b64 _, "
									      "[%r20];"
									      "\n" TEST_INTO("0",
											     "8")
										      STORE)),
		1 + 4 + 8);
}

static void announced_bytes_keep_a_phase_open(void **state)
{
	(void)state;
	assert_int_equal(
		value_of(MACHINE_KERNEL(
			INIT("1") "mov.u32 %r4, 0;\n"
				  "mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 48;\n" TEST_INTO(
					  "0", "1") "mbarrier.complete_tx.shared.b64 [%r20], "
						    "32;\n" TEST_INTO(
							    "0", "2") "mbarrier.complete_tx."
								      "shared.b64 [%r20], "
								      "16;\n" TEST_INTO("0", "4")
			/* the bytes may come before the arrival */
			"mbarrier.expect_tx.shared.b64 [%r20], 8;\n"
			"mbarrier.complete_tx.shared.b64 [%r20], 8;\n" TEST_INTO(
				"1", "8") "mbarrier.arrive.shared.b64 _, [%r20];\n" TEST_INTO("1",
											      "16")
				STORE)),
		4 + 16);
}

static void states_name_their_phase(void **state)
{
	(void)state;
	/* The state of an arrival is the one before it: pending 3, then 1. */
	assert_int_equal(value_of(MACHINE_KERNEL(
				 INIT("3") "mbarrier.arrive.noComplete.shared.b64 %s1, [%r20], 2;\n"
					   "mbarrier.test_wait.shared.b64 %p2, [%r20], %s1;\n"
					   "selp.u32 %r4, 1000, 0, %p2;\n"
					   "mbarrier.arrive.shared.b64 %s2, [%r20];\n"
					   "mbarrier.try_wait.shared.b64 %p2, [%r20], %s1, 100;\n"
					   "selp.u32 %r5, 100, 0, %p2;\n"
					   "mbarrier.pending_count.b64 %r6, %s1;\n"
					   "mbarrier.pending_count.b64 %r7, %s2;\n"
					   "mad.lo.u32 %r6, %r6, 10, %r7;\nadd.u32 %r4, %r4, %r5;\n"
					   "add.u32 %r4, %r4, %r6;\n" STORE)),
			 100 + 31);
}

static void generic_addresses_are_of_shared_memory(void **state)
{
	(void)state;
	assert_int_equal(
		value_of(MACHINE_KERNEL(
			OBJECT "cvt.u64.u32 %s1, %r20;\ncvta.shared.u64 %s1, %s1;\n"
			       "mbarrier.init.b64 [%s1], 1;\nmbarrier.arrive.b64 %s2, [%s1];\n"
			       "mbarrier.test_wait.b64 %p2, [%s1], %s2;\n"
			       "selp.u32 %r4, 7, 0, %p2;\nmbarrier.inval.b64 [%s1];\n" STORE)),
		7);
}

/* ---- order ---- */

/* Each thread reads what the thread at the other end wrote; the object alone orders them. */
#define EXCHANGE(wait)                                                               \
	INIT("128")                                                                  \
	"st.shared.u32 [%r21], %r1;\nmbarrier.arrive.shared.b64 %s1, [%r20];\n" wait \
	"xor.b32 %r5, %r1, 127;\nshl.b32 %r5, %r5, 2;\nadd.u32 %r5, %r19, %r5;\n"    \
	"ld.shared.u32 %r4, [%r5];\n" STORE

static void an_arrival_and_a_wait_order_threads(void **state)
{
	struct machine_result result =
		run_clean(MACHINE_KERNEL(EXCHANGE(WAIT_FOR("AGAIN", "0"))), 128);

	(void)state;
	for (uint32_t thread = 0; thread < 128; thread++)
		assert_int_equal(result.out[thread], thread ^ 127);
	machine_release(&result);
	assert_race(MACHINE_KERNEL(EXCHANGE("")), 128, "ld.shared.u32 %r4");
	/* relaxed: the threads wait, but their memory has no order */
	assert_race(MACHINE_KERNEL(EXCHANGE(
			    "AGAIN:\nmbarrier.try_wait.parity.relaxed.cta.shared.b64 %p2, [%r20], "
			    "0;\n@!%p2 bra AGAIN;\n")),
		    128, "ld.shared.u32 %r4");
}

/* Warp 1 fills words, four times; warp 0 reads them. The object at %r20 says that they are full,
 * the one at %r19 that they are empty. */
#define PIPELINE(fill)                                                                         \
	OBJECT "@%p1 mbarrier.init.shared.b64 [%r20], 32;\n"                                   \
	       "@%p1 mbarrier.init.shared.b64 [%r19], 32;\nbar.sync 0;\n"                      \
	       "mov.u32 %r6, 0;\nmov.u32 %r4, 0;\nsetp.ge.u32 %p3, %r1, 32;\n@%p3 bra FILL;\n" \
	       "READ:\nand.b32 %r7, %r6, 1;\n" WAIT_FOR(                                       \
		       "FULL",                                                                 \
		       "%r7") "ld.shared.u32 %r8, [%r21+128];\nadd.u32 %r4, %r4, %r8;\n"       \
			      "mbarrier.arrive.shared.b64 _, [%r19];\nadd.u32 %r6, %r6, 1;\n"  \
			      "setp.lt.u32 %p4, %r6, 4;\n@%p4 bra READ;\nbra DONE;\nFILL:\n"   \
			      "add.u32 %r7, %r6, 1;\nand.b32 %r7, %r7, 1;\n" fill              \
			      "mbarrier.arrive.shared.b64 _, [%r20];\nadd.u32 %r6, %r6, 1;\n"  \
			      "setp.lt.u32 %p4, %r6, 4;\n@%p4 bra FILL;\nDONE:\n" STORE
#define WRITE "add.u32 %r8, %r6, 100;\nst.shared.u32 [%r21], %r8;\n"
#define WAIT_UNTIL_EMPTY \
	"EMPTY:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r19], %r7;\n@!%p2 bra EMPTY;\n"

static void a_pipeline_has_no_race(void **state)
{
	struct machine_result result =
		run_clean(MACHINE_KERNEL(PIPELINE(WAIT_UNTIL_EMPTY WRITE)), 64);

	(void)state;
	assert_int_equal(result.out[5], 100 + 101 + 102 + 103);
	machine_release(&result);
}

static void a_producer_that_writes_before_it_waits_is_found(void **state)
{
	(void)state;
	assert_race(MACHINE_KERNEL(PIPELINE(WRITE WAIT_UNTIL_EMPTY)), 64, "ld.shared.u32 %r8");
}

/* ---- asynchronous copies ---- */

#define COPY                                              \
	"shl.b32 %r5, %r1, 4;\nadd.u32 %r5, %r19, %r5;\n" \
	"cp.async.ca.shared.global [%r5], [%rd2], 16;\n"
#define READ_OTHER "xor.b32 %r6, %r5, 16;\nld.shared.u32 %r4, [%r6+4];\n" STORE

static void copies_arrive_with_the_phase(void **state)
{
	static const char *const kernels[] = {
		/* The arrival of the copies is one that the count expects. */
		MACHINE_KERNEL(INIT("64") COPY
			       "cp.async.mbarrier.arrive.noinc.shared.b64 [%r20];\n" WAIT_FOR(
				       "AGAIN", "0") READ_OTHER),
		/* It is one more, and the thread arrives as well. */
		MACHINE_KERNEL(INIT("64") COPY "cp.async.mbarrier.arrive.shared.b64 [%r20];\n"
					       "mbarrier.arrive.shared.b64 _, [%r20];\n" WAIT_FOR(
						       "AGAIN", "0") READ_OTHER),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run_clean(kernels[i], 64);

		for (uint32_t thread = 0; thread < 64; thread++)
			assert_int_equal(result.out[thread], 22);
		machine_release(&result);
	}
	assert_told(MACHINE_KERNEL(INIT("2") COPY
				   "cp.async.mbarrier.arrive.noinc.shared.b64 [%r20];\n"
				   "ld.shared.u32 %r4, [%r5];\n" STORE),
		    1, FINDING_UNWAITED_COPY, "ld.shared.u32 %r4", "asynchronous copy");
}

/* ---- what nvcc makes of cuda::barrier and cuda::pipeline ---- */

static struct machine_result run_program(const char *file, const char *entry, uint32_t n,
					 size_t out_words)
{
	struct machine_result result;
	struct error err;
	size_t length;
	char *path = xasprintf("tests/emulator/programs/%s.ptx", file), *ptx;

	if (read_file(&ptx, &length, path, 1 << 20, &err))
		fail_msg("%s", err.text);
	result = machine_run(&(struct machine_case){.ptx = ptx,
						    .entry = entry,
						    .block = {64},
						    .n = n,
						    .out_words = out_words,
						    .checked_blocks = -1});
	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	free(ptx);
	free(path);
	return result;
}

static void barriers_and_pipelines_of_cuda_run(void **state)
{
	static const char *const files[] = {"barriers_80", "barriers_90"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct machine_result exchange = run_program(files[i], "exchange", 3, 64);
		struct machine_result staged = run_program(files[i], "staged", 5, 64 + 5 * 64);

		for (uint32_t thread = 0; thread < 64; thread++) {
			assert_int_equal(exchange.out[thread], 300 + 3 * (63 - thread));
			assert_int_equal(staged.out[thread], 10000 + 5 * (63 - thread));
		}
		machine_release(&exchange);
		machine_release(&staged);
	}
}

/* ---- what is wrong ---- */

static void a_wait_without_end_is_a_deadlock(void **state)
{
	(void)state;
	assert_told(
		MACHINE_KERNEL(INIT("65") "mbarrier.arrive.shared.b64 _, [%r20];\n" WAIT_FOR(
			"AGAIN", "0") STORE),
		64, FINDING_DEADLOCK, "mbarrier.try_wait",
		"phase 0 of the mbarrier at byte 1024 of shared memory never completes: 1 of 65 "
		"arrivals and 0 bytes are missing");
	assert_told(
		MACHINE_KERNEL(INIT("1") "mbarrier.arrive.expect_tx.shared.b64 %s1, [%r20], 16;\n"
					 "AGAIN:\nmbarrier.test_wait.shared.b64 %p2, [%r20], "
					 "%s1;\n@!%p2 bra AGAIN;\n" STORE),
		1, FINDING_DEADLOCK, "mbarrier.test_wait",
		"0 of 1 arrivals and 16 bytes are missing");
}

static void misuse_is_told(void **state)
{
	static const struct {
		const char *ptx;
		enum finding_kind kind;
		const char *line, *words;
	} cases[] = {
		{MACHINE_KERNEL(OBJECT "mbarrier.arrive.shared.b64 _, [%r20];\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.arrive", "no mbarrier is initialised at byte 1024"},
		{MACHINE_KERNEL(INIT("1") "mbarrier.inval.shared.b64 [%r20];\n"
					  "mbarrier.arrive.shared.b64 _, [%r20];\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.arrive", "no mbarrier is initialised"},
		{MACHINE_KERNEL(OBJECT "mbarrier.init.shared.b64 [%r20], 0;\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.init", "a count of 0; the count must be 1 to 1048575"},
		{MACHINE_KERNEL(OBJECT "mbarrier.init.shared.b64 [%r20], 1048576;\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.init", "a count of 1048576"},
		{MACHINE_KERNEL(OBJECT "mbarrier.init.shared.b64 [%r20+4], 1;\nret;\n"),
		 FINDING_MISALIGNED, "mbarrier.init", "byte 1028 of shared memory, which is not"},
		{MACHINE_KERNEL(OBJECT "mbarrier.init.shared.b64 [%r20+4096], 1;\nret;\n"),
		 FINDING_OUT_OF_BOUNDS, "mbarrier.init", "outside of the block's"},
		{MACHINE_KERNEL(OBJECT "mbarrier.init.b64 [%rd1], 1;\nret;\n"),
		 FINDING_OUT_OF_BOUNDS, "mbarrier.init", "not in shared memory"},
		{MACHINE_KERNEL(INIT("2") "mbarrier.arrive.shared.b64 _, [%r20], 3;\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.arrive",
		 "3 arrivals at the mbarrier at byte 1024 of "
		 "shared memory, whose phase 0 expects only 2"},
		{MACHINE_KERNEL(INIT("2") "mbarrier.arrive.shared.b64 _, [%r20], 0;\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.arrive", "a count of 0"},
		{MACHINE_KERNEL(INIT("1") "mbarrier.arrive.noComplete.shared.b64 %s1, [%r20], 1;\n"
					  "ret;\n"),
		 FINDING_MBARRIER, "mbarrier.arrive", ".noComplete completes phase 0"},
		{MACHINE_KERNEL(INIT("1") "mbarrier.expect_tx.shared.b64 [%r20], 1048576;\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.expect_tx", "wait for 1048576 bytes"},
		{MACHINE_KERNEL(INIT("1") "st.shared.u32 [%r20], 77;\n"
					  "mbarrier.arrive.shared.b64 _, [%r20];\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.arrive", "was overwritten"},
		{MACHINE_KERNEL(
			 INIT("1") "mbarrier.arrive.shared.b64 %s1, [%r20];\n"
				   "mbarrier.arrive.shared.b64 _, [%r20];\n"
				   "mbarrier.test_wait.shared.b64 %p2, [%r20], %s1;\nret;\n"),
		 FINDING_MBARRIER, "mbarrier.test_wait", "neither of its phase 2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_told(cases[i].ptx, 1, cases[i].kind, cases[i].line, cases[i].words);
}

static void an_object_that_others_do_not_wait_for_is_a_race(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(OBJECT "@%p1 mbarrier.init.shared.b64 [%r20], 32;\n"
					  "mbarrier.arrive.shared.b64 _, [%r20];\nret;\n"),
		    32, FINDING_RACE, "mbarrier.arrive", "which thread (0,0,0) wrote");
}

/* The next block finds no object. */
static void a_block_begins_without_objects(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL(OBJECT "mov.u32 %r7, %ctaid.x;\nsetp.eq.u32 %p2, %r7, 0;\n"
				      "@%p2 mbarrier.init.shared.b64 [%r20], 1;\n"
				      "mbarrier.arrive.shared.b64 _, [%r20];\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx, .grid = {2}, .checked_blocks = -1});

	(void)state;
	assert_finding(&result, FINDING_MBARRIER, line_with(ptx, "mbarrier.arrive"),
		       "no mbarrier is initialised");
	machine_release(&result);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_decoded),
		cmocka_unit_test(other_forms_are_refused),
		cmocka_unit_test(a_phase_completes_with_the_last_arrival),
		cmocka_unit_test(announced_bytes_keep_a_phase_open),
		cmocka_unit_test(states_name_their_phase),
		cmocka_unit_test(generic_addresses_are_of_shared_memory),
		cmocka_unit_test(an_arrival_and_a_wait_order_threads),
		cmocka_unit_test(a_pipeline_has_no_race),
		cmocka_unit_test(a_producer_that_writes_before_it_waits_is_found),
		cmocka_unit_test(copies_arrive_with_the_phase),
		cmocka_unit_test(barriers_and_pipelines_of_cuda_run),
		cmocka_unit_test(a_wait_without_end_is_a_deadlock),
		cmocka_unit_test(misuse_is_told),
		cmocka_unit_test(an_object_that_others_do_not_wait_for_is_a_race),
		cmocka_unit_test(a_block_begins_without_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
