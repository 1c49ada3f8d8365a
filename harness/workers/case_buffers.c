#include "harness/workers/case_buffers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "harness/workers/tolerance.h"
#include "kernels/element.h"

unsigned char case_poison(const struct case_buffer *buffer, enum case_execution execution)
{
	static const unsigned char of_integers[] = {
		[EXECUTION_FIRST] = 0xff,
		[EXECUTION_AGAIN] = 0x5a,
		[EXECUTION_REFERENCE] = 0xa5,
	};

	return element_is_integer(buffer->type) || element_is_integer(case_buffer_compared(buffer))
		       ? of_integers[execution]
		       : 0xff;
}

const char *case_buffer_variable(const struct case_buffer *buffer, enum case_execution execution)
{
	if (execution == EXECUTION_REFERENCE && buffer->check_variable)
		return buffer->check_variable;
	return buffer->variable ? buffer->variable : buffer->symbol;
}

/* Whether another seed may give other content, of which any part fits the rest. Nothing of an
 * expression is random without the word. */
static bool has_seed(const struct case_buffer *buffer)
{
	return buffer->fill == FILL_UNIFORM || buffer->fill == FILL_NORMAL ||
	       buffer->fill == FILL_INTEGERS ||
	       (buffer->fill == FILL_EXPRESSION &&
		has_whole_word(buffer->fill_expression, "random"));
}

/* Elements of an input that stay the same, if it has more. */
#define KEPT_MOST 2

int case_fill_mixed(void *data, const struct case_buffer *buffer, uint64_t seed, struct error *err)
{
	const int64_t count = buffer->length > KEPT_MOST ? KEPT_MOST : buffer->length - 1;
	const size_t kept = count > 0 ? (size_t)count * element_size_bytes(buffer->type) : 0;
	unsigned char first[KEPT_MOST * 16];
	int rc = kernel_fill(data, buffer, seed, err);

	if (rc || !has_seed(buffer))
		return rc;
	memcpy(first, data, kept);
	rc = kernel_fill(data, buffer, seed + MIXED_SEED_STEP, err);
	memcpy(data, first, kept);
	return rc;
}

const struct case_check_item *case_check_item(const struct case_check *check, size_t buffer)
{
	for (size_t i = 0; i < check->item_count; i++)
		if (check->items[i].buffer == buffer)
			return &check->items[i];
	return NULL;
}

static bool is_file_item(const struct case_check *check, const struct case_check_item *item)
{
	return item && case_check_item_is_file(check, (size_t)(item - check->items));
}

bool case_result_is_recorded(const struct launch_case *work, size_t buffer)
{
	const struct case_check_item *item = case_check_item(&work->check, buffer);
	const struct case_buffer *described = &work->buffers[buffer];

	return is_file_item(&work->check, item) && described->fill == FILL_CAPTURE &&
	       strcmp(described->fill_file, item->text) == 0;
}

double case_tolerance_abs(const struct launch_case *work, size_t buffer)
{
	const struct case_buffer *described = &work->buffers[buffer];
	const bool untyped = described->type == ELEMENT_U8 && !described->has_compared;

	return untyped && case_result_is_recorded(work, buffer) ? 0 : work->tolerance_abs;
}

int64_t case_compared_length(const struct case_buffer *buffer)
{
	return (int64_t)(case_buffer_bytes(buffer) /
			 element_size_bytes(case_buffer_compared(buffer)));
}

/* Integers may differ by the absolute tolerance only: a relative one would hide a wrong index. */
static bool same_integer(double tolerance_abs, enum element_type type, const void *result,
			 const void *expected, int64_t index)
{
	if (element_integer(type, result, index) == element_integer(type, expected, index))
		return true;
	return tolerance_abs > 0 &&
	       fabs(element_difference(type, result, expected, index)) <= tolerance_abs;
}

static void copy_element(uint64_t *out, enum element_type type, const void *data, int64_t index)
{
	const size_t size = element_size_bytes(type);

	memcpy(out, (const unsigned char *)data + (size_t)index * size, size);
}

static bool same_bits(enum element_type type, const void *a, const void *b, int64_t index)
{
	const size_t size = element_size_bytes(type), at = (size_t)index * size;

	return memcmp((const unsigned char *)a + at, (const unsigned char *)b + at, size) == 0;
}

double case_allowed_error(const struct launch_case *work, size_t buffer, double expected)
{
	const bool integer = element_is_integer(case_buffer_compared(&work->buffers[buffer]));

	return case_tolerance_abs(work, buffer) +
	       (integer ? 0 : work->tolerance_rel * fabs(expected));
}

bool case_accepts_element(const struct launch_case *work, size_t buffer, const void *element,
			  const void *expected)
{
	const enum element_type type = case_buffer_compared(&work->buffers[buffer]);
	const double tolerance_abs = case_tolerance_abs(work, buffer);

	return element_is_integer(type)
		       ? same_integer(tolerance_abs, type, element, expected, 0)
		       : is_right(element_value(type, element, 0), element_value(type, expected, 0),
				  tolerance_abs, work->tolerance_rel,
				  case_result_is_recorded(work, buffer) &&
					  same_bits(type, element, expected, 0));
}

struct case_difference case_compare(const struct launch_case *work, size_t buffer,
				    const void *result, const void *expected)
{
	const struct case_buffer *described = &work->buffers[buffer];
	const enum element_type type = case_buffer_compared(described);
	const int64_t length = case_compared_length(described);
	const bool integer = element_is_integer(type);
	const bool recorded = case_result_is_recorded(work, buffer);
	const double tolerance_abs = case_tolerance_abs(work, buffer);
	struct case_difference difference = {0};

	if (recorded && memcmp(result, expected, case_buffer_bytes(described)) == 0)
		return difference;
	for (int64_t i = 0; i < length; i++) {
		double got = element_value(type, result, i);
		double wanted = element_value(type, expected, i);

		/* an infinite element would hide the error of all others */
		if (isfinite(wanted)) {
			difference.largest_error =
				fmax(difference.largest_error, fabs(got - wanted));
			difference.largest_expected =
				fmax(difference.largest_expected, fabs(wanted));
		}
		if (integer ? same_integer(tolerance_abs, type, result, expected, i)
			    : is_right(got, wanted, tolerance_abs, work->tolerance_rel,
				       recorded && same_bits(type, result, expected, i)))
			continue;
		if (!difference.mismatches++) {
			difference.first = (uint64_t)i;
			copy_element(&difference.got, type, result, i);
			copy_element(&difference.expected, type, expected, i);
		}
	}
	return difference;
}

void case_accuracy_note(struct case_accuracy *accuracy, const struct case_buffer *buffer,
			double largest_error, double largest_expected)
{
	double error = largest_error > 0 ? largest_error / largest_expected : 0;

	if (element_is_integer(case_buffer_compared(buffer)))
		accuracy->reason = "no result has a floating-point type";
	else if (!isfinite(error))
		accuracy->reason = "every expected element is 0";
	else
		accuracy->relative_error = fmax(accuracy->relative_error, error);
}

/* Names each kernel once, because a check may launch one many times. */
void case_describe_reference(struct text *out, const struct launch_case *work)
{
	const struct case_check *check = &work->check;
	struct string_list names = {0};
	struct text name = TEXT_INIT;

	for (size_t l = 0; l < check->launch_count; l++) {
		mangled_plain_name(&name, check->launches[l].entry);
		if (!string_list_has(&names, name.data))
			string_list_add(&names, name.data);
	}
	text_add(out, names.count > 1 ? "the kernels " : "the kernel ");
	for (size_t i = 0; i < names.count; i++)
		text_addf(out, "%s%s", i ? ", " : "", names.items[i]);
	text_release(&name);
	string_list_release(&names);
}

/* How much of an expression or a command a message shows. */
#define CHECK_SHOWN_BYTES 80

void case_add_beginning(struct text *out, const char *check)
{
	size_t length = strlen(check);

	if (length <= CHECK_SHOWN_BYTES) {
		text_add(out, check);
		return;
	}
	length = CHECK_SHOWN_BYTES;
	while (length &&
	       ((unsigned char)check[length] & 0xc0) == 0x80) /* inside a UTF-8 character */
		length--;
	text_add_bytes(out, check, length);
	text_add(out, "…");
}

void case_describe_expected(struct text *out, const struct launch_case *work, size_t buffer)
{
	const struct case_check *check = &work->check;
	const struct case_check_item *item = case_check_item(check, buffer);

	if (item && !is_file_item(check, item)) {
		text_add(out, "the expression ");
		case_add_beginning(out, item->text);
	} else if (item && case_result_is_recorded(work, item->buffer)) {
		text_add(out, "what the program's launch left");
	} else if (item) {
		text_addf(out, "the file %.200s", item->text);
	}
	if (item)
		return;
	switch (check->kind) {
	case CHECK_ORACLE:
		text_add(out, "the CPU oracle");
		break;
	case CHECK_LAUNCHES:
		text_add(out, "the results of ");
		case_describe_reference(out, work);
		break;
	case CHECK_COMMAND:
		text_add(out, "the results of the command ");
		case_add_beginning(out, check->command);
		break;
	case CHECK_EXPRESSION:
	case CHECK_FILE:
	case CHECK_NONE:
		text_add(out, "nothing");
		break;
	}
}

static void add_element(struct text *out, enum element_type type, const uint64_t *element)
{
	if (type == ELEMENT_U64)
		text_addf(out, "%" PRIu64, (uint64_t)element_integer(type, element, 0));
	else if (element_is_integer(type))
		text_addf(out, "%" PRId64, element_integer(type, element, 0));
	else
		text_addf(out, "%.9g", element_value(type, element, 0));
}

/* Whether an element of a result has the bytes that perflab put there before an execution. */
static bool is_poison(const struct case_buffer *buffer, const uint64_t *element,
		      enum case_execution execution)
{
	const unsigned char *bytes = (const unsigned char *)element;

	for (size_t i = 0; i < element_size_bytes(case_buffer_compared(buffer)); i++)
		if (bytes[i] != case_poison(buffer, execution))
			return false;
	return buffer->role == BUFFER_OUT;
}

/* A NaN of these bits is no value of a kernel, but an integer may be, and a small one often is. */
static void add_got(struct text *out, const struct case_buffer *buffer, const uint64_t *element)
{
	const enum element_type type = case_buffer_compared(buffer);
	const bool unwritten = is_poison(buffer, element, EXECUTION_FIRST) ||
			       is_poison(buffer, element, EXECUTION_AGAIN);

	if (unwritten && !element_is_integer(type)) {
		text_add(out, "was never written");
		return;
	}
	text_add(out, "is ");
	add_element(out, type, element);
	if (unwritten && element_size_bytes(type) >= 4)
		text_add(out, " as before the launch, so probably never written");
}

static void add_expected(struct text *out, const struct launch_case *work, size_t buffer,
			 const uint64_t *element)
{
	const enum element_type type = case_buffer_compared(&work->buffers[buffer]);

	text_add(out, ", expected ");
	if (work->check.kind == CHECK_LAUNCHES && !case_check_item(&work->check, buffer) &&
	    !element_is_integer(type) &&
	    is_poison(&work->buffers[buffer], element, EXECUTION_REFERENCE))
		text_add(out, "nothing: the reference never wrote it");
	else
		add_element(out, type, element);
}

/* An error so small may be one of rounding. */
#define ROUNDING_MOST 1e-2

static void add_tolerance(struct text *out, const struct launch_case *work, size_t buffer,
			  const struct case_difference *difference)
{
	const double error = difference->largest_error;

	if (work->check.kind == CHECK_ORACLE || case_result_is_recorded(work, buffer) ||
	    element_is_integer(case_buffer_compared(&work->buffers[buffer])) || !(error > 0) ||
	    error > ROUNDING_MOST * difference->largest_expected)
		return;
	text_addf(out,
		  "; the largest error is %.3g, and the check allows abs = %.3g, rel = %.3g: if it "
		  "is "
		  "only rounding, add the line tolerance abs = %.1g",
		  error, work->tolerance_abs, work->tolerance_rel, 2 * error);
}

void case_describe_difference(struct text *mismatch, const struct launch_case *work, size_t buffer,
			      const struct case_difference *difference)
{
	const struct case_buffer *described = &work->buffers[buffer];
	const enum element_type type = case_buffer_compared(described);

	text_addf(mismatch, "%s%" PRIu64 " of %" PRId64 " %s of '%s' differ from ",
		  mismatch->length ? "; " : "", difference->mismatches,
		  case_compared_length(described),
		  case_result_is_recorded(work, buffer) && type == ELEMENT_U8 ? "bytes"
									      : "elements",
		  described->name);
	case_describe_expected(mismatch, work, buffer);
	text_addf(mismatch, "; the first, [%" PRIu64 "], ", difference->first);
	add_got(mismatch, described, &difference->got);
	add_expected(mismatch, work, buffer, &difference->expected);
	add_tolerance(mismatch, work, buffer, difference);
}
