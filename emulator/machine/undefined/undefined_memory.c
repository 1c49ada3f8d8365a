#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/copies/bulk.h"
#include "emulator/machine/memory/access.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/undefined/undefined_parts.h"

#include <string.h>

/* ---- places ---- */

uint64_t access_address(const struct warp *warp, const struct instruction *at, int lane)
{
	const bool narrow = at->a && at->narrow_address;
	const uint64_t address =
		lane_value(warp, at->a, narrow ? 4 : 8, lane) + (uint64_t)at->offset;

	return narrow ? (uint32_t)address : address;
}

/* What is known of an allocation when it is first accessed: which bytes the host has written. */
static void open_allocation(const struct launch *launch, struct allocation *in)
{
	if (in->undefined.bits || !in->bytes_written || !follower_is_whole(launch->follower) ||
	    !undefined_memory_create(&in->undefined, in->bytes, true))
		return;
	for (uint64_t i = 0; i < in->bytes; i++)
		if (written_all(in, i, 1))
			in->undefined.bits[i] = 0;
}

struct undefined_place undefined_place_of(struct warp *warp, enum ptx_space space, int lane,
					  uint64_t address, uint64_t bytes)
{
	struct undefined_place place = {.space = space};
	struct allocation *in;
	struct block *block;
	uint32_t offset;

	if (space == PTX_SPACE_GENERIC && address - SHARED_WINDOW < WINDOW_BYTES)
		place.space = PTX_SPACE_SHARED;
	else if (space == PTX_SPACE_PARAM ||
		 (space == PTX_SPACE_GENERIC && address - LOCAL_WINDOW < WINDOW_BYTES))
		place.space = PTX_SPACE_LOCAL;
	else if (space != PTX_SPACE_SHARED && space != PTX_SPACE_LOCAL)
		place.space = PTX_SPACE_GLOBAL;
	if (place.space == PTX_SPACE_SHARED) { /* the windows begin at multiples of their size */
		block = cluster_find_block(warp->block, (uint32_t)address, &offset);
		if (!block || offset + bytes > (uint64_t)warp->block->launch->shared_bytes)
			return place;
		place.memory = &block->undefined;
		place.offset = place.number = offset;
	} else if (place.space == PTX_SPACE_LOCAL) {
		address %= WINDOW_BYTES;
		if (address > warp->local_bytes || bytes > warp->local_bytes - address)
			return place;
		place.memory = &warp->local_undefined;
		place.offset = (uint64_t)lane * warp->local_bytes + address;
		place.number = address;
	} else {
		in = device_memory_below(warp->block->launch->memory, address);
		if (!in || address - in->address >= in->bytes ||
		    bytes > in->bytes - (address - in->address))
			return place;
		open_allocation(warp->block->launch, in);
		place.in = in;
		place.memory = &in->undefined;
		place.offset = place.number = address - in->address;
	}
	return place;
}

/* What a lane accesses at the address in row a. */
static struct undefined_place accessed_place(struct warp *warp, const struct instruction *at,
					     int lane, uint64_t bytes)
{
	return undefined_place_of(warp, (enum ptx_space)at->space, lane,
				  access_address(warp, at, lane), bytes);
}

static undefined_origin byte_origin(struct warp *warp, const struct instruction *at, int lane,
				    const struct undefined_place *place, uint64_t skip)
{
	const undefined_origin known = place->memory->origins[place->offset + skip];
	struct unwritten_byte byte = {
		.kind = place->space == PTX_SPACE_LOCAL    ? FINDING_UNINITIALISED_LOCAL
			: place->space == PTX_SPACE_SHARED ? FINDING_UNINITIALISED
							   : FINDING_UNWRITTEN,
		.at = place->number + skip,
	};

	if (known)
		return known;
	if (place->in) {
		byte.name = place->in->name;
		byte.bytes = place->in->bytes;
	}
	return origin_of_byte(warp, at, lane, &byte);
}

struct undefined_bits place_read(struct warp *warp, const struct instruction *at, int lane,
				 const struct undefined_place *place, uint64_t skip, unsigned bytes)
{
	struct undefined_bits value = {0};

	if (!place->memory || !place->memory->bits)
		return value;
	for (unsigned i = 0; i < bytes; i++) {
		const uint64_t bits = place->memory->bits[place->offset + skip + i];

		if (bits && !value.bits)
			value.origin = byte_origin(warp, at, lane, place, skip + i);
		value.bits |= bits << 8 * i;
	}
	return value;
}

/* Returns false if all bytes are defined, and stay so. */
static bool open_for_writing(const struct undefined_place *place, uint64_t bits)
{
	if (!place->memory)
		return false;
	if (!place->memory->bits && place->in && bits)
		undefined_memory_create(place->memory, place->in->bytes, false);
	return place->memory->bits != NULL;
}

void place_write(const struct undefined_place *place, uint64_t skip, unsigned bytes,
		 struct undefined_bits value)
{
	if (!open_for_writing(place, value.bits))
		return;
	for (unsigned i = 0; i < bytes; i++) {
		const unsigned char bits = (unsigned char)(value.bits >> 8 * i);

		place->memory->bits[place->offset + skip + i] = bits;
		if (bits)
			place->memory->origins[place->offset + skip + i] = value.origin;
	}
}

void place_copy(struct warp *warp, const struct instruction *at, int lane,
		const struct undefined_place *to, const struct undefined_place *from,
		uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++)
		place_write(to, i, 1, place_read(warp, at, lane, from, i, 1));
}

void undefined_use(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
		   unsigned bytes)
{
	const struct undefined_place place =
		undefined_place_of(warp, PTX_SPACE_GENERIC, lane, address, bytes);

	value_use(warp, at, place_read(warp, at, lane, &place, 0, bytes));
}

/* ---- loads and stores ---- */

static unsigned row_width(const struct instruction *at)
{
	return at->width == 8 ? 64 : 32;
}

static void use_address(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	row_use(warp, at, at->a, !at->narrow_address, lanes);
}

void undefined_load(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	use_address(warp, at, lanes);
	EACH_BIT(lane, lanes) {
		const struct undefined_place place =
			accessed_place(warp, at, lane, (uint64_t)at->width * at->vector);

		for (unsigned i = 0; i < at->vector; i++) {
			struct undefined_bits value = place_read(
				warp, at, lane, &place, (uint64_t)i * at->width, at->width);

			if (at->extension == EXTEND_SIGN && at->width < 4 &&
			    value.bits >> (8 * at->width - 1) & 1)
				value.bits |= UINT64_MAX << 8 * at->width;
			row_set(warp, at->rows[i], lane, row_width(at), value);
		}
	}
}

void undefined_store(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	use_address(warp, at, lanes);
	row_use(warp, at, at->d, false, lanes); /* the mbarrier of st.async */
	EACH_BIT(lane, lanes) {
		const struct undefined_place place =
			accessed_place(warp, at, lane, (uint64_t)at->width * at->vector);

		for (unsigned i = 0; i < at->vector; i++)
			place_write(&place, (uint64_t)i * at->width, at->width,
				    row_bits(warp, at, at->rows[i], lane, row_width(at)));
	}
}

/* Nobody has written what was discarded. */
void undefined_discard(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	EACH_BIT(lane, lanes) {
		const struct undefined_place place =
			undefined_place_of(warp, PTX_SPACE_GLOBAL, lane,
					   access_address(warp, at, lane), DISCARD_BYTES);

		if (!place.in)
			continue;
		for (unsigned i = 0; i < DISCARD_BYTES; i++) {
			const struct unwritten_byte byte = {FINDING_UNWRITTEN, place.in->name,
							    place.number + i, place.in->bytes};

			place_write(&place, i, 1,
				    (struct undefined_bits){0xff,
							    origin_of_byte(warp, at, lane, &byte)});
		}
	}
}

/* ---- atomics ---- */

/* An exchange does not use the memory: it loads and stores. */
static void exchange_lane(struct warp *warp, const struct instruction *at, int lane,
			  const struct undefined_place *place)
{
	const unsigned count = at->vector ? at->vector : 1;
	const bool vector = at->vector && at->rows[0];

	for (unsigned i = 0; i < count; i++) {
		const uint32_t from = vector ? at->rows[i] : at->b;
		const uint32_t to = vector ? at->rows[ATOMIC_RESULTS + i] : at->dst;
		const struct undefined_bits old =
			place_read(warp, at, lane, place, (uint64_t)i * at->width, at->width);

		place_write(place, (uint64_t)i * at->width, at->width,
			    row_bits(warp, at, from, lane, row_width(at)));
		row_set(warp, to, lane, row_width(at), old);
	}
}

static void use_atomic_operands(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const bool wide = at->width == 8;

	row_use(warp, at, at->b, wide, lanes);
	row_use(warp, at, at->c, wide, lanes);
	row_define(warp, at->dst, wide, lanes);
	for (unsigned i = 0; i < at->vector; i++) {
		row_use(warp, at, at->rows[i], wide, lanes);
		if (at->kind == ATOMIC_CAS)
			row_use(warp, at, at->rows[at->vector + i], wide, lanes);
		row_define(warp, at->rows[ATOMIC_RESULTS + i], wide, lanes);
	}
}

void undefined_atomic(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const uint64_t bytes = (uint64_t)at->width * (at->vector ? at->vector : 1);
	const bool exchanges = at->kind == ATOMIC_EXCH;

	use_address(warp, at, lanes);
	row_use(warp, at, at->d, false, lanes);
	if (!exchanges)
		use_atomic_operands(warp, at, lanes);
	EACH_BIT(lane, lanes) {
		const struct undefined_place place = accessed_place(warp, at, lane, bytes);

		if (exchanges) {
			exchange_lane(warp, at, lane, &place);
			continue;
		}
		for (uint64_t i = 0; i < bytes; i += at->width) {
			value_use(warp, at, place_read(warp, at, lane, &place, i, at->width));
			place_write(&place, i, at->width, (struct undefined_bits){0});
		}
	}
}

/* ---- asynchronous copies: they count as done when they are issued ---- */

void undefined_copy(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const unsigned bytes = (unsigned)at->width * at->vector;
	const uint32_t *sizes = at->c ? row_of(warp, at->c) : NULL;
	const uint32_t ignored = at->d ? predicate_mask(row_of(warp, at->d)) : 0;

	use_address(warp, at, lanes);
	row_use(warp, at, at->b, true, lanes);
	row_use(warp, at, at->c, false, lanes);
	row_use(warp, at, at->d, false, lanes);
	EACH_BIT(lane, lanes) {
		unsigned amount = sizes ? sizes[lane] : bytes;
		struct undefined_place to, from;
		const uint64_t source = lane_value(warp, at->b, 8, lane);

		if (amount > bytes || ignored >> lane & 1)
			amount = 0;
		to = undefined_place_of(warp, PTX_SPACE_SHARED, lane,
					access_address(warp, at, lane), bytes);
		from = undefined_place_of(warp, PTX_SPACE_GLOBAL, lane,
					  source + (uint64_t)at->from_offset, amount);
		place_copy(warp, at, lane, &to, &from, amount);
		for (unsigned i = amount; i < bytes; i++)
			place_write(&to, i, 1, (struct undefined_bits){0});
	}
}

/* ---- bulk copies: they move undefined bits as they move values ---- */

static struct undefined_place range_of(const struct warp *warp, struct allocation *in,
				       uint64_t offset)
{
	open_allocation(warp->block->launch, in);
	return (struct undefined_place){&in->undefined, in, PTX_SPACE_GLOBAL, offset, offset};
}

static struct undefined_place share_of(struct block *block, uint32_t offset)
{
	return (struct undefined_place){&block->undefined, NULL, PTX_SPACE_SHARED, offset, offset};
}

static unsigned char bulk_bits(const struct bulk_issue *issue, const struct undefined_place *place,
			       uint64_t skip)
{
	const struct undefined_bits value =
		place_read(issue->warp, issue->at, (int)issue->lane, place, skip, 1);

	if (value.bits && !*issue->origin)
		*issue->origin = value.origin;
	return (unsigned char)value.bits;
}

void undefined_bulk_read(const struct bulk_issue *issue, struct allocation *in, uint64_t offset,
			 unsigned char *to, uint32_t bytes)
{
	const struct undefined_place place = range_of(issue->warp, in, offset);

	for (uint32_t i = 0; i < bytes; i++)
		to[i] = bulk_bits(issue, &place, i);
}

unsigned char *undefined_bulk_source(const struct bulk_issue *issue, uint32_t offset,
				     uint32_t bytes)
{
	struct block *block = issue->warp->block;
	const struct undefined_place place = share_of(block, offset);

	for (uint32_t i = 0; i < bytes && !*issue->origin; i++)
		bulk_bits(issue, &place, i);
	return block->undefined.bits + offset;
}

void undefined_bulk_write(const struct bulk_issue *issue, struct allocation *in,
			  struct block *block, uint64_t offset, const unsigned char *from,
			  uint32_t bytes)
{
	const struct undefined_place place =
		in ? range_of(issue->warp, in, offset) : share_of(block, (uint32_t)offset);

	for (uint32_t i = 0; i < bytes; i++) {
		struct undefined_bits value = {from[i], *issue->origin};

		if (issue->at->operation == OP_BULK_REDUCE) {
			value_use(issue->warp, issue->at, value);
			value_use(
				issue->warp, issue->at,
				place_read(issue->warp, issue->at, (int)issue->lane, &place, i, 1));
			value.bits = 0;
		}
		place_write(&place, i, 1, value);
	}
}

/* ---- surfaces ---- */

void undefined_surface_load(struct warp *warp, const struct instruction *at, int lane,
			    struct allocation *in, uint64_t offset)
{
	const struct undefined_place place = range_of(warp, in, offset);

	for (unsigned i = 0; i < at->vector; i++)
		row_set(warp, at->rows[i], lane, row_width(at),
			place_read(warp, at, lane, &place, (uint64_t)i * at->width, at->width));
}

void undefined_surface_store(struct warp *warp, const struct instruction *at, int lane,
			     struct allocation *in, uint64_t offset, unsigned texel_bytes)
{
	const struct undefined_place place = range_of(warp, in, offset);
	struct undefined_bits any = {0};

	for (unsigned i = 0; i < at->vector; i++) {
		const struct undefined_bits value =
			row_bits(warp, at, at->rows[i], lane, row_width(at));

		if (!any.bits)
			any = value;
		if (!texel_bytes)
			place_write(&place, (uint64_t)i * at->width, at->width, value);
	}
	any.bits = any.bits ? UINT64_MAX : 0;
	for (unsigned i = 0; i < texel_bytes; i++)
		place_write(&place, i, 1, any);
}
