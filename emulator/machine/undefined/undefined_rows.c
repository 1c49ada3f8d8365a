#include "emulator/machine/finding.h"
#include "emulator/machine/undefined/undefined_bits.h"
#include "emulator/machine/undefined/undefined_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool undefined_memory_create(struct undefined_memory *memory, uint64_t bytes, bool undefined)
{
	/* The pages of calloc() cost nothing until an undefined value is stored. */
	memory->bits = calloc(bytes + 1, 1);
	memory->origins = calloc(bytes + 1, sizeof(*memory->origins));
	if (!memory->bits || !memory->origins) {
		undefined_memory_free(memory);
		memory->missing = true;
		return false;
	}
	if (undefined)
		memset(memory->bits, 0xff, bytes);
	return true;
}

void undefined_memory_free(struct undefined_memory *memory)
{
	free(memory->bits);
	free(memory->origins);
	*memory = (struct undefined_memory){0};
}

void undefined_memory_begin(struct undefined_memory *memory, uint64_t first, uint64_t bytes)
{
	if (!memory->bits)
		return;
	memset(memory->bits + first, 0xff, bytes);
	memset(memory->origins + first, 0, bytes * sizeof(*memory->origins));
}

void undefined_memory_move(struct undefined_memory *memory, uint64_t to, uint64_t from,
			   uint64_t bytes)
{
	if (!memory->bits)
		return;
	memmove(memory->bits + to, memory->bits + from, bytes);
	memmove(memory->origins + to, memory->origins + from, bytes * sizeof(*memory->origins));
}

bool undefined_file_create(struct undefined_file *file, size_t bytes)
{
	file->bits = calloc(bytes + 1, 1);
	file->origins = calloc(bytes + 1, 1);
	return file->bits && file->origins;
}

void undefined_file_free(struct undefined_file *file)
{
	free(file->bits);
	free(file->origins);
	*file = (struct undefined_file){0};
}

/* Origins that are told apart; those beyond share that of another thread at the same place. */
#define ORIGINS_MOST (UINT32_C(1) << 19)
#define RECENT_ORIGINS 4096
#define NAME_BYTES 48

/* Where an undefined value was read. */
struct origin {
	enum finding_kind kind;
	struct finding_place place;
	/* A register is undefined, but nobody has read it yet: what reads it becomes the place. */
	bool unnamed;
	bool discarded;
	char name[NAME_BYTES];                /* of the register or the allocation; "": none */
	uint64_t at, bytes;                   /* of memory */
	uint32_t lane, warp, members, source; /* of a shuffle */
	const char *why, *value;
};

struct follower {
	bool whole;
	struct origin *origins;
	size_t count, capacity;
	/* By a hash of the statement and the thread: the number of an origin. */
	undefined_origin recent[RECENT_ORIGINS];
	/* By a hash of the statement alone, once there are too many. */
	undefined_origin beyond[RECENT_ORIGINS];
};

struct follower *follower_create(bool whole)
{
	struct follower *follower = xcalloc(1, sizeof(*follower));

	follower->whole = whole;
	return follower;
}

bool follower_is_whole(const struct follower *follower)
{
	return follower->whole;
}

void follower_free(struct follower *follower)
{
	if (!follower)
		return;
	free(follower->origins);
	free(follower);
}

/* ---- origins ---- */

static bool is_same(const struct origin *origin, const struct origin *other)
{
	return origin->place.statement == other->place.statement && origin->kind == other->kind &&
	       origin->unnamed == other->unnamed && origin->place.entry == other->place.entry &&
	       !memcmp(origin->place.block, other->place.block, sizeof(other->place.block)) &&
	       !memcmp(origin->place.thread, other->place.thread, sizeof(other->place.thread)) &&
	       !strcmp(origin->name, other->name);
}

static undefined_origin add_origin(struct follower *follower, const struct origin *origin)
{
	uint64_t hash = (uint64_t)(uintptr_t)origin->place.statement + origin->unnamed;
	undefined_origin *recent;

	for (int i = 0; i < 3; i++)
		hash = (hash ^ (uint64_t)origin->place.thread[i] ^
			(uint64_t)origin->place.block[i] << 10) *
		       UINT64_C(0x9e3779b97f4a7c15);
	recent = &follower->recent[hash >> 52];
	if (*recent && is_same(&follower->origins[*recent - 1], origin))
		return *recent;
	if (follower->count >= ORIGINS_MOST) {
		const struct origin *other;

		hash = ((uint64_t)(uintptr_t)origin->place.statement * 8 +
			(uint64_t)origin->kind * 2 + origin->unnamed) *
		       UINT64_C(0x9e3779b97f4a7c15);
		recent = &follower->beyond[hash >> 52];
		other = &follower->origins[*recent ? *recent - 1 : 0];
		if (*recent &&
		    ((origin->place.statement == other->place.statement &&
		      origin->kind == other->kind && origin->unnamed == other->unnamed) ||
		     follower->count >= ORIGINS_MOST + RECENT_ORIGINS))
			return *recent;
	}
	follower->origins = xgrow(follower->origins, &follower->capacity, follower->count + 1,
				  sizeof(*follower->origins));
	follower->origins[follower->count++] = *origin;
	return *recent = (undefined_origin)follower->count;
}

static struct origin origin_at(const struct warp *warp, const struct instruction *at, int lane,
			       enum finding_kind kind, const char *name)
{
	struct origin origin = {.kind = kind};

	finding_place_set(&origin.place, warp, at, lane);
	if (name)
		snprintf(origin.name, sizeof(origin.name), "%s", name);
	return origin;
}

undefined_origin origin_of_byte(struct warp *warp, const struct instruction *at, int lane,
				const struct unwritten_byte *byte)
{
	struct origin origin = origin_at(warp, at, lane, byte->kind, byte->name);

	origin.at = byte->at;
	origin.bytes = byte->bytes;
	origin.discarded = at->operation == OP_DISCARD;
	return add_origin(warp->block->launch->follower, &origin);
}

undefined_origin origin_of_absent(struct warp *warp, const struct instruction *at, int lane,
				  uint32_t source)
{
	struct origin origin = origin_at(warp, at, lane, FINDING_ABSENT_SOURCE, NULL);

	origin.lane = (uint32_t)lane;
	origin.warp = warp->index;
	origin.members = ((const uint32_t *)row_of(warp, at->d))[lane];
	origin.source = source;
	origin.why = "is not in its member mask";
	if (!(warp->present >> source & 1))
		origin.why = "does not exist in this block";
	else if (warp->exited >> source & 1)
		origin.why = "has ended";
	else if (!(warp->active >> source & 1))
		origin.why = "does not execute the shuffle";
	origin.value = warp->active >> source & 1 ? "its value" : "0";
	return add_origin(warp->block->launch->follower, &origin);
}

undefined_origin origin_of_register(struct warp *warp, const struct instruction *at,
				    const char *name)
{
	struct origin origin = origin_at(warp, at, 0, FINDING_UNINITIALISED_REGISTER, name);

	origin.unnamed = true;
	return add_origin(warp->block->launch->follower, &origin);
}

/* The origin of a register that an instruction is the first to read. */
static undefined_origin read_origin(struct warp *warp, const struct instruction *at, int lane,
				    undefined_origin number)
{
	struct follower *follower = warp->block->launch->follower;
	char name[NAME_BYTES];
	struct origin origin;

	if (!number || !follower->origins[number - 1].unnamed)
		return number;
	memcpy(name, follower->origins[number - 1].name, sizeof(name));
	origin = origin_at(warp, at, lane, FINDING_UNINITIALISED_REGISTER, name);
	return add_origin(follower, &origin);
}

/* ---- rows ---- */

static struct undefined_file *file_of(const struct warp *warp)
{
	return warp->joint_undefined ? warp->joint_undefined : &warp->frame->undefined_bits;
}

struct undefined_bits row_bits(struct warp *warp, const struct instruction *at, uint32_t row,
			       int lane, unsigned width)
{
	const struct undefined_file *file = file_of(warp);
	struct undefined_bits value = {0};
	uint32_t narrow;

	if (!row)
		return value;
	if (width == 64) {
		memcpy(&value.bits, file->bits + row + 8 * (size_t)lane, 8);
	} else {
		memcpy(&narrow, file->bits + row + 4 * (size_t)lane, 4);
		value.bits = width == 1 ? narrow != 0 : narrow;
	}
	if (value.bits)
		value.origin = read_origin(warp, at, lane, file->origins[row / 4 + (size_t)lane]);
	return value;
}

void row_set(struct warp *warp, uint32_t row, int lane, unsigned width, struct undefined_bits value)
{
	struct undefined_file *file = file_of(warp);
	uint32_t narrow = width == 1 ? (value.bits ? UINT32_MAX : 0) : (uint32_t)value.bits;

	if (!row)
		return;
	if (width == 64)
		memcpy(file->bits + row + 8 * (size_t)lane, &value.bits, 8);
	else
		memcpy(file->bits + row + 4 * (size_t)lane, &narrow, 4);
	if (value.bits)
		file->origins[row / 4 + (size_t)lane] = value.origin;
}

bool row_is_undefined(const struct warp *warp, uint32_t row, bool wide)
{
	const unsigned char *bits = file_of(warp)->bits + row;
	uint64_t any = 0, part;

	if (!row)
		return false;
	for (size_t i = 0; i < LANES * (wide ? 8 : 4); i += 8) {
		memcpy(&part, bits + i, 8);
		any |= part;
	}
	return any != 0;
}

void row_use(struct warp *warp, const struct instruction *at, uint32_t row, bool wide,
	     uint32_t lanes)
{
	if (!row || !row_is_undefined(warp, row, wide))
		return;
	EACH_BIT(lane, lanes) {
		value_use(warp, at, row_bits(warp, at, row, lane, wide ? 64 : 32));
	}
}

void row_define(struct warp *warp, uint32_t row, bool wide, uint32_t lanes)
{
	if (!row || !row_is_undefined(warp, row, wide))
		return;
	for (; lanes; lanes &= lanes - 1)
		row_set(warp, row, __builtin_ctz(lanes), wide ? 64 : 32,
			(struct undefined_bits){0});
}

/* ---- uses ---- */

static void describe(struct text *out, const struct origin *origin)
{
	switch (origin->kind) {
	case FINDING_UNINITIALISED_REGISTER:
		text_addf(out, "register %s is read before it is written", origin->name);
		break;
	case FINDING_UNINITIALISED_LOCAL:
		text_addf(out,
			  "byte %" PRIu64 " of the thread's local memory is read before the thread "
			  "has written it",
			  origin->at);
		break;
	case FINDING_UNINITIALISED:
		text_addf(out,
			  "byte %" PRIu64
			  " of shared memory is read before any thread has written it",
			  origin->at);
		break;
	case FINDING_UNWRITTEN:
		text_addf(out, "byte %" PRIu64 " of '%s' (%" PRIu64 " bytes) is %s", origin->at,
			  origin->name, origin->bytes,
			  origin->discarded ? "undefined since discard.L2 destroyed its line"
					    : "read before the host or any thread has written it");
		break;
	default:
		text_addf(out,
			  "lane %u of warp %u, with the mask 0x%08x, reads lane %u, which %s; the "
			  "value is undefined (an H200 gives %s)",
			  origin->lane, origin->warp, origin->members, origin->source, origin->why,
			  origin->value);
	}
}

static void report(struct finding_list *findings, const struct origin *origin, const char *used)
{
	const bool absent = origin->kind == FINDING_ABSENT_SOURCE;
	struct text text = TEXT_INIT;

	describe(&text, origin);
	finding_add_at(findings, origin->kind, &origin->place, "%s%sused %s; %s", text.data,
		       absent ? " and " : ", and its value is ", used,
		       absent ? "read only lanes that execute the shuffle, or drop the value"
		       : origin->discarded ? "write it again first, or discard another line"
					   : "initialise it first");
	text_release(&text);
}

void value_use(struct warp *warp, const struct instruction *at, struct undefined_bits value)
{
	const struct launch *launch = warp->block->launch;
	struct text used = TEXT_INIT;

	if (!value.bits || !value.origin)
		return;
	text_add(&used, "at ");
	source_place_text(&used, launch->program->module,
			  instruction_statement(warp->frame->function, at));
	report(launch->findings, &launch->follower->origins[value.origin - 1], used.data);
	text_release(&used);
}

void undefined_use_buffer(const struct follower *follower, const struct allocation *in,
			  bool is_result, struct finding_list *findings)
{
	undefined_origin last = 0;
	struct text used = TEXT_INIT;

	for (uint64_t i = 0; in->undefined.bits && i < in->bytes; i++) {
		const undefined_origin origin = in->undefined.origins[i];

		if (!in->undefined.bits[i] || !origin || origin == last)
			continue;
		last = origin;
		text_clear(&used);
		text_addf(&used, "as byte %" PRIu64 " of %s'%s'%s", i,
			  is_result ? "the result " : "", in->name,
			  is_result ? "" : ", which is an input");
		report(findings, &follower->origins[origin - 1], used.data);
	}
	text_release(&used);
}
