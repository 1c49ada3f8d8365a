/* Loads what earlier runs say of the cases of a run: how long they took, at which clock, and what
 * was counted. */
#include "db/statement.h"
#include "metrics/analysis/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More tell little more of the scatter, and runs of long ago may have had another machine. */
#define SESSIONS_MOST 20

/* The newest runs before this one that measured the same device in the same way. */
static const char runs_sql[] =
	"SELECT run.id FROM run JOIN run AS of ON of.id = ?"
	" WHERE run.device_id = of.device_id AND run.backend = of.backend"
	" AND run.origin IS of.origin AND coalesce(run.cache = 'hot', 0) ="
	" coalesce(of.cache = 'hot', 0) AND (run.started_ns, run.id) < (of.started_ns, of.id)"
	" AND run.timed AND NOT EXISTS (SELECT * FROM mark WHERE run_id = run.id AND kind = 'bad')"
	" ORDER BY run.started_ns DESC, run.id DESC LIMIT ?";

/* Sets *out to "3,1": their ids. */
static int sessions_list(struct text *out, struct db *db, int64_t run_id, struct error *err)
{
	struct statement select = statement_prepare(db, runs_sql, err);

	bind_integer(&select, run_id);
	bind_integer(&select, SESSIONS_MOST);
	while (statement_next(&select))
		text_addf(out, "%s%lld", out->length ? "," : "",
			  (long long)take_integer(&select, 0));
	return statement_release(&select);
}

/* The rounds of a case in these runs, in the order of the runs. */
static char *rounds_sql(const char *runs)
{
	return xasprintf(
		"SELECT run.id, trial.code_hash IS NOT NULL AND trial.code_hash = base.code_hash"
		" AND trial.code_kind IS base.code_kind AND trial.launch_hash IS base.launch_hash"
		" AND run.seed = of.seed AND run.driver IS of.driver AND run.toolkit IS of.toolkit,"
		/* as if an empty kernel took the same in all rounds: noise.h */
		" round.median_ns - iif(round.launch_ns > 0, round.launch_ns - %d, 0),"
		" round.sm_clock_hz"
		" FROM trial AS base JOIN run AS of ON of.id = base.run_id"
		" JOIN trial ON trial.kernel = base.kernel AND trial.variant = base.variant"
		"  AND trial.config = base.config AND trial.run_id IN (%s)"
		" JOIN run ON run.id = trial.run_id JOIN round ON round.trial_id = trial.id"
		" WHERE base.id = ? AND trial.status IN ('ok', 'unverified')"
		" AND round.median_ns > coalesce(round.launch_ns - %d, 0)"
		/* times with and without the cost of the events say nothing of each other */
		" AND (round.event_ns IS NULL) = (SELECT max(own.event_ns) IS NULL FROM round AS "
		"own"
		"  WHERE own.trial_id = base.id) ORDER BY run.started_ns, run.id, round.round",
		EMPTY_KERNEL_NS, runs, EMPTY_KERNEL_NS);
}

static void session_end(struct session *session, double logs, size_t rounds, double clocks,
			size_t clocked)
{
	session->level = logs / (double)rounds;
	session->sm_clock_hz = clocked ? clocks / (double)clocked : NAN;
}

static void sessions_take(struct statement *select, struct case_sessions *out)
{
	double logs = 0, clocks = 0;
	size_t capacity = 0, rounds = 0, clocked = 0;
	int64_t last = 0;

	while (statement_next(select)) {
		const int64_t run = take_integer(select, 0);
		const bool same_code = take_integer(select, 0) != 0;
		const double median_ns = take_real(select), clock_hz = take_real(select);

		if (!out->count || run != last) {
			if (out->count)
				session_end(&out->items[out->count - 1], logs, rounds, clocks,
					    clocked);
			logs = clocks = 0;
			rounds = clocked = 0;
			out->items =
				xgrow(out->items, &capacity, out->count + 1, sizeof(*out->items));
			out->items[out->count++].same_code = same_code;
			last = run;
		}
		logs += log(median_ns);
		rounds++;
		clocks += clock_hz > 0 ? clock_hz : 0;
		clocked += clock_hz > 0;
	}
	if (out->count)
		session_end(&out->items[out->count - 1], logs, rounds, clocks, clocked);
}

int db_sessions_load(struct db *db, int64_t run_id, const struct trial *const *trials, size_t count,
		     struct case_sessions *out, struct error *err)
{
	struct text runs = TEXT_INIT;
	struct statement select;
	char *sql;
	int rc = sessions_list(&runs, db, run_id, err);

	for (size_t i = 0; i < count; i++)
		out[i] = (struct case_sessions){.time_ns = trials[i]->summary.median_ns};
	if (rc) {
		text_release(&runs);
		return rc;
	}
	sql = rounds_sql(runs.length ? runs.data : "");
	select = statement_prepare(db, sql, err);
	for (size_t i = 0; i < count && !select.rc; i++) {
		bind_integer(&select, trials[i]->id);
		sessions_take(&select, &out[i]);
		statement_restart(&select);
	}
	text_release(&runs);
	free(sql);
	return statement_release(&select);
}

/* ---- what earlier runs counted ---- */

/* The newest trials of a case that are looked at. */
#define TRIALS_MOST "50"

/* What was copied itself is no count of its own. ?2 is a JSON array of metrics. */
static const char earlier_sql[] =
	"WITH mine AS MATERIALIZED (SELECT trial.*, run.device_id, run.backend, run.origin,"
	"  run.seed, run.driver, run.toolkit, run.cupti, run.version"
	"  FROM trial JOIN run ON run.id = run_id WHERE trial.id = ?1),"
	/* scalars, so that the index gives the order */
	" before AS MATERIALIZED (SELECT trial.* FROM trial"
	"  WHERE kernel = (SELECT kernel FROM mine) AND variant = (SELECT variant FROM mine)"
	"  AND config = (SELECT config FROM mine) AND run_id < (SELECT run_id FROM mine)"
	"  ORDER BY run_id DESC LIMIT " TRIALS_MOST ")"
	" SELECT before.id, run.uid FROM before JOIN mine JOIN run ON run.id = before.run_id"
	" WHERE before.code_hash = mine.code_hash AND before.code_kind IS mine.code_kind"
	" AND before.launch_hash = mine.launch_hash AND before.status IN ('ok', 'unverified')"
	" AND run.device_id = mine.device_id AND run.backend = mine.backend"
	" AND run.origin IS mine.origin AND run.seed = mine.seed AND run.driver IS mine.driver"
	" AND run.toolkit IS mine.toolkit AND run.cupti IS mine.cupti"
	" AND run.version IS mine.version"
	" AND NOT EXISTS (SELECT * FROM mark WHERE run_id = run.id AND kind = 'bad')"
	/* all of them were asked for, and counting was possible */
	" AND EXISTS (SELECT * FROM counter JOIN metric ON metric.id = metric_id"
	"  WHERE trial_id = before.id AND name = ?2 ->> '$[0]' AND value IS NOT NULL)"
	" AND json_array_length(?2) = (SELECT count(*) FROM counter JOIN metric"
	"  ON metric.id = metric_id WHERE trial_id = before.id"
	"  AND name IN (SELECT value FROM json_each(?2)))"
	" AND NOT EXISTS (SELECT * FROM counter JOIN metric ON metric.id = metric_id"
	"  WHERE trial_id = before.id AND source GLOB '*" COUNTER_TAKEN "*')"
	" ORDER BY before.run_id DESC LIMIT ?3";

int db_earlier_counters_load(struct db *db, int64_t trial_id, const char *metrics,
			     struct earlier_counters out[EARLIER_MOST], size_t *count,
			     struct error *err)
{
	struct statement select = statement_prepare(db, earlier_sql, err);
	struct trial trials[EARLIER_MOST] = {0};
	int rc;

	*count = 0;
	bind_integer(&select, trial_id);
	bind_text(&select, metrics);
	bind_integer(&select, EARLIER_MOST);
	while (*count < EARLIER_MOST && statement_next(&select)) {
		trials[*count].id = take_integer(&select, 0);
		take_text_into(&select, out[*count].uid, sizeof(out[*count].uid));
		++*count;
	}
	rc = statement_release(&select);
	if (!rc)
		rc = db_counters_load(db, trials, *count, err);
	for (size_t i = 0; i < *count; i++)
		out[i].counters = trials[i].counters;
	return rc;
}

void case_sessions_release(struct case_sessions *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(cases[i].items);
}

int db_limiter_load(struct db *db, int64_t trial_id, enum bound *out, struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT limiter FROM limiter WHERE trial_id = ? AND NOT from_model", err);

	*out = BOUND_UNKNOWN;
	bind_integer(&select, trial_id);
	if (statement_next(&select)) {
		const char *name = take_known_text(&select);

		for (int i = 0; i < BOUND_COUNT; i++)
			if (strcmp(name, bound_name((enum bound)i)) == 0)
				*out = (enum bound)i;
	}
	return statement_release(&select);
}
