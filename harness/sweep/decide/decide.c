/* Judges a sweep at its interim analyses, and adds rounds to undecided cases between them. */
#include "harness/sweep/decide/decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process.h"

/* Budget for added rounds, as a fraction of the sweep's time so far: with them the sweep takes less
 * than twice as long. */
#define DECIDE_PART 0.9
/* What the sweep is taken to have lasted before them, if that of a resumed run is not stored. */
#define DECIDE_RESUMED_NS INT64_C(60000000000)
/* The scatter between rounds decides, so a cheap round is worth more than a precise one: an added
 * round ends at this multiple of the precision asked for. */
#define ADDED_PRECISION_FACTOR 4
#define ADDED_PRECISION_MOST 0.5
/* An added round that has its least samples also ends after this time: short kernels would need
 * hundreds of samples for that precision. */
#define ADDED_ROUND_MOST_NS INT64_C(3000000)
/* What an added round probably takes: so many samples, each with a flush, and what its worker,
 * its verification and the placements of its data take. */
#define ADDED_SAMPLES 16
#define FLUSH_ESTIMATE_NS 60e3
#define ROUND_ESTIMATE_LEAST_NS 4e6
/* A short sweep has this time at least. */
#define DECIDE_LEAST_NS INT64_C(10000000000)

bool decide_is_beside(const struct run_task *task)
{
	return task->against && !task->request->compare;
}

int decide_begin(struct sweep_decide *decide, struct sweep_store *store,
		 const struct run_task *task, struct error *err)
{
	struct run_comparison_request request = {.base_option = "--compare", .measuring = true};

	decide->store = store;
	decide->db = store->db;
	decide->run_id = store->run_id;
	decide->trial_ids = store->trial_ids;
	decide->observer = task->observer;
	decide->pace = 1;
	decide->resumed = task->resumed;
	decide->first = task->settings->rounds;
	decide->head = xasprintf("%lld", (long long)store->run_id);
	decide->base = xstrdup(task->request->compare ? task->request->compare : BASE_LAST_GOOD);
	if (decide_is_beside(task)) {
		free(decide->base);
		decide->base = xstrdup(BASE_AGAINST);
		decide->base_id = store->run_id;
		return 0;
	}
	request.base = decide->base;
	request.head = decide->head;
	return compare_runs_check(&decide->base_id, decide->db, &request, err);
}

/* ---- discarding ---- */

/* Deletes the rounds of all cases from this one on. */
static int decide_drop_rounds(struct sweep_decide *decide, int round, struct error *err)
{
	struct sweep *sweep = decide->sweep;
	int rc = store_drop_rounds(decide->store, round, err);

	for (size_t i = 0; i < sweep->plan->count && !rc; i++)
		if (sweep->cases[i].rounds_done > round)
			sweep->cases[i].rounds_done = round;
	return rc;
}

/* Deletes these rounds, and stores by how much (relative) the control moved. */
static int decide_withhold(struct sweep_decide *decide, int round, double moved, struct error *err)
{
	char number[16], amount[32];
	int rc = db_together_begin(decide->db, err);

	if (rc)
		return rc;
	snprintf(number, sizeof(number), "%d", round);
	snprintf(amount, sizeof(amount), "%.4f", moved);
	rc = db_environment_set(decide->db, decide->run_id, SEQUENTIAL_USED_KEY, number, err);
	if (!rc)
		rc = db_environment_set(decide->db, decide->run_id, SEQUENTIAL_MOVED_KEY, amount,
					err);
	if (!rc)
		rc = decide_drop_rounds(decide, round, err);
	return db_together_end(decide->db, rc, err);
}

/* ---- the end ---- */

static size_t count_undecided(const struct regress *regress)
{
	size_t count = 0;

	for (size_t i = 0; i < regress->count; i++)
		count += regress->cases[i].undecided;
	return count;
}

static void add_reason(struct text *out, size_t count, const char *reason)
{
	if (count)
		text_addf(out, "%s%s: %zu", out->length ? "; " : "", reason, count);
}

/* Why cases are still undecided. Commands are for the user of now: the database does not keep them,
 * because they name its path. */
static void describe_undecided(struct text *out, const struct sweep_decide *decide,
			       const struct regress *regress, double moved, bool commands)
{
	const int last = interim_rounds(decide->first, INTERIM_COUNT - 1);
	size_t kinds[UNDECIDED_KIND_COUNT] = {0};
	struct text reason = TEXT_INIT;

	for (size_t i = 0; i < regress->count; i++)
		if (regress->cases[i].undecided)
			kinds[decide_kind(decide, &regress->cases[i], regress->compared)]++;
	if (moved > 0) {
		text_addf(out,
			  "the rounds of the last interim analysis were discarded, because the "
			  "control cases moved by %.2g %%",
			  100 * moved);
		return;
	}
	text_addf(&reason, "after %d rounds", last);
	add_reason(out, kinds[UNDECIDED_AT_END], reason.data);
	text_clear(&reason);
	text_addf(&reason, "too much scatter for %d rounds", last);
	add_reason(out, kinds[UNDECIDED_BY_NOISE], reason.data);
	text_clear(&reason);
	text_add(&reason, "too few rounds in the base");
	if (commands) {
		text_addf(&reason, " (perflab sweep --resume %lld --decide --compare %lld",
			  (long long)decide->base_id, (long long)decide->run_id);
		if (db_path(decide->db)) {
			text_add(&reason, " --db ");
			shell_word(&reason, db_path(decide->db));
		}
		text_add_char(&reason, ')');
	}
	add_reason(out, kinds[UNDECIDED_BY_BASE], reason.data);
	add_reason(out, kinds[UNDECIDED_OPEN], "out of time (--decide-time)");
	text_release(&reason);
}

/* What the added rounds came to; malloc'd. */
static char *describe_outcome(const struct sweep_decide *decide, const struct regress *regress,
			      size_t before, double moved, int64_t begun_ns, bool commands)
{
	const size_t after = count_undecided(regress);
	struct text line = TEXT_INIT, why = TEXT_INIT;
	char spent[32];

	format_duration(spent, (double)(monotonic_ns() - begun_ns));
	text_addf(&line, "%zu more %s in %s", decide->added,
		  decide->added == 1 ? "round" : "rounds", spent);
	if (decide->added_for_later)
		text_addf(&line, ", %zu of them for later comparisons,", decide->added_for_later);
	text_addf(&line, " decided %zu of %zu undecided %s against run %lld",
		  before > after ? before - after : 0, before, before == 1 ? "case" : "cases",
		  (long long)decide->base_id);
	if (after) {
		describe_undecided(&why, decide, regress, moved, commands);
		text_addf(&line, "; %zu %s undecided: %s", after, after == 1 ? "stays" : "stay",
			  why.data);
		text_release(&why);
	}
	return text_detach(&line);
}

static int conclude(struct sweep_decide *decide, size_t before, double moved, int64_t begun_ns,
		    struct error *err)
{
	const struct regress *regress;
	struct decide_judged judged;
	char *shown, *stored;
	int rc = decide_judge(&judged, decide, err);

	if (!rc) {
		regress = &judged.comparison.regress;
		shown = describe_outcome(decide, regress, before, moved, begun_ns, true);
		stored = describe_outcome(decide, regress, before, moved, begun_ns, false);
		tell_observer(decide->observer, NOTICE_REMARK, "%s", shown);
		rc = db_environment_set(decide->db, decide->run_id, DECIDE_OUTCOME_KEY, stored,
					err);
		free(shown);
		free(stored);
	}
	if (!rc)
		rc = db_environment_set(decide->db, decide->run_id, DECIDE_BASE_KEY,
					judged.comparison.base.uid, err);
	decide_judged_release(&judged);
	return rc;
}

/* ---- the interim analyses ---- */

/* What an added round of each case probably takes; 0: not known. Rounds of samples as precise as
 * the user asked for take longer than those that are added. */
static void estimate_rounds(struct sweep_decide *decide, const struct run *head)
{
	struct sweep *sweep = decide->sweep;

	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct trial *trial = run_trial(head, decide->trial_ids[i]);
		const double median_ns = trial ? trial->summary.median_ns : 0;
		const int parts = case_base(sweep, i) != NO_CASE ? 2 : 1;
		double samples;

		if (!trial)
			continue;
		sweep->cases[i].round_ns = 0;
		if (!trial->rounds_done || !(median_ns > 0))
			continue;
		samples = fmin(ADDED_SAMPLES, (double)trial->summary.count / trial->rounds_done);
		sweep->cases[i].round_ns =
			(int64_t)(ROUND_ESTIMATE_LEAST_NS +
				  samples * parts * (median_ns + FLUSH_ESTIMATE_NS));
	}
}

/* Compares, checks the control cases since the interim analysis before, and measures up to this
 * one. *going_on: there may be more to measure. */
static int take_interim(struct sweep_decide *decide, int interim, size_t *before, double *moved,
			bool *going_on, struct error *err)
{
	const struct regress *regress;
	struct decide_judged judged;
	size_t *chosen = NULL;
	size_t count;
	int rc = decide_judge(&judged, decide, err);

	*going_on = false;
	if (rc)
		goto out;
	regress = &judged.comparison.regress;
	if (interim == 1) {
		*before = count_undecided(regress);
		estimate_rounds(decide, &judged.comparison.head);
	}
	if (interim > 1) {
		*moved = decide_control_moved(decide, &judged.comparison.head);
		if (*moved > 0)
			rc = decide_withhold(decide, interim_rounds(decide->first, interim - 2),
					     *moved, err);
	}
	if (rc || interim == INTERIM_COUNT || *moved > 0)
		goto out;
	*going_on = true;
	decide_choose_control(decide, &judged.comparison.head, regress);
	count = decide_choose(&chosen, decide, regress, interim);
	rc = decide_store_control(decide, interim_rounds(decide->first, interim - 1), err);
	if (count && !rc)
		rc = decide_measure_to(decide, chosen, count,
				       interim_rounds(decide->first, interim), err);
	free(chosen);
out:
	decide_judged_release(&judged);
	return rc;
}

/* The first interim analysis of a resumed run already took place; forget the rounds that
 * decide_drop_unused() deleted, and keep what a measured case was. */
static void take_resumed(struct sweep_decide *decide)
{
	struct sweep *sweep = decide->sweep;
	const struct sequential_test test = sequential_test_of_run(decide->resumed);

	for (size_t i = 0; i < sweep->plan->count; i++) {
		struct case_state *state = &sweep->cases[i];
		const struct trial *trial = run_trial(decide->resumed, decide->trial_ids[i]);

		if (test.used && state->rounds_done > test.used)
			state->rounds_done = test.used;
		if (trial && trial->status == TRIAL_UNVERIFIED && !state->unverified)
			case_keep_unverified(state, trial->reason);
	}
}

/* Checks the rounds of an interim analysis that the resumed run did not complete, as take_interim()
 * does when it is complete, and deletes them if the control moved: this sweep measures them again.
 */
static int check_broken_interim(struct sweep_decide *decide, struct error *err)
{
	const int begin = decide_load_control(decide);
	struct decide_judged judged = {0};
	double moved = 0;
	int rc = begin ? decide_judge(&judged, decide, err) : 0;

	if (begin && !rc)
		moved = decide_control_moved(decide, &judged.comparison.head);
	if (moved > 0) {
		rc = decide_drop_rounds(decide, begin, err);
		tell_observer(decide->observer, NOTICE_REMARK,
			      "the rounds of the interrupted interim analysis were discarded, "
			      "because the control cases moved by %.2g %%",
			      100 * moved);
	}
	decide_judged_release(&judged);
	return rc;
}

static int time_limit(int64_t *out, const struct sweep_decide *decide, struct error *err)
{
	int64_t plain_ns = 0;
	int rc = 0;

	*out = decide->request->decide_ns;
	if (*out)
		return 0;
	if (!decide->resumed)
		plain_ns = monotonic_ns() - decide->begun_ns;
	else /* without the time between its sweeps */
		rc = db_run_parts_sum(decide->db, decide->run_id, &plain_ns, err);
	if (!plain_ns)
		plain_ns = DECIDE_RESUMED_NS;
	plain_ns = (int64_t)(DECIDE_PART * (double)plain_ns);
	*out = plain_ns > DECIDE_LEAST_NS ? plain_ns : DECIDE_LEAST_NS;
	return rc;
}

/* The settings of added rounds. */
static struct measure_settings settings_of_added(const struct measure_settings *settings)
{
	struct measure_settings added = *settings;

	added.precision =
		fmax(settings->precision,
		     fmin(ADDED_PRECISION_MOST, ADDED_PRECISION_FACTOR * settings->precision));
	/* the setting is for all rounds */
	if (added.max_time_ns > ADDED_ROUND_MOST_NS * settings->rounds)
		added.max_time_ns = ADDED_ROUND_MOST_NS * settings->rounds;
	return added;
}

static int begin_sequence(struct sweep_decide *decide, int64_t begun_ns, struct error *err)
{
	char first[16];
	int64_t limit_ns = 0;
	int rc = time_limit(&limit_ns, decide, err);

	decide->deadline_ns = begun_ns + limit_ns;
	snprintf(first, sizeof(first), "%d", decide->first);
	return rc ? rc
		  : db_environment_set(decide->db, decide->run_id, SEQUENTIAL_FIRST_KEY, first,
				       err);
}

int decide_add_rounds(struct sweep *sweep, struct error *err)
{
	struct sweep_decide *decide = sweep->hooks.context;
	const int64_t begun_ns = monotonic_ns();
	struct error cause = {0};
	bool going_on = true;
	size_t before = 0;
	const bool was_sequential =
		decide->resumed && sequential_test_of_run(decide->resumed).first;
	const struct measure_settings *const settings = sweep->settings;
	struct measure_settings added = settings_of_added(settings);
	double moved = 0;
	int rc;

	if (decide->resumed)
		take_resumed(decide);
	rc = begin_sequence(decide, begun_ns, &cause);
	if (!rc && decide->resumed)
		rc = check_broken_interim(decide, &cause);
	sweep->settings = &added;
	for (int interim = 1; !rc && going_on; interim++)
		rc = take_interim(decide, interim, &before, &moved, &going_on, &cause);
	if (!rc && !(moved > 0))
		rc = decide_for_later(decide, &cause);
	sweep->settings = settings;
	if (!rc)
		rc = conclude(decide, before, moved, begun_ns, &cause);
	/* the last worker did not open the counters: see counts_next */
	sweep_end_worker(sweep);
	if (rc != PL_EUSAGE)
		return rc ? error_set(err, rc, "%s", cause.text) : 0;
	/* it had no interim analysis: a later comparison is the first */
	if (!decide->added && !was_sequential)
		rc = db_environment_set(decide->db, decide->run_id, SEQUENTIAL_FIRST_KEY, "", err);
	if (rc && rc != PL_EUSAGE)
		return rc;
	/* what was measured is complete, and can be compared with another run */
	tell_observer(decide->observer, NOTICE_WARNING, "--decide: %s", cause.text);
	return 0;
}

/* ---- beside an earlier revision ---- */

/* Measures what is undecided up to this interim analysis. *undecided: the number of cases, before
 * it. */
static int take_interim_beside(struct sweep_decide *decide, int interim, size_t *undecided,
			       struct error *err)
{
	struct decide_judged judged;
	size_t *chosen = NULL;
	int rc = decide_judge(&judged, decide, err);

	*undecided = 0;
	if (!rc) {
		const struct regress *regress = &judged.comparison.regress;

		chosen = xcalloc(regress->count + CONTROL_CASES, sizeof(*chosen));
		for (size_t i = 0; i < regress->count; i++) {
			const size_t index =
				regress->cases[i].undecided
					? decide_index(decide, regress->cases[i].head, i)
					: NO_CASE;

			if (index != NO_CASE && !decide->sweep->cases[index].ended)
				chosen[(*undecided)++] = index;
		}
	}
	if (!rc && *undecided && interim < INTERIM_COUNT)
		rc = decide_measure_to(decide, chosen, *undecided,
				       interim_rounds(decide->first, interim), err);
	free(chosen);
	decide_judged_release(&judged);
	return rc;
}

int decide_add_rounds_beside(struct sweep *sweep, struct error *err)
{
	struct sweep_decide *decide = sweep->hooks.context;
	const struct measure_settings *const settings = sweep->settings;
	struct measure_settings added = settings_of_added(settings);
	const int64_t begun_ns = monotonic_ns();
	size_t before = 0, left = 0;
	char spent[32];
	int rc;

	if (decide->resumed)
		take_resumed(decide);
	rc = begin_sequence(decide, begun_ns, err);
	sweep->settings = &added;
	for (int interim = 1; !rc && interim <= INTERIM_COUNT; interim++) {
		rc = take_interim_beside(decide, interim, &left, err);
		if (interim == 1)
			before = left;
		if (!left)
			break;
	}
	sweep->settings = settings;
	format_duration(spent, (double)(monotonic_ns() - begun_ns));
	if (!rc && before)
		tell_observer(decide->observer, NOTICE_REMARK,
			      "%zu more %s in %s decided %zu of %zu undecided %s; %zu %s undecided",
			      decide->added, decide->added == 1 ? "round" : "rounds", spent,
			      before - left, before, before == 1 ? "case" : "cases", left,
			      left == 1 ? "stays" : "stay");
	/* the last worker did not open the counters: see counts_next */
	sweep_end_worker(sweep);
	return rc;
}
