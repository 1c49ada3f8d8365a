/*
 * One case from its description to its counts. First a block of each launch
 * is executed on memory full of zeroes, to see how large the case is; then it
 * runs whole and is verified, or is counted on some of its blocks.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"
#include "harness/workers/ptx/emulated_case.h"
#include "harness/workers/ptx/sampling.h"

/* Fewer blocks than this are not worth executing one of them twice. */
#define BLOCKS_WORTH_ESTIMATING 64

void workbench_init(struct workbench *bench, const struct chip *chip, uint64_t seed)
{
	*bench = (struct workbench){
		.chip = chip,
		.seed = seed,
		.memory_limit_bytes = chip->memory_bytes,
		.sampled_beyond = SAMPLED_BEYOND_INSTRUCTIONS,
		.whole_most = WHOLE_MOST_INSTRUCTIONS,
	};
}

void workbench_release(struct workbench *bench)
{
	image_cache_release(&bench->images);
	expected_cache_release(&bench->expected);
	*bench = (struct workbench){0};
}

/* ---- how large it is ---- */

struct estimate {
	uint64_t *block_instructions; /* by launch: of its first block */
	uint64_t instructions;        /* of all blocks, if they are like the first */
	bool known;                   /* false: a first block went wrong, or on and on */
};

static uint64_t saturated_product(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Leaves memory in disorder. */
static int estimate(struct emulated_case *emulated, struct estimate *out, struct error *err)
{
	const struct launch_case *work = emulated->work;
	static const int64_t first = 0;
	int rc = 0;

	out->known = true;
	for (size_t i = 0; i < work->launch_count && out->known && rc == 0; i++) {
		int64_t blocks = launch_blocks(&work->launches[i]);
		const struct launch_part part = {
			.blocks = &first,
			.block_count = 1,
			.instructions = emulated->bench->whole_most / BLOCKS_WORTH_ESTIMATING,
		};
		struct emulated_counts counts;

		if (blocks < BLOCKS_WORTH_ESTIMATING)
			continue;
		rc = emulated_case_launch(emulated, i, &part, err);
		if (rc)
			break;
		out->known = !emulated_case_ended(emulated);
		emulation_counts(emulated->emulation, &counts);
		emulation_counts_reset(emulated->emulation);
		out->block_instructions[i] = counts.warp_instructions;
		out->instructions += saturated_product(counts.warp_instructions, (uint64_t)blocks);
	}
	finding_list_release(&emulated->findings);
	return rc;
}

/* ---- whole ---- */

static void compare(struct emulated_case *emulated, const struct host_buffers *expected,
		    struct case_accuracy *accuracy, struct text *mismatch)
{
	const struct launch_case *work = emulated->work;
	struct host_buffers results = {0};

	emulated_case_buffers(emulated, &results);
	for (size_t b = 0; b < work->buffer_count; b++) {
		struct case_difference difference;

		if (!case_buffer_is_result(&work->buffers[b]))
			continue;
		difference = case_compare(work, b, results.data[b], expected->data[b]);
		case_accuracy_note(accuracy, &work->buffers[b], difference.largest_error,
				   difference.largest_expected);
		if (difference.mismatches)
			case_describe_difference(mismatch, &work->buffers[b], &difference);
	}
}

/* What it is compared with takes memory, too. */
static int check_memory(const struct emulated_case *emulated, struct error *err)
{
	const struct launch_case *work = emulated->work;
	int64_t free_bytes = emulated->bench->memory_limit_bytes, expected_bytes = 0;

	for (size_t b = 0; b < work->buffer_count; b++) {
		int64_t bytes = (int64_t)case_buffer_bytes(&work->buffers[b]);

		free_bytes -= bytes;
		expected_bytes += case_buffer_is_result(&work->buffers[b]) ? bytes : 0;
	}
	if (expected_bytes > free_bytes)
		return error_set(err, PL_ENOMEM,
				 "beside the buffers, results to compare with need %" PRId64
				 " bytes, and %" PRId64 " of %" PRId64 " are free",
				 expected_bytes, free_bytes > 0 ? free_bytes : 0,
				 emulated->bench->memory_limit_bytes);
	return 0;
}

/* Inputs are in place; *mismatch says what is wrong with the results, if a launch did not end. */
static int execute_whole(struct emulated_case *emulated, struct case_totals *totals,
			 struct text *mismatch, struct error *err)
{
	const struct launch_case *work = emulated->work;
	struct workbench *bench = emulated->bench;
	const struct launch_part all = {
		.checked = true,
		.instructions = bench->all_blocks ? 0 : bench->whole_most,
	};
	struct host_buffers inputs = {0};
	struct host_buffers expected = {0};
	int rc = check_memory(emulated, err);

	if (rc)
		return rc;
	emulated_case_restore(emulated);
	emulated_case_buffers(emulated, &inputs);
	rc = expected_find(&bench->expected, work, bench->seed, &inputs, &expected, err);
	for (size_t i = 0; i < work->launch_count && rc == 0 && !emulated_case_ended(emulated);
	     i++) {
		rc = emulated_case_launch(emulated, i, &all, err);
		totals->blocks_executed += launch_blocks(&work->launches[i]);
		totals->blocks_total += launch_blocks(&work->launches[i]);
	}
	if (rc)
		return rc;
	case_totals_take(totals, emulated->emulation);
	totals->touched = device_memory_touched(emulated->memory);
	totals->has_touched = true;
	totals->accuracy = (struct case_accuracy)CASE_ACCURACY_INIT;
	if (!emulated_case_ended(emulated))
		compare(emulated, &expected, &totals->accuracy, mismatch);
	return 0;
}

/* ---- what became of it ---- */

static void describe_findings(const struct emulated_case *emulated, struct text *reason)
{
	const struct finding_list *findings = &emulated->findings;
	uint64_t more = findings->count - 1 + findings->beyond;

	finding_text(reason, &findings->items[0]);
	if (more)
		text_addf(reason, ", and %" PRIu64 " more", more);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].kind == FINDING_ENDLESS) {
			text_add(reason, "; --blocks all lifts that limit");
			break;
		}
	}
}

static void conclude(const struct emulated_case *emulated, const struct case_totals *totals,
		     const struct text *mismatch, enum trial_status *status, struct text *reason)
{
	if (emulated->findings.count) {
		describe_findings(emulated, reason);
		*status = TRIAL_FAULT;
	}
	if (mismatch->length) {
		text_addf(reason, "%s%s", reason->length ? "; " : "", mismatch->data);
		if (*status == TRIAL_OK)
			*status = TRIAL_MISMATCH;
	} else if (*status == TRIAL_OK && totals->blocks_executed < totals->blocks_total) {
		text_addf(reason,
			  "counted on %" PRId64 " of %" PRId64
			  " blocks; the result was not verified",
			  totals->blocks_executed, totals->blocks_total);
		*status = TRIAL_SAMPLED;
	}
}

/* Why a case runs neither whole nor in part, and what to do. */
static void describe_too_large(const struct estimate *size, const struct text *why_not,
			       struct text *reason)
{
	text_addf(reason,
		  "too large to run whole, at about %.3g warp-instructions, and not to be counted "
		  "on some of its blocks: %s; choose a smaller size, or --blocks all",
		  (double)size->instructions, why_not->data);
}

static int emulate(struct emulated_case *emulated, struct case_totals *totals,
		   enum trial_status *status, struct text *reason, struct error *err)
{
	const struct workbench *bench = emulated->bench;
	struct estimate size = {
		.block_instructions = xcalloc(emulated->work->launch_count + 1, sizeof(uint64_t))};
	struct text why_not = TEXT_INIT;
	struct text mismatch = TEXT_INIT;
	bool whole = true;
	int rc = bench->all_blocks ? 0 : estimate(emulated, &size, err);

	if (rc == 0 && size.known && size.instructions > bench->sampled_beyond) {
		rc = sample_case(emulated, size.block_instructions, bench->sampled_beyond, totals,
				 &why_not, err);
		whole = why_not.length != 0;
	}
	if (rc == 0 && whole && size.known && size.instructions > bench->whole_most) {
		describe_too_large(&size, &why_not, reason);
		*status = TRIAL_SKIPPED; /* the emulator's limit says nothing against the case */
		whole = false;
	} else if (rc == 0 && whole) {
		rc = execute_whole(emulated, totals, &mismatch, err);
	}
	if (rc == 0 && *status == TRIAL_OK)
		conclude(emulated, totals, &mismatch, status, reason);
	free(size.block_instructions);
	text_release(&why_not);
	text_release(&mismatch);
	return rc;
}

int case_emulate(struct workbench *bench, const struct launch_case *work,
		 struct case_totals *totals, enum trial_status *status, struct text *reason,
		 struct error *err)
{
	const struct ptx_program *program = NULL;
	const struct image *image = NULL;
	const char *gaps = NULL;
	struct emulated_case emulated = {0};
	int rc = image_program(&bench->images, work, &image, &program, &gaps, err);

	if (rc)
		return rc;
	if (!program) {
		text_addf(reason, "needs what the emulator does not run: %s", gaps);
		*status = TRIAL_SKIPPED;
		return 0;
	}
	rc = emulated_case_open(&emulated, bench, work, image, program, err);
	if (rc == 0)
		rc = emulate(&emulated, totals, status, reason, err);
	emulated_case_close(&emulated);
	return rc;
}
