#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/warp_splits.h"
#include "emulator/machine/warp_sync.h"

/* How many of the products that all warps have issued are forgotten at a time. */
#define FORGOTTEN_AT_ONCE 256
#define A_UNITS (64 * GROUP_LINE_UNITS)

static struct warp_products *products_of(struct warp *warp)
{
	if (!warp->products)
		warp->products = xcalloc(1, sizeof(*warp->products));
	return warp->products;
}

/* ---- the warps of a warpgroup ---- */

static struct warp *first_warp(const struct warp *warp)
{
	return &warp->block->warps[warp->index / GROUP_WARPS * GROUP_WARPS];
}

static struct warpgroup *group_of(struct warp *warp)
{
	struct block *block = warp->block;

	if (!block->groups)
		block->groups = xcalloc(warpgroup_count(block), sizeof(*block->groups));
	return &block->groups[warp->index / GROUP_WARPS];
}

static uint32_t issued_by(const struct warp *warp)
{
	return warp->products ? warp->products->issued : 0;
}

/* The last warpgroup can have fewer than four. */
static unsigned warps_in_group(const struct warp *warp)
{
	const unsigned left = warp->block->warp_count - warp->index / GROUP_WARPS * GROUP_WARPS;

	return left < GROUP_WARPS ? left : GROUP_WARPS;
}

/* The products that all warps of the warpgroup have issued which have not ended. */
static uint32_t issued_by_all(const struct warp *warp)
{
	const struct warp *warps = first_warp(warp);
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < warps_in_group(warp); i++)
		if (warp_alive(&warps[i]) && issued_by(&warps[i]) < least)
			least = issued_by(&warps[i]);
	return least;
}

/* The warps of the warpgroup continue whose products all warps have issued. */
static void release_waiting_warps(const struct warp *warp)
{
	const uint32_t issued = issued_by_all(warp);
	struct warp *warps = first_warp(warp);

	for (unsigned i = 0; i < warps_in_group(warp); i++)
		for (unsigned k = 0; k < warps[i].waiting_count; k++) {
			const struct warp_products *products = warps[i].products;
			struct split *split = &warps[i].waiting[k];

			if (split->state != SPLIT_AT_PRODUCT ||
			    products->ends[products->awaited - 1] > issued)
				continue;
			split->state = SPLIT_READY;
			warps[i].blocked = false;
		}
}

static void report_absent(struct warp *warp, const struct instruction *at,
			  const struct warp *absent)
{
	warp_finding(warp, at, -1, FINDING_ABSENT_LANES,
		     "warp %u ends without executing this product, which the four warps of "
		     "warpgroup %u must execute together",
		     absent->index, absent->index / GROUP_WARPS);
}

void warpgroup_warp_ended(struct warp *warp)
{
	const struct block *block = warp->block;
	const struct warpgroup *group;
	uint32_t next = issued_by(warp);

	if (!block->groups)
		return;
	release_waiting_warps(warp);
	group = &block->groups[warp->index / GROUP_WARPS];
	if (next - group->first < group->entry_count)
		report_absent(warp, group->entries[next - group->first].at, warp);
}

static void forget_issued(struct warpgroup *group, const struct warp *warps)
{
	uint32_t least = issued_by(&warps[0]);

	for (unsigned i = 1; i < GROUP_WARPS; i++)
		least = issued_by(&warps[i]) < least ? issued_by(&warps[i]) : least;
	least -= group->first;
	if (least < FORGOTTEN_AT_ONCE)
		return;
	memmove(group->entries, group->entries + least,
		(group->entry_count - least) * sizeof(*group->entries));
	group->entry_count -= least;
	group->first += least;
}

/* Compares a product with what the other warps execute as their product of that number. Returns
 * true if the warp is the first of its warpgroup to issue it. */
static bool join_group(struct warp *warp, const struct group_entry *entry)
{
	struct warpgroup *group = group_of(warp);
	const struct warp *warps = first_warp(warp);
	uint32_t number = warp->products->issued;
	const struct group_entry *other;

	if (number - group->first == group->entry_count) {
		forget_issued(group, warps);
		group->entries = xgrow(group->entries, &group->entry_capacity,
				       group->entry_count + 1, sizeof(*group->entries));
		group->entries[group->entry_count++] = *entry;
		for (unsigned i = 0; i < GROUP_WARPS; i++)
			if (!warp_alive(&warps[i]) && issued_by(&warps[i]) <= number)
				report_absent(warp, entry->at, &warps[i]);
		return true;
	}
	other = &group->entries[number - group->first];
	if (other->at != entry->at)
		warp_finding(warp, entry->at, -1, FINDING_ABSENT_LANES,
			     "warp %u executes this product where another warp of warpgroup %u "
			     "executes another one; the four warps must execute the same products",
			     warp->index, warp->index / GROUP_WARPS);
	else if (other->a != entry->a || other->b != entry->b || other->adds != entry->adds)
		warp_finding(warp, entry->at, -1, FINDING_ABSENT_LANES,
			     "warp %u gives another descriptor or scale of D than another warp of "
			     "warpgroup %u; all threads of a warpgroup must give the same",
			     warp->index, warp->index / GROUP_WARPS);
	return false;
}

/* ---- operands in shared memory ---- */

/* Checks that units of a matrix are inside of shared memory. If `reads`, the warpgroup begins to
 * read them. */
static enum step read_units(struct warp *warp, const struct instruction *at,
			    const struct group_matrix *matrix, unsigned first, unsigned count,
			    bool reads)
{
	struct warpgroup *group = group_of(warp);
	struct block *block = warp->block;

	for (unsigned unit = first; unit < first + count; unit += LANES) {
		unsigned lanes = first + count - unit < LANES ? first + count - unit : LANES;
		uint32_t mask = ALL_LANES >> (LANES - lanes), offset[LANES], place;
		uint64_t address[LANES];

		for (unsigned i = 0; i < lanes; i++)
			address[i] = offset[i] = group_matrix_offset(matrix, unit + i);
		if (access_check(warp, at, PTX_SPACE_SHARED, mask, address) != STEP_NEXT)
			return STEP_STOPPED;
		if (!reads || !block->shadow)
			continue;
		if (!group->readers)
			group->readers =
				xcalloc(warpgroup_unit_count(block), sizeof(*group->readers));
		place = shared_races_product(warp, at, mask, offset);
		for (unsigned i = 0; i < lanes; i++)
			group->readers[offset[i] / GROUP_UNIT_BYTES] =
				(struct unit_reader){warp->products->issued + 1, place};
	}
	return STEP_NEXT;
}

/* Reads a descriptor, which all lanes must give. 0: there is none. */
static enum step read_descriptor(uint64_t *descriptor, struct warp *warp,
				 const struct instruction *at, uint32_t row)
{
	const uint64_t *values = row_of(warp, row);

	*descriptor = row ? values[0] : 0;
	for (int lane = 1; row && lane < LANES; lane++)
		if (values[lane] != *descriptor)
			return warp_finding(warp, at, lane, FINDING_UNSUPPORTED,
					    "the lanes of a warp give different matrix "
					    "descriptors, which is undefined");
	if (*descriptor & GROUP_DESCRIPTOR_UNUSED)
		return warp_finding(warp, at, -1, FINDING_UNSUPPORTED,
				    "the matrix descriptor 0x%016llx sets bits that have no "
				    "meaning; addresses and offsets are divided by 16 and have "
				    "14 bits",
				    (unsigned long long)*descriptor);
	return STEP_NEXT;
}

static enum step read_group_entry(struct group_entry *entry, struct warp *warp,
				  const struct instruction *at)
{
	uint32_t adds = predicate_mask(row_of(warp, at->c));

	*entry = (struct group_entry){.at = at, .adds = adds != 0};
	if (adds && adds != ALL_LANES)
		return warp_finding(warp, at, -1, FINDING_UNSUPPORTED,
				    "the lanes of a warp give different scales of D, which is "
				    "undefined");
	if (read_descriptor(&entry->a, warp, at, at->a) != STEP_NEXT)
		return STEP_STOPPED;
	return read_descriptor(&entry->b, warp, at, at->b);
}

/* ---- instructions ---- */

enum step warpgroup_issue(struct issued_product *out, struct warp *warp,
			  const struct instruction *at)
{
	const struct program_group_product *product =
		&warp->frame->function->group_products[at->target];
	const struct block *block = warp->block;
	struct warp_products *products = products_of(warp);
	unsigned in_group = warp->index % GROUP_WARPS, units = product->n * GROUP_LINE_UNITS;
	struct group_entry entry;
	bool first;

	if (warp->index - in_group + GROUP_WARPS > block->warp_count)
		return warp_finding(warp, at, -1, FINDING_UNSUPPORTED,
				    "warpgroup %u has fewer than four warps; start a multiple of "
				    "128 threads",
				    warp->index / GROUP_WARPS);
	if (!products->fenced)
		warp_finding(warp, at, -1, FINDING_UNFENCED,
			     "the first product of warp %u has no wgmma.fence before it, which "
			     "orders it after the writes to its registers",
			     warp->index);
	products->fenced = true;
	if (read_group_entry(&entry, warp, at) != STEP_NEXT)
		return STEP_STOPPED;
	*out = (struct issued_product){
		.product = product,
		.a = group_matrix_of(entry.a, product->a_turned),
		.b = group_matrix_of(entry.b, product->b_turned),
		.adds = entry.adds,
	};
	first = join_group(warp, &entry);
	if (!product->a_count && read_units(warp, at, &out->a, 0, A_UNITS, first) != STEP_NEXT)
		return STEP_STOPPED;
	if (read_units(warp, at, &out->b, 0, units, first) != STEP_NEXT)
		return STEP_STOPPED;
	warpgroup_note_registers(warp, at, product);
	products->issued++;
	warp->pending_products++;
	release_waiting_warps(warp);
	return STEP_NEXT;
}

enum step run_group_fence(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather_whole(warp, at);

	if (step == STEP_NEXT)
		products_of(warp)->fenced = true;
	return step;
}

enum step run_group_commit(struct warp *warp, const struct instruction *at)
{
	struct warp_products *products = products_of(warp);
	enum step step = warp_gather_whole(warp, at);

	if (step != STEP_NEXT)
		return step;
	products->ends = xgrow(products->ends, &products->end_capacity, products->committed + 1,
			       sizeof(*products->ends));
	products->ends[products->committed++] = products->issued;
	return STEP_NEXT;
}

enum step run_group_wait(struct warp *warp, const struct instruction *at)
{
	struct warp_products *products = products_of(warp);
	enum step step = warp_gather_whole(warp, at);
	int64_t waited = (int64_t)products->committed - at->offset;

	if (step != STEP_NEXT || waited <= products->waited)
		return step;
	products->awaited = (uint32_t)waited;
	if (issued_by_all(warp) >= products->ends[waited - 1]) {
		warpgroup_finish_wait(warp);
		return STEP_NEXT;
	}
	warp_suspend(warp, pc_of(warp, at) + 1, SPLIT_AT_PRODUCT);
	return STEP_WAITING;
}
