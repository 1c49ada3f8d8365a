#include "emulator/machine/block.h"

#include "emulator/machine/memory/device_memory.h"

#include <string.h>

/* Rounds before the first state is saved; few blocks take as many. Later ones are saved whenever
 * the number has doubled. */
#define FIRST_ROUNDS 256

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
	const unsigned char *from = data;

	while (bytes) {
		uint64_t word = 0;
		size_t step = bytes < sizeof(word) ? bytes : sizeof(word);

		memcpy(&word, from, step);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
		from += step;
		bytes -= step;
	}
	return hash;
}

static uint64_t hash_split(uint64_t hash, const struct frame *frame, uint32_t pc, uint32_t mask,
			   uint32_t state)
{
	const uint32_t place[3] = {pc, mask, state};

	hash = hash_bytes(hash, place, sizeof(place));
	for (; frame; frame = frame->caller)
		hash = hash_bytes(hash, frame->file, frame->function->file_bytes);
	return hash;
}

static uint64_t hash_warp(uint64_t hash, const struct warp *warp)
{
	hash = hash_bytes(hash, warp->arrived, sizeof(warp->arrived));
	if (warp->active)
		hash = hash_split(hash, warp->frame, warp->pc, warp->active, SPLIT_READY);
	for (unsigned k = 0; k < warp->waiting_count; k++)
		hash = hash_split(hash, warp->waiting[k].frame, warp->waiting[k].pc,
				  warp->waiting[k].mask, warp->waiting[k].state);
	return hash;
}

uint64_t state_hash_block(uint64_t hash, const struct block *block)
{
	hash = hash_bytes(hash, block->shared, (size_t)block->launch->shared_bytes);
	for (unsigned i = 0; i < block->warp_count; i++)
		hash = hash_warp(hash, &block->warps[i]);
	return hash;
}

/* Adds the local memory of its threads. */
static uint64_t state_hash_local(uint64_t hash, const struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		hash = hash_bytes(hash, block->warps[i].local,
				  (size_t)block->warps[i].local_bytes * LANES);
	return hash;
}

uint64_t state_hash_memory(uint64_t hash, const struct launch *launch)
{
	const struct device_memory *memory = launch->memory;

	hash = hash_bytes(hash, &launch->clock, sizeof(launch->clock));
	for (size_t i = 0; i < memory->count; i++)
		hash = hash_bytes(hash, memory->items[i].data, memory->items[i].bytes);
	return hash;
}

uint64_t executed_stores(const struct launch *launch, bool atomics)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < launch->program->function_count; i++) {
		const struct program_function *function = &launch->program->functions[i];

		for (size_t k = 0; k < function->code_count; k++) {
			const struct instruction_count *count = &launch->counts[i][k];
			const uint16_t operation = function->code[k].operation;

			if (operation == OP_STORE || operation == OP_COPY ||
			    operation == OP_BULK_COPY ||
			    (atomics && (operation == OP_ATOMIC || operation == OP_BULK_REDUCE)))
				sum += count->requests + count->shared_requests +
				       count->local_requests + count->remote_requests;
		}
	}
	return sum;
}

/* With which of the splits of a warp gets the next turn, and when. */
static uint64_t hash_threads(const struct block *block)
{
	uint64_t hash = state_hash_block(0, block);

	for (unsigned i = 0; i < block->warp_count; i++) {
		const struct warp *warp = &block->warps[i];
		const uint32_t next[2] = {warp->backward_branches, warp->favoured};

		hash = hash_bytes(hash, next, sizeof(next));
		for (unsigned k = 0; k < warp->waiting_count; k++) {
			const uint32_t age = warp->turns - warp->waiting[k].turn;

			hash = hash_bytes(hash, &age, sizeof(age));
		}
	}
	return hash;
}

/* The first warp that has not ended changes in nearly every round of a block that goes on. */
static uint64_t hash_first_warp(const struct block *block)
{
	unsigned first = 0;

	while (first + 1 < block->warp_count && !block->warps[first].active &&
	       !block->warps[first].waiting_count)
		first++;
	return hash_warp(0, &block->warps[first]);
}

bool stall_watch_round(struct stall_watch *watch, const struct block *block)
{
	uint64_t all;

	/* What these hold besides memory is not in the state. */
	if (++watch->rounds < FIRST_ROUNDS || block->mbarriers || block->bulk || block->groups)
		return false;
	if (watch->rounds >= 2 * watch->saved_at) {
		*watch = (struct stall_watch){
			.rounds = watch->rounds,
			.saved_at = watch->rounds,
			.first_warp = hash_first_warp(block),
			.threads = hash_threads(block),
		};
		return false;
	}
	if (watch->memory_differs || hash_first_warp(block) != watch->first_warp ||
	    hash_threads(block) != watch->threads)
		return false;
	/* Memory may have gigabytes, so it is read only now. */
	all = state_hash_memory(state_hash_local(watch->threads, block), block->launch);
	if (!watch->has_all) {
		watch->has_all = true;
		watch->all = all;
		return false;
	}
	watch->memory_differs = all != watch->all;
	return !watch->memory_differs;
}
