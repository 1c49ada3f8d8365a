#include "record/memories.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#include "record/elf.h"

/* ---- variables ---- */

/* Variables of a module that are larger are tables that a library brings along. */
#define VARIABLES_MOST_BYTES ((uint64_t)64 << 20)

struct variable_search {
	struct memories *memories;
	CUmodule module;
	uint64_t total_bytes;
	struct error *err;
	int rc;
};

static void note_lost_variable(struct memories *memories, const char *name, const char *why)
{
	char *text = xasprintf("the variable %s %s", name, why);

	memories_note_lost(memories, text);
	free(text);
}

static bool is_initial(const unsigned char *content, const struct elf_variable *variable)
{
	if (variable->initial)
		return !memcmp(content, variable->initial, variable->bytes);
	for (size_t i = 0; i < variable->bytes; i++)
		if (content[i])
			return false;
	return true;
}

static void add_variable(struct memories *memories, const char *name, CUdeviceptr address,
			 size_t bytes)
{
	const struct capture_memory memory = {.kind = CAPTURE_VARIABLE,
					      .address = address,
					      .bytes = bytes,
					      .variable = xstrdup(name)};

	memories_add(memories, &memory);
}

static void look_at_variable(void *context, const struct elf_variable *variable)
{
	struct variable_search *search = context;
	struct memories *memories = search->memories;
	CUdeviceptr address = 0;
	unsigned char *content;
	size_t bytes = 0;

	if (search->rc)
		return;
	if (driver.cuModuleGetGlobal(&address, &bytes, search->module, variable->name) !=
		    CUDA_SUCCESS ||
	    bytes != variable->bytes) {
		note_lost_variable(memories, variable->name,
				   "has no address that the driver tells");
		return;
	}
	if (bytes > VARIABLES_MOST_BYTES - search->total_bytes) {
		note_lost_variable(memories, variable->name, "is too large");
		return;
	}
	search->total_bytes += bytes;
	content = xmalloc(bytes);
	search->rc = record_driver_check(driver.cuMemcpyDtoH(content, address, bytes), search->err,
					 "reading a variable of the program");
	if (!search->rc && is_initial(content, variable) && !variable->constant) {
		memories->untouched =
			xgrow(memories->untouched, &memories->untouched_capacity,
			      memories->untouched_count + 1, sizeof(*memories->untouched));
		memories->untouched[memories->untouched_count++] = (struct untouched_variable){
			xstrdup(variable->name), address, bytes, content};
		return;
	}
	if (!search->rc && !is_initial(content, variable))
		add_variable(memories, variable->name, address, bytes);
	free(content);
}

int memories_add_variables(struct memories *memories, CUmodule module, const struct cubin *cubin,
			   struct error *err)
{
	struct variable_search search = {.memories = memories, .module = module, .err = err};

	elf_each_variable(cubin->bytes, cubin->size, look_at_variable, &search);
	return search.rc;
}

/* ---- contents ---- */

static size_t chunk_at(const struct capture_memory *memory, uint64_t offset)
{
	return memory->bytes - offset < MEMORY_CHUNK_BYTES ? memory->bytes - offset
							   : MEMORY_CHUNK_BYTES;
}

static int read_chunk(const struct memories *memories, const struct capture_memory *memory,
		      uint64_t offset, size_t bytes, struct error *err)
{
	return record_driver_check(
		driver.cuMemcpyDtoH(memories->chunk, memory->address + offset, bytes), err,
		"reading the memory of the program");
}

/* ---- hashes ---- */

static size_t page_count(const struct capture_memory *memory)
{
	return (memory->bytes + MEMORY_PAGE_BYTES - 1) / MEMORY_PAGE_BYTES;
}

static size_t page_bytes(size_t bytes, size_t at)
{
	return bytes - at < MEMORY_PAGE_BYTES ? bytes - at : MEMORY_PAGE_BYTES;
}

static uint64_t hash_page(const struct memories *memories, const unsigned char *bytes, size_t size)
{
	return XXH3_64bits_withSecret(bytes, size, memories->secret, sizeof(memories->secret));
}

static void hash_pages(const struct memories *memories, uint64_t *hashes,
		       const unsigned char *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += MEMORY_PAGE_BYTES)
		hashes[at / MEMORY_PAGE_BYTES] =
			hash_page(memories, bytes + at, page_bytes(size, at));
}

/* The program has used it up, or has a limit, and goes on. */
static int no_memory(struct error *err)
{
	return error_set(err, PL_ENOMEM,
			 "the program leaves the recorder no memory: record a smaller problem");
}

/* Hashes the pages of a memory and finds the pointers in it. The list of memories may grow. */
static int scan_memory(struct memories *memories, size_t index, struct error *err)
{
	const uint64_t bytes = memories->info->memory[index].bytes;
	struct capture_pointers found = {0};
	size_t capacity = 0;
	uint64_t *hashes = calloc(page_count(&memories->info->memory[index]) + 1, sizeof(*hashes));
	int rc = hashes ? 0 : no_memory(err);

	memories->hashes[index] = hashes;
	for (uint64_t offset = 0; offset < bytes && !rc; offset += MEMORY_CHUNK_BYTES) {
		const size_t size = chunk_at(&memories->info->memory[index], offset);

		rc = read_chunk(memories, &memories->info->memory[index], offset, size, err);
		if (!rc)
			hash_pages(memories, hashes + offset / MEMORY_PAGE_BYTES, memories->chunk,
				   size);
		if (!rc)
			memories_scan_words(memories, &found, &capacity, memories->chunk, size,
					    offset, false);
	}
	memories->info->memory[index].before = found;
	return rc;
}

static int refuse_size(const struct memories *memories, struct error *err)
{
	char needed[32], limit[32];

	format_bytes(needed, (double)memories->total_bytes);
	format_bytes(limit, (double)memories->limit_bytes);
	return error_set(err, PL_EUSAGE,
			 "the memory that its parameters point to has %s, over the limit of %s: "
			 "raise it with --limit, or record a smaller problem",
			 needed, limit);
}

/* Before anything is written, and before the lists of pointers become larger than the memory. */
static int check_pointers(const struct capture_info *info, struct error *err)
{
	size_t count = info->parameter_pointers.count;

	for (size_t i = 0; i < info->memory_count; i++)
		count += info->memory[i].before.count;
	if (count <= CAPTURE_MOST_POINTERS)
		return 0;
	return error_set(err, PL_EUSAGE,
			 "the memory holds more than %d addresses, the most that a capture can "
			 "have: record a smaller problem",
			 CAPTURE_MOST_POINTERS);
}

int memories_find(struct memories *memories, struct error *err)
{
	struct capture_info *info = memories->info;
	size_t capacity = 0;
	int rc = 0;

	if (!memories->chunk)
		return no_memory(err);
	if (getrandom(memories->secret, sizeof(memories->secret), 0) !=
	    (ssize_t)sizeof(memories->secret))
		return error_set(err, PL_EIO, "the system gives no random bytes: %s",
				 strerror(errno));
	memories_scan_words(memories, &info->parameter_pointers, &capacity, info->parameter_data,
			    info->parameter_bytes, 0, true);
	memories_note_host_addresses(memories);
	if (memories->total_bytes > memories->limit_bytes)
		return refuse_size(memories, err);
	for (size_t i = 0; i < info->memory_count && !rc; i++) {
		rc = scan_memory(memories, i, err);
		if (!rc)
			rc = check_pointers(info, err);
	}
	if (memories->left_out)
		memories_note_lost(memories,
				   "pointers in memory lead to more memory than the limit allows");
	if (memories->exhausted)
		memories_note_lost(memories,
				   "the memory has too many words that look like addresses; not "
				   "all of them were looked up");
	return rc;
}

int memories_write_before(struct memories *memories, struct capture_writer *writer,
			  struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < memories->info->memory_count && !rc; i++) {
		const struct capture_memory *memory = &memories->info->memory[i];

		for (uint64_t offset = 0; offset < memory->bytes && !rc;
		     offset += MEMORY_CHUNK_BYTES) {
			const size_t size = chunk_at(memory, offset);

			rc = read_chunk(memories, memory, offset, size, err);
			if (!rc)
				rc = capture_write_before(writer, i, memories->chunk, size, err);
		}
	}
	return rc;
}

/* Writes the pages of a chunk that changed, neighbours in one range. */
static int write_changed_pages(struct memories *memories, struct capture_writer *writer,
			       size_t index, uint64_t offset, size_t size, struct error *err)
{
	size_t begin = 0, end = 0;
	int rc = 0;

	for (size_t at = 0; at < size && !rc; at += MEMORY_PAGE_BYTES) {
		const size_t bytes = page_bytes(size, at);

		if (hash_page(memories, memories->chunk + at, bytes) ==
		    memories->hashes[index][(offset + at) / MEMORY_PAGE_BYTES])
			continue;
		if (at != end && end > begin)
			rc = capture_write_changed(writer, index, offset + begin,
						   memories->chunk + begin, end - begin, err);
		if (at != end || end == begin)
			begin = at;
		end = at + bytes;
	}
	if (end > begin) {
		memories->info->memory[index].changed = true;
		if (!rc)
			rc = capture_write_changed(writer, index, offset + begin,
						   memories->chunk + begin, end - begin, err);
	}
	return rc;
}

/* Adds the variables that had the value of the image and have not now. */
static int write_touched_variables(struct memories *memories, struct capture_writer *writer,
				   struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < memories->untouched_count && !rc; i++) {
		const struct untouched_variable *variable = &memories->untouched[i];
		unsigned char *now = xmalloc(variable->bytes);
		const size_t index = memories->info->memory_count;

		rc = record_driver_check(
			driver.cuMemcpyDtoH(now, variable->address, variable->bytes), err,
			"reading a variable of the program");
		if (!rc && memcmp(now, variable->content, variable->bytes) != 0) {
			add_variable(memories, variable->name, variable->address, variable->bytes);
			memories->hashes[index] =
				xcalloc(page_count(&memories->info->memory[index]) + 1,
					sizeof(*memories->hashes[index]));
			hash_pages(memories, memories->hashes[index], variable->content,
				   variable->bytes);
			rc = capture_write_before(writer, index, variable->content, variable->bytes,
						  err);
		}
		free(now);
	}
	return rc;
}

int memories_write_changes(struct memories *memories, struct capture_writer *writer,
			   struct error *err)
{
	int rc = write_touched_variables(memories, writer, err);

	/* What the kernel wrote may not lead to memory that was not written before. */
	memories->complete = true;
	for (size_t i = 0; i < memories->info->memory_count && !rc; i++) {
		struct capture_pointers found = {0};
		size_t capacity = 0;
		struct capture_memory *memory = &memories->info->memory[i];

		for (uint64_t offset = 0; offset < memory->bytes && !rc;
		     offset += MEMORY_CHUNK_BYTES) {
			const size_t size = chunk_at(memory, offset);

			rc = read_chunk(memories, memory, offset, size, err);
			if (!rc)
				rc = write_changed_pages(memories, writer, i, offset, size, err);
			if (!rc)
				memories_scan_words(memories, &found, &capacity, memories->chunk,
						    size, offset, false);
		}
		if (memory->changed) {
			memory->after = found;
		} else {
			free(found.items);
			memory->after.count = memory->before.count;
			memory->after.items =
				xcalloc(memory->before.count + 1, sizeof(*found.items));
			if (memory->before.count)
				memcpy(memory->after.items, memory->before.items,
				       memory->before.count * sizeof(*found.items));
		}
	}
	return rc;
}
