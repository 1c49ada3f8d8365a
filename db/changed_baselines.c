/*
 * Runs whose baselines a new mark may have changed. They are noted in `judgement.rules`, as the
 * complement of the version of the rules, until they are judged again: there may be a hundred
 * thousand.
 */
#include "db/statement.h"

#define LATER(a, b) "(" a ".started_ns, " a ".id) > (" b ".started_ns, " b ".id)"
#define SAME_SERIES                                                     \
	"run.device_id = head.device_id AND run.backend = head.backend" \
	" AND run.origin IS head.origin"
#define SAME_CASE                                                     \
	"trial.kernel = mine.kernel AND trial.variant = mine.variant" \
	" AND trial.config = mine.config AND trial.status IN ('ok', 'sampled', 'unverified')"

/* clang-format off */
/* Among these runs, the first that has the case. */
#define FIRST_WITH_CASE(runs)                                                      \
	"(SELECT " runs ".id FROM " runs " CROSS JOIN trial"                       \
	"  ON trial.run_id = " runs ".id AND " SAME_CASE                           \
	"  ORDER BY " runs ".started_ns, " runs ".id LIMIT 1)"

/*
 * The run `head` can be a baseline of later runs up to the next good one that has the case. If it
 * is or was good, and no older run is, then the cases that it lacks have or lose the remark that no
 * older good run has them, up to the first good run. CROSS JOIN fixes the order of the
 * loops: few runs are marked. The next few good runs have most cases. So perflab looks there
 * first: SQLite would look for the case in all of them before it takes the first one.
 */
static const char ends_if_good[] =
	"WITH head AS (SELECT * FROM run WHERE id = ?1), good AS MATERIALIZED ("
	" SELECT run.id, run.started_ns FROM mark CROSS JOIN run ON run.id = mark.run_id"
	" CROSS JOIN head WHERE mark.kind = 'good' AND run.id <> head.id AND " SAME_SERIES
	"), later AS MATERIALIZED ("
	" SELECT good.* FROM good CROSS JOIN head WHERE " LATER("good", "head")
	"), next AS MATERIALIZED (SELECT * FROM later ORDER BY started_ns, id LIMIT 8"
	"), ends AS MATERIALIZED ("
	" SELECT coalesce(" FIRST_WITH_CASE("next") ", " FIRST_WITH_CASE("later") ") AS run_id"
	" FROM head JOIN trial AS mine ON mine.run_id = head.id"
	" WHERE mine.status IN ('ok', 'sampled', 'unverified')"
	" UNION ALL SELECT (SELECT id FROM good ORDER BY started_ns, id LIMIT 1) FROM head"
	" WHERE NOT EXISTS (SELECT * FROM good WHERE NOT " LATER("good", "head") "))";

/* If it is not and was not good, it can be one up to the next run that has the case and is not bad.
 * The index run_by_device gives that soon. */
static const char ends_if_not[] =
	"WITH head AS (SELECT * FROM run WHERE id = ?1), ends AS MATERIALIZED ("
	" SELECT (SELECT run.id FROM run LEFT JOIN mark ON mark.run_id = run.id"
	"  CROSS JOIN trial ON trial.run_id = run.id AND " SAME_CASE
	"  WHERE " SAME_SERIES " AND run.started_ns >= head.started_ns"
	"  AND " LATER("run", "head") " AND mark.kind IS NOT 'bad'"
	"  ORDER BY run.started_ns, run.id LIMIT 1) AS run_id"
	" FROM head CROSS JOIN trial AS mine ON mine.run_id = head.id"
	" WHERE mine.status IN ('ok', 'sampled', 'unverified'))";

/* A case without an end reaches all later runs. */
static const char note_later[] =
	", last AS MATERIALIZED (SELECT coalesce(run.started_ns, 9223372036854775807) AS started_ns,"
	"  coalesce(run.id, 9223372036854775807) AS id FROM ends LEFT JOIN run"
	"  ON run.id = ends.run_id ORDER BY 1 DESC, 2 DESC LIMIT 1)"
	" INSERT INTO judgement (run_id, rules)"
	" SELECT run.id, ~0 FROM head CROSS JOIN run ON " SAME_SERIES
	"  AND run.started_ns BETWEEN head.started_ns AND (SELECT started_ns FROM last)"
	" WHERE " LATER("run", "head")
	"  AND (run.started_ns, run.id) <= (SELECT started_ns, id FROM last)"
	" ON CONFLICT DO UPDATE SET rules = min(rules, ~rules)";
/* clang-format on */

int db_changed_baselines_note(struct db *db, int64_t run_id, bool good, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement insert = {0};
	int rc;

	text_addf(&sql, "%s%s", good ? ends_if_good : ends_if_not, note_later);
	rc = statement_prepare(&insert, db, sql.data, err);
	if (!rc) {
		bind_integer(&insert, run_id);
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	text_release(&sql);
	return rc;
}

int db_changed_baselines_visit(struct db *db, bool (*visit)(void *context, int64_t run_id),
			       void *context, struct error *err)
{
	struct statement select;
	bool row = true, more = true;
	int rc = statement_prepare(&select, db,
				   "SELECT run.id FROM judgement"
				   " CROSS JOIN run ON run.id = judgement.run_id"
				   " WHERE judgement.rules < 0"
				   " ORDER BY run.started_ns DESC, run.id DESC",
				   err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row && more;
	     rc = more ? statement_step(&select, &row, err) : 0)
		more = visit(context, take_integer(&select, 0));
	statement_release(&select);
	return rc;
}

int db_changed_baselines_settle(struct db *db, int64_t run_id, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db,
				   "UPDATE judgement SET rules = ~rules"
				   " WHERE run_id = ? AND rules < 0",
				   err);

	if (rc)
		return rc;
	bind_integer(&update, run_id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}
