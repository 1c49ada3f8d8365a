/* Loads stored runs and their source files, and the baselines of the cases of a run, grouped by the
 * runs that have them. */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"
#include "harness/origin/origin.h"

int run_load(struct db *db, int64_t id, bool with_trials, struct run *out, struct error *err)
{
	int rc = db_run_load(db, id, with_trials, out, err);

	if (!rc)
		host_correct_state(out);
	return rc;
}

int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err)
{
	int rc = run_load(db, id, with_trials, out, err);

	if (!rc && with_trials)
		rc = db_rounds_load(db, out, err);
	if (!rc && with_trials)
		run_set_intervals(out);
	return rc;
}

enum run_state run_state_now(struct db *db, const struct run *run)
{
	struct run whole = {0};
	enum run_state state = run->state;

	if (state == RUN_RUNNING && !run_load(db, run->id, false, &whole, NULL))
		state = whole.state;
	run_release(&whole);
	return state;
}

int run_source_load(void *db, int64_t run_id, const char *file, char **hash, char **text,
		    char **why, struct error *err)
{
	size_t length;
	int rc = db_run_file_load(db, run_id, file, hash, why, err);

	*text = NULL;
	return rc || !*hash ? rc : db_content_load(db, *hash, text, &length, err);
}

/* ---- baselines ---- */

const struct baseline_run *baselines_run(const struct baselines *baselines, int64_t id)
{
	for (size_t i = 0; i < baselines->run_count; i++)
		if (baselines->runs[i].run.id == id)
			return &baselines->runs[i];
	return NULL;
}

/* Why two runs do not compare, malloc'd; NULL: they do. */
static char *refusal_of(const struct run *base, const struct run *head)
{
	struct regress_differences differences = {0};
	struct text text = TEXT_INIT;

	regress_differ(&differences, base, head);
	for (size_t i = 0; i < differences.count; i++) {
		const struct regress_difference *item = &differences.items[i];

		if (item->refuses)
			text_addf(&text, "%s%s: %s in run %lld, now %s", text.length ? "; " : "",
				  item->what, item->base, (long long)base->id, item->head);
	}
	regress_differences_release(&differences);
	if (text.length)
		return text_detach(&text);
	text_release(&text);
	return NULL;
}

static bool is_marked_good(const struct run *run)
{
	return run->mark && strcmp(run->mark, "good") == 0;
}

static char *note_not_good(const struct run *run)
{
	return xasprintf("compared with run %lld, not marked good: no older good run has the case",
			 (long long)run->id);
}

static int add_baseline_run(struct baselines *baselines, struct db *db, int64_t id,
			    const struct run *head, bool any_good, struct error *err)
{
	struct baseline_run *base;
	struct run run = {0};
	int rc = run_load_measured(db, id, false, &run, err);

	if (rc)
		return rc;
	baselines->runs =
		xrealloc(baselines->runs, (baselines->run_count + 1) * sizeof(*baselines->runs));
	base = &baselines->runs[baselines->run_count++];
	*base = (struct baseline_run){.run = run};
	base->run.trials = xcalloc(baselines->trials.trial_count, sizeof(*base->run.trials));
	for (size_t i = 0; i < baselines->trials.trial_count; i++)
		if (baselines->trials.trials[i].run_id == id)
			base->run.trials[base->run.trial_count++] = baselines->trials.trials[i];
	base->refusal = refusal_of(&base->run, head);
	if (any_good && !is_marked_good(&run))
		base->note = note_not_good(&run);
	return 0;
}

int baselines_load(struct baselines *out, struct db *db, const struct run *head, struct error *err)
{
	struct baselines baselines = {0};
	bool any_good = false;
	int rc = db_baselines_load(db, head->id, &baselines.trials, &any_good, err);

	if (!rc)
		rc = db_rounds_load(db, &baselines.trials, err);
	for (size_t i = 0; i < baselines.trials.trial_count && !rc; i++) {
		int64_t id = baselines.trials.trials[i].run_id;

		if (!baselines_run(&baselines, id))
			rc = add_baseline_run(&baselines, db, id, head, any_good, err);
	}
	if (rc)
		baselines_release(&baselines);
	else
		*out = baselines;
	return rc;
}

static bool trial_is_measured(const struct trial *trial)
{
	return trial && trial_status_counted(trial->status);
}

/* Gives a pair the baseline of its case in place of its base. */
static void replace_base(struct regress_pair *pair, const struct trial *found,
			 const struct baseline_run *run, const struct run *head, bool allowed,
			 struct string_list *notes)
{
	char *note;

	if (run->refusal && !allowed)
		note = xasprintf("run %lld has it, but does not compare: %s",
				 (long long)run->run.id, run->refusal);
	else if (is_marked_good(&run->run))
		note = xasprintf("compared with run %lld, the newest older good run that has the "
				 "case",
				 (long long)run->run.id);
	else
		note = note_not_good(&run->run);
	if (!run->refusal || allowed) {
		const struct noise noise = pair->noise;

		pair->base = found;
		regress_pair_set_runs(pair, &run->run, head, &noise);
	}
	string_list_add(notes, note);
	pair->note = notes->items[notes->count - 1];
	free(note);
}

size_t baselines_fill(const struct baselines *baselines, struct regress_pair *pairs,
		      const struct run *head, bool allowed, struct string_list *notes)
{
	struct regress_pair *others;
	size_t filled = 0, all = regress_pairs(&others, &baselines->trials, head);

	/* both lists begin with the cases of the head, in its order */
	for (size_t i = 0; i < all && others[i].head; i++) {
		const struct trial *found = others[i].base;

		if (trial_is_measured(pairs[i].base) || !found ||
		    (pairs[i].base && !trial_is_measured(pairs[i].head)))
			continue;
		replace_base(&pairs[i], found, baselines_run(baselines, found->run_id), head,
			     allowed, notes);
		filled += pairs[i].base == found;
	}
	free(others);
	return filled;
}

void baselines_release(struct baselines *baselines)
{
	for (size_t i = 0; i < baselines->run_count; i++) {
		struct run *run = &baselines->runs[i].run;

		free(run->trials);
		run->trials = NULL;
		run->trial_count = 0;
		run_release(run);
		free(baselines->runs[i].refusal);
		free(baselines->runs[i].note);
	}
	free(baselines->runs);
	run_release(&baselines->trials);
	*baselines = (struct baselines){0};
}
