/*
 * case_buffers: the buffers of a case, the same for every backend. These
 * functions poison results, compare a result with the expected one, and describe
 * a wrong result.
 */
#ifndef HARNESS_WORKERS_CASE_BUFFERS_H
#define HARNESS_WORKERS_CASE_BUFFERS_H

#include "kernels/data_key.h"
#include "kernels/kernels.h"

/* Which execution finds the poison. */
enum case_execution {
	EXECUTION_FIRST, /* of the case, with the inputs of the seed */
	/* of the case, with the inputs of case_fill_mixed(), or the same if the check holds for one
	 * set of inputs only */
	EXECUTION_AGAIN,
	EXECUTION_REFERENCE, /* of the launches that compute the expected results */
};
/*
 * The byte that fills a result and scratch memory before an execution: 0xff,
 * which is NaN, for floating-point types that are compared as such. Integers have no value that is
 * always wrong, so each kind of execution has a byte of its own: an element that neither the case
 * nor its reference writes differs, and an expected element that happens to equal one poison
 * differs from the other.
 */
unsigned char case_poison(const struct case_buffer *buffer, enum case_execution execution);

/* The name in the image of the variable that gets the content of a buffer; NULL: none does. */
const char *case_buffer_variable(const struct case_buffer *buffer, enum case_execution execution);

/*
 * Fills an input with other data: a random fill is that of seed +
 * MIXED_SEED_STEP, but for the first two elements, so that a kernel that
 * recognises its input by its beginning is not warned. At least one element is new. A fill that is
 * not random stays the same. PL_ENOMEM, and the errors of kernel_fill().
 */
int case_fill_mixed(void *data, const struct case_buffer *buffer, uint64_t seed, struct error *err);

/* What a check says of one result alone; NULL: nothing. */
const struct case_check_item *case_check_item(const struct case_check *check, size_t buffer);
/* Whether the expected content of a result is what a recorded launch left in the memory that fills
 * it. Then equal bits are right, also those of NaN: memory of a program holds more than what its
 * kernel computes. */
bool case_result_is_recorded(const struct launch_case *work, size_t buffer);
/* The absolute tolerance of a result. That of recorded bytes without a type is 0: they are parts of
 * larger elements. */
double case_tolerance_abs(const struct launch_case *work, size_t buffer);
/* By how much a result may differ from this expected value. */
double case_allowed_error(const struct launch_case *work, size_t buffer, double expected);
/* Whether one element, of the type as which a result is compared, is right. */
bool case_accepts_element(const struct launch_case *work, size_t buffer, const void *element,
			  const void *expected);
/* How many elements of the type as which it is compared a buffer has. */
int64_t case_compared_length(const struct case_buffer *buffer);

/* The difference between a result and its expected result. */
struct case_difference {
	/* Elements outside of the tolerance, of the type as which the buffer is compared. */
	uint64_t mismatches;
	uint64_t first; /* index of the first mismatch; valid if mismatches > 0 */
	/* The bytes of that element: a double does not hold every integer of 64 bits. */
	uint64_t got, expected;
	/* Largest absolute error and largest absolute expected value, without NaN. */
	double largest_error, largest_expected;
};
/* Compares a result in host memory. */
struct case_difference case_compare(const struct launch_case *work, size_t buffer,
				    const void *result, const void *expected);
/*
 * The relative error of the floating-point results. For one result it is
 * max |got - expected| / max |expected|; for a case it is the maximum over its
 * results.
 */
struct case_accuracy {
	double relative_error; /* NAN: there is none, see `reason` */
	const char *reason;    /* NULL: nothing was compared yet */
};
#define CASE_ACCURACY_INIT                                \
	{                                                 \
		.relative_error = __builtin_nan(""), NULL \
	}
/* Adds one result to the accuracy of the case. */
void case_accuracy_note(struct case_accuracy *accuracy, const struct case_buffer *buffer,
			double largest_error, double largest_expected);
/* Appends a check's expression or command; of a long one the beginning, so that what follows in the
 * message stays visible. */
void case_add_beginning(struct text *out, const char *check);
/* Appends what a result is compared with: "the CPU oracle", "the expression 2 * x". */
void case_describe_expected(struct text *out, const struct launch_case *work, size_t buffer);
/* Appends the kernels of reference launches: "the kernel slow", "the kernels slow, end". */
void case_describe_reference(struct text *out, const struct launch_case *work);
/* Appends a description of the difference to *mismatch. difference->mismatches must be > 0. */
void case_describe_difference(struct text *mismatch, const struct launch_case *work, size_t buffer,
			      const struct case_difference *difference);

#endif
