/* What the processes of a sweep on several GPUs share. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/sweep/gpus/gpus.h"

#define UNIT_FREE 0
/* A claimed unit has the number of the slot from 1, a done one its negative. */
#define UNIT_CLAIMED(slot) ((slot) + 1)
#define UNIT_DONE(slot) (-((slot) + 1))
#define TURN_POLL_MS 2

int gpu_share_new(struct gpu_share **out, const struct plan *plan, struct error *err)
{
	const size_t bytes = sizeof(struct gpu_share) + (plan->count + 1) * sizeof(struct gpu_case);
	struct gpu_share *share = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* all zeroes */

	if (share == MAP_FAILED)
		return error_set(err, PL_ENOMEM, "memory that the GPUs' processes share: %s",
				 strerror(errno));
	share->bytes = bytes;
	share->count = plan->count;
	for (size_t i = 0; i < plan->count; i++)
		share->cases[i].unit = plan_base(plan, &plan->cases[i]) ? plan->cases[i].base : i;
	*out = share;
	return 0;
}

void gpu_share_free(struct gpu_share *share)
{
	if (share)
		munmap(share, share->bytes);
}

static atomic_int *unit_state(struct gpu_share *share, size_t index)
{
	return &share->cases[share->cases[index].unit].state;
}

bool gpu_share_claim(struct gpu_share *share, int slot, size_t index)
{
	int seen = UNIT_FREE;

	return atomic_compare_exchange_strong(unit_state(share, index), &seen,
					      UNIT_CLAIMED(slot)) ||
	       seen == UNIT_CLAIMED(slot) || seen == UNIT_DONE(slot);
}

int gpu_share_owner(const struct gpu_share *share, size_t index)
{
	const int state = atomic_load(&share->cases[share->cases[index].unit].state);

	return (state < 0 ? -state : state) - 1;
}

void gpu_share_set_done(struct gpu_share *share, int slot, size_t index, bool done)
{
	int seen = done ? UNIT_CLAIMED(slot) : UNIT_DONE(slot);

	atomic_compare_exchange_strong(unit_state(share, index), &seen,
				       done ? UNIT_DONE(slot) : UNIT_CLAIMED(slot));
}

size_t gpu_share_give_back(struct gpu_share *share, int slot)
{
	size_t freed = 0;

	for (size_t i = 0; i < share->count; i++)
		freed += atomic_load(unit_state(share, i)) == UNIT_CLAIMED(slot);
	for (size_t i = 0; i < share->count; i++) {
		int seen = UNIT_CLAIMED(slot);

		atomic_compare_exchange_strong(unit_state(share, i), &seen, UNIT_FREE);
	}
	return freed;
}

size_t gpu_share_free_cases(const struct gpu_share *share)
{
	size_t count = 0;

	for (size_t i = 0; i < share->count; i++)
		count += gpu_share_owner(share, i) < 0;
	return count;
}

bool gpu_share_await_turn(struct gpu_share *share, int slot)
{
	for (;;) {
		int turn = atomic_load(&share->turn);

		if (share->stop)
			return false;
		if (turn >= slot)
			return true;
		if (atomic_load(&share->slots[turn].ended))
			atomic_compare_exchange_strong(&share->turn, &turn, turn + 1);
		else
			poll(NULL, 0, TURN_POLL_MS);
	}
}

void gpu_share_end_turn(struct gpu_share *share, int slot)
{
	int turn = slot;

	atomic_compare_exchange_strong(&share->turn, &turn, slot + 1);
}
