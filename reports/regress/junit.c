/*
 * One run compared with another as JUnit XML for CI systems: one suite per kernel, one test case
 * per case. A case that fails the gate is a failure, or an error if it failed in the head. A case
 * that could not be compared is skipped, so that no green mark claims more than is known.
 */
#include <string.h>

#include "reports/regress/regress.h"
#include "reports/table/escape.h"

enum outcome { PASSED, FAILURE, ERROR, SKIPPED };

static enum outcome outcome_of(const struct regress_case *item)
{
	if (item->ignored)
		return SKIPPED;
	switch (item->verdict) {
	case CHANGE_REGRESSED:
		return FAILURE;
	case CHANGE_FAILED:
		return item->gates ? ERROR : SKIPPED;
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
	text_add(out, item->ignored ? "ignored by a threshold" : change_name(item->verdict));
	if (item->timed) {
		text_add(out, ": time ");
		regress_describe_change(out, item->effect.change);
		text_addf(out, " (%+.2f to %+.2f, adjusted p %.2g)", 100 * item->effect.low,
			  100 * item->effect.high, item->adjusted_p);
	}
	if (item->why)
		text_addf(out, "; %s", item->why);
}

static void add_test_case(struct text *out, const struct regress_case *item)
{
	static const char *const elements[] = {
		[FAILURE] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};
	const struct trial *trial = item->head ? item->head : item->base;
	enum outcome outcome = outcome_of(item);
	struct text class = TEXT_INIT, message = TEXT_INIT, counters = TEXT_INIT;

	text_addf(&class, "%s.%s", trial->kernel, trial->variant);
	describe_case(&message, item);
	regress_describe_counters(&counters, item);
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
			add_attribute(out, "type", change_name(item->verdict));
		text_add(out, "/>\n");
	}
	text_add(out, "      <system-out>");
	escape_xml(out, message.data);
	if (counters.length) {
		text_add(out, "\ncounters: ");
		escape_xml(out, counters.data);
	}
	text_add(out, "</system-out>\n    </testcase>\n");
	text_release(&class);
	text_release(&message);
	text_release(&counters);
}

/* Appends the suite for the kernel of case `first`, with all cases of that kernel from there on. */
static void add_suite(struct text *out, const struct regress *regress, size_t first)
{
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
			add_test_case(out, &regress->cases[i]);
	text_add(out, "  </testsuite>\n");
}

void regress_junit(FILE *out, const struct regress_report *report)
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
		add_suite(&text, regress, i);
	}
	text_add(&text, "</testsuites>\n");
	fwrite(text.data, 1, text.length, out);
	string_list_release(&kernels);
	text_release(&text);
	text_release(&name);
}
