#include "emulator/machine/copies/bulk.h"

#include "emulator/machine/races/global_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- the three directions ---- */

static enum step load_from_global(const struct bulk_issue *issue, uint32_t bytes)
{
	struct bulk_targets targets;
	unsigned char *values;
	enum step step;

	if (bulk_find_targets(&targets, issue, bytes, BULK_ALIGN_BYTES) != STEP_NEXT)
		return STEP_STOPPED;
	values = xmalloc(bytes + 1);
	step = bulk_global_read(issue, bulk_address_in(issue, &issue->copy->from), values, bytes,
				BULK_ALIGN_BYTES);
	if (step == STEP_NEXT)
		step = bulk_write_targets(issue, &targets, values, NULL);
	free(values);
	return step;
}

static enum step copy_within_shared(const struct bulk_issue *issue, uint32_t bytes)
{
	struct bulk_targets targets;
	struct bulk_pending source;
	unsigned char *values;
	enum step step;

	if (bulk_find_targets(&targets, issue, bytes, BULK_ALIGN_BYTES) != STEP_NEXT ||
	    bulk_find_source(&source, issue, bytes, BULK_ALIGN_BYTES) != STEP_NEXT)
		return STEP_STOPPED;
	values = xmalloc(bytes + 1);
	memcpy(values, bulk_source_bytes(issue, &source), bytes);
	bulk_source_pending(issue, &source, &targets.items[0], NULL);
	step = bulk_write_targets(issue, &targets, values, NULL);
	free(values);
	return step;
}

/* Stores the bytes of each 16 that the mask names, in runs. */
static enum step store_masked(const struct bulk_issue *issue, uint64_t address,
			      const unsigned char *from, uint32_t bytes)
{
	const uint64_t mask = bulk_value(issue, issue->copy->byte_mask, true);
	enum step step = bulk_global_write(issue, address, from, 0, BULK_ALIGN_BYTES);

	for (uint32_t at = 0; at < bytes && step == STEP_NEXT;) {
		uint32_t end = at;

		while (end < bytes && mask >> end % BULK_ALIGN_BYTES & 1)
			end++;
		if (end > at)
			step = bulk_global_write(issue, address + at, from + at, end - at, 1);
		at = end + 1;
	}
	return step;
}

static enum step store_to_global(const struct bulk_issue *issue, uint32_t bytes)
{
	const uint64_t address = bulk_address_in(issue, &issue->copy->to);
	struct bulk_pending source;
	const unsigned char *from;
	enum step step;

	if (bulk_find_source(&source, issue, bytes, BULK_ALIGN_BYTES) != STEP_NEXT)
		return STEP_STOPPED;
	from = bulk_source_bytes(issue, &source);
	step = issue->copy->byte_mask
		       ? store_masked(issue, address, from, bytes)
		       : bulk_global_write(issue, address, from, bytes, BULK_ALIGN_BYTES);
	if (step == STEP_NEXT)
		bulk_source_pending(issue, &source, NULL, NULL);
	return step;
}

/* ---- the instruction ---- */

static enum step issue_copy(const struct bulk_issue *issue)
{
	const struct program_bulk_copy *copy = issue->copy;
	uint32_t bytes;

	if (copy->rank)
		return tensor_copy_issue(issue);
	bytes = (uint32_t)bulk_value(issue, copy->bytes, true);
	if (bytes % BULK_ALIGN_BYTES)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_MISALIGNED,
				    "a bulk copy of %u bytes; the size must be a multiple of %d",
				    bytes, BULK_ALIGN_BYTES);
	if (!issue->origin)
		count_at(issue->warp, issue->at)->bytes += bytes;
	if (copy->to.space != PTX_SPACE_SHARED)
		return store_to_global(issue, bytes);
	if (copy->from.space != PTX_SPACE_SHARED)
		return load_from_global(issue, bytes);
	return copy_within_shared(issue, bytes);
}

/* Moves the undefined bits of what the copy moves. Where the copy stops, its execution says so. */
static void follow_copy(struct bulk_issue issue)
{
	undefined_origin origin = 0;

	issue.origin = &origin;
	issue_copy(&issue);
}

enum step run_bulk_reduction(struct warp *warp, const struct instruction *at, bulk_combine *combine)
{
	struct bulk_issue issue = {
		.warp = warp,
		.at = at,
		.copy = &warp->frame->function->bulk_copies[at->target],
		.combine = combine,
	};

	EACH_BIT(lane, warp->active) {
		struct global_races *global = warp->block->launch->global;
		const uint64_t unchecked = global ? global->unchecked : 0;

		issue.lane = lane;
		if (warp->block->launch->follower)
			follow_copy(issue);
		count_at(warp, at)->requests++;
		if (issue_copy(&issue) != STEP_NEXT)
			return STEP_STOPPED;
		/* All unchecked requests of a copy count as one. */
		if (global && global->unchecked > unchecked)
			global->unchecked = unchecked + 1;
	}
	return STEP_NEXT;
}

enum step run_bulk_copy(struct warp *warp, const struct instruction *at)
{
	return run_bulk_reduction(warp, at, NULL);
}
