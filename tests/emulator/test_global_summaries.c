/*
 * Summaries of rows (global_cells.h) against the details that they stand for: random kernels access
 * whole rows, and the same kernels access words that begin 16 bytes later. Those lie in parts of
 * two rows, which no summary holds. Both must have the same findings.
 */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define KERNELS 2000
#define STEPS 12
/* A place is a row; the row behind it is left for what begins 16 bytes later. */
#define PLACES 3
#define PLACE_BYTES 256
#define BLOCKS 3
#define LATER_BYTES 16

static uint32_t seed;

static unsigned random_below(unsigned count)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % count;
}

/* What lanes access all words of a row: %rd5 … %rd8 are the addresses of a lane. */
static const char *const accesses[] = {
	"ld.global.u32 %r10, [%rd5",
	"st.global.u32 [%rd5",
	"ld.global.u32 %r10, [%rd8",
	"st.global.u32 [%rd8",
	"ld.global.v2.u32 {%r10, %r11}, [%rd6",
	"st.global.v2.u32 [%rd6",
	"ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd7",
	"st.global.v4.u32 [%rd7",
};
static const char *const guards[] = {"%p5", "%p5", "%p6", "%p6", "%p7", "%p7", "%p8", "%p8"};

/* The value is the lane's, which is the same in all blocks, or the number of the block. */
static void add_access(struct text *out, unsigned later)
{
	static const char *const values[2][3] = {
		{"%r1", "{%r1, %r1}", "{%r1, %r1, %r1, %r1}"},
		{"%r3", "{%r3, %r3}", "{%r3, %r3, %r3, %r3}"},
	};
	const unsigned access = random_below(ARRAY_SIZE(accesses));
	const unsigned place = random_below(PLACES);
	const unsigned wide = access >= 6 ? 2 : access >= 4;

	/* The threads of one block, or of all. */
	if (random_below(4))
		text_addf(out, "setp.eq.u32 %%p4, %%r3, %u;\nand.pred %%p0, %s, %%p4;\n",
			  random_below(BLOCKS), guards[access]);
	else
		text_addf(out, "mov.pred %%p0, %s;\n", guards[access]);
	text_addf(out, "@%%p0 %s+%u]", accesses[access], later + place * PLACE_BYTES);
	if (!strncmp(accesses[access], "st", 2))
		text_addf(out, ", %s;\n", values[random_below(4) != 0][wide]);
	else
		text_add(out, ";\nadd.u32 %r20, %r20, %r10;\n");
}

static void add_step(struct text *out, unsigned later)
{
	static const char *const orders[] = {
		"bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n", "membar.gl;\n",
		"membar.gl;\natom.global.add.u32 %r15, [%rd1+4096], 1;\nmembar.gl;\n"};

	if (random_below(3) == 0)
		text_add(out, orders[random_below(ARRAY_SIZE(orders))]);
	else
		add_access(out, later);
}

/* %p5 … %p8: the lanes that access 4 bytes, 4 in falling order, 8, and 16. */
static void make_kernel(struct text *out, uint32_t number, unsigned later)
{
	seed = (number + 1) * UINT32_C(2654435761);
	text_add(out, MACHINE_HEADER
		 ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
		 "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
		 "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %laneid;\nmov.u32 %r20, 0;\n"
		 "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
		 "setp.lt.u32 %p5, %r4, 32;\nsetp.lt.u32 %p6, %r4, 32;\n"
		 "setp.lt.u32 %p7, %r4, 16;\nsetp.lt.u32 %p8, %r4, 8;\n"
		 "mul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd5, %rd1, %rd3;\n"
		 "mul.wide.u32 %rd3, %r4, 8;\nadd.s64 %rd6, %rd1, %rd3;\n"
		 "mul.wide.u32 %rd3, %r4, 16;\nadd.s64 %rd7, %rd1, %rd3;\n"
		 "sub.u32 %r5, 31, %r4;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd8, %rd1, %rd3;\n");
	for (unsigned i = random_below(STEPS); i < STEPS; i++)
		add_step(out, later);
	/* A load whose value nothing uses would not be reported. */
	text_add(out, "mad.lo.u32 %r5, %r3, 64, %r1;\nmul.wide.u32 %rd3, %r5, 4;\n"
		      "add.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3+6144], %r20;\nret;\n}\n");
}

static struct machine_result run_kernel(uint32_t number, unsigned later)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	make_kernel(&ptx, number, later);
	result = machine_run(&(struct machine_case){.ptx = ptx.data,
						    .grid = {BLOCKS},
						    .block = {number % 2 ? 64 : 32},
						    .out_words = 2048,
						    .check_global = true});
	text_release(&ptx);
	return result;
}

/* The text without the number of the byte, which is the only difference. */
static void assert_same_text(const char *whole, const char *parts)
{
	const char *a = strstr(whole, " byte "), *b = strstr(parts, " byte ");

	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a - whole, b - parts);
	assert_memory_equal(whole, parts, (size_t)(a - whole));
	assert_int_equal(atoi(a + 6) + LATER_BYTES, atoi(b + 6));
	assert_string_equal(strstr(a, " of "), strstr(b, " of "));
}

static void summaries_find_what_details_find(void **state)
{
	size_t found = 0, clean = 0;

	(void)state;
	for (uint32_t number = 0; number < KERNELS; number++) {
		struct machine_result whole = run_kernel(number, 0);
		struct machine_result parts = run_kernel(number, LATER_BYTES);

		assert_int_equal(whole.findings.count, parts.findings.count);
		for (size_t i = 0; i < whole.findings.count; i++) {
			const struct finding *a = &whole.findings.items[i];
			const struct finding *b = &parts.findings.items[i];

			assert_same_finding(a, b);
			assert_same_text(a->text, b->text);
		}
		found += whole.findings.count;
		clean += whole.findings.count == 0;
		machine_release(&whole);
		machine_release(&parts);
	}
	/* Kernels of both kinds, else the comparison says little. */
	assert_true(found > KERNELS / 4);
	assert_true(clean > KERNELS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(summaries_find_what_details_find)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
