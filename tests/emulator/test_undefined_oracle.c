/*
 * The oracle of undefined_program.h on small programs whose verdict was worked out by hand from
 * docs/undefined-values.md.
 */
#include "support_machine.h"
#include "undefined_program.h"

#include <string.h>

#define MOST_STEPS 6

#define P(n)                              \
	{                                 \
		.of = CLASS_P, .index = n \
	}
#define H(n)                              \
	{                                 \
		.of = CLASS_H, .index = n \
	}
#define R(n)                              \
	{                                 \
		.of = CLASS_R, .index = n \
	}
#define D(n)                              \
	{                                 \
		.of = CLASS_D, .index = n \
	}
#define N(number)                                                 \
	{                                                         \
		.immediate = true, .of = CLASS_R, .value = number \
	}
#define STEP(operation, ...)                            \
	{                                               \
		.op = operation, .line = 1, __VA_ARGS__ \
	}
#define LOCAL(at) .base = BASE_LOCAL, .space = IN_LOCAL, .offset = at
#define SHARED(at) .base = BASE_SHARED, .space = IN_SHARED, .offset = at
#define OUT(at) .base = BASE_OUT, .space = IN_OUT, .offset = at
/* The vote uses a predicate, the sum of lanes a word. */
#define USE_P(n) STEP(DO_VOTE, .d = {R(9)}, .s = {P(n)})
#define USE_R(n) STEP(DO_REDUX, .d = {R(9)}, .s = {R(n)})

static const struct {
	const char *name;
	struct undefined_node steps[MOST_STEPS];
	const char *kind; /* NULL: no use */
	unsigned at;      /* the step that is read */
} cases[] = {
	{"a register", {USE_R(2)}, "uninitialised register", 0},
	{"a copy of one",
	 {STEP(DO_MOV, .d = {R(3)}, .s = {R(2)}), USE_R(3)},
	 "uninitialised register",
	 1},
	{"a copy that nobody uses", {STEP(DO_MOV, .d = {R(3)}, .s = {R(2)}), USE_R(0)}, NULL, 0},
	{"all bits masked away", {STEP(DO_AND, .d = {R(3)}, .s = {R(2), N(0)}), USE_R(3)}, NULL, 0},
	{"one bit left",
	 {STEP(DO_AND, .d = {R(3)}, .s = {R(2), N(4)}), USE_R(3)},
	 "uninitialised register",
	 1},
	{"all bits set", {STEP(DO_OR, .d = {R(3)}, .s = {R(2), N(-1)}), USE_R(3)}, NULL, 0},
	{"xor with itself",
	 {STEP(DO_XOR, .d = {R(3)}, .s = {R(2), R(2)}), USE_R(3)},
	 "uninitialised register",
	 1},
	{"a table that ignores the second source",
	 {STEP(DO_LOP3, .d = {R(3)}, .s = {R(0), R(2), R(0), N(0xf0)}), USE_R(3)},
	 NULL,
	 0},
	{"shifted out", {STEP(DO_SHL, .d = {R(3)}, .s = {R(2), N(32)}), USE_R(3)}, NULL, 0},
	{"an undefined amount",
	 {STEP(DO_SHL, .d = {R(3)}, .s = {N(0), R(2)}), USE_R(3)},
	 "uninitialised register",
	 1},
	{"carries go up",
	 {STEP(DO_AND, .d = {R(3)}, .s = {R(2), N(0x10)}),
	  STEP(DO_ADD, .d = {R(4)}, .s = {R(3), R(0)}),
	  STEP(DO_AND, .d = {R(5)}, .s = {R(4), N(0xf)}), USE_R(5)},
	 NULL,
	 0},
	{"and not down",
	 {STEP(DO_AND, .d = {R(3)}, .s = {R(2), N(0x10)}),
	  STEP(DO_ADD, .d = {R(4)}, .s = {R(3), R(0)}),
	  STEP(DO_AND, .d = {R(5)}, .s = {R(4), N(0x80)}), USE_R(5)},
	 "uninitialised register",
	 3},
	{"a minimum with zero",
	 {STEP(DO_MIN, .d = {R(3)}, .s = {R(2), N(0)}), USE_R(3)},
	 "uninitialised register",
	 1},
	{"the operand that selp drops",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(99)}),
	  STEP(DO_SELP, .d = {R(3)}, .s = {R(0), R(2), P(2)}), USE_R(3)},
	 NULL,
	 0},
	{"the operand that selp takes",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(31)}),
	  STEP(DO_SELP, .d = {R(3)}, .s = {R(0), R(2), P(2)}), USE_R(3)},
	 "uninitialised register",
	 2},
	{"an undefined choice of equal values",
	 {STEP(DO_SELP, .d = {R(3)}, .s = {N(1), N(1), P(2)}), USE_R(3)},
	 "uninitialised register",
	 1},
	{"false and undefined",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(0)}),
	  STEP(DO_PAND, .d = {P(3)}, .s = {P(2), P(4)}), USE_P(3)},
	 NULL,
	 0},
	{"true and undefined",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(99)}),
	  STEP(DO_PAND, .d = {P(3)}, .s = {P(2), P(4)}), USE_P(3)},
	 "uninitialised register",
	 2},
	{"the defined half",
	 {STEP(DO_MOV, .of = CLASS_H, .d = {H(2)}, .s = {N(5)}),
	  STEP(DO_PACK, .d = {R(3)}, .s = {H(2), H(3)}),
	  STEP(DO_BFE_U, .d = {R(4)}, .s = {R(3), N(0), N(16)}), USE_R(4)},
	 NULL,
	 0},
	{"a sign from the undefined half",
	 {STEP(DO_MOV, .of = CLASS_H, .d = {H(2)}, .s = {N(5)}),
	  STEP(DO_PACK, .d = {R(3)}, .s = {H(2), H(3)}),
	  STEP(DO_BFE_S, .d = {R(4)}, .s = {R(3), N(15), N(17)}),
	  STEP(DO_AND, .d = {R(4)}, .s = {R(4), N(1)}), USE_R(4)},
	 NULL,
	 0},
	{"widening keeps the upper bits defined",
	 {STEP(DO_CVT, .from_bits = 8, .to_bits = 32, .d = {R(3)}, .s = {R(2)}),
	  STEP(DO_SHR_U, .d = {R(3)}, .s = {R(3), N(8)}), USE_R(3)},
	 NULL,
	 0},
	{"a sign is repeated",
	 {STEP(DO_CVT, .from_bits = 8, .to_bits = 32, .is_signed = true, .to_signed = true,
	       .d = {R(3)}, .s = {R(2)}),
	  STEP(DO_SHR_U, .d = {R(3)}, .s = {R(3), N(8)}), USE_R(3)},
	 "uninitialised register",
	 2},
	{"padding that is copied",
	 {STEP(DO_STORE, .bytes = 1, LOCAL(0), .s = {R(0)}), STEP(DO_LOAD, LOCAL(0), .d = {R(3)}),
	  STEP(DO_STORE, SHARED(0), .s = {R(3)}), STEP(DO_LOAD, .bytes = 1, SHARED(0), .d = {R(4)}),
	  USE_R(4)},
	 NULL,
	 0},
	{"padding that is used",
	 {STEP(DO_STORE, .bytes = 1, LOCAL(0), .s = {R(0)}), STEP(DO_LOAD, LOCAL(0), .d = {R(3)}),
	  USE_R(3)},
	 "uninitialised local read",
	 1},
	{"a copy in shared memory is read there",
	 {STEP(DO_LOAD, LOCAL(0), .d = {R(3)}), STEP(DO_STORE, SHARED(0), .s = {R(3)}),
	  STEP(DO_LOAD, SHARED(0), .d = {R(4)}), USE_R(4)},
	 "uninitialised shared read",
	 2},
	{"an unread word of a vector",
	 {STEP(DO_STORE, OUT(4), .s = {R(0)}), STEP(DO_LOAD, OUT(0), .count = 2, .d = {R(3), R(4)}),
	  USE_R(4)},
	 NULL,
	 0},
	{"memory that an atomic changes",
	 {STEP(DO_ATOMIC, OUT(0), .d = {R(3)}, .s = {R(0)})},
	 "uninitialised global read",
	 0},
	{"a guard of the lanes that are defined",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(5)}),
	  STEP(DO_MOV, .guarded = true, .guard = 2, .d = {R(3)}, .s = {R(0)}),
	  STEP(DO_SHUFFLE, .d = {R(4), P(3)}, .s = {R(3), N(4), P(2)}, .mask = 31),
	  STEP(DO_SELP, .d = {R(5)}, .s = {R(4), N(0), P(2)}), USE_R(5)},
	 NULL,
	 0},
	{"a lane that does not take part",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(5)}),
	  STEP(DO_SHUFFLE, .d = {R(4), P(3)}, .s = {R(0), N(5), P(2)}, .mask = 31),
	  STEP(DO_SELP, .d = {R(5)}, .s = {R(4), N(0), P(2)}), USE_R(5)},
	 "shuffle from an absent lane",
	 1},
	{"a row of C of which nothing is used",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(28)}),
	  STEP(DO_MOV, .guarded = true, .guard = 2, .d = {R(2)}, .s = {R(0)}),
	  STEP(DO_MMA8, .d = {R(4), R(5)}, .s = {R(2), R(0), R(0), R(0)}),
	  STEP(DO_SELP, .d = {R(6)}, .s = {R(4), N(0), P(2)}), USE_R(6)},
	 NULL,
	 0},
	{"a column of B that all lanes use",
	 {STEP(DO_SETP_LT, .d = {P(2)}, .s = {R(0), N(28)}),
	  STEP(DO_MOV, .guarded = true, .guard = 2, .d = {R(2)}, .s = {R(0)}),
	  STEP(DO_MMA8, .d = {R(4), R(5)}, .s = {R(0), R(2), R(0), R(0)}),
	  STEP(DO_SELP, .d = {R(6)}, .s = {R(5), N(0), P(2)}), USE_R(6)},
	 "uninitialised register",
	 4},
};

/* The line of a step's instruction that the verdict can name: that of the use is its second. */
static uint32_t line_of(const struct undefined_node *step)
{
	if (step->op == DO_VOTE || step->op == DO_REDUX)
		return step->line + 1;
	return step->op == DO_SHUFFLE ? step->line + 2 : step->line;
}

/* What the steps leave out: one element of 4 bytes. */
static void fill_in(struct undefined_node *step)
{
	if (!step->of && (step->op < DO_PMOV || step->op >= SIMPLE_COUNT))
		step->of = CLASS_R;
	step->count = step->count ? step->count : 1;
	step->bytes = step->bytes ? step->bytes : 4;
	if (step->op == DO_SHUFFLE)
		step->count = 0; /* shfl.idx */
}

static void verdicts_are_those_worked_out_by_hand(void **state)
{
	static struct undefined_program program;
	static struct undefined_verdict verdict;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct undefined_node steps[MOST_STEPS];
		struct text ptx = TEXT_INIT;
		size_t count = 0;

		memcpy(steps, cases[i].steps, sizeof(steps));
		while (count < MOST_STEPS && steps[count].line)
			fill_in(&steps[count++]);
		program = (struct undefined_program){.warps = 1, .blocks = 1, .launches = 1};
		program.segment_count[0] = 1;
		program.segments[0][0].nodes = steps;
		program.segments[0][0].count = count;
		undefined_text(&ptx, &program);
		undefined_judge(&verdict, &program);
		if (verdict.invalid || verdict.uses != (cases[i].kind != NULL))
			fail_msg("%s: %s", cases[i].name, verdict.uses ? "a use" : "no use");
		if (verdict.uses) {
			assert_int_equal(verdict.origin_count, 1);
			assert_string_equal(verdict.origins[0].kind, cases[i].kind);
			assert_int_equal(verdict.origins[0].line, line_of(&steps[cases[i].at]));
		}
		text_release(&ptx);
	}
}

static void functions_branch_at_the_line_that_is_named(void **state)
{
	static struct undefined_program program = {.warps = 1, .blocks = 1, .launches = 1};
	struct text ptx = TEXT_INIT;

	(void)state;
	undefined_text(&ptx, &program);
	assert_int_equal(line_with(ptx.data, "@!%p1 bra OVER"), undefined_branch_line);
	text_release(&ptx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_are_those_worked_out_by_hand),
		cmocka_unit_test(functions_branch_at_the_line_that_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
