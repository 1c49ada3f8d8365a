/* Loads of shared memory that nobody wrote: a finding where a value is read, and only there. */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* Slots of 16 bytes, of which each thread writes the first 12: a float4 without its w. */
#define WITHOUT_W                                                                           \
	".shared .align 16 .b8 slots[1024];\nmov.u32 %r20, slots;\n"                        \
	"shl.b32 %r21, %r1, 4;\nadd.u32 %r21, %r20, %r21;\n"                                \
	"st.shared.v2.u32 [%r21], {%r1, %r1};\nst.shared.u32 [%r21+8], %r1;\nbar.sync 0;\n" \
	"xor.b32 %r22, %r21, 16;\nmov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 2;\n"
#define STORE "add.u32 %r4, %r4, %r5;\nst.global.u32 [%rd3], %r4;\nret;\n"

static size_t findings_of(const char *body)
{
	char *ptx = xasprintf("%s%s%s%s", MACHINE_HEADER,
			      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
			      "n)\n{\n" MACHINE_REGISTERS
			      "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"
			      "ld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\n"
			      "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n",
			      body, "}\n");
	struct machine_result result = machine_run(
		&(struct machine_case){.ptx = ptx, .block = {64}, .checked_blocks = -1});
	const size_t count = result.findings.count;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(result.findings.items[i].kind, FINDING_UNINITIALISED);
	machine_release(&result);
	free(ptx);
	return count;
}

static void an_element_that_nothing_reads_is_no_finding(void **state)
{
	static const char *const bodies[] = {
		"ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\n" STORE,
		"ld.shared.v4.u32 {%r5, %r6, %r7, _}, [%r22];\n" STORE,
		"ld.volatile.shared.u32 %r8, [%r22+12];\nmov.u32 %r5, 1;\n" STORE,
		/* overwritten before it is read */
		"ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\nmov.u32 %r8, 1;\n"
		"add.u32 %r4, %r8, %r6;\n" STORE,
		/* in every turn of a loop */
		"L: ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\nadd.u32 %r4, %r4, 1;\n"
		"setp.lt.u32 %p2, %r4, 3;\n@%p2 bra L;\n" STORE,
		/* by a generic address */
		"cvt.u64.u32 %rd4, %r22;\ncvta.shared.u64 %rd4, %rd4;\n"
		"ld.v4.u32 {%r5, %r6, %r7, %r8}, [%rd4];\n" STORE,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		char *body = xasprintf("%s%s", WITHOUT_W, bodies[i]);

		if (findings_of(body))
			fail_msg("a finding in: %s", bodies[i]);
		free(body);
	}
}

static void an_element_that_may_be_read_is_a_finding(void **state)
{
	static const char *const bodies[] = {
		"ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\nadd.u32 %r4, %r4, %r8;\n" STORE,
		/* by the lanes of one branch */
		"ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\n@!%p1 bra D;\n"
		"add.u32 %r4, %r4, %r8;\nD:\n" STORE,
		/* a guarded move leaves the value in other lanes */
		"ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\n@%p1 mov.u32 %r8, 1;\n"
		"add.u32 %r4, %r4, %r8;\n" STORE,
		/* in the next turn of a loop */
		"mov.u32 %r8, 0;\nmov.u32 %r10, 0;\nL: add.u32 %r4, %r4, %r8;\nadd.u32 %r9, %r4, "
		"1;\n"
		"ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r22];\nadd.u32 %r10, %r10, 1;\n"
		"setp.lt.u32 %p2, %r10, 3;\n@%p2 bra L;\n" STORE,
		"ld.shared.u32 %r5, [%r22+12];\n" STORE,
		/* below a word */
		"ld.shared.v4.u8 {%r5, %r6, %r7, %r8}, [%r22+12];\n" STORE,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		char *body = xasprintf("%s%s", WITHOUT_W, bodies[i]);

		if (findings_of(body) != 1)
			fail_msg("no finding in: %s", bodies[i]);
		free(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_element_that_nothing_reads_is_no_finding),
		cmocka_unit_test(an_element_that_may_be_read_is_a_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
