/* What a check accepts instead of the expected results. See blind_check.h. */
#include "harness/workers/blind_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"

void blind_result_begin(struct blind_result *out, const struct launch_case *work, size_t result)
{
	*out = (struct blind_result){
		.work = work,
		.result = result,
		.lowest_right = -INFINITY,
		.highest_right = INFINITY,
		.lowest = INFINITY,
		.highest = -INFINITY,
	};
	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *own = &work->buffers[result], *with = &work->buffers[b];

		out->comparable[b] =
			case_buffer_is_input(with) &&
			(b == result || (with->role == BUFFER_IN && own->type == with->type &&
					 own->length == with->length && !own->has_compared &&
					 !with->has_compared));
	}
}

/* No value is right where NaN or an infinite value is expected. */
static void look_at_value(struct blind_result *blind, enum element_type type, const void *expected)
{
	const double value = element_value(type, expected, 0);
	const double allowed = case_allowed_error(blind->work, blind->result, value);

	blind->lowest_right = fmax(blind->lowest_right, value - allowed);
	blind->highest_right =
		isfinite(value) ? fmin(blind->highest_right, value + allowed) : -INFINITY;
	blind->lowest = fmin(blind->lowest, value);
	blind->highest = fmax(blind->highest, value);
}

static bool accepts_constant(const struct blind_result *blind)
{
	return blind->length > 1 && blind->lowest_right <= blind->highest_right;
}

/* Returns whether the content of a buffer is still accepted. */
static bool look_at_buffers(struct blind_result *blind, size_t at, size_t size,
			    const void *expected, const struct host_buffers *inputs)
{
	bool accepted = false;

	for (size_t b = 0; b < blind->work->buffer_count; b++) {
		const unsigned char *content;

		if (!blind->comparable[b] || blind->rejected[b])
			continue;
		content = (const unsigned char *)inputs->data[b] + at;
		if (memcmp(content, expected, size) == 0) {
			accepted = true;
			continue;
		}
		blind->different[b] = true;
		blind->rejected[b] =
			!case_accepts_element(blind->work, blind->result, content, expected);
		accepted |= !blind->rejected[b];
	}
	return accepted;
}

bool blind_result_look(struct blind_result *blind, int64_t count, const void *expected,
		       const struct host_buffers *inputs)
{
	const enum element_type type = case_buffer_compared(&blind->work->buffers[blind->result]);
	const size_t size = element_size_bytes(type);
	static const unsigned char zero[16];

	for (int64_t i = 0; i < count; i++) {
		const size_t at = (size_t)i * size;
		const unsigned char *wanted = (const unsigned char *)expected + at;
		bool accepted = look_at_buffers(blind, at, size, wanted, inputs);

		if (!blind->zero_rejected)
			blind->zero_rejected =
				!case_accepts_element(blind->work, blind->result, zero, wanted);
		blind->zero_different |= element_value(type, wanted, 0) != 0;
		look_at_value(blind, type, wanted);
		blind->length++;
		accepted |= !blind->zero_rejected || blind->length < 2 || accepts_constant(blind);
		if (!accepted)
			return false;
	}
	return true;
}

/* "zeroes as 'y'" */
static void accepted_add(struct blind_case *blind, const struct blind_result *result,
			 const char *what)
{
	text_addf(&blind->accepted, "%s%s as '%s'", blind->accepted.length ? ", " : "", what,
		  result->work->buffers[result->result].name);
}

static void accepted_buffers_add(struct blind_case *blind, const struct blind_result *result)
{
	for (size_t b = 0; b < result->work->buffer_count; b++) {
		char *what;

		if (!result->comparable[b] || result->rejected[b] || !result->different[b])
			continue;
		what = xasprintf("the content of '%s'%s", result->work->buffers[b].name,
				 b == result->result ? " before the launch" : "");
		accepted_add(blind, result, what);
		free(what);
	}
}

void blind_case_add(struct blind_case *blind, const struct blind_result *result)
{
	const size_t own = result->result;
	const struct case_check_item *item = case_check_item(&result->work->check, own);
	char constant[64];

	if (!result->length)
		return;
	/* `verify x = x`: the user says that x stays, so a kernel that does nothing is right */
	if (!item || item->is_file || strcmp(item->text, result->work->buffers[own].name))
		blind->results++;
	blind->must_change |= !result->comparable[own] || result->rejected[own];
	if (!result->zero_rejected && result->zero_different) {
		accepted_add(blind, result, "zeroes");
	} else if (accepts_constant(result) && result->lowest < result->highest) {
		snprintf(constant, sizeof(constant), "%.9g in every element",
			 result->lowest_right / 2 + result->highest_right / 2);
		accepted_add(blind, result, constant);
	}
	accepted_buffers_add(blind, result);
}

void blind_case_finish(struct blind_case *blind, const struct launch_case *work,
		       struct text *reason)
{
	if (blind->results && !blind->must_change)
		text_add(reason,
			 "the check accepts what the results hold before the launch, so a kernel "
			 "that does nothing passes: choose inputs that the kernel changes, or "
			 "another check");
	else if (blind->accepted.length)
		text_addf(reason,
			  "the check accepts %s, so a wrong kernel may pass: choose a smaller "
			  "tolerance (it is abs = %.3g, rel = %.3g), or inputs with other results",
			  blind->accepted.data, work->tolerance_abs, work->tolerance_rel);
	text_release(&blind->accepted);
}

void blind_case_find(struct text *reason, const struct launch_case *work,
		     const struct host_buffers *expected, const struct host_buffers *inputs)
{
	struct blind_case blind = {.accepted = TEXT_INIT};

	for (size_t b = 0; b < work->buffer_count; b++) {
		struct blind_result result;

		if (!case_buffer_is_result(&work->buffers[b]))
			continue;
		blind_result_begin(&result, work, b);
		(void)blind_result_look(&result, case_compared_length(&work->buffers[b]),
					expected->data[b], inputs);
		blind_case_add(&blind, &result);
	}
	blind_case_finish(&blind, work, reason);
}

/* ---- earlier inputs ---- */

bool blind_earlier_look(struct blind_earlier *blind, const struct launch_case *work, size_t result,
			int64_t count, const void *expected, const void *earlier)
{
	const size_t size = element_size_bytes(case_buffer_compared(&work->buffers[result]));

	for (int64_t i = 0; i < count && !blind->rejected; i++) {
		const unsigned char *wanted = (const unsigned char *)expected + (size_t)i * size;
		const unsigned char *other = (const unsigned char *)earlier + (size_t)i * size;

		if (!memcmp(wanted, other, size))
			continue;
		blind->different = true;
		blind->rejected = !case_accepts_element(work, result, other, wanted);
	}
	return !blind->rejected;
}

void blind_earlier_finish(const struct blind_earlier *blind, const struct launch_case *work,
			  struct text *reason)
{
	if (blind->different && !blind->rejected)
		text_addf(reason,
			  "the check accepts the results of other inputs, so a kernel that keeps "
			  "its results passes: choose a smaller tolerance (it is abs = %.3g, rel = "
			  "%.3g), or inputs whose results differ more",
			  work->tolerance_abs, work->tolerance_rel);
}

void blind_earlier_find(struct text *reason, const struct launch_case *work,
			const struct host_buffers *expected, const struct host_buffers *earlier)
{
	struct blind_earlier blind = {0};
	bool more = true;

	for (size_t b = 0; b < work->buffer_count && more; b++)
		if (case_buffer_is_result(&work->buffers[b]))
			more = blind_earlier_look(&blind, work, b,
						  case_compared_length(&work->buffers[b]),
						  expected->data[b], earlier->data[b]);
	blind_earlier_finish(&blind, work, reason);
}
