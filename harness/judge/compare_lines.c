/* The lines of the cases of two runs: loads their profiles and the source text that they were
 * compiled from, and compares what repeats exactly. */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"

static void side_forget_profile(struct profiled_side *side)
{
	line_cost_list_release(&side->lines);
	profile_free(side->profile);
	side->profile = NULL;
}

void profiled_side_release(struct profiled_side *side)
{
	side_forget_profile(side);
	line_source_list_release(&side->sources);
}

static int load_source(struct profiled_side *side, struct db *db, const char *file,
		       struct error *err)
{
	char *hash = NULL, *why = NULL, *text = NULL;
	struct error lacking = {0};
	int rc;

	for (size_t i = 0; i < side->sources.count; i++)
		if (strcmp(side->sources.items[i].file, file) == 0)
			return 0;
	rc = run_source_load(db, side->run_id, file, &hash, &text, &why, &lacking);
	if (rc == PL_ENOENT)
		rc = 0; /* a merge may have left the text behind */
	else if (rc)
		rc = error_set(err, rc, "%s", lacking.text);
	if (!rc)
		line_source_add(&side->sources, file, hash, text, text ? strlen(text) : 0);
	else
		free(text);
	free(hash);
	free(why);
	return rc;
}

int profiled_side_load(struct profiled_side *side, struct db *db, const struct run *run,
		       const struct trial *trial, struct error *err)
{
	const int64_t run_id = trial->run_id ? trial->run_id : run->id;
	int rc;

	side_forget_profile(side);
	if (side->run_id != run_id)
		line_source_list_release(&side->sources);
	side->run_id = run_id;
	rc = db_profile_load(db, trial->id, &side->profile, err);
	for (size_t i = 0; !rc && side->profile && i < side->profile->frame_count; i++)
		rc = load_source(side, db, side->profile->frames[i].file, err);
	if (!rc && side->profile)
		line_costs_of(side->profile, &side->lines);
	return rc;
}

/* Why the counts of two cases say nothing about their code; NULL: they do. Two versions of one run
 * have launches of other names, and nothing else differs. */
static const char *why_other_work(const struct run_comparison *comparison,
				  const struct regress_case *item)
{
	if (!item->beside && !item->same_launch)
		return "the launches differ, or are not known";
	if (comparison->base.seed != comparison->head.seed)
		return "the runs have data of different seeds";
	return NULL;
}

static void compare_profiles(struct line_changes *out, const struct run_comparison *comparison,
			     const struct regress_case *item, const struct profiled_side *base,
			     const struct profiled_side *head)
{
	const struct line_side a = {base->profile, &base->lines, &base->sources};
	const struct line_side b = {head->profile, &head->lines, &head->sources};
	const char *other = why_other_work(comparison, item);

	if (other)
		line_changes_refuse(out, xstrdup(other));
	else if (!item->same_code)
		line_changes_of(out, &a, &b);
}

/* Adds a sentence to the explanation of a case. */
static void explain_more(struct regress_case *item, char *more)
{
	char *why = item->why ? xasprintf("%s; %s", item->why, more) : xstrdup(more);

	free(more);
	free(item->why);
	item->why = why;
}

static void fail_by_lines(struct regress *regress, struct regress_case *item)
{
	if (item->gates)
		return;
	item->gates = item->by_lines = true;
	regress->gating++;
	regress->by_lines++;
}

/* The worst line explains a regression; with `gate`, more work of all lines is one. */
static void judge_lines(struct regress *regress, struct regress_case *item,
			const struct line_changes *changes, bool gate)
{
	const bool fails = gate && changes->worse && !item->ignored;
	struct text line = TEXT_INIT;

	if (!changes->count || !(fails || item->verdict == CHANGE_REGRESSED))
		return;
	if (changes->items[0].verdict > 0) {
		line_change_describe(&line, &changes->items[0]);
		explain_more(item, text_detach(&line));
	}
	if (fails)
		fail_by_lines(regress, item);
}

/* Nothing is known of lines that cannot be read, so a gate must not let them pass. */
static void refuse_damaged(struct regress *regress, struct regress_case *item,
			   struct line_changes *changes, bool of_base, const char *why, bool gate)
{
	line_changes_refuse(changes,
			    xasprintf("damaged in the %s: %s", of_base ? "base" : "head", why));
	changes->damaged = true;
	if (!gate)
		return;
	explain_more(item, xstrdup(changes->why_not));
	fail_by_lines(regress, item);
}

static bool has_id(const int64_t *ids, size_t count, int64_t id)
{
	size_t i = 0;

	while (i < count && ids[i] < id)
		i++;
	return i < count && ids[i] == id;
}

int comparison_add_lines(struct run_comparison *comparison, struct db *db, bool gate,
			 struct error *err)
{
	struct regress *regress = &comparison->regress;
	struct line_changes_list *lines = &comparison->lines;
	struct profiled_side base = {0}, head = {0};
	int64_t *profiled = NULL;
	size_t profiled_count = 0;
	int rc = db_profiled_trials(db, comparison->head.id, &profiled, &profiled_count, err);

	lines->items = xcalloc(regress->count + 1, sizeof(*lines->items));
	lines->count = regress->count;
	for (size_t i = 0; !rc && i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];
		struct error damage = {0};
		bool of_base = true;

		if (item->ignored || !item->base || !item->head ||
		    !has_id(profiled, profiled_count, item->head->id))
			continue;
		rc = profiled_side_load(&base, db, &comparison->base, item->base, &damage);
		if (!rc && base.profile) {
			of_base = false;
			rc = profiled_side_load(&head, db, &comparison->head, item->head, &damage);
		}
		if (rc == PL_ECORRUPT) {
			refuse_damaged(regress, item, &lines->items[i], of_base, damage.text, gate);
			lines->damaged++;
			rc = 0;
			continue;
		}
		if (rc)
			error_set(err, rc, "%s", damage.text);
		if (rc || !base.profile || !head.profile)
			continue;
		lines->profiled++;
		compare_profiles(&lines->items[i], comparison, item, &base, &head);
		judge_lines(regress, item, &lines->items[i], gate);
	}
	profiled_side_release(&base);
	profiled_side_release(&head);
	free(profiled);
	return rc;
}
