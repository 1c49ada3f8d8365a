#include "emulator/machine/barriers/barrier_places.h"

/* Without source lines, each statement is a place. */
static bool is_same_place(const struct ptx_statement *a, const struct ptx_statement *b)
{
	return a == b ||
	       (a->source_line && a->file == b->file && a->source_line == b->source_line &&
		a->caller_file == b->caller_file && a->caller_line == b->caller_line);
}

void note_barrier_place(struct warp *warp, const struct instruction *at, unsigned number,
			struct barrier *barrier)
{
	const struct ptx_statement *here = instruction_statement(warp->frame->function, at);
	struct text text = TEXT_INIT;

	if (!barrier->place) {
		barrier->place = here;
		barrier->first_warp = warp->index;
	}
	if (is_same_place(barrier->place, here))
		return;
	source_place_text(&text, warp->block->launch->program->module, barrier->place);
	warp_finding(
		warp, at, -1, FINDING_PLACES,
		"warp %u comes to barrier %u here, and warp %u at %s; a GPU lets them pass, but "
		"CUDA does not define it: move the barrier out of the branch or loop",
		warp->index, number, barrier->first_warp, text.data);
	text_release(&text);
}

void note_warp_barrier_place(struct warp *warp, const struct instruction *at,
			     const struct ptx_statement *other)
{
	struct text text = TEXT_INIT;

	if (is_same_place(other, instruction_statement(warp->frame->function, at)))
		return;
	source_place_text(&text, warp->block->launch->program->module, other);
	warp_finding(
		warp, at, -1, FINDING_PLACES,
		"lanes of warp %u come to __syncwarp() here, and others at %s; a GPU lets them "
		"pass, but each call may be there for other accesses: move it out of the branch",
		warp->index, text.data);
	text_release(&text);
}
