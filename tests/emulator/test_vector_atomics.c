/* Atomics on vectors in global memory. */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#include "support_decode.h"

static struct machine_result run(const char *ptx, int64_t threads, size_t words)
{
	static const uint32_t in[8] = {0x3f800000, 0x40000000, 0x40400000, 0x40800000,
				       0x3c003c00, 0x40004000, 0x42004200, 0x44004400};

	return machine_run(&(struct machine_case){
		.ptx = ptx, .block = {threads}, .out_words = words, .in = in, .in_words = 8});
}

static void assert_floats(const struct machine_result *result, size_t at, const float wanted[4])
{
	assert_int_equal(result->findings.count, 0);
	assert_memory_equal(result->out + at, wanted, 4 * sizeof(float));
}

static void sums_of_floats(void **state)
{
	struct machine_result result;

	(void)state;
	/* Results in the registers of other operands; the second atom returns the sums. */
	result = run(MACHINE_KERNEL("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n"
				    "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\n"
				    "atom.global.v4.f32.add {%f4, %f3, %f2, %f1}, [%rd1], "
				    "{%f1, %f2, %f3, %f4};\n"
				    "st.global.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};\n"
				    "ld.global.v2.f32 {%f5, %f6}, [%rd2];\n"
				    "atom.relaxed.gpu.global.add.v2.f32 {%f7, %f8}, [%rd1+8], "
				    "{%f5, %f6};\n"
				    "st.global.v4.f32 [%rd1+32], {%f5, %f6, %f7, %f8};\n"),
		     1, 12);
	assert_floats(&result, 0, (float[]){2, 4, 7, 10});
	assert_floats(&result, 4, (float[]){4, 3, 2, 1});
	assert_floats(&result, 8, (float[]){1, 2, 6, 8});
	assert_int_equal(result.counts.atomic_lanes, 2);
	machine_release(&result);
	/* All lanes add to one vector, half of them by a generic address. */
	result = run(MACHINE_KERNEL("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n"
				    "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n"
				    "@%p1 red.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\n"
				    "@!%p1 red.add.v2.f32 [%rd1+8], {%f1, %f2};\n"),
		     64, 4);
	assert_floats(&result, 0, (float[]){32, 64, 128, 192});
	assert_int_equal(result.counts.atomic_lanes, 64);
	machine_release(&result);
}

static void halves_as_numbers_and_pairs(void **state)
{
	struct machine_result result;

	(void)state;
	result = run(MACHINE_KERNEL(".reg .b16 %h<9>;\nld.global.v4.b32 {%r3, %r4, %r5, %r6}, "
				    "[%rd2+16];\nst.global.v4.b32 [%rd1], {%r3, %r4, %r5, %r6};\n"
				    "mov.b32 {%h1, %h2}, %r3;\nmov.b32 {%h3, %h4}, %r4;\n"
				    "atom.global.add.noftz.v4.f16 {%h5, %h6, %h7, %h8}, [%rd1], "
				    "{%h1, %h3, %h1, %h4};\n"
				    "red.global.max.noftz.v2.f16 [%rd1+8], {%h1, %h1};\n"
				    "red.global.min.noftz.v2.f16 [%rd1+12], {%h1, %h3};\n"
				    "mov.b32 %r7, {%h5, %h6};\nmov.b32 %r8, {%h7, %h8};\n"
				    "st.global.v2.b32 [%rd1+16], {%r7, %r8};\n"),
		     1, 6);
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[0], 0x42004000);
	assert_int_equal(result.out[1], 0x44004200);
	assert_int_equal(result.out[2], 0x42004200);
	assert_int_equal(result.out[3], 0x40003c00);
	assert_int_equal(result.out[4], 0x3c003c00);
	assert_int_equal(result.out[5], 0x40004000);
	machine_release(&result);
	result = run(MACHINE_KERNEL("ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd2+16];\n"
				    "st.global.v4.b32 [%rd1], {%r3, %r4, %r5, %r6};\n"
				    "atom.global.max.noftz.v4.f16x2 {%r7, %r8, %r9, %r10}, [%rd1], "
				    "{%r6, %r5, %r4, %r3};\n"),
		     1, 4);
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[0], 0x44004400);
	assert_int_equal(result.out[1], 0x42004200);
	assert_int_equal(result.out[2], 0x42004200);
	assert_int_equal(result.out[3], 0x44004400);
	machine_release(&result);
}

#define ZEROES_KERNEL(body) \
	MACHINE_KERNEL("mov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\n" body)

static void places_must_hold_a_vector(void **state)
{
	static const struct {
		const char *ptx, *words;
		enum finding_kind kind;
	} cases[] = {
		{ZEROES_KERNEL("red.global.add.v2.f32 [%rd1+4], {%f1, %f2};\n"), "misaligned",
		 FINDING_MISALIGNED},
		{ZEROES_KERNEL("red.global.add.v4.f32 [%rd1+8], {%f1, %f2, %f1, %f2};\n"),
		 "misaligned", FINDING_MISALIGNED},
		{ZEROES_KERNEL("red.global.add.v4.f32 [%rd1+16], {%f1, %f2, %f1, %f2};\n"), "",
		 FINDING_OUT_OF_BOUNDS},
		{ZEROES_KERNEL("mov.u64 %rd4, 0;\ncvta.shared.u64 %rd4, %rd4;\n"
			       "red.add.v2.f32 [%rd4], {%f1, %f2};\n"),
		 "an atomic on a vector in shared memory", FINDING_UNSUPPORTED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_result result = run(cases[i].ptx, 1, 4);

		assert_finding(&result, cases[i].kind, line_with(cases[i].ptx, "red."),
			       cases[i].words);
		machine_release(&result);
	}
}

static void forms_that_ptx_lacks_are_refused(void **state)
{
	static const char *const unsupported[] = {
		"atom.shared.add.v2.f32 {%f1, %f2}, [%r1], {%f1, %f2};",
		"red.global.add.v8.f32 [%rd1], {%f1, %f2, %f1, %f2, %f1, %f2, %f1, %f2};",
		"red.global.min.v2.f32 [%rd1], {%f1, %f2};",
		"red.global.add.v2.u32 [%rd1], {%r1, %r2};",
		"red.global.add.v2.f64 [%rd1], {%fd1, %fd2};",
		"red.global.add.v2.f16 [%rd1], {%h1, %h2};",
		"red.global.add.noftz.v8.f16x2 [%rd1], {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};",
		"atom.global.exch.v2.b32 {%r1, %r2}, [%rd1], {%r1, %r2};",
	};
	static const char *const invalid[][2] = {
		{"red.global.add.v2.f32 [%rd1], {%f1, %f2, %f3, %f4};", "expected 2 registers"},
		{"red.global.add.v2.f32 [%rd1], %f1;", "expected 2 registers"},
		{"atom.global.add.v2.f32 %f1, [%rd1], {%f1, %f2};", "expected 2 registers"},
		{"atom.global.add.v4.f32 {%f1, %f2}, [%rd1], {%f1, %f2, %f3, %f4};",
		 "expected 4 registers"},
		{"red.global.add.v2.f32 [%rd1], {%rd1, %h2};", "16 bits"},
		{"atom.global.add.v2.f32 {%f1, %f2}, [%rd1];", "operands"},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (decode_body_fails(unsupported[i], &err, NULL) != PL_EUNSUPPORTED)
			fail_msg("%s: %s", unsupported[i], err.text);
	for (size_t i = 0; i < ARRAY_SIZE(invalid); i++)
		if (decode_body_fails(invalid[i][0], &err, NULL) != PL_EPARSE ||
		    !strstr(err.text, invalid[i][1]))
			fail_msg("%s: %s", invalid[i][0], err.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_floats),
		cmocka_unit_test(halves_as_numbers_and_pairs),
		cmocka_unit_test(places_must_hold_a_vector),
		cmocka_unit_test(forms_that_ptx_lacks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
