/*
 * selector: what a word such as "reduce/shuffle/block=256,n=4096" chooses:
 * kernels and variants by name or pattern, and values of axes. Internal to
 * harness/.
 */
#ifndef HARNESS_PLAN_SELECTOR_H
#define HARNESS_PLAN_SELECTOR_H

#include "harness/plan/plan.h"
#include "metrics/metrics.h"

struct selector_axis {
	char *name;
	struct axis_values values; /* none: "*", whatever the plan would take */
};

struct selector {
	const char *text;       /* borrowed */
	char *kernel, *variant; /* patterns; "*" where not given */
	struct selector_axis *axes;
	size_t axis_count, axis_capacity;
};

/* PL_EUSAGE when it is malformed or chooses nothing, with the nearest names. */
int selector_parse(struct selector *out, const char *text, struct error *err);
void selector_release(struct selector *selector);
bool selector_matches(const struct selector *selector, const struct kernel *kernel,
		      const struct kernel_variant *variant);
/* The values that the selector gives an axis; NULL: none. */
const struct axis_values *selector_values(const struct selector *selector, const char *axis);

/* NULL: the variant has no axis of that name. */
const struct kernel_axis *variant_axis_find(const struct kernel *kernel,
					    const struct kernel_variant *variant, const char *name);

/* ": did you mean a, b or c?", or what there is when nothing is near. */
void suggest_names(struct text *out, const char *word, const struct string_list *names);

#endif
