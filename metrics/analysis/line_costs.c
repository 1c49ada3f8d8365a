#include "metrics/analysis/line_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES_PER_WARP 32

/* ---- sums ---- */

/* A sum that is too large stays the largest number: a worker or a file may give any count. */
void line_sum_add(int64_t *sum, int64_t value)
{
	const int64_t before = *sum < 0 ? 0 : *sum;

	if (value >= 0)
		*sum = value > INT64_MAX - before ? INT64_MAX : before + value;
}

/* 1 if one varies; -1 if that of one is not known. */
static int64_t varies_together(int64_t a, int64_t b)
{
	return a == 1 || b == 1 ? 1 : a < b ? a : b;
}

static void line_add_instruction(struct line_cost *line,
				 const struct profile_instruction *instruction, size_t number)
{
	struct profile_instruction *sums = &line->sums;

	if (!line->instruction_count) {
		*sums = *instruction;
		line->function = instruction->function;
	} else {
		const int64_t varies = varies_together(sums->varies, instruction->varies);

#define ADD(kind, name, unit, meaning) line_sum_add(&sums->name, instruction->name);
		INSTRUCTION_FIELDS(ADD)
#undef ADD
		sums->varies = varies;
	}
	if (instruction->lanes > 0)
		line_sum_add(&line->laned, instruction->executed);
	line->instructions[line->instruction_count++] = number;
}

static void add_stall(struct line_cost *line, const struct profile_stall *stall)
{
	size_t i = 0;

	while (i < line->stall_count && strcmp(line->stalls[i].reason, stall->reason) != 0)
		i++;
	if (i == line->stall_count)
		line->stalls[line->stall_count++] = (struct line_stall){.reason = stall->reason};
	line->stalls[i].samples += stall->samples;
	line->stalls[i].not_issued += stall->not_issued;
	line->not_issued = (line->not_issued < 0 ? 0 : line->not_issued) + stall->not_issued;
}

static int stall_compare(const void *a, const void *b)
{
	const struct line_stall *left = a, *right = b;

	if (left->samples != right->samples)
		return left->samples > right->samples ? -1 : 1;
	return strcmp(left->reason, right->reason);
}

static void set_share(struct line_cost *line, const struct profile *profile)
{
	line->share = line->low = line->high = NAN;
	if (profile->samples <= 0)
		return;
	line->share = (double)(line->sums.samples < 0 ? 0 : line->sums.samples) /
		      (double)profile->samples;
	if (line->frame >= 0) {
		line->low = profile->frames[line->frame].low;
		line->high = profile->frames[line->frame].high;
	}
}

/* The line of an instruction; the last is of those without a position. */
static size_t line_of(const struct profile *profile, size_t instruction)
{
	const int64_t frame = profile->instructions[instruction].frame;

	return frame < 0 ? profile->frame_count : (size_t)frame;
}

void line_costs_of(const struct profile *profile, struct line_cost_list *out)
{
	const size_t most = profile->frame_count + 1;
	struct line_cost *lines = xcalloc(most, sizeof(*lines));
	size_t *instructions = xcalloc(most, sizeof(*instructions));
	size_t *stalls = xcalloc(most, sizeof(*stalls));

	for (size_t i = 0; i < profile->instruction_count; i++)
		instructions[line_of(profile, i)]++;
	for (size_t i = 0; i < profile->stall_count; i++)
		stalls[line_of(profile, (size_t)profile->stalls[i].instruction)]++;
	for (size_t i = 0; i < most; i++) {
		lines[i].frame = i < profile->frame_count ? (int64_t)i : -1;
		lines[i].not_issued = -1;
		lines[i].instructions = xcalloc(instructions[i] + 1, sizeof(size_t));
		lines[i].stalls = xcalloc(stalls[i] + 1, sizeof(*lines[i].stalls));
	}
	for (size_t i = 0; i < profile->instruction_count; i++)
		line_add_instruction(&lines[line_of(profile, i)], &profile->instructions[i], i);
	for (size_t i = 0; i < profile->stall_count; i++)
		add_stall(&lines[line_of(profile, (size_t)profile->stalls[i].instruction)],
			  &profile->stalls[i]);
	*out = (struct line_cost_list){.items = lines};
	for (size_t i = 0; i < most; i++) {
		if (!lines[i].instruction_count) {
			free(lines[i].instructions);
			free(lines[i].stalls);
			continue;
		}
		qsort(lines[i].stalls, lines[i].stall_count, sizeof(*lines[i].stalls),
		      stall_compare);
		set_share(&lines[i], profile);
		lines[out->count++] = lines[i];
	}
	free(instructions);
	free(stalls);
}

void line_cost_list_release(struct line_cost_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].instructions);
		free(list->items[i].stalls);
	}
	free(list->items);
	*list = (struct line_cost_list){0};
}

int line_cost_compare(const void *a, const void *b)
{
	const struct line_cost *left = a, *right = b;

	if (left->sums.samples != right->sums.samples)
		return left->sums.samples > right->sums.samples ? -1 : 1;
	if (left->sums.executed != right->sums.executed)
		return left->sums.executed > right->sums.executed ? -1 : 1;
	return (left->frame > right->frame) - (left->frame < right->frame);
}

/* ---- what the numbers mean ---- */

const char *stall_reason_words(const char *reason)
{
	static const struct {
		const char *reason, *words;
	} known[] = {
		{"long_scoreboard", "waits for global or local memory"},
		{"short_scoreboard", "waits for shared memory or a special unit"},
		{"lg_throttle", "waits, the queue of memory accesses is full"},
		{"mio_throttle", "waits, the queue of special units is full"},
		{"tex_throttle", "waits, the queue of textures is full"},
		{"math_pipe_throttle", "waits for an arithmetic pipe"},
		{"barrier", "waits at a barrier"},
		{"membar", "waits at a memory fence"},
		{"branch_resolving", "waits for a branch target"},
		{"no_instructions", "waits for instructions"},
		{"imc_miss", "waits for a constant"},
		{"wait", "waits for a fixed latency"},
		{"sleeping", "sleeps"},
		{"drain", "waits for its stores at its end"},
		{"dispatch_stall", "waits for the dispatcher"},
		{"gmma", "waits for a matrix instruction"},
		{"warpgroup_arrive", "waits for its warp group"},
		{"misc", "waits for something else"},
		{"not_selected", "ready, another warp issued"},
		{"selected", "issues"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].reason, reason) == 0)
			return known[i].words;
	return reason;
}

static double wasted(int64_t all, int64_t ideal)
{
	if (all <= 0 || ideal < 0)
		return NAN;
	return fmax(1 - (double)ideal / (double)all, 0);
}

double line_wasted_sectors(const struct line_cost *line)
{
	return wasted(line->sums.sectors, line->sums.ideal_sectors);
}

double line_wasted_wavefronts(const struct line_cost *line)
{
	return wasted(line->sums.wavefronts, line->sums.ideal_wavefronts);
}

double line_lanes_pct(const struct line_cost *line)
{
	if (line->laned <= 0)
		return NAN;
	return 100 * (double)line->sums.lanes / (LANES_PER_WARP * (double)line->laned);
}
