/*
 * Rows for values. Which values live at the edges of basic blocks is found by
 * iteration over the blocks; a value then holds a row from the first place to
 * the last where it lives, in the order of the code, and the row is free for
 * others after that. An instruction's results never share a row with its
 * operands, unless they are one register.
 *
 * A write under a guard leaves other lanes as they were, so it does not end
 * what lived before; except of the decoder's temporaries, which are read under
 * the same guard. A register that may be read before it is written gets a zero
 * at the beginning.
 */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST_BYTES (4 * 1024 * 1024)
/* Bits of one set for all blocks; functions beyond keep such values for their whole length. */
#define SETS_MOST_BITS (UINT64_C(1) << 27)
#define ROUNDS_MOST 200
#define LOOK_AHEAD_MOST 4096

struct block_range {
	uint32_t begin, end; /* instructions */
};

struct liveness {
	struct function_decoding *decoding;
	struct program_function *out;
	struct block_range *blocks;
	size_t block_count;
	uint32_t *block_at; /* by instruction */
	/* Values that are read in a block before they are written there. */
	uint32_t *number;   /* by value: its bit + 1, or 0 */
	uint32_t *numbered; /* by bit: its value */
	size_t bit_count, word_count;
	uint64_t *reads, *writes, *live; /* live: at the beginning of a block */
	bool everywhere;                 /* too many: numbered values live everywhere */
	uint32_t *begin, *end;           /* by value: its first and last place; begin > end: none */
};

void instruction_operands(const struct program_function *function, struct instruction *instruction,
			  struct instruction_operands *out)
{
	*out = (struct instruction_operands){0};
#define READ(field)                                               \
	do {                                                      \
		if (field)                                        \
			out->reads[out->read_count++] = &(field); \
	} while (0)
#define WRITE(field)                                                \
	do {                                                        \
		if (field)                                          \
			out->writes[out->write_count++] = &(field); \
	} while (0)
	READ(instruction->guard);
	READ(instruction->a);
	READ(instruction->b);
	READ(instruction->c);
	READ(instruction->d);
	WRITE(instruction->dst);
	WRITE(instruction->dst2);
	for (int i = 0; i < instruction->vector; i++) {
		if (instruction->operation == OP_LOAD)
			WRITE(instruction->rows[i]);
		else if (instruction->operation == OP_STORE)
			READ(instruction->rows[i]);
	}
	if (instruction->operation == OP_CALL)
		READ(function->calls[instruction->target].pointer);
#undef READ
#undef WRITE
}

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

/* Numbers the values that live into some block. */
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

/* What each block reads before it writes it, and what it writes. */
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

/* Calls visit for each block that may follow this one. */
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

/* What lives at the end of a block, into `sum`. */
static void live_at_end(const struct liveness *live, size_t block, uint64_t *sum)
{
	memset(sum, 0, live->word_count * sizeof(*sum));
	add_successors(live, block, sum);
}

/* False: it did not settle in time. */
static bool find_live(struct liveness *live, uint64_t *sum)
{
	bool changed = true;

	for (int round = 0; changed; round++) {
		if (round == ROUNDS_MOST)
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

static void extend_range(struct liveness *live, uint32_t value, uint32_t place)
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
			extend_range(live,
				     live->numbered[word * 64 + (size_t)__builtin_ctzll(bits)],
				     place);
			bits &= bits - 1;
		}
	}
}

/* Is what instruction `at` writes to `value` read by nobody? `sum`: live at its block's end. */
static bool result_is_dead(const struct liveness *live, size_t at, uint32_t value,
			   const uint64_t *sum)
{
	size_t end = live->blocks[live->block_at[at]].end;

	for (size_t i = at + 1; i < end && i <= live->end[value]; i++) {
		struct instruction *instruction = &live->out->code[i];
		struct instruction_operands operands;

		if (i - at > LOOK_AHEAD_MOST)
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

/* The hardware has reductions without a result for all but exchanges. */
static bool atomic_can_reduce(const struct instruction *instruction)
{
	return instruction->operation == OP_ATOMIC && !instruction->result_unused &&
	       instruction->kind != ATOMIC_EXCH && instruction->kind != ATOMIC_CAS;
}

static void find_ranges(struct liveness *live, uint64_t *sum)
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
					extend_range(live, *operands.reads[j], i);
			}
			for (size_t j = 0; j < operands.write_count; j++)
				extend_range(live, *operands.writes[j], i);
		}
	}
	for (size_t bit = 0; live->everywhere && bit < live->bit_count; bit++) {
		live->begin[live->numbered[bit]] = 0;
		live->end[live->numbered[bit]] = (uint32_t)out->code_count - 1;
	}
}

/* Marks atoms whose result nothing reads. */
static void find_reductions(struct liveness *live, uint64_t *sum)
{
	struct program_function *out = live->out;
	size_t summed = SIZE_MAX; /* block whose end is in sum */

	for (size_t i = 0; i < out->code_count; i++) {
		if (!atomic_can_reduce(&out->code[i]))
			continue;
		if (!live->everywhere && live->block_at[i] != summed) {
			summed = live->block_at[i];
			live_at_end(live, summed, sum);
		}
		out->code[i].result_unused = result_is_dead(live, i, out->code[i].dst, sum);
	}
}

/* ---- zeroes at the beginning ---- */

static enum operation zero_of(int bits)
{
	return bits == 64 ? ALU_MOV_B64 : bits == 1 ? ALU_MOV_PRED : ALU_MOV_B32;
}

/* Puts a move of zero before the code for each register that is read before it is written. */
static void insert_zeroes(struct liveness *live)
{
	struct function_decoding *decoding = live->decoding;
	struct program_function *out = live->out;
	size_t before = out->code_count, count;
	struct instruction *code;

	for (size_t bit = 0; bit < live->bit_count; bit++) {
		uint32_t value = live->numbered[bit];
		int bits = value_width(decoding, value);
		struct instruction *zero;

		if (!live->everywhere && !has_bit(live->live, (uint32_t)bit))
			continue;
		zero = emit_auxiliary(decoding, zero_of(bits));
		zero->statement = 0;
		zero->dst = value;
		zero->a = value_bits(decoding, 0, bits == 64);
	}
	count = out->code_count - before;
	if (count == 0)
		return;
	/* They were appended; now they go to the front. */
	code = xcalloc(out->code_count, sizeof(*code));
	memcpy(code, out->code + before, count * sizeof(*code));
	memcpy(code + count, out->code, before * sizeof(*code));
	free(out->code);
	out->code = code;
	decoding->code_capacity = out->code_count;
	code[0].leader = true;
	for (size_t i = 0; i < before; i++) {
		if (code[count + i].operation == OP_BRA)
			code[count + i].target += (uint32_t)count;
	}
	for (size_t i = 0; i < out->table_count; i++) {
		for (size_t j = 0; j < out->tables[i].count; j++)
			out->tables[i].targets[j] += (uint32_t)count;
	}
	for (size_t i = 0; i < decoding->value_count; i++) {
		if (live->begin[i] == UINT32_MAX)
			continue;
		live->begin[i] += (uint32_t)count;
		live->end[i] += (uint32_t)count;
	}
	for (size_t i = 0; i < count; i++)
		extend_range(live, code[i].dst, (uint32_t)i);
}

/* ---- rows ---- */

struct free_rows {
	uint32_t *rows;
	size_t count, capacity;
};

/* Values by a place: those of place p are order[start[p]] up to order[start[p + 1]]. */
static void sort_by_place(const uint32_t *places, size_t count, size_t place_count, uint32_t *start,
			  uint32_t *order)
{
	uint32_t *next = xcalloc(place_count + 1, sizeof(*next));

	for (size_t i = 0; i < count; i++) {
		if (places[i] != UINT32_MAX)
			start[places[i] + 1]++;
	}
	for (size_t i = 0; i < place_count; i++) {
		next[i] = start[i];
		start[i + 1] += start[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (places[i] != UINT32_MAX)
			order[next[places[i]]++] = (uint32_t)i;
	}
	free(next);
}

static uint32_t constant_rows(struct program_function *out)
{
	uint32_t file = 256; /* the sink */

	/* 64-bit rows first, so that they begin at their own size. */
	for (int wide = 1; wide >= 0; wide--) {
		for (size_t i = 0; i < out->constant_count; i++) {
			if (out->constants[i].wide != (wide == 1))
				continue;
			out->constants[i].row = file;
			file += wide ? 256 : 128;
			if (file > FILE_MOST_BYTES)
				return file;
		}
	}
	return file;
}

/* Rows by value, into rows[]; the bytes of a file. */
static uint64_t scan(struct liveness *live, uint32_t *rows, uint64_t file)
{
	struct function_decoding *decoding = live->decoding;
	size_t values = decoding->value_count, places = live->out->code_count;
	uint32_t *starts = xcalloc(places + 1, sizeof(*starts));
	uint32_t *starting = xcalloc(values + 1, sizeof(*starting));
	uint32_t *ends = xcalloc(places + 1, sizeof(*ends));
	uint32_t *ending = xcalloc(values + 1, sizeof(*ending));
	struct free_rows pools[2] = {{0}, {0}}; /* of 128 and 256 bytes */

	sort_by_place(live->begin, values, places, starts, starting);
	sort_by_place(live->end, values, places, ends, ending);
	for (size_t place = 0; place < places && file <= FILE_MOST_BYTES; place++) {
		for (uint32_t i = starts[place]; i < starts[place + 1]; i++) {
			uint32_t value = starting[i];
			bool wide = value_width(decoding, value) == 64;
			struct free_rows *pool = &pools[wide];

			if (pool->count) {
				rows[value] = pool->rows[--pool->count];
				continue;
			}
			rows[value] = (uint32_t)file;
			file += wide ? 256 : 128;
		}
		for (uint32_t i = ends[place]; i < ends[place + 1]; i++) {
			struct free_rows *pool = &pools[value_width(decoding, ending[i]) == 64];

			pool->rows = xgrow(pool->rows, &pool->capacity, pool->count + 1,
					   sizeof(*pool->rows));
			pool->rows[pool->count++] = rows[ending[i]];
		}
	}
	free(starts);
	free(starting);
	free(ends);
	free(ending);
	free(pools[0].rows);
	free(pools[1].rows);
	return file;
}

static void give_rows(struct liveness *live, const uint32_t *rows)
{
	struct program_function *out = live->out;

	for (size_t i = 0; i < out->code_count; i++) {
		struct instruction_operands operands;

		instruction_operands(out, &out->code[i], &operands);
		for (size_t j = 0; j < operands.read_count; j++) {
			uint32_t value = *operands.reads[j];

			*operands.reads[j] = value & VALUE_CONSTANT
						     ? out->constants[value & ~VALUE_CONSTANT].row
						     : rows[value];
		}
		for (size_t j = 0; j < operands.write_count; j++)
			*operands.writes[j] = rows[*operands.writes[j]];
	}
}

static void find_all_ranges(struct liveness *live)
{
	size_t values = live->decoding->value_count;
	size_t words;
	uint64_t *sum;

	find_blocks(live);
	number_values(live);
	live->everywhere = (uint64_t)live->block_count * live->word_count * 64 > SETS_MOST_BITS;
	words = live->everywhere ? 1 : live->block_count * live->word_count;
	live->reads = xcalloc(words + 1, sizeof(*live->reads));
	live->writes = xcalloc(words + 1, sizeof(*live->writes));
	live->live = xcalloc(words + 1, sizeof(*live->live));
	sum = xcalloc(live->word_count + 1, sizeof(*sum));
	if (!live->everywhere) {
		summarise_blocks(live);
		live->everywhere = !find_live(live, sum);
	}
	live->begin = xcalloc(values, sizeof(*live->begin));
	live->end = xcalloc(values, sizeof(*live->end));
	memset(live->begin, 0xff, values * sizeof(*live->begin));
	memset(live->end, 0xff, values * sizeof(*live->end));
	find_ranges(live, sum);
	find_reductions(live, sum);
	insert_zeroes(live);
	free(sum);
}

int rows_assign(struct function_decoding *decoding)
{
	struct liveness live = {.decoding = decoding, .out = decoding->out};
	uint32_t *rows = xcalloc(decoding->value_count, sizeof(*rows));
	uint64_t file;
	char words[120];

	find_all_ranges(&live);
	file = constant_rows(decoding->out);
	if (file <= FILE_MOST_BYTES)
		file = scan(&live, rows, file);
	if (file > FILE_MOST_BYTES) {
		snprintf(words, sizeof(words),
			 "file of over %d MiB for a warp: too many live at once",
			 FILE_MOST_BYTES / 1024 / 1024);
		decode_gap(decoding, "register", words);
	} else {
		give_rows(&live, rows);
		decoding->out->file_bytes = (uint32_t)file;
	}
	free(rows);
	free(live.blocks);
	free(live.block_at);
	free(live.number);
	free(live.numbered);
	free(live.reads);
	free(live.writes);
	free(live.live);
	free(live.begin);
	free(live.end);
	return 0;
}
