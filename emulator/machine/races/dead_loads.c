/* Follows loads, and judges them. See dead_loads.h. */
#include "emulator/machine/races/dead_loads.h"

#include "emulator/machine/races/load_values.h"

#include <stdlib.h>

struct dead_loads *dead_loads_create(void)
{
	return xcalloc(1, sizeof(struct dead_loads));
}

void dead_loads_free(struct dead_loads *uses)
{
	if (!uses)
		return;
	free(uses->loads);
	value_origins_release(&uses->origins);
	free(uses);
}

/* ---- suspects ---- */

static struct suspect_load *find_suspect(const struct dead_loads *uses,
					 const struct instruction *at)
{
	for (size_t i = 0; i < uses->load_count; i++)
		if (uses->loads[i].at == at)
			return &uses->loads[i];
	return NULL;
}

/* Others order memory, whatever happens to their value. */
static bool is_plain_load(const struct instruction *at)
{
	return at->operation == OP_LOAD && !at->strong &&
	       (at->space == PTX_SPACE_GLOBAL || at->space == PTX_SPACE_SHARED ||
		at->space == PTX_SPACE_GENERIC);
}

static bool is_of_same_line(const struct program_function *function, const struct instruction *a,
			    const struct instruction *b)
{
	const struct ptx_statement *first = instruction_statement(function, a);
	const struct ptx_statement *second = instruction_statement(function, b);

	return first->source_line && first->source_line == second->source_line &&
	       first->file == second->file;
}

void dead_loads_suspect(struct dead_loads *uses, const struct ptx_program *program,
			uint32_t function, const struct instruction *at)
{
	const struct program_function *of = &program->functions[function];

	if (!is_plain_load(at) || find_suspect(uses, at))
		return;
	for (const struct instruction *load = of->code; load < of->code + of->code_count; load++) {
		if (load != at && (!is_plain_load(load) || find_suspect(uses, load) ||
				   !is_of_same_line(of, at, load)))
			continue;
		uses->loads = xgrow(uses->loads, &uses->load_capacity, uses->load_count + 1,
				    sizeof(*uses->loads));
		uses->loads[uses->load_count++] =
			(struct suspect_load){.at = load, .function = function};
	}
}

bool dead_loads_has_suspects(const struct dead_loads *uses)
{
	for (size_t i = 0; i < uses->load_count; i++)
		if (!uses->loads[i].run)
			return true;
	return false;
}

/* ---- the handler of a suspect ---- */

static enum step follow_load(struct warp *warp, const struct instruction *at,
			     struct dead_loads *uses, instruction_handler *run)
{
	enum step step = run(warp, at);
	uint32_t origin;

	if (step != STEP_NEXT)
		return step;
	origin = origin_load(&uses->origins, at, warp->active);
	if (origin != NO_ORIGIN)
		load_values_loaded(warp, at, origin);
	/* The loop must look again whether it is to follow values. */
	warp->pc = (uint32_t)(at - warp->frame->function->code) + 1;
	return STEP_CHANGED;
}

static enum step judge_load(struct warp *warp, const struct instruction *at,
			    struct dead_loads *uses, instruction_handler *run)
{
	enum step step;

	warp->dropped = origins_take_load(&uses->origins, at, warp->active);
	step = run(warp, at);
	warp->dropped = 0;
	return step;
}

static enum step run_suspect(struct warp *warp, const struct instruction *at)
{
	struct dead_loads *uses = warp->block->launch->uses;
	instruction_handler *run = find_suspect(uses, at)->run;

	switch (uses->phase) {
	case PHASE_FOLLOW:
		return follow_load(warp, at, uses, run);
	case PHASE_JUDGE:
		return judge_load(warp, at, uses, run);
	default:
		return run(warp, at);
	}
}

/* ---- runs ---- */

void dead_loads_follow(struct dead_loads *uses, struct ptx_program *program)
{
	for (size_t i = 0; i < uses->load_count; i++) {
		struct suspect_load *suspect = &uses->loads[i];
		struct instruction *code = program->functions[suspect->function].code;
		struct instruction *load = code + (suspect->at - code);

		if (suspect->run)
			continue;
		suspect->run = load->run;
		load->run = load->run_series = run_suspect;
	}
	uses->phase = PHASE_FOLLOW;
	value_origins_release(&uses->origins);
}

void dead_loads_judge(struct dead_loads *uses)
{
	uses->phase = PHASE_JUDGE;
	origins_settle(&uses->origins);
}
