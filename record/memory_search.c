#include "record/memories.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MEMORIES_MOST 4096

/* Addresses of user space begin above, and end below. Smaller words are numbers. */
#define ADDRESS_LEAST (UINT64_C(1) << 32)
#define ADDRESS_MOST (UINT64_C(1) << 56)

/* The driver is asked at most so often for one launch: data full of words that look like addresses
 * must not hold the program up. */
#define QUERIES_MOST 1000000
/* No mapping of cuMemMap() is smaller. */
#define MAPPING_BYTES (UINT64_C(2) << 20)
#define UNKNOWN_SLOTS 65536
#define UNKNOWN_SHIFT 9 /* no allocation of the driver is smaller than 512 bytes */

void memories_init(struct memories *memories, int device, uint64_t limit_bytes,
		   struct capture_info *info)
{
	*memories = (struct memories){
		.device = device,
		.limit_bytes = limit_bytes,
		.info = info,
		.chunk = malloc(MEMORY_CHUNK_BYTES),
		.unknown = xcalloc(UNKNOWN_SLOTS, sizeof(uint64_t)),
	};
}

void memories_release(struct memories *memories)
{
	for (size_t i = 0; i < memories->info->memory_count; i++)
		free(memories->hashes[i]);
	for (size_t i = 0; i < memories->untouched_count; i++) {
		free(memories->untouched[i].name);
		free(memories->untouched[i].content);
	}
	free(memories->untouched);
	free(memories->hashes);
	free(memories->chunk);
	free(memories->unknown);
	*memories = (struct memories){0};
}

void memories_note_lost(struct memories *memories, const char *what)
{
	if (!string_list_has(&memories->info->lost, what) && memories->info->lost.count < 1000)
		string_list_add(&memories->info->lost, what);
}

/* ---- which memory an address is in ---- */

size_t memories_add(struct memories *memories, const struct capture_memory *memory)
{
	struct capture_info *info = memories->info;

	info->memory = xgrow(info->memory, &memories->capacity, info->memory_count + 1,
			     sizeof(*info->memory));
	memories->hashes = xgrow(memories->hashes, &memories->hash_capacity, info->memory_count + 1,
				 sizeof(*memories->hashes));
	memories->hashes[info->memory_count] = NULL;
	info->memory[info->memory_count] = *memory;
	memories->total_bytes += memory->bytes;
	return info->memory_count++;
}

/* SIZE_MAX: none that is known. */
static size_t known_memory(const struct memories *memories, uint64_t address)
{
	for (size_t i = 0; i < memories->info->memory_count; i++) {
		const struct capture_memory *memory = &memories->info->memory[i];

		if (address - memory->address < memory->bytes)
			return i;
	}
	return SIZE_MAX;
}

struct address_range {
	CUdeviceptr start;
	size_t bytes;
	unsigned type; /* CUmemorytype */
	unsigned managed;
	int device;
};

static bool query_range(struct memories *memories, uint64_t address, struct address_range *out)
{
	CUpointer_attribute attributes[] = {
		CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
		CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
	};
	void *values[] = {&out->start, &out->bytes, &out->type, &out->managed, &out->device};

	*out = (struct address_range){0};
	memories->queries++;
	return driver.cuPointerGetAttributes(ARRAY_SIZE(attributes), attributes, values, address) ==
		       CUDA_SUCCESS &&
	       out->type && out->bytes && address - out->start < out->bytes;
}

static bool is_virtual_mapping(CUdeviceptr address)
{
	CUmemGenericAllocationHandle handle;

	if (driver.cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)address) != CUDA_SUCCESS)
		return false;
	driver.cuMemRelease(handle);
	return true;
}

/* For cuMemMap() the driver tells the range that is reserved, of which only a part may be mapped.
 * An array may go on over several mappings side by side. */
static void find_mapped_part(uint64_t address, struct address_range *range)
{
	const CUdeviceptr reserved = range->start, end = range->start + range->bytes;
	CUdeviceptr first = address / MAPPING_BYTES * MAPPING_BYTES, last = first;

	if (range->type != CU_MEMORYTYPE_DEVICE || !is_virtual_mapping(first))
		return;
	while (first > reserved && is_virtual_mapping(first - MAPPING_BYTES))
		first -= MAPPING_BYTES;
	do
		last += MAPPING_BYTES;
	while (last < end && is_virtual_mapping(last));
	range->start = first;
	range->bytes = last - first;
}

static size_t add_range(struct memories *memories, const struct address_range *range)
{
	const struct capture_memory memory = {
		.kind = range->managed                      ? CAPTURE_MANAGED
			: range->type == CU_MEMORYTYPE_HOST ? CAPTURE_HOST
							    : CAPTURE_DEVICE,
		.address = range->start,
		.bytes = range->bytes,
	};
	const size_t index = memories_add(memories, &memory);

	if (memory.kind == CAPTURE_DEVICE && range->device != memories->device) {
		char *text = xasprintf("memory %zu belongs to GPU %d, the kernel ran on GPU %d",
				       index, range->device, memories->device);

		memories_note_lost(memories, text);
		free(text);
	}
	return index;
}

/*
 * The memory that an address points into; SIZE_MAX: none. Adds memory that was not known. required:
 * else memory beyond the limit is left out.
 */
static size_t memory_at(struct memories *memories, uint64_t word, bool required)
{
	const uint64_t place = word >> UNKNOWN_SHIFT;
	uint64_t *const unknown = &memories->unknown[place % UNKNOWN_SLOTS];
	struct address_range range;
	const size_t index = known_memory(memories, word);

	if (index != SIZE_MAX)
		return index;
	memories->exhausted |= memories->queries >= QUERIES_MOST;
	if (memories->complete || memories->exhausted || *unknown == place)
		return SIZE_MAX;
	if (!query_range(memories, word, &range)) {
		*unknown = place;
		return SIZE_MAX;
	}
	find_mapped_part(word, &range);
	if (memories->info->memory_count >= MEMORIES_MOST ||
	    (!required && range.bytes > memories->limit_bytes - memories->total_bytes)) {
		memories->left_out = true;
		*unknown = place;
		return SIZE_MAX;
	}
	return add_range(memories, &range);
}

/* ---- pointers ---- */

void memories_scan_words(struct memories *memories, struct capture_pointers *pointers,
			 size_t *capacity, const unsigned char *bytes, size_t count,
			 uint64_t offset, bool required)
{
	for (size_t at = 0;
	     at + sizeof(uint64_t) <= count && pointers->count <= CAPTURE_MOST_POINTERS;
	     at += sizeof(uint64_t)) {
		uint64_t word;
		size_t index;

		memcpy(&word, bytes + at, sizeof(word));
		if (word < ADDRESS_LEAST || word >= ADDRESS_MOST)
			continue;
		index = memory_at(memories, word, required);
		if (index == SIZE_MAX)
			continue;
		pointers->items = xgrow(pointers->items, capacity, pointers->count + 1,
					sizeof(*pointers->items));
		pointers->items[pointers->count++] = (struct capture_pointer){
			offset + at, index, word - memories->info->memory[index].address};
	}
}

static bool is_readable_here(uint64_t address)
{
	char byte;
	const struct iovec local = {&byte, 1};
	const struct iovec remote = {(void *)(uintptr_t)address, 1};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

static bool is_pointer(const struct capture_pointers *pointers, uint64_t offset)
{
	for (size_t i = 0; i < pointers->count; i++)
		if (pointers->items[i].offset == offset)
			return true;
	return false;
}

/* Bytes between the members of a struct may look like addresses, too. */
void memories_note_host_addresses(struct memories *memories)
{
	const struct capture_info *info = memories->info;
	struct text places = TEXT_INIT;

	for (uint64_t at = 0; at + sizeof(uint64_t) <= info->parameter_bytes;
	     at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, info->parameter_data + at, sizeof(word));
		if (word >= ADDRESS_LEAST && word < ADDRESS_MOST &&
		    !is_pointer(&info->parameter_pointers, at) && is_readable_here(word))
			text_addf(&places, "%s%" PRIu64, places.length ? ", " : "", at);
	}
	if (places.length) {
		char *text = xasprintf("addresses of host memory that CUDA does not know, at these "
				       "offsets of the parameters: %.400s",
				       places.data);

		memories_note_lost(memories, text);
		free(text);
	}
	text_release(&places);
}
