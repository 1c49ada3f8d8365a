/* What is said of a replay with another result. See case_replay.h. */
#include "harness/workers/case_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"

/* A tolerance is so much wider than the largest difference that was seen. */
#define TOLERANCE_MARGIN 4

bool case_is_replay(const struct launch_case *work)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (case_buffer_is_result(&work->buffers[b]) && case_result_is_recorded(work, b))
			return true;
	return false;
}

/* Whether the case launches the recorded kernel, not a replacement. */
static bool launches_recorded_kernel(const struct launch_case *work,
				     const struct case_capture *from)
{
	return from && work->launch_count == 1 &&
	       strcmp(work->launches[0].entry, case_capture_info(from)->kernel) == 0;
}

void case_replay_introduce(struct text *mismatch, const struct launch_case *work,
			   const struct case_capture *from)
{
	char *found = text_detach(mismatch);

	text_addf(mismatch, "%s gives another result than the program did: %s",
		  launches_recorded_kernel(work, from) ? "the replay" : "the kernel", found);
	free(found);
}

void case_replay_add_lost(struct text *mismatch, const struct case_capture *from)
{
	const struct string_list *lost = from ? &case_capture_info(from)->lost : NULL;

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

static double relative_distance(double a, double b)
{
	const double size = fmax(fabs(a), fabs(b));

	if (!isfinite(a) || !isfinite(b))
		return INFINITY;
	return size > 0 ? fabs(a - b) / size : 0;
}

struct content_distance content_distance_as(enum element_type type, const void *a, const void *b,
					    size_t bytes)
{
	const size_t size = element_size_bytes(type);
	struct content_distance distance = {.known = bytes % size == 0, .type = type};

	for (size_t i = 0; i < bytes / size && distance.known; i++) {
		const char *left = (const char *)a + i * size, *right = (const char *)b + i * size;

		if (memcmp(left, right, size) == 0)
			continue;
		distance.relative =
			fmax(distance.relative, relative_distance(element_value(type, left, 0),
								  element_value(type, right, 0)));
		distance.known = distance.relative <= most_relative(type);
	}
	return distance;
}

/* The narrowest type comes first, because two neighbours of it, read as one wider element, are
 * about as near. */
struct content_distance content_distance_find(const void *a, const void *b, size_t bytes)
{
	static const enum element_type types[] = {ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32,
						  ELEMENT_F64};
	struct content_distance nearest = {.known = false};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const struct content_distance distance = content_distance_as(types[i], a, b, bytes);

		if (distance.known && (!nearest.known || distance.relative < nearest.relative / 2))
			nearest = distance;
	}
	return nearest;
}

/* The next power of ten. */
static double tolerance_for(double relative)
{
	return pow(10, ceil(log10(relative * TOLERANCE_MARGIN)));
}

void case_replay_add_remedy(struct text *mismatch, const struct case_buffer *buffer,
			    const struct content_distance *distance)
{
	if (!distance->known || !(distance->relative > 0))
		return;
	text_addf(mismatch, "; compared as %s, the largest relative difference is %.2g: add",
		  element_type_name(distance->type), distance->relative);
	if (case_buffer_compared(buffer) != distance->type)
		text_addf(mismatch, " --annotate 'compare %s as %s'", buffer->name,
			  element_type_name(distance->type));
	text_addf(mismatch, " --annotate 'tolerance rel = %.0e'",
		  tolerance_for(distance->relative));
}
