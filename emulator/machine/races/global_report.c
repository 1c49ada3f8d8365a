/* The texts of races and unwritten bytes of global memory. See global_report.h. */
#include "emulator/machine/races/global_report.h"

#include "emulator/machine/races/dead_loads.h"

#include <inttypes.h>

static void add_global_thread(struct text *out, const struct launch *launch, int64_t block,
			      unsigned thread)
{
	const int64_t *grid = launch->what.grid, *shape = launch->what.block;

	text_addf(out,
		  "thread (%" PRId64 ",%" PRId64 ",%" PRId64 ") of block (%" PRId64 ",%" PRId64
		  ",%" PRId64 ")",
		  thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1],
		  block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]);
}

/* The instruction of a place, and its function. */
static const struct instruction *instruction_at(const struct global_races *shadow, uint32_t place,
						uint32_t *function)
{
	*function = (uint32_t)shadow->program->function_count - 1;
	while (shadow->first_place[*function] > place)
		(*function)--;
	return &shadow->program->functions[*function].code[place - shadow->first_place[*function]];
}

static void add_global_place(struct text *out, const struct global_races *shadow, uint32_t place)
{
	uint32_t function;
	const struct instruction *at = instruction_at(shadow, place, &function);

	text_add(out, " at ");
	source_place_text(out, shadow->program->module,
			  instruction_statement(&shadow->program->functions[function], at));
}

/* The loads of a race, whose values may be dropped. */
static void suspect_loads(const struct global_races *shadow, const struct global_request *by,
			  const struct global_rival *rival)
{
	struct dead_loads *uses = by->warp->block->launch->uses;
	uint32_t function;
	const struct instruction *earlier = instruction_at(shadow, rival->record.place, &function);

	dead_loads_suspect(uses, shadow->program, by->warp->frame->function_index, by->at);
	if (!rival->wrote)
		dead_loads_suspect(uses, shadow->program, function, earlier);
}

static const char *verb(const struct global_request *by)
{
	return !by->writes ? "reads" : by->reads ? "changes" : "writes";
}

static const char *remedy(const struct global_request *by, const struct segment *rival,
			  bool both_strong)
{
	if (both_strong)
		return ": an atomic with the scope of a block is none for other blocks; use "
		       "the scope of the device";
	if (rival->block == by->warp->block->number)
		return " with no barrier between; order the accesses with __syncthreads(), or "
		       "__syncwarp() within a warp, or use atomics";
	return " with nothing between that orders the blocks; use atomics, or __threadfence() "
	       "and then an atomic flag, or two launches";
}

void global_report_race(const struct global_races *shadow, const struct global_request *by,
			unsigned lane, uint64_t byte, const struct global_rival *rival)
{
	const struct warp *warp = by->warp;
	const struct launch *launch = warp->block->launch;
	const struct segment *from = order_find(&shadow->order, rival->record.segment);
	const bool strong = by->at->operation == OP_ATOMIC || by->at->strong || by->at->is_volatile;
	struct text text = TEXT_INIT;

	add_global_thread(&text, launch, warp->block->number, warp->index * LANES + lane);
	text_addf(&text, " %s byte %" PRIu64 " of '%s'", verb(by), byte, by->in->name);
	add_global_place(&text, shadow,
			 shadow->first_place[warp->frame->function_index] +
				 (uint32_t)(by->at - warp->frame->function->code));
	text_add(&text, ", which ");
	add_global_thread(&text, launch, from->block,
			  (unsigned)from->warp * LANES + (unsigned)rival->record.lane);
	if (rival->record.many)
		text_add(&text, " and others of its warp");
	text_add(&text, rival->wrote ? " wrote" : " read");
	add_global_place(&text, shadow, rival->record.place);
	text_add(&text, remedy(by, from, strong && rival->record.strong));
	warp_finding(by->warp, by->at, (int)lane, FINDING_GLOBAL_RACE, "%s", text.data);
	text_release(&text);
	suspect_loads(shadow, by, rival);
}
