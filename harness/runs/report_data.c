/* Loads what a report of a stored run, or of a sweep on several GPUs, needs. */
#include "harness/runs/runs.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"
#include "harness/sources/sources.h"
#include "metrics/analysis/user_rules.h"

#define HISTORY_RUNS 50 /* in an HTML page */

/* Refuses to compare emulated with measured numbers. */
static int load_compared(struct report_data *data, const char *reference, struct error *err)
{
	const struct run *run = &data->run;
	struct run *compared = &data->compared;
	int64_t id;
	int rc = db_run_resolve(data->db, reference, &id, err);

	if (!rc)
		rc = run_load_measured(data->db, id, true, compared, err);
	if (!rc && strcmp(compared->backend, run->backend) != 0)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld used the backend %s and run %lld used %s: their "
			       "numbers do not compare",
			       (long long)run->id, run->backend, (long long)id, compared->backend);
	return error_context(err, rc, "--compare");
}

int report_data_find(struct report_data *out, const struct report_data_request *request,
		     struct error *err)
{
	int rc = db_open(&out->db, request->db_path, DB_READ, err);

	return rc ? rc : db_run_resolve(out->db, request->run, &out->run_id, err);
}

int run_changes_load(struct db *db, struct run *run, struct error *err)
{
	struct trial_comparison_list list = {0};
	int rc = db_comparisons_load(db, run->id, &list, err);

	if (!rc)
		run_take_comparisons(run, &list);
	comparison_list_release(&list);
	return rc;
}

static int apply_rules(struct run *run, const struct user_rules *rules, struct error *err)
{
	if (run->traits.emulated)
		return error_set(
			err, PL_EUSAGE,
			"run %lld is emulated, and rules are about the counters of a device: "
			"leave --rules out",
			(long long)run->id);
	user_rules_derive(rules, run);
	run->rules = rules;
	return 0;
}

int report_data_load(struct report_data *out, const struct report_data_request *request,
		     struct error *err)
{
	int rc = out->run_id ? 0 : report_data_find(out, request, err);

	if (!rc)
		rc = run_load_measured(out->db, out->run_id, true, &out->run, err);
	if (!rc)
		rc = run_changes_load(out->db, &out->run, err);
	if (!rc && request->rules)
		rc = apply_rules(&out->run, request->rules, err);
	out->compares = !rc && request->compare;
	if (out->compares)
		rc = load_compared(out, request->compare, err);
	if (!rc && out->compares && request->rules)
		rc = apply_rules(&out->compared, request->rules, err);
	if (!rc)
		rc = db_ceilings_load(out->db, out->run.id, &out->ceilings, err);
	if (!rc && out->compares)
		rc = db_ceilings_load(out->db, out->compared.id, &out->compared_ceilings, err);
	return rc;
}

/* ---- histories ---- */

/* The newest trial of each case so far, and the run that it is of. Trials are borrowed from runs.
 */
struct newest_counted {
	const struct trial **trials;
	size_t *runs;
};

static void take_run(struct history_grid *grid, struct newest_counted *newest,
		     const struct run *head, const struct run *loaded, size_t place)
{
	struct regress_pair *pairs;
	const size_t count = regress_pairs(&pairs, loaded, head);

	/* the pairs begin with the cases of the head, in its order, except those without a name */
	for (size_t i = 0; i < count && pairs[i].head; i++) {
		const size_t at = (size_t)(pairs[i].head - head->trials);
		const struct trial *found = pairs[i].base, *before = newest->trials[at];

		if (!found || !trial_status_counted(found->status) || !found->counters.count)
			continue;
		if (before && grid->runs[newest->runs[at]].seed == grid->runs[place].seed)
			history_grid_compare(grid, at, newest->runs[at], place, before, found);
		newest->trials[at] = found;
		newest->runs[at] = place;
	}
	free(pairs);
}

/* Loads the trials of the shown runs of a grid of emulated runs, and compares the counters of each
 * case of `run` with those of its newest earlier trial with the same inputs. */
static int counter_grid_load(struct history_grid *grid, struct db *db, const struct run *run,
			     struct error *err)
{
	struct newest_counted newest = {
		.trials = xcalloc(grid->case_count + 1, sizeof(*newest.trials)),
		.runs = xcalloc(grid->case_count + 1, sizeof(*newest.runs)),
	};
	struct run *loaded = xcalloc(grid->run_count + 1, sizeof(*loaded));
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < grid->run_count && !rc; i++) {
		if (!grid->shown[i])
			continue;
		rc = db_run_load(db, grid->runs[i].id, true, &loaded[count], err);
		if (!rc)
			take_run(grid, &newest, run, &loaded[count++], i);
	}
	for (size_t i = 0; i < count; i++)
		run_release(&loaded[i]);
	free(loaded);
	free(newest.runs);
	free(newest.trials);
	return rc;
}

int report_data_histories(struct report_data *data, const struct run *shown, struct error *err)
{
	int rc = db_history_grid_load(data->db, shown, HISTORY_RUNS, &data->histories, err);

	if (!rc && data->histories.emulated)
		rc = counter_grid_load(&data->histories, data->db, shown, err);
	if (rc || data->histories.emulated || !data->histories.case_count)
		return rc;
	history_grid_find_changes(&data->histories);
	return db_history_grid_codes(data->db, &data->histories, err);
}

void report_data_release(struct report_data *data)
{
	run_release(&data->run);
	run_release(&data->compared);
	ceiling_list_release(&data->ceilings);
	ceiling_list_release(&data->compared_ceilings);
	history_grid_release(&data->histories);
	db_close(data->db);
	*data = (struct report_data){0};
}

int report_data_samples(void *db, int64_t trial_id, struct sample **out, size_t *count,
			struct error *err)
{
	return db_samples_load(db, trial_id, out, count, err);
}

int report_data_profile(void *db, int64_t trial_id, struct profile **out, struct error *err)
{
	return db_profile_load(db, trial_id, out, err);
}

void report_measured_sources(struct key_value_list *out, const struct run *run)
{
	source_facts_compare(out, run);
}

/* ---- sweeps on several GPUs ---- */

int group_data_load(struct group_data *out, struct db *db, int64_t run_id, struct error *err)
{
	int64_t *ids = NULL;
	size_t count = 0;
	struct gpu_group *group = &out->group;
	int rc = db_runs_alike(db, run_id, GPUS_GROUP_KEY, &ids, &count, err);

	*out = (struct group_data){0};
	group->runs = xcalloc(count + 1, sizeof(*group->runs));
	for (size_t i = 0; i < count && !rc; i++)
		rc = run_load_measured(db, ids[i], true, &group->runs[group->count++], err);
	if (!rc)
		rc = gpu_group_complete(group, err);
	for (size_t i = 0; i < group->count && group->one_model && !rc && !out->roofs_of; i++) {
		rc = db_ceilings_load(db, group->runs[i].id, &out->ceilings, err);
		if (!rc && out->ceilings.count)
			out->roofs_of = &group->runs[i];
	}
	free(ids);
	return rc;
}

void group_data_release(struct group_data *data)
{
	gpu_group_release(&data->group);
	ceiling_list_release(&data->ceilings);
	*data = (struct group_data){0};
}

int group_is_meant(bool *out, struct db *db, const char *reference, int64_t run_id,
		   struct error *err)
{
	struct run run = {0};
	int64_t *ids = NULL;
	int64_t number;
	size_t count = 0;
	int rc;

	*out = false;
	/* a number is that of a run, although a revision may begin with it */
	if (parse_i64(&number, reference, NULL) == 0 && number == run_id)
		return 0;
	rc = db_runs_alike(db, run_id, GPUS_GROUP_KEY, &ids, &count, err);
	free(ids);
	if (!rc && count)
		rc = db_run_load(db, run_id, false, &run, err);
	if (!rc && count)
		*out = strcmp(reference, "last") == 0 ||
		       (run.label && strcmp(run.label, reference) == 0) ||
		       (run.source_revision &&
			strncmp(run.source_revision, reference, strlen(reference)) == 0 &&
			strncmp(run.uid, reference, strlen(reference)) != 0);
	run_release(&run);
	return rc;
}
