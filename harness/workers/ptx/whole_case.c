/* Executes all launches of a case. See whole_case.h. */
#include "harness/workers/ptx/whole_case.h"

#include "harness/workers/expected.h"

/* How often loads are followed. A race can hide another one until its own load is left out. */
#define UNUSED_LOAD_ROUNDS 8

uint64_t whole_case_limit(const struct case_runner *runner)
{
	return runner->all_blocks ? 0 : runner->whole_most;
}

static int launch_whole(struct emulated_case *emulated, const struct launch_part *part,
			struct error *err)
{
	int rc = 0;

	for (size_t i = 0;
	     i < emulated->work->launch_count && rc == 0 && !emulated_case_ended(emulated); i++)
		rc = emulated_case_launch(emulated, i, part, err);
	return rc;
}

int whole_case_run(struct emulated_case *emulated, struct error *err)
{
	return launch_whole(
		emulated, &(struct launch_part){.instructions = whole_case_limit(emulated->runner)},
		err);
}

static int launch_checked(struct emulated_case *emulated, bool silent, struct error *err)
{
	const struct launch_part part = {
		.checked = true,
		.checks_global = true,
		.silent = silent,
		.instructions = whole_case_limit(emulated->runner),
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

static void use_results(struct emulated_case *emulated)
{
	const struct launch_case *work = emulated->work;

	for (size_t b = 0; case_is_checked(work) && b < work->buffer_count; b++)
		if (case_buffer_is_result(&work->buffers[b]) || work->buffers[b].role == BUFFER_IN)
			emulation_use_buffer(emulated->emulation, emulated->passed[b],
					     case_buffer_is_result(&work->buffers[b]),
					     &emulated->findings);
}

static int execute_following(void *context, struct error *err)
{
	struct emulated_case *emulated = context;
	int rc = emulated_case_restore(emulated, err);

	if (rc == 0)
		rc = whole_case_run(emulated, err);
	if (rc == 0)
		use_results(emulated);
	return rc;
}

int whole_case_check(struct emulated_case *emulated, struct error *err)
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
