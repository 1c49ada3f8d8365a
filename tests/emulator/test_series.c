/*
 * Series of instructions (machine/series.h): random moves, sums and products in code that all lanes
 * or some of them execute, against the same computed here, one instruction after another.
 */
#include "support_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 400
#define PARTS 3 /* the second one runs in some lanes */
#define STEPS 24
#define LANES_COUNT 32
#define REGISTERS 6

static uint32_t seed;

static unsigned random_of(unsigned count)
{
	seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
	return (seed >> 16) % count;
}

enum kind { MOVE_CONSTANT, MOVE_REGISTER, FMA, ADD, KIND_COUNT };
struct random_operation {
	enum kind kind;
	unsigned to, a, b, c; /* registers */
	uint32_t constant;
};
struct random_program {
	struct random_operation parts[PARTS][STEPS];
	unsigned counts[PARTS];
	unsigned first_lane; /* of the second part */
};

static const uint32_t constants[] = {0x00000000, 0x3f800000, 0xbf000000, 0x40490fdb,
				     0x7f800000, 0x7fc12345, 0x80000000, 0x3e800001};

/* Most operations read the result of the one before, so that there are chains. */
static void make_program(struct random_program *program, uint32_t number)
{
	seed = number;
	program->first_lane = random_of(LANES_COUNT);
	for (int part = 0; part < PARTS; part++) {
		unsigned last = 0;

		program->counts[part] = random_of(STEPS) + 1;
		for (unsigned i = 0; i < program->counts[part]; i++) {
			struct random_operation *at = &program->parts[part][i];
			unsigned *const operands[] = {&at->a, &at->b, &at->c};

			*at = (struct random_operation){.kind = random_of(KIND_COUNT + 3),
							.to = random_of(REGISTERS),
							.constant = constants[random_of(8)]};
			if (at->kind >= KIND_COUNT)
				at->kind = FMA;
			for (int k = 0; k < 3; k++)
				*operands[k] = random_of(REGISTERS);
			if (random_of(4))
				*operands[random_of(3)] = last;
			last = at->to;
		}
	}
}

static void add_part(struct text *out, const struct random_program *program, int part)
{
	for (unsigned i = 0; i < program->counts[part]; i++) {
		const struct random_operation *at = &program->parts[part][i];

		if (at->kind == MOVE_CONSTANT)
			text_addf(out, "mov.f32 %%f%u, 0f%08x;\n", at->to, at->constant);
		else if (at->kind == MOVE_REGISTER)
			text_addf(out, "mov.f32 %%f%u, %%f%u;\n", at->to, at->a);
		else if (at->kind == FMA)
			text_addf(out, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", at->to, at->a,
				  at->b, at->c);
		else
			text_addf(out, "add.f32 %%f%u, %%f%u, %%f%u;\n", at->to, at->a, at->b);
	}
}

/* Lane i begins with i + j in register j, and ends by storing all registers. `before` comes first:
 * it may have the warp execute each instruction alone. */
static void make_text(struct text *out, const struct random_program *program, const char *before)
{
	text_add(out, MACHINE_HEADER
		 ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
		 "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n");
	text_addf(out, "mul.wide.u32 %%rd3, %%r1, %d;\nadd.s64 %%rd3, %%rd1, %%rd3;\n%s",
		  4 * REGISTERS, before);
	for (int i = 0; i < REGISTERS; i++)
		text_addf(out, "add.u32 %%r2, %%r1, %d;\ncvt.rn.f32.u32 %%f%d, %%r2;\n", i, i);
	add_part(out, program, 0);
	text_addf(out, "setp.lt.u32 %%p1, %%r1, %u;\n@%%p1 bra LATER;\n", program->first_lane);
	add_part(out, program, 1);
	text_add(out, "LATER:\n");
	add_part(out, program, 2);
	for (int i = 0; i < REGISTERS; i++)
		text_addf(out, "st.global.f32 [%%rd3+%d], %%f%d;\n", 4 * i, i);
	text_add(out, "ret;\n}\n");
}

/* PTX has one NaN for results of arithmetic; a move keeps all bits. */
static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return isnan(value) ? 0x7fffffff : bits;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void compute_part(uint32_t *f, const struct random_program *program, int part)
{
	for (unsigned i = 0; i < program->counts[part]; i++) {
		const struct random_operation *at = &program->parts[part][i];

		if (at->kind == MOVE_CONSTANT)
			f[at->to] = at->constant;
		else if (at->kind == MOVE_REGISTER)
			f[at->to] = f[at->a];
		else if (at->kind == FMA)
			f[at->to] = bits_of(
				fmaf(float_of(f[at->a]), float_of(f[at->b]), float_of(f[at->c])));
		else
			f[at->to] = bits_of(float_of(f[at->a]) + float_of(f[at->b]));
	}
}

static void assert_computed(const struct random_program *program,
			    const struct machine_result *result)
{
	for (unsigned lane = 0; lane < LANES_COUNT; lane++) {
		uint32_t f[REGISTERS];

		for (unsigned i = 0; i < REGISTERS; i++)
			f[i] = bits_of((float)(lane + i));
		compute_part(f, program, 0);
		if (lane >= program->first_lane)
			compute_part(f, program, 1);
		compute_part(f, program, 2);
		assert_memory_equal(f, result->out + lane * REGISTERS, sizeof(f));
	}
}

static struct machine_result run_program(const struct random_program *program, const char *before)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	make_text(&ptx, program, before);
	result = machine_run(&(struct machine_case){
		.ptx = ptx.data, .block = {LANES_COUNT}, .out_words = LANES_COUNT * REGISTERS});
	text_release(&ptx);
	return result;
}

static void series_compute_what_instructions_compute(void **state)
{
	/* A value of an absent lane, which nothing uses, is followed from instruction to
	 * instruction: each is executed alone. */
	static const char followed[] =
		"setp.gt.u32 %p2, %r1, 0;\n@%p2 shfl.sync.idx.b32 %r30, %r1, "
		"0, 31, 0xfffffffe;\n";

	(void)state;
	for (uint32_t number = 0; number < PROGRAMS; number++) {
		struct random_program program;
		struct machine_result series, alone;
		uint64_t counted = 0;

		make_program(&program, number);
		series = run_program(&program, "");
		alone = run_program(&program, followed);
		assert_computed(&program, &series);
		assert_computed(&program, &alone);
		assert_int_equal(series.findings.count, 0);
		/* Skipped moves are counted, the branch in all lanes. */
		for (int part = 0; part < PARTS; part++)
			counted += (uint64_t)program.counts[part] *
				   (part == 1 ? LANES_COUNT - program.first_lane : LANES_COUNT);
		counted += (4 + 3 * REGISTERS + 2 + 1) * LANES_COUNT;
		assert_int_equal(series.counts.lane_instructions, counted);
		machine_release(&series);
		machine_release(&alone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_compute_what_instructions_compute)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
