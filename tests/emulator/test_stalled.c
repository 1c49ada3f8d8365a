/* Launches that do not end: those in which nothing changes any more, and those that only take long.
 */
#include "support_machine.h"

#include <string.h>

#define FLAG "[%rd1]"
#define FIRST_WARP "setp.ge.u32 %p9, %r1, 32;\n"

static struct machine_result run(const char *ptx, int64_t threads, uint64_t instructions)
{
	return machine_run(&(struct machine_case){
		.ptx = ptx, .block = {threads}, .out_words = 64, .max_instructions = instructions});
}

static void expect_deadlock(const char *ptx, int64_t threads, const char *at, const char *thread)
{
	struct machine_result result = run(ptx, threads, 1000000000);
	struct text text = TEXT_INIT;

	assert_finding(&result, FINDING_DEADLOCK, line_with(ptx, at), "loop for ever");
	finding_text(&text, &result.findings.items[0]);
	assert_non_null(strstr(text.data, thread));
	text_release(&text);
	machine_release(&result);
}

static void what_cannot_change_is_a_deadlock(void **state)
{
	(void)state;
	/* waits for a value that nobody writes: by loads, by atomics, by a plain loop */
	expect_deadlock(MACHINE_KERNEL("L:\nld.volatile.global.u32 %r3, " FLAG
				       ";\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nret;\n"),
			32, "ld.volatile", "thread (0,0,0)");
	expect_deadlock(MACHINE_KERNEL("L:\natom.global.cas.b32 %r3, " FLAG
				       ", 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\nret;\n"),
			32, "atom.global.cas", "thread (1,0,0)");
	expect_deadlock(MACHINE_KERNEL("L:\nmov.u32 %r3, %r1;\nbra L;\n"), 32, "mov.u32 %r3",
			"thread (0,0,0)");
	/* stores what is there */
	expect_deadlock(MACHINE_KERNEL("L:\nst.global.u32 " FLAG ", 7;\nbra L;\n"), 32, "st.global",
			"thread (0,0,0)");
	/* a shuttle between two values */
	expect_deadlock(MACHINE_KERNEL("mov.u32 %r3, 0;\nL:\nxor.b32 %r3, %r3, 1;\n"
				       "st.global.u32 " FLAG ", %r3;\nbra L;\n"),
			32, "xor.b32", "thread (0,0,0)");
	/* the second warp waits for the first one, which has ended, or waits at a barrier */
	expect_deadlock(MACHINE_KERNEL(FIRST_WARP
				       "@!%p9 ret;\nL:\nld.volatile.global.u32 %r3, " FLAG
				       ";\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nret;\n"),
			64, "ld.volatile", "thread (32,0,0)");
	expect_deadlock(MACHINE_KERNEL(FIRST_WARP
				       "@%p9 bra L;\nbar.sync 0;\nst.global.u32 " FLAG
				       ", 1;\nret;\nL:\nld.volatile.global.u32 %r3, " FLAG
				       ";\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\n"
				       "bar.sync 0;\nret;\n"),
			64, "ld.volatile", "thread (32,0,0)");
}

/* The first warp counts and then sets the flag; the second one waits. */
#define WAITS(loop)                                                                           \
	MACHINE_KERNEL(FIRST_WARP "@%p9 bra W;\nmov.u32 %r4, 0;\nC:\nadd.u32 %r4, %r4, 1;\n"  \
				  "setp.lt.u32 %p1, %r4, 30000000;\n@%p1 bra C;\nst.volatile" \
				  ".global.u32 [%rd1], 1;\nret;\nW:\n" loop                   \
				  "ld.volatile.global.u32 %r3, [%rd1];\n"                     \
				  "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra W;\nret;\n")

static void expect_end(const char *ptx)
{
	struct machine_result result = run(ptx, 64, 1000000000);

	if (result.findings.count)
		fail_msg("%s", result.findings.items[0].text);
	machine_release(&result);
}

static void what_makes_progress_is_none(void **state)
{
	(void)state;
	expect_end(WAITS(""));
	expect_end(WAITS("nanosleep.u32 100;\n"));
	/* a clock changes although no register keeps it */
	expect_end(MACHINE_KERNEL("W:\nmov.u64 %rd4, %clock64;\n"
				  "setp.lt.u64 %p1, %rd4, 60000000;\nmov.u64 %rd4, 0;\n"
				  "@%p1 bra W;\nret;\n"));
	/* memory counts */
	expect_end(MACHINE_KERNEL("setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nW:\n"
				  "ld.global.u32 %r3, [%rd1];\nadd.u32 %r3, %r3, 1;\n"
				  "st.global.u32 [%rd1], %r3;\nsetp.lt.u32 %p1, %r3, 9000000;\n"
				  "mov.u32 %r3, 0;\n@%p1 bra W;\nret;\n"));
}

/* Its time is over before it begins, so that both sets of lanes stop at the same place. */
static void a_late_launch_says_where_it_is(void **state)
{
	static const char ptx[] = MACHINE_KERNEL("mov.u64 %rd4, 0;\nL:\nadd.u64 %rd4, %rd4, 1;\n"
						 "setp.ne.u64 %p1, %rd4, 0;\n@%p1 bra L;\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx, .block = {32}, .end_ns = 1});

	(void)state;
	assert_finding(&result, FINDING_LATE, line_with(ptx, "ld.param"), "has not ended");
	assert_int_equal(result.findings.items[0].thread[0], 0);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_change_is_a_deadlock),
		cmocka_unit_test(what_makes_progress_is_none),
		cmocka_unit_test(a_late_launch_says_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
