/*
 * The race check of global memory: a plain access after a strong read follows what that read saw,
 * as a flag that its only reader resets does. Block 0 sets the flag out[16] last, block 1 reads it.
 */
#include "support_machine.h"

/* %p1: block 0. Block 1 runs after it. */
#define PAIR(set, see, reset)                                                               \
	MACHINE_KERNEL("mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n@!%p1 bra SEE;\n" \
		       "mov.u32 %r8, 9;\n" set "ret;\nSEE:\n" see reset "ret;\n")
#define RESET "st.global.u32 [%rd1+64], %r1;\n"
#define PLAIN_READ "ld.global.u32 %r9, [%rd1+64];\nst.global.u32 [%rd1+128], %r9;\n"
#define RED "red.relaxed.gpu.global.add.u32 [%rd1+64], 1;\n"
#define POLL "ld.relaxed.gpu.global.u32 %r12, [%rd1+64];\n"

static struct machine_result run(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .grid = {2},
						  .block = {threads},
						  .out_words = 4096,
						  .check_global = true});
}

static void assert_right(const char *ptx, int64_t threads)
{
	struct machine_result result = run(ptx, threads);

	if (result.findings.count)
		fail_msg("%s", result.findings.items[0].text);
	machine_release(&result);
}

static void assert_wrong(const char *ptx, int64_t threads, const char *at)
{
	struct machine_result result = run(ptx, threads);

	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(ptx, at), "of block (1,0,0)");
	machine_release(&result);
}

#define AFTER_EACH(set)                                                           \
	PAIR(set, POLL, RESET), PAIR(set, POLL, PLAIN_READ),                      \
		PAIR(set, "ld.acquire.gpu.global.u32 %r12, [%rd1+64];\n", RESET), \
		PAIR(set, "ld.volatile.global.u32 %r12, [%rd1+64];\n", RESET),    \
		PAIR(set, "atom.relaxed.gpu.global.add.u32 %r12, [%rd1+64], 0;\n", RESET)

static void what_a_read_saw_is_over(void **state)
{
	static const char *const right[] = {
		AFTER_EACH(RED),
		AFTER_EACH("membar.gl;\n" RED),
		AFTER_EACH("red.release.gpu.global.add.u32 [%rd1+64], 1;\n"),
		AFTER_EACH("st.release.gpu.global.u32 [%rd1+64], %r8;\n"),
		AFTER_EACH("st.volatile.global.u32 [%rd1+64], %r8;\n"),
		AFTER_EACH("atom.acq_rel.gpu.global.exch.b32 %r11, [%rd1+64], 1;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++)
		assert_right(right[i], 1);
}

/* One thread sees the flag; after a barrier, or a synchronisation of the warp, another resets it.
 */
#define OTHERS_RESET(between)                                                                 \
	PAIR("setp.ne.u32 %p2, %r1, 0;\n@!%p2 " RED, "setp.ne.u32 %p2, %r1, 0;\n@!%p2 " POLL, \
	     between "@%p2 " RESET)

static void threads_that_follow_the_reader_follow_the_write(void **state)
{
	(void)state;
	assert_right(OTHERS_RESET("bar.sync 0;\nsetp.eq.u32 %p2, %r1, 33;\n"), 64);
	assert_wrong(OTHERS_RESET("setp.eq.u32 %p2, %r1, 33;\n"), 64, "@%p2 st.global");
}

static void what_nobody_saw_races(void **state)
{
	(void)state;
	assert_wrong(PAIR(RED, "", RESET), 1, "st.global.u32 [%rd1+64]");
	assert_wrong(PAIR(RED, "", PLAIN_READ), 1, "ld.global.u32 %r9");
	/* another word */
	assert_wrong(PAIR(RED, "ld.relaxed.gpu.global.u32 %r12, [%rd1+68];\n", RESET), 1,
		     "st.global.u32 [%rd1+64]");
	/* the flag, but not what an atomic wrote before it */
	assert_wrong(PAIR("red.relaxed.gpu.global.add.u32 [%rd1+128], 1;\n" RED, POLL,
			  "st.global.u32 [%rd1+128], %r1;\n"),
		     1, "st.global.u32 [%rd1+128]");
}

/* Block 0 writes again after block 1 has seen its first write. */
/* The read of the flag of another block races, and so does what follows. */
static void a_flag_of_another_block_is_not_seen(void **state)
{
	struct machine_result result =
		run(PAIR("red.relaxed.cta.global.add.u32 [%rd1+64], 1;\n", POLL, RESET), 1);

	(void)state;
	assert_int_equal(result.findings.count, 2);
	machine_release(&result);
}

static void a_later_write_is_not_seen(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		"setp.lt.u32 %p1, %r1, 32;\nsetp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r1, 32;\n"
		"@%p2 " RED "bar.sync 0;\n@%p3 " POLL "bar.sync 0;\n@%p2 " RED
		"@%p3 st.global.u32 [%rd1+64], 0;\nret;\n");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .block = {64}, .out_words = 4096, .check_global = true});

	(void)state;
	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(ptx, "@%p3 st.global"),
		       "thread (32,0,0)");
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_read_saw_is_over),
		cmocka_unit_test(threads_that_follow_the_reader_follow_the_write),
		cmocka_unit_test(what_nobody_saw_races),
		cmocka_unit_test(a_flag_of_another_block_is_not_seen),
		cmocka_unit_test(a_later_write_is_not_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
