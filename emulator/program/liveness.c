#include "emulator/program/liveness.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the bits in one kind of set for all blocks. Functions beyond it use `everywhere`. */
#define MAX_SET_BITS (UINT64_C(1) << 27)
#define MAX_ROUNDS 200
#define MAX_LOOK_AHEAD 4096

static bool write_replaces(const struct liveness *live, const struct instruction *instruction,
			   uint32_t value)
{
	return !instruction->guard || value > live->decoding->source->register_count;
}

/* ---- blocks ---- */

static void find_blocks(struct liveness *live)
{
	struct program_function *out = live->out;
	size_t count = 0;

	for (size_t i = 0; i < out->code_count; i++)
		count += out->code[i].leader;
	live->blocks = xcalloc(count + 1, sizeof(*live->blocks));
	live->block_at = xcalloc(out->code_count + 1, sizeof(*live->block_at));
	for (size_t i = 0; i < out->code_count; i++) {
		if (out->code[i].leader)
			live->blocks[live->block_count++].begin = (uint32_t)i;
		live->blocks[live->block_count - 1].end = (uint32_t)i + 1;
		live->block_at[i] = (uint32_t)live->block_count - 1;
	}
}

/* Gives a bit to each value that is live at the beginning of some block. */
static void number_values(struct liveness *live)
{
	size_t values = live->decoding->value_count;
	uint32_t *written = xcalloc(values, sizeof(*written)); /* block + 1 that last wrote it */

	live->number = xcalloc(values, sizeof(*live->number));
	live->numbered = xcalloc(values, sizeof(*live->numbered));
	for (size_t i = 0; i < live->out->code_count; i++) {
		struct instruction *instruction = &live->out->code[i];
		struct instruction_operands operands;

		instruction_operands(live->out, instruction, &operands);
		for (size_t j = 0; j < operands.read_count; j++) {
			uint32_t value = *operands.reads[j];

			if (value & VALUE_CONSTANT || written[value] == live->block_at[i] + 1 ||
			    live->number[value])
				continue;
			live->numbered[live->bit_count] = value;
			live->number[value] = (uint32_t)++live->bit_count;
		}
		for (size_t j = 0; j < operands.write_count; j++) {
			if (write_replaces(live, instruction, *operands.writes[j]))
				written[*operands.writes[j]] = live->block_at[i] + 1;
		}
	}
	free(written);
	live->word_count = (live->bit_count + 63) / 64;
}

static void set_bit(uint64_t *words, uint32_t bit)
{
	words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool has_bit(const uint64_t *words, uint32_t bit)
{
	return words[bit / 64] >> bit % 64 & 1;
}

/* Finds what each block reads before it writes it, and what it writes. */
static void summarise_blocks(struct liveness *live)
{
	for (size_t i = 0; i < live->out->code_count; i++) {
		struct instruction *instruction = &live->out->code[i];
		uint64_t *reads = live->reads + live->block_at[i] * live->word_count;
		uint64_t *writes = live->writes + live->block_at[i] * live->word_count;
		struct instruction_operands operands;

		instruction_operands(live->out, instruction, &operands);
		for (size_t j = 0; j < operands.read_count; j++) {
			uint32_t value = *operands.reads[j];

			if (!(value & VALUE_CONSTANT) && live->number[value] &&
			    !has_bit(writes, live->number[value] - 1))
				set_bit(reads, live->number[value] - 1);
		}
		for (size_t j = 0; j < operands.write_count; j++) {
			uint32_t value = *operands.writes[j];

			if (live->number[value] && write_replaces(live, instruction, value))
				set_bit(writes, live->number[value] - 1);
		}
	}
}

/* Adds to `sum` what is live at the beginning of each block that may follow. */
static void add_successors(const struct liveness *live, size_t block, uint64_t *sum)
{
	const struct program_function *out = live->out;
	const struct instruction *last = &out->code[live->blocks[block].end - 1];
	bool falls = true;

#define ADD(instruction_index)                                                             \
	do {                                                                               \
		const uint64_t *from =                                                     \
			live->live + live->block_at[instruction_index] * live->word_count; \
		for (size_t word = 0; word < live->word_count; word++)                     \
			sum[word] |= from[word];                                           \
	} while (0)
	switch (last->operation) {
	case OP_BRA:
		ADD(last->target);
		falls = last->guard != 0;
		break;
	case OP_BRX:
		for (size_t i = 0; i < out->tables[last->target].count; i++)
			ADD(out->tables[last->target].targets[i]);
		falls = last->guard != 0;
		break;
	case OP_RET:
	case OP_EXIT:
		falls = last->guard != 0;
		break;
	default:
		break;
	}
	if (falls && block + 1 < live->block_count)
		ADD(live->blocks[block + 1].begin);
#undef ADD
}

/* Sets `sum` to what is live at the end of a block. */
static void live_at_end(const struct liveness *live, size_t block, uint64_t *sum)
{
	memset(sum, 0, live->word_count * sizeof(*sum));
	add_successors(live, block, sum);
}

/* Iterates to a fixed point. Returns false if there is none after MAX_ROUNDS. */
static bool find_live_values(struct liveness *live, uint64_t *sum)
{
	bool changed = true;

	for (int round = 0; changed; round++) {
		if (round == MAX_ROUNDS)
			return false;
		changed = false;
		for (size_t block = live->block_count; block-- > 0;) {
			uint64_t *at = live->live + block * live->word_count;
			const uint64_t *reads = live->reads + block * live->word_count;
			const uint64_t *writes = live->writes + block * live->word_count;

			live_at_end(live, block, sum);
			for (size_t word = 0; word < live->word_count; word++) {
				uint64_t now = reads[word] | (sum[word] & ~writes[word]);

				changed |= now != at[word];
				at[word] = now;
			}
		}
	}
	return true;
}

/* ---- ranges ---- */

void extend_live_range(struct liveness *live, uint32_t value, uint32_t place)
{
	if (live->begin[value] > place)
		live->begin[value] = place;
	if (live->end[value] < place || live->end[value] == UINT32_MAX)
		live->end[value] = place;
}

static void extend_set(struct liveness *live, const uint64_t *words, uint32_t place)
{
	for (size_t word = 0; word < live->word_count; word++) {
		uint64_t bits = words[word];

		while (bits) {
			extend_live_range(live,
					  live->numbered[word * 64 + (size_t)__builtin_ctzll(bits)],
					  place);
			bits &= bits - 1;
		}
	}
}

/* Whether nothing reads what instruction `at` writes to `value`. `sum` is what is live at the end
 * of its block. */
static bool result_is_dead(const struct liveness *live, size_t at, uint32_t value,
			   const uint64_t *sum)
{
	size_t end = live->blocks[live->block_at[at]].end;

	for (size_t i = at + 1; i < end && i <= live->end[value]; i++) {
		struct instruction *instruction = &live->out->code[i];
		struct instruction_operands operands;

		if (i - at > MAX_LOOK_AHEAD)
			return false;
		instruction_operands(live->out, instruction, &operands);
		for (size_t j = 0; j < operands.read_count; j++) {
			if (*operands.reads[j] == value)
				return false;
		}
		for (size_t j = 0; j < operands.write_count; j++) {
			if (*operands.writes[j] == value &&
			    write_replaces(live, instruction, value))
				return true;
		}
	}
	return !live->number[value] ||
	       (!live->everywhere && !has_bit(sum, live->number[value] - 1));
}

/* Whether the hardware could execute the atomic without a result: it can for all but exchanges. */
static bool atomic_can_reduce(const struct instruction *instruction)
{
	return instruction->operation == OP_ATOMIC && !instruction->result_unused &&
	       instruction->kind != ATOMIC_EXCH && instruction->kind != ATOMIC_CAS;
}

static void find_live_ranges(struct liveness *live, uint64_t *sum)
{
	struct program_function *out = live->out;

	for (size_t block = 0; block < live->block_count; block++) {
		uint32_t begin = live->blocks[block].begin, end = live->blocks[block].end;

		if (!live->everywhere) {
			extend_set(live, live->live + block * live->word_count, begin);
			live_at_end(live, block, sum);
			extend_set(live, sum, end - 1);
		}
		for (uint32_t i = begin; i < end; i++) {
			struct instruction_operands operands;

			instruction_operands(out, &out->code[i], &operands);
			for (size_t j = 0; j < operands.read_count; j++) {
				if (!(*operands.reads[j] & VALUE_CONSTANT))
					extend_live_range(live, *operands.reads[j], i);
			}
			for (size_t j = 0; j < operands.write_count; j++)
				extend_live_range(live, *operands.writes[j], i);
		}
	}
	for (size_t bit = 0; live->everywhere && bit < live->bit_count; bit++) {
		live->begin[live->numbered[bit]] = 0;
		live->end[live->numbered[bit]] = (uint32_t)out->code_count - 1;
	}
}

/* Whether the load may read elements that nobody wrote: a compiler loads a float4 as a whole. Local
 * memory and constants are always defined, and in shared memory elements below a word share a cell
 * of the shadow memory. */
static bool load_may_be_uninitialised(const struct instruction *instruction)
{
	if (instruction->operation != OP_LOAD)
		return false;
	return instruction->space == PTX_SPACE_GLOBAL ||
	       (instruction->width >= 4 && (instruction->space == PTX_SPACE_SHARED ||
					    instruction->space == PTX_SPACE_GENERIC));
}

static uint8_t unread_elements(const struct liveness *live, size_t at, const uint64_t *sum)
{
	const struct instruction *load = &live->out->code[at];
	unsigned unread = 0;

	for (unsigned i = 0; i < load->vector; i++)
		if (!load->rows[i] || result_is_dead(live, at, load->rows[i], sum))
			unread |= 1U << i;
	return (uint8_t)unread;
}

static bool atomic_result_is_dead(const struct liveness *live, size_t at, const uint64_t *sum)
{
	const struct instruction *atomic = &live->out->code[at];
	bool dead = !atomic->dst || result_is_dead(live, at, atomic->dst, sum);

	for (unsigned i = 0; i < atomic->vector; i++) {
		const uint32_t row = atomic->rows[ATOMIC_RESULTS + i];

		dead = dead && (!row || result_is_dead(live, at, row, sum));
	}
	return dead;
}

/* Finds atomics whose result is never read, and elements of loads. */
static void find_unread_results(struct liveness *live, uint64_t *sum)
{
	struct program_function *out = live->out;
	size_t summed = SIZE_MAX; /* block that `sum` describes */

	for (size_t i = 0; i < out->code_count; i++) {
		const bool reduces = atomic_can_reduce(&out->code[i]);

		if (!reduces && !load_may_be_uninitialised(&out->code[i]))
			continue;
		if (!live->everywhere && live->block_at[i] != summed) {
			summed = live->block_at[i];
			live_at_end(live, summed, sum);
		}
		if (reduces)
			out->code[i].result_unused = atomic_result_is_dead(live, i, sum);
		else
			out->code[i].unread = unread_elements(live, i, sum);
	}
}

void analyse_liveness(struct liveness *live)
{
	size_t values = live->decoding->value_count;
	size_t words;
	uint64_t *sum;

	find_blocks(live);
	number_values(live);
	live->everywhere = (uint64_t)live->block_count * live->word_count * 64 > MAX_SET_BITS;
	words = live->everywhere ? 1 : live->block_count * live->word_count;
	live->reads = xcalloc(words + 1, sizeof(*live->reads));
	live->writes = xcalloc(words + 1, sizeof(*live->writes));
	live->live = xcalloc(words + 1, sizeof(*live->live));
	sum = xcalloc(live->word_count + 1, sizeof(*sum));
	if (!live->everywhere) {
		summarise_blocks(live);
		live->everywhere = !find_live_values(live, sum);
	}
	live->begin = xcalloc(values, sizeof(*live->begin));
	live->end = xcalloc(values, sizeof(*live->end));
	memset(live->begin, 0xff, values * sizeof(*live->begin));
	memset(live->end, 0xff, values * sizeof(*live->end));
	find_live_ranges(live, sum);
	find_unread_results(live, sum);
	free(sum);
}

void liveness_release(struct liveness *live)
{
	free(live->blocks);
	free(live->block_at);
	free(live->number);
	free(live->numbered);
	free(live->reads);
	free(live->writes);
	free(live->live);
	free(live->begin);
	free(live->end);
}

bool live_at_start(const struct liveness *live, uint32_t bit)
{
	return live->everywhere || has_bit(live->live, bit);
}
