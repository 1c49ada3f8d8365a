/* malloc and free of device code. */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define HEAP                                                               \
	".extern .func (.param .b64 address) malloc (.param .b64 size);\n" \
	".extern .func free (.param .b64 address);\n"
#define MALLOC(size, to)                                                               \
	"{\n.param .b64 size;\n.param .b64 address;\nst.param.b64 [size], " size ";\n" \
	"call.uni (address), malloc, (size);\nld.param.b64 " to ", [address];\n}\n"
#define FREE(from) \
	"{\n.param .b64 block;\nst.param.b64 [block], " from ";\ncall.uni free, (block);\n}\n"
#define HEAP_KERNEL(body) MACHINE_HEADER HEAP MACHINE_ENTRY(body)

static struct machine_result run(const char *ptx, int64_t threads, int launches)
{
	return machine_run(
		&(struct machine_case){.ptx = ptx, .block = {threads}, .launches = launches});
}

static void each_thread_gets_memory_of_its_own(void **state)
{
	static const char writes[] = HEAP_KERNEL(
		MALLOC("40", "%rd4") "st.u32 [%rd4+36], %r1;\nbar.sync 0;\nld.u32 %r4, [%rd4+36];\n"
				     "and.b64 %rd5, %rd4, 15;\ncvt.u32.u64 %r5, %rd5;\n"
				     "add.u32 %r4, %r4, %r5;\nst.global.u32 [%rd3], %r4;\n" FREE(
					     "%rd4") "ret;\n");
	struct machine_result result = run(writes, 300, 3);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(result.out[i], i);
	machine_release(&result);
}

/* 9 MiB are more than the heap has, and so are nine times 1 MiB. */
static void a_full_heap_returns_null(void **state)
{
	static const char fills[] = HEAP_KERNEL(
		MALLOC("0x900000", "%rd4") "setp.eq.u64 %p1, %rd4, 0;\nselp.u32 %r4, 100, 0, %p1;\n"
					   "mov.u64 %rd6, 0;\nAGAIN:\n" MALLOC("0x100000",
									       "%rd5") //
		"setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra FULL;\nst.u64 [%rd5], %rd6;\n"
		"mov.u64 %rd6, %rd5;\nadd.u32 %r4, %r4, 1;\nbra AGAIN;\nFULL:\n"
		"setp.eq.u64 %p3, %rd6, 0;\n@%p3 bra EMPTY;\nld.u64 %rd7, [%rd6];\n" FREE("%rd6") //
		"mov.u64 %rd6, %rd7;\nbra FULL;\nEMPTY:\nst.global.u32 [%rd3], %r4;\nret;\n");
	struct machine_result result = run(fills, 1, 2);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[0], 107);
	machine_release(&result);
}

/* A block of before the loop can be freed after it, and the last freed one is still known. */
static void many_blocks_can_be_freed(void **state)
{
	static const char frees[] =
		HEAP_KERNEL(MALLOC("8", "%rd4") "mov.u32 %r4, 0;\nAGAIN:\n" MALLOC("16", "%rd5") //
			    FREE("%rd5") "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, "
					 "300000;\n@%p1 bra AGAIN;\n"
					 "st.u64 [%rd4], %rd5;\n" FREE("%rd4") //
			    "st.global.u32 [%rd3], %r4;\n" FREE("%rd5") "ret;\n");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = frees, .block = {1}, .launches = 1, .max_instructions = 10000000});

	(void)state;
	assert_int_equal(result.out[0], 300000);
	assert_int_equal(result.findings.count, 1);
	assert_int_equal(result.findings.items[0].kind, FINDING_INVALID_FREE);
	assert_non_null(strstr(result.findings.items[0].text, "freed before"));
	machine_release(&result);
}

static void free_of_null_does_nothing(void **state)
{
	static const char frees[] = HEAP_KERNEL("mov.u64 %rd4, 0;\n" FREE("%rd4") "ret;\n");
	struct machine_result result = run(frees, 32, 1);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
}

static void a_wrong_free_is_found(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{MALLOC("40", "%rd4") FREE("%rd4") FREE("%rd4") "ret;\n", "was freed before"},
		{MALLOC("40", "%rd4") "add.u64 %rd4, %rd4, 8;\n" FREE("%rd4") "ret;\n",
		 "8 bytes behind the beginning of its block"},
		{FREE("%rd1") "ret;\n", "which no malloc() of device code returned"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *ptx = xasprintf(
			MACHINE_HEADER HEAP
			".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
			"{\n.reg .b64 %%rd<20>;\nld.param.u64 %%rd1, [out];\n%s}\n",
			cases[i].body);
		struct machine_result result = run(ptx, 1, 1);

		assert_true(result.findings.count >= 1);
		assert_int_equal(result.findings.items[0].kind, FINDING_INVALID_FREE);
		assert_non_null(strstr(result.findings.items[0].text, cases[i].words));
		machine_release(&result);
		free(ptx);
	}
}

static void accesses_outside_of_a_block_are_found(void **state)
{
	static const char past[] =
		HEAP_KERNEL(MALLOC("40", "%rd4") "st.u32 [%rd4+40], %r1;\n" FREE("%rd4") "ret;\n");
	static const char late[] =
		HEAP_KERNEL(MALLOC("40", "%rd4") FREE("%rd4") "ld.u32 %r4, [%rd4+8];\nret;\n");
	struct machine_result result = run(past, 1, 1);

	(void)state;
	assert_int_equal(result.findings.items[0].kind, FINDING_OUT_OF_BOUNDS);
	assert_non_null(strstr(result.findings.items[0].text,
			       "4 bytes past the end of 'malloc()' (40 bytes)"));
	machine_release(&result);
	result = run(late, 1, 1);
	assert_finding(&result, FINDING_OUT_OF_BOUNDS, line_with(late, "ld.u32"),
		       "which is in the 40 bytes that a free() released");
	machine_release(&result);
}

static void memory_that_stays_is_a_leak(void **state)
{
	static const char leaks[] = HEAP_KERNEL(MALLOC("24", "%rd4") "ret;\n");
	struct machine_result result = run(leaks, 40, 2);

	(void)state;
	assert_finding(&result, FINDING_LEAK, line_with(leaks, "call.uni (address)"),
		       "24 bytes of malloc() that nothing frees");
	assert_int_equal(result.findings.items[0].times, 80);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_gets_memory_of_its_own),
		cmocka_unit_test(a_full_heap_returns_null),
		cmocka_unit_test(many_blocks_can_be_freed),
		cmocka_unit_test(free_of_null_does_nothing),
		cmocka_unit_test(a_wrong_free_is_found),
		cmocka_unit_test(accesses_outside_of_a_block_are_found),
		cmocka_unit_test(memory_that_stays_is_a_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
