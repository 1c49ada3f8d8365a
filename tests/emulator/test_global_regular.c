/*
 * Requests of all lanes to consecutive places or to one place (memory_regular.h, global_stream.h)
 * against the path for any addresses: random kernels with the state space in each load and store,
 * and the same kernels with generic addresses, which always take that path. Both must have the
 * same findings, counts and memory.
 */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define KERNELS 1000
#define STEPS 14
#define PLACES 4
#define PLACE_BYTES 128
#define BLOCKS 4
#define OUT_WORDS 2048

static uint32_t seed;

static unsigned random_below(unsigned count)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % count;
}

/* By lane: %rd4 … %rd8 ascend by 1, 2, 4, 8 and 16 bytes; %rd9 is one place; %rd10 descends. */
static const struct {
	const char *load, *store, *address, *values[2];
} accesses[] = {
	{"ld%s.u32 %%r10", "st%s.u32", "%rd6", {"%r1", "%r2"}},
	{"ld%s.v2.u32 {%%r10, %%r11}", "st%s.v2.u32", "%rd7", {"{%r1, %r4}", "{%r3, %r3}"}},
	{"ld%s.u64 %%rd12", "st%s.u64", "%rd7", {"%rd15", "%rd16"}},
	{"ld%s.v4.u32 {%%r12, %%r11, %%r13, %%r10}",
	 "st%s.v4.u32",
	 "%rd8",
	 {"{%r1, %r4, %r1, %r4}", "{%r3, %r3, %r3, %r3}"}},
	{"ld%s.u32 %%r10", "st%s.u32", "%rd9", {"%r3", "%r3"}},
	{"ld%s.v4.u32 {%%r12, %%r11, %%r13, %%r10}",
	 "st%s.v4.u32",
	 "%rd9",
	 {"{%r3, %r3, %r3, %r3}", "{%r3, %r3, %r3, %r3}"}},
	{"ld%s.u32 %%r10", "st%s.u32", "%rd10", {"%r1", "%r3"}},
	{"ld.volatile%s.u32 %%r10", "st.volatile%s.u32", "%rd6", {"%r1", "%r2"}},
	/* Rare, because bytes of their own split the rows. */
	{"ld%s.s16 %%r10", "st%s.u16", "%rd5", {"%r1", "%r3"}},
	{"ld%s.s8 %%r10", "st%s.u8", "%rd4", {"%r1", "%r3"}},
	{"ld%s.s8 %%r10", "st%s.u8", "%rd9", {"%r2", "%r2"}},
};

static void add_access(struct text *out, const char *space)
{
	const unsigned access =
		random_below(random_below(8) ? ARRAY_SIZE(accesses) - 3 : ARRAY_SIZE(accesses));
	const unsigned offset =
		random_below(PLACES) * PLACE_BYTES + (random_below(3) ? 0 : 16 * random_below(8));
	const bool stores = random_below(3) == 0, same = random_below(4) != 0;

	/* The threads of one block, or of all; and sometimes not all lanes. */
	if (random_below(3))
		text_addf(out, "setp.eq.u32 %%p0, %%r3, %u;\n", random_below(BLOCKS));
	else
		text_add(out, "setp.eq.u32 %p0, %r3, %r3;\n");
	if (random_below(5) == 0)
		text_addf(out, "setp.ne.and.u32 %%p0, %%r4, %u, %%p0;\n", random_below(32));
	text_add(out, "@%p0 ");
	text_addf(out, stores ? accesses[access].store : accesses[access].load, space);
	text_addf(out, "%s [%s+%u]%s%s;\n", stores ? "" : ",", accesses[access].address, offset,
		  stores ? ", " : "", stores ? accesses[access].values[same] : "");
	if (!stores && random_below(4))
		text_add(out, "cvt.u32.u64 %r14, %rd12;\nadd.u32 %r10, %r10, %r14;\n"
			      "add.u32 %r10, %r10, %r13;\nadd.u32 %r20, %r20, %r10;\n");
}

static void add_step(struct text *out, const char *space)
{
	static const char *const orders[] = {
		"bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n", "membar.gl;\n",
		"membar.gl;\natom.global.add.u32 %r15, [%rd1+4096], 1;\nmembar.gl;\n"};

	if (random_below(3) == 0)
		text_add(out, orders[random_below(ARRAY_SIZE(orders))]);
	else
		add_access(out, space);
}

static void make_kernel(struct text *out, uint32_t number, const char *space)
{
	static const unsigned steps[] = {1, 2, 4, 8, 16};

	seed = (number + 1) * UINT32_C(2654435761);
	text_add(out, MACHINE_HEADER
		 ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
		 "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
		 "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %laneid;\nmov.u32 %r20, 0;\n"
		 "not.b32 %r2, %r3;\n"
		 "mov.u32 %r10, 0;\nmov.u32 %r13, 0;\nmov.u64 %rd12, 0;\nmov.u64 %rd9, %rd1;\n"
		 "cvt.u64.u32 %rd15, %r1;\ncvt.u64.u32 %rd16, %r3;\n"
		 "sub.u32 %r5, 31, %r4;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd10, %rd1, %rd3;\n");
	for (unsigned i = 0; i < ARRAY_SIZE(steps); i++)
		text_addf(out, "mul.wide.u32 %%rd3, %%r4, %u;\nadd.s64 %%rd%u, %%rd1, %%rd3;\n",
			  steps[i], 4 + i);
	for (unsigned i = random_below(STEPS); i < STEPS; i++)
		add_step(out, space);
	text_add(out, "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n"
		      "atom.global.add.u32 %r15, [%rd3+5120], %r20;\nret;\n}\n");
}

static struct machine_result run_kernel(uint32_t number, const char *space)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	make_kernel(&ptx, number, space);
	result = machine_run(&(struct machine_case){.ptx = ptx.data,
						    .grid = {BLOCKS},
						    .block = {number % 2 ? 64 : 32},
						    .out_words = OUT_WORDS,
						    .check_global = true,
						    .out_unwritten = number % 3 == 0,
						    .launches = number % 5 == 0 ? 2 : 1});
	text_release(&ptx);
	return result;
}

static void assert_same_findings(const struct finding_list *a, const struct finding_list *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_same_finding(&a->items[i], &b->items[i]);
		assert_string_equal(a->items[i].text, b->items[i].text);
	}
}

static void regular_requests_do_what_others_do(void **state)
{
	size_t found = 0, clean = 0;

	(void)state;
	for (uint32_t number = 0; number < KERNELS; number++) {
		struct machine_result regular = run_kernel(number, ".global");
		struct machine_result generic = run_kernel(number, "");

		assert_same_findings(&regular.findings, &generic.findings);
		assert_memory_equal(&regular.counts, &generic.counts, sizeof(regular.counts));
		assert_memory_equal(regular.out, generic.out, OUT_WORDS * sizeof(uint32_t));
		found += regular.findings.count;
		clean += regular.findings.count == 0;
		machine_release(&regular);
		machine_release(&generic);
	}
	/* Kernels of both kinds, else the comparison says little. */
	assert_true(found > KERNELS / 4);
	assert_true(clean > KERNELS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(regular_requests_do_what_others_do)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
