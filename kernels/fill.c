/*
 * Fills inputs from a seed. Element i depends only on the seed, the buffer's
 * name and i, so that any part can be filled anywhere and in any order. Only
 * integer arithmetic and correctly rounded operations are used, so that every
 * machine computes the same bits.
 */
#include "kernels/fill.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "capture/capture.h"
#include "kernels/check_expression.h"
#include "kernels/element.h"
#include "kernels/npy.h"
#include "kernels/parallel.h"

/* ---- files and captures ---- */

/* Reads the bytes of the elements. The file must hold no others. */
static int fill_raw(void *data, const struct case_buffer *buffer, struct error *err)
{
	size_t bytes = (size_t)buffer->length * element_size_bytes(buffer->type);
	FILE *stream;
	size_t got;
	bool more;
	int rc = file_open_stream(&stream, buffer->fill_file, err);

	if (rc)
		return rc;
	got = fread(data, 1, bytes, stream);
	more = got == bytes && getc(stream) != EOF;
	if (ferror(stream))
		rc = error_set(err, PL_EIO, "reading '%s': %s", buffer->fill_file, strerror(errno));
	else if (got < bytes || more)
		rc = error_set(err, PL_EUSAGE,
			       "'%s' has %s bytes than the %zu of %" PRId64
			       " elements of %s; give a raw file of that size, or a .npy file",
			       buffer->fill_file, more ? "more" : "fewer", bytes, buffer->length,
			       element_type_name(buffer->type));
	fclose(stream);
	return rc;
}

static int fill_from_file(void *data, const struct case_buffer *buffer, struct error *err)
{
	const char *suffix = strrchr(buffer->fill_file, '.');
	int rc = suffix && !strcmp(suffix, ".npy")
			 ? npy_load(data, buffer->type, buffer->length, buffer->fill_file, err)
			 : fill_raw(data, buffer, err);

	return error_context(err, rc, "buffer %s", buffer->name);
}

static int check_memory(const struct capture_info *info, const struct case_buffer *buffer,
			struct error *err)
{
	const uint64_t bytes = (uint64_t)buffer->length * element_size_bytes(buffer->type);

	if (buffer->fill_index >= info->memory_count)
		return error_set(
			err, PL_EUSAGE,
			"'%s' has %zu memories, numbered from 0, and none has the number %zu",
			buffer->fill_file, info->memory_count, buffer->fill_index);
	if (info->memory[buffer->fill_index].bytes != bytes)
		return error_set(err, PL_EUSAGE,
				 "memory %zu of '%s' has %" PRIu64
				 " bytes, and the buffer has %" PRIu64,
				 buffer->fill_index, buffer->fill_file,
				 info->memory[buffer->fill_index].bytes, bytes);
	return 0;
}

static int fill_from_capture(void *data, const struct case_buffer *buffer, struct error *err)
{
	struct capture *capture = NULL;
	int rc = capture_open(&capture, buffer->fill_file, err);

	if (!rc)
		rc = check_memory(capture_info(capture), buffer, err);
	if (!rc)
		rc = capture_read_memory(capture, buffer->fill_index, CAPTURE_BEFORE, data, err);
	capture_close(capture);
	return error_context(err, rc, "buffer %s", buffer->name);
}

/* The most bytes of a step in which a constant is copied: a step stays in the first-level cache. */
#define CONSTANT_STEP_BYTES ((size_t)16384)

/* ---- index and constant ---- */

static void fill_index(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	enum element_type type = filling->buffer->type;

	for (int64_t first = begin; first < end; first += FILL_TILE) {
		const int64_t count = element_tile_length(first, end);
		uint64_t integers[FILL_TILE];
		double values[FILL_TILE];

		for (int i = 0; i < FILL_TILE; i++) {
			integers[i] = (uint64_t)(first + i);
			values[i] = (double)(first + i);
		}
		if (type == ELEMENT_F32)
			for (int64_t i = 0; i < count; i++)
				((float *)filling->data)[first + i] = (float)(first + i);
		else if (element_is_integer(type))
			fill_store_integers(filling, first, integers, count);
		else
			fill_store(filling, first, values, count);
	}
}

/* Copies of the first element of the range. */
static void fill_constant(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const size_t size = element_size_bytes(filling->buffer->type);
	unsigned char *data = (unsigned char *)filling->data + (size_t)begin * size;
	const size_t bytes = (size_t)(end - begin) * size;
	double value = filling->buffer->fill_low;

	if (begin == end)
		return;
	if (filling->buffer->type == ELEMENT_F32)
		((float *)filling->data)[begin] = fill_float_within(value);
	else
		element_store(filling->buffer->type, filling->data, begin, value);
	for (size_t done = size, step; done < bytes; done += step) {
		step = done < CONSTANT_STEP_BYTES ? done : CONSTANT_STEP_BYTES;
		step = step < bytes - done ? step : bytes - done;
		memcpy(data + done, data, step);
	}
}

/* ---- significant bits ---- */

/* Clears the last bits of the mantissa. A subnormal number has fewer bits of it: it is multiplied
 * by a power of two, which is exact. */
static double keep_bits_of_real(double value, int bits)
{
	const uint64_t kept = UINT64_MAX << (53 - bits);
	uint64_t all;

	if (value == 0.0 || !isfinite(value))
		return value;
	if (fabs(value) < DBL_MIN)
		return keep_bits_of_real(value * 0x1p60, bits) * 0x1p-60;
	memcpy(&all, &value, sizeof(all));
	all &= kept;
	memcpy(&value, &all, sizeof(value));
	return value;
}

static uint64_t keep_bits_of_integer(uint64_t magnitude, int bits)
{
	int width = magnitude ? 64 - __builtin_clzll(magnitude) : 0;

	return width > bits ? magnitude >> (width - bits) << (width - bits) : magnitude;
}

static void keep_bits(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const enum element_type type = filling->buffer->type;
	const int bits = filling->buffer->fill_bits;

	for (int64_t i = begin; i < end; i++) {
		uint64_t value;
		bool negative;

		if (!element_is_integer(type)) {
			element_store(
				type, filling->data, i,
				keep_bits_of_real(element_value(type, filling->data, i), bits));
			continue;
		}
		value = (uint64_t)element_integer(type, filling->data, i);
		negative = element_is_signed(type) && (int64_t)value < 0;
		value = keep_bits_of_integer(negative ? 0 - value : value, bits);
		element_store_integer(type, filling->data, i, negative ? 0 - value : value);
	}
}

/* The smallest b with 2^b >= length. */
static int bits_of_indices(int64_t length)
{
	return length > 1 ? 64 - __builtin_clzll((unsigned long long)(length - 1)) : 0;
}

/*
 * A Feistel network: a bijection of the numbers of `bits` bits. A result beyond
 * the length goes through it again (cycle walking), which ends, as the walk
 * started within the length. Fewer than two passes are needed on average.
 */
static void fill_permutation(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	int bits = bits_of_indices(buffer->length);
	int low_bits = bits / 2;
	uint64_t low_mask = (UINT64_C(1) << low_bits) - 1;
	uint64_t high_mask = (UINT64_C(1) << (bits - low_bits)) - 1;

	for (int64_t i = begin; i < end; i++) {
		uint64_t at = (uint64_t)i;

		do {
			uint64_t low = at & low_mask;
			uint64_t high = at >> low_bits;

			for (uint64_t round = 0; round < 8; round += 2) {
				high ^= random_at(filling->key + round, low) & high_mask;
				low ^= random_at(filling->key + round + 1, high) & low_mask;
			}
			at = high << low_bits | low;
		} while (at >= (uint64_t)buffer->length);
		if (element_is_integer(buffer->type))
			element_store_integer(buffer->type, filling->data, i, at);
		else
			element_store(buffer->type, filling->data, i, (double)at);
	}
}

static int check_permutation(const struct case_buffer *buffer, struct error *err)
{
	int bits = element_significant_bits(buffer->type); /* it holds integers below 2^bits */

	if (bits_of_indices(buffer->length) <= bits)
		return 0;
	return error_set(err, PL_EUSAGE,
			 "buffer %s: a permutation of %" PRId64
			 " elements does not fit %s, which holds the integers below 2^%d; use a "
			 "wider type",
			 buffer->name, buffer->length, element_type_name(buffer->type), bits);
}

static int fill_expression(struct filling *filling, struct error *err)
{
	const struct check_names names = {.of_fill = true};
	struct check_expression *expression = NULL;
	int rc = check_expression_parse(&expression, filling->buffer->fill_expression, &names, err);

	rc = error_context(err, rc, "buffer %s", filling->buffer->name);
	if (!rc)
		rc = check_expression_fill(expression, filling->buffer, filling->key, filling->data,
					   err);
	check_expression_free(expression);
	return rc;
}

int kernel_fill(void *data, const struct case_buffer *buffer, uint64_t seed, struct error *err)
{
	struct filling filling = {data, buffer, XXH64(buffer->name, strlen(buffer->name), seed)};
	int rc = 0;

	switch (buffer->fill) {
	case FILL_NONE:
		memset(data, 0, (size_t)buffer->length * element_size_bytes(buffer->type));
		break;
	case FILL_UNIFORM:
		fill_uniform(&filling);
		break;
	case FILL_INDEX:
		parallel_for(buffer->length, FILL_GRAIN, fill_index, &filling);
		break;
	case FILL_CONSTANT:
		parallel_for(buffer->length, FILL_GRAIN, fill_constant, &filling);
		break;
	case FILL_NORMAL:
		fill_normal(&filling);
		break;
	case FILL_PERMUTATION:
		rc = check_permutation(buffer, err);
		if (!rc)
			parallel_for(buffer->length, FILL_GRAIN, fill_permutation, &filling);
		break;
	case FILL_FILE:
		rc = fill_from_file(data, buffer, err);
		break;
	case FILL_INTEGERS:
		fill_whole_numbers(&filling);
		break;
	case FILL_EXPRESSION:
		rc = fill_expression(&filling, err);
		break;
	case FILL_CAPTURE:
		rc = fill_from_capture(data, buffer, err);
		break;
	}
	if (rc || !buffer->has_fill_bits)
		return rc;
	/* no mantissa is longer than that of its type, so a limit there changes nothing */
	if (!buffer->fill_bits)
		parallel_for(buffer->length, FILL_GRAIN, fill_constant, &filling);
	else if (buffer->fill_bits < element_significant_bits(buffer->type))
		parallel_for(buffer->length, FILL_GRAIN, keep_bits, &filling);
	return 0;
}
