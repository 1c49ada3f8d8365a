/* Fills of descriptors: computes their numbers, and finds those that no buffer can have. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernels/element.h"
#include "kernels/expression.h"
#include "kernels/fill.h"

/* The integers up to this are doubles. */
#define MOST_EXACT (INT64_C(1) << 53)

struct fill_case {
	struct case_buffer *out;
	const struct kernel_buffer *buffer;
	const struct expression_variable *variables;
	size_t count;
	struct error *err;
};

static int evaluate_fill_number(const struct fill_case *f, int64_t *out, const char *word,
				const char *number)
{
	struct error cause = {0};
	int rc = expression_evaluate(out, number, f->variables, f->count, &cause);

	return rc ? error_set(f->err, rc, "%s(%s) of the buffer \"%s\": %s", word, number,
			      f->buffer->name, cause.text)
		  : 0;
}

static int resolve_real_number(const struct fill_case *f, double *out, const char *number)
{
	struct error cause = {0};
	int rc = real_expression_evaluate(out, number, f->variables, f->count, &cause);

	if (rc)
		return error_set(f->err, rc, "\"%s\" in the fill of the buffer \"%s\": %s", number,
				 f->buffer->name, cause.text);
	if (!isfinite(*out))
		return error_set(f->err, PL_EUSAGE,
				 "\"%s\" in the fill of the buffer \"%s\" is no finite number",
				 number, f->buffer->name);
	return 0;
}

static int resolve_fill_number(const struct fill_case *f, double *out, double literal,
			       const char *number)
{
	int64_t value;
	int rc;

	*out = literal;
	if (!number)
		return 0;
	if (expression_is_real(number))
		return resolve_real_number(f, out, number);
	rc = evaluate_fill_number(f, &value, buffer_fill_name(f->buffer->fill), number);
	if (rc)
		return rc;
	if (value < -MOST_EXACT || value > MOST_EXACT)
		return error_set(f->err, PL_EUSAGE,
				 "\"%s\" in the fill of the buffer \"%s\" is %" PRId64
				 "; a fill takes integers from -2^53 to 2^53",
				 number, f->buffer->name, value);
	*out = (double)value;
	return 0;
}

/* ---- ranges ---- */

static int refuse_fill(const struct fill_case *f, const char *cause)
{
	const struct case_buffer *out = f->out;
	const char *word = buffer_fill_name(f->buffer->fill);

	if (out->fill == FILL_CONSTANT)
		return error_set(f->err, PL_EUSAGE, "the fill of the buffer \"%s\" is %s(%.17g)%s",
				 f->buffer->name, word, out->fill_low, cause);
	return error_set(f->err, PL_EUSAGE, "the fill of the buffer \"%s\" is %s(%.17g, %.17g)%s",
			 f->buffer->name, word, out->fill_low, out->fill_high, cause);
}

/* The values from fill_low to `last` must be in the type. */
static int check_range(const struct fill_case *f, double last)
{
	const enum element_type type = f->out->type;
	struct text cause = TEXT_INIT;
	int rc;

	if (element_in_range(type, f->out->fill_low) && element_in_range(type, last))
		return 0;
	text_addf(&cause, ", but %s holds ", element_type_name(type));
	element_describe_range(&cause, type);
	rc = refuse_fill(f, cause.data);
	text_release(&cause);
	return rc;
}

/* The largest value below the bound is so near for floating-point types that the bound stands for
 * it, and for integers at most 1 away. */
static int check_uniform(const struct fill_case *f)
{
	const struct case_buffer *out = f->out;
	struct text cause = TEXT_INIT;
	double low, end;
	int rc;

	if (!(out->fill_low < out->fill_high))
		return refuse_fill(f, "; it needs a < b, or constant(v) for one value");
	if (!element_is_integer(out->type))
		return check_range(f, out->fill_high);
	element_integer_range(out->type, &low, &end);
	rc = check_range(f, out->fill_high == end ? low : out->fill_high - 1);
	/* Almost always a mistake, and most kernels are right for an input of zeroes. */
	if (!rc && trunc(out->fill_high) - trunc(out->fill_low) <= 1) {
		text_addf(&cause,
			  ", which is %.0f in every element of type %s, because b is left out; "
			  "write integers(a, b) for a to b, or constant(%.0f)",
			  trunc(out->fill_low), element_type_name(out->type), trunc(out->fill_low));
		rc = refuse_fill(f, cause.data);
	}
	text_release(&cause);
	return rc;
}

static int check_integers(const struct fill_case *f)
{
	struct case_buffer *out = f->out;
	const double most = ldexp(1.0, element_significant_bits(out->type));
	struct text cause = TEXT_INIT;
	int rc = 0;

	if (out->fill_low != trunc(out->fill_low) || out->fill_high != trunc(out->fill_high))
		return refuse_fill(f, "; it needs whole numbers");
	if (!(out->fill_low <= out->fill_high))
		return refuse_fill(f, "; it needs a <= b");
	if (element_is_integer(out->type)) {
		rc = check_range(f, out->fill_high);
		out->fill = FILL_UNIFORM;
		out->fill_high += 1;
		return rc;
	}
	if (out->fill_low < -most || out->fill_high > most) {
		text_addf(&cause, ", but %s holds the integers from %.0f to %.0f exactly",
			  element_type_name(out->type), -most, most);
		rc = refuse_fill(f, cause.data);
	}
	text_release(&cause);
	return rc;
}

static int check_numbers(const struct fill_case *f)
{
	switch (f->out->fill) {
	case FILL_UNIFORM:
		return check_uniform(f);
	case FILL_INTEGERS:
		return check_integers(f);
	case FILL_CONSTANT:
		return check_range(f, f->out->fill_low);
	case FILL_NORMAL:
		return f->out->fill_high > 0
			       ? 0
			       : refuse_fill(f, "; it needs a standard deviation above 0");
	default:
		return 0;
	}
}

static int resolve_bits(const struct fill_case *f)
{
	const int most = element_significant_bits(f->buffer->type);
	int64_t bits;
	int rc;

	if (!f->buffer->fill_bits)
		return 0;
	rc = evaluate_fill_number(f, &bits, "bits", f->buffer->fill_bits);
	if (rc)
		return rc;
	if (bits < 0 || bits > most)
		return error_set(f->err, PL_EUSAGE,
				 "bits(%s) of the buffer \"%s\" is %" PRId64
				 "; a value of type %s has 0 to %d significant bits",
				 f->buffer->fill_bits, f->buffer->name, bits,
				 element_type_name(f->buffer->type), most);
	f->out->has_fill_bits = true;
	f->out->fill_bits = (int)bits;
	return 0;
}

int fill_resolve(struct case_buffer *out, const struct kernel_buffer *buffer,
		 const struct expression_variable *variables, size_t count, struct error *err)
{
	const struct fill_case f = {out, buffer, variables, count, err};
	int rc;

	out->fill = buffer->fill;
	out->fill_file = buffer->fill_file ? xstrdup(buffer->fill_file) : NULL;
	out->fill_index = buffer->fill_index;
	if (buffer->fill_expression)
		out->fill_expression =
			expression_with_values(buffer->fill_expression, variables, count);
	rc = resolve_fill_number(&f, &out->fill_low, buffer->fill_low, buffer->fill_numbers[0]);
	if (!rc)
		rc = resolve_fill_number(&f, &out->fill_high, buffer->fill_high,
					 buffer->fill_numbers[1]);
	if (!rc)
		rc = check_numbers(&f);
	return rc ? rc : resolve_bits(&f);
}
