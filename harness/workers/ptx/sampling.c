/*
 * sampling: counts a large launch by executing some of its blocks. Along each
 * axis of the grid, a block belongs to one of these classes: the first block, the
 * last block, or those between with the same index modulo a period. After a
 * period, addresses that are linear in the block's index are equal modulo 128
 * bytes.
 *
 * Several blocks of each class run: neighbours, and blocks spread over the grid.
 * If they agree in every count and on every source line, they represent their
 * class. This is sound if no branch and no address depends on data
 * (program_dependence()). It is not a proof, because the other blocks did not
 * run; so the status of the case is TRIAL_SAMPLED.
 */
#include "harness/workers/ptx/emulated_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sectors of a line and banks repeat after this many bytes. */
#define ADDRESS_PERIOD_BYTES 128
/* If blocks of a class disagree, the period is doubled at most this often: blocks may differ by
 * their parity. */
#define PERIOD_DOUBLINGS 2
/* Launches with fewer blocks are not sampled. */
#define BLOCKS_WORTH_SAMPLING 64

/* ---- classes ---- */

/* Adds an index to the class if it lies within. Call in ascending order. */
static void add_sample(struct axis_class *class, int64_t index, int64_t last)
{
	if (index <= last && class->sample_count < SAMPLED_AXIS_BLOCKS &&
	    (!class->sample_count || class->samples[class->sample_count - 1] < index))
		class->samples[class->sample_count++] = index;
}

/*
 * The class of the indexes first, first + period … up to `last`. Its samples are
 * neighbours at both ends and in the middle, which reveals dependence on parity
 * and on thresholds.
 */
static struct axis_class class_between(int64_t first, int64_t last, int64_t period)
{
	struct axis_class class = {.count = (last - first) / period + 1};
	int64_t end = first + (class.count - 1) * period;
	int64_t middle = first + class.count / 2 * period;

	add_sample(&class, first, end);
	add_sample(&class, first + period, end);
	add_sample(&class, middle, end);
	add_sample(&class, middle + period, end);
	if (end - period > first)
		add_sample(&class, end - period, end);
	add_sample(&class, end, end);
	return class;
}

struct axis_class *axis_classes(int64_t extent, int64_t period, size_t *count)
{
	struct axis_class *classes = xcalloc((size_t)period + 2, sizeof(*classes));
	size_t used = 0;

	classes[used++] = class_between(0, 0, 1);
	for (int64_t first = 1; first <= period && first < extent - 1; first++)
		classes[used++] = class_between(first, extent - 2, period);
	if (extent > 1)
		classes[used++] = class_between(extent - 1, extent - 1, 1);
	*count = used;
	return classes;
}

/* Bytes of the narrowest access to global memory: the smallest distance of two threads. */
static int64_t narrowest_access(const struct ptx_program *program)
{
	int64_t narrowest = 8;

	for (size_t f = 0; f < program->function_count; f++) {
		const struct program_function *function = &program->functions[f];

		for (size_t i = 0; i < function->code_count; i++) {
			const struct instruction *at = &function->code[i];

			bool is_global =
				at->operation == OP_COPY ||
				((at->operation == OP_LOAD || at->operation == OP_STORE ||
				  at->operation == OP_ATOMIC) &&
				 (at->space == PTX_SPACE_GLOBAL || at->space == PTX_SPACE_GENERIC));

			if (is_global && at->width && at->width < narrowest)
				narrowest = at->width;
		}
	}
	return narrowest;
}

static int64_t address_period(int64_t block_extent, int64_t access_bytes)
{
	const int64_t block_bytes = block_extent * access_bytes;
	const int64_t factor = block_bytes & -block_bytes; /* the largest power of two in it */

	return factor < ADDRESS_PERIOD_BYTES ? ADDRESS_PERIOD_BYTES / factor : 1;
}

/* ---- one launch ---- */

struct sampler {
	struct emulated_case *emulated;
	size_t index; /* of the launch in the case */
	const struct case_launch *launch;
	int64_t periods[3];
	struct axis_class *classes[3];
	size_t class_counts[3];
	struct case_totals totals; /* of this launch */
};

static bool totals_agree(const struct case_totals *a, const struct case_totals *b)
{
	bool agree = a->lines.count == b->lines.count;

#define X(field, name, unit, meaning, worse) agree = agree && a->counts.field == b->counts.field;
	EMULATED_COUNT_LIST(X)
#undef X
	for (size_t i = 0; agree && i < a->lines.count; i++) {
		const struct line_count *x = &a->lines.items[i];
		const struct line_count *y = &b->lines.items[i];

		agree = x->line == y->line && x->instructions == y->instructions &&
			x->lanes == y->lanes && x->divergent == y->divergent &&
			x->requests == y->requests && x->sectors == y->sectors &&
			x->shared_requests == y->shared_requests &&
			x->wavefronts == y->wavefronts && x->conflicts == y->conflicts;
	}
	return agree;
}

/*
 * The numbers of the blocks of a class to execute, each once: the samples of the
 * axes in step, then with y reversed, so both diagonals of the grid are covered.
 */
static size_t class_blocks(int64_t numbers[2 * SAMPLED_AXIS_BLOCKS],
			   const struct case_launch *launch,
			   const struct axis_class *const class[3])
{
	size_t count = 0;

	for (size_t s = 0; s < 2 * SAMPLED_AXIS_BLOCKS; s++) {
		int64_t at[3];
		int64_t number;
		bool seen = false;

		for (size_t axis = 0; axis < 3; axis++) {
			size_t samples = class[axis]->sample_count;
			size_t step = s % SAMPLED_AXIS_BLOCKS * samples / SAMPLED_AXIS_BLOCKS;

			if (s >= SAMPLED_AXIS_BLOCKS && axis == 1)
				step = samples - 1 - step;
			at[axis] = class[axis]->samples[step];
		}
		number = at[0] + launch->grid[0] * (at[1] + launch->grid[1] * at[2]);
		for (size_t i = 0; i < count; i++)
			seen = seen || numbers[i] == number;
		if (!seen)
			numbers[count++] = number;
	}
	return count;
}

/* A part of a launch, which is executed once more without checks. */
struct sampled_part {
	struct emulated_case *emulated;
	size_t index; /* of the launch in the case */
	struct launch_part part;
};

static int repeat_part(void *context, struct error *err)
{
	struct sampled_part *again = context;

	again->part.checked = false;
	return emulated_case_launch(again->emulated, again->index, &again->part, err);
}

/* Executes a part of a launch, and takes its counts. What values it computes does not matter: no
 * branch or address depends on them. */
static int execute_part(struct emulated_case *emulated, size_t index,
			const struct launch_part *part, struct case_totals *totals,
			struct error *err)
{
	struct sampled_part again = {emulated, index, *part};
	int rc = emulated_case_launch(emulated, index, part, err);

	if (rc)
		return rc;
	case_totals_take(totals, emulated->emulation);
	rc = emulated_case_follow(emulated, false, repeat_part, &again, err);
	emulation_counts_reset(emulated->emulation);
	return rc;
}

/* Adds the counts of a class to the totals of the launch. *agreed false: its blocks differ. */
static int execute_class(struct sampler *sampler, const struct axis_class *const class[3],
			 bool *agreed, struct error *err)
{
	int64_t times = class[0]->count * class[1]->count * class[2]->count;
	int64_t numbers[2 * SAMPLED_AXIS_BLOCKS];
	size_t count = class_blocks(numbers, sampler->launch, class);
	struct case_totals first = {0};
	int rc = 0;

	*agreed = true;
	for (size_t i = 0; i < count && *agreed && rc == 0; i++) {
		const struct launch_part part = {
			.blocks = &numbers[i], .block_count = 1, .checked = true};
		struct case_totals one = {0};

		rc = execute_part(sampler->emulated, sampler->index, &part, i ? &one : &first, err);
		*agreed = i == 0 || totals_agree(&first, &one);
		case_totals_release(&one);
		if (emulated_case_ended(sampler->emulated))
			break;
	}
	if (rc == 0 && *agreed) {
		case_totals_add(&sampler->totals, &first, (uint64_t)times);
		sampler->totals.blocks_executed += (int64_t)count;
	}
	case_totals_release(&first);
	return rc;
}

static size_t class_count(const struct sampler *sampler)
{
	return sampler->class_counts[0] * sampler->class_counts[1] * sampler->class_counts[2];
}

/* Sets the classes along the axes of the class number `c` of the launch. */
static void class_at(const struct axis_class *class[3], const struct sampler *sampler, size_t c)
{
	for (size_t axis = 0; axis < 3; axis++) {
		class[axis] = &sampler->classes[axis][c % sampler->class_counts[axis]];
		c /= sampler->class_counts[axis];
	}
}

static int execute_classes(struct sampler *sampler, bool *agreed, struct error *err)
{
	const struct axis_class *class[3];
	int rc = 0;

	*agreed = true;
	for (size_t c = 0; c < class_count(sampler) && rc == 0 && *agreed; c++) {
		class_at(class, sampler, c);
		rc = execute_class(sampler, class, agreed, err);
		if (emulated_case_ended(sampler->emulated))
			break;
	}
	return rc;
}

/* The number of blocks to execute, at most. */
static uint64_t classes_blocks(const struct sampler *sampler)
{
	int64_t numbers[2 * SAMPLED_AXIS_BLOCKS];
	const struct axis_class *class[3];
	uint64_t blocks = 0;

	for (size_t c = 0; c < class_count(sampler); c++) {
		class_at(class, sampler, c);
		blocks += class_blocks(numbers, sampler->launch, class);
	}
	return blocks;
}

/* One attempt with the current periods. */
static int try_periods(struct sampler *sampler, uint64_t most_blocks, bool *agreed,
		       struct text *why_not, struct error *err)
{
	uint64_t blocks;
	int rc = 0;

	for (size_t axis = 0; axis < 3; axis++)
		sampler->classes[axis] =
			axis_classes(sampler->launch->grid[axis], sampler->periods[axis],
				     &sampler->class_counts[axis]);
	blocks = classes_blocks(sampler);
	if (blocks > most_blocks || blocks > (uint64_t)launch_blocks(sampler->launch) / 2)
		text_addf(why_not,
			  "the %" PRId64 " blocks of %s have so many address patterns that %" PRIu64
			  " of them would have to run",
			  launch_blocks(sampler->launch), sampler->launch->entry, blocks);
	else
		rc = execute_classes(sampler, agreed, err);
	for (size_t axis = 0; axis < 3; axis++)
		free(sampler->classes[axis]);
	return rc;
}

static int sample_launch(struct emulated_case *emulated, size_t index, uint64_t most_blocks,
			 struct case_totals *totals, struct text *why_not, struct error *err)
{
	const struct case_launch *launch = &emulated->work->launches[index];
	struct sampler sampler = {.emulated = emulated, .index = index, .launch = launch};
	int64_t access_bytes = narrowest_access(emulated->program);
	bool agreed = false;
	int rc = 0;

	for (size_t axis = 0; axis < 3; axis++)
		sampler.periods[axis] = address_period(launch->block[axis], access_bytes);
	for (int doubled = 0; doubled <= PERIOD_DOUBLINGS && !agreed && rc == 0; doubled++) {
		case_totals_release(&sampler.totals);
		text_clear(why_not);
		rc = try_periods(&sampler, most_blocks, &agreed, why_not, err);
		if (emulated_case_ended(emulated) || why_not->length)
			break;
		for (size_t axis = 0; axis < 3; axis++)
			sampler.periods[axis] *= 2;
	}
	if (rc == 0 && !agreed && !why_not->length)
		text_addf(why_not,
			  "blocks of %s with the same address pattern have different counts",
			  launch->entry);
	if (rc == 0 && !why_not->length)
		case_totals_add(totals, &sampler.totals, 1);
	case_totals_release(&sampler.totals);
	return rc;
}

/* ---- all launches ---- */

static bool may_be_sampled(const struct emulated_case *emulated, struct text *why_not)
{
	const struct launch_case *work = emulated->work;

	for (size_t i = 0; i < work->launch_count && !why_not->length; i++) {
		unsigned dependence =
			program_dependence(emulated->program, work->launches[i].entry);

		if (dependence)
			text_addf(why_not, "branches or addresses of %s depend on %s",
				  work->launches[i].entry,
				  dependence & DEPENDS_ON_ATOMIC ? "the results of atomics"
								 : "its data");
	}
	return !why_not->length;
}

int sample_case(struct emulated_case *emulated, const uint64_t *block_instructions, uint64_t most,
		struct case_totals *totals, struct text *why_not, struct error *err)
{
	const struct launch_case *work = emulated->work;
	struct case_totals sum = {0};
	/* Launches that run whole cost at most half of the limit together. */
	uint64_t worth = most / (2 * work->launch_count + 2);
	int rc = 0;

	if (!may_be_sampled(emulated, why_not))
		return 0;
	for (size_t i = 0; i < work->launch_count && rc == 0 && !why_not->length; i++) {
		int64_t blocks = launch_blocks(&work->launches[i]);

		if (block_instructions[i] <= worth / (uint64_t)blocks) {
			rc = execute_part(emulated, i, &(struct launch_part){.checked = true}, &sum,
					  err);
			sum.blocks_executed += rc ? 0 : blocks;
		} else if (blocks < BLOCKS_WORTH_SAMPLING) {
			text_addf(why_not, "%s has only %" PRId64 " blocks",
				  work->launches[i].entry, blocks);
		} else {
			rc = sample_launch(emulated, i, most / (block_instructions[i] + 1), &sum,
					   why_not, err);
		}
		sum.blocks_total += blocks;
		if (emulated_case_ended(emulated))
			break;
	}
	if (rc == 0 && !why_not->length) {
		case_totals_release(totals);
		*totals = sum;
	} else {
		case_totals_release(&sum);
	}
	return rc;
}
