/* Accesses that leave a shared variable for its neighbour, and addresses that may belong to any. */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* Three neighbours of 256, 256 and 64 bytes, of which the middle one is meant. Every thread sets
 * its word of the first two. %r5 is the address of `s`, and %r6 that of the thread's word of it. */
#define VARIABLES                                                                        \
	".shared .align 16 .b8 left[256];\n.shared .align 16 .b8 s[256];\n"              \
	".shared .align 16 .b8 right[64];\nmov.u32 %r8, left;\nmov.u32 %r5, s;\n"        \
	"mov.u32 %r12, right;\nshl.b32 %r7, %r1, 2;\nadd.u32 %r6, %r5, %r7;\n"           \
	"add.u32 %r9, %r8, %r7;\nst.shared.u32 [%r9], %r1;\nst.shared.u32 [%r6], %r1;\n" \
	"bar.sync 0;\nsetp.eq.u32 %p1, %r1, 3;\nmov.u32 %r20, 7;\n"
#define END "st.global.u32 [%rd3], %r1;\nret;\n"

struct program {
	const char *body; /* its last line is the access */
	const char *words;
	int thread; /* the first that leaves the variable */
};

static struct machine_result run_body(const char *body, int64_t checked_blocks, char **ptx)
{
	struct machine_result result;

	*ptx = xasprintf("%s%s%s\n%s}\n",
			 MACHINE_HEADER ".visible .entry k(.param .u64 out, .param .u64 in, "
					".param .u32 n)\n{\n" MACHINE_REGISTERS,
			 "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
			 "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n" VARIABLES,
			 body, END);
	result = machine_run(&(struct machine_case){
		.ptx = *ptx, .block = {64}, .n = 64, .checked_blocks = checked_blocks});
	return result;
}

static void leaving_a_variable_is_out_of_bounds(void **state)
{
	static const struct program programs[] = {
		{"@%p1 st.shared.u32 [s+256], %r20;",
		 "a 4-byte store to byte 256 of shared variable 's', which ends "
		 "4 bytes past its end (256 bytes)",
		 3},
		{"@%p1 ld.shared.u32 %r21, [s+-4];",
		 "a 4-byte load from byte -4 of shared variable 's', before it begins (256 bytes)",
		 3},
		/* a computed index */
		{"@%p1 st.shared.u32 [%r6+244], %r20;", "a 4-byte store to byte 256 of", 3},
		{"sub.s32 %r10, %r6, 16;\n@%p1 ld.shared.u32 %r21, [%r10];",
		 "a 4-byte load from byte -4 of", 3},
		{"mov.u32 %r11, 4;\nmad.lo.s32 %r10, %r20, %r11, %r5;\n"
		 "@%p1 ld.shared.u32 %r21, [%r10+228];",
		 "a 4-byte load from byte 256 of", 3},
		{"or.b32 %r10, %r5, 12;\n@%p1 ld.shared.u32 %r21, [%r10+244];", "byte 256 of", 3},
		/* a wide and partly outside access, and one of a byte */
		{"@%p1 ld.shared.v4.u32 {%r21, %r22, %r23, %r24}, [s+256];",
		 "a 16-byte load from byte 256 of shared variable 's', which ends 16 bytes past",
		 3},
		{"@%p1 st.shared.u8 [s+256], %r20;", "a 1-byte store to byte 256 of", 3},
		{"@%p1 ld.shared.u8 %r21, [%r6+-13];", "a 1-byte load from byte -1 of", 3},
		{"@%p1 atom.shared.add.u32 %r21, [%r6+244], 1;", "a 4-byte atomic on byte 256 of",
		 3},
		{"@%p1 red.shared.add.u32 [s+-4], 1;", "a 4-byte atomic on byte -4 of", 3},
		/* generic addresses */
		{"cvt.u64.u32 %rd4, %r6;\ncvta.shared.u64 %rd4, %rd4;\n"
		 "@%p1 st.u32 [%rd4+244], %r20;",
		 "a 4-byte store to byte 256 of", 3},
		{"mov.u64 %rd4, s;\ncvta.shared.u64 %rd5, %rd4;\nmul.wide.s32 %rd6, %r1, 4;\n"
		 "add.s64 %rd7, %rd5, %rd6;\nld.u32 %r21, [%rd7+4];",
		 "a 4-byte load from byte 256 of", 63},
		{"mov.u64 %rd4, s;\nmov.u32 %r11, 4;\nmad.wide.s32 %rd5, %r1, %r11, %rd4;\n"
		 "cvta.shared.u64 %rd6, %rd5;\natom.add.u32 %r21, [%rd6+64], 1;",
		 "a 4-byte atomic on byte 256 of", 48},
		/* the neighbour before, and a pointer that runs through a loop */
		{"ld.shared.u32 %r21, [%r9+4];",
		 "byte 256 of shared variable 'left', which ends 4 bytes past", 63},
		{"mov.u32 %r10, %r5;\nmov.u32 %r11, 0;\n"
		 "L: add.u32 %r10, %r10, 4;\nadd.u32 %r11, %r11, 1;\nsetp.lt.u32 %p2, %r11, 65;\n"
		 "@%p2 bra L;\nld.shared.u32 %r21, [%r10+-4];",
		 "byte 256 of", 32},
		/* copies, and rows of a matrix */
		{"cp.async.ca.shared.global [%r6+4], [%rd1], 4;",
		 "a 4-byte asynchronous copy to byte 256 of", 63},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r21}, [s+256];",
		 "a 16-byte matrix row load from byte 256 of", 32},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const char *last = strrchr(programs[i].body, '\n');
		char *ptx;
		struct machine_result result = run_body(programs[i].body, -1, &ptx);

		assert_finding(&result, FINDING_OUT_OF_BOUNDS,
			       line_with(ptx, last ? last + 1 : programs[i].body),
			       programs[i].words);
		assert_int_equal(result.findings.items[0].thread[0], programs[i].thread);
		machine_release(&result);
		free(ptx);
	}
}

static void an_address_that_may_be_of_any_variable_is_not_judged(void **state)
{
	static const char *const bodies[] = {
		"ld.shared.u32 %r21, [s+252];",
		"ld.shared.u32 %r21, [%r6];",
		/* the difference of two variables leads to the other one */
		"sub.u32 %r10, %r8, %r5;\nadd.u32 %r10, %r5, %r10;\nld.shared.u32 %r21, [%r10];",
		"sub.u32 %r10, %r8, %r5;\nshr.s32 %r10, %r10, 2;\nmov.u32 %r11, 4;\n"
		"mad.lo.s32 %r10, %r10, %r11, %r5;\nld.shared.u32 %r21, [%r10];",
		"sub.u32 %r10, %r5, %r8;\nsub.u32 %r10, %r5, %r10;\nld.shared.u32 %r21, [%r10];",
		/* one or the other */
		"selp.b32 %r10, %r5, %r8, %p1;\nld.shared.u32 %r21, [%r10];",
		"mov.u32 %r10, %r5;\n@%p1 mov.u32 %r10, %r8;\nld.shared.u32 %r21, [%r10];",
		"selp.b32 %r10, %r5, 64, %p1;\nld.shared.u32 %r21, [%r10];",
		"mov.u32 %r10, %r5;\n@%p1 mov.u32 %r10, 64;\nld.shared.u32 %r21, [%r10];",
		/* a register that had another address before */
		"mov.u32 %r10, %r5;\nld.shared.u32 %r11, [%r10];\nmov.u32 %r10, %r8;\n"
		"ld.shared.u32 %r21, [%r10];",
		/* addresses from memory and from other lanes */
		"st.shared.u32 [%r6], %r9;\nld.shared.u32 %r10, [%r6];\nld.shared.u32 %r21, "
		"[%r10];",
		"selp.b32 %r10, %r5, %r8, %p1;\nshfl.sync.idx.b32 %r10, %r10, 3, 31, -1;\n"
		"ld.shared.u32 %r21, [%r10];",
		/* other arithmetic */
		"xor.b32 %r10, %r5, 256;\nld.shared.u32 %r21, [%r10];",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		char *ptx;
		struct machine_result result = run_body(bodies[i], -1, &ptx);

		if (result.findings.count)
			fail_msg("a finding in: %s", bodies[i]);
		machine_release(&result);
		free(ptx);
	}
}

static void a_block_that_is_not_checked_has_no_finding(void **state)
{
	char *ptx;
	struct machine_result result = run_body("ld.shared.u32 %r21, [s+256];", 0, &ptx);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	free(ptx);
}

/* `part` is no variable with bounds: the program divides dynamic memory up itself. */
static void dynamic_memory_has_no_bounds_but_its_end(void **state)
{
	static const char ptx[] =
		MACHINE_HEADER ".extern .shared .align 16 .b8 part[];\n" MACHINE_ENTRY(
			".shared .align 16 .b8 s[256];\nmov.u32 %r5, part;\nshl.b32 %r6, %r1, 2;\n"
			"add.u32 %r6, %r5, %r6;\nst.shared.u32 [%r6], %r1;\n"
			"st.shared.u32 [%r6+256], %r1;\nst.shared.u32 [s], %r2;\nret;\n");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .block = {32}, .shared_bytes = 512, .checked_blocks = -1});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
}

/* nvcc's names of variables of a function, after bytes that the system reserves. */
static void the_name_is_that_of_the_source(void **state)
{
	static const char ptx[] = MACHINE_HEADER MACHINE_ENTRY(
		".shared .align 4 .b8 _ZZ4diffPKfPfE1s[256];\n.shared .align 4 .b8 "
		"_ZZ4diffPKfPfE6weight[256];\nmov.u32 %r5, %reserved_smem_offset_end;\n"
		"st.shared.u32 [_ZZ4diffPKfPfE1s], %r5;\n"
		"st.shared.u32 [_ZZ4diffPKfPfE6weight], %r5;\n"
		"st.shared.u32 [_ZZ4diffPKfPfE1s+256], %r5;\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx, .checked_blocks = -1});

	(void)state;
	assert_finding(&result, FINDING_OUT_OF_BOUNDS,
		       line_with(ptx, "st.shared.u32 [_ZZ4diffPKfPfE1s+256]"),
		       "a 4-byte store to byte 256 of shared variable 's', which ends");
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaving_a_variable_is_out_of_bounds),
		cmocka_unit_test(an_address_that_may_be_of_any_variable_is_not_judged),
		cmocka_unit_test(a_block_that_is_not_checked_has_no_finding),
		cmocka_unit_test(dynamic_memory_has_no_bounds_but_its_end),
		cmocka_unit_test(the_name_is_that_of_the_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
