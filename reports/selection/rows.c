/* Ranks the cases of each kernel and chooses those that a table shows; see selection.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/selection/columns.h"
#include "reports/selection/selection.h"

/* A trial with what it is ranked by. */
struct ranked {
	const struct trial *trial;
	size_t kernel;  /* number of the kernel, in the order of the run */
	size_t problem; /* of run_problems() */
	size_t rank;    /* its place in the order of run_ranks() */
	bool counted;   /* has times or counters */
	/* by --sort */
	double number;
	char *word;
	/* of an emulated run: the worst finding; its text is not set */
	bool found;
	struct trial_finding finding;
};

enum order { BY_TIME, BY_FINDING, BY_NUMBER, BY_NUMBER_REVERSED, BY_WORD, BY_WORD_REVERSED };

struct ranking {
	struct ranked *items;
	size_t count;
	enum order order;
};

/* ---- comparing ---- */

static int by_finding(const struct ranked *a, const struct ranked *b)
{
	if (a->counted != b->counted)
		return a->counted ? -1 : 1;
	if (a->found != b->found)
		return a->found ? -1 : 1;
	return a->found ? trial_finding_compare(&a->finding, &b->finding) : 0;
}

/* Values that are not known come last in either direction. */
static int by_number(const struct ranked *a, const struct ranked *b, bool reversed)
{
	if (isnan(a->number) || isnan(b->number))
		return isnan(a->number) - isnan(b->number);
	if (a->number == b->number)
		return 0;
	return (a->number < b->number) != reversed ? -1 : 1;
}

static int by_word(const struct ranked *a, const struct ranked *b, bool reversed)
{
	int order;

	if (!a->word || !b->word)
		return (a->word == NULL) - (b->word == NULL);
	order = strverscmp(a->word, b->word); /* block=64 comes before block=128 */
	return reversed ? -order : order;
}

static int compare_ranked(const void *left, const void *right, void *context)
{
	const struct ranked *a = left, *b = right;
	const enum order how = *(const enum order *)context;
	int order;

	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	if (how == BY_TIME)
		order = a->rank < b->rank ? -1 : 1;
	else if (how == BY_FINDING)
		order = by_finding(a, b);
	else if (how == BY_NUMBER || how == BY_NUMBER_REVERSED)
		order = by_number(a, b, how == BY_NUMBER_REVERSED);
	else
		order = by_word(a, b, how == BY_WORD_REVERSED);
	return order ? order : a->trial < b->trial ? -1 : 1;
}

/* ---- ranking ---- */

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int by_name_reversed(const void *left, const void *right)
{
	return by_name(right, left);
}

/* Numbers the kernels in the order of the run, or by name if the cases are ordered so. Returns how
 * many there are. */
static size_t number_kernels(struct ranking *ranking, const struct chosen_column *sort)
{
	const bool by_names = sort && (chosen_is(sort, "kernel") || chosen_is(sort, "case"));
	const char **names = xcalloc(ranking->count + 1, sizeof(const char *));
	struct name_index index = {0};
	size_t count = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		const char *kernel = ranking->items[i].trial->kernel;

		if (name_index_find(&index, kernel) != NO_NAME)
			continue;
		name_index_add(&index, kernel, count);
		names[count++] = kernel;
	}
	if (by_names) {
		qsort(names, count, sizeof(*names),
		      ranking->order == BY_WORD_REVERSED ? by_name_reversed : by_name);
		name_index_release(&index);
		for (size_t i = 0; i < count; i++)
			name_index_add(&index, names[i], i);
	}
	for (size_t i = 0; i < ranking->count; i++)
		ranking->items[i].kernel = name_index_find(&index, ranking->items[i].trial->kernel);
	name_index_release(&index);
	free(names);
	return count;
}

static void rank_by_column(struct ranked *item, const struct chosen_column *column,
			   const struct case_facts *facts)
{
	const char *word = chosen_word(column, facts);

	item->number = chosen_number(column, facts);
	item->word = word ? xstrdup(word) : NULL;
}

static enum order order_of_column(const struct chosen_column *chosen, bool reversed)
{
	if (!chosen_is_numeric(chosen))
		return reversed ? BY_WORD_REVERSED : BY_WORD;
	/* axes count up; of most other numbers, people look for the largest */
	if (chosen->axis || (chosen->column && chosen->column->smallest_first))
		return reversed ? BY_NUMBER_REVERSED : BY_NUMBER;
	return reversed ? BY_NUMBER : BY_NUMBER_REVERSED;
}

static void ranking_fill(struct ranking *ranking, const struct run *run,
			 const struct chosen_column *sort, const struct ceiling_list *ceilings)
{
	struct problems problems;
	struct ranks ranks;

	run_problems(&problems, run);
	run_ranks(&ranks, run, ceilings);
	ranking->items = xcalloc(run->trial_count + 1, sizeof(*ranking->items));
	ranking->count = run->trial_count;
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		struct ranked *item = &ranking->items[i];
		struct case_facts facts;

		*item = (struct ranked){
			.trial = trial,
			.problem = problems.of[i],
			.counted = trial_status_counted(trial->status),
			.number = NAN,
		};
		if (!sort && ranking->order != BY_FINDING)
			continue;
		case_facts_init(&facts, run, trial, ceilings);
		if (sort)
			rank_by_column(item, sort, &facts);
		item->found = facts.findings.count > 0;
		if (item->found)
			item->finding = facts.findings.items[0];
		item->finding.text = NULL;
		case_facts_release(&facts);
	}
	for (size_t i = 0; i < run->trial_count; i++)
		ranking->items[ranks.order[i]].rank = i;
	ranks_release(&ranks);
	problems_release(&problems);
}

static void ranking_release(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->count; i++)
		free(ranking->items[i].word);
	free(ranking->items);
}

/* ---- choosing ---- */

/* Marks the first `top` of each group of neighbours; groups are kernels, or problems of kernels. */
static void keep_top(bool *kept, const struct ranking *ranking, size_t top)
{
	size_t in_group = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *item = &ranking->items[i], *before = item - 1;

		if (i > 0 && (item->kernel != before->kernel ||
			      (ranking->order == BY_TIME && item->problem != before->problem)))
			in_group = 0;
		kept[i] = item->counted && in_group < top;
		in_group += item->counted;
	}
}

static bool same_variant(const struct ranked *a, const struct ranked *b)
{
	return a->kernel == b->kernel && strcmp(a->trial->variant, b->trial->variant) == 0;
}

static bool variant_is_alone(const struct ranking *ranking, size_t begin, size_t end)
{
	for (size_t i = begin + 1; i < end; i++) {
		if (!same_variant(&ranking->items[i], &ranking->items[begin]))
			return false;
	}
	return true;
}

/* Whether an earlier case of the kernel has the same variant, on the same problem. */
static bool variant_came_before(const struct ranking *ranking, size_t begin, size_t at)
{
	for (size_t i = begin; i < at; i++) {
		if ((ranking->order == BY_FINDING ||
		     ranking->items[i].problem == ranking->items[at].problem) &&
		    same_variant(&ranking->items[i], &ranking->items[at]))
			return true;
	}
	return false;
}

/*
 * Marks at most ROWS_OF_KERNEL of the cases of a kernel: in turn the best of each problem, the
 * second of each, and so on. If the kernel has several variants, only the best case of each is a
 * candidate.
 */
static void keep_best(bool *kept, const struct ranking *ranking, size_t begin, size_t end)
{
	const bool alone = variant_is_alone(ranking, begin, end);
	bool *candidate = xcalloc(end - begin + 1, sizeof(*candidate));
	size_t rows = 0, added = 1;

	for (size_t i = begin; i < end; i++)
		candidate[i - begin] = ranking->items[i].counted &&
				       (alone || !variant_came_before(ranking, begin, i));
	while (rows < ROWS_OF_KERNEL && added) {
		size_t last = SIZE_MAX; /* the problem that was served last in this turn */

		added = 0;
		for (size_t i = begin; i < end && rows < ROWS_OF_KERNEL; i++) {
			const struct ranked *item = &ranking->items[i];

			if (!candidate[i - begin] || kept[i] ||
			    (ranking->order == BY_TIME && item->problem == last))
				continue;
			kept[i] = true;
			last = item->problem;
			rows++;
			added++;
		}
	}
	free(candidate);
}

static void keep_rows(bool *kept, const struct ranking *ranking,
		      const struct report_selection *selection)
{
	size_t begin = 0;

	if (selection->all) {
		for (size_t i = 0; i < ranking->count; i++)
			kept[i] = true;
		return;
	}
	if (selection->top || selection->sort) {
		keep_top(kept, ranking, selection->top ? (size_t)selection->top : ROWS_OF_KERNEL);
		return;
	}
	for (size_t i = 1; i <= ranking->count; i++) {
		if (i < ranking->count && ranking->items[i].kernel == ranking->items[begin].kernel)
			continue;
		keep_best(kept, ranking, begin, i);
		begin = i;
	}
}

static void list_rows(struct kernel_rows_list *out, const struct ranking *ranking, const bool *kept,
		      size_t kernels)
{
	const struct trial **next;

	out->items = xcalloc(kernels + 1, sizeof(*out->items));
	out->trials = next = xcalloc(ranking->count + 1, sizeof(const struct trial *));
	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *item = &ranking->items[i];
		struct kernel_rows *rows = &out->items[item->kernel];

		if (!rows->cases++)
			rows->trials = next; /* the cases of a kernel are neighbours */
		rows->kernel = item->trial->kernel;
		if (kept[i]) {
			*next++ = item->trial;
			rows->count++;
		}
	}
	out->count = kernels;
}

int kernel_rows_choose(struct kernel_rows_list *out, const struct run *run,
		       const struct report_selection *selection,
		       const struct ceiling_list *ceilings, struct error *err)
{
	static const struct report_selection none = {0};
	struct ranking ranking = {.order = run->traits.emulated ? BY_FINDING : BY_TIME};
	struct chosen_columns sort = {0};
	size_t kernels;
	bool *kept;
	int rc = 0;

	*out = (struct kernel_rows_list){0};
	if (!selection)
		selection = &none;
	if (selection->sort) {
		const bool reversed = selection->sort[0] == '-';

		rc = columns_add(&sort, run, selection->sort + reversed, err);
		if (!rc)
			ranking.order = order_of_column(&sort.items[0], reversed);
	}
	if (rc)
		return error_context(err, rc, "--sort");
	ranking_fill(&ranking, run, sort.count ? &sort.items[0] : NULL, ceilings);
	kernels = number_kernels(&ranking, sort.count ? &sort.items[0] : NULL);
	qsort_r(ranking.items, ranking.count, sizeof(*ranking.items), compare_ranked,
		&ranking.order);
	kept = xcalloc(ranking.count + 1, sizeof(*kept));
	keep_rows(kept, &ranking, selection);
	list_rows(out, &ranking, kept, kernels);
	free(kept);
	ranking_release(&ranking);
	columns_release(&sort);
	return 0;
}

void kernel_rows_release(struct kernel_rows_list *list)
{
	free(list->trials);
	free(list->items);
	*list = (struct kernel_rows_list){0};
}

size_t run_kernel_count(const struct run *run)
{
	struct run_kernels kernels;
	size_t count;

	run_kernels_init(&kernels, run);
	count = kernels.count;
	run_kernels_release(&kernels);
	return count;
}
