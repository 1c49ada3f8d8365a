/* Which cases belong together: a case and its base case, the case of the base variant with the same
 * axes; and the cases of a shard. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "harness/plan/selector.h"

bool plan_same_variant(const struct plan_case *a, const struct plan_case *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0;
}

bool is_base_variant(const char *base_variant, const char *kernel, const char *variant)
{
	const char *slash = base_variant ? strchr(base_variant, '/') : NULL;

	if (!base_variant)
		return false;
	if (BASE_IS_REVISION(base_variant))
		return has_suffix(variant, base_variant);
	if (!slash)
		return strcmp(base_variant, variant) == 0;
	return (size_t)(slash - base_variant) == strlen(kernel) &&
	       strncmp(base_variant, kernel, (size_t)(slash - base_variant)) == 0 &&
	       strcmp(slash + 1, variant) == 0;
}

const struct plan_case *plan_base(const struct plan *plan, const struct plan_case *planned)
{
	return planned->base_variant && planned->base != NO_BASE ? &plan->cases[planned->base]
								 : NULL;
}

/* ---- the axes of two cases ---- */

static const struct axis_value *find_axis(const struct plan_case *planned, const char *name)
{
	for (size_t i = 0; i < planned->axis_count; i++)
		if (strcmp(planned->axes[i].name, name) == 0)
			return &planned->axes[i];
	return NULL;
}

static bool agree_in_axes(const struct plan_case *planned, const struct plan_case *base)
{
	for (size_t i = 0; i < planned->axis_count; i++) {
		const struct axis_value *other = find_axis(base, planned->axes[i].name);

		if (other && other->value != planned->axes[i].value)
			return false;
	}
	return true;
}

/* Whether the base variant has axes that the variant of the case lacks. All cases of a variant have
 * the same axes. */
static bool base_has_more_axes(const struct plan_case *planned, const struct plan_case *base)
{
	for (size_t i = 0; i < base->axis_count; i++)
		if (!find_axis(planned, base->axes[i].name))
			return true;
	return false;
}

/* ---- one variant ---- */

/* The cases of a variant lie side by side. */
struct variant_range {
	size_t begin, end;
};

static struct variant_range variant_range_from(const struct plan *plan, size_t begin)
{
	struct variant_range range = {begin, begin};

	while (range.end < plan->count &&
	       plan_same_variant(&plan->cases[range.end], &plan->cases[begin]))
		range.end++;
	return range;
}

/* Variants with the same axes have their cases in the same order, so the search begins at the same
 * place. If several cases match, the first of the plan must be found. */
static size_t find_base(const struct plan *plan, size_t index, size_t place,
			struct variant_range bases)
{
	const size_t count = bases.end - bases.begin;
	const bool unique = !base_has_more_axes(&plan->cases[index], &plan->cases[bases.begin]);

	for (size_t i = 0; i < count; i++) {
		const size_t at = bases.begin + (unique ? (place + i) % count : i);

		if (agree_in_axes(&plan->cases[index], &plan->cases[at]))
			return at;
	}
	return NO_BASE;
}

/* Says which values of its own axes a base case has, if it has others with other values. */
static void remark_choice(struct plan *plan, size_t index, struct variant_range bases)
{
	const struct plan_case *planned = &plan->cases[index];
	const struct plan_case *base = &plan->cases[planned->base];
	struct text own = TEXT_INIT;
	char *remark;
	size_t matching = 0;

	for (size_t i = bases.begin; i < bases.end; i++)
		matching += agree_in_axes(planned, &plan->cases[i]);
	if (matching < 2)
		return;
	for (size_t i = 0; i < base->axis_count; i++)
		if (!find_axis(planned, base->axes[i].name))
			text_addf(&own, "%s%s=%" PRId64, own.length ? "," : "", base->axes[i].name,
				  base->axes[i].value);
	remark = xasprintf(
		"%s/%s is measured beside the cases of %s with %s, the first of those that "
		"match; name another with --set",
		planned->kernel, planned->variant, base->variant, own.data);
	string_list_add(&plan->pair_remarks, remark);
	free(remark);
	text_release(&own);
}

static void pair_variant(struct plan *plan, struct variant_range cases, struct variant_range bases)
{
	bool remarked = false;

	for (size_t i = cases.begin; i < cases.end; i++) {
		struct plan_case *planned = &plan->cases[i];

		planned->base_variant = plan->cases[bases.begin].descriptor_variant->name;
		planned->base = find_base(plan, i, i - cases.begin, bases);
		if (!remarked && planned->base != NO_BASE &&
		    base_has_more_axes(planned, &plan->cases[bases.begin])) {
			remark_choice(plan, i, bases);
			remarked = true;
		}
	}
}

/* ---- the plan ---- */

static int fail_no_base(const struct plan *plan, const char *base_variant, struct error *err)
{
	struct string_list names = {0};
	struct text hint = TEXT_INIT;
	const bool full = strchr(base_variant, '/') != NULL;
	int rc;

	for (size_t i = 0; i < plan->count; i++) {
		const struct kernel *kernel = plan->cases[i].descriptor;

		if (i && plan->cases[i - 1].descriptor == kernel)
			continue;
		for (size_t v = 0; v < kernel->variant_count; v++) {
			char *name =
				full ? xasprintf("%s/%s", kernel->name, kernel->variants[v].name)
				     : xstrdup(kernel->variants[v].name);

			if (!string_list_has(&names, name))
				string_list_add(&names, name);
			free(name);
		}
	}
	suggest_names(&hint, base_variant, &names);
	rc = error_set(err, PL_EUSAGE, "--baseline %.80s: no selected kernel has such a variant%s",
		       base_variant, hint.data);
	string_list_release(&names);
	text_release(&hint);
	return rc;
}

/* Pairs the variants of the kernel whose cases begin at `begin`. Returns where they end. */
static size_t pair_kernel(struct plan *plan, size_t begin, const char *base_variant, bool *found)
{
	struct variant_range bases = {0, 0};
	size_t end = begin;

	while (end < plan->count &&
	       strcmp(plan->cases[end].kernel, plan->cases[begin].kernel) == 0) {
		const struct variant_range range = variant_range_from(plan, end);

		if (is_base_variant(base_variant, plan->cases[end].kernel,
				    plan->cases[end].variant))
			bases = range;
		end = range.end;
	}
	if (bases.end == bases.begin)
		return end;
	*found = true;
	for (size_t at = begin; at < end;) {
		const struct variant_range range = variant_range_from(plan, at);

		if (range.begin != bases.begin)
			pair_variant(plan, range, bases);
		at = range.end;
	}
	return end;
}

/* Pairs each variant with itself of an earlier revision. A variant that only one of both has stays
 * without. */
static void pair_revision(struct plan *plan, const char *mark)
{
	for (size_t at = 0; at < plan->count;) {
		const struct variant_range range = variant_range_from(plan, at);
		const struct plan_case *first = &plan->cases[at];
		char name[KERNEL_NAME_BYTES];
		size_t base = 0;

		variant_name_at(name, first->variant, mark);
		while (base < plan->count && (strcmp(plan->cases[base].kernel, first->kernel) ||
					      strcmp(plan->cases[base].variant, name)))
			base++;
		if (base < plan->count)
			pair_variant(plan, range, variant_range_from(plan, base));
		at = range.end;
	}
}

int plan_pair(struct plan *plan, const char *base_variant, struct error *err)
{
	bool found = false;

	if (!base_variant)
		return 0;
	if (BASE_IS_REVISION(base_variant)) {
		pair_revision(plan, base_variant + 1);
		plan->base_variant = xstrdup(base_variant);
		return 0;
	}
	for (size_t at = 0; at < plan->count;)
		at = pair_kernel(plan, at, base_variant, &found);
	if (!found)
		return fail_no_base(plan, base_variant, err);
	plan->base_variant = xstrdup(base_variant);
	return 0;
}

/*
 * ---- shards ----
 *
 * The cases of each variant are shuffled by a hash of their configurations and dealt to the shards
 * in turn. Each shard gets its share of every variant, and no shard gets all the large sizes. A
 * case that is measured beside a base case goes to the shard of that case. Skipped cases are dealt
 * like runnable ones, so every machine deals the same cases to the same shard.
 */

struct shuffled_case {
	uint64_t key;
	size_t index; /* of the case in the plan */
};

static int compare_shuffled_cases(const void *left, const void *right)
{
	const struct shuffled_case *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

void plan_case_release(struct plan_case *planned)
{
	free(planned->kernel);
	free(planned->variant);
	free(planned->config);
	free(planned->skip_reason);
	free(planned->failure);
	launch_case_free(planned->launch);
}

void plan_take_shard(struct plan *plan, size_t shard, size_t total)
{
	struct shuffled_case *shuffled = xcalloc(plan->count + 1, sizeof(*shuffled));
	bool *mine = xcalloc(plan->count + 1, sizeof(*mine));
	size_t *places = xcalloc(plan->count + 1, sizeof(*places));
	size_t dealt = 0, kept = 0;

	while (dealt < plan->count) {
		const struct variant_range range = variant_range_from(plan, dealt);
		const size_t count = range.end - range.begin;

		for (size_t i = 0; i < count; i++) {
			const char *config = plan->cases[dealt + i].config;

			shuffled[i] = (struct shuffled_case){XXH64(config, strlen(config), dealt),
							     dealt + i};
		}
		qsort(shuffled, count, sizeof(*shuffled), compare_shuffled_cases);
		for (size_t i = 0; i < count; i++)
			mine[shuffled[i].index] = (dealt + i) % total == shard - 1;
		dealt = range.end;
	}
	for (size_t i = 0; i < plan->count; i++)
		if (plan_base(plan, &plan->cases[i]))
			mine[i] = mine[plan->cases[i].base];
	plan->runnable = 0;
	for (size_t i = 0; i < plan->count; i++) {
		if (!mine[i]) {
			plan_case_release(&plan->cases[i]);
			continue;
		}
		plan->runnable += plan->cases[i].launch != NULL;
		places[i] = kept;
		plan->cases[kept++] = plan->cases[i];
	}
	plan->count = kept;
	for (size_t i = 0; i < plan->count; i++)
		if (plan_base(plan, &plan->cases[i]))
			plan->cases[i].base = places[plan->cases[i].base];
	free(places);
	free(mine);
	free(shuffled);
}
