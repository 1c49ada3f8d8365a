/* Reads that are over. See program.h. */
#include "emulator/program/program.h"

#include <stdlib.h>
#include <string.h>

/* Rows begin at multiples of this. */
#define ROW_UNIT 128

/* What is known before each instruction: the rows that hold the value of the read, or one that was
 * computed from it, whichever way led there. */
struct search {
	const struct program_function *function;
	uint32_t target; /* where the lane is now */
	bool executes;   /* it executes that instruction */
	size_t words;    /* of a set of rows */
	uint64_t *sets;  /* by instruction */
	uint64_t *now;   /* the rows after an instruction */
	bool *reached, *is_queued;
	uint32_t *queue;
	size_t queue_length;
	bool ends;  /* an instruction on matrices takes the value on some way */
	bool found; /* a way to the target on which the read may still go on */
};

static bool holds_row(const uint64_t *set, uint32_t row)
{
	return set[row / ROW_UNIT / 64] >> row / ROW_UNIT % 64 & 1;
}

static bool reads_value(const struct program_function *function, const struct instruction *at,
			const uint64_t *set)
{
	struct instruction copy = *at;
	struct instruction_operands operands;

	instruction_operands(function, &copy, &operands);
	for (size_t i = 0; i < operands.read_count; i++)
		if (holds_row(set, *operands.reads[i]))
			return true;
	return false;
}

static bool is_on_matrices(const struct instruction *at)
{
	return at->operation == OP_MATRIX_STORE || at->operation == OP_MATRIX_LOAD ||
	       at->operation == OP_MATRIX_PRODUCT || at->operation == OP_MATRIX_TRANSPOSE;
}

static bool has_matrices(const struct program_function *function)
{
	for (size_t i = 0; i < function->code_count; i++)
		if (is_on_matrices(&function->code[i]))
			return true;
	return false;
}

static bool takes_all_lanes(const struct program_function *function, const struct instruction *at)
{
	return is_on_matrices(at) ||
	       (at->operation == OP_STORE &&
		!strncmp(instruction_statement(function, at)->mnemonic, "wmma.store.", 11));
}

/* Whether the read is over when the instruction begins. A store of wmma is several instructions of
 * one statement, and one that a guard can skip counts only if it is executed now. */
static bool ends_read(const struct search *search, uint32_t number, const uint64_t *set)
{
	const struct program_function *function = search->function;
	const struct instruction *at = &function->code[number];
	uint32_t first = number;

	if (!takes_all_lanes(function, at) ||
	    (at->guard && at->statement != function->code[search->target].statement))
		return false;
	while (first > 0 && function->code[first - 1].statement == at->statement)
		first--;
	for (uint32_t i = first;
	     i < function->code_count && function->code[i].statement == at->statement; i++)
		if (reads_value(function, &function->code[i], set))
			return true;
	return false;
}

/* The rows that the instruction writes hold the value afterwards, or else, unless a guard can skip
 * it, do not. */
static void write_rows(struct search *search, uint32_t number, bool hands_on)
{
	struct instruction copy = search->function->code[number];
	struct instruction_operands operands;

	instruction_operands(search->function, &copy, &operands);
	for (size_t i = 0; i < operands.write_count; i++) {
		const uint32_t unit = *operands.writes[i] / ROW_UNIT;

		if (hands_on)
			search->now[unit / 64] |= UINT64_C(1) << unit % 64;
		else if (!copy.guard)
			search->now[unit / 64] &= ~(UINT64_C(1) << unit % 64);
	}
}

/* One way to an instruction has the rows of search->now there. */
static void reach(struct search *search, uint32_t number)
{
	uint64_t *set = search->sets + number * search->words;
	bool changed = !search->reached[number];

	for (size_t i = 0; i < search->words; i++) {
		const uint64_t both =
			search->reached[number] ? set[i] & search->now[i] : search->now[i];

		changed |= both != set[i];
		set[i] = both;
	}
	search->reached[number] = true;
	if (changed && !search->is_queued[number]) {
		search->is_queued[number] = true;
		search->queue[search->queue_length++] = number;
	}
}

static void reach_successors(struct search *search, uint32_t number)
{
	const struct program_function *function = search->function;
	const struct instruction *at = &function->code[number];
	const bool ends = at->operation == OP_RET || at->operation == OP_EXIT ||
			  at->operation == OP_TRAP || at->operation == OP_BRA ||
			  at->operation == OP_BRX;

	if (at->operation == OP_BRA)
		reach(search, at->target);
	for (size_t i = 0; at->operation == OP_BRX && i < function->tables[at->target].count; i++)
		reach(search, function->tables[at->target].targets[i]);
	if ((!ends || at->guard) && number + 1 < function->code_count)
		reach(search, number + 1);
}

static void visit(struct search *search, uint32_t number)
{
	const uint64_t *set = search->sets + number * search->words;

	if ((number != search->target || search->executes) && ends_read(search, number, set)) {
		search->ends = true;
		return;
	}
	/* From the caller, another call may lead to the target. */
	if (number == search->target || search->function->code[number].operation == OP_RET) {
		search->found |= number == search->target || !search->function->source->entry;
		return;
	}
	memcpy(search->now, set, search->words * sizeof(*set));
	write_rows(search, number,
		   reads_value(search->function, &search->function->code[number], set));
	reach_successors(search, number);
}

/* No function of this size has been seen; the answer then is no. */
#define MOST_SET_WORDS (UINT64_C(1) << 24)

static bool find_finished(const struct program_function *function, uint32_t read, uint32_t now,
			  bool executes)
{
	const size_t count = function->code_count;
	struct search search = {
		.function = function,
		.target = now,
		.executes = executes,
		.words = function->file_bytes / ROW_UNIT / 64 + 1,
	};

	if (!has_matrices(function) || count * search.words > MOST_SET_WORDS)
		return false;
	search.sets = xcalloc(count * search.words, sizeof(*search.sets));
	search.now = xcalloc(search.words, sizeof(*search.now));
	search.reached = xcalloc(count, sizeof(*search.reached));
	search.is_queued = xcalloc(count, sizeof(*search.is_queued));
	search.queue = xcalloc(count, sizeof(*search.queue));
	write_rows(&search, read, true);
	reach_successors(&search, read);
	while (search.queue_length && !search.found) {
		const uint32_t number = search.queue[--search.queue_length];

		search.is_queued[number] = false;
		visit(&search, number);
	}
	free(search.sets);
	free(search.now);
	free(search.reached);
	free(search.is_queued);
	free(search.queue);
	return search.ends && !search.found;
}

/* ---- answers ---- */

#define ANSWERS 1024

struct finished_reads {
	struct answer {
		const struct program_function *function; /* NULL: none */
		uint32_t read, now;
		bool executes, finished;
	} answers[ANSWERS]; /* by read and now; a later one takes the place of an earlier one */
};

void finished_reads_free(struct finished_reads *reads)
{
	free(reads);
}

bool read_is_finished(struct finished_reads **reads, const struct program_function *function,
		      uint32_t read, uint32_t now, bool executes)
{
	struct answer *answer;

	if (!*reads)
		*reads = xcalloc(1, sizeof(**reads));
	answer = &(*reads)->answers[(read * 31 + 2 * now + executes) % ANSWERS];
	if (answer->function != function || answer->read != read || answer->now != now ||
	    answer->executes != executes)
		*answer = (struct answer){function, read, now, executes,
					  find_finished(function, read, now, executes)};
	return answer->finished;
}
