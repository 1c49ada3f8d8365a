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

static void vectors_are_moved(void **state)
{
	uint32_t out[8];

	(void)state;
	run_words(out, 8,
		  MACHINE_KERNEL(".reg .v2 .b32 v, w;\n.reg .v4 .u16 h;\n.reg .u16 %h<5>;\n"
				 "ld.global.v2.b32 v, [%rd2];\nmov.v2.b32 w, v;\n"
				 "mov.v2.u32 {w.x, w.y}, {w.y, w.x};\n"
				 "st.global.v2.b32 [%rd1], w;\nmov.v4.u16 h, {1, 2, 3, 4};\n"
				 "mov.v4.u16 {%h1, _, %h3, %h4}, h;\n"
				 "mov.v4.u16 h, {%h4, h.x, h.y, %h1};\n"
				 "mov.b64 %rd4, h;\nst.global.b64 [%rd1+8], %rd4;\n"
				 "mov.v2.b64 {%rd5, %rd6}, {%rd4, 5};\n"
				 "st.global.v2.b64 [%rd1+16], {%rd6, %rd5};\n"));
	assert_memory_equal(
		out, ((uint32_t[]){22, 11, 0x00010004, 0x00010002, 5, 0, 0x00010004, 0x00010002}),
		sizeof(out));
}

static void shared_memory_has_units(void **state)
{
	uint32_t out[4];

	(void)state;
	run_words(out, 4,
		  MACHINE_KERNEL(
			  ".shared .b8 some[100];\nmov.u32 %r3, some;\nst.shared.u8 [%r3], 1;\n"
			  "mov.u32 %r4, %total_smem_size;\nmov.u32 %r5, %aggr_smem_size;\n"
			  "mov.u32 %r6, %dynamic_smem_size;\n"
			  "mov.u32 %r7, %reserved_smem_offset_cap;\n"
			  "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};\n"));
	assert_memory_equal(out, ((uint32_t[]){128, 1152, 0, 1024}), sizeof(out));
}

static void special_registers_are_vectors(void **state)
{
	uint32_t out[8];

	(void)state;
	run_words(
		out, 8,
		MACHINE_KERNEL(".reg .v4 .u32 v;\nmov.v4.u32 v, %ntid;\n"
			       "st.global.v4.u32 [%rd1], v;\n"
			       "mov.v4.u32 {%r4, _, %r5, %r6}, %nctaid;\n"
			       "mov.b64 %rd4, %current_graph_exec;\nmov.u32 %r3, %aggr_smem_size;\n"
			       "cvt.u32.u64 %r7, %rd4;\n"
			       "st.global.v4.u32 [%rd1+16], {%r4, %r6, %r7, %r3};\n"));
	assert_memory_equal(out, ((uint32_t[]){1, 1, 1, 0, 1, 0, 0, 1024}), sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_registers),
		cmocka_unit_test(moves_pack_and_unpack_vectors),
		cmocka_unit_test(special_registers_are_vectors),
		cmocka_unit_test(vectors_are_moved),
		cmocka_unit_test(shared_memory_has_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
