/*
 * case_data: what a case's data is, the same for every backend: which buffers
 * are inputs and which results, when two cases have the same of either, and
 * what is said of a result that is wrong. Internal to harness/ and its
 * backends.
 */
#ifndef HARNESS_WORKERS_CASE_DATA_H
#define HARNESS_WORKERS_CASE_DATA_H

#include "kernels/kernels.h"

size_t case_buffer_bytes(const struct case_buffer *buffer);
bool case_buffer_is_input(const struct case_buffer *buffer);  /* IN and INOUT */
bool case_buffer_is_result(const struct case_buffer *buffer); /* OUT and INOUT */

/* Equal keys (malloc'd): equal bytes. Of an input from its fill and the seed; of a result from the
 * oracle, the axes that it reads, and every input and result of the case. */
char *case_input_key(const struct case_buffer *buffer, uint64_t seed);
char *case_expected_key(const struct launch_case *work, const struct kernel_oracle *oracle,
			size_t buffer, uint64_t seed);

/* The oracle of a case; PL_ENOENT when this worker has none of its name. */
int case_oracle(const struct kernel_oracle **out, const struct launch_case *work,
		struct error *err);

/* Elements that are outside of the tolerance, and how far off any element is. */
struct case_difference {
	uint64_t mismatches;
	uint64_t first; /* index; of no meaning when there is none */
	double got, expected;
	double largest_error, largest_expected; /* of all elements; NaN is left out */
};
/* Compares a result on the host. */
struct case_difference case_compare(const struct launch_case *work, size_t buffer,
				    const void *result, const void *expected);
/*
 * How far the results that are floating-point numbers are from the oracle's:
 * the largest difference of an element over the largest element expected, the
 * most of all results.
 */
struct case_accuracy {
	double relative_error; /* NAN: none, for the reason (NULL: nothing was compared) */
	const char *reason;
};
#define CASE_ACCURACY_INIT                                \
	{                                                 \
		.relative_error = __builtin_nan(""), NULL \
	}
/* Takes one result of the case. */
void case_accuracy_note(struct case_accuracy *accuracy, const struct case_buffer *buffer,
			double largest_error, double largest_expected);
/* Adds to *mismatch what differs; there must be something. */
void case_describe_difference(struct text *mismatch, const struct case_buffer *buffer,
			      const struct case_difference *difference);

#endif
