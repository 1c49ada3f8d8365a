#include "emulator/machine/memory/device_memory.h"

#include "emulator/machine/races/global_cells.h"
#include "emulator/machine/textures/texture_object.h"
#include "emulator/machine/undefined/undefined.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ADDRESS (UINT64_C(1) << 46)
#define LAST_ADDRESS (HEAP_ADDRESS - DEVICE_FAR_BYTES)
/* An address further than this from every allocation is not described by the nearest one. */
#define NEAR_BYTES DEVICE_FAR_BYTES

/* The initial value of `recent`: an allocation that holds no address. */
static struct allocation nowhere;

static uint64_t sector_words(uint64_t bytes)
{
	return (bytes + 64 * SECTOR_BYTES - 1) / (64 * SECTOR_BYTES);
}

static void forget_recent(struct device_memory *memory)
{
	for (size_t i = 0; i < RECENT_ALLOCATIONS; i++)
		memory->recent[i] = &nowhere;
}

static void allocation_release(struct allocation *allocation)
{
	free(allocation->data);
	free(allocation->name);
	free(allocation->read);
	free(allocation->written);
	free(allocation->bytes_written);
	undefined_memory_free(&allocation->undefined);
	shadow_rows_free(allocation->shadow);
}

void device_memory_drop_rows(struct device_memory *memory, struct allocation *of)
{
	if (of->shadow)
		memory->rows_bytes -= shadow_rows_bytes(of->shadow);
	shadow_rows_free(of->shadow);
	of->shadow = NULL;
}

struct device_memory *device_memory_create(int64_t limit_bytes)
{
	struct device_memory *memory = xcalloc(1, sizeof(*memory));

	memory->limit_bytes = limit_bytes;
	forget_recent(memory);
	return memory;
}

void device_memory_release_textures(struct device_memory *memory)
{
	struct texture_list *list = memory->textures;

	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
	free(list);
	memory->textures = NULL;
}

void device_memory_free(struct device_memory *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->count; i++)
		allocation_release(&memory->items[i]);
	cell_pool_free(memory->shadow_pool);
	device_memory_release_textures(memory);
	free(memory->items);
	free(memory);
}

/* Finds the lowest gap for `bytes` with `guard` bytes on both sides. Returns the index of the
 * allocation after it. */
static size_t lowest_gap(const struct device_memory *memory, uint64_t bytes, uint64_t guard,
			 uint64_t *address)
{
	size_t index = 0;

	*address = FIRST_ADDRESS;
	for (; index < memory->count; index++) {
		const struct allocation *next = &memory->items[index];

		if (*address + bytes + guard <= next->address)
			break;
		*address = (next->address + next->bytes + guard + ALLOCATION_ALIGN_BYTES - 1) /
			   ALLOCATION_ALIGN_BYTES * ALLOCATION_ALIGN_BYTES;
	}
	return index;
}

static int check_free_bytes(const struct device_memory *memory, int64_t bytes, const char *name,
			    struct error *err)
{
	if (bytes < 0 || bytes > ALLOCATION_MOST_BYTES ||
	    bytes > memory->limit_bytes - memory->used_bytes)
		return error_set(err, PL_ENOMEM,
				 "'%s' needs %" PRId64 " bytes of emulated device memory, but "
				 "only %" PRId64 " of %" PRId64 " are free",
				 name, bytes, memory->limit_bytes - memory->used_bytes,
				 memory->limit_bytes);
	return 0;
}

int device_memory_take(struct device_memory *memory, int64_t *taken, int64_t bytes,
		       const char *name, struct error *err)
{
	int rc = check_free_bytes(memory, bytes, name, err);

	*taken = rc ? 0 : bytes;
	memory->used_bytes += *taken;
	return rc;
}

/* Adds an allocation before the one at `index`. */
static int insert_allocation(struct device_memory *memory, size_t index, uint64_t address,
			     int64_t bytes, const char *name, struct error *err)
{
	struct allocation new = {.address = address, .bytes = (uint64_t)bytes};

	new.data = calloc((size_t)bytes + 1, 1);
	new.read = calloc(sector_words(new.bytes) + 1, sizeof(*new.read));
	new.written = calloc(sector_words(new.bytes) + 1, sizeof(*new.written));
	if (!new.data || !new.read || !new.written) {
		allocation_release(&new);
		return error_set(err, PL_ENOMEM,
				 "the host cannot allocate %" PRId64 " bytes for '%s'", bytes,
				 name);
	}
	new.name = xstrdup(name);
	memory->items =
		xgrow(memory->items, &memory->capacity, memory->count + 1, sizeof(*memory->items));
	memmove(memory->items + index + 1, memory->items + index,
		(memory->count - index) * sizeof(*memory->items));
	memory->items[index] = new;
	memory->count++;
	memory->used_bytes += bytes;
	forget_recent(memory);
	return 0;
}

int device_memory_allocate(struct device_memory *memory, int64_t bytes, const char *name,
			   uint64_t *address, struct error *err)
{
	int rc = check_free_bytes(memory, bytes, name, err);
	uint64_t found;
	size_t index;

	if (rc)
		return rc;
	index = lowest_gap(memory, (uint64_t)bytes, DEVICE_FAR_BYTES, &found);
	if (found + (uint64_t)bytes > LAST_ADDRESS)
		index = lowest_gap(memory, (uint64_t)bytes, DEVICE_GUARD_BYTES, &found);
	if (found + (uint64_t)bytes > LAST_ADDRESS)
		return error_set(err, PL_ENOMEM,
				 "no address range is left for '%s' (%" PRId64 " bytes)", name,
				 bytes);
	rc = insert_allocation(memory, index, found, bytes, name, err);
	if (!rc)
		*address = found;
	return rc;
}

int device_memory_allocate_at(struct device_memory *memory, uint64_t address, int64_t bytes,
			      const char *name, struct error *err)
{
	int rc = check_free_bytes(memory, bytes, name, err);

	return rc ? rc : insert_allocation(memory, memory->count, address, bytes, name, err);
}

struct allocation *device_memory_below(const struct device_memory *memory, uint64_t address)
{
	size_t low = 0, high = memory->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memory->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &memory->items[low - 1] : NULL;
}

static struct allocation *begins_at(const struct device_memory *memory, uint64_t address)
{
	struct allocation *found = device_memory_below(memory, address);

	return found && found->address == address ? found : NULL;
}

void *device_memory_data(struct device_memory *memory, uint64_t address)
{
	struct allocation *found = begins_at(memory, address);

	return found ? found->data : NULL;
}

void device_memory_release(struct device_memory *memory, uint64_t address)
{
	struct allocation *found = begins_at(memory, address);

	if (!found)
		return;
	memory->used_bytes -= (int64_t)found->bytes;
	device_memory_drop_rows(memory, found);
	allocation_release(found);
	memory->count--;
	memmove(found, found + 1, (size_t)(memory->items + memory->count - found) * sizeof(*found));
	forget_recent(memory);
}

int device_memory_set_unwritten(struct device_memory *memory, uint64_t address, struct error *err)
{
	struct allocation *found = begins_at(memory, address);
	size_t bytes;

	if (!found)
		return 0;
	bytes = (size_t)(found->bytes / 64 + 1) * sizeof(*found->bytes_written);
	if (!found->bytes_written)
		found->bytes_written = malloc(bytes);
	if (!found->bytes_written)
		return error_set(err, PL_ENOMEM, "no memory to check '%s' for unwritten bytes",
				 found->name);
	memset(found->bytes_written, 0, bytes);
	return 0;
}

void device_memory_set_written(struct device_memory *memory, uint64_t address)
{
	struct allocation *found = begins_at(memory, address);

	if (!found)
		return;
	free(found->bytes_written);
	found->bytes_written = NULL;
}

void device_memory_all_written(struct device_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		device_memory_set_written(memory, memory->items[i].address);
}

struct touched_bytes device_memory_touched(const struct device_memory *memory)
{
	struct touched_bytes touched = {0};

	for (size_t i = 0; i < memory->count; i++) {
		const struct allocation *of = &memory->items[i];

		for (uint64_t word = 0; word < sector_words(of->bytes); word++) {
			touched.read += __builtin_popcountll(of->read[word]) * SECTOR_BYTES;
			touched.written += __builtin_popcountll(of->written[word]) * SECTOR_BYTES;
		}
	}
	return touched;
}

void device_memory_touched_reset(struct device_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++) {
		struct allocation *of = &memory->items[i];

		memset(of->read, 0, sector_words(of->bytes) * sizeof(*of->read));
		memset(of->written, 0, sector_words(of->bytes) * sizeof(*of->written));
	}
}

void device_memory_describe(struct text *out, const struct device_memory *memory, uint64_t address,
			    unsigned bytes)
{
	const struct allocation *below = device_memory_below(memory, address);
	size_t above = below ? (size_t)(below - memory->items) + 1 : 0;
	uint64_t past = UINT64_MAX, before = UINT64_MAX;

	if (below)
		past = address - below->address - below->bytes + bytes;
	if (above < memory->count)
		before = memory->items[above].address - address;
	if (address < DEVICE_GUARD_BYTES)
		text_add(out, "a null pointer or an address near it");
	else if (past > NEAR_BYTES && before > NEAR_BYTES)
		text_add(out, "far from every allocation");
	else if (past <= before)
		text_addf(out,
			  "which ends %" PRIu64 " bytes past the end of '%s' (%" PRIu64 " bytes)",
			  past, below->name, below->bytes);
	else
		text_addf(out, "which begins %" PRIu64 " bytes before '%s' (%" PRIu64 " bytes)",
			  before, memory->items[above].name, memory->items[above].bytes);
}
