/* The registers of products that a warp has not waited for. */
#include <string.h>

#include "emulator/machine/finding.h"
#include "emulator/machine/warpgroups/warpgroup_state.h"

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
