/*
 * Random kernels: the emulator must report a use of an undefined value if and only if the oracle of
 * undefined_program.h does, and at the same instruction. Without a use, all defined bits of the
 * results are the oracle's.
 *
 *     build/tests/test_ptx_undefined_random [COUNT [FIRST]]
 *
 * runs the programs FIRST (1) to FIRST + COUNT - 1; as a test 400. 30000 take about four minutes.
 * After a disagreement it prints the smallest program that it found which still disagrees.
 */
#include "support_machine.h"
#include "undefined_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long program_count = 400, first_seed = 1;
/* Programs whose finding is of several uses, and names another one than the oracle's, which the
 * order of warps decides. */
static unsigned long other_uses;

static const char *const undefined_kinds[] = {
	"uninitialised register",    "uninitialised local read",    "uninitialised shared read",
	"uninitialised global read", "shuffle from an absent lane",
};

static bool is_undefined_kind(const struct finding *finding)
{
	for (size_t i = 0; i < ARRAY_SIZE(undefined_kinds); i++)
		if (!strcmp(finding_kind_name(finding->kind), undefined_kinds[i]))
			return true;
	return false;
}

/* The use is the oracle's. Where the value came from is another question: the emulator follows it
 * through memory, the oracle does not. */
static bool is_use(const struct undefined_verdict *verdict, const struct finding *finding)
{
	char used[64];

	snprintf(used, sizeof(used), "used at line %u of the PTX;", verdict->use_line);
	return is_undefined_kind(finding) && strstr(finding->text, used);
}

static size_t count_wrong_bits(const struct undefined_verdict *verdict, const unsigned char *out,
			       size_t bytes)
{
	size_t wrong = 0;

	for (size_t i = 0; i < bytes; i++)
		wrong += ((verdict->out[i] ^ out[i]) & ~verdict->undefined[i]) != 0;
	return wrong;
}

/* NULL: they agree. */
static const char *disagreement(const struct undefined_verdict *verdict,
				const struct machine_result *result, size_t bytes)
{
	bool found = false, at_use = false, ended = false, several = false;

	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *finding = &result->findings.items[i];

		found |= is_undefined_kind(finding);
		at_use |= is_use(verdict, finding);
		several |= is_undefined_kind(finding) && finding->times > 1;
		ended |= finding_ends_launch(finding->kind);
	}
	if (verdict->uses && !found)
		return "the emulator has missed a use";
	if (verdict->uses && !at_use && !ended)
		other_uses += several;
	if (verdict->uses)
		return at_use || ended || several ? NULL : "the emulator has found another use";
	if (found)
		return "the emulator reports a use where there is none";
	if (result->findings.count)
		return "the emulator reports something else";
	return count_wrong_bits(verdict, (const unsigned char *)result->out, bytes)
		       ? "defined results differ"
		       : NULL;
}

static struct machine_result run_program(struct undefined_program *program, struct text *ptx)
{
	undefined_text(ptx, program);
	return machine_run(&(struct machine_case){
		.ptx = ptx->data,
		.grid = {program->blocks},
		.block = {32 * program->warps},
		.out_words = UNDEFINED_THREADS * UNDEFINED_WORDS,
		.in = program->in,
		.in_words = ARRAY_SIZE(program->in),
		.launches = (int)program->launches,
		.out_unwritten = true,
		.out_unread = true,
		.checked_blocks = -1,
		.check_global = true,
	});
}

static void print_disagreement(const struct undefined_program *program, const char *ptx,
			       const struct undefined_verdict *verdict,
			       const struct machine_result *result, const char *words)
{
	struct text text = TEXT_INIT;

	printf("seed %llu, %u blocks of %u warps, %u launches: %s\n%s",
	       (unsigned long long)program->seed, program->blocks, program->warps,
	       program->launches, words, ptx);
	printf("the oracle: %s, line %u\n", verdict->uses ? "a use" : "no use", verdict->use_line);
	for (size_t i = 0; i < verdict->origin_count; i++)
		printf("  %s, line %u\n", verdict->origins[i].kind, verdict->origins[i].line);
	for (size_t i = 0; i < result->findings.count; i++) {
		finding_text(&text, &result->findings.items[i]);
		text_addf(&text, " (line %u)\n", result->findings.items[i].ptx_line);
	}
	for (size_t i = 0; !verdict->uses && i < sizeof(program->in) / 4; i++) {
		uint32_t bits, undefined;

		memcpy(&bits, verdict->out + 4 * i, 4);
		memcpy(&undefined, verdict->undefined + 4 * i, 4);
		if ((bits ^ (uint32_t)result->out[i]) & ~undefined)
			printf("word %zu: %08x, not %08x; undefined: %08x\n", i,
			       (unsigned)result->out[i], bits, undefined);
	}
	printf("the emulator:\n%s", text.length ? text.data : "no finding\n");
	text_release(&text);
}

/* Whether both disagree with the words, or with any words if they are NULL. */
static const char *judge_program(struct undefined_program *program, bool print, bool *uses)
{
	struct undefined_verdict *verdict = xmalloc(sizeof(*verdict));
	struct text ptx = TEXT_INIT;
	const char *words = NULL;

	undefined_text(&ptx, program);
	undefined_judge(verdict, program);
	text_release(&ptx);
	if (!verdict->invalid) {
		struct machine_result result = run_program(program, &ptx);

		words = disagreement(verdict, &result, sizeof(program->in));
		if (words && print)
			print_disagreement(program, ptx.data, verdict, &result, words);
		machine_release(&result);
	}
	*uses = verdict->uses;
	text_release(&ptx);
	free(verdict);
	return words;
}

static bool still_disagrees(void *context, struct undefined_program *program)
{
	bool uses;

	return judge_program(program, false, &uses) == (const char *)context;
}

static void programs_have_the_uses_that_the_rule_names(void **state)
{
	struct undefined_program *program = xmalloc(sizeof(*program));
	unsigned long disagreements = 0, used = 0;

	(void)state;
	for (unsigned long i = 0; i < program_count; i++) {
		const char *words;
		bool uses;

		undefined_random(program, first_seed + i);
		words = judge_program(program, false, &uses);
		used += uses;
		if (words)
			printf("seed %lu: %s\n", first_seed + i, words);
		if (words && !disagreements++) {
			undefined_shrink(program, still_disagrees, (void *)words);
			judge_program(program, true, &uses);
		}
		undefined_release(program);
	}
	free(program);
	printf("%lu programs, %lu with a use, %lu of them with another one; %lu disagreements\n",
	       program_count, used, other_uses, disagreements);
	assert_int_equal(disagreements, 0);
	assert_true(other_uses <= 1 + used / 1000);
	if (program_count >= 100)
		assert_in_range(used, program_count / 3, program_count * 2 / 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_have_the_uses_that_the_rule_names),
	};

	if (argc > 1)
		program_count = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		first_seed = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
