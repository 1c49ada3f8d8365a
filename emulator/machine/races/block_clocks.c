#include "emulator/machine/races/block_clocks.h"

#include <stdlib.h>
#include <string.h>

/* The warps that the clocks of a block may count. */
static unsigned counted_warps(const struct block *block)
{
	return cluster_count(block) * BLOCK_WARPS_MOST;
}

void clocks_begin(struct block *block)
{
	if (!block->clocks)
		block->clocks = xcalloc(1, sizeof(*block->clocks));
	for (unsigned i = 0; i < BLOCK_WARPS_MOST; i++)
		memset(block->clocks->warps[i].known, 0, counted_warps(block) * sizeof(uint32_t));
	memset(block->clocks->fenced.known, 0, counted_warps(block) * sizeof(uint32_t));
}

void clocks_learn(const struct block *block, struct warp_clocks *to, const struct warp_clocks *from)
{
	const unsigned count = counted_warps(block);

	for (unsigned i = 0; i < count; i++)
		if (to->known[i] < from->known[i])
			to->known[i] = from->known[i];
}

void clocks_release(struct warp *warp, struct warp_clocks *into)
{
	struct warp_clocks *own = &warp->block->clocks->warps[warp->index];

	own->known[cluster_warp(warp)]++;
	clocks_learn(warp->block, into, own);
}

void clocks_acquire(struct warp *warp, const struct warp_clocks *from)
{
	clocks_learn(warp->block, &warp->block->clocks->warps[warp->index], from);
	/* The phase may hold the order between lanes of this warp, too. */
	warp->sync_epoch++;
}

void clocks_release_own(struct warp *warp, struct warp_clocks *into)
{
	const unsigned number = cluster_warp(warp);

	into->known[number] = ++warp->block->clocks->warps[warp->index].known[number];
}

void clocks_fence(struct warp *warp)
{
	clocks_learn(warp->block, &warp->block->clocks->fenced,
		     &warp->block->clocks->warps[warp->index]);
}

/* ---- barriers ---- */

void clocks_of_block(const struct block *block, struct warp_clocks *into)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		clocks_learn(block, into, &block->clocks->warps[i]);
}

void clocks_join(struct block *const *blocks, unsigned count)
{
	struct warp_clocks all = {0};

	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < blocks[i]->warp_count; k++)
			clocks_release(&blocks[i]->warps[k], &all);
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < blocks[i]->warp_count; k++)
			clocks_acquire(&blocks[i]->warps[k], &all);
}

/* ---- locks and flags ---- */

#define WORD_BYTES 4

struct shared_locks {
	/* By warp: what it knew and had done at its last fence, and what was released at the
	 * locations that it has read. */
	struct warp_clocks fenced[BLOCK_WARPS_MOST], seen[BLOCK_WARPS_MOST];
	uint32_t lanes[BLOCK_WARPS_MOST]; /* the clock up to which its lanes know each other */
	/* What was released at each location that has a number in by_word: in shared memory, minus
	 * 1; 0: none. */
	struct warp_clocks *released;
	size_t count, capacity, words;
	uint32_t *by_word;
};

void shared_locks_free(struct shared_locks *locks)
{
	if (!locks)
		return;
	free(locks->released);
	free(locks->by_word);
	free(locks);
}

void shared_locks_begin(struct block *block)
{
	struct shared_locks *locks = block->locks;

	if (!locks)
		return;
	memset(locks->fenced, 0, sizeof(locks->fenced));
	memset(locks->seen, 0, sizeof(locks->seen));
	memset(locks->lanes, 0, sizeof(locks->lanes));
	memset(locks->by_word, 0, locks->words * sizeof(*locks->by_word));
	locks->count = 0;
}

/* Whether the instruction may tell other threads of the block something. */
static bool may_set_flag(const struct instruction *at)
{
	return (at->space == PTX_SPACE_SHARED || at->space == PTX_SPACE_GENERIC) &&
	       (at->operation == OP_ATOMIC ||
		(at->operation == OP_STORE && (at->strong || at->is_volatile)));
}

enum shared_locking program_shared_locking(const struct ptx_program *program)
{
	bool fences = false, flags = false, locks = false;

	for (size_t i = 0; i < program->function_count; i++) {
		const struct program_function *function = &program->functions[i];

		for (size_t k = 0; k < function->code_count; k++) {
			const struct instruction *at = &function->code[k];

			fences |= at->operation == OP_FENCE && at->kind != FENCE_NONE &&
				  at->kind != FENCE_ASYNC_PROXY;
			flags |= may_set_flag(at);
			locks |= may_set_flag(at) &&
				 (at->operation == OP_STORE || at->kind == ATOMIC_CAS ||
				  at->kind == ATOMIC_EXCH);
		}
	}
	return fences && flags ? LOCKING_WITH_FENCES
	       : locks         ? LOCKING_WITHOUT_FENCES
			       : LOCKING_NONE;
}

static struct shared_locks *locks_of(struct block *block)
{
	if (!block->locks) {
		block->locks = xcalloc(1, sizeof(*block->locks));
		block->locks->words = (size_t)block->launch->shared_bytes / WORD_BYTES + 1;
		block->locks->by_word = xcalloc(block->locks->words, sizeof(uint32_t));
	}
	if (!block->clocks)
		clocks_begin(block);
	return block->locks;
}

void shared_locks_fence(struct warp *warp, bool releases, bool acquires)
{
	struct shared_locks *locks = locks_of(warp->block);
	struct warp_clocks *known = &warp->block->clocks->warps[warp->index];
	const unsigned own = cluster_warp(warp), i = warp->index;

	if (acquires) {
		if (locks->lanes[i] < locks->seen[i].known[own])
			locks->lanes[i] = locks->seen[i].known[own];
		clocks_learn(warp->block, known, &locks->seen[i]);
	}
	if (releases) {
		known->known[own]++;
		clocks_learn(warp->block, &locks->fenced[i], known);
	}
}

static void write_lock(struct warp *warp, struct shared_locks *locks, uint32_t word, bool joins)
{
	const struct warp_clocks *fenced = &warp->block->locks->fenced[warp->index];

	if (!locks->by_word[word]) {
		if (!fenced->known[cluster_warp(warp)])
			return;
		locks->released = xgrow(locks->released, &locks->capacity, locks->count + 1,
					sizeof(*locks->released));
		locks->by_word[word] = (uint32_t)++locks->count;
		joins = false;
	}
	if (joins)
		clocks_learn(warp->block, &locks->released[locks->by_word[word] - 1], fenced);
	else
		locks->released[locks->by_word[word] - 1] = *fenced;
}

void shared_locks_access(struct warp *warp, struct block *block, uint32_t mask,
			 const uint32_t offset[LANES], bool reads, bool writes)
{
	struct shared_locks *own = locks_of(warp->block), *locks = locks_of(block);
	uint32_t last = UINT32_MAX;
	unsigned lanes = 0; /* one after another at the last word */

	for (; mask; mask &= mask - 1) {
		const uint32_t word = offset[__builtin_ctz(mask)] / WORD_BYTES;

		/* The second lane sees what the first one released, and the others nothing more. */
		lanes = word == last ? lanes + 1 : 1;
		last = word;
		if (lanes > 2)
			continue;
		if (reads && locks->by_word[word])
			clocks_learn(warp->block, &own->seen[warp->index],
				     &locks->released[locks->by_word[word] - 1]);
		if (writes)
			write_lock(warp, locks, word, reads);
	}
}

bool shared_locks_order_lanes(const struct warp *warp, uint32_t clock)
{
	const struct shared_locks *locks = warp->block->locks;

	return locks && locks->lanes[warp->index] > clock;
}
