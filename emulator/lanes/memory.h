/*
 * memory: shared by the handlers of loads, stores and atomics: the addresses of
 * the lanes, and copying between memory and rows. For files that are compiled
 * once per set. The lanes that take part are warp->active, which guards have
 * already narrowed.
 *
 * Handlers are compiled for shapes: MEMORY_SHAPE_LIST names the common widths
 * and vector lengths, for which the loops below become constant. One handler
 * that reads them from the instruction serves all others.
 *
 * A row may be both address and result, so addresses are copied before a result
 * is written. Rows are accessed with memcpy only, because their types change.
 */
#ifndef EMULATOR_LANES_MEMORY_H
#define EMULATOR_LANES_MEMORY_H

#include "emulator/lanes/handlers.h"
#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/races/races_shared.h"

#include <string.h>

/* Width and vector length of the shapes that have handlers of their own. */
#define MEMORY_SHAPE_LIST(X) X(1, 1) X(2, 1) X(4, 1) X(8, 1) X(4, 2) X(8, 2) X(4, 4)
struct memory_shape {
	unsigned width, vector;
	instruction_handler *load, *store;
};

/* NULL: the instruction has none of these shapes. */
static inline instruction_handler *memory_shape_handler(const struct memory_shape *shapes,
							size_t count, const struct instruction *at)
{
	for (size_t i = 0; i < count; i++)
		if (at->width == shapes[i].width && at->vector == shapes[i].vector)
			return at->operation == OP_STORE ? shapes[i].store : shapes[i].load;
	return NULL;
}

/* Whether a memory instruction writes what its rows hold. */
ALWAYS_INLINE bool memory_stores(const struct instruction *at)
{
	return at->operation == OP_STORE || at->operation == OP_MATRIX_STORE;
}

/* The handler of a load or store in shared memory: that of its shape, or the general one. */
instruction_handler *LANES_NAME(shared_handler)(const struct instruction *at);

/*
 * Executes the lanes of a mask that is not empty, for generic accesses. address[] holds offsets
 * into shared memory. Counts everything except the request.
 */
enum step LANES_NAME(shared_access)(struct warp *warp, const struct instruction *at, uint32_t mask,
				    const uint64_t address[LANES]);

/* Sums wrap at 64 bits, and sums of 32-bit addresses at 32. */
ALWAYS_INLINE void memory_addresses(uint64_t address[LANES], const struct warp *warp,
				    const struct instruction *at)
{
	if (at->a == 0) {
		for (int lane = 0; lane < LANES; lane++)
			address[lane] = (uint64_t)at->offset;
	} else if (at->narrow_address) {
		uint32_t narrow[LANES];

		memcpy(narrow, row_of(warp, at->a), sizeof(narrow));
		for (int lane = 0; lane < LANES; lane++)
			address[lane] = narrow[lane] + (uint32_t)at->offset;
	} else {
		memcpy(address, row_of(warp, at->a), LANES * sizeof(*address));
		for (int lane = 0; lane < LANES; lane++)
			address[lane] += (uint64_t)at->offset;
	}
}

/* The addresses of all lanes as 32-bit offsets. */
ALWAYS_INLINE void memory_offsets(uint32_t offset[LANES], const struct warp *warp,
				  const struct instruction *at)
{
	if (at->a == 0) {
		for (int lane = 0; lane < LANES; lane++)
			offset[lane] = (uint32_t)at->offset;
	} else if (at->narrow_address) {
		memcpy(offset, row_of(warp, at->a), LANES * sizeof(*offset));
		for (int lane = 0; lane < LANES; lane++)
			offset[lane] += (uint32_t)at->offset;
	} else {
		uint64_t wide[LANES];

		memcpy(wide, row_of(warp, at->a), sizeof(wide));
		for (int lane = 0; lane < LANES; lane++)
			offset[lane] = (uint32_t)wide[lane] + (uint32_t)at->offset;
	}
}

/*
 * Gives inactive lanes the address of the nearest active lane below, or of the
 * first active one. Tests of all lanes then hold for those of the mask, and
 * ascending addresses stay ascending.
 */
#define MEMORY_FILL(address, mask)                                                                 \
	do {                                                                                       \
		__typeof__((address)[0]) near_ = (address)[__builtin_ctz(mask)];                   \
		for (int lane_ = 0; lane_ < LANES; lane_++)                                        \
			(address)[lane_] = near_ = (mask) >> lane_ & 1 ? (address)[lane_] : near_; \
	} while (0)

/* Checks a request to one allocation. Not inlined, to keep the fast paths short. */
static __attribute__((noinline, unused)) void
memory_check_global(struct warp *warp, const struct instruction *at, uint32_t mask,
		    struct allocation *in, const uint64_t offset[LANES], unsigned bytes,
		    bool consecutive, uint64_t spread)
{
	const uint32_t lanes = mask & ~warp->dropped;

	if (!lanes)
		return;
	global_races_access(&(struct global_request){
		.warp = warp,
		.at = at,
		.in = in,
		.mask = lanes,
		.offset = offset,
		.bytes = bytes,
		.consecutive = consecutive && lanes == ALL_LANES,
		.spread = spread,
		.reads = at->operation != OP_STORE,
		.writes = at->operation != OP_LOAD,
	});
}

/* ---- bytes ---- */

/* The addresses of the lanes: offsets from `data`, or places one behind the other. */
struct memory_places {
	unsigned char *data;
	const uint64_t *wide; /* NULL: narrow */
	const uint32_t *narrow;
	unsigned step; /* bytes from lane to lane; 0: wide or narrow */
};

ALWAYS_INLINE unsigned char *memory_place(const struct memory_places *places, int lane)
{
	if (places->step)
		return places->data + (unsigned)lane * places->step;
	return places->data + (places->wide ? places->wide[lane] : places->narrow[lane]);
}

ALWAYS_INLINE uint64_t memory_get(const unsigned char *from, unsigned width, bool sign)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (width) {
	case 1:
		memcpy(&u8, from, 1);
		return sign ? (uint64_t)(int8_t)u8 : u8;
	case 2:
		memcpy(&u16, from, 2);
		return sign ? (uint64_t)(int16_t)u16 : u16;
	case 4:
		memcpy(&u32, from, 4);
		return u32;
	default:
		memcpy(&u64, from, 8);
		return u64;
	}
}

ALWAYS_INLINE void memory_put(unsigned char *to, uint64_t value, unsigned width)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (width) {
	case 1:
		memcpy(to, &u8, 1);
		break;
	case 2:
		memcpy(to, &u16, 2);
		break;
	case 4:
		memcpy(to, &u32, 4);
		break;
	default:
		memcpy(to, &value, 8);
	}
}

/* Access a lane of a row: 64 bits wide for width 8, else 32 bits. */
ALWAYS_INLINE uint64_t row_get(const unsigned char *row, int lane, unsigned width)
{
	return width == 8 ? memory_get(row + 8 * lane, 8, false)
			  : memory_get(row + 4 * lane, 4, false);
}

ALWAYS_INLINE void row_put(unsigned char *row, int lane, uint64_t value, unsigned width)
{
	memory_put(row + (width == 8 ? 8 : 4) * lane, value, width == 8 ? 8 : 4);
}

/* The addresses of lanes outside of the mask must be readable, too (MEMORY_FILL). */
ALWAYS_INLINE void memory_load(struct warp *warp, const struct instruction *at, uint32_t mask,
			       const struct memory_places *places, unsigned width, unsigned vector)
{
	const bool sign = at->extension == EXTEND_SIGN;

	for (unsigned element = 0; element < vector; element++) {
		unsigned char *row = row_of(warp, at->rows[element]);
		uint64_t value[LANES];

		if (at->rows[element] == 0)
			continue;
		if (mask == ALL_LANES) {
			for (int lane = 0; lane < LANES; lane++)
				row_put(row, lane,
					memory_get(memory_place(places, lane) + element * width,
						   width, sign),
					width);
			continue;
		}
		for (int lane = 0; lane < LANES; lane++)
			value[lane] = memory_get(memory_place(places, lane) + element * width,
						 width, sign);
		for (int lane = 0; lane < LANES; lane++)
			row_put(row, lane,
				mask >> lane & 1 ? value[lane] : row_get(row, lane, width), width);
	}
}

/* If several lanes write to one place, the value of the highest lane stays. */
ALWAYS_INLINE void memory_store(const struct warp *warp, const struct instruction *at,
				uint32_t mask, const struct memory_places *places, unsigned width,
				unsigned vector)
{
	for (int lane = 0; lane < LANES; lane++) {
		if (mask != ALL_LANES && !(mask >> lane & 1))
			continue;
		for (unsigned element = 0; element < vector; element++)
			memory_put(memory_place(places, lane) + element * width,
				   row_get(row_of(warp, at->rows[element]), lane, width), width);
	}
}

/* Returns true if lanes at consecutive addresses can be copied as one piece. */
ALWAYS_INLINE bool memory_copies(uint32_t mask, unsigned width, unsigned vector)
{
	return mask == ALL_LANES && vector == 1 && width >= 4;
}

#endif
