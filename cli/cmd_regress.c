/* perflab regress: has anything become slower between two runs? */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/shared.h"
#include "db/db.h"
#include "harness/session/judge.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/thresholds.h"
#include "metrics/catalogue/catalogue.h"

#define COUNTERS_EXACT "exact"
#define NONE "none"
#define LAST_GOOD "last-good"
#define RULES_NAMED 3

struct regress_verb_options {
	const char *db, *base, *head, *output, *thresholds, *counters;
	int format;
	bool all, allow_different, judge_same_code;
};

/* What is compared by what; the lists are owned. */
struct request {
	struct regress_options options;
	struct thresholds thresholds;
	struct string_list counters;
	const char *thresholds_path; /* NULL: none */
};

static void request_release(struct request *request)
{
	thresholds_release(&request->thresholds);
	string_list_release(&request->counters);
}

/* ---- what is asked for ---- */

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
			       "them",
			       name);
	text_release(&near);
	free(names);
	return rc;
}

static int request_counters(struct request *request, const char *words, struct error *err)
{
	if (!words || strcmp(words, COUNTERS_EXACT) == 0)
		return 0;
	if (strcmp(words, NONE) == 0) {
		request->options.counters = REGRESS_COUNTERS_NONE;
		return 0;
	}
	string_list_split(&request->counters, words, ',');
	for (size_t i = 0; i < request->counters.count; i++) {
		const char *name = request->counters.items[i];

		/* names with "__" are CUPTI's */
		if (!metric_find(name) && !strstr(name, "__"))
			return unknown_counter(name, err);
	}
	request->options.counters = REGRESS_COUNTERS_NAMED;
	request->options.names = &request->counters;
	return 0;
}

/* The file that is named must be there; the one of the working directory may be. */
static int request_thresholds(struct request *request, const char *path, struct error *err)
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
	rc = thresholds_parse(&request->thresholds, file, bytes, length, err);
	free(bytes);
	request->options.thresholds = &request->thresholds;
	request->thresholds_path = file;
	return rc;
}

/* ---- the runs ---- */

static int load_runs(struct db *db, const struct regress_verb_options *options, struct run *base,
		     struct run *head, struct error *err)
{
	int64_t base_id, head_id;
	int rc = error_context(err, db_run_resolve(db, options->head, &head_id, err), "--head");

	if (!rc)
		rc = error_context(err, db_base_resolve(db, options->base, head_id, &base_id, err),
				   "--base");
	if (!rc && base_id == head_id)
		rc = error_set(err, PL_EUSAGE,
			       "\"%s\" and \"%s\" are the same run, %lld: nothing to compare",
			       options->base, options->head, (long long)head_id);
	if (!rc)
		rc = run_load_measured(db, base_id, true, base, err);
	if (!rc)
		rc = run_load_measured(db, head_id, true, head, err);
	return rc;
}

/* PL_EUSAGE: numbers of such runs are not to be compared, or not unasked. */
static int check_differences(const struct regress_differences *differences, const struct run *base,
			     const struct run *head, bool allowed, struct error *err)
{
	struct text named = TEXT_INIT;
	int rc = 0;

	for (size_t i = 0; i < differences->count; i++) {
		const struct regress_difference *item = &differences->items[i];

		if (item->never) {
			rc = error_set(err, PL_EUSAGE,
				       "run %lld is of the %s %s and run %lld of %s: their numbers "
				       "do not compare",
				       (long long)base->id, item->what, item->base,
				       (long long)head->id, item->head);
			break;
		}
		if (item->refuses && !allowed)
			text_addf(&named, "%s%s (%s, then %s)", named.length ? ", " : "",
				  item->what, item->base, item->head);
	}
	if (!rc && named.length)
		rc = error_set(err, PL_EUSAGE,
			       "runs %lld and %lld differ in more than the code: %s; "
			       "--allow-different compares them all the same",
			       (long long)base->id, (long long)head->id, named.data);
	text_release(&named);
	return rc;
}

/* ---- the verb ---- */

static int write_report(const struct invocation *call, const struct regress_report *report,
			struct error *err)
{
	const struct regress_verb_options *options = call->options;
	struct report_options look = {.colour = call->terminal.out_colour,
				      .width = call->terminal.out_width,
				      .ascii = call->terminal.out_ascii};
	struct output output = {0};
	int rc = output_open(&output, options->output, err);

	if (output.path)
		look = (struct report_options){0};
	if (!rc)
		rc = report_regress(output.stream, report, (enum report_format)options->format,
				    &look, err);
	if (!rc)
		rc = output_commit(&output, err);
	output_discard(&output);
	return rc;
}

/* Else a gate that cannot shut would look like one that is open. */
static void tell_few_rounds(const struct run *base, const struct run *head)
{
	const struct run *few = head->rounds == 1 ? head : base->rounds == 1 ? base : NULL;

	if (few)
		say("run %lld has one round: no change in time can be told from chance%s",
		    (long long)few->id,
		    few->has_settings ? ", sweep with --rounds 2 or more"
				      : ", for what was imported is of one process");
}

/* As when an older run is held against the last good one: its words stand the other way round. */
static void tell_order(const struct run *base, const struct run *head)
{
	if (base->started_ns > head->started_ns ||
	    (base->started_ns == head->started_ns && base->id > head->id))
		say("the base, run %lld, is newer than the head, run %lld", (long long)base->id,
		    (long long)head->id);
}

/* A slip of the pen in a pattern would leave its cases with other limits. */
static void tell_idle_rules(const struct request *request, const struct regress *regress)
{
	size_t idle = 0;

	for (size_t i = 0; i < request->thresholds.count; i++) {
		const struct threshold_rule *rule = &request->thresholds.rules[i];
		bool matches = false;

		for (size_t k = 0; k < regress->count && !matches; k++)
			matches = pattern_matches(rule->pattern, regress->cases[k].name);
		if (!matches && idle++ < RULES_NAMED)
			say("%s:%zu: no case of these runs matches this pattern",
			    request->thresholds_path, rule->line);
	}
	if (idle > RULES_NAMED)
		say("%s: nor do %zu patterns more", request->thresholds_path, idle - RULES_NAMED);
}

static void tell_filled(size_t filled, const struct run *base)
{
	if (filled == 1)
		say("1 case that run %lld lacks or did not measure is held against an older run "
		    "that has it",
		    (long long)base->id);
	else if (filled)
		say("%zu cases that run %lld lacks or did not measure are held against older runs "
		    "that have them",
		    filled, (long long)base->id);
}

static int compare(struct invocation *call, const struct request *request, const struct run *base,
		   const struct run *head, const struct baselines *baselines, struct error *err)
{
	const struct regress_verb_options *options = call->options;
	struct regress_differences differences = {0};
	struct regress regress = {0};
	struct regress_pair *pairs = NULL;
	struct string_list notes = {0};
	size_t count, filled;
	int rc;

	regress_differ(&differences, base, head);
	rc = check_differences(&differences, base, head, options->allow_different, err);
	count = regress_pairs(&pairs, base, head);
	filled = baselines_fill(baselines, pairs, head, options->allow_different, &notes);
	if (!rc)
		rc = regress_judge(&regress, pairs, count, &request->options, err);
	/* a gate that looks at nothing must not be open */
	if (!rc && !regress.compared && !regress.gating)
		rc = error_set(err, PL_EUSAGE,
			       "nothing to compare: runs %lld and %lld share no case with times or "
			       "counters%s%s",
			       (long long)base->id, (long long)head->id,
			       regress.ignored ? " that no threshold ignores" : "",
			       base->seed != head->seed
				       ? "; counters of different --seed are not compared"
				       : "");
	if (!rc) {
		const struct regress_report report = {.base = base,
						      .head = head,
						      .regress = &regress,
						      .differences = &differences,
						      .thresholds = request->thresholds_path,
						      .all = options->all};

		tell_few_rounds(base, head);
		tell_order(base, head);
		tell_filled(filled, base);
		tell_idle_rules(request, &regress);
		call->exit_code = regress.gating ? EXIT_FINDING : EXIT_FINE;
		rc = write_report(call, &report, err);
	}
	regress_release(&regress);
	regress_differences_release(&differences);
	string_list_release(&notes);
	free(pairs);
	return rc;
}

static int run_regress(struct invocation *call, struct error *err)
{
	const struct regress_verb_options *options = call->options;
	struct request request = {.options = {.limits = change_limits_default,
					      .judge_same_code = options->judge_same_code}};
	struct run base = {0}, head = {0};
	struct baselines baselines = {0};
	struct db *db = NULL;
	int rc = request_counters(&request, options->counters, err);

	if (!rc)
		rc = request_thresholds(&request, options->thresholds, err);
	if (!rc)
		rc = db_open(&db, options->db ? options->db : db_default_path(), DB_READ, err);
	if (!rc)
		rc = load_runs(db, options, &base, &head, err);
	if (!rc && strcmp(options->base, LAST_GOOD) == 0)
		rc = baselines_load(&baselines, db, &head, err);
	if (!rc)
		rc = compare(call, &request, &base, &head, &baselines, err);
	baselines_release(&baselines);
	run_release(&base);
	run_release(&head);
	db_close(db);
	request_release(&request);
	return rc;
}

static void set_defaults(void *options)
{
	struct regress_verb_options *regress = options;

	regress->base = LAST_GOOD;
	regress->head = "last";
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct regress_verb_options, db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"base", 'b', OPTION_TEXT, offsetof(struct regress_verb_options, base), "RUN",
	 "what it was before", NULL, 0},
	{"head", 'H', OPTION_TEXT, offsetof(struct regress_verb_options, head), "RUN",
	 "what it is now", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct regress_verb_options, format), "FORMAT",
	 "the format", regress_format_words, 0},
	{"output", 'o', OPTION_TEXT, offsetof(struct regress_verb_options, output), "FILE",
	 "where to write; the file is replaced once the report is whole (default: standard output)",
	 NULL, 0},
	{"all", 'a', OPTION_FLAG, offsetof(struct regress_verb_options, all), NULL,
	 "text and md: every case, not only those that changed", NULL, 0},
	{"counters", 'c', OPTION_TEXT, offsetof(struct regress_verb_options, counters), "NAMES",
	 "counters to compare: \"exact\" (the default) for all that repeat exactly, \"none\", or "
	 "names with commas between",
	 NULL, 0},
	{"thresholds", 't', OPTION_TEXT, offsetof(struct regress_verb_options, thresholds), "FILE",
	 "limits by case; \"none\": not even " THRESHOLDS_NAME " of the working directory", NULL,
	 0},
	{"allow-different", 0, OPTION_FLAG, offsetof(struct regress_verb_options, allow_different),
	 NULL, "compare though device, driver, toolkit, build, clocks or cache differ", NULL, 0},
	{"judge-same-code", 0, OPTION_FLAG, offsetof(struct regress_verb_options, judge_same_code),
	 NULL, "judge equal launches of equal machine code as any other", NULL, 0},
};

static const struct example examples[] = {
	{"perflab regress", "the newest run against the newest other that is marked good"},
	{"perflab regress --base nightly --format md", "against a label, for a pull request"},
	{"perflab regress --base 24b7b65 --format junit -o regress.xml",
	 "against a source revision, for CI"},
	{"perflab regress --base 12 --counters ptx_divergent_branches",
	 "by time, where there is one, and one counter"},
};

const struct command command_regress = {
	.name = "regress",
	.summary = "tell what got slower between two runs",
	.operands = "",
	.description =
		"Holds a run against an earlier one, case by case. Each is regressed, improved, "
		"unchanged, inconclusive (a change that matters is neither shown nor ruled out), "
		"new, missing or failed. Time is judged by the medians of rounds, each of which a "
		"process of its own took, with one correction for all cases; counters that repeat "
		"exactly are compared exactly (docs/methodology.md). A difference between equal "
		"launches of equal machine code is noise or environment, and never a "
		"regression.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label or a "
		"source revision (the newest run of it), \"last\", or \"last-good\": the newest on "
		"the same device and backend that `perflab mark` has marked good. A case that the "
		"last good run lacks or did not measure is held against the newest older run that "
		"has it, one marked good before others, and never one marked bad; the case says "
		"so.\n\n"
		"Limits stand in a file, a line a pattern of cases: \"reduce/* time=2% "
		"branch_targets_divergent=5%\", \"fault ignore\", \"* ignore=time\". What later "
		"lines say stands before what earlier ones do. " THRESHOLDS_NAME " in the working "
		"directory is read unasked (docs/ci.md).",
	.exit_status = "1 when a case regressed, or failed that was fine in the base.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct regress_verb_options),
	.defaults = set_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.run = run_regress,
};
