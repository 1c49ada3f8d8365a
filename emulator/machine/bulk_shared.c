#include "emulator/machine/bulk_shared.h"

#include "emulator/machine/access.h"
#include "emulator/machine/block_clocks.h"
#include "emulator/machine/bulk_global.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/machine/shadow_bulk.h"

struct bulk_pending bulk_pending_of(const struct bulk_issue *issue)
{
	return (struct bulk_pending){
		.clock = block_clock(issue->warp),
		.thread = (uint16_t)(issue->warp->index * LANES + issue->lane),
		.mbarrier = BULK_OF_GROUP,
	};
}

static enum step check_shared_range(const struct bulk_issue *issue, const struct bulk_range *range,
				    unsigned align, const char *what)
{
	return access_check_range(issue->warp, issue->at,
				  &(struct access_range){.space = PTX_SPACE_SHARED,
							 .lane = (int)issue->lane,
							 .address = range->offset,
							 .bytes = range->bytes,
							 .align = align,
							 .what = what});
}

enum step bulk_begin_read(const struct bulk_issue *issue, struct bulk_pending *pending,
			  uint32_t bytes, unsigned align)
{
	pending->reads =
		(struct bulk_range){(uint32_t)bulk_address_in(issue, &issue->copy->from), bytes};
	if (check_shared_range(issue, &pending->reads, align, "bulk copy from") != STEP_NEXT)
		return STEP_STOPPED;
	if (issue->warp->block->shadow)
		pending->place = shadow_bulk_read(
			&(struct shadow_bulk){issue->warp, issue->at, issue->lane, pending->reads});
	return STEP_NEXT;
}

enum step bulk_begin_write(const struct bulk_issue *issue, struct bulk_pending *pending,
			   uint32_t bytes, unsigned align)
{
	pending->writes =
		(struct bulk_range){(uint32_t)bulk_address_in(issue, &issue->copy->to), bytes};
	pending->mbarrier = (uint32_t)bulk_address_in(issue, &issue->copy->mbarrier);
	if (check_shared_range(issue, &pending->writes, align,
			       issue->combine ? "bulk reduction of" : "bulk copy to") != STEP_NEXT)
		return STEP_STOPPED;
	return mbarrier_find_phase(issue->warp, issue->at, (int)issue->lane, pending->mbarrier,
				   &pending->number);
}

enum step bulk_finish_write(const struct bulk_issue *issue, struct bulk_pending *pending,
			    const unsigned char *values)
{
	struct block *block = issue->warp->block;
	const struct bulk_range *range = &pending->writes;

	if (block->shadow)
		pending->place = shadow_bulk_write(
			&(struct shadow_bulk){issue->warp, issue->at, issue->lane, *range},
			issue->combine ? NULL : values);
	bulk_store(issue, block->shared + range->offset, values, range->bytes, false);
	bulk_pending_add(block, pending);
	return mbarrier_bytes_arrive(issue->warp, issue->at, (int)issue->lane, pending->mbarrier,
				     range->bytes);
}

void bulk_finish_read(const struct bulk_issue *issue, struct bulk_pending *pending)
{
	bulk_pending_add(issue->warp->block, pending);
}
