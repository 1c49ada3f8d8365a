#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/races/shared_cells.h"

static void add_block_index(struct text *out, const struct block *block)
{
	text_addf(out, " of block (%d,%d,%d)", (int)block->index[0], (int)block->index[1],
		  (int)block->index[2]);
}

/* A thread, by its number in the cluster, and its block unless that is the one of the warp. */
static void add_thread(struct text *out, const struct warp *warp, uint16_t number)
{
	const int64_t *shape = warp->block->launch->what.block;
	const struct block *block = warp_of_thread(warp->block, number)->block;
	const int thread = number % (LANES * BLOCK_WARPS_MOST);

	text_addf(out, "thread (%d,%d,%d)", (int)(thread % shape[0]),
		  (int)(thread / shape[0] % shape[1]), (int)(thread / shape[0] / shape[1]));
	if (block != warp->block)
		add_block_index(out, block);
}

/* The number of a cell among those of the program. */
static size_t own_cell(const struct shared_races *shadow, size_t cell)
{
	return cell - shadow->reserved_bytes / shadow->grain;
}

/* "word 12", and whose it is unless the own block's. */
static void add_shared_cell(struct text *out, const struct shared_races *shadow,
			    const struct shadow_access *by, size_t cell)
{
	text_addf(out, "%s %zu", shadow->grain == WORD_BYTES ? "word" : "byte",
		  own_cell(shadow, cell));
	if (by->block != by->warp->block)
		add_block_index(out, by->block);
}

/* A load whose value may be dropped. */
static void suspect_load_at(const struct shared_races *shadow, const struct shadow_access *by,
			    uint32_t place)
{
	uint32_t function;
	const struct instruction *at =
		instruction_of_number(shadow->program, shadow->first_place, place, &function);

	dead_loads_suspect(by->warp->block->launch->uses, shadow->program, function, at);
}

/* "thread (33,0,0) writes word 12" */
static void add_access(struct text *out, const struct shared_races *shadow,
		       const struct shadow_access *by, size_t cell)
{
	add_thread(out, by->warp, by->thread);
	text_addf(out, " %s ", by->writes ? by->atomic ? "changes" : "writes" : "reads");
	add_shared_cell(out, shadow, by, cell);
}

static void add_place(struct text *out, const struct shared_races *shadow, uint32_t place)
{
	instruction_place_text(out, shadow->program, shadow->first_place, place);
}

/* Reports the text for the lane of the access, and frees it. */
static void report_text(const struct shadow_access *by, enum finding_kind kind, struct text *text)
{
	warp_finding(by->warp, by->at, by->thread % LANES, kind, "%s", text->data);
	text_release(text);
}

/* "thread (33,0,0) writes word 12 at x.cu:20, which thread (0,0,0) read at x.cu:18 with no …" */
void shadow_report_race(const struct shared_races *shadow, const struct shadow_access *by,
			size_t cell, const struct rival *rival)
{
	struct text text = TEXT_INIT;

	add_access(&text, shadow, by, cell);
	add_place(&text, shadow, by->place);
	text_add(&text, ", which ");
	add_thread(&text, by->warp, rival->thread);
	text_add(&text, rival->wrote ? " wrote" : " read");
	add_place(&text, shadow, rival->place);
	if (warp_of_thread(by->warp->block, rival->thread)->block != by->warp->block)
		text_add(&text, " with no barrier of the cluster between; order the accesses with "
				"cluster.sync(), or use different words");
	else if (by->warp->block->launch->shared_locking)
		text_add(&text,
			 " with no barrier or lock between; a lock or flag orders accesses if "
			 "__threadfence_block() is executed after it is taken or seen, and before "
			 "it is released or set; else use __syncthreads(), or __syncwarp() within "
			 "a warp, or different words");
	else
		text_add(&text, " with no barrier between; order the accesses with "
				"__syncthreads(), or __syncwarp() within a warp, or use different "
				"words");
	report_text(by, FINDING_RACE, &text);
	suspect_load_at(shadow, by, by->place);
	if (!rival->wrote)
		suspect_load_at(shadow, by, rival->place);
}

/* "thread (1,0,0) reads word 12 before thread (0,0,0) has waited for its asynchronous copy …" */
void shadow_report_unwaited(const struct shared_races *shadow, const struct shadow_access *by,
			    size_t cell, const struct rival *copier)
{
	struct text text = TEXT_INIT;

	add_access(&text, shadow, by, cell);
	text_add(&text, " before ");
	add_thread(&text, by->warp, copier->thread);
	text_add(&text, " has waited for its asynchronous copy to it");
	add_place(&text, shadow, copier->place);
	text_add(&text, "; wait for the copy, then synchronise the threads");
	report_text(by, FINDING_UNWAITED_COPY, &text);
}

/* "thread (1,0,0) writes word 12 before thread (0,0,0) has waited for its bulk copy from it …" */
void shadow_report_source(const struct shared_races *shadow, const struct shadow_access *by,
			  size_t cell, const struct rival *copier)
{
	struct text text = TEXT_INIT;

	add_thread(&text, by->warp, by->thread);
	text_addf(&text, " %s %s %zu before ", by->atomic ? "changes" : "writes",
		  shadow->grain == WORD_BYTES ? "word" : "byte", own_cell(shadow, cell));
	add_thread(&text, by->warp, copier->thread);
	text_add(&text, " has waited for its bulk copy from it");
	add_place(&text, shadow, copier->place);
	text_add(&text, "; wait for the copy (cp.async.bulk.wait_group.read), then synchronise the "
			"threads");
	report_text(by, FINDING_UNWAITED_COPY, &text);
}

/* "thread (1,0,0) writes word 12 before warpgroup 0 has waited for its product at x.cu:20 …" */
void shadow_report_product(const struct shared_races *shadow, const struct shadow_access *by,
			   size_t cell, unsigned group, uint32_t place)
{
	struct text text = TEXT_INIT;

	add_access(&text, shadow, by, cell);
	text_addf(&text, " before all warps of warpgroup %u have waited for the product", group);
	add_place(&text, shadow, place);
	text_add(&text, ", which reads it; execute wgmma.wait_group, then synchronise the threads");
	report_text(by, FINDING_UNWAITED_PRODUCT, &text);
}

/* "wgmma reads word 12 (or: a bulk copy reads it), which thread (0,0,0) wrote at x.cu:18 with no
 * fence.proxy.async …" */
void shadow_report_unfenced(const struct shared_races *shadow, const struct shadow_access *by,
			    size_t cell, const struct rival *writer)
{
	const char *reader = by->at->operation == OP_GROUP_PRODUCT ? "wgmma" : "a bulk copy";
	struct text text = TEXT_INIT;

	text_addf(&text, "%s reads %s %zu, which ", reader,
		  shadow->grain == WORD_BYTES ? "word" : "byte", own_cell(shadow, cell));
	add_thread(&text, by->warp, writer->thread);
	text_add(&text, " wrote");
	add_place(&text, shadow, writer->place);
	text_addf(&text,
		  " with no fence.proxy.async between; execute it after the write and before "
		  "the barrier, or %s may read the old value",
		  by->at->operation == OP_GROUP_PRODUCT ? reader : "the copy");
	warp_finding(by->warp, by->at, -1, FINDING_UNFENCED, "%s", text.data);
	text_release(&text);
}

/* "the block ends, and block (1,0,0) may still access its shared memory at x.cu:20; wait …" */
void shadow_report_ended(const struct shared_races *shadow, struct warp *warp,
			 const struct instruction *at, const struct remote_use *use)
{
	const int64_t *index = use->warp->block->index;
	struct text text = TEXT_INIT;

	text_addf(&text, "the block ends, and block (%d,%d,%d) may still access its shared memory",
		  (int)index[0], (int)index[1], (int)index[2]);
	add_place(&text, shadow, use->place);
	text_add(&text, ", since nothing orders that before the end; wait at a barrier of the "
			"cluster before the block ends");
	warp_finding(warp, at, -1, FINDING_ABSENT_BLOCK, "%s", text.data);
	text_release(&text);
}
