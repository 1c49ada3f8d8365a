/* Reads the rules of a comparison, loads two runs, checks that they compare, and judges every case.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"
#include "metrics/against.h"
#include "metrics/analysis/speedup.h"
#include "metrics/catalogue/catalogue.h"

#define COUNTERS_EXACT "exact"
#define NONE "none"

/* ---- counters and thresholds ---- */

static int unknown_counter(const char *name, struct error *err)
{
	size_t device_count, ptx_count;
	const struct metric *device = metric_all(&device_count);
	const struct metric *ptx = metric_all_emulated(&ptx_count);
	const char **names = xcalloc(device_count + ptx_count, sizeof(*names));
	struct text near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < device_count; i++)
		names[i] = device[i].name;
	for (size_t i = 0; i < ptx_count; i++)
		names[device_count + i] = ptx[i].name;
	if (nearest_names(&near, name, names, device_count + ptx_count))
		rc = error_set(err, PL_EUSAGE,
			       "--counters: unknown metric \"%s\"; did you mean %s?", name,
			       near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "--counters: unknown metric \"%s\"; `perflab list metrics` lists "
			       "all metrics",
			       name);
	text_release(&near);
	free(names);
	return rc;
}

static int read_counters(struct comparison_rules *rules, struct regress_options *options,
			 const char *words, struct error *err)
{
	if (!words || strcmp(words, COUNTERS_EXACT) == 0)
		return 0;
	if (strcmp(words, NONE) == 0) {
		options->counters = REGRESS_COUNTERS_NONE;
		return 0;
	}
	string_list_split(&rules->counters, words, ',');
	for (size_t i = 0; i < rules->counters.count; i++) {
		const char *name = rules->counters.items[i];

		/* names of CUPTI contain "__" */
		if (!metric_find(name) && !strstr(name, "__"))
			return unknown_counter(name, err);
	}
	options->counters = REGRESS_COUNTERS_NAMED;
	options->names = &rules->counters;
	return 0;
}

/* A file that the user names must exist. The one in the working directory is optional. */
static int read_thresholds(struct comparison_rules *rules, struct regress_options *options,
			   const char *path, struct error *err)
{
	const char *file = path ? path : THRESHOLDS_NAME;
	struct error cause = {0};
	char *bytes;
	size_t length;
	int rc;

	if (path && strcmp(path, NONE) == 0)
		return 0;
	rc = read_file(&bytes, &length, file, THRESHOLDS_LIMIT, &cause);
	if (rc == PL_ENOENT && !path)
		return 0;
	if (rc)
		return error_set(err, rc, "--thresholds: %s", cause.text);
	rc = thresholds_parse(&rules->thresholds, file, bytes, length, err);
	free(bytes);
	options->thresholds = &rules->thresholds;
	rules->thresholds_path = file;
	return rc;
}

int comparison_rules_load(struct comparison_rules *out, struct regress_options *options,
			  const char *counters, const char *thresholds, struct error *err)
{
	int rc = read_counters(out, options, counters, err);

	return rc ? rc : read_thresholds(out, options, thresholds, err);
}

void comparison_rules_release(struct comparison_rules *rules)
{
	thresholds_release(&rules->thresholds);
	string_list_release(&rules->counters);
}

bool comparison_rule_is_idle(const struct threshold_rule *rule, const struct regress *regress)
{
	for (size_t i = 0; i < regress->count; i++)
		if (pattern_matches(rule->pattern, regress->cases[i].name))
			return false;
	return true;
}

/* ---- two runs ---- */

/* Cases of a run that is still measured have no status yet. */
static void take_measured(struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].status == TRIAL_PENDING && run->trials[i].round_count)
			run->trials[i].status = TRIAL_OK;
}

static int load_base_and_head(struct run_comparison *out, struct db *db, bool with_trials,
			      const struct run_comparison_request *request, struct error *err)
{
	int64_t base_id, head_id;
	int rc = error_context(err, db_run_resolve(db, request->head, &head_id, err), "--head");

	if (!rc)
		rc = error_context(err, db_base_resolve(db, request->base, head_id, &base_id, err),
				   "%s", request->base_option ? request->base_option : "--base");
	if (!rc && base_id == head_id)
		rc = error_set(err, PL_EUSAGE,
			       "\"%s\" and \"%s\" are the same run, %lld: nothing to compare",
			       request->base, request->head, (long long)head_id);
	if (!rc)
		rc = run_load_measured(db, base_id, with_trials, &out->base, err);
	if (!rc)
		rc = run_load_measured(db, head_id, with_trials, &out->head, err);
	if (!rc && request->measuring)
		take_measured(&out->head);
	if (!rc && with_trials && strcmp(request->base, BASE_LAST_GOOD) == 0)
		rc = baselines_load(&out->baselines, db, &out->head, err);
	return rc;
}

/* PL_EUSAGE: the numbers of these runs never compare, or only if the request allows it. */
static int check_environments(const struct run_comparison *comparison,
			      const struct run_comparison_request *request, struct error *err)
{
	const struct run *base = &comparison->base, *head = &comparison->head;
	struct text named = TEXT_INIT;
	int rc = 0;

	for (size_t i = 0; i < comparison->differences.count; i++) {
		const struct regress_difference *item = &comparison->differences.items[i];

		if (item->never) {
			rc = error_set(err, PL_EUSAGE,
				       "run %lld has the %s %s and run %lld has %s: their numbers "
				       "do not compare",
				       (long long)base->id, item->what, item->base,
				       (long long)head->id, item->head);
			break;
		}
		if (item->refuses && !request->allow_different)
			text_addf(&named, "%s%s (%s, then %s)", named.length ? ", " : "",
				  item->what, item->base, item->head);
	}
	if (!rc && named.length && request->measuring)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld and this sweep differ in more than the code: %s",
			       (long long)base->id, named.data);
	else if (!rc && named.length)
		rc = error_set(err, PL_EUSAGE,
			       "runs %lld and %lld differ in more than the code: %s; "
			       "--allow-different compares them anyway",
			       (long long)base->id, (long long)head->id, named.data);
	text_release(&named);
	return rc;
}

/* ---- two versions in one run ---- */

/* The run without its trials, and with what they are compared with. */
static int load_revision(struct run_comparison *out, struct db *db, int64_t id, struct error *err)
{
	const char *word = key_value_get(&out->head.environment, AGAINST_WORD_KEY);
	const char *commit = key_value_get(&out->head.environment, AGAINST_COMMIT_KEY);
	int rc = 0;

	if (!word || !commit)
		rc = error_set(err, PL_EUSAGE,
			       "--base " BASE_AGAINST ": run %lld did not compare with a revision; "
			       "measure one with perflab sweep FILE --against REVISION",
			       (long long)id);
	if (!rc)
		rc = run_load(db, id, false, &out->base, err);
	if (!rc) {
		free(out->base.label);
		free(out->base.source_revision);
		out->base.label = xstrdup(word);
		out->base.source_revision = xstrdup(commit);
	}
	return rc;
}

static int compare_with_revision(struct run_comparison *out, struct db *db,
				 const struct run_comparison_request *request, struct error *err)
{
	struct run *head = &out->head;
	struct noise noise;
	size_t count = 0;
	int64_t id;
	int rc = error_context(err, db_run_resolve(db, request->head, &id, err), "--head");

	if (!rc)
		rc = run_load_measured(db, id, true, head, err);
	if (!rc)
		rc = load_revision(out, db, id, err);
	if (rc)
		return rc;
	if (request->measuring)
		take_measured(head);
	speedups_judge(head);
	noise = noise_of_runs((const struct run *const[]){head}, 1);
	out->pairs = xcalloc(head->trial_count + 1, sizeof(*out->pairs));
	for (size_t i = 0; i < head->trial_count; i++) {
		const struct trial *trial = &head->trials[i];
		struct regress_pair *pair = &out->pairs[count];

		if (against_is_of_then(head, trial))
			continue;
		*pair = (struct regress_pair){
			.base = run_trial(head, trial->speedup.base_trial_id),
			.head = trial,
			.beside = head->traits.timed,
			.not_measured = against_is_same(trial),
		};
		regress_pair_set_runs(pair, head, head, &noise);
		count++;
	}
	return regress_judge(&out->regress, out->pairs, count, &request->options, err);
}

/* ---- any comparison ---- */

int compare_runs(struct run_comparison *out, struct db *db,
		 const struct run_comparison_request *request, struct error *err)
{
	size_t count;
	int rc;

	if (strcmp(request->base, BASE_AGAINST) == 0)
		return compare_with_revision(out, db, request, err);
	rc = load_base_and_head(out, db, true, request, err);

	if (rc)
		return rc;
	regress_differ(&out->differences, &out->base, &out->head);
	rc = check_environments(out, request, err);
	if (rc)
		return rc;
	count = regress_pairs(&out->pairs, &out->base, &out->head);
	out->filled = baselines_fill(&out->baselines, out->pairs, &out->head,
				     request->allow_different, &out->notes);
	rc = pairs_take_sessions(out->pairs, count, db, out->head.id, err);
	if (!rc)
		rc = regress_judge(&out->regress, out->pairs, count, &request->options, err);
	if (rc || out->regress.compared || out->regress.gating)
		return rc;
	/* a comparison of no case must not look like one without regressions */
	return error_set(err, PL_EUSAGE,
			 "nothing to compare: runs %lld and %lld share no case with times or "
			 "counters%s%s",
			 (long long)out->base.id, (long long)out->head.id,
			 out->regress.ignored ? " that no threshold ignores" : "",
			 out->base.seed != out->head.seed
				 ? "; counters of different --seed are not compared"
				 : "");
}

int compare_runs_check(int64_t *base_id, struct db *db,
		       const struct run_comparison_request *request, struct error *err)
{
	struct run_comparison comparison = {0};
	int rc = load_base_and_head(&comparison, db, false, request, err);

	if (!rc) {
		*base_id = comparison.base.id;
		regress_differ(&comparison.differences, &comparison.base, &comparison.head);
		rc = check_environments(&comparison, request, err);
	}
	run_comparison_release(&comparison);
	return rc;
}

void run_comparison_release(struct run_comparison *comparison)
{
	line_changes_list_release(&comparison->lines);
	regress_release(&comparison->regress);
	regress_differences_release(&comparison->differences);
	baselines_release(&comparison->baselines);
	string_list_release(&comparison->notes);
	free(comparison->pairs);
	run_release(&comparison->base);
	run_release(&comparison->head);
	*comparison = (struct run_comparison){0};
}
