/* alloca, stacksave and stackrestore. */
#include "support_machine.h"

#include <string.h>

#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"
#define FUNCTION(body)                                                                  \
	".func (.param .b32 result) taker(.param .b32 argument)\n{\n" MACHINE_REGISTERS \
	"ld.param.u32 %r1, [argument];\n" body "}\n"
#define CALL(argument, result)                                             \
	"{\n.param .b32 param0;\nst.param.b32 [param0+0], " argument ";\n" \
	".param .b32 retval0;\ncall.uni (retval0), taker, (param0);\n"     \
	"ld.param.b32 " result ", [retval0+0];\n}\n"

static struct machine_result run(const char *ptx, int64_t threads)
{
	struct machine_result result = machine_run(
		&(struct machine_case){.ptx = ptx, .block = {threads}, .checked_blocks = -1});

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

static void assert_told(const char *ptx, const char *words)
{
	struct machine_result result = machine_run(&(struct machine_case){.ptx = ptx});

	assert_finding(&result, FINDING_STACK, 0, words);
	machine_release(&result);
}

/* Thread t takes 4 * t + 4 bytes, sets all to t, takes and sets 8 more, and adds up the first ones.
 */
static void each_thread_takes_its_own_memory(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("add.u32 %r2, %r1, 1;\nmul.wide.u32 %rd4, %r2, 4;\n"
				   "alloca.u64 %rd5, %rd4;\nadd.s64 %rd6, %rd5, %rd4;\n"
				   "mov.u64 %rd7, %rd5;\nSET:\nst.local.u32 [%rd7], %r1;\n"
				   "add.s64 %rd7, %rd7, 4;\nsetp.lt.u64 %p1, %rd7, %rd6;\n"
				   "@%p1 bra SET;\n"
				   "mov.u64 %rd4, 8;\nalloca.u64 %rd7, %rd4;\n"
				   "cvta.local.u64 %rd8, %rd7;\nst.u32 [%rd8], 1000;\n"
				   "st.u32 [%rd8+4], 1000;\nmov.u32 %r4, 0;\n"
				   "SUM:\nld.local.u32 %r5, [%rd5];\nadd.u32 %r4, %r4, %r5;\n"
				   "add.s64 %rd5, %rd5, 4;\nsetp.lt.u64 %p1, %rd5, %rd6;\n"
				   "@%p1 bra SUM;\n" STORE),
		    40);

	(void)state;
	for (uint32_t t = 0; t < 40; t++)
		assert_int_equal(result.out[t], t * (t + 1));
	machine_release(&result);
}

static void memory_is_aligned(void **state)
{
	/* 3 bytes before each; the remainders by the alignments must be 0. */
	struct machine_result result =
		run(MACHINE_KERNEL(
			    "mov.u32 %r5, 3;\nalloca.u32 %r6, %r5;\nalloca.u32 %r7, %r5, 64;\n"
			    "alloca.u32 %r8, %r5, 1;\nalloca.u32 %r9, %r5;\n"
			    "and.b32 %r6, %r6, 7;\nand.b32 %r10, %r7, 63;\nor.b32 %r4, %r6, %r10;\n"
			    "and.b32 %r9, %r9, 7;\nor.b32 %r4, %r4, %r9;\n"
			    "sub.u32 %r8, %r8, %r7;\nmul.lo.u32 %r8, %r8, 100;\n"
			    "add.u32 %r4, %r4, %r8;\n" STORE),
		    1);

	(void)state;
	assert_int_equal(result.out[0], 300); /* the one of alignment 1 is 3 bytes behind */
	machine_release(&result);
}

/* A call takes 6000 bytes, ten times. */
static void a_return_gives_memory_back(void **state)
{
	struct machine_result result = run(
		MACHINE_HEADER FUNCTION("mov.u64 %rd4, 6000;\nalloca.u64 %rd5, %rd4;\n"
					"st.local.u32 [%rd5+5996], %r1;\nld.local.u32 %r2, "
					"[%rd5+5996];\nst.param.b32 [result+0], %r2;\n"
					"ret;\n")
			MACHINE_ENTRY("mov.u32 %r6, 0;\nmov.u32 %r4, 0;\n"
				      "AGAIN:\n" CALL("%r6", "%r5") "add.u32 %r4, %r4, %r5;\n"
								    "add.u32 %r6, %r6, 1;\n"
								    "setp.lt.u32 %p1, %r6, 10;\n"
								    "@%p1 bra AGAIN;\n" STORE),
		33);

	(void)state;
	for (uint32_t t = 0; t < 33; t++)
		assert_int_equal(result.out[t], 45);
	machine_release(&result);
}

#define LOOP(before, after)                                                    \
	MACHINE_KERNEL("mov.u64 %rd4, 6000;\nmov.u32 %r4, 0;\nAGAIN:\n" before \
		       "alloca.u64 %rd6, %rd4;\n" after                        \
		       "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 10;\n"     \
		       "@%p1 bra AGAIN;\n" STORE)

static void stackrestore_gives_memory_back(void **state)
{
	struct machine_result result =
		run(LOOP("stacksave.u64 %rd5;\n", "stackrestore.u64 %rd5;\n"), 2);

	(void)state;
	assert_int_equal(result.out[0], 10);
	machine_release(&result);
}

static void too_much_is_told(void **state)
{
	(void)state;
	assert_told(LOOP("", ""), "alloca of 6000 bytes, with 12000 of 16384 bytes taken before");
	assert_told(MACHINE_KERNEL("mov.u64 %rd4, -1;\nalloca.u64 %rd5, %rd4;\nret;\n"),
		    "alloca of 18446744073709551615 bytes, with 0 of 16384");
	assert_told(MACHINE_KERNEL("mov.u64 %rd4, 8;\nalloca.u64 %rd5, %rd4;\n"
				   "alloca.u64 %rd5, %rd4, 8388608;\nret;\n"),
		    "alloca of 8 bytes, with 8 of 16384");
}

static void a_wrong_restore_is_told(void **state)
{
	static const char words[] = "which no stacksave of this call gave";

	(void)state;
	assert_told(MACHINE_KERNEL("mov.u64 %rd4, 0x7777;\nstackrestore.u64 %rd4;\nret;\n"), words);
	/* Given back before. */
	assert_told(MACHINE_KERNEL("mov.u64 %rd4, 16;\nstacksave.u64 %rd5;\n"
				   "alloca.u64 %rd6, %rd4;\nstacksave.u64 %rd7;\n"
				   "stackrestore.u64 %rd5;\nstackrestore.u64 %rd7;\nret;\n"),
		    words);
	/* A position of the stack of the caller. */
	assert_told(MACHINE_HEADER FUNCTION("stackrestore.u32 %r1;\nst.param.b32 [result+0], %r1;\n"
					    "ret;\n")
			    MACHINE_ENTRY("mov.u64 %rd4, 16;\nstacksave.u32 %r6;\n"
					  "alloca.u64 %rd6, %rd4;\n" CALL("%r6", "%r5") "ret;\n"),
		    words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_takes_its_own_memory),
		cmocka_unit_test(memory_is_aligned),
		cmocka_unit_test(a_return_gives_memory_back),
		cmocka_unit_test(stackrestore_gives_memory_back),
		cmocka_unit_test(too_much_is_told),
		cmocka_unit_test(a_wrong_restore_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
