/* Parses selectors and names the nearest kernels, variants and axes when one selects nothing. */
#include "harness/plan/selector.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_NAMES 12

static bool name_matches(const char *pattern, const char *name)
{
	return strpbrk(pattern, "*?") ? pattern_matches(pattern, name) : !strcmp(pattern, name);
}

/* A kernel that runs only on request is selected by its full name, never by a pattern. */
static bool kernel_matches(const char *pattern, const struct kernel *kernel)
{
	return name_matches(pattern, kernel->name) &&
	       !(kernel->on_request && strpbrk(pattern, "*?"));
}

void suggest_names(struct text *out, const char *word, const struct string_list *names)
{
	struct text near = TEXT_INIT;

	if (nearest_names(&near, word, (const char *const *)names->items, names->count)) {
		text_addf(out, ": did you mean %s?", near.data);
	} else {
		text_add(out, ": choose from ");
		for (size_t i = 0; i < names->count && i < SHOWN_NAMES; i++)
			text_addf(out, "%s%s", i ? ", " : "", names->items[i]);
		if (names->count > SHOWN_NAMES)
			text_add(out, ", … (`perflab list kernels` shows all)");
	}
	text_release(&near);
}

/* ---- parsing ---- */

static int selector_axis_add(struct selector *selector, const char *assignment, struct error *err)
{
	const char *equals = strchr(assignment, '=');
	char *name = xstrndup(assignment, (size_t)(equals - assignment));
	struct axis_values values = {0};
	int rc = 0;

	for (size_t i = 0; i < selector->axis_count && !rc; i++)
		if (!strcmp(selector->axes[i].name, name))
			rc = error_set(err, PL_EUSAGE, "'%s' sets axis '%s' twice", selector->text,
				       name);
	if (!rc && strcmp(equals + 1, "*")) {
		rc = axis_parse(&values, equals + 1, err);
		error_context(err, rc, "axis '%s'", name);
	}
	if (rc) {
		free(name);
		return rc;
	}
	selector->axes = xgrow(selector->axes, &selector->axis_capacity, selector->axis_count + 1,
			       sizeof(*selector->axes));
	selector->axes[selector->axis_count++] = (struct selector_axis){name, values};
	return 0;
}

/* In "block=64,96,n=4096" a piece without '=' is another value of the previous axis. */
static int selector_config_parse(struct selector *selector, const char *config, struct error *err)
{
	struct string_list pieces = {0};
	struct text assignment = TEXT_INIT;
	int rc = 0;

	string_list_split(&pieces, config, ',');
	for (size_t i = 0; i < pieces.count && !rc; i++) {
		const char *piece = pieces.items[i];
		bool ends = i + 1 == pieces.count || strchr(pieces.items[i + 1], '=');

		text_addf(&assignment, "%s%s", assignment.length ? "," : "", piece);
		if (!ends)
			continue;
		if (!strchr(assignment.data, '=') || assignment.data[0] == '=')
			rc = error_set(err, PL_EUSAGE,
				       "'%s' does not name the axis of '%s': write AXIS=VALUES "
				       "after the second '/', such as block=256",
				       selector->text, assignment.data);
		else
			rc = selector_axis_add(selector, assignment.data, err);
		text_clear(&assignment);
	}
	string_list_release(&pieces);
	text_release(&assignment);
	return rc;
}

static int unknown_kernel(const struct selector *selector, const struct kernel_set *set,
			  struct error *err)
{
	struct string_list names = {0};
	struct text hint = TEXT_INIT;
	const struct kernel *const *kernels = set->items;
	const size_t count = set->count;
	int rc;

	for (size_t i = 0; i < count && !hint.length; i++)
		if (kernels[i]->on_request && name_matches(selector->kernel, kernels[i]->name))
			text_addf(&hint, ": '%s' runs only when its full name is given",
				  kernels[i]->name);
	/* Users often write the name of a variant without its kernel. */
	for (size_t i = 0; i < count && !hint.length; i++)
		if (kernel_find_variant(kernels[i], selector->kernel))
			text_addf(&hint, ": it is a variant, write %s/%s", kernels[i]->name,
				  selector->kernel);
	for (size_t i = 0; i < count; i++)
		string_list_add(&names, kernels[i]->name);
	if (!hint.length)
		suggest_names(&hint, selector->kernel, &names);
	rc = error_set(err, PL_EUSAGE, "there is no kernel '%s'%s", selector->kernel, hint.data);
	string_list_release(&names);
	text_release(&hint);
	return rc;
}

/* Reports the first part of the selector that matches nothing, with the names that would match. */
static int selector_explain(const struct selector *selector, const struct kernel_set *set,
			    struct error *err)
{
	struct string_list variants = {0};
	struct string_list axes = {0};
	struct text hint = TEXT_INIT;
	const struct kernel *const *kernels = set->items;
	const size_t count = set->count;
	bool kernel_found = false;
	bool variant_found = false;
	int rc;

	for (size_t k = 0; k < count; k++) {
		if (!kernel_matches(selector->kernel, kernels[k]))
			continue;
		kernel_found = true;
		for (size_t v = 0; v < kernels[k]->variant_count; v++) {
			const struct kernel_variant *variant = &kernels[k]->variants[v];

			string_list_add(&variants, variant->name);
			if (!name_matches(selector->variant, variant->name))
				continue;
			variant_found = true;
			for (size_t a = 0; a < variant_axis_count(kernels[k], variant); a++) {
				const char *name = variant_axis(kernels[k], variant, a)->name;

				if (!string_list_has(&axes, name))
					string_list_add(&axes, name);
			}
		}
	}
	if (!kernel_found) {
		rc = unknown_kernel(selector, set, err);
	} else if (!variant_found) {
		suggest_names(&hint, selector->variant, &variants);
		rc = error_set(err, PL_EUSAGE, "kernel '%s' has no variant '%s'%s",
			       selector->kernel, selector->variant, hint.data);
	} else {
		const char *name = selector->axes[0].name;

		for (size_t i = 0; i < selector->axis_count; i++)
			if (!string_list_has(&axes, selector->axes[i].name))
				name = selector->axes[i].name;
		suggest_names(&hint, name, &axes);
		rc = error_set(err, PL_EUSAGE, "'%s' has no axis '%s'%s", selector->text, name,
			       hint.data);
	}
	string_list_release(&variants);
	string_list_release(&axes);
	text_release(&hint);
	return rc;
}

int selector_parse(struct selector *out, const char *text, const struct kernel_set *kernels,
		   struct error *err)
{
	struct selector selector = {.text = text};
	const char *slash = strchr(text, '/');
	const char *second = slash ? strchr(slash + 1, '/') : NULL;
	bool chooses = false;
	int rc = 0;

	selector.kernel = slash ? xstrndup(text, (size_t)(slash - text)) : xstrdup(text);
	selector.variant = !slash   ? xstrdup("*")
			   : second ? xstrndup(slash + 1, (size_t)(second - slash - 1))
				    : xstrdup(slash + 1);
	if (!*selector.kernel || !*selector.variant || (second && !second[1]))
		rc = error_set(err, PL_EUSAGE,
			       "'%s' has an empty part: write KERNEL, KERNEL/VARIANT or "
			       "KERNEL/VARIANT/AXIS=VALUE,…",
			       text);
	if (!rc && second)
		rc = selector_config_parse(&selector, second + 1, err);
	for (size_t k = 0; k < kernels->count && !rc; k++)
		for (size_t v = 0; v < kernels->items[k]->variant_count && !chooses; v++)
			chooses = selector_matches(&selector, kernels->items[k],
						   &kernels->items[k]->variants[v]);
	if (!rc && !chooses)
		rc = selector_explain(&selector, kernels, err);
	if (rc) {
		selector_release(&selector);
		return rc;
	}
	*out = selector;
	return 0;
}

void selector_release(struct selector *selector)
{
	for (size_t i = 0; i < selector->axis_count; i++) {
		free(selector->axes[i].name);
		axis_values_release(&selector->axes[i].values);
	}
	free(selector->axes);
	free(selector->kernel);
	free(selector->variant);
	*selector = (struct selector){0};
}

bool selector_matches(const struct selector *selector, const struct kernel *kernel,
		      const struct kernel_variant *variant)
{
	if (!kernel_matches(selector->kernel, kernel) ||
	    !name_matches(selector->variant, variant->name))
		return false;
	/* A selector that names an axis selects only the variants that have it. */
	for (size_t i = 0; i < selector->axis_count; i++) {
		bool found = false;

		for (size_t a = 0; a < variant_axis_count(kernel, variant); a++)
			found |= !strcmp(variant_axis(kernel, variant, a)->name,
					 selector->axes[i].name);
		if (!found)
			return false;
	}
	return true;
}

const struct axis_values *selector_values(const struct selector *selector, const char *axis)
{
	for (size_t i = 0; i < selector->axis_count; i++)
		if (!strcmp(selector->axes[i].name, axis))
			return selector->axes[i].values.count ? &selector->axes[i].values : NULL;
	return NULL;
}
