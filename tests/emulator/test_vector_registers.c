/* Vector registers (.reg .v2, .v4): their elements, and instructions on whole vectors. */
#include "support_machine.h"

#include <string.h>

static void run_words(uint32_t *out, size_t words, const char *ptx)
{
	static const uint32_t in[4] = {11, 22, 33, 44};
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .block = {1}, .out_words = words, .in = in, .in_words = 4});

	assert_int_equal(result.findings.count, 0);
	memcpy(out, result.out, words * sizeof(*out));
	machine_release(&result);
}

static void elements_are_registers(void **state)
{
	uint32_t out[4];

	(void)state;
	/* as CUTLASS finds the two largest of several values */
	run_words(out, 1,
		  MACHINE_KERNEL("ld.global.u32 %r3, [%rd2];\nld.global.u32 %r4, [%rd2+4];\n{\n"
				 ".reg .v2 .u32 mx;\nmax.u32 mx.x, %r3, %r4;\n"
				 "min.u32 mx.y, %r3, %r4;\nsub.u32 %r5, mx.x, mx.y;\n}\n"
				 "st.global.u32 [%rd1], %r5;\n"));
	assert_int_equal(out[0], 22 - 11);
	run_words(out, 4,
		  MACHINE_KERNEL(".reg .v4 .u32 v, w<2>;\nld.global.v4.u32 v, [%rd2];\n"
				 "mov.u32 w1.x, v.w;\nmov.u32 w1.y, v.b;\nmov.u32 w1.b, v.g;\n"
				 "mov.u32 w1.a, v.r;\nst.global.v4.u32 [%rd1], w1;\n"));
	assert_int_equal(out[0], 44);
	assert_int_equal(out[1], 33);
	assert_int_equal(out[2], 22);
	assert_int_equal(out[3], 11);
}

static void moves_pack_and_unpack_vectors(void **state)
{
	uint32_t out[4];

	(void)state;
	run_words(out, 4,
		  MACHINE_KERNEL(".reg .v2 .b32 v, w;\nld.global.v2.b32 v, [%rd2+8];\n"
				 "mov.b64 %rd4, v;\nadd.u64 %rd4, %rd4, 1;\nmov.b64 w, %rd4;\n"
				 "st.global.v2.b32 [%rd1], v;\nst.global.v2.b32 [%rd1+8], w;\n"));
	assert_int_equal(out[0], 33);
	assert_int_equal(out[1], 44);
	assert_int_equal(out[2], 34);
	assert_int_equal(out[3], 44);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_registers),
		cmocka_unit_test(moves_pack_and_unpack_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
