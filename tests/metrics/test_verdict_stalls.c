/* Limiters that follow from stalls, pipes and the shape of the grid, and what an advice can win. */
#include "tests/metrics/verdict_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#define MOST_NUMBERS 6

/* 100 multiprocessors of 2,048 threads, so a wave has 800 blocks of 256. The trials take 100 us. */
static const struct device_info wide_device = {
	.name = "round", .cc_major = 9, .sm_count = 100, .max_threads_per_sm = 2048};

/* A clock of 1 GHz, and multiprocessors that are busy all the time. */
static void clock_trial(struct trial *out)
{
	waiting_trial(out);
	set_counter(out, "sm_cycles", 100e3);
	set_counter(out, "gpu_time_ns", 100e3);
	set_counter(out, "sm_active_cycles_mean", 100e3);
	set_counter(out, "sm_active_cycles_most", 100e3);
	set_counter(out, "threads_per_block", 256);
	set_counter(out, "blocks", 8000);
}

/* A part of 1,000 sampled warps. Those that are in no row are ready. */
struct sampled {
	enum stall stall;
	int64_t samples;
};

static void sample(struct trial *trial, const struct sampled sampled[2])
{
	memset(trial->stall_samples, 0, sizeof(trial->stall_samples));
	trial->stall_samples[STALL_READY] = 1000 - sampled[0].samples - sampled[1].samples;
	for (int i = 0; i < 2; i++)
		trial->stall_samples[sampled[i].stall] += sampled[i].samples;
}

static void limiters(void **state)
{
	static const struct {
		struct sampled stalls[2];
		struct number numbers[MOST_NUMBERS];
		enum bound bound;
		const char *summary, *rule;
	} rows[] = {
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{0}},
		 BOUND_LATENCY,
		 "latency-bound: 100 % of the stalled warps wait for global or local memory; no "
		 "roof "
		 "is near, the nearest roof (DRAM) at 10 %",
		 "latency"},
		/* few wait for memory, although no warp is ready in most cycles */
		{{{STALL_OTHER, 700}, {STALL_MEMORY, 200}},
		 {{"eligible_warps_per_cycle", 0.5}},
		 BOUND_LATENCY,
		 "latency-bound: 78 % of the stalled warps wait for the latency of an instruction, "
		 "a "
		 "branch or the dispatcher; no roof is near, the nearest roof (DRAM) at 10 %",
		 "dependency"},
		{{{STALL_OTHER, 250}, {STALL_MEMORY, 200}},
		 {{0}},
		 BOUND_UNKNOWN,
		 "no single limiter: 56 % of the stalled warps wait for the latency of an "
		 "instruction, "
		 "a branch or the dispatcher, 44 % for global or local memory, and 55 % of all "
		 "warps "
		 "are ready; the nearest roof (DRAM) is at 10 %",
		 "unknown"},
		/* with less than a wave, the warps are missing from the beginning */
		{{{STALL_OTHER, 250}, {STALL_MEMORY, 200}},
		 {{"blocks", 200}, {"achieved_occupancy_pct", 24}},
		 BOUND_GRID,
		 "bound by its grid: 200 blocks are 0.25 of a wave, so 24 % of the warps that fit "
		 "are "
		 "there",
		 "small_grid"},
		{{{STALL_STORES, 700}, {STALL_OTHER, 100}},
		 {{"blocks", 7e4}, {"achieved_occupancy_pct", 40}},
		 BOUND_LAUNCH,
		 "launch-bound: 70000 blocks end as fast as they start, 0.70 per cycle, so the "
		 "achieved "
		 "occupancy is 40 %",
		 "starts"},
		{{{STALL_STORES, 700}, {STALL_OTHER, 100}},
		 {{"blocks", 49e3}, {"achieved_occupancy_pct", 40}},
		 BOUND_LATENCY,
		 NULL,
		 "occupancy_lost"},
		/* a full queue: requests are the limiter before bytes, 360 of 800 MB */
		{{{STALL_QUEUE, 350}, {STALL_MEMORY, 500}},
		 {{"l2_from_l1_bytes", 360e6}},
		 BOUND_L2,
		 "L2-bound: 45 % of the measured 8.00 TB/s (l2_read), and 35 % of the warps wait "
		 "for "
		 "room in the queue of memory instructions",
		 "l2"},
		{{{STALL_QUEUE, 250}, {STALL_MEMORY, 600}},
		 {{"l2_from_l1_bytes", 360e6}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
		/* nearly as near as the instructions: no queue is full */
		{{{STALL_MEMORY, 100}, {STALL_OTHER, 300}},
		 {{"l2_from_l1_bytes", 464e6}, {"instructions", 24.4e6}},
		 BOUND_L2,
		 "L2-bound: 58 % of the measured 8.00 TB/s (l2_read), or 60 % without the time of "
		 "launching, close to the limit of 60 %; instructions at 61 %, too",
		 "l2"},
		{{{STALL_QUEUE, 600}, {STALL_MEMORY, 200}}, {{0}}, BOUND_L1, NULL, "l1"},
		{{{STALL_SHARED, 400}, {STALL_OTHER, 300}},
		 {{"shared_bytes", 1440e6}},
		 BOUND_SHARED,
		 "bound by shared memory: 45 % of the measured 32.0 TB/s (shared_read), and 57 % "
		 "of the "
		 "stalled warps wait for shared memory or a special unit",
		 "shared"},
		{{{STALL_BARRIER, 600}, {STALL_MEMORY, 300}},
		 {{0}},
		 BOUND_BARRIER,
		 "bound by barriers: 67 % of the stalled warps wait at a barrier; "
		 "the "
		 "nearest roof (DRAM) is at 10 %",
		 "barrier"},
		{{{STALL_BARRIER, 310}, {STALL_MEMORY, 400}},
		 {{0}},
		 BOUND_BARRIER,
		 NULL,
		 "barrier"},
		{{{STALL_BARRIER, 290}, {STALL_MEMORY, 380}},
		 {{0}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
		{{{STALL_BARRIER, 310}, {STALL_MEMORY, 420}},
		 {{0}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
		{{{STALL_FETCH, 700}, {STALL_OTHER, 100}},
		 {{0}},
		 BOUND_FETCH,
		 "bound by instruction fetch: 88 % of the stalled warps wait for instructions; "
		 "the nearest roof (DRAM) is at 10 %",
		 "fetch"},
		/* before a roof that is near, not before one that is reached: 28e6 and 37e6 of 40e6
		 */
		{{{STALL_BARRIER, 410}, {STALL_OTHER, 100}},
		 {{"instructions", 28e6}},
		 BOUND_BARRIER,
		 "bound by barriers: 80 % of the stalled warps wait at a barrier; "
		 "the "
		 "nearest roof (instructions) is at 70 %",
		 "barrier"},
		/* stages of a pipeline that is nearly full */
		{{{STALL_BARRIER, 600}, {STALL_OTHER, 100}},
		 {{"tensor_pipe_pct", 82}},
		 BOUND_TENSOR,
		 NULL,
		 "tensor"},
		{{{STALL_BARRIER, 390}, {STALL_OTHER, 100}},
		 {{"instructions", 28e6}},
		 BOUND_ISSUE,
		 NULL,
		 "issue"},
		{{{STALL_BARRIER, 410}, {STALL_OTHER, 100}},
		 {{"instructions", 37e6}},
		 BOUND_ISSUE,
		 NULL,
		 "issue"},
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"l2_from_l1_sectors", 4e6},
		  {"l2_atomic_sectors", 1e6},
		  {"l2_reduction_sectors", 0},
		  {"instructions", 3e6}},
		 BOUND_ATOMICS,
		 "bound by atomics: 0.25 sectors of atomics for each one between L1 and L2; "
		 "the nearest roof (DRAM) is at 10 %",
		 "atomics"},
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"l2_from_l1_sectors", 4e6},
		  {"l2_atomic_sectors", 9e5},
		  {"l2_reduction_sectors", 0},
		  {"instructions", 3e6}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
		{{{STALL_SHARED, 500}, {STALL_OTHER, 100}},
		 {{"shared_load_wavefronts", 5e5},
		  {"shared_store_wavefronts", 5e5},
		  {"shared_atomic_wavefronts", 1e6}},
		 BOUND_ATOMICS,
		 "bound by atomics: 50 % of the wavefronts of shared memory are atomics; "
		 ""
		 "the nearest roof (DRAM) is at 10 %",
		 "atomics"},
		{{{STALL_PIPE, 500}, {STALL_OTHER, 100}},
		 {{"tensor_pipe_pct", 80}},
		 BOUND_TENSOR,
		 "bound by tensor cores: their pipe is active for 80 % of the time",
		 "tensor"},
		{{{STALL_SHARED, 700}, {STALL_OTHER, 100}},
		 {{"special_pipe_pct", 94}},
		 BOUND_SPECIAL,
		 "bound by special functions and conversions: their pipe is 94 % full",
		 "special"},
		/* neither shared memory nor special functions explain the queue */
		{{{STALL_SHARED, 900}, {STALL_OTHER, 50}},
		 {{"special_pipe_pct", 2}},
		 BOUND_LATENCY,
		 NULL,
		 "constant"},
		/* two waves of which the second has next to nothing: 801 blocks, 800 fit */
		{{{STALL_OTHER, 100}, {STALL_MEMORY, 100}},
		 {{"blocks", 801}, {"sm_active_cycles_mean", 51e3}},
		 BOUND_TAIL,
		 "bound by its last wave: 801 blocks are 1.00 waves, so multiprocessors have work "
		 "for "
		 "51 % of the time",
		 "tail"},
		/* whole waves, so the blocks are not alike */
		{{{STALL_OTHER, 100}, {STALL_MEMORY, 100}},
		 {{"blocks", 1600}, {"sm_active_cycles_mean", 51e3}},
		 BOUND_IMBALANCE,
		 "bound by its longest blocks: on average, multiprocessors are busy for 51 % of "
		 "the "
		 "time of the busiest one",
		 "imbalance"},
		/* atomics, for which warps wait longer than multiprocessors are idle */
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"blocks", 1600},
		  {"sm_active_cycles_mean", 70e3},
		  {"l2_from_l1_sectors", 4e6},
		  {"l2_atomic_sectors", 0},
		  {"l2_reduction_sectors", 4e6},
		  {"instructions", 3e6}},
		 BOUND_ATOMICS,
		 NULL,
		 "atomics"},
		/* one and a half waves: the half leaves no multiprocessor without a block */
		{{{STALL_OTHER, 100}, {STALL_MEMORY, 100}},
		 {{"blocks", 1200}, {"sm_active_cycles_mean", 70e3}},
		 BOUND_IMBALANCE,
		 NULL,
		 "imbalance"},
		/* which of two launches leaves them idle is not known */
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"launches", 2}, {"blocks", 1600}, {"sm_active_cycles_mean", 51e3}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
		/* idle multiprocessors are no limiter of a roof that is reached: 368 of 400 MB */
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"blocks", 75}, {"sm_active_cycles_mean", 75e3}, {"dram_bytes", 368e6}},
		 BOUND_DRAM,
		 NULL,
		 "dram_waste"},
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"blocks", 75}, {"sm_active_cycles_mean", 75e3}, {"dram_bytes", 280e6}},
		 BOUND_GRID,
		 NULL,
		 "dram_waste"},
		/* an atomic a block beside no loads */
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"l2_from_l1_sectors", 1e4},
		  {"l2_atomic_sectors", 1e4},
		  {"l2_reduction_sectors", 0},
		  {"instructions", 3e6}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
		{{{STALL_MEMORY, 900}, {STALL_OTHER, 0}},
		 {{"blocks", 1600}, {"sm_active_cycles_mean", 80e3}},
		 BOUND_LATENCY,
		 NULL,
		 "latency"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ceiling_list roofs;
		struct verdict verdict;
		struct trial trial;

		round_roofs(&roofs);
		clock_trial(&trial);
		sample(&trial, rows[i].stalls);
		for (int k = 0; k < MOST_NUMBERS && rows[i].numbers[k].metric; k++)
			set_counter(&trial, rows[i].numbers[k].metric, rows[i].numbers[k].value);
		judge(&verdict, &trial, &roofs, &wide_device);
		if (verdict.bound != rows[i].bound)
			fail_msg("row %zu: %s", i, verdict.summary);
		if (rows[i].summary)
			assert_string_equal(verdict.summary, rows[i].summary);
		if (verdict.advice_count == 0 || strcmp(verdict.advice[0].rule, rows[i].rule) != 0)
			fail_msg("row %zu advises %s", i,
				 verdict.advice_count ? verdict.advice[0].rule : "nothing");
		verdict_release(&verdict);
		trial_release(&trial);
		ceiling_list_release(&roofs);
	}
}

/* A roof that is not known may be near. */
static void without_roofs_no_stall_is_the_limiter(void **state)
{
	static const enum stall stalls[] = {STALL_BARRIER, STALL_FETCH, STALL_MEMORY, STALL_OTHER};
	struct verdict verdict;
	struct trial trial;

	(void)state;
	clock_trial(&trial);
	set_counter(&trial, "l2_from_l1_sectors", 4e6);
	set_counter(&trial, "l2_atomic_sectors", 4e6);
	set_counter(&trial, "l2_reduction_sectors", 0);
	for (size_t i = 0; i < sizeof(stalls) / sizeof(stalls[0]); i++) {
		const struct sampled sampled[2] = {{stalls[i], 900}, {STALL_OTHER, 0}};

		sample(&trial, sampled);
		judge(&verdict, &trial, NULL, &wide_device);
		assert_int_equal(verdict.bound, BOUND_UNKNOWN);
		assert_string_equal(verdict.summary,
				    "not judged: no ceilings are stored for this device");
		assert_string_equal(verdict.advice[0].text, "measure the roofs: perflab ceilings");
		verdict_release(&verdict);
	}
	trial_release(&trial);
}

/* A kernel that did nothing has no nearest roof. */
static void no_roof_is_near_to_nothing(void **state)
{
	static const char *const amounts[] = {"dram_bytes", "l2_from_l1_bytes", "l1_bytes",
					      "flop_f32",   "flop_f64",         "instructions"};
	const struct sampled other[2] = {{STALL_OTHER, 600}, {STALL_MEMORY, 0}};
	struct verdict verdict;
	struct trial trial;

	(void)state;
	clock_trial(&trial);
	trial.has_work = false;
	sample(&trial, other);
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		set_counter(&trial, amounts[i], 0);
	judge(&verdict, &trial, NULL, NULL);
	assert_null(strstr(verdict.summary, "null"));
	assert_null(strstr(verdict.summary, "59 %"));
	verdict_release(&verdict);
	trial_release(&trial);
}

/* Too few samples say nothing. */
static void few_samples_are_none(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	trial.stall_samples[STALL_BARRIER] = 499;
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	assert_string_equal(verdict.summary,
			    "latency-bound: no roof is near, the nearest roof (DRAM) at 10 %");
	verdict_release(&verdict);
	trial.stall_samples[STALL_BARRIER] = 500;
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_BARRIER);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* The trial takes 100 us, of which 3.5 are the launch. Its nearest roof is at 10 %. */
static void an_advice_says_what_it_can_win(void **state)
{
	static const struct {
		struct sampled stalls[2];
		struct number numbers[MOST_NUMBERS];
		const char *rule;
		double at_most;
	} rows[] = {
		/* 100 - 0.6 * 96.5 */
		{{{STALL_BARRIER, 600}, {STALL_MEMORY, 300}}, {{0}}, "barrier", 100 / 42.1},
		/* all waits would leave 3.5 us, but the nearest roof needs 10 */
		{{{STALL_MEMORY, 1000}, {STALL_OTHER, 0}}, {{0}}, "latency", 10},
		/* 100 - 0.49 * 96.5 */
		{{{STALL_OTHER, 100}, {STALL_MEMORY, 100}},
		 {{"blocks", 1600}, {"sm_active_cycles_mean", 51e3}},
		 "imbalance",
		 100 / 52.715},
		/* 100 - 0.5 * 96.5 */
		{{{STALL_OTHER, 100}, {STALL_MEMORY, 100}},
		 {{"instructions", 37e6}},
		 "issue",
		 100 / 51.75},
		/* 28 of 32 sectors are not needed, and 80 % of the warps wait for them:
		 * 100 - 0.8 * 28 / 32 * 96.5 */
		{{{STALL_MEMORY, 800}, {STALL_OTHER, 0}},
		 {{"global_load_sectors_per_request", 32},
		  {"global_load_sectors", 3.2e6},
		  {"global_store_sectors", 0}},
		 "sectors",
		 100 / 32.45},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ceiling_list roofs;
		struct verdict verdict;
		struct trial trial;
		char said[64];

		round_roofs(&roofs);
		clock_trial(&trial);
		trial.has_work = false;
		sample(&trial, rows[i].stalls);
		for (int k = 0; k < MOST_NUMBERS && rows[i].numbers[k].metric; k++)
			set_counter(&trial, rows[i].numbers[k].metric, rows[i].numbers[k].value);
		judge(&verdict, &trial, &roofs, &wide_device);
		assert_true(verdict.advice_count > 0);
		assert_string_equal(verdict.advice[0].rule, rows[i].rule);
		if (!(fabs(verdict.advice[0].at_most / rows[i].at_most - 1) < 1e-6))
			fail_msg("row %zu: %.9g", i, verdict.advice[0].at_most);
		snprintf(said, sizeof(said), ": at most %.1f times as fast (", rows[i].at_most);
		assert_non_null(strstr(verdict.advice[0].text, said));
		verdict_release(&verdict);
		trial_release(&trial);
		ceiling_list_release(&roofs);
	}
}

/* Fewer registers make room for blocks only if some wait for it. */
static void few_warps(void **state)
{
	const struct sampled memory[2] = {{STALL_MEMORY, 900}, {STALL_OTHER, 0}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, memory);
	trial.facts.theoretical_occupancy_pct = 25; /* 200 blocks fit */
	snprintf(trial.facts.occupancy_limiter, sizeof(trial.facts.occupancy_limiter), "registers");
	set_counter(&trial, "blocks", 200);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_string_equal(
		verdict.summary,
		"bound by occupancy: the launch allows 25 % of the warps, limited by "
		"registers; 100 % of the stalled warps wait for global or local memory; "
		"the nearest roof (DRAM) is at 10 %");
	assert_string_equal(verdict.advice[0].rule, "occupancy_limit");
	verdict_release(&verdict);
	set_counter(&trial, "blocks", 199);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	assert_null(advice_of(&verdict, "occupancy_limit"));
	verdict_release(&verdict);
	/* blocks of 8 warps, of which the last has one thread */
	set_counter(&trial, "threads_per_block", 225);
	set_counter(&trial, "blocks", 200);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_OCCUPANCY);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Half of the lanes are idle, but instructions take little of the time. */
static void an_advice_that_wins_nothing_is_left_out(void **state)
{
	const struct sampled memory[2] = {{STALL_MEMORY, 900}, {STALL_OTHER, 0}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, memory);
	set_counter(&trial, "threads_per_instruction", 16);
	set_counter(&trial, "instructions", 3e6); /* 7.5 % of the slots */
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_non_null(note_of(&verdict, "divergence"));
	assert_null(advice_of(&verdict, "divergence"));
	verdict_release(&verdict);
	set_counter(&trial, "instructions", 12e6); /* 30 % */
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_non_null(advice_of(&verdict, "divergence"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* The clock of the counted execution may be another one: no share is above 100 %. */
static void a_wrong_clock_makes_no_share_above_all(void **state)
{
	const struct sampled ready[2] = {{STALL_OTHER, 100}, {STALL_MEMORY, 100}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, ready);
	set_counter(&trial, "instructions", 38e6);
	set_counter(&trial, "sm_cycles", 70e3);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_string_equal(verdict.summary,
			    "bound by instructions: 95 % of what 100 multiprocessors can issue");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Roofs that are nearly as near are named, and the first of the table decides. */
static void two_near_roofs(void **state)
{
	const struct sampled ready[2] = {{STALL_OTHER, 100}, {STALL_MEMORY, 100}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, ready);
	set_counter(&trial, "dram_bytes", 340e6);  /* 85 % */
	set_counter(&trial, "instructions", 36e6); /* 90 % */
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_DRAM);
	assert_non_null(strstr(verdict.summary, "; instructions at 90 %, too"));
	verdict_release(&verdict);
	set_counter(&trial, "instructions", 36.1e6);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_ISSUE);
	assert_non_null(strstr(verdict.summary, "; DRAM at 85 %, too"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Nobody changes the code of cuBLAS; a kernel beside it is somebody's own. */
static void code_of_a_library_gets_no_advice(void **state)
{
	const struct sampled memory[2] = {{STALL_MEMORY, 900}, {STALL_OTHER, 0}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, memory);
	trial.functions = trial.library_functions = 2;
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	assert_int_equal(verdict.advice_count, 0);
	verdict_release(&verdict);
	trial.library_functions = 1;
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_string_equal(verdict.advice[0].rule, "latency");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void functions_of_libraries(void **state)
{
	(void)state;
	assert_true(
		function_is_of_library("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi"));
	assert_true(function_is_of_library("nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT"));
	assert_true(function_is_of_library("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n"));
	assert_true(function_is_of_library("_ZN3cub17DeviceReduceKernelIiEEvT_"));
	assert_false(function_is_of_library("_Z6reducePKfPf"));
	assert_false(function_is_of_library("_ZN4atom6native6updateEPf"));
	assert_false(function_is_of_library(""));
}

/* The first advice says where to begin, if a line has at least a tenth of the samples. */
static void the_line_with_the_most_samples(void **state)
{
	static const char line[] = "; 41 % of the samples are at saxpy.cu:12";
	const struct sampled memory[2] = {{STALL_MEMORY, 900}, {STALL_OTHER, 0}};
	const double shares[] = {0.41, 0.41, 0.09};
	struct ceiling_list roofs;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, memory);
	trial.hot_file = xstrdup("/home/me/saxpy.cu");
	trial.hot_line = 12;
	trial.functions = 1;
	for (size_t i = 0; i < 3; i++) {
		struct verdict verdict;
		const char *text;

		trial.hot_share = shares[i];
		trial.library_functions = i == 1;
		judge(&verdict, &trial, &roofs, &wide_device);
		text = advice_of(&verdict, "latency");
		if (i == 1)
			assert_null(text);
		else if (i == 0)
			assert_string_equal(text + strlen(text) - strlen(line), line);
		else
			assert_null(strstr(text, "saxpy"));
		verdict_release(&verdict);
	}
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* One block for each of the multiprocessors, which are busy with arithmetic for 70 % of the time.
 */
static void one_wave_of_large_blocks(void **state)
{
	const struct sampled pipe[2] = {{STALL_PIPE, 600}, {STALL_OTHER, 100}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	clock_trial(&trial);
	sample(&trial, pipe);
	set_counter(&trial, "tensor_pipe_pct", 70);
	set_counter(&trial, "blocks", 100);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_int_equal(verdict.bound, BOUND_TENSOR);
	assert_string_equal(
		note_of(&verdict, "one_wave"),
		"all 100 blocks run at once, so nothing covers their beginning and end");
	assert_non_null(advice_of(&verdict, "one_wave"));
	verdict_release(&verdict);
	set_counter(&trial, "blocks", 300);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_null(note_of(&verdict, "one_wave"));
	verdict_release(&verdict);
	set_counter(&trial, "blocks", 100);
	set_counter(&trial, "tensor_pipe_pct", 92);
	judge(&verdict, &trial, &roofs, &wide_device);
	assert_null(note_of(&verdict, "one_wave"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* NVML: 4 is the power cap, 2 the clock that the user set. Of 40e6 instructions and 400e6 bytes. */
static void a_clock_that_power_lowers(void **state)
{
	static const char lowered[] =
		"power or heat lowered the clock in 2 of 2 rounds, to 75 % of the highest";
	static const struct {
		double mhz;
		int64_t reasons;
		double instructions, dram_bytes;
		enum bound bound;
		const char *summary, *note;
	} rows[] = {
		{1500, 4, 28e6, 40e6, BOUND_CLOCK,
		 "bound by its clock: 75 % of the highest, lowered by power or heat in 2 of 2 "
		 "rounds; the "
		 "nearest roof (instructions) is at 70 %",
		 NULL},
		{1900, 4, 28e6, 40e6, BOUND_ISSUE, NULL,
		 "power or heat lowered the clock in 2 of 2 rounds, to 95 % of the highest"},
		{1500, 2, 28e6, 40e6, BOUND_ISSUE, NULL, NULL},
		/* what waits for memory hardly needs the clock, and DRAM has its own */
		{1500, 4, 4e6, 40e6, BOUND_LATENCY, NULL, lowered},
		{1500, 4, 28e6, 300e6, BOUND_DRAM, NULL, lowered},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sampled memory[2] = {{STALL_MEMORY, 900}, {STALL_OTHER, 0}};
		struct device_info device = wide_device;
		struct ceiling_list roofs;
		struct verdict verdict;
		struct trial trial;

		round_roofs(&roofs);
		clock_trial(&trial);
		sample(&trial, memory);
		device.sm_clock_max_hz = 2000000000;
		set_counter(&trial, "instructions", rows[i].instructions);
		set_counter(&trial, "dram_bytes", rows[i].dram_bytes);
		trial.rounds = xcalloc(2, sizeof(*trial.rounds));
		trial.round_count = 2;
		for (int k = 0; k < 2; k++)
			trial.rounds[k].state =
				(struct device_state){.sm_clock_hz = rows[i].mhz * 1e6,
						      .throttle_reasons = rows[i].reasons};
		judge(&verdict, &trial, &roofs, &device);
		assert_int_equal(verdict.bound, rows[i].bound);
		if (rows[i].summary)
			assert_string_equal(verdict.summary, rows[i].summary);
		if (rows[i].note)
			assert_string_equal(note_of(&verdict, "clock"), rows[i].note);
		else
			assert_null(note_of(&verdict, "clock"));
		verdict_release(&verdict);
		trial_release(&trial);
		ceiling_list_release(&roofs);
	}
}

static void reasons_of_cupti(void **state)
{
	(void)state;
	assert_int_equal(stall_of_reason("lg_throttle"), STALL_QUEUE);
	assert_int_equal(stall_of_reason("long_scoreboard"), STALL_MEMORY);
	assert_int_equal(stall_of_reason("no_instructions"), STALL_FETCH);
	assert_int_equal(stall_of_reason("not_selected"), STALL_READY);
	assert_int_equal(stall_of_reason("of a later chip"), STALL_OTHER);
	assert_int_equal(stall_of_reason(""), STALL_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limiters),
		cmocka_unit_test(without_roofs_no_stall_is_the_limiter),
		cmocka_unit_test(no_roof_is_near_to_nothing),
		cmocka_unit_test(few_samples_are_none),
		cmocka_unit_test(an_advice_says_what_it_can_win),
		cmocka_unit_test(few_warps),
		cmocka_unit_test(an_advice_that_wins_nothing_is_left_out),
		cmocka_unit_test(a_wrong_clock_makes_no_share_above_all),
		cmocka_unit_test(two_near_roofs),
		cmocka_unit_test(code_of_a_library_gets_no_advice),
		cmocka_unit_test(functions_of_libraries),
		cmocka_unit_test(the_line_with_the_most_samples),
		cmocka_unit_test(one_wave_of_large_blocks),
		cmocka_unit_test(a_clock_that_power_lowers),
		cmocka_unit_test(reasons_of_cupti),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
