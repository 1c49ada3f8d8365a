#include "harness/workers/case_buffers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/tolerance.h"

size_t case_buffer_bytes(const struct case_buffer *buffer)
{
	return (size_t)buffer->length * element_size_bytes(buffer->type);
}

bool case_buffer_is_input(const struct case_buffer *buffer)
{
	return buffer->role == BUFFER_IN || buffer->role == BUFFER_INOUT;
}

bool case_buffer_is_result(const struct case_buffer *buffer)
{
	return buffer->role == BUFFER_OUT || buffer->role == BUFFER_INOUT;
}

char *case_input_key(const struct case_buffer *buffer, uint64_t seed)
{
	return xasprintf("in %s %s %" PRId64 " %s %.17g %.17g %" PRIu64, buffer->name,
			 element_type_name(buffer->type), buffer->length,
			 buffer_fill_name(buffer->fill), buffer->fill_low, buffer->fill_high, seed);
}

char *case_expected_key(const struct launch_case *work, const struct kernel_oracle *oracle,
			size_t buffer, uint64_t seed)
{
	struct string_list axes = {0};
	struct text key = TEXT_INIT;

	text_addf(&key, "expected %s %s %" PRIu64, oracle->name, work->buffers[buffer].name, seed);
	string_list_split(&axes, oracle->axes, ',');
	for (size_t i = 0; i < axes.count; i++) {
		int64_t value;

		if (launch_case_axis(work, axes.items[i], &value))
			text_addf(&key, " %s=%" PRId64, axes.items[i], value);
	}
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (case_buffer_is_input(&work->buffers[b]) ||
		    case_buffer_is_result(&work->buffers[b])) {
			char *input = case_input_key(&work->buffers[b], seed);

			text_addf(&key, " | %s", input);
			free(input);
		}
	}
	string_list_release(&axes);
	return text_detach(&key);
}

int case_oracle(const struct kernel_oracle **out, const struct launch_case *work, struct error *err)
{
	const struct kernel_oracle *oracle = kernel_find_oracle(work->oracle);

	if (!oracle)
		return error_set(err, PL_ENOENT,
				 "this worker has no oracle '%s': use perflab and the worker of "
				 "one installation",
				 work->oracle);
	*out = oracle;
	return 0;
}

struct case_difference case_compare(const struct launch_case *work, size_t buffer,
				    const void *result, const void *expected)
{
	const struct case_buffer *described = &work->buffers[buffer];
	struct case_difference difference = {0};

	for (int64_t i = 0; i < described->length; i++) {
		double got = element_value(described->type, result, i);
		double wanted = element_value(described->type, expected, i);

		difference.largest_error = fmax(difference.largest_error, fabs(got - wanted));
		difference.largest_expected = fmax(difference.largest_expected, fabs(wanted));
		if (within_tolerance(got, wanted, work->tolerance_abs, work->tolerance_rel))
			continue;
		if (!difference.mismatches++) {
			difference.first = (uint64_t)i;
			difference.got = got;
			difference.expected = wanted;
		}
	}
	return difference;
}

void case_accuracy_note(struct case_accuracy *accuracy, const struct case_buffer *buffer,
			double largest_error, double largest_expected)
{
	double error = largest_error > 0 ? largest_error / largest_expected : 0;

	if (buffer->type == ELEMENT_I32 || buffer->type == ELEMENT_U32)
		accuracy->reason = "no result has a floating-point type";
	else if (!isfinite(error))
		accuracy->reason = "every expected element is 0";
	else
		accuracy->relative_error = fmax(accuracy->relative_error, error);
}

void case_describe_difference(struct text *mismatch, const struct case_buffer *buffer,
			      const struct case_difference *difference)
{
	text_addf(mismatch,
		  "%s%" PRIu64 " of %" PRId64 " elements of '%s' differ from the CPU oracle; the "
		  "first, [%" PRIu64 "], is %.9g, expected %.9g",
		  mismatch->length ? "; " : "", difference->mismatches, buffer->length,
		  buffer->name, difference->first, difference->got, difference->expected);
}
