/* discard.L2: the bytes of a line are undefined until a thread writes them again. */
#include "support_machine.h"

static const uint32_t in[64] = {5, 6, 7};

static struct machine_result run(const char *ptx)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {32},
						  .in = in,
						  .in_words = ARRAY_SIZE(in),
						  .checked_blocks = -1,
						  .check_global = true});
}

static void what_was_discarded_is_not_read(void **state)
{
	static const char ptx[] =
		MACHINE_KERNEL("discard.global.L2 [%rd2], 128;\nmul.wide.u32 %rd4, %r1, 4;\n"
			       "add.s64 %rd4, %rd2, %rd4;\nld.global.u32 %r4, [%rd4];\n"
			       "st.global.u32 [%rd3], %r4;\nret;\n");
	struct machine_result result = run(ptx);

	(void)state;
	assert_finding(
		&result, FINDING_UNWRITTEN, line_with(ptx, "discard.global.L2"),
		"byte 0 of 'in' (256 bytes) is undefined since discard.L2 destroyed its line, "
		"and its value is used as byte 0 of the result 'out'; write it again first");
	assert_int_not_equal(result.out[0], 5);
	machine_release(&result);
}

static void other_lines_and_new_values_are_read(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("discard.L2 [%rd2+128], 128;\ndiscard.global.L2 [%rd1], 128;\n"
				   "mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd4, %rd2, %rd4;\n"
				   "ld.global.u32 %r4, [%rd4];\nst.global.u32 [%rd3], %r4;\n"
				   "ld.global.u32 %r5, [%rd3];\nadd.u32 %r5, %r5, %r5;\n"
				   "st.global.u32 [%rd3], %r5;\nret;\n"));

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[2], 14);
	machine_release(&result);
}

static void only_whole_lines_are_discarded(void **state)
{
	static const char apart[] = MACHINE_KERNEL("discard.global.L2 [%rd2+64], 128;\nret;\n");
	static const char outside[] = MACHINE_KERNEL("discard.global.L2 [%rd2+1024], 128;\nret;\n");
	struct machine_result result = run(apart);

	(void)state;
	assert_finding(&result, FINDING_MISALIGNED, line_with(apart, "discard"),
		       "not a multiple of 128");
	machine_release(&result);
	result = run(outside);
	assert_finding(&result, FINDING_OUT_OF_BOUNDS, line_with(outside, "discard"), "discard of");
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_discarded_is_not_read),
		cmocka_unit_test(other_lines_and_new_values_are_read),
		cmocka_unit_test(only_whole_lines_are_discarded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
