/*
 * selector: parses a word such as "reduce/shuffle/block=256,n=4096". It selects
 * kernels and variants by name or pattern, and values of axes. Internal to
 * harness/plan.
 */
#ifndef HARNESS_PLAN_SELECTOR_H
#define HARNESS_PLAN_SELECTOR_H

#include "harness/plan/plan.h"
#include "metrics/metrics.h"

struct selector_axis {
	char *name;
	struct axis_values values; /* empty: "*", the values of the override or the descriptor */
};

struct selector {
	const char *text;       /* borrowed */
	char *kernel, *variant; /* patterns; "*" if the text does not name one */
	struct selector_axis *axes;
	size_t axis_count, axis_capacity;
};

/* Keeps a pointer to `text`. Returns PL_EUSAGE if the text is malformed or selects nothing; the
 * message names the nearest names. */
int selector_parse(struct selector *out, const char *text, const struct kernel_set *kernels,
		   struct error *err);
void selector_release(struct selector *selector);
bool selector_matches(const struct selector *selector, const struct kernel *kernel,
		      const struct kernel_variant *variant);
/* Returns the values that the selector sets for an axis, or NULL. */
const struct axis_values *selector_values(const struct selector *selector, const char *axis);

/* Appends ": did you mean a, b or c?", or the available names if none is similar. */
void suggest_names(struct text *out, const char *word, const struct string_list *names);

#endif
