/* Judges stored runs: again those whose baselines another mark changed, and those that lack
 * limiters. */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"

#define JUDGED_AT_ONCE 256
#define UNJUDGED_AT_ONCE 256

/* ---- baselines ---- */

struct later_runs {
	int64_t *ids;
	size_t count, capacity, most;
};

static bool visit_later_run(void *context, int64_t run_id)
{
	struct later_runs *later = context;

	later->ids = xgrow(later->ids, &later->capacity, later->count + 1, sizeof(*later->ids));
	later->ids[later->count++] = run_id;
	return later->count < later->most;
}

/* One transaction of many runs, because each one takes longer to commit than to judge. *damaged:
 * the run at *judged cannot be read or stored. */
static int judge_some(struct db *db, const struct later_runs *later, int64_t end_ns,
		      const volatile int *stop, size_t *judged, bool *damaged, struct error *err)
{
	const size_t most = *judged + JUDGED_AT_ONCE;
	int rc = db_together_begin(db, err);

	if (rc)
		return rc;
	while (!rc && *judged < later->count && *judged < most && !(stop && *stop) &&
	       monotonic_ns() < end_ns) {
		const int64_t run_id = later->ids[*judged];
		struct run run = {0};

		/* the limiters and the speed-ups of a run do not depend on its baselines */
		rc = run_load_measured(db, run_id, true, &run, err);
		error_context(err, rc, "judging run %lld", (long long)run_id);
		if (!rc)
			rc = judge_run(db, &run, err);
		if (!rc)
			rc = db_changed_baselines_settle(db, run_id, err);
		run_release(&run);
		*judged += !rc;
		*damaged = rc == PL_ECORRUPT;
	}
	return db_together_end(db, rc, err);
}

/* The newest first, because they matter most if the time is over. A damaged run stays noted. The
 * runs whose transaction it ended are judged once more without it. */
static int judge_all(struct db *db, struct later_runs *later, int64_t end_ns,
		     const volatile int *stop, size_t *judged, struct error *err)
{
	struct error first = {0};
	bool any_damaged = false;
	int rc = 0;

	while (!rc && *judged < later->count && !(stop && *stop) && monotonic_ns() < end_ns) {
		const size_t begin = *judged;
		struct error why = {0};
		bool damaged = false;

		rc = judge_some(db, later, end_ns, stop, judged, &damaged, &why);
		if (rc && !any_damaged)
			first = why;
		if (!damaged)
			continue;
		any_damaged = true;
		later->count--;
		memmove(later->ids + *judged, later->ids + *judged + 1,
			(later->count - *judged) * sizeof(*later->ids));
		*judged = begin;
		rc = 0;
	}
	if (rc || any_damaged)
		return error_set(err, rc ? rc : PL_ECORRUPT, "%s", first.text);
	return 0;
}

int judge_changed_baselines(struct db *db, int64_t most_ns, const volatile int *stop,
			    struct judged_again *out, struct error *err)
{
	const int64_t end_ns = monotonic_ns() + most_ns;
	struct later_runs later = {.most = SIZE_MAX};
	int rc = db_changed_baselines_visit(db, visit_later_run, &later, err);

	*out = (struct judged_again){0};
	if (!rc)
		rc = judge_all(db, &later, end_ns, stop, &out->judged, err);
	out->left = later.count - out->judged;
	free(later.ids);
	return rc;
}

static bool is_good(const char *mark)
{
	return mark && strcmp(mark, "good") == 0;
}

int judge_mark(struct db *db, int64_t run_id, const struct run_words *words, struct error *err)
{
	struct run before = {0};
	int rc = db_together_begin(db, err);

	if (rc)
		return rc;
	rc = db_run_load(db, run_id, false, &before, err);
	if (!rc)
		rc = db_run_mark(db, run_id, words, err);
	if (!rc && words->mark)
		rc = db_changed_baselines_note(db, run_id,
					       is_good(before.mark) || is_good(words->mark), err);
	run_release(&before);
	return db_together_end(db, rc, err);
}

/* ---- limiters ---- */

int judge_unjudged(struct db *db, int64_t most_ns, struct error *err)
{
	const int64_t end_ns = monotonic_ns() + most_ns;
	struct judged_again again;
	size_t judged = 0;
	int rc = judge_changed_baselines(db, most_ns, NULL, &again, err);

	if (rc)
		return rc;
	do {
		struct later_runs unjudged = {.most = UNJUDGED_AT_ONCE};

		rc = db_unjudged_visit(db, visit_later_run, &unjudged, err);
		for (judged = 0; judged < unjudged.count && !rc && monotonic_ns() < end_ns;
		     judged++) {
			rc = judge_stored_run(db, unjudged.ids[judged], err);
		}
		free(unjudged.ids);
	} while (!rc && judged == UNJUDGED_AT_ONCE);
	return rc;
}
