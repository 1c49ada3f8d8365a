/* What a case's end is on the emulator: faults, wrong results, facts, counters, strange images. */
#include "support_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/workers/ptx/ptx_image.h"

static struct case_runner runner;

static int set_up(void **context)
{
	(void)context;
	runner_open(&runner, NULL);
	return 0;
}

static int tear_down(void **context)
{
	(void)context;
	case_runner_release(&runner);
	return 0;
}

static struct launch_case *fault_case(const char *variant)
{
	const struct axis_setting axes[] = {{"block", 256}, {"n", 1000}, {0}};

	return built_in_case("fault", variant, axes);
}

static void assert_outcome(const char *variant, enum trial_status status, const char *const *words)
{
	struct launch_case *work = fault_case(variant);
	struct outcome outcome = outcome_of(&runner, work);

	if (outcome.status != status)
		fail_msg("%s: %s: %s", variant, trial_status_name(outcome.status),
			 outcome.reason.data);
	for (; *words; words++)
		if (!strstr(outcome.reason.data, *words))
			fail_msg("%s: no '%s' in '%s'", variant, *words, outcome.reason.data);
	outcome_release(&outcome);
	launch_case_free(work);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_faults_name_their_place(void **context)
{
	(void)context;
	assert_outcome("none", TRIAL_OK, WORDS(""));
	assert_outcome("illegal_address", TRIAL_FAULT,
		       WORDS("out of bounds", "fault_illegal_address", "block (0,0,0)",
			     "thread (0,0,0)", "illegal_address.cu:7"));
	assert_outcome("misaligned", TRIAL_FAULT,
		       WORDS("misaligned", "thread (0,0,0)", "misaligned.cu:7"));
	assert_outcome("out_of_bounds", TRIAL_FAULT,
		       WORDS("out of bounds", "'out'", "block (3,0,0)", "thread (231,0,0)",
			     "out_of_bounds.cu:9"));
	assert_outcome("trap", TRIAL_FAULT, WORDS("trap", "block (1,0,0)", "trap.cu:7"));
	assert_outcome("assertion", TRIAL_FAULT,
		       WORDS("assertion", "block (1,0,0)", "thread (244,0,0)", "assertion.cu:8",
			     "i != n / 2 is false"));
	/* The last warp opens the barrier, and goes on first, to what others write. */
	assert_outcome("race", TRIAL_FAULT,
		       WORDS("shared-memory race", "block (0,0,0)", "thread (0,0,0) writes word 0",
			     "thread (255,0,0) read", "race.cu:9", "race.cu:11"));
	assert_outcome("uninitialised", TRIAL_FAULT,
		       WORDS("uninitialised shared read", "block (0,0,0)", "thread (0,0,0)",
			     "uninitialised.cu:8", "before any thread has written it"));
}

static void test_wrong_results_are_mismatches(void **context)
{
	(void)context;
	assert_outcome("wrong_result", TRIAL_MISMATCH,
		       WORDS("1 of 1000 elements of 'out'", "[999], is 1, expected 0"));
	assert_outcome("not_a_number", TRIAL_MISMATCH, WORDS("1 of 1000", "[500]", "nan"));
	assert_outcome("unwritten", TRIAL_MISMATCH, WORDS("1 of 1000", "[500]"));
}

static void test_an_endless_kernel_ends(void **context)
{
	(void)context;
	runner.whole_most = 100000;
	assert_outcome("endless_loop", TRIAL_FAULT,
		       WORDS("endless", "fault_endless_loop", "endless_loop.cu", "--blocks all"));
}

/* The kernel is right, and its reference executes more than the emulator may: nobody is wrong. */
static void test_a_reference_that_is_too_large_is_no_fault(void **context)
{
	struct launch_case *work = fault_case("none"), *slow = fault_case("endless_loop");
	struct outcome outcome;

	(void)context;
	work->check = (struct case_check){.kind = CHECK_LAUNCHES,
					  .launches = slow->launches,
					  .launch_count = slow->launch_count,
					  .image = slow->image};
	runner.whole_most = 100000;
	outcome = outcome_of(&runner, work);
	assert_int_equal(outcome.status, TRIAL_SKIPPED);
	assert_string_equal(outcome.reason.data,
			    "verify: the kernel fault_endless_loop, which computes the expected "
			    "results, did not end within 1e+05 warp instructions, the emulator's "
			    "limit for a launch: choose a smaller size, another check or --blocks "
			    "all");
	outcome_release(&outcome);
	work->check = (struct case_check){.kind = CHECK_ORACLE};
	launch_case_free(work);
	launch_case_free(slow);
}

/* ---- facts and counters ---- */

static void test_facts(void **context)
{
	const struct axis_setting axes[] = {{"block", 256}, {"n", 4096}, {0}};
	struct launch_case *work = built_in_case("reduce", "shuffle", axes);
	struct launch_facts facts = launch_facts_unknown;
	struct counter_list counters = {0};
	const struct counter_value *occupancy;
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct outcome outcome;

	(void)context;
	assert_int_equal(case_facts(&runner, work, &facts, &status, &reason, NULL), 0);
	assert_int_equal(status, TRIAL_OK);
	assert_true(facts.registers_per_thread > 0);
	assert_true(facts.theoretical_occupancy_pct > 0);
	assert_true(facts.occupancy_limiter[0]);
	assert_string_equal(facts.code_kind, "ptx compute_90");
	assert_int_equal(strlen(facts.code_hash), HASH_TEXT_BYTES - 1);

	outcome = outcome_of(&runner, work);
	case_counters(&counters, &outcome.totals, &facts);
	occupancy = counter_list_find(&counters, "ptx_theoretical_occupancy_pct");
	assert_non_null(occupancy);
	assert_true(occupancy->has_value);
	assert_true(occupancy->value == facts.theoretical_occupancy_pct);
	for (size_t i = 0; i < counters.count; i++)
		assert_int_equal(strncmp(counters.items[i].metric, "ptx_", 4), 0);
	counter_list_release(&counters);
	outcome_release(&outcome);
	launch_case_free(work);
}

/* A tree of sums of one number loses little, but something; the worst of them next to nothing. */
static void test_how_far_off(void **context)
{
	const struct axis_setting axes[] = {{"block", 64}, {"n", 100000}, {0}};
	static const struct {
		const char *variant;
		double least, most;
	} rows[] = {{"pairs", 0, 1e-7}, {"atomic_blocks", 1e-7, 1e-3}};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct launch_case *work = built_in_case("accuracy", rows[i].variant, axes);
		struct launch_facts facts = launch_facts_unknown;
		struct outcome outcome = outcome_of(&runner, work);
		struct counter_list counters = {0};
		const struct counter_value *error;

		case_counters(&counters, &outcome.totals, &facts);
		error = counter_list_find(&counters, "ptx_relative_error");
		assert_true(error && error->has_value);
		assert_string_equal(error->source, "verification");
		if (!(error->value >= rows[i].least && error->value <= rows[i].most))
			fail_msg("%s: %g", rows[i].variant, error->value);
		counter_list_release(&counters);
		/* Nothing was compared. */
		outcome.totals.has_touched = false;
		case_counters(&counters, &outcome.totals, &facts);
		error = counter_list_find(&counters, "ptx_relative_error");
		assert_non_null(strstr(error->reason, "not verified"));
		counter_list_release(&counters);
		outcome_release(&outcome);
		launch_case_free(work);
	}
}

static void assert_skipped(struct launch_case *work, const char *word)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct error err = {0};

	if (case_facts(&runner, work, &facts, &status, &reason, &err))
		fail_msg("%s", err.text);
	assert_int_equal(status, TRIAL_SKIPPED);
	if (!strstr(reason.data, word))
		fail_msg("no '%s' in '%s'", word, reason.data);
	text_release(&reason);
	launch_case_free(work);
}

static void test_what_the_chip_cannot_launch_is_skipped(void **context)
{
	struct launch_case *work = fault_case("none");

	(void)context;
	work->launches[0].block[0] = 2048;
	assert_skipped(work, "2048 threads per block");
	work = fault_case("none");
	work->launches[0].block[0] = work->launches[0].block[1] = INT64_MAX / 2;
	assert_skipped(work, "threads per block");
	work = fault_case("none");
	work->launches[0].shared_bytes = (227 << 10) + 1;
	assert_skipped(work, "shared memory");
}

static void test_a_case_of_another_build_is_refused(void **context)
{
	struct launch_case *work = fault_case("none");
	struct case_totals totals = {0};
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct error err = {0};

	(void)context;
	work->launches[0].arg_count = 1;
	assert_int_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), PL_EUSAGE);
	work->launches[0].arg_count = 2;
	work->launches[0].args[1].kind = ARG_I32;
	assert_int_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), PL_EUSAGE);
	work->launches[0].args[1].kind = ARG_I64;
	replace_text(&work->launches[0].entry, "fault_other");
	assert_int_not_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), 0);
	replace_text(&work->launches[0].entry, "fault_none");
	strcpy(work->oracle, "fault/other");
	assert_int_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), PL_ENOENT);
	text_release(&reason);
	launch_case_free(work);
}

/* Adds the name of the phase to a text. */
static int note_announcement(void *context, enum worker_phase phase)
{
	text_addf(context, "%s ", worker_phase_name(phase));
	return 0;
}

static int refuse_announcement(void *context, enum worker_phase phase)
{
	(void)context;
	return phase == WORKER_PHASE_VERIFY ? PL_EIO : 0;
}

/* A timeout while expected results are computed must not be called one of the kernel. */
static void test_phases_are_announced(void **context)
{
	struct launch_case *work = fault_case("none");
	struct text phases = TEXT_INIT;
	struct case_totals totals = {0};
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct error err = {0};
	struct outcome outcome;

	(void)context;
	runner.announce = note_announcement;
	runner.announce_context = &phases;
	for (int again = 0; again < 2; again++) {
		text_clear(&phases);
		outcome = outcome_of(&runner, work);
		assert_int_equal(outcome.status, TRIAL_OK);
		assert_string_equal(phases.data, "verify emulate ");
		outcome_release(&outcome);
	}
	/* perflab has closed the socket */
	runner.announce = refuse_announcement;
	assert_int_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), PL_EIO);
	text_release(&phases);
	text_release(&reason);
	launch_case_free(work);
}

static void test_more_memory_than_there_is(void **context)
{
	const struct axis_setting axes[] = {{"block", 256}, {"n", 1 << 20}, {0}};
	struct launch_case *work = built_in_case("stream", "copy_scalar", axes);
	struct case_totals totals = {0};
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct error err = {0};

	(void)context;
	runner.memory_limit_bytes = 1 << 20;
	assert_int_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), PL_ENOMEM);
	assert_true(err.text[0]);
	text_release(&reason);
	launch_case_free(work);
}

/* Two buffers of 4 MiB, and one more to compare with where the case is verified. */
static void test_results_to_compare_with_take_memory(void **context)
{
	const struct axis_setting axes[] = {{"block", 256}, {"n", 1 << 20}, {0}};
	struct launch_case *work = built_in_case("stream", "copy_scalar", axes);
	struct case_totals totals = {0};
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct outcome outcome;
	struct error err = {0};

	(void)context;
	runner.memory_limit_bytes = (12 << 20) - 1;
	assert_int_equal(case_emulate(&runner, work, &totals, &status, &reason, &err), PL_ENOMEM);
	assert_non_null(strstr(
		err.text, "need 4194304 bytes beside the buffers, but only 4194303 of 12582911"));
	runner.sampled_beyond = 100000;
	outcome = outcome_of(&runner, work);
	assert_int_equal(outcome.status, TRIAL_SAMPLED);
	outcome_release(&outcome);
	runner.sampled_beyond = SAMPLED_BEYOND_INSTRUCTIONS;
	runner.memory_limit_bytes++;
	outcome = outcome_of(&runner, work);
	assert_int_equal(outcome.status, TRIAL_OK);
	outcome_release(&outcome);
	case_totals_release(&totals);
	text_release(&reason);
	launch_case_free(work);
}

/* ---- images ---- */

static const char copy_ptx[] = "// perflab: entry fault_none sm_80 registers 9 shared 4 local 8\n"
			       "// perflab: entry fault_none sm_90 registers 12 shared 16 local 0\n"
			       "// perflab: entry other sm_90 registers 99 shared 16 local 0\n"
			       ".version 9.0\n.target sm_90\n.address_size 64\n"
			       ".visible .entry fault_none(.param .u64 p, .param .u64 q)\n{\n"
			       "\t.reg .b32 %%r<3>;\n%s\n\tret;\n}\n";

/* A runner whose kernels/fault/none.ptx is that PTX with `line` in it, or else `whole`. */
static void runner_of(struct case_runner *out, char folder[64], const char *line, const char *whole)
{
	struct text path = TEXT_INIT;
	FILE *file;

	strcpy(folder, "/tmp/perflab-image-XXXXXX");
	assert_non_null(mkdtemp(folder));
	text_addf(&path, "%s/fault", folder);
	assert_int_equal(mkdir(path.data, 0700), 0);
	text_add(&path, "/none.ptx");
	file = fopen(path.data, "w");
	assert_non_null(file);
	if (whole)
		fputs(whole, file);
	else
		fprintf(file, copy_ptx, line);
	fclose(file);
	runner_open(out, folder);
	text_release(&path);
}

static void runner_end(struct case_runner *of, const char *folder)
{
	struct text path = TEXT_INIT;

	case_runner_release(of);
	text_addf(&path, "%s/fault/none.ptx", folder);
	unlink(path.data);
	path.data[path.length - strlen("/none.ptx")] = '\0';
	rmdir(path.data);
	rmdir(folder);
	text_release(&path);
}

static int facts_of(const char *line, const char *whole, struct launch_facts *facts,
		    enum trial_status *status, struct text *reason, struct error *err)
{
	struct launch_case *work = fault_case("none");
	struct case_runner own;
	char folder[64];
	int rc;

	runner_of(&own, folder, line, whole);
	*status = TRIAL_OK;
	text_clear(reason);
	rc = case_facts(&own, work, facts, status, reason, err);
	runner_end(&own, folder);
	launch_case_free(work);
	return rc;
}

static void test_what_ptxas_took_is_read(void **context)
{
	struct launch_facts facts = launch_facts_unknown;
	struct launch_facts again = launch_facts_unknown;
	enum trial_status status;
	struct text reason = TEXT_INIT, debug = TEXT_INIT;

	(void)context;
	assert_int_equal(facts_of("", NULL, &facts, &status, &reason, NULL), 0);
	assert_int_equal(facts.registers_per_thread, 12);
	assert_int_equal(facts.shared_static_bytes, 16);
	assert_int_equal(facts.local_bytes_per_thread, 0);
	/* A comment is no code; an instruction is. */
	assert_int_equal(facts_of("// what", NULL, &again, &status, &reason, NULL), 0);
	assert_string_equal(facts.code_hash, again.code_hash);
	/* Nor is what debuggers read; what stands behind it is. */
	text_addf(&debug, copy_ptx, "\t.loc 1 2 3");
	text_add(&debug, "\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 65, 0\n\t}\n");
	assert_int_equal(facts_of("", debug.data, &again, &status, &reason, NULL), 0);
	assert_string_equal(facts.code_hash, again.code_hash);
	text_add(&debug, ".global .b32 more;\n");
	assert_int_equal(facts_of("", debug.data, &again, &status, &reason, NULL), 0);
	assert_string_not_equal(facts.code_hash, again.code_hash);
	text_release(&debug);
	assert_int_equal(facts_of("mov.u32 %r1, 7;", NULL, &again, &status, &reason, NULL), 0);
	assert_string_not_equal(facts.code_hash, again.code_hash);
	text_release(&reason);
}

/* What another file defines is nothing that the emulator lacks. */
static void test_an_undefined_function_has_its_own_remedy(void **context)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status;
	struct text reason = TEXT_INIT, ptx = TEXT_INIT;

	(void)context;
	text_addf(&ptx, strstr(copy_ptx, ".version"), "call _Z5twicef;");
	text_add(&ptx, ".extern .func _Z5twicef();\n");
	assert_int_equal(facts_of("", ptx.data, &facts, &status, &reason, NULL), 0);
	assert_int_equal(status, TRIAL_SKIPPED);
	if (strncmp(reason.data, "undefined function twice", strlen("undefined function twice")) ||
	    !strstr(reason.data, "): declared but not defined in this file, and perflab links no "
				 "other one: #include the file that defines it"))
		fail_msg("%s", reason.data);
	text_release(&reason);
	text_release(&ptx);
}

static void test_ptx_of_nobody_says_no_registers(void **context)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status;
	struct text reason = TEXT_INIT;
	struct text bare = TEXT_INIT;

	(void)context;
	text_addf(&bare, strstr(copy_ptx, ".version"), ".shared .align 4 .b8 buffer[24];");
	assert_int_equal(facts_of("", bare.data, &facts, &status, &reason, NULL), 0);
	assert_int_equal(status, TRIAL_OK);
	assert_int_equal(facts.registers_per_thread, -1);
	assert_true(isnan(facts.theoretical_occupancy_pct));
	assert_string_equal(facts.occupancy_limiter, "");
	text_release(&bare);
	text_release(&reason);
}

static void test_static_shared_memory_has_a_bound(void **context)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status;
	struct text reason = TEXT_INIT, most = TEXT_INIT, more = TEXT_INIT;

	(void)context;
	text_addf(&most, strstr(copy_ptx, ".version"),
		  ".shared .align 4 .b8 buffer[49152];\nmov.u32 %r1, buffer;");
	text_addf(&more, strstr(copy_ptx, ".version"),
		  ".shared .align 4 .b8 buffer[49156];\nmov.u32 %r1, buffer;");
	assert_int_equal(facts_of("", most.data, &facts, &status, &reason, NULL), 0);
	assert_int_equal(status, TRIAL_OK);
	assert_int_equal(facts.shared_static_bytes, 49152);
	assert_int_equal(facts_of("", more.data, &facts, &status, &reason, NULL), 0);
	assert_int_equal(status, TRIAL_SKIPPED);
	assert_non_null(strstr(reason.data, "49156 bytes of static shared memory"));
	text_release(&most);
	text_release(&more);
	text_release(&reason);
}

static void test_what_is_missing_is_named(void **context)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status;
	struct text reason = TEXT_INIT;
	struct error err = {0};

	(void)context;
	assert_int_equal(facts_of("frobnicate.u32 %r1, %r2;\n\ttex.b32 %r1, %r2;", NULL, &facts,
				  &status, &reason, NULL),
			 0);
	assert_int_equal(status, TRIAL_SKIPPED);
	assert_non_null(strstr(reason.data, "needs features that the emulator lacks"));
	assert_non_null(strstr(reason.data, "frobnicate.u32"));
	assert_non_null(strstr(reason.data, "tex.b32"));
	assert_int_equal(facts_of("", "this is no PTX\n", &facts, &status, &reason, &err),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "none.ptx"));
	text_release(&reason);
}

static void test_a_missing_image_is_named(void **context)
{
	struct launch_case *work = fault_case("none");
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status = TRIAL_OK;
	struct text reason = TEXT_INIT;
	struct error err = {0};

	(void)context;
	replace_text(&work->image, "fault/nowhere");
	assert_int_equal(case_facts(&runner, work, &facts, &status, &reason, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "fault/nowhere"));
	launch_case_free(work);
}

#define ON_BENCH(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_BENCH(test_faults_name_their_place),
		ON_BENCH(test_wrong_results_are_mismatches),
		ON_BENCH(test_an_endless_kernel_ends),
		ON_BENCH(test_a_reference_that_is_too_large_is_no_fault),
		ON_BENCH(test_facts),
		ON_BENCH(test_what_the_chip_cannot_launch_is_skipped),
		ON_BENCH(test_phases_are_announced),
		ON_BENCH(test_a_case_of_another_build_is_refused),
		ON_BENCH(test_more_memory_than_there_is),
		ON_BENCH(test_results_to_compare_with_take_memory),
		ON_BENCH(test_how_far_off),
		cmocka_unit_test(test_what_ptxas_took_is_read),
		cmocka_unit_test(test_an_undefined_function_has_its_own_remedy),
		cmocka_unit_test(test_ptx_of_nobody_says_no_registers),
		cmocka_unit_test(test_static_shared_memory_has_a_bound),
		cmocka_unit_test(test_what_is_missing_is_named),
		ON_BENCH(test_a_missing_image_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
