/* A comparison of two runs in the format asked for, and as JSON and JUnit XML. */
#include <errno.h>
#include <string.h>

#include "metrics/analysis/statistics.h"
#include "reports/regress/regress.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"

/* ---- JSON ---- */

static json_t *compared_run_json(const struct run *run)
{
	json_t *object = json_object();
	const struct sequential_test test = sequential_test_of_run(run);
	char when[21], seed[24];

	format_utc(when, run->started_ns);
	json_set_integer(object, "id", run->id);
	json_set_text(object, "uid", run->uid);
	json_set_text(object, "label", run->label);
	json_object_set_new(object, "started_at", json_string(when));
	json_set_text(object, "state", run_state_name(run->state));
	json_set_text(object, "source_revision", run->source_revision);
	json_set_text(object, "origin", run->origin);
	json_set_text(object, "backend", run->backend);
	json_set_text(object, "device", run->device.name);
	json_set_text(object, "driver", run->device.driver);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	json_object_set_new(object, "seed", json_string(seed));
	/* null: all are used */
	json_object_set_new(object, "rounds_used",
			    test.used ? json_integer(test.used) : json_null());
	json_object_set_new(object, "control_moved",
			    test.used ? json_real(test.moved) : json_null());
	return object;
}

static json_t *differences_json(const struct regress_differences *differences)
{
	json_t *array = json_array();

	for (size_t i = 0; i < differences->count; i++) {
		const struct regress_difference *item = &differences->items[i];
		json_t *object = json_object();

		json_object_set_new(object, "what", json_string(item->what));
		json_set_text(object, "base", item->base);
		json_set_text(object, "head", item->head);
		json_set_bool(object, "refuses", item->refuses);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *regress_summary_json(const struct regress *regress)
{
	json_t *object = json_object();

	for (int i = 0; i < CHANGE_COUNT; i++)
		json_object_set_new(object, change_name((enum change)i),
				    json_integer((json_int_t)regress->tally[i]));
	json_set_integer(object, "ignored", (int64_t)regress->ignored);
	json_set_integer(object, "compared", (int64_t)regress->compared);
	json_set_integer(object, "unverified", (int64_t)regress->unverified);
	json_set_integer(object, "gating", (int64_t)regress->gating);
	json_set_integer(object, "by_lines", (int64_t)regress->by_lines);
	return object;
}

static json_t *rounds_json(const struct trial *trial)
{
	json_t *array = json_array();

	for (size_t i = 0; i < trial->round_count; i++)
		json_array_append_new(array, report_json_number(trial->rounds[i].median_ns));
	return array;
}

/* null if the case is decided, or no number of rounds is known to decide it. */
static json_t *rounds_needed_json(int rounds)
{
	return rounds ? json_integer(rounds) : json_null();
}

static json_t *compared_time_json(const struct regress_case *item)
{
	json_t *object = json_object();

	json_object_set_new(object, "verdict", json_string(change_name(item->time)));
	json_set_number(object, "base_median_ns",
			item->beside ? item->head->speedup.base_median_ns
				     : item->base->summary.median_ns);
	json_set_number(object, "head_median_ns", item->head->summary.median_ns);
	json_object_set_new(object, "base_rounds_ns", rounds_json(item->base));
	json_object_set_new(object, "head_rounds_ns", rounds_json(item->head));
	json_set_number(object, "base_launch_ns",
			round_clocks_of(item->base->rounds, item->base->round_count).launch_ns);
	json_set_number(object, "head_launch_ns",
			round_clocks_of(item->head->rounds, item->head->round_count).launch_ns);
	json_set_integer(object, "base_rounds_compared", (int64_t)item->base_rounds);
	json_set_integer(object, "head_rounds_compared", (int64_t)item->head_rounds);
	json_object_set_new(object, "rounds_needed", rounds_needed_json(item->needed.each));
	json_object_set_new(object, "head_rounds_needed", rounds_needed_json(item->needed.head));
	json_set_number(object, "change", item->effect.change);
	json_set_number(object, "low", item->effect.low);
	json_set_number(object, "high", item->effect.high);
	json_set_number(object, "p", item->effect.p);
	json_set_number(object, "adjusted_p", item->adjusted_p);
	json_set_text(object, "covers", effect_covers(&item->effect));
	json_set_bool(object, "separated", item->effect.separated);
	json_set_number(object, "smallest", item->limits.smallest);
	json_set_number(object, "resolution", item->limits.resolution);
	return object;
}

static json_t *changed_counters_json(const struct regress_case *item)
{
	static const char *const verdicts[] = {"better", "changed", "worse"};
	json_t *array = json_array();

	for (size_t i = 0; i < item->counter_count; i++) {
		const struct counter_change *change = &item->counters[i];
		json_t *object = json_object();

		json_set_text(object, "metric", change->metric);
		json_set_text(object, "unit", change->unit);
		json_set_number(object, "base", change->base);
		json_set_number(object, "head", change->head);
		json_object_set_new(object, "verdict", json_string(verdicts[change->verdict + 1]));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *status_json(const struct trial *trial)
{
	return trial ? json_string(trial_status_name(trial->status)) : json_null();
}

/* null if one of the two hashes is not known, or an earlier version of perflab made it, which
 * hashed otherwise. */
static json_t *same_json(bool same, const char *base, const char *head)
{
	return *base && strlen(base) == strlen(head) ? json_boolean(same) : json_null();
}

static void add_sameness(json_t *object, const struct regress_case *item)
{
	const struct trial *base = item->base, *head = item->head;

	json_object_set_new(object, "same_code",
			    base && head ? same_json(item->same_code, base->facts.code_hash,
						     head->facts.code_hash)
					 : json_null());
	json_object_set_new(
		object, "same_launch",
		base && head ? same_json(item->same_launch, base->launch_hash, head->launch_hash)
			     : json_null());
}

/* What is known of the lines of a case; NULL: they were not compared. */
static const struct line_changes *lines_of(const struct regress_report *report, size_t index)
{
	return report->lines && index < report->lines->count ? &report->lines->items[index] : NULL;
}

static json_t *case_json(const struct regress_case *item, const struct line_changes *lines)
{
	const struct trial *trial = item->head ? item->head : item->base;
	json_t *object = json_object();

	json_set_text(object, "kernel", trial->kernel);
	json_set_text(object, "variant", trial->variant);
	json_set_text(object, "config", trial->config);
	json_object_set_new(object, "verdict",
			    item->ignored ? json_null() : json_string(change_name(item->verdict)));
	json_set_bool(object, "ignored", item->ignored);
	json_set_bool(object, "gates", item->gates);
	json_set_bool(object, "by_lines", item->by_lines);
	json_set_text(object, "why", item->why);
	json_set_bool(object, "unverified", item->unverified);
	json_object_set_new(object, "base_status", status_json(item->base));
	json_object_set_new(object, "head_status", status_json(item->head));
	add_sameness(object, item);
	json_object_set_new(object, "time", item->timed ? compared_time_json(item) : json_null());
	json_set_integer(object, "counters_compared", (int64_t)item->counters_compared);
	json_object_set_new(object, "counters", changed_counters_json(item));
	if (lines)
		json_object_set_new(object, "lines", regress_lines_json(lines));
	return object;
}

static int regress_json(FILE *out, const struct regress_report *report, struct error *err)
{
	json_t *root = json_object(), *cases = json_array();

	json_set_integer(root, "format", 1);
	json_object_set_new(root, "base", compared_run_json(report->base));
	json_object_set_new(root, "head", compared_run_json(report->head));
	json_object_set_new(root, "differences", differences_json(report->differences));
	json_set_text(root, "thresholds", report->thresholds);
	json_object_set_new(root, "summary", regress_summary_json(report->regress));
	json_object_set_new(root, "cases", cases);
	for (size_t i = 0; i < report->regress->count; i++)
		json_array_append_new(cases,
				      case_json(&report->regress->cases[i], lines_of(report, i)));
	return report_json_write(out, root, err);
}

/* ---- JUnit XML ---- */

enum outcome { PASSED, FAILURE, ERROR, SKIPPED };

static enum outcome outcome_of(const struct regress_case *item)
{
	if (item->ignored)
		return SKIPPED;
	if (item->verdict == CHANGE_FAILED)
		return item->gates ? ERROR : SKIPPED;
	if (item->gates)
		return FAILURE;
	switch (item->verdict) {
	case CHANGE_MISSING:
	case CHANGE_INCONCLUSIVE:
		return SKIPPED;
	default:
		return PASSED;
	}
}

static const char *kernel_of(const struct regress_case *item)
{
	return (item->head ? item->head : item->base)->kernel;
}

static void add_attribute(struct text *out, const char *name, const char *value)
{
	text_addf(out, " %s=\"", name);
	escape_xml(out, value);
	text_add_char(out, '"');
}

static void describe_case(struct text *out, const struct regress_case *item)
{
	if (item->ignored)
		text_add(out, "ignored by a threshold");
	else
		regress_describe_verdict(out, item);
	if (item->timed) {
		text_add(out, ": time ");
		regress_describe_change(out, item->effect.change);
		if (!isnan(item->effect.p))
			text_addf(out, " (%+.2f to %+.2f, adjusted p %.2g)", 100 * item->effect.low,
				  100 * item->effect.high, item->adjusted_p);
	}
	if (item->why)
		text_addf(out, "; %s", item->why);
}

static void add_test_case(struct text *out, const struct regress_case *item,
			  const struct line_changes *changes)
{
	static const char *const elements[] = {
		[FAILURE] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};
	const struct trial *trial = item->head ? item->head : item->base;
	enum outcome outcome = outcome_of(item);
	struct text class = TEXT_INIT, message = TEXT_INIT, counters = TEXT_INIT, lines = TEXT_INIT;

	text_addf(&class, "%s.%s", trial->kernel, trial->variant);
	describe_case(&message, item);
	regress_describe_counters(&counters, item);
	if (changes)
		regress_describe_lines(&lines, changes);
	text_add(out, "    <testcase");
	add_attribute(out, "classname", class.data);
	add_attribute(out, "name", trial->config);
	if (item->head && item->head->summary.median_ns > 0)
		text_addf(out, " time=\"%.9f\"", item->head->summary.median_ns / 1e9);
	text_add(out, ">\n");
	if (outcome != PASSED) {
		text_addf(out, "      <%s", elements[outcome]);
		add_attribute(out, "message", message.data);
		if (outcome != SKIPPED)
			add_attribute(out, "type",
				      item->by_lines ? "lines" : change_name(item->verdict));
		text_add(out, "/>\n");
	}
	text_add(out, "      <system-out>");
	escape_xml(out, message.data);
	if (counters.length) {
		text_add(out, "\ncounters: ");
		escape_xml(out, counters.data);
	}
	if (lines.length) {
		text_add(out, "\nlines: ");
		escape_xml(out, lines.data);
	}
	text_add(out, "</system-out>\n    </testcase>\n");
	text_release(&lines);
	text_release(&class);
	text_release(&message);
	text_release(&counters);
}

/* Appends the suite for the kernel of case `first`, with all cases of that kernel from there on. */
static void add_suite(struct text *out, const struct regress_report *report, size_t first)
{
	const struct regress *regress = report->regress;
	const char *kernel = kernel_of(&regress->cases[first]);
	size_t counts[4] = {0}, total = 0;

	for (size_t i = first; i < regress->count; i++) {
		if (strcmp(kernel_of(&regress->cases[i]), kernel) != 0)
			continue;
		counts[outcome_of(&regress->cases[i])]++;
		total++;
	}
	text_add(out, "  <testsuite");
	add_attribute(out, "name", kernel);
	text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", total,
		  counts[FAILURE], counts[ERROR], counts[SKIPPED]);
	for (size_t i = first; i < regress->count; i++)
		if (strcmp(kernel_of(&regress->cases[i]), kernel) == 0)
			add_test_case(out, &regress->cases[i], lines_of(report, i));
	text_add(out, "  </testsuite>\n");
}

static void regress_junit(FILE *out, const struct regress_report *report)
{
	const struct regress *regress = report->regress;
	struct string_list kernels = {0};
	struct text text = TEXT_INIT, name = TEXT_INIT;

	text_add(&name, "perflab regress: run ");
	regress_describe_run(&name, report->head);
	text_add(&name, " compared with run ");
	regress_describe_run(&name, report->base);
	text_add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	add_attribute(&text, "name", name.data);
	text_add(&text, ">\n");
	for (size_t i = 0; i < regress->count; i++) {
		const char *kernel = kernel_of(&regress->cases[i]);

		if (string_list_has(&kernels, kernel))
			continue;
		string_list_add(&kernels, kernel);
		add_suite(&text, report, i);
	}
	text_add(&text, "</testsuites>\n");
	fwrite(text.data, 1, text.length, out);
	string_list_release(&kernels);
	text_release(&text);
	text_release(&name);
}

/* ---- the format ---- */

int report_regress(FILE *out, const struct regress_report *report, enum report_format format,
		   const struct report_options *options, struct error *err)
{
	errno = 0;
	switch (format) {
	case REPORT_TEXT:
		regress_text(out, report, options);
		break;
	case REPORT_JSON:
		return regress_json(out, report, err);
	case REPORT_MARKDOWN:
		regress_markdown(out, report);
		break;
	case REPORT_JUNIT:
		regress_junit(out, report);
		break;
	default:
		return error_set(err, PL_EUSAGE, "a comparison cannot be written as %s",
				 report_format_name(format));
	}
	return stream_check(out, err);
}
