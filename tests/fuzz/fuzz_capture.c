/*
 * Fuzz target: any bytes as a capture, once as they are, and once with the
 * header, the footer and the hash of the index made right, because no mutation
 * would get past them. Opening ends with a capture or with a message. Whatever
 * was opened keeps the promises of capture.h, and can be read into buffers of
 * exactly the sizes that it names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "capture/index.h"

enum { MOST_READ_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_pointers(const struct capture *capture, const struct capture_pointers *pointers,
			 uint64_t bytes)
{
	const struct capture_info *info = capture_info(capture);

	for (size_t i = 0; i < pointers->count; i++) {
		const struct capture_pointer *pointer = &pointers->items[i];

		if (pointer->offset % 8 || bytes < 8 || pointer->offset > bytes - 8 ||
		    pointer->memory >= info->memory_count ||
		    pointer->addend > info->memory[pointer->memory].bytes)
			abort();
	}
}

static void use_memory(const struct capture *capture, size_t index, const uint64_t *addresses)
{
	const struct capture_memory *memory = &capture_info(capture)->memory[index];
	struct error err = {0};
	char *room;

	use_pointers(capture, &memory->before, memory->bytes);
	use_pointers(capture, &memory->after, memory->bytes);
	if (memory->bytes > MOST_READ_BYTES)
		return;
	room = calloc(1, memory->bytes);
	if (!room)
		abort();
	for (int state = 0; state < 2; state++) {
		if (capture_read_memory(capture, index, (enum capture_state)state, room, &err) &&
		    !err.text[0])
			abort();
		capture_relocate(capture, index, (enum capture_state)state, room, addresses);
	}
	free(room);
}

static void use_capture(const struct capture *capture)
{
	const struct capture_info *info = capture_info(capture);
	uint64_t *addresses = xcalloc(info->memory_count + 1, sizeof(*addresses));
	size_t bytes;
	char *image;

	for (size_t i = 0; i < info->memory_count; i++)
		addresses[i] = i % 3 * 4096;
	use_pointers(capture, &info->parameter_pointers, info->parameter_bytes);
	for (size_t i = 0; i < info->memory_count; i++)
		use_memory(capture, i, addresses);
	for (int i = 0; i < 2; i++)
		if (!capture_read_image(capture, (enum capture_image)i, &image, &bytes, NULL)) {
			if (image[bytes])
				abort();
			free(image);
		}
	free(addresses);
}

static void open_bytes(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct capture *capture = NULL;
	struct error err = {0};
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!capture_open(&capture, path, &err))
		use_capture(capture);
	else if (!err.text[0] || capture)
		abort();
	capture_close(capture);
	close(fd);
}

/* Keeps the place of the index that the footer names, if it is possible. */
static void open_repaired(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	uint8_t *footer = copy + size - FOOTER_BYTES;
	const size_t end = size - FOOTER_BYTES;
	size_t begin;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	memset(copy, 0, HEADER_BYTES);
	memcpy(copy, HEADER_MAGIC, MAGIC_BYTES);
	copy[MAGIC_BYTES] = CAPTURE_VERSION;
	begin = HEADER_BYTES + number_get(footer, 8) % (end - HEADER_BYTES + 1);
	if (number_get(footer, 8) >= HEADER_BYTES && number_get(footer, 8) <= end)
		begin = number_get(footer, 8);
	number_put(footer, begin, 8);
	number_put(footer + 8, end - begin, 8);
	number_put(footer + 16, XXH64(copy + begin, end - begin, 0), 8);
	memcpy(footer + 24, FOOTER_MAGIC, MAGIC_BYTES);
	open_bytes(copy, size);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	open_bytes(data, size);
	if (size >= HEADER_BYTES + FOOTER_BYTES)
		open_repaired(data, size);
	return 0;
}
