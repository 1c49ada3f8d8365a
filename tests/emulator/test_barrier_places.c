/* Barriers that threads reach at different source lines: a note, which is no finding. */
#include "support_machine.h"

#include <string.h>

#define FILES ".file 1 \"x.cu\"\n"
#define LINE(number) ".loc 1 " number " 0\n"
#define ENTRY(body)                                                      \
	MACHINE_HEADER FILES MACHINE_ENTRY("setp.lt.u32 %p1, %r1, 32;\n" \
					   "and.b32 %r4, %r1, 1;\n"      \
					   "setp.eq.u32 %p2, %r4, 0;\n" body "ret;\n")
/* The first warp, or the even lanes, take the first way. */
#define TWO_WAYS(guard, first, second) \
	ENTRY("@" guard " bra FIRST;\n" second "bra DONE;\nFIRST:\n" first "DONE:\n" LINE("90"))

static struct machine_result run(const char *ptx)
{
	return machine_run(&(struct machine_case){.ptx = ptx, .block = {64}, .checked_blocks = -1});
}

static void expect_note(const char *ptx, const char *words)
{
	struct machine_result result = run(ptx);
	struct text text = TEXT_INIT;

	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.notes.count, 1);
	finding_text(&text, &result.notes.items[0]);
	if (!strstr(text.data, words))
		fail_msg("%s", text.data);
	text_release(&text);
	machine_release(&result);
}

static void expect_no_note(const char *ptx)
{
	struct machine_result result = run(ptx);

	assert_int_equal(result.findings.count, 0);
	if (result.notes.count)
		fail_msg("%s", result.notes.items[0].text);
	machine_release(&result);
}

static void two_places_are_noted(void **state)
{
	(void)state;
	expect_note(TWO_WAYS("%p1", LINE("10") "bar.sync 0;\n", LINE("20") "bar.sync 0;\n"),
		    "barrier at two places in k, block (0,0,0), x.cu:20: warp 1 comes to barrier 0 "
		    "here, and warp 0 at x.cu:10");
	expect_note(TWO_WAYS("%p1", LINE("10") "barrier.sync 3;\n", LINE("20") "barrier.sync 3;\n"),
		    "barrier 3");
	expect_note(
		TWO_WAYS("%p2", LINE("10") "bar.warp.sync -1;\n", LINE("20") "bar.warp.sync -1;\n"),
		"come to __syncwarp() here, and others at x.cu:");
	/* One line that was inlined at two. */
	expect_note(
		TWO_WAYS("%p1", ".loc 1 5 0, function_name F, inlined_at 1 10 0\nbar.sync 0;\n",
			 ".loc 1 5 0, function_name F, inlined_at 1 20 0\nbar.sync 0;\n"),
		"x.cu:20 (x.cu:5): warp 1 comes to barrier 0 here, and warp 0 at x.cu:10 (x.cu:5)");
	/* Without lines. */
	expect_note(TWO_WAYS("%p1", "bar.sync 0;\n", "bar.sync 0;\n"), "of the PTX");
	/* A loop of one round, or of two. */
	expect_note(ENTRY("mov.u32 %r5, 0;\nAGAIN:\n" LINE(
			    "10") "bar.sync 0;\n"
				  "add.u32 %r5, %r5, 1;\n@%p1 setp.ge.u32 %p3, %r5, 2;\n"
				  "@!%p1 setp.ge.u32 %p3, %r5, 1;\n@!%p3 bra AGAIN;\n" LINE(
					  "20") "bar.sync 0;\n"),
		    "x.cu:");
}

static void what_is_meant_so_is_not_noted(void **state)
{
	(void)state;
	/* Copies of one line. */
	expect_no_note(TWO_WAYS("%p1", LINE("10") "bar.sync 0;\n", LINE("10") "bar.sync 0;\n"));
	expect_no_note(TWO_WAYS("%p2", LINE("10") "bar.warp.sync -1;\n",
				LINE("10") "bar.warp.sync -1;\n"));
	/* Warps with different tasks. */
	expect_no_note(
		TWO_WAYS("%p1", LINE("10") "bar.arrive 1, 64;\n", LINE("20") "bar.sync 1, 64;\n"));
	expect_no_note(
		TWO_WAYS("%p1", LINE("10") "bar.sync 1, 64;\n", LINE("20") "bar.sync 1, 64;\n"));
	/* One after the other, and for each half of the lanes. */
	expect_no_note(ENTRY(LINE("10") "bar.sync 0;\n" LINE("20") "bar.sync 0;\n"));
	expect_no_note(TWO_WAYS("%p2", LINE("10") "bar.warp.sync 0x55555555;\n",
				LINE("20") "bar.warp.sync 0xaaaaaaaa;\n"));
	/* Who has ended is not waited for. */
	expect_no_note(ENTRY(LINE("10") "bar.sync 0;\n@%p1 ret;\n" LINE("20") "bar.sync 0;\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_places_are_noted),
		cmocka_unit_test(what_is_meant_so_is_not_noted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
