#include "emulator/machine/warpgroups/warpgroup.h"

#include "emulator/machine/races/block_clocks.h"

#include <stdlib.h>
#include <string.h>

unsigned warpgroup_count(const struct block *block)
{
	return (block->warp_count + GROUP_WARPS - 1) / GROUP_WARPS;
}

size_t warpgroup_unit_count(const struct block *block)
{
	return (size_t)block->launch->shared_bytes / GROUP_UNIT_BYTES + 1;
}

void warpgroups_begin(struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp_products *products = block->warps[i].products;

		block->warps[i].pending_products = 0;
		if (products)
			*products = (struct warp_products){
				.ends = products->ends,
				.clocks = products->clocks,
				.end_capacity = products->end_capacity,
				.clock_capacity = products->clock_capacity,
			};
	}
	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		struct warpgroup *group = &block->groups[i];

		group->entry_count = group->first = 0;
		if (group->readers)
			memset(group->readers, 0,
			       warpgroup_unit_count(block) * sizeof(*group->readers));
	}
}

void warpgroups_free(struct block *block)
{
	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		free(block->groups[i].entries);
		free(block->groups[i].readers);
	}
	free(block->groups);
}

void warpgroup_warp_free(struct warp *warp)
{
	if (!warp->products)
		return;
	free(warp->products->ends);
	free(warp->products->clocks);
	free(warp->products);
}

bool warpgroup_reads(const struct block *block, uint32_t offset, unsigned *group, uint32_t *place)
{
	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		const struct unit_reader *reader = block->groups[i].readers;

		if (!reader)
			continue;
		reader += offset / GROUP_UNIT_BYTES;
		for (unsigned k = 0; reader->number && k < GROUP_WARPS; k++) {
			const struct warp *warp = &block->warps[i * GROUP_WARPS + k];

			if (!warp_alive(warp) ||
			    (warp->products && warp->products->complete >= reader->number))
				continue;
			*group = i;
			*place = reader->place;
			return true;
		}
	}
	return false;
}

void warpgroup_finish_wait(struct warp *warp)
{
	struct warp_products *products = warp->products;

	products->clocks = xgrow(products->clocks, &products->clock_capacity, products->awaited,
				 sizeof(*products->clocks));
	while (products->waited < products->awaited)
		products->clocks[products->waited++] = block_clock(warp);
	products->complete = products->ends[products->waited - 1];
	warp->pending_products = products->issued - products->complete;
}

/* The clock of a warp when it waited for the product of that number, plus 1, which it has. */
static uint32_t clock_of_wait(const struct warp_products *products, uint32_t number)
{
	uint32_t low = 0, high = products->waited - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (products->ends[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return products->clocks[low];
}

static bool knows_a_wait(const struct warp *by, const struct warp *warps, uint32_t number)
{
	for (unsigned i = 0; i < GROUP_WARPS; i++) {
		const struct warp_products *products = warps[i].products;

		if (products && products->waited && products->complete >= number &&
		    block_clock_known(by, cluster_warp(&warps[i]), clock_of_wait(products, number)))
			return true;
	}
	return false;
}

uint32_t warpgroup_reads_over(struct block *block, uint32_t offset, const struct warp *by)
{
	uint32_t warps = 0;

	for (unsigned i = 0; block->groups && i < warpgroup_count(block); i++) {
		struct unit_reader *reader = block->groups[i].readers;

		if (!reader)
			continue;
		reader += offset / GROUP_UNIT_BYTES;
		if (!reader->number ||
		    !knows_a_wait(by, &block->warps[i * GROUP_WARPS], reader->number))
			continue;
		reader->number = 0;
		warps |= ((UINT32_C(1) << GROUP_WARPS) - 1) << i * GROUP_WARPS;
	}
	return warps;
}

/* No row of a register file is smaller. */
#define ROW_BYTES 128

void warpgroup_frame_begin(struct frame *frame)
{
	if (frame->fragments)
		memset(frame->fragments, 0,
		       (frame->function->file_bytes / ROW_BYTES + 1) * sizeof(*frame->fragments));
}

static struct fragment_note *note_of(struct frame *frame, uint32_t row)
{
	if (!frame->fragments)
		frame->fragments = xcalloc(frame->function->file_bytes / ROW_BYTES + 1,
					   sizeof(*frame->fragments));
	return &frame->fragments[row / ROW_BYTES];
}

static bool is_pending(const struct warp *warp, const struct fragment_note *note)
{
	return note->product && note->group >= warp->products->waited;
}

static void report_unwaited(struct warp *warp, const struct instruction *at,
			    const struct fragment_note *note, const char *verb)
{
	struct text place = TEXT_INIT;

	source_place_text(&place, warp->block->launch->program->module,
			  instruction_statement(warp->frame->function, note->at));
	warp_finding(warp, at, -1, FINDING_UNWAITED_PRODUCT,
		     "warp %u %s a register of %s of the product at %s before it has waited for "
		     "the product; execute wgmma.wait_group first",
		     warp->index, verb, note->is_factor ? "A" : "D", place.data);
	text_release(&place);
}

void warpgroup_follow(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	struct instruction copy = *at;
	struct instruction_operands operands;
	struct frame *frame = warp->frame;
	struct fragment_note moved = {0};
	bool moves;

	/* A wait is over when the warp continues behind it. */
	if (warp->products->awaited > warp->products->waited)
		warpgroup_finish_wait(warp);
	if (!lanes || at->operation == OP_GROUP_PRODUCT)
		return;
	/* Compilers leave moves between registers to ptxas, which removes them. */
	moves = !strcmp(instruction_statement(frame->function, at)->base, "mov");
	instruction_operands(frame->function, &copy, &operands);
	for (size_t i = 0; i < operands.read_count; i++) {
		struct fragment_note *note = note_of(frame, *operands.reads[i]);

		if (!is_pending(warp, note) || note->is_factor)
			continue;
		if (moves)
			moved = *note;
		else
			report_unwaited(warp, at, note, "reads");
	}
	for (size_t i = 0; i < operands.write_count; i++) {
		struct fragment_note *note = note_of(frame, *operands.writes[i]);

		/* A row may serve another register, too, if nothing reads the product. */
		if (at->writes_fragment && is_pending(warp, note) && !moved.product)
			report_unwaited(warp, at, note, "writes");
		*note = moved;
	}
}

void warpgroup_note_registers(struct warp *warp, const struct instruction *at,
			      const struct program_group_product *product)
{
	struct fragment_note note = {product, at, warp->products->committed, true};
	bool reported = false;

	for (unsigned i = 0; i < product->a_count; i++) {
		struct fragment_note *old = note_of(warp->frame, product->a[i]);

		if (is_pending(warp, old) && !old->is_factor && !reported) {
			report_unwaited(warp, at, old, "reads");
			reported = true;
		}
		*old = note;
	}
	note.is_factor = false;
	for (unsigned i = 0; i < product->sum_count; i++) {
		struct fragment_note *old = note_of(warp->frame, product->results[i]);

		/* Products of one shape may add to the same registers one after another. */
		if (is_pending(warp, old) && !reported &&
		    (old->is_factor || old->product->n != product->n ||
		     old->product->part.d_type != product->part.d_type)) {
			report_unwaited(warp, at, old, "adds to");
			reported = true;
		}
		*old = note;
	}
}
