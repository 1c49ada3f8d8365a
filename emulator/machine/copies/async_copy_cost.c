#include "emulator/machine/copies/async_copy_cost.h"

#include "emulator/machine/memory/access.h"

#define LINE_BYTES 128
#define HALF_BYTES (SECTOR_BYTES / 2)

/* ---- through the L1 cache ---- */

static unsigned busiest_bank(const uint8_t count[BANKS])
{
	unsigned most = 0;

	for (int bank = 0; bank < BANKS; bank++)
		most = count[bank] > most ? count[bank] : most;
	return most;
}

static unsigned group_wavefronts(const struct copy_lanes *lanes, uint32_t group)
{
	uint8_t given[BANKS] = {0}, taken[BANKS] = {0};
	unsigned gives, takes;

	for (uint32_t rest = lanes->mask & group; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);

		for (unsigned at = 0; at < lanes->bytes; at += BANK_BYTES) {
			taken[(lanes->to[lane] + at) / BANK_BYTES % BANKS]++;
			if (lanes->reading >> lane & 1)
				given[(lanes->from[lane] + at) / BANK_BYTES % BANKS]++;
		}
	}
	gives = busiest_bank(given);
	takes = busiest_bank(taken);
	return gives > takes ? gives : takes;
}

static struct copy_cost cost_through_l1(const struct copy_lanes *lanes)
{
	const unsigned group = access_group(lanes->bytes);
	struct copy_cost cost = {0};
	uint32_t sector[LANES];

	/* 31 bits identify a sector: all allocations lie within 2^31 sectors of each other. */
	for (int lane = 0; lane < LANES; lane++)
		sector[lane] = (uint32_t)(lanes->from[lane] / SECTOR_BYTES) & INT32_MAX;
	cost.sectors = access_sectors(sector, lanes->reading);
	for (unsigned first = 0; first < LANES; first += group)
		cost.wavefronts += group_wavefronts(lanes, access_group_mask(group) << first);
	return cost;
}

/* ---- bypassing the L1 cache ---- */

/* A sector of global memory that is copied to a sector of shared memory. */
struct transfer {
	uint64_t from, to; /* numbers of the sectors */
	bool crossed;      /* the halves of the sector are swapped */
	unsigned halves;   /* mask of the halves of `to` */
	bool counted;      /* in the wavefronts of another transfer */
};

static struct transfer *find_transfer(struct transfer *transfers, unsigned count,
				      const struct transfer *like)
{
	for (unsigned i = 0; i < count; i++)
		if (transfers[i].from == like->from && transfers[i].to == like->to &&
		    transfers[i].crossed == like->crossed)
			return &transfers[i];
	return NULL;
}

static unsigned find_transfers(struct transfer transfers[LANES], const struct copy_lanes *lanes)
{
	unsigned count = 0;

	for (uint32_t rest = lanes->reading; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t from = lanes->from[lane], to = lanes->to[lane];
		struct transfer one = {.from = from / SECTOR_BYTES,
				       .to = to / SECTOR_BYTES,
				       .crossed = (from ^ to) / HALF_BYTES % 2};
		struct transfer *transfer = find_transfer(transfers, count, &one);

		if (!transfer) {
			transfer = &transfers[count++];
			*transfer = one;
		}
		transfer->halves |= 1U << to / HALF_BYTES % 2;
	}
	return count;
}

static bool share_wavefronts(const struct transfer *a, const struct transfer *b)
{
	const unsigned sectors = LINE_BYTES / SECTOR_BYTES;

	return a->from / sectors == b->from / sectors && a->to / sectors == b->to / sectors &&
	       a->halves == b->halves && a->crossed == b->crossed &&
	       (a->from ^ a->to) % 2 == (b->from ^ b->to) % 2;
}

/* Wavefronts of a transfer and of all that share them: in each one a sector takes part once. */
static unsigned shared_wavefronts(struct transfer *transfers, unsigned count,
				  const struct transfer *first)
{
	unsigned most = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned given = 0, taken = 0;

		if (!share_wavefronts(first, &transfers[i]))
			continue;
		transfers[i].counted = true;
		for (unsigned k = 0; k < count; k++) {
			bool together = share_wavefronts(first, &transfers[k]);

			given += together && transfers[k].from == transfers[i].from;
			taken += together && transfers[k].to == transfers[i].to;
		}
		most = given > most ? given : most;
		most = taken > most ? taken : most;
	}
	return most;
}

static struct copy_cost cost_past_l1(const struct copy_lanes *lanes)
{
	struct transfer transfers[LANES];
	unsigned count = find_transfers(transfers, lanes);
	struct copy_cost cost = {.sectors = count};

	for (unsigned i = 0; i < count; i++)
		if (!transfers[i].counted)
			cost.wavefronts += shared_wavefronts(transfers, count, &transfers[i]);
	if (lanes->reading != lanes->mask)
		cost.wavefronts += access_store_wavefronts(lanes->to, lanes->mask, lanes->bytes);
	return cost;
}

struct copy_cost copy_cost(const struct copy_lanes *lanes)
{
	return lanes->past_l1 ? cost_past_l1(lanes) : cost_through_l1(lanes);
}
