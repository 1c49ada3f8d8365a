/*
 * Register allocation: each value gets a row for its live range (liveness.h), and the row is then
 * free for other values. An instruction's results never share a row with its operands, unless they
 * are the same register. A register that may be read before it is written is marked first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/program/decode.h"
#include "emulator/program/liveness.h"

#define MAX_REGISTER_FILE_BYTES (4 * 1024 * 1024)

/* ---- registers that are read first ---- */

/* Marks, at the beginning, each register that may be read before it is written. */
static void insert_undefined(struct liveness *live)
{
	struct function_decoding *decoding = live->decoding;
	struct program_function *out = live->out;
	size_t before = out->code_count, count;
	struct instruction *code;

	for (size_t bit = 0; bit < live->bit_count; bit++) {
		uint32_t value = live->numbered[bit];
		struct instruction *mark;

		if (!live_at_start(live, (uint32_t)bit))
			continue;
		mark = emit_auxiliary(decoding, OP_UNDEFINED);
		mark->statement = 0;
		mark->dst = value;
		mark->width = (uint8_t)value_width(decoding, value);
		mark->target = value;
	}
	count = out->code_count - before;
	if (count == 0)
		return;
	/* The marks were appended. Put them first. */
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
		extend_live_range(live, code[i].dst, (uint32_t)i);
}

/* ---- rows ---- */

struct free_rows {
	uint32_t *rows;
	size_t count, capacity;
};

/* Sorts values by place: those of place p are order[start[p]] to order[start[p + 1] - 1]. */
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

static uint32_t assign_constant_rows(struct program_function *out)
{
	uint32_t file = 256; /* the sink */

	/* 64-bit rows first, so that each begins at a multiple of its size. */
	for (int wide = 1; wide >= 0; wide--) {
		for (size_t i = 0; i < out->constant_count; i++) {
			if (out->constants[i].wide != (wide == 1))
				continue;
			out->constants[i].row = file;
			file += wide ? 256 : 128;
			if (file > MAX_REGISTER_FILE_BYTES)
				return file;
		}
	}
	return file;
}

/* Assigns a row to each value, into rows[]. Returns the size of the register file in bytes. */
static uint64_t scan_live_ranges(struct liveness *live, uint32_t *rows, uint64_t file)
{
	struct function_decoding *decoding = live->decoding;
	size_t values = decoding->value_count, places = live->out->code_count;
	uint32_t *starts = xcalloc(places + 1, sizeof(*starts));
	uint32_t *starting = xcalloc(values + 1, sizeof(*starting));
	uint32_t *ends = xcalloc(places + 1, sizeof(*ends));
	uint32_t *ending = xcalloc(values + 1, sizeof(*ending));
	struct free_rows pools[2] = {{0}, {0}}; /* free rows of 128 and of 256 bytes */

	sort_by_place(live->begin, values, places, starts, starting);
	sort_by_place(live->end, values, places, ends, ending);
	for (size_t place = 0; place < places && file <= MAX_REGISTER_FILE_BYTES; place++) {
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

static void note_wide_rows(const struct liveness *live, const uint32_t *rows, uint64_t file)
{
	struct program_function *out = live->out;

	out->wide_rows = xcalloc(file / ROW_STEP_BYTES + 1, sizeof(*out->wide_rows));
	for (size_t i = 0; i < out->constant_count; i++)
		out->wide_rows[out->constants[i].row / ROW_STEP_BYTES] = out->constants[i].wide;
	for (size_t i = 0; i < live->decoding->value_count; i++)
		if (rows[i])
			out->wide_rows[rows[i] / ROW_STEP_BYTES] =
				value_width(live->decoding, (uint32_t)i) == 64;
}

static void replace_values_by_rows(struct liveness *live, const uint32_t *rows)
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

void allocate_rows(struct function_decoding *decoding)
{
	struct liveness live = {.decoding = decoding, .out = decoding->out};
	uint32_t *rows = xcalloc(decoding->value_count, sizeof(*rows));
	uint64_t file;
	char words[120];

	analyse_liveness(&live);
	insert_undefined(&live);
	file = assign_constant_rows(decoding->out);
	if (file <= MAX_REGISTER_FILE_BYTES)
		file = scan_live_ranges(&live, rows, file);
	if (file > MAX_REGISTER_FILE_BYTES) {
		snprintf(words, sizeof(words),
			 "file of over %d MiB per warp: too many registers are live at the same "
			 "time",
			 MAX_REGISTER_FILE_BYTES / 1024 / 1024);
		decode_unsupported(decoding, "register", words);
	} else {
		note_wide_rows(&live, rows, file);
		replace_values_by_rows(&live, rows);
		decoding->out->file_bytes = (uint32_t)file;
	}
	free(rows);
	liveness_release(&live);
}
