/* perflab regress: shows which cases became slower between two runs. */
#include "base/process.h"
#include "cli/damaged_profiles.h"
#include "cli/gpus.h"
#include "cli/output.h"
#include "db/db.h"
#include "harness/judge/judge.h"
#include "metrics/shards.h"

#define RULES_NAMED 3 /* idle threshold rules that a message names */

struct regress_verb_options {
	const char *db, *base, *head, *output, *thresholds, *counters;
	int format;
	int lines; /* position in regress_lines_words */
	bool all, allow_different, judge_same_code, no_pager;
};

/* ---- messages ---- */

/* Without this message, a check that cannot fail would look like one that passed. */
static void say_few_rounds(const struct run *base, const struct run *head)
{
	const struct run *few = head->rounds == 1 ? head : base->rounds == 1 ? base : NULL;

	if (few)
		say("run %lld has one round, which cannot show a change in time%s",
		    (long long)few->id,
		    few->settings_json ? "; sweep with --rounds 2 or more"
				       : "; import several files with --rounds");
}

/* If the base is the newer run, "regressed" means that the older run is slower. */
static void say_reversed_order(const struct run *base, const struct run *head)
{
	if (base->started_ns > head->started_ns ||
	    (base->started_ns == head->started_ns && base->id > head->id))
		say("the base, run %lld, is newer than the head, run %lld", (long long)base->id,
		    (long long)head->id);
}

/* A typing error in a pattern would leave its cases with other limits. */
static void say_idle_rules(const struct comparison_rules *rules, const struct regress *regress)
{
	size_t idle = 0;

	for (size_t i = 0; i < rules->thresholds.count; i++) {
		const struct threshold_rule *rule = &rules->thresholds.rules[i];

		if (comparison_rule_is_idle(rule, regress) && idle++ < RULES_NAMED)
			say("%s:%zu: no case of these runs matches this pattern",
			    rules->thresholds_path, rule->line);
	}
	if (idle > RULES_NAMED)
		say("%s: %zu more patterns match no case", rules->thresholds_path,
		    idle - RULES_NAMED);
}

/* Whether rounds can be added to the run. */
static bool can_decide(const struct run *run)
{
	return run->traits.timed && run->has_settings && run->rounds >= 2 &&
	       !key_value_get(&run->environment, SHARDS_KEY);
}

/* The command that adds rounds to one of the runs. */
static void say_command(const struct invocation *call, size_t cases, int64_t run, int64_t other)
{
	const struct regress_verb_options *options = call->options;
	struct text path = TEXT_INIT;

	if (options->db) {
		text_add(&path, " --db ");
		shell_word(&path, options->db);
	}
	if (cases)
		say("more rounds of run %lld may decide %zu %s: perflab sweep --resume %lld "
		    "--decide --compare %lld%s",
		    (long long)run, cases, cases == 1 ? "case" : "cases", (long long)run,
		    (long long)other, path.data);
	text_release(&path);
}

/* An inconclusive case need not stay so. */
static void say_how_to_decide(const struct invocation *call,
			      const struct run_comparison *comparison)
{
	const struct run *base = &comparison->base, *head = &comparison->head;
	const int most_of_head =
		can_decide(head) ? interim_rounds(head->rounds, INTERIM_COUNT - 1) : 0;
	const int most_of_base =
		can_decide(base) ? interim_rounds(base->rounds, INTERIM_COUNT - 1) : 0;
	size_t by_head = 0, by_base = 0;

	for (size_t i = 0; i < comparison->regress.count; i++) {
		const struct regress_case *item = &comparison->regress.cases[i];
		const struct rounds_needed needed = item->needed;

		if (!item->undecided)
			continue;
		if (needed.head && needed.head <= most_of_head)
			by_head++;
		else if (needed.each && needed.each <= most_of_base)
			by_base++;
	}
	say_command(call, by_head, head->id, base->id);
	say_command(call, by_base, base->id, head->id);
}

static void say_filled(size_t filled, const struct run *base)
{
	if (filled == 1)
		say("run %lld lacks 1 case or did not measure it; the case is compared with an "
		    "older run that has it",
		    (long long)base->id);
	else if (filled)
		say("run %lld lacks %zu cases or did not measure them; each is compared with an "
		    "older run that has it",
		    (long long)base->id, filled);
}

/* Only for somebody who asked for lines: a sweep profiles few cases. */
static void say_no_profiles(const struct invocation *call, const struct run_comparison *comparison)
{
	if (option_given(call, "lines") && comparison->lines.items && !comparison->lines.profiled &&
	    !comparison->lines.damaged)
		say("no case has a profile in both runs, so no lines are compared: perflab sweep "
		    "--lines all takes one of each case");
}

/* The report says so, too, but not of more cases than it names. */
static void say_damaged_lines(const struct run_comparison *comparison)
{
	for (size_t i = 0; i < comparison->lines.count; i++)
		if (comparison->lines.items[i].damaged)
			say_damaged_profile(comparison->regress.cases[i].name, "are not compared",
					    comparison->lines.items[i].why_not);
}

/* ---- the verb ---- */

enum { REGRESS_LINES_SHOW, REGRESS_LINES_GATE, REGRESS_LINES_NONE };
static const char *const regress_lines_words[] = {"show", "gate", "none", NULL};

static int print_comparison(struct invocation *call, const struct comparison_rules *rules,
			    const struct run_comparison *comparison, struct error *err)
{
	const struct regress_verb_options *options = call->options;
	const struct run *base = &comparison->base, *head = &comparison->head;
	const struct regress_report report = {.base = base,
					      .head = head,
					      .regress = &comparison->regress,
					      .differences = &comparison->differences,
					      .thresholds = rules->thresholds_path,
					      .all = options->all,
					      .lines = &comparison->lines};
	struct output output = {0};
	struct report_options look;
	int rc;

	say_few_rounds(base, head);
	say_reversed_order(base, head);
	say_filled(comparison->filled, base);
	say_idle_rules(rules, &comparison->regress);
	say_how_to_decide(call, comparison);
	say_no_profiles(call, comparison);
	say_damaged_lines(comparison);
	call->exit_code = comparison->regress.gating ? EXIT_FINDING : EXIT_FINE;
	rc = output_open(&output, options->output, err);
	look = output_look(call, &output);
	if (!rc)
		rc = report_regress(output.stream, &report, (enum report_format)options->format,
				    &look, err);
	return output_end(&output, rc, err);
}

static int run_regress(struct invocation *call, struct error *err)
{
	const struct regress_verb_options *options = call->options;
	struct run_comparison_request request = {
		.base = options->base,
		.head = options->head,
		.allow_different = options->allow_different,
		.options = {.limits = change_limits_default,
			    .judge_same_code = options->judge_same_code}};
	struct run_comparison comparison = {0};
	struct comparison_rules rules = {0};
	struct db *db = NULL;
	int rc = comparison_rules_load(&rules, &request.options, options->counters,
				       options->thresholds, err);

	if (!rc)
		rc = db_open(&db, options->db ? options->db : db_default_path(), DB_READ, err);
	if (!rc)
		rc = compare_runs(&comparison, db, &request, err);
	if (!rc && options->lines != REGRESS_LINES_NONE)
		rc = comparison_add_lines(&comparison, db, options->lines == REGRESS_LINES_GATE,
					  err);
	if (!rc)
		rc = say_one_of_group(db, request.head, comparison.head.id, err);
	if (!rc)
		rc = print_comparison(call, &rules, &comparison, err);
	run_comparison_release(&comparison);
	db_close(db);
	comparison_rules_release(&rules);
	return rc;
}

static void regress_defaults(void *options)
{
	struct regress_verb_options *regress = options;

	regress->base = BASE_LAST_GOOD;
	regress->head = "last";
}

static const struct option_row regress_rows[] = {
	TEXT_ROW("db", 0, regress_verb_options, db, "FILE", HELP_DB),
	TEXT_ROW("base", 'b', regress_verb_options, base, "RUN", "the run to compare with"),
	TEXT_ROW("head", 'H', regress_verb_options, head, "RUN", "the run to judge"),
	CHOICE_ROW("format", 'f', regress_verb_options, format, "FORMAT", regress_format_words,
		   HELP_FORMAT_OF_OUTPUT),
	TEXT_ROW("output", 'o', regress_verb_options, output, "FILE", HELP_OUTPUT),
	FLAG_ROW("all", 'a', regress_verb_options, all,
		 "text and md: show every case, not only those that changed"),
	TEXT_ROW("counters", 'c', regress_verb_options, counters, "NAMES",
		 "the counters to compare: \"exact\" (the default) for all that repeat exactly, "
		 "\"none\", or names separated by commas"),
	CHOICE_ROW("lines", 'l', regress_verb_options, lines, "WHEN", regress_lines_words,
		   "what the lines of cases with a profile in both runs are for: \"show\" (the "
		   "default) what changed in them, \"gate\" also fails if they do more work, "
		   "\"none\""),
	TEXT_ROW("thresholds", 't', regress_verb_options, thresholds, "FILE",
		 "a file with limits per case; \"none\" also ignores " THRESHOLDS_NAME
		 " in the working directory"),
	FLAG_ROW("allow-different", 0, regress_verb_options, allow_different,
		 "compare even if device, driver, toolkit, build, clocks or cache differ"),
	FLAG_ROW("judge-same-code", 0, regress_verb_options, judge_same_code,
		 "also judge cases whose machine code and launches are equal"),
	ROW_NO_PAGER(regress_verb_options),
};

static const struct example regress_examples[] = {
	{"perflab regress", "compare the newest run with the last good one"},
	{"perflab regress --base nightly --format md",
	 "compare with a label and print Markdown, for a pull request"},
	{"perflab regress --base 24b7b65 --format junit -o regress.xml",
	 "compare with a source revision and write JUnit XML, for CI"},
	{"perflab regress --base 12 --counters ptx_divergent_branches",
	 "compare times and one counter"},
};

const struct command command_regress = {
	.name = "regress",
	.summary = "show what became slower between two runs",
	.operands = "",
	.description =
		"Compares a run with an earlier one, case by case. Each case is regressed, "
		"improved, unchanged, inconclusive (undecided), new, missing or failed.\n\n"
		"Time is judged by the medians of rounds, each measured in its own process, with "
		"one correction for all cases. Counters that repeat exactly are compared exactly "
		"(docs/methodology.md). If machine code and launches are equal, a difference in "
		"time is noise or comes from the environment, and is never a regression.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label or a "
		"source revision (the newest run with it; of a base, the newest on the device of "
		"the head if there is one), \"last\", or \"last-good\": the newest run on the same "
		"device and backend that `perflab mark` has marked good. If the last good run "
		"lacks a case or did not measure it, the case is compared with the newest older "
		"run that has it. Runs marked good come first, runs marked bad are never used, and "
		"the report names the run. \"against\" is the revision with which perflab sweep "
		"--against compared the head.\n\n"
		"If both runs have a profile of a case (perflab sweep --lines), the counts of its "
		"source lines are compared exactly, and the worst line is named first. Lines are "
		"matched by the diff of the texts that the runs keep. Lines whose counts vary from "
		"one execution to the next are not compared, and named. Shares of stalls decide "
		"nothing.\n\n"
		"A thresholds file sets limits, one line per pattern of cases: \"reduce/* time=2% "
		"branch_targets_divergent=5%\", \"fault ignore\", \"* ignore=time\". Later lines "
		"override earlier ones. perflab reads " THRESHOLDS_NAME " in the working directory "
		"by default (docs/ci.md).",
	.exit_status = "1 if a case regressed, or failed and was fine in the base; with --lines "
		       "gate also if the lines of a case do more work, or its profile is damaged.",
	OPTIONS_AND_EXAMPLES(regress_verb_options, regress_rows, regress_examples),
	.defaults = regress_defaults,
	.operands_instead = "name the runs with --base RUN and --head RUN",
	.run = run_regress,
};
