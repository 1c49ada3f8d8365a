/* Evaluates the expressions of a study over measurements, and compares the values with its limits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/compare.h"
#include "metrics/analysis/study.h"
#include "metrics/analysis/study_expression.h"
#include "metrics/catalogue/catalogue.h"

const char *study_verdict_name(enum study_verdict verdict)
{
	static const char *const names[] = {
#define X(symbol, name, meaning) [symbol] = name,
		STUDY_VERDICT_LIST(X)
#undef X
	};

	return names[verdict];
}

bool study_verdict_needs_another(enum study_verdict verdict)
{
	return verdict > STUDY_OPEN;
}

const char *study_basis_name(enum study_basis basis)
{
	static const char *const names[] = {
#define X(symbol, name) [symbol] = name,
		STUDY_BASIS_LIST(X)
#undef X
	};

	return names[basis];
}

/* ---- one value ---- */

/*
 * A value on the stack, and its derivative by the logarithm of each case's time. A
 * product or quotient of times and constants varies by factors, so its interval
 * is computed in factors.
 */
struct value {
	double number;
	double slope[STUDY_MAX_CASES];
	bool by_factors;
};

struct judging {
	const struct study *study;
	const struct study_evidence *evidence;
	const struct noise *noise;
	bool timed[STUDY_MAX_CASES]; /* the expression uses the time of the case */
	struct text why;             /* why a value is missing; empty: none is */
};

static double mean_of_logarithms(struct process_medians medians)
{
	double sum = 0;

	for (size_t i = 0; i < medians.count; i++)
		sum += log(medians.time_ns[i]);
	return sum / (double)medians.count;
}

static void report_unknown(struct judging *judging, size_t at, const char *what, const char *reason)
{
	if (!judging->why.length)
		text_addf(&judging->why, "%s of case %s: %s", what, judging->study->cases[at].name,
			  reason);
}

static double study_counter(struct judging *judging, const struct postfix_step *step)
{
	const struct trial *trial = judging->evidence[step->at].trial;
	const struct counter_value *counter = counter_list_find(&trial->counters, step->metric);

	if (counter && counter->has_value)
		return counter->value;
	report_unknown(judging, step->at, step->metric,
		       counter && counter->reason ? counter->reason : "not counted");
	return NAN;
}

static double known_or_nan(struct judging *judging, const struct postfix_step *step,
			   const char *what, int64_t value)
{
	if (value >= 0)
		return (double)value;
	report_unknown(judging, step->at, what, "not known");
	return NAN;
}

static double fact_of(struct judging *judging, const struct postfix_step *step)
{
	const struct study_evidence *evidence = &judging->evidence[step->at];
	const struct trial *trial = evidence->trial;
	const struct launch_facts *facts = &trial->facts;

	switch (step->kind) {
	case FACT_FLOP:
		return known_or_nan(judging, step, "the work", trial->has_work ? trial->flop : -1);
	case FACT_BYTES:
		return known_or_nan(judging, step, "the work",
				    trial->has_work ? trial->bytes_read + trial->bytes_written
						    : -1);
	case FACT_REGISTERS:
		return known_or_nan(judging, step, "registers", facts->registers_per_thread);
	case FACT_LOCAL_BYTES:
		return known_or_nan(judging, step, "local memory", facts->local_bytes_per_thread);
	case FACT_SHARED_BYTES:
		return known_or_nan(
			judging, step, "shared memory",
			facts->shared_static_bytes < 0 || facts->shared_dynamic_bytes < 0
				? -1
				: facts->shared_static_bytes + facts->shared_dynamic_bytes);
	case FACT_BUFFER_BYTES:
	case FACT_SCRATCH_BYTES:
		return known_or_nan(judging, step, "the memory",
				    evidence->buffer_bytes == 0       ? -1
				    : step->kind == FACT_BUFFER_BYTES ? evidence->buffer_bytes
								      : evidence->scratch_bytes);
	case FACT_LAUNCHES:
		return known_or_nan(judging, step, "the launches",
				    evidence->launches ? evidence->launches : -1);
	default:
		return study_counter(judging, step);
	}
}

/* An end that is not the fault of the kernel, such as too little memory, leaves the value unknown.
 */
static double verified_of(struct judging *judging, const struct postfix_step *step)
{
	const struct study_evidence *evidence = &judging->evidence[step->at];

	switch (evidence->trial->status) {
	case TRIAL_OK:
		return 1;
	case TRIAL_MISMATCH:
	case TRIAL_FAULT:
	case TRIAL_TIMEOUT:
	case TRIAL_CRASHED:
	case TRIAL_DEVICE_ERROR:
		return 0;
	default:
		report_unknown(judging, step->at, "the result",
			       evidence->reason ? evidence->reason : "not verified");
		return NAN;
	}
}

static void take_quantity(struct judging *judging, const struct postfix_step *step,
			  struct value *value)
{
	const struct study_evidence *evidence = &judging->evidence[step->at];

	value->number = NAN;
	value->by_factors = true;
	if (evidence->trial && step->kind == FACT_VERIFIED) {
		value->number = verified_of(judging, step);
	} else if (!evidence->trial || evidence->reason) {
		report_unknown(judging, step->at, "no measurement", evidence->reason);
	} else if (step->kind != FACT_TIME) {
		value->number = fact_of(judging, step);
	} else if (!evidence->medians.count) {
		report_unknown(judging, step->at, "the time", "not measured");
	} else {
		value->number = exp(mean_of_logarithms(evidence->medians));
		value->slope[step->at] = value->number;
		judging->timed[step->at] = true;
	}
}

/* Computes left = left OPERATION right. */
static void apply_binary(enum postfix_operation operation, struct value *left,
			 const struct value *right)
{
	double a = left->number, b = right->number;
	bool takes_right;

	switch (operation) {
	case STEP_ADD:
	case STEP_SUBTRACT:
		left->number = operation == STEP_ADD ? a + b : a - b;
		for (size_t i = 0; i < STUDY_MAX_CASES; i++)
			left->slope[i] +=
				operation == STEP_ADD ? right->slope[i] : -right->slope[i];
		left->by_factors = false;
		break;
	case STEP_MULTIPLY:
		left->number = a * b;
		for (size_t i = 0; i < STUDY_MAX_CASES; i++)
			left->slope[i] = left->slope[i] * b + a * right->slope[i];
		left->by_factors &= right->by_factors;
		break;
	case STEP_DIVIDE:
		left->number = a / b;
		for (size_t i = 0; i < STUDY_MAX_CASES; i++)
			left->slope[i] = (left->slope[i] - left->number * right->slope[i]) / b;
		left->by_factors &= right->by_factors;
		break;
	default: /* STEP_MIN, STEP_MAX */
		takes_right = operation == STEP_MIN ? b < a : b > a;
		if (isnan(b) || takes_right)
			*left = *right;
		break;
	}
}

static void apply_unary(enum postfix_operation operation, struct value *value)
{
	double factor = operation == STEP_NEGATE ? -1 : 1 / (value->number * log(10));

	value->number = operation == STEP_NEGATE ? -value->number : log10(value->number);
	for (size_t i = 0; i < STUDY_MAX_CASES; i++)
		value->slope[i] *= factor;
	value->by_factors &= operation == STEP_NEGATE;
}

static struct value evaluate(struct judging *judging, const struct postfix *expression)
{
	struct value stack[POSTFIX_MAX_STACK] = {0};
	size_t top = 0;

	for (size_t i = 0; i < expression->count; i++) {
		const struct postfix_step *step = &expression->steps[i];

		switch (step->operation) {
		case STEP_NUMBER:
			stack[top++] = (struct value){.number = step->number, .by_factors = true};
			break;
		case STEP_QUANTITY:
			stack[top] = (struct value){0};
			take_quantity(judging, step, &stack[top++]);
			break;
		case STEP_NEGATE:
		case STEP_LOG10:
			apply_unary(step->operation, &stack[top - 1]);
			break;
		default:
			top--;
			apply_binary(step->operation, &stack[top - 1], &stack[top]);
		}
	}
	return stack[0];
}

/* ---- intervals ---- */

/*
 * As in effect_of(), the variance combines the rounds of all cases with the known
 * noise between processes, weighted by degrees of freedom.
 */
static void find_interval(struct study_part_answer *answer, const struct judging *judging,
			  const struct value *value)
{
	const struct noise *noise = judging->noise;
	double squares = 0, freedom = noise->weight, variance = 0, reach;
	bool any = false;

	for (size_t i = 0; i < judging->study->case_count; i++) {
		struct process_medians medians = judging->evidence[i].medians;
		double mean;

		if (!judging->timed[i])
			continue;
		any = true;
		mean = mean_of_logarithms(medians);
		freedom += (double)(medians.count - 1);
		for (size_t j = 0; j < medians.count; j++)
			squares +=
				(log(medians.time_ns[j]) - mean) * (log(medians.time_ns[j]) - mean);
	}
	if (!any || !(freedom > 0) || !isfinite(value->number))
		return;
	for (size_t i = 0; i < judging->study->case_count; i++) {
		struct process_medians medians = judging->evidence[i].medians;
		double known;

		if (!judging->timed[i])
			continue;
		known = noise_variance(noise, exp(mean_of_logarithms(medians)));
		variance += value->slope[i] * value->slope[i] * (noise->weight * known + squares) /
			    freedom / (double)medians.count;
	}
	reach = student_quantile(0.05, freedom) * sqrt(variance);
	if (value->by_factors && value->number > 0) {
		answer->low = value->number * exp(-reach / value->number);
		answer->high = value->number * exp(reach / value->number);
	} else {
		answer->low = value->number - reach;
		answer->high = value->number + reach;
	}
}

/* ---- verdicts ---- */

/* One process does not show how far two differ. */
static bool lacks_rounds(const struct judging *judging)
{
	for (size_t i = 0; i < judging->study->case_count; i++)
		if (judging->timed[i] && judging->evidence[i].medians.count < 2)
			return true;
	return false;
}

static void judge_value(struct study_part_answer *answer, const struct study_limits *limits)
{
	double low = isnan(answer->low) ? answer->value : answer->low;
	double high = isnan(answer->high) ? answer->value : answer->high;

	if (low >= limits->low && high <= limits->high) {
		answer->verdict = STUDY_HOLDS;
	} else if (low > limits->high || high < limits->low) {
		answer->verdict = STUDY_FAILS;
	} else {
		double limit = low < limits->low ? limits->low : limits->high;

		answer->why = xasprintf("the interval crosses %g", limit);
	}
}

static enum study_basis basis_of_step(const struct postfix_step *step)
{
	const struct metric *metric = step->metric ? metric_find(step->metric) : NULL;
	const char *formula = metric && metric->formula ? metric->formula : "";

	switch (step->kind) {
	case FACT_TIME:
		return STUDY_BY_TIMES;
	case FACT_VERIFIED:
		return STUDY_BY_RESULTS;
	case FACT_REGISTERS:
	case FACT_LOCAL_BYTES:
	case FACT_SHARED_BYTES:
		return STUDY_BY_COMPILER;
	case FACT_NONE:
		if (strcmp(formula, "verification") == 0)
			return STUDY_BY_RESULTS;
		/* these are models of the launch: neither a GPU nor the emulator counted them */
		return strcmp(formula, "plan") && strcmp(formula, "occupancy calculator") &&
				       strcmp(formula, "work model")
			       ? STUDY_BY_COUNTERS
			       : STUDY_BY_CALCULATION;
	default:
		return STUDY_BY_CALCULATION;
	}
}

static enum study_basis basis_of(const struct postfix *expression)
{
	enum study_basis basis = STUDY_BY_CALCULATION;

	for (size_t i = 0; i < expression->count; i++) {
		const struct postfix_step *step = &expression->steps[i];

		if (step->operation == STEP_QUANTITY && basis_of_step(step) < basis)
			basis = basis_of_step(step);
	}
	return basis;
}

/* What a GPU has to provide for the expression. */
static enum study_verdict what_is_needed(const struct postfix *measured)
{
	switch (basis_of(measured)) {
	case STUDY_BY_TIMES:
		return STUDY_NEEDS_TIMES;
	case STUDY_BY_COUNTERS:
		return STUDY_NEEDS_COUNTERS;
	default:
		return STUDY_NEEDS_GPU;
	}
}

static bool is_exact(const struct postfix *expression)
{
	bool exact = true;

	for (size_t i = 0; i < expression->count; i++) {
		const struct postfix_step *step = &expression->steps[i];

		if (step->operation == STEP_QUANTITY)
			exact &= step->metric ? metric_is_exact(metric_find(step->metric))
					      : step->kind != FACT_TIME;
	}
	return exact;
}

static void judge_part(struct study_part_answer *answer, const struct study_part *part,
		       struct judging judging, bool emulated)
{
	const struct postfix *expression = emulated ? &part->emulated : &part->measured;
	struct value value;

	*answer = (struct study_part_answer){.verdict = STUDY_OPEN,
					     .value = NAN,
					     .low = NAN,
					     .high = NAN,
					     .exact = is_exact(expression),
					     .basis = basis_of(expression)};
	if (!expression->count) {
		answer->verdict = emulated ? what_is_needed(&part->measured) : STUDY_NEEDS_EMULATOR;
		return;
	}
	value = evaluate(&judging, expression);
	if (judging.why.length) {
		answer->why = text_detach(&judging.why);
	} else if (!isfinite(value.number)) {
		answer->why = xstrdup("the value is not a finite number");
	} else if (lacks_rounds(&judging)) {
		answer->value = value.number;
		answer->why = xstrdup("a time of one round has no interval: measure at least two");
	} else {
		answer->value = value.number;
		find_interval(answer, &judging, &value);
		judge_value(answer, &part->expect);
	}
	text_release(&judging.why);
}

void study_judge(struct study_answer *out, const struct study *study,
		 const struct study_evidence *evidence, const struct noise *noise, bool emulated)
{
	const struct judging judging = {
		.study = study, .evidence = evidence, .noise = noise, .why = TEXT_INIT};

	*out = (struct study_answer){.verdict = STUDY_HOLDS};
	for (size_t i = 0; i < study->part_count; i++) {
		const struct study_part_answer *part = &out->parts[i];

		judge_part(&out->parts[i], &study->parts[i], judging, emulated);
		if (study->parts[i].aside)
			continue;
		out->deciding++;
		out->decided += part->verdict <= STUDY_FAILS;
		if (part->verdict != STUDY_HOLDS &&
		    (out->verdict == STUDY_HOLDS || part->verdict < out->verdict))
			out->verdict = part->verdict;
		if (part->verdict == STUDY_OPEN && !out->why)
			out->why = xstrdup(part->why);
	}
	if (out->verdict != STUDY_OPEN) {
		free(out->why);
		out->why = NULL;
	}
}

void study_answer_release(struct study_answer *answer)
{
	for (size_t i = 0; i < STUDY_MAX_PARTS; i++)
		free(answer->parts[i].why);
	free(answer->why);
	*answer = (struct study_answer){0};
}
