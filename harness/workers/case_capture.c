/* The capture from which a case takes memory, and what is said of a replay with another result. */
#include "harness/workers/case_capture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"

struct case_capture {
	struct capture *capture;
	const struct capture_info *info;
	const struct launch_case *work;
	uint64_t *addresses; /* by memory; 0: not known, or no buffer is that memory */
};

const struct case_buffer *case_captured_buffer(const struct launch_case *work)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (work->buffers[b].fill == FILL_CAPTURE)
			return &work->buffers[b];
	return NULL;
}

static int check_captured(const struct case_capture *from, const struct case_buffer *buffer,
			  const char *path, struct error *err)
{
	const uint64_t bytes = case_buffer_bytes(buffer);

	if (strcmp(buffer->fill_file, path) != 0)
		return error_set(err, PL_EUSAGE,
				 "the buffer '%s' is filled from '%s', others from '%s'; a case "
				 "takes memory of one capture",
				 buffer->name, buffer->fill_file, path);
	if (buffer->fill_index >= from->info->memory_count)
		return error_set(err, PL_EUSAGE,
				 "the buffer '%s' is memory %zu of '%s', which has only %zu",
				 buffer->name, buffer->fill_index, buffer->fill_file,
				 from->info->memory_count);
	if (from->info->memory[buffer->fill_index].bytes != bytes)
		return error_set(err, PL_EUSAGE,
				 "the buffer '%s' has %" PRIu64
				 " bytes, and memory %zu of '%s' has %" PRIu64,
				 buffer->name, bytes, buffer->fill_index, buffer->fill_file,
				 from->info->memory[buffer->fill_index].bytes);
	return 0;
}

int case_capture_open(struct case_capture **out, const struct launch_case *work, struct error *err)
{
	const struct case_buffer *first = case_captured_buffer(work);
	struct case_capture *from;
	int rc;

	*out = NULL;
	if (!first)
		return 0;
	from = xcalloc(1, sizeof(*from));
	from->work = work;
	rc = capture_open(&from->capture, first->fill_file, err);
	if (rc == 0) {
		from->info = capture_info(from->capture);
		from->addresses = xcalloc(from->info->memory_count + 1, sizeof(uint64_t));
	}
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++)
		if (work->buffers[b].fill == FILL_CAPTURE)
			rc = check_captured(from, &work->buffers[b], first->fill_file, err);
	if (rc)
		case_capture_close(from);
	else
		*out = from;
	return rc;
}

void case_capture_close(struct case_capture *from)
{
	if (!from)
		return;
	capture_close(from->capture);
	free(from->addresses);
	free(from);
}

const struct capture_memory *case_capture_memory(const struct case_capture *from, size_t buffer)
{
	if (!from || from->work->buffers[buffer].fill != FILL_CAPTURE)
		return NULL;
	return &from->info->memory[from->work->buffers[buffer].fill_index];
}

void case_capture_place(struct case_capture *from, size_t buffer, uint64_t address)
{
	from->addresses[from->work->buffers[buffer].fill_index] = address;
}

int case_capture_read(const struct case_capture *from, size_t buffer, enum capture_state state,
		      void *data, struct error *err)
{
	const size_t index = from->work->buffers[buffer].fill_index;
	int rc = capture_read_memory(from->capture, index, state, data, err);

	if (rc == 0)
		capture_relocate(from->capture, index, state, data, from->addresses);
	return error_context(err, rc, "buffer %s", from->work->buffers[buffer].name);
}

void case_capture_add_key(struct text *key, const struct case_capture *from, size_t buffer)
{
	const struct capture_memory *memory = case_capture_memory(from, buffer);
	bool *targets;

	if (!memory || !(memory->before.count + memory->after.count))
		return;
	targets = xcalloc(from->info->memory_count, sizeof(*targets));
	for (size_t i = 0; i < memory->before.count; i++)
		targets[memory->before.items[i].memory] = true;
	for (size_t i = 0; i < memory->after.count; i++)
		targets[memory->after.items[i].memory] = true;
	for (size_t i = 0; i < from->info->memory_count; i++)
		if (targets[i])
			text_addf(key, " %zu@%" PRIx64, i, from->addresses[i]);
	free(targets);
}

char *case_content_key(const struct launch_case *work, size_t buffer, bool expected,
		       const struct case_capture *from, uint64_t seed)
{
	char *of_case = expected ? case_expected_key(work, buffer, seed)
				 : case_input_key(&work->buffers[buffer], seed);
	struct text key = TEXT_INIT;

	text_add(&key, of_case);
	free(of_case);
	case_capture_add_key(&key, from, buffer);
	return text_detach(&key);
}

int case_fill(void *data, const struct launch_case *work, size_t buffer,
	      const struct case_capture *from, uint64_t seed, bool mixed, struct error *err)
{
	if (case_capture_memory(from, buffer))
		return case_capture_read(from, buffer, CAPTURE_BEFORE, data, err);
	return mixed ? case_fill_mixed(data, &work->buffers[buffer], seed, err)
		     : kernel_fill(data, &work->buffers[buffer], seed, err);
}

/* A tolerance relative to the largest difference that was seen. */
#define TOLERANCE_MARGIN 4

bool case_is_replay(const struct launch_case *work)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (case_buffer_is_result(&work->buffers[b]) && case_result_is_recorded(work, b))
			return true;
	return false;
}

void case_replay_introduce(struct text *mismatch, const struct launch_case *work,
			   const struct case_capture *from)
{
	/* not a replacement, which may have the name of the recorded kernel */
	const bool recorded = from && !work->is_replacement && work->launch_count == 1 &&
			      strcmp(work->launches[0].entry, from->info->kernel) == 0;
	char *found = text_detach(mismatch);

	text_addf(mismatch, "%s gives another result than the program did: %s",
		  recorded ? "the replay" : "the kernel", found);
	free(found);
}

void case_replay_add_lost(struct text *mismatch, const struct case_capture *from)
{
	const struct string_list *lost = from ? &from->info->lost : NULL;

	if (!lost || !lost->count)
		return;
	text_addf(mismatch, "; the capture lacks something: %s", lost->items[0]);
	if (lost->count > 1)
		text_addf(mismatch, ", and %zu more", lost->count - 1);
}

/* ---- how near two contents are ---- */

/* Elements that differ by more are not the same result, computed in another order. */
static double most_relative(enum element_type type)
{
	switch (type) {
	case ELEMENT_F64:
		return 1e-9;
	case ELEMENT_F32:
		return 1e-3;
	default:
		return 2e-2;
	}
}

/* Bits of the smallest relative difference that is told from 0. */
#define DISTANCE_BITS 64

/* The elements that differ. */
struct differences {
	size_t counts[DISTANCE_BITS]; /* by the exponent of the relative difference, from 2^-1 down
				       */
	size_t count;
	double largest;   /* relative */
	double log2_size; /* sum over the elements */
};

static double relative_distance(double a, double b)
{
	const double size = fmax(fabs(a), fabs(b));

	return isfinite(a) && isfinite(b) && size > 0 ? fabs(a - b) / size : INFINITY;
}

/* Sets both values of an element. False: the bits are equal. */
static bool differing_element(enum element_type type, const void *a, const void *b, size_t index,
			      double *left, double *right)
{
	const size_t size = element_size_bytes(type), at = index * size;

	if (memcmp((const char *)a + at, (const char *)b + at, size) == 0)
		return false;
	*left = element_value(type, a, (int64_t)index);
	*right = element_value(type, b, (int64_t)index);
	return *left != *right; /* 0 and -0 */
}

static void differences_add(struct differences *differences, double a, double b)
{
	const double relative = relative_distance(a, b);
	int bin = relative < 1 ? -ilogb(relative) - 1 : 0;

	bin = bin < 0 ? 0 : bin < DISTANCE_BITS ? bin : DISTANCE_BITS - 1;
	differences->counts[bin]++;
	differences->count++;
	differences->largest = fmax(differences->largest, relative);
	differences->log2_size += log2(fmax(fabs(a), fabs(b)));
}

/* Twice the difference that only one in a hundred elements exceeds. */
static double most_are_within(const struct differences *differences)
{
	size_t above = 0;

	for (int bin = 0; bin < DISTANCE_BITS; bin++) {
		above += differences->counts[bin];
		if (100 * above > differences->count)
			return ldexp(2, -bin);
	}
	return 0;
}

/* The largest difference of elements that differ by more than `relative`. */
static double largest_beyond(enum element_type type, const void *a, const void *b, size_t count,
			     double relative)
{
	double largest = 0, left, right;

	for (size_t i = 0; i < count; i++)
		if (differing_element(type, a, b, i, &left, &right) &&
		    relative_distance(left, right) > relative)
			largest = fmax(largest, fabs(left - right));
	return largest;
}

struct content_distance content_distance_as(enum element_type type, const void *a, const void *b,
					    size_t bytes)
{
	const size_t count = bytes / element_size_bytes(type);
	struct content_distance distance = {.type = type};
	struct differences differences = {.count = 0};
	double left, right;

	for (size_t i = 0; i < count; i++)
		if (differing_element(type, a, b, i, &left, &right))
			differences_add(&differences, left, right);
	if (bytes % element_size_bytes(type) || isnan(differences.log2_size) ||
	    isinf(differences.log2_size))
		return distance;
	distance.relative = differences.largest;
	if (differences.largest > most_relative(type)) {
		distance.relative = most_are_within(&differences);
		distance.absolute = largest_beyond(type, a, b, count, distance.relative);
	}
	distance.known =
		distance.relative <= most_relative(type) &&
		distance.absolute <= most_relative(type) * exp2(differences.log2_size /
								(double)(differences.count + 1));
	return distance;
}

/*
 * Whether elements of 16 bits that differ are f16 rather than bf16. The first
 * bits of the mantissa are spread in f16, by Benford's law: no three bits are in
 * more than 17 % of all numbers. Those of a bf16 that is read as f16 are the last
 * of its exponent, which are not.
 */
static bool looks_like_f16(const void *a, const void *b, size_t bytes)
{
	size_t counts[8] = {0}, all = 0, most = 0;

	for (size_t at = 0; at + 2 <= bytes; at += 2) {
		uint16_t left, right;

		memcpy(&left, (const char *)a + at, sizeof(left));
		memcpy(&right, (const char *)b + at, sizeof(right));
		if (left == right)
			continue;
		counts[left >> 7 & 7]++;
		all++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		most = counts[i] > most ? counts[i] : most;
	return 4 * most <= all;
}

/* The narrowest type comes first, because two neighbours of it, read as one wider element, are
 * about as near. */
struct content_distance content_distance_find(const void *a, const void *b, size_t bytes)
{
	static const enum element_type types[] = {ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32,
						  ELEMENT_F64};
	struct content_distance nearest = {.known = false};

	for (size_t i = !looks_like_f16(a, b, bytes); i < ARRAY_SIZE(types); i++) {
		const struct content_distance distance = content_distance_as(types[i], a, b, bytes);

		if (distance.known && (!nearest.known || distance.relative < nearest.relative / 2))
			nearest = distance;
	}
	return nearest;
}

/* ---- the remedy ---- */

void replay_remedy_add(struct replay_remedy *remedy, const struct case_buffer *buffer,
		       const struct content_distance *distance)
{
	if (!distance->known || !(distance->relative > 0))
		return;
	text_addf(&remedy->found,
		  "; compared as %s, the largest relative difference in '%s' is %.2g",
		  element_type_name(distance->type), buffer->name, distance->relative);
	if (distance->absolute > 0)
		text_addf(&remedy->found, ", apart from some of at most %.2g", distance->absolute);
	if (case_buffer_compared(buffer) != distance->type)
		text_addf(&remedy->lines, " --annotate 'compare %s as %s'", buffer->name,
			  element_type_name(distance->type));
	remedy->relative = fmax(remedy->relative, distance->relative);
	remedy->absolute = fmax(remedy->absolute, distance->absolute);
}

/* The next power of ten. */
static double tolerance_for(double difference)
{
	return pow(10, ceil(log10(difference * TOLERANCE_MARGIN)));
}

void replay_remedy_finish(struct replay_remedy *remedy, struct text *mismatch)
{
	if (remedy->relative > 0) {
		text_addf(mismatch, "%s: add%s --annotate 'tolerance rel = %.0e",
			  remedy->found.data, remedy->lines.length ? remedy->lines.data : "",
			  tolerance_for(remedy->relative));
		if (remedy->absolute > 0)
			text_addf(mismatch, ", abs = %.0e", tolerance_for(remedy->absolute));
		text_add(mismatch, "'");
	}
	text_release(&remedy->found);
	text_release(&remedy->lines);
}
