/*
 * Register allocation: random programs with loops and guards give the same results on rows as on
 * registers. They run for one lane and with random bytes in the register file.
 */
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

enum kind { MOVE, ADD, MOVE_WIDE, ADD_WIDE, COMPARE, BRANCH, STORE, STORE_WIDE, KINDS };
#define NARROW 8
#define WIDE 4
#define PREDICATES 4
#define STATEMENTS 40
#define STEPS 400

struct line {
	enum kind kind;
	int d, a, b; /* registers; b of a comparison and of a move is a number */
	int target;  /* target of a branch */
	int guard;   /* predicate of the guard, or -1 */
	bool guard_negated;
};

struct trace {
	uint64_t values[STEPS];
	size_t count;
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % limit;
}

static void make_program(struct line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct line *line = &lines[i];
		enum kind kind = (enum kind)random_below(KINDS);
		bool wide = kind == MOVE_WIDE || kind == ADD_WIDE || kind == STORE_WIDE;

		line->kind = kind;
		line->d = (int)random_below(wide ? WIDE : kind == COMPARE ? PREDICATES : NARROW);
		line->a = (int)random_below(wide ? WIDE : NARROW);
		line->b = (int)random_below(wide ? WIDE : NARROW);
		line->target = (int)random_below((uint32_t)count + 1);
		line->guard = random_below(3) ? -1 : (int)random_below(PREDICATES);
		line->guard_negated = random_below(2);
		if (kind == BRANCH && line->guard < 0)
			line->guard = (int)random_below(8) - 4;
	}
}

static void write_program(struct text *out, const struct line *lines, size_t count)
{
	text_addf(out,
		  PTX_HEADER ".visible .entry k()\n{\n.reg .pred %%p<%d>;\n.reg .b32 %%r<%d>;\n"
			     ".reg .b64 %%d<%d>;\n",
		  PREDICATES, NARROW, WIDE);
	for (size_t i = 0; i <= count; i++) {
		const struct line *line = &lines[i];

		text_addf(out, "L%zu:\n", i);
		if (i == count)
			break;
		if (line->guard >= 0)
			text_addf(out, "@%s%%p%d ", line->guard_negated ? "!" : "", line->guard);
		switch (line->kind) {
		case MOVE:
			text_addf(out, "mov.u32 %%r%d, %d;\n", line->d, line->b + 1);
			break;
		case ADD:
			text_addf(out, "add.s32 %%r%d, %%r%d, %%r%d;\n", line->d, line->a, line->b);
			break;
		case MOVE_WIDE:
			text_addf(out, "mov.u64 %%d%d, %d;\n", line->d, line->b + 1);
			break;
		case ADD_WIDE:
			text_addf(out, "add.s64 %%d%d, %%d%d, %%d%d;\n", line->d, line->a, line->b);
			break;
		case COMPARE:
			text_addf(out, "setp.lt.u32 %%p%d, %%r%d, %d;\n", line->d, line->a,
				  line->b * 3);
			break;
		case BRANCH:
			text_addf(out, "bra L%d;\n", line->target);
			break;
		case STORE:
			text_addf(out, "st.global.u32 [%%d0], %%r%d;\n", line->a);
			break;
		default:
			text_addf(out, "st.global.u64 [%%d0], %%d%d;\n", line->a);
			break;
		}
	}
	text_add(out, "ret;\n}\n");
}

static void run_lines(struct trace *trace, const struct line *lines, size_t count)
{
	uint32_t r[NARROW] = {0};
	uint64_t d[WIDE] = {0};
	bool p[PREDICATES] = {0};
	size_t at = 0;

	for (int step = 0; step < STEPS && at < count; step++) {
		const struct line *line = &lines[at++];

		if (line->guard >= 0 && p[line->guard] == line->guard_negated)
			continue;
		switch (line->kind) {
		case MOVE:
			r[line->d] = (uint32_t)line->b + 1;
			break;
		case ADD:
			r[line->d] = r[line->a] + r[line->b];
			break;
		case MOVE_WIDE:
			d[line->d] = (uint64_t)line->b + 1;
			break;
		case ADD_WIDE:
			d[line->d] = d[line->a] + d[line->b];
			break;
		case COMPARE:
			p[line->d] = r[line->a] < (uint32_t)line->b * 3;
			break;
		case BRANCH:
			at = (size_t)line->target;
			break;
		case STORE:
			trace->values[trace->count++] = r[line->a];
			break;
		default:
			trace->values[trace->count++] = d[line->a];
			break;
		}
	}
}

static uint64_t read_row(const unsigned char *file, uint32_t row, int bytes)
{
	uint64_t value = 0;

	memcpy(&value, file + row, (size_t)bytes);
	return value;
}

static void write_row(unsigned char *file, uint32_t row, uint64_t value, int bytes)
{
	memcpy(file + row, &value, (size_t)bytes);
}

/* Runs one lane of decoded code. The number of counted instructions must equal the number of
 * lines. */
static void run_rows(struct trace *trace, const struct program_function *function)
{
	unsigned char *file = malloc(function->file_bytes);
	size_t at = 0;

	memset(file, 0xa5, function->file_bytes);
	for (size_t i = 0; i < function->constant_count; i++)
		write_row(file, function->constants[i].row, function->constants[i].bits,
			  function->constants[i].wide ? 8 : 4);
	for (int step = 0; step < STEPS;) {
		const struct instruction *i = &function->code[at++];

		step += !i->auxiliary;
		if (i->guard && (read_row(file, i->guard, 4) != 0) == i->guard_negated)
			continue;
		switch (i->operation) {
		case OP_UNDEFINED: /* a register of the other run begins as 0 */
			write_row(file, i->dst, 0, i->width == 64 ? 8 : 4);
			break;
		case ALU_MOV_B32:
		case ALU_MOV_PRED:
			write_row(file, i->dst, read_row(file, i->a, 4), 4);
			break;
		case ALU_ADD_S32:
			write_row(file, i->dst, read_row(file, i->a, 4) + read_row(file, i->b, 4),
				  4);
			break;
		case ALU_MOV_B64:
			write_row(file, i->dst, read_row(file, i->a, 8), 8);
			break;
		case ALU_ADD_S64:
			write_row(file, i->dst, read_row(file, i->a, 8) + read_row(file, i->b, 8),
				  8);
			break;
		case ALU_SETP_LT_U32:
			write_row(file, i->dst,
				  read_row(file, i->a, 4) < read_row(file, i->b, 4) ? UINT32_MAX
										    : 0,
				  4);
			break;
		case OP_BRA:
			at = i->target;
			break;
		case OP_STORE:
			trace->values[trace->count++] = read_row(file, i->rows[0], i->width);
			break;
		case OP_RET:
			free(file);
			return;
		default:
			fail_msg("operation %d", i->operation);
		}
	}
	free(file);
}

static void rows_give_the_results_of_registers(void **state)
{
	uint64_t stored = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct line lines[STATEMENTS + 1] = {{0}};
		struct trace expected = {{0}, 0}, actual = {{0}, 0};
		struct text text = TEXT_INIT;
		struct decoded decoded;
		size_t count;

		random_state = seed;
		count = 5 + random_below(STATEMENTS - 5);
		make_program(lines, count);
		write_program(&text, lines, count);
		decoded = decode_module(text.data, "k");
		run_lines(&expected, lines, count);
		run_rows(&actual, decoded.function);
		if (expected.count != actual.count ||
		    memcmp(expected.values, actual.values, expected.count * sizeof(uint64_t)) != 0)
			fail_msg("seed %llu:\n%s", (unsigned long long)seed, text.data);
		stored += expected.count;
		text_release(&text);
		decoded_release(&decoded);
	}
	assert_true(stored > 3000); /* Programs that store nothing would test nothing. */
}

/* Adds `live` values, all of which are written before the first is read, `rounds` times. */
static void write_sum(struct text *out, int live, int rounds)
{
	text_addf(out,
		  PTX_HEADER ".visible .entry k()\n{\n.reg .b32 %%r<%d>;\n.reg .b64 %%d<2>;\n"
			     "mov.u32 %%r0, 0;\nmov.u64 %%d0, 0;\n",
		  live * rounds + 1);
	for (int round = 0; round < rounds; round++) {
		for (int i = 1; i <= live; i++)
			text_addf(out, "ld.global.u32 %%r%d, [%%d0+%d];\n", round * live + i,
				  i * 4);
		for (int i = 1; i <= live; i++)
			text_addf(out, "add.s32 %%r0, %%r0, %%r%d;\n", round * live + i);
	}
	text_add(out, "st.global.u32 [%d0], %r0;\nret;\n}\n");
}

static void thousands_of_registers_share_few_rows(void **state)
{
	struct text text = TEXT_INIT;
	struct decoded decoded;

	(void)state;
	write_sum(&text, 10, 1000);
	decoded = decode_module(text.data, "k");
	/* The sink, two numbers, an address, a sum and ten values. */
	assert_true(decoded.function->file_bytes <= 256 + 384 + 256 + 11 * 128);
	decoded_release(&decoded);
	text_release(&text);
}

static void more_live_registers_than_fit_are_refused(void **state)
{
	struct text text = TEXT_INIT, words = TEXT_INIT;
	struct error err;
	struct decoded decoded;

	(void)state;
	write_sum(&text, 10000, 1);
	decoded = decode_module(text.data, "k");
	assert_true(decoded.function->file_bytes > 10000 * 128);
	decoded_release(&decoded);
	text_clear(&text);
	write_sum(&text, 40000, 1);
	assert_int_equal(decode_module_fails(text.data, "k", &err, &words), PL_EUNSUPPORTED);
	assert_non_null(strstr(words.data, "register file of over 4 MiB per warp"));
	text_release(&text);
	text_release(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_give_the_results_of_registers),
		cmocka_unit_test(thousands_of_registers_share_few_rows),
		cmocka_unit_test(more_live_registers_than_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
