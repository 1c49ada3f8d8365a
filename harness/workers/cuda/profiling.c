/*
 * Samples and counts the instructions of cases. First all cases are sampled, each with two periods:
 * a kernel repeats itself, and a period hits some of its instructions too often, in every execution
 * alike (docs/results/line-shares.md). Then all are counted, twice if there is time. This comes
 * after the last timed sample of the worker: CUPTI adds code to the kernels.
 */
#include "harness/workers/cuda/backend.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/protocol/protocol.h"
#include "harness/workers/expected.h"
#include "metrics/cupti/cupti_profile.h"

/* With these many samples, a share of 10 % is known to about 1.2 points to each side. */
#define SAMPLES_WANTED 8000.0
/* A sample costs 33 ns, and more than these say little more. */
#define SAMPLES_OF_EXECUTION 30000.0
#define EXECUTIONS_MOST 5 /* with one period */
/* A flush is sampled, too, so a shorter period costs 2 ms an execution. */
#define PERIOD_LOG2 9
/* From one period to the next, of a case and of all: each that is used costs 60 ms. */
#define PERIOD_STEP_LOG2 2
/* How much longer than a timed execution a counted one takes at most: that of a matrix product in
 * which every access is counted (H200). */
#define COUNTED_PER_TIMED 400
#define COUNTING_PASS 2 /* after those of both halves */

/* What CUPTI said about one instruction. */
struct note {
	size_t function;
	uint64_t pc;
	const char *reason; /* of a sample, in the list of struct profiling; NULL: a count */
	size_t member;      /* of a count */
	int part;           /* half of the samples, by the period, or number of the count */
	bool not_issued;
	int64_t value;
};

struct profiled_case {
	const struct profile_item *item;
	int period_log2;       /* the shorter one */
	int64_t executions[2]; /* with each period */
	struct profile *profile;
	uint64_t *cubins; /* of each function of the profile */
	size_t cubin_capacity;
	uint64_t image_cubin; /* of the image of the case; 0: not known */
	struct note *notes;
	size_t note_count, note_capacity;
	int part;       /* of the notes that come now */
	int counted;    /* how often its instructions were counted */
	int64_t unseen; /* samples of code that CUPTI does not know */
};

/* The executions of a case with one of its periods. */
struct sampled_half {
	struct profiled_case *profiled;
	int part;
	int period_log2;
};

struct profiling {
	struct string_list reasons;  /* names of stalls */
	struct profiled_case *noted; /* whose notes come now */
	int64_t spent_ns;            /* for counting */
	struct cuda_resources *resources;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	struct worker_reply *reply;
	struct cupti_sampler *sampler;
	struct cupti_instruction_counts *counts;
};

/* ---- notes ---- */

static size_t function_of(struct profiled_case *profiled, const struct cupti_instruction *at)
{
	struct profile *profile = profiled->profile;
	/* the counter of instructions gives the lower half of the number */
	const uint64_t cubin = (uint32_t)at->cubin;

	for (size_t i = 0; i < profile->function_count; i++)
		if (profiled->cubins[i] == cubin &&
		    strcmp(profile->functions[i].name, at->function) == 0)
			return i;
	profiled->cubins = xgrow(profiled->cubins, &profiled->cubin_capacity,
				 profile->function_count + 1, sizeof(*profiled->cubins));
	profiled->cubins[profile->function_count] = cubin;
	profile->functions = xgrow(profile->functions, &profile->function_capacity,
				   profile->function_count + 1, sizeof(*profile->functions));
	profile->functions[profile->function_count] =
		(struct profile_function){.name = xstrdup(at->function)};
	return profile->function_count++;
}

static struct note *note_add(struct profiled_case *profiled, const struct cupti_instruction *at)
{
	const size_t function = function_of(profiled, at);
	struct note *note;

	profiled->notes = xgrow(profiled->notes, &profiled->note_capacity, profiled->note_count + 1,
				sizeof(*profiled->notes));
	note = &profiled->notes[profiled->note_count++];
	*note = (struct note){.function = function, .pc = at->pc, .part = profiled->part};
	return note;
}

/* The name in the list, which keeps its place. */
static const char *reason_kept(struct profiling *profiling, const char *reason)
{
	for (size_t i = 0; i < profiling->reasons.count; i++)
		if (strcmp(profiling->reasons.items[i], reason) == 0)
			return profiling->reasons.items[i];
	string_list_add(&profiling->reasons, reason);
	return profiling->reasons.items[profiling->reasons.count - 1];
}

static void note_samples(void *context, const struct cupti_instruction *at, const char *reason,
			 bool not_issued, int64_t samples)
{
	struct profiling *profiling = context;
	struct note *note = note_add(profiling->noted, at);

	note->reason = reason_kept(profiling, reason);
	note->not_issued = not_issued;
	note->value = samples;
}

static void note_count(void *context, const struct cupti_instruction *at, size_t member,
		       int64_t value)
{
	struct note *note = note_add(context, at);

	note->member = member;
	note->value = value;
}

static int note_compare(const void *a, const void *b)
{
	const struct note *left = a, *right = b;

	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	if (left->pc != right->pc)
		return left->pc < right->pc ? -1 : 1;
	if (!left->reason || !right->reason)
		return (left->reason != NULL) - (right->reason != NULL);
	return strcmp(left->reason, right->reason);
}

static void add_to(struct profile_instruction *instruction, size_t member, int64_t value)
{
	int64_t *sum = (int64_t *)(void *)((char *)instruction + member);

	*sum = (*sum < 0 ? 0 : *sum) + value;
}

/* Whether there is anything to say about it. */
static bool is_empty(const struct note *notes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (notes[i].value)
			return false;
	return true;
}

/* Adds the instruction that these notes are about. */
static void profile_add_notes(struct profile *profile, const struct note *notes, size_t count,
			      bool twice)
{
	const int64_t number = (int64_t)profile->instruction_count;
	struct profile_instruction *instruction =
		profile_instruction_add(profile, (int64_t)notes->function, (int64_t)notes->pc);
	struct profile_instruction again = *instruction;
	struct profile_stall *stall = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct note *note = &notes[i];

		if (!note->reason) {
			add_to(note->part ? &again : instruction, note->member, note->value);
			continue;
		}
		if (!stall || strcmp(stall->reason, note->reason) != 0)
			stall = profile_stall_add(profile, number, note->reason);
		if (note->not_issued) {
			stall->not_issued += note->value;
			continue;
		}
		stall->samples += note->value;
		add_to(instruction, offsetof(struct profile_instruction, samples), note->value);
		add_to(instruction, offsetof(struct profile_instruction, first_samples),
		       note->part ? 0 : note->value);
	}
	again.samples = instruction->samples;
	again.first_samples = instruction->first_samples;
	if (twice)
		instruction->varies = memcmp(&again, instruction, sizeof(again)) != 0;
}

/* Turns the notes into instructions and stalls. */
static void profile_build(struct profiled_case *profiled)
{
	struct note *notes = profiled->notes;

	if (profiled->note_count)
		qsort(notes, profiled->note_count, sizeof(*notes), note_compare);
	for (size_t first = 0, end; first < profiled->note_count; first = end) {
		for (end = first;
		     end < profiled->note_count && notes[end].function == notes[first].function &&
		     notes[end].pc == notes[first].pc;
		     end++)
			;
		if (!is_empty(notes + first, end - first))
			profile_add_notes(profiled->profile, notes + first, end - first,
					  profiled->counted == 2);
	}
}

/* ---- one execution ---- */

static int prepare_profiled(struct profiling *profiling, struct profiled_case *profiled,
			    struct operation *operation, int64_t pass, struct error *err)
{
	const struct profile_item *item = profiled->item;
	struct text skip = TEXT_INIT;
	int rc = worker_reply_phase(profiling->reply, item->id, WORKER_PHASE_PROFILE, pass);

	profiling->resources->check_end_ns = case_check_end_ns(profiling->settings->timeout_ns);
	if (rc == 0)
		rc = operation_load(operation, profiling->resources, item->work, &skip, err);
	if (rc == 0 && skip.length)
		rc = error_set(err, PL_EPROTOCOL,
			       "perflab requested a profile of a case that cannot run: %s",
			       skip.data);
	if (rc == 0)
		rc = operation_prepare(operation, false, err);
	text_release(&skip);
	return rc;
}

/* Executes the operation as it is timed, and keeps its samples alone. */
static int sample_once(struct profiling *profiling, struct profiled_case *profiled,
		       struct operation *operation, struct error *err)
{
	const struct device *device = profiling->resources->device;
	struct profile *profile = profiled->profile;
	const size_t before = profiled->note_count;
	struct cupti_samples samples;
	int rc = operation_make_ready(operation, profiling->settings->cache, FLUSH_TO_TIME, err);

	if (rc == 0)
		rc = cupti_sampler_read(profiling->sampler, NULL, NULL, &samples, err);
	if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(device, err, "executing the kernel while it is sampled");
	if (rc == 0)
		rc = cupti_sampler_read(profiling->sampler, note_samples, profiling, &samples, err);
	if (rc)
		return rc;
	/* what came before the buffer was found full is a part */
	if (samples.full)
		profiled->note_count = before;
	profile->launches++;
	profile->dropped += samples.dropped;
	profiled->unseen += samples.unseen;
	profile->buffer_full |= samples.full;
	return 0;
}

static int sample_half(struct profiling *profiling, const struct sampled_half *half,
		       struct error *err)
{
	struct profiled_case *profiled = half->profiled;
	struct operation operation = {0};
	int rc = cupti_sampler_set_period(profiling->sampler, half->period_log2, err);

	profiling->noted = profiled;
	profiled->part = half->part;
	if (rc == 0)
		rc = prepare_profiled(profiling, profiled, &operation, half->part, err);
	nvtx_enter_case(profiling->ranges, profiled->item->work, profiled->item->id);
	nvtx_enter_phase(profiling->ranges, "sample");
	for (int64_t i = 0; i < profiled->executions[half->part] && rc == 0; i++)
		rc = sample_once(profiling, profiled, &operation, err);
	nvtx_leave_phase(profiling->ranges);
	nvtx_leave_case(profiling->ranges, profiled->item->work);
	operation_release(&operation);
	return rc;
}

static int count_once(struct profiling *profiling, struct profiled_case *profiled,
		      struct operation *operation, struct error *err)
{
	const struct device *device = profiling->resources->device;
	struct error own = {0};
	int ended, rc = operation_restore(operation, err);

	if (rc == 0)
		rc = device_synchronise(device, err, "preparing a counted execution");
	if (rc == 0)
		rc = cupti_counts_begin(profiling->counts, err);
	if (rc)
		return rc;
	rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(device, err,
					"executing the kernel while its instructions are counted");
	ended = cupti_counts_end(profiling->counts, note_count, profiled, &own);
	return rc || !ended ? rc : error_set(err, ended, "%s", own.text);
}

/* Counts once, and again if there is time left. */
static int count_instructions(struct profiling *profiling, struct profiled_case *profiled,
			      int64_t budget_ns, struct error *err)
{
	const size_t before = profiled->note_count;
	struct operation operation = {0};
	int rc = prepare_profiled(profiling, profiled, &operation, COUNTING_PASS, err);

	nvtx_enter_case(profiling->ranges, profiled->item->work, profiled->item->id);
	nvtx_enter_phase(profiling->ranges, "count instructions");
	profiled->counted = 0;
	for (int64_t took_ns = 0; profiled->counted < 2 && rc == 0; profiled->counted++) {
		const int64_t begun_ns = monotonic_ns();

		if (budget_ns && profiled->counted && profiling->spent_ns + took_ns > budget_ns)
			break;
		profiled->part = profiled->counted;
		rc = count_once(profiling, profiled, &operation, err);
		took_ns = monotonic_ns() - begun_ns;
		profiling->spent_ns += took_ns;
	}
	nvtx_leave_phase(profiling->ranges);
	nvtx_leave_case(profiling->ranges, profiled->item->work);
	operation_release(&operation);
	/* half of the counts are none */
	if (rc) {
		profiled->note_count = before;
		profiled->counted = 0;
	}
	return rc;
}

/* ---- all cases ---- */

/* Chooses periods and executions by the samples that one execution will have: an SM takes one in
 * each period. */
static void plan_sampling(struct profiled_case *profiled, const struct device_info *device)
{
	const double cycles = profiled->item->time_ns * 1e-9 * (double)device->sm_clock_max_hz *
			      (double)device->sm_count;
	int period_log2 = PERIOD_LOG2;

	while (period_log2 + 2 * PERIOD_STEP_LOG2 <= CUPTI_PERIOD_MOST_LOG2 &&
	       ldexp(cycles, -period_log2) > SAMPLES_OF_EXECUTION)
		period_log2 += PERIOD_STEP_LOG2;
	profiled->period_log2 = period_log2;
	for (int part = 0; part < 2; part++) {
		const double expected =
			fmax(ldexp(cycles, -(period_log2 + part * PERIOD_STEP_LOG2)), 1);

		profiled->executions[part] =
			(int64_t)fmin(ceil(SAMPLES_WANTED / 2 / expected), EXECUTIONS_MOST);
	}
}

static int period_compare(const void *a, const void *b)
{
	const struct sampled_half *left = a, *right = b;

	if (left->period_log2 != right->period_log2)
		return left->period_log2 - right->period_log2;
	return left->profiled < right->profiled ? -1 : left->profiled > right->profiled;
}

/* Whether the case, not the device or the socket, has a problem, which its profile then tells. */
static bool is_of_case(int rc)
{
	return rc && rc != PL_EDEVICE && rc != PL_EIO;
}

static void refuse(char **why, const struct error *err)
{
	free(*why);
	*why = xstrdup(err->text);
}

static void begin_samples(struct profiled_case *profiled)
{
	struct profile *profile = profiled->profile;

	profile->period_cycles = INT64_C(1) << profiled->period_log2;
	profile->launches = profile->samples = profile->dropped = profile->buffer_full = 0;
}

/* Half of the samples are none. */
static void refuse_samples(struct profiled_case *profiled, const struct error *err)
{
	struct profile *profile = profiled->profile;

	refuse(&profile->why_no_samples, err);
	profiled->note_count = 0;
	profile->launches = profile->dropped = profile->buffer_full = -1;
	profile->samples = profile->period_cycles = -1;
}

static void end_samples(struct profiled_case *profiled)
{
	struct profile *profile = profiled->profile;

	if (profile->why_no_samples)
		return;
	for (size_t i = 0; i < profiled->note_count; i++)
		profile->samples += profiled->notes[i].not_issued ? 0 : profiled->notes[i].value;
	if (profile->samples)
		return;
	if (profile->buffer_full)
		profile->why_no_samples = xstrdup("the buffer of the hardware was full each time");
	else if (profiled->unseen)
		profile->why_no_samples = xstrdup(
			"CUPTI tells no instructions of its kernels: a library loaded them");
	else
		profile->why_no_samples = xstrdup(
			"no warp was sampled: it launches no kernel, or only a very short one");
}

static int sample_halves(struct profiling *profiling, const struct sampled_half *halves,
			 size_t count, struct error *err)
{
	int rc;

	/* CUPTI tells the instructions of what is loaded from now on */
	cuda_image_cache_forget(&profiling->resources->images, CUDA_SUPPORT_IMAGE);
	/* the first sampled kernel of a process has too many samples */
	rc = cuda_queue_idle_kernels(profiling->resources, 1, err);
	if (rc == 0)
		rc = device_synchronise(profiling->resources->device, err, "beginning to sample");
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct error why = {0};

		if (halves[i].profiled->profile->why_no_samples)
			continue;
		rc = sample_half(profiling, &halves[i], &why);
		if (rc)
			refuse_samples(halves[i].profiled, &why);
		rc = is_of_case(rc) || !rc ? 0 : error_set(err, rc, "%s", why.text);
	}
	return rc;
}

static int sample_cases(struct profiling *profiling, struct profiled_case *cases, size_t count,
			struct error *err)
{
	struct sampled_half *halves = xcalloc(2 * count, sizeof(*halves));
	struct error why = {0};
	int rc = 0;

	for (size_t i = 0; i < 2 * count; i++) {
		const int part = (int)(i % 2);

		halves[i] = (struct sampled_half){
			&cases[i / 2], part, cases[i / 2].period_log2 + part * PERIOD_STEP_LOG2};
	}
	qsort(halves, 2 * count, sizeof(*halves), period_compare);
	if (cupti_sampler_open(&profiling->sampler, profiling->resources->device->context,
			       halves[0].period_log2, &why)) {
		for (size_t i = 0; i < count; i++)
			refuse(&cases[i].profile->why_no_samples, &why);
	} else {
		for (size_t i = 0; i < count; i++)
			begin_samples(&cases[i]);
		rc = sample_halves(profiling, halves, 2 * count, err);
		for (size_t i = 0; i < count; i++)
			end_samples(&cases[i]);
		cupti_sampler_close(profiling->sampler);
	}
	free(halves);
	return rc;
}

/* Which functions are in the image of the case; without its file, none. */
static void find_image(struct profiled_case *profiled)
{
	const struct launch_case *work = profiled->item->work;
	const char *path = work->code ? work->code : work->image;
	struct error ignored = {0};
	char *bytes = NULL;
	size_t length = 0;
	uint64_t id = 0;

	if (!path || !has_suffix(path, ".cubin") ||
	    read_file(&bytes, &length, path, CUDA_IMAGE_LIMIT_BYTES, &ignored))
		return;
	if (!cupti_cubin_id(&id, bytes, length, &ignored))
		profiled->image_cubin = (uint32_t)id;
	free(bytes);
}

/* The machine code has more instructions than a profile can hold. */
static void refuse_large(struct profiled_case *profiled)
{
	struct profile *profile = profile_new();

	profile->why_no_samples =
		xasprintf("it has %zu instructions and %zu stalls, more than a "
			  "profile holds",
			  profiled->profile->instruction_count, profiled->profile->stall_count);
	profile->why_no_counts = xstrdup(profile->why_no_samples);
	profile_free(profiled->profile);
	profiled->profile = profile;
}

static int reply_profile(struct profiling *profiling, struct profiled_case *profiled)
{
	struct profile *profile = profiled->profile;
	bool *own;
	int rc;

	profile_build(profiled);
	if (profile->instruction_count > PROTOCOL_MAX_INSTRUCTIONS ||
	    profile->stall_count > PROTOCOL_MAX_STALLS)
		refuse_large(profiled);
	profile = profiled->profile;
	find_image(profiled);
	own = xcalloc(profile->function_count + 1, sizeof(*own));
	for (size_t i = 0; i < profile->function_count; i++)
		own[i] = profiled->image_cubin && profiled->cubins[i] == profiled->image_cubin;
	rc = worker_reply_profile(profiling->reply, profiled->item->id, profile, own);
	free(own);
	return rc;
}

static int time_compare(const void *a, const void *b)
{
	const struct profiled_case *const *left = a, *const *right = b;
	const double difference = (*left)->item->time_ns - (*right)->item->time_ns;

	return difference < 0 ? -1 : difference > 0;
}

/* Whether counting a case goes beyond the budget; its profile says so then. */
static bool goes_beyond_budget(const struct profiling *profiling, struct profiled_case *profiled,
			       int64_t budget_ns)
{
	const double most_ns = profiled->item->time_ns * COUNTED_PER_TIMED;

	if (!budget_ns || (double)profiling->spent_ns + most_ns <= (double)budget_ns)
		return false;
	profiled->profile->why_no_counts =
		xasprintf("left out to keep the sweep short: counting its instructions takes up to "
			  "%.0f ms; --lines all counts them",
			  ceil(most_ns / 1e6));
	return true;
}

/* Counts every case, the short ones first, and replies its profile. */
static int count_and_reply(struct profiling *profiling, struct profiled_case **order, size_t count,
			   int64_t budget_ns, const struct error *why_none, struct error *err)
{
	int rc = 0;

	qsort(order, count, sizeof(struct profiled_case *), time_compare);
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct error why = {0};

		if (!order[i]->profile->samples && order[i]->unseen)
			/* CUPTI adds no code to what it has not seen */
			order[i]->profile->why_no_counts =
				xstrdup(order[i]->profile->why_no_samples);
		else if (!profiling->counts)
			refuse(&order[i]->profile->why_no_counts, why_none);
		else if (!goes_beyond_budget(profiling, order[i], budget_ns))
			rc = count_instructions(profiling, order[i], budget_ns, &why);
		if (rc)
			refuse(&order[i]->profile->why_no_counts, &why);
		if (rc && !is_of_case(rc))
			error_set(err, rc, "%s", why.text);
		else
			rc = reply_profile(profiling, order[i]);
	}
	return rc;
}

static void profiled_case_release(struct profiled_case *profiled)
{
	profile_free(profiled->profile);
	free(profiled->cubins);
	free(profiled->notes);
}

int profile_cases(struct cuda_resources *resources, struct nvtx_ranges *ranges, const char *chip,
		  const struct measure_settings *settings, const struct profile_items *items,
		  struct worker_reply *reply, struct error *err)
{
	const size_t count = items->count;
	struct profiling profiling = {
		.resources = resources, .ranges = ranges, .settings = settings, .reply = reply};
	struct profiled_case *cases = xcalloc(count + 1, sizeof(*cases));
	struct profiled_case **order = xcalloc(count + 1, sizeof(*order));
	const struct device *device = resources->device;
	struct error why_none = {0};
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		cases[i].item = &items->items[i];
		cases[i].profile = profile_new();
		plan_sampling(&cases[i], &device->info);
		order[i] = &cases[i];
	}
	if (count)
		rc = sample_cases(&profiling, cases, count, err);
	/* without it, every profile says why */
	if (rc == 0)
		cupti_counts_open(&profiling.counts, device->context, device->handle, chip,
				  &why_none);
	if (rc == 0)
		rc = count_and_reply(&profiling, order, count, items->budget_ns, &why_none, err);
	cupti_counts_close(profiling.counts);
	for (size_t i = 0; i < count; i++)
		profiled_case_release(&cases[i]);
	string_list_release(&profiling.reasons);
	free(order);
	free(cases);
	return rc;
}
