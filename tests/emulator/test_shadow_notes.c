/*
 * Notes of rows of shared memory (shadow_notes.h) against the cells that they stand for: random
 * kernels, and the same kernels after a store of one byte, since which each cell is a byte and
 * nothing is noted. Both must have the same findings.
 */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define KERNELS 300
#define STEPS 24
#define ROWS 3
#define WARPS 3

static uint32_t seed;

static unsigned random_to(unsigned count)
{
	seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
	return (seed >> 16) % count;
}

/* %r5 … %r10: offsets in a row of words in order, in falling order, two words of the warp, one
 * word, every second word, and 8 bytes a lane. %r12: a value whose bytes are the lane's. */
static const char *const accesses[] = {
	"ld.shared.u32 %r20, [%r5", "ld.shared.u32 %r20, [%r6",
	"ld.shared.u32 %r20, [%r7", "ld.shared.u32 %r20, [%r8",
	"ld.shared.u32 %r20, [%r9", "ld.shared.v2.u32 {%r20, %r21}, [%r10",
	"st.shared.u32 [%r5",       "st.shared.u32 [%r5",
	"st.shared.u32 [%r6",       "st.shared.u32 [%r8",
	"st.shared.v2.u32 [%r10",   "atom.shared.exch.b32 %r20, [%r5",
};

static void add_shared_access(struct text *out)
{
	const unsigned access = random_to(ARRAY_SIZE(accesses));
	const char *value = random_to(3) ? "%r12" : "%r13";

	/* The access is by one warp, by all warps, or by some lanes. */
	switch (random_to(4)) {
	case 0:
		text_add(out, "setp.ne.u32 %p1, %r4, 99;\n");
		break;
	case 1:
		text_addf(out, "setp.lt.u32 %%p1, %%r3, %u;\n", random_to(32) + 1);
		break;
	default:
		text_addf(out, "setp.eq.u32 %%p1, %%r4, %u;\n", random_to(WARPS));
	}
	text_addf(out, "@%%p1 %s+%u]", accesses[access], random_to(ROWS) * 128);
	if (strstr(accesses[access], "st.shared.v2"))
		text_addf(out, ", {%s, %s}", value, value);
	else if (!strstr(accesses[access], "ld."))
		text_addf(out, ", %s", value);
	text_add(out, ";\n");
	/* A read of a word that nobody has written is none if nothing uses the value. */
	if (!strstr(accesses[access], "st."))
		text_add(out, "xor.b32 %r22, %r22, %r20;\n");
}

static void make_kernel_text(struct text *out, uint32_t number, bool bytes)
{
	seed = number;
	text_add(out, MACHINE_HEADER
		 ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
		 ".shared .align 128 .b8 rows[640];\n" MACHINE_REGISTERS
		 "mov.u32 %r1, rows;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %laneid;\n"
		 "shr.u32 %r4, %r2, 5;\nshl.b32 %r14, %r3, 2;\nadd.u32 %r5, %r1, %r14;\n"
		 "sub.u32 %r6, 124, %r14;\nadd.u32 %r6, %r1, %r6;\n"
		 "shr.u32 %r7, %r3, 4;\nshl.b32 %r7, %r7, 6;\nadd.u32 %r7, %r1, %r7;\n"
		 "add.u32 %r8, %r1, 20;\nshl.b32 %r9, %r14, 1;\nand.b32 %r9, %r9, 127;\n"
		 "add.u32 %r9, %r1, %r9;\nshl.b32 %r10, %r14, 1;\nadd.u32 %r10, %r1, %r10;\n"
		 "mul.lo.u32 %r12, %r3, 0x01010101;\nmul.lo.u32 %r13, %r2, 0x01010101;\n"
		 "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\n");
	text_addf(out, "setp.lt.u32 %%p2, %%r2, %u;\n@%%p2 st.shared.u8 [%%r1+600], %%r12;\n",
		  bytes ? 1 : 0);
	/* Most kernels begin with rows that a warp each has written. */
	if (random_to(4))
		text_add(out, "shl.b32 %r15, %r4, 7;\nadd.u32 %r15, %r15, %r5;\n"
			      "st.shared.u32 [%r15], %r13;\nbar.sync 0;\n");
	for (unsigned i = random_to(STEPS); i < STEPS; i++) {
		if (random_to(24) == 0)
			text_add(out, "setp.eq.u32 %p3, %r2, 0;\n@%p3 st.shared.u8 [%r1+601], "
				      "%r12;\n");
		else if (random_to(3))
			add_shared_access(out);
		else
			text_add(out, random_to(3) ? "bar.sync 0;\n" : "bar.warp.sync -1;\n");
	}
	text_add(out, "ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], %r22;\nret;\n}\n");
}

static struct machine_result run_checked(uint32_t number, bool bytes)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	make_kernel_text(&ptx, number, bytes);
	result = machine_run(&(struct machine_case){
		.ptx = ptx.data, .grid = {2}, .block = {32 * WARPS}, .checked_blocks = -1});
	text_release(&ptx);
	return result;
}

/* One text has the number of a word, unless cells have become bytes, the other one that of a byte.
 */
static void assert_same_place(const char *words, const char *bytes)
{
	const char *a = strstr(words, "word "), *b = strstr(bytes, "byte ");
	char *after_word, *after_byte;

	if (strstr(words, "byte ")) {
		assert_string_equal(words, bytes);
		return;
	}
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a - words, b - bytes);
	assert_memory_equal(words, bytes, (size_t)(a - words));
	assert_int_equal(4 * strtol(a + 5, &after_word, 10), strtol(b + 5, &after_byte, 10));
	assert_string_equal(after_word, after_byte);
}

static void notes_find_what_cells_find(void **state)
{
	size_t found = 0, clean = 0;

	(void)state;
	for (uint32_t number = 0; number < KERNELS; number++) {
		struct machine_result noted = run_checked(number, false);
		struct machine_result cells = run_checked(number, true);

		assert_int_equal(noted.findings.count, cells.findings.count);
		for (size_t i = 0; i < noted.findings.count; i++) {
			const struct finding *a = &noted.findings.items[i];
			const struct finding *b = &cells.findings.items[i];

			assert_int_equal(a->kind, b->kind);
			assert_int_equal(a->ptx_line, b->ptx_line);
			assert_int_equal(a->times, b->times);
			assert_memory_equal(a->thread, b->thread, sizeof(a->thread));
			assert_same_place(a->text, b->text);
		}
		found += noted.findings.count;
		clean += noted.findings.count == 0;
		machine_release(&noted);
		machine_release(&cells);
	}
	/* Kernels of both kinds, else the comparison says little. */
	assert_true(found > KERNELS / 4);
	assert_true(clean > KERNELS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(notes_find_what_cells_find)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
