/*
 * Executes a case. First one block of each launch runs on zeroed memory, to
 * estimate the size of the case. Then all blocks run and the result is verified,
 * or some blocks run and the counts are extrapolated.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/blind_check.h"
#include "harness/workers/case_buffers.h"
#include "harness/workers/case_capture.h"
#include "harness/workers/expected.h"
#include "harness/workers/ptx/emulated_case.h"
#include "metrics/settings.h"

/* Operations of mma.sync m16n8k16. One instruction of wgmma takes as long as up to 32 of them, so
 * the cost of a case counts the operations of tensor cores, too. */
#define MMA_FLOP 4096

/* The size of a launch with fewer blocks is not estimated. */
#define BLOCKS_WORTH_ESTIMATING 64

void case_runner_init(struct case_runner *runner, const struct chip *chip, uint64_t seed)
{
	*runner = (struct case_runner){
		.chip = chip,
		.seed = seed,
		.memory_limit_bytes = chip->memory_bytes,
		.sampled_beyond = SAMPLED_BEYOND_INSTRUCTIONS,
		.whole_most = WHOLE_MOST_INSTRUCTIONS,
		.timeout_ns = measure_settings_default.timeout_ns,
	};
}

void case_runner_release(struct case_runner *runner)
{
	ptx_image_cache_release(&runner->images);
	expected_cache_release(&runner->expected);
	*runner = (struct case_runner){0};
}

/* ---- size estimate ---- */

struct estimate {
	uint64_t *block_instructions; /* by launch: of the first block */
	uint64_t instructions;        /* of all blocks, if all are like the first */
	bool known;                   /* false: a first block failed or did not end */
};

/* Leaves the contents of the buffers undefined. */
static int estimate_size(struct emulated_case *emulated, struct estimate *out, struct error *err)
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
			.instructions = emulated->runner->whole_most / BLOCKS_WORTH_ESTIMATING,
		};
		struct emulated_counts counts;
		uint64_t of_launch;

		/* the first block of a cooperative launch or a cluster may wait for others */
		if (blocks < BLOCKS_WORTH_ESTIMATING || work->launches[i].cooperative ||
		    launch_has_clusters(emulated->image, &work->launches[i]))
			continue;
		rc = emulated_case_launch(emulated, i, &part, err);
		if (rc)
			break;
		out->known = !emulated_case_ended(emulated);
		emulation_counts(emulated->emulation, &counts);
		emulation_counts_reset(emulated->emulation);
		out->block_instructions[i] =
			counts.warp_instructions + emulated_product_operations(&counts) / MMA_FLOP;
		if (__builtin_mul_overflow(out->block_instructions[i], (uint64_t)blocks,
					   &of_launch))
			of_launch = UINT64_MAX;
		out->instructions += of_launch;
	}
	finding_list_release(&emulated->findings);
	finding_list_release(&emulated->notes);
	return rc;
}

/* ---- all blocks ---- */

/* How often loads are followed. A race can hide another one until its own load is left out. */
#define UNUSED_LOAD_ROUNDS 8

static int launch_whole(struct emulated_case *emulated, const struct launch_part *part,
			struct error *err)
{
	int rc = 0;

	for (size_t i = 0;
	     i < emulated->work->launch_count && rc == 0 && !emulated_case_ended(emulated); i++)
		rc = emulated_case_launch(emulated, i, part, err);
	return rc;
}

/* Executes all launches without checks and without what device code prints, up to a finding that
 * ends one. */
static int whole_case_run(struct emulated_case *emulated, struct error *err)
{
	return launch_whole(emulated,
			    &(struct launch_part){.instructions = emulated_case_limit(emulated)},
			    err);
}

static int launch_checked(struct emulated_case *emulated, bool silent, struct error *err)
{
	const struct launch_part part = {
		.checked = true,
		.checks_global = true,
		.silent = silent,
		.instructions = emulated_case_limit(emulated),
	};

	return launch_whole(emulated, &part, err);
}

/* Executes all launches twice more while a finding has a load whose value may be unused. */
static int drop_unused_loads(struct emulated_case *emulated, struct error *err)
{
	int rc = 0;

	for (int round = 0;
	     rc == 0 && round < UNUSED_LOAD_ROUNDS && !emulated_case_ended(emulated) &&
	     emulation_has_suspects(emulated->emulation);
	     round++) {
		rc = emulated_case_restore(emulated, err);
		emulation_follow_loads(emulated->emulation);
		if (rc == 0)
			rc = whole_case_run(emulated, err);
		if (rc == 0)
			rc = emulated_case_restore(emulated, err);
		emulation_judge_loads(emulated->emulation);
		if (rc == 0)
			rc = launch_checked(emulated, true, err);
	}
	return rc;
}

static int execute_following(void *context, struct error *err)
{
	struct emulated_case *emulated = context;
	const struct launch_case *work = emulated->work;
	int rc = emulated_case_restore(emulated, err);

	if (rc == 0)
		rc = whole_case_run(emulated, err);
	if (rc || !case_is_checked(work))
		return rc;
	for (size_t b = 0; b < work->buffer_count; b++)
		if (case_buffer_is_result(&work->buffers[b]) || work->buffers[b].role == BUFFER_IN)
			emulation_use_buffer(emulated->emulation, emulated->passed[b],
					     case_buffer_is_result(&work->buffers[b]),
					     &emulated->findings);
	return 0;
}

/*
 * Executes all launches with all checks. Findings that are loads whose value nothing uses are left
 * out (emulation_has_suspects()); to find those, all is executed again from
 * emulated_case_restore(), with the same outcome.
 */
static int whole_case_check(struct emulated_case *emulated, struct error *err)
{
	int rc = launch_checked(emulated, false, err);

	if (rc == 0)
		rc = drop_unused_loads(emulated, err);
	if (rc == 0)
		rc = emulated_case_follow(emulated, true, execute_following, emulated, err);
	if (rc == 0 && !emulated_case_ended(emulated))
		emulation_leaks(emulated->emulation, &emulated->findings);
	return rc;
}

/* ---- results ---- */

static void compare_results(struct emulated_case *emulated, const struct host_buffers *expected,
			    struct case_accuracy *accuracy, struct text *mismatch)
{
	const struct launch_case *work = emulated->work;
	struct host_buffers results = {0};

	emulated_case_results(emulated, &results);
	for (size_t b = 0; b < work->buffer_count; b++) {
		struct case_difference difference;

		if (!case_buffer_is_result(&work->buffers[b]))
			continue;
		difference = case_compare(work, b, results.data[b], expected->data[b]);
		case_accuracy_note(accuracy, &work->buffers[b], difference.largest_error,
				   difference.largest_expected);
		if (difference.mismatches)
			case_describe_difference(mismatch, work, b, &difference);
	}
}

/* The emulator adds floats in another order than a GPU: says how that can be allowed. */
static void explain_replay(struct emulated_case *emulated, const struct host_buffers *expected,
			   struct text *mismatch)
{
	const struct launch_case *work = emulated->work;
	struct replay_remedy remedy = {.relative = 0};
	struct host_buffers results = {0};

	case_replay_introduce(mismatch, work, emulated->capture);
	emulated_case_results(emulated, &results);
	for (size_t b = 0; b < work->buffer_count; b++) {
		const size_t bytes = case_buffer_bytes(&work->buffers[b]);
		struct content_distance distance;

		if (!expected->data[b] || memcmp(results.data[b], expected->data[b], bytes) == 0)
			continue;
		distance = content_distance_find(results.data[b], expected->data[b], bytes);
		replay_remedy_add(&remedy, &work->buffers[b], &distance);
	}
	replay_remedy_finish(&remedy, mismatch);
	case_replay_add_lost(mismatch, emulated->capture);
}

/* The expected results count towards the memory limit, too. */
static int check_room_for_expected(const struct emulated_case *emulated, struct error *err)
{
	const struct launch_case *work = emulated->work;
	int64_t free_bytes = emulated->runner->memory_limit_bytes, expected_bytes = 0;

	for (size_t b = 0; b < work->buffer_count; b++) {
		int64_t bytes = (int64_t)case_buffer_bytes(&work->buffers[b]);

		free_bytes -= bytes;
		expected_bytes += case_buffer_is_result(&work->buffers[b]) ? bytes : 0;
	}
	if (expected_bytes > free_bytes)
		return error_set(err, PL_ENOMEM,
				 "the expected results need %" PRId64
				 " bytes beside the buffers, but only %" PRId64 " of %" PRId64
				 " are free",
				 expected_bytes, free_bytes > 0 ? free_bytes : 0,
				 emulated->runner->memory_limit_bytes);
	return 0;
}

/* What a worker needs at least to report where a kernel is when its time is over. */
#define REPORT_NS INT64_C(1000000000)

/* Begins to count the time of a phase. */
static void begin_phase(struct case_runner *runner)
{
	const int64_t tenth_ns = runner->timeout_ns / 10;
	const int64_t end_ns = monotonic_ns() - (tenth_ns < REPORT_NS ? tenth_ns : REPORT_NS);

	runner->check_end_ns = case_check_end_ns(runner->timeout_ns);
	if (__builtin_add_overflow(end_ns, runner->timeout_ns, &runner->launch_end_ns))
		runner->launch_end_ns = INT64_MAX;
}

static int announce_phase(struct case_runner *runner, enum worker_phase phase)
{
	const unsigned bit = 1u << phase;

	if (!runner->announce || runner->announced & bit)
		return 0;
	runner->announced |= bit;
	begin_phase(runner);
	return runner->announce(runner->announce_context, phase);
}

/* Fills the buffers and finds the results that the case should have. *blind: what the user's check
 * accepts instead; NULL: nobody asks. */
static int restore_and_expect(struct emulated_case *emulated, struct host_buffers *expected,
			      struct text *blind, struct error *err)
{
	const struct launch_case *work = emulated->work;
	struct host_buffers inputs = {0};
	int rc = emulated_case_restore(emulated, err);

	if (rc || !case_is_checked(work))
		return rc;
	emulated_case_buffers(emulated, &inputs);
	rc = expected_results_find(emulated, &inputs, expected, err);
	if (rc == 0 && blind && work->check.kind != CHECK_ORACLE)
		blind_case_find(blind, work, expected, &inputs);
	return rc;
}

/*
 * Executes a user's kernel a second time, at the same addresses, with another
 * poison, and with other inputs unless the check holds for the first only. The
 * module variables keep what the first execution left. Finds a kernel that kept
 * its results, that is right for one set of inputs only, or that left a poison
 * which happened to be right.
 */
static int verify_emulated_again(struct emulated_case *emulated, const struct host_buffers *first,
				 struct text *mismatch, struct text *blind, struct error *err)
{
	const struct launch_case *work = emulated->work;
	struct case_accuracy accuracy = CASE_ACCURACY_INIT;
	struct host_buffers expected = {0}, earlier = {0};
	struct text found = TEXT_INIT;
	int rc;

	emulated->again = true;
	emulated->mixed = case_check_follows_inputs(work);
	/* what was expected first may be dropped for what is now */
	for (size_t b = 0; b < work->buffer_count && emulated->mixed && !blind->length; b++)
		if (case_buffer_is_result(&work->buffers[b])) {
			const size_t bytes = case_buffer_bytes(&work->buffers[b]);

			earlier.data[b] = xmalloc(bytes);
			memcpy(earlier.data[b], first->data[b], bytes);
		}
	rc = restore_and_expect(emulated, &expected, NULL, err);
	if (rc == 0 && emulated->mixed && !blind->length)
		blind_earlier_find(blind, work, &expected, &earlier);
	for (size_t b = 0; b < work->buffer_count; b++)
		free(earlier.data[b]);
	if (rc == 0)
		rc = whole_case_run(emulated, err);
	if (rc == 0 && !emulated_case_ended(emulated))
		compare_results(emulated, &expected, &accuracy, &found);
	if (found.length)
		text_addf(mismatch, "%s: %s", case_wrong_again(emulated->work), found.data);
	text_release(&found);
	return rc;
}

/* Runs all launches and compares the results unless a finding ended a launch. *mismatch: the
 * differences. *blind: what the check cannot find. */
static int execute_all_launches(struct emulated_case *emulated, struct case_totals *totals,
				struct text *mismatch, struct text *blind, struct error *err)
{
	const struct launch_case *work = emulated->work;
	struct host_buffers expected = {0};
	int rc = case_is_checked(work) ? check_room_for_expected(emulated, err) : 0;

	if (rc == 0 && case_is_checked(work))
		rc = announce_phase(emulated->runner, WORKER_PHASE_VERIFY);
	if (rc == 0)
		rc = restore_and_expect(emulated, &expected, blind, err);
	if (rc == 0)
		rc = announce_phase(emulated->runner, WORKER_PHASE_EMULATE);
	if (rc == 0)
		rc = whole_case_check(emulated, err);
	if (rc)
		return rc;
	case_totals_take(totals, emulated->emulation);
	for (size_t i = 0; i < work->launch_count; i++) {
		totals->blocks_executed += launch_blocks(&work->launches[i]);
		totals->blocks_total += launch_blocks(&work->launches[i]);
	}
	totals->touched = device_memory_touched(emulated->memory);
	totals->has_touched = true;
	totals->accuracy = (struct case_accuracy)CASE_ACCURACY_INIT;
	if (emulated_case_ended(emulated))
		return 0;
	if (case_is_checked(work))
		compare_results(emulated, &expected, &totals->accuracy, mismatch);
	if (work->check.kind == CHECK_ORACLE)
		return 0;
	if (mismatch->length && case_is_replay(work))
		explain_replay(emulated, &expected, mismatch);
	rc = emulated_case_check_inputs(emulated, "the kernel", mismatch, err);
	if (rc == 0 && !mismatch->length && !emulated->findings.count &&
	    !emulated->late_following && case_is_checked(work))
		rc = verify_emulated_again(emulated, &expected, mismatch, blind, err);
	return rc;
}

/* ---- the case ---- */

static int emulate_case(struct emulated_case *emulated, struct case_totals *totals,
			enum trial_status *status, struct text *reason, struct error *err)
{
	struct case_runner *runner = emulated->runner;
	struct estimate size = {
		.block_instructions = xcalloc(emulated->work->launch_count + 1, sizeof(uint64_t))};
	struct text why_not = TEXT_INIT;
	struct text mismatch = TEXT_INIT, blind = TEXT_INIT;
	bool whole = true;
	int rc = runner->all_blocks ? 0 : estimate_size(emulated, &size, err);

	if (rc == 0 && size.known && size.instructions > runner->sampled_beyond) {
		rc = announce_phase(runner, WORKER_PHASE_EMULATE);
		if (rc == 0)
			rc = sample_case(emulated, size.block_instructions, runner->sampled_beyond,
					 totals, &why_not, err);
		whole = why_not.length != 0;
	}
	if (rc == 0 && whole && size.known && size.instructions > runner->whole_most) {
		text_addf(reason,
			  "too large to run whole (about %.3g warp instructions), and cannot be "
			  "sampled: %s; choose a smaller size or --blocks all",
			  (double)size.instructions, why_not.data);
		*status = TRIAL_SKIPPED; /* a limit of the emulator is no fault of the case */
		whole = false;
	} else if (rc == 0 && whole) {
		struct error cause = {0};

		rc = execute_all_launches(emulated, totals, &mismatch, &blind, &cause);
		if (rc == PL_EUNSUPPORTED) {
			/* the reference: this is no fault of the case, either */
			text_add(reason, cause.text);
			*status = TRIAL_SKIPPED;
			rc = 0;
		} else if (rc) {
			error_set(err, rc, "%s", cause.text);
		}
	}
	if (rc == 0 && *status == TRIAL_OK)
		case_outcome(emulated, totals, &mismatch, status, reason);
	if (rc == 0 && *status == TRIAL_OK && !case_is_checked(emulated->work))
		*status = case_unverified(emulated->work, reason);
	if (rc == 0 && *status == TRIAL_OK && blind.length) {
		text_add(reason, blind.data);
		*status = TRIAL_UNVERIFIED;
	}
	if (rc == 0)
		case_print_notes(emulated);
	free(size.block_instructions);
	text_release(&why_not);
	text_release(&mismatch);
	text_release(&blind);
	return rc;
}

int case_emulate(struct case_runner *runner, const struct launch_case *work,
		 struct case_totals *totals, enum trial_status *status, struct text *reason,
		 struct error *err)
{
	const struct ptx_program *program = NULL;
	const struct ptx_image *image = NULL;
	const char *gaps = NULL;
	struct emulated_case emulated = {0};
	int rc = ptx_image_program(&runner->images, work, &image, &program, &gaps, err);

	runner->announced = 0;
	begin_phase(runner);
	if (rc)
		return rc;
	if (!program) {
		text_add(reason, gaps);
		*status = TRIAL_SKIPPED;
		return 0;
	}
	rc = emulated_case_open(&emulated, runner, work, image, program, err);
	if (rc == 0)
		rc = emulate_case(&emulated, totals, status, reason, err);
	emulated_case_close(&emulated);
	return rc;
}
