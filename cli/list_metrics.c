/*
 * perflab list metrics and sets. The catalogue is part of perflab. The worker
 * lists the other metrics of CUPTI and the passes that a set needs; it can do
 * so without a GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "harness/client/client.h"
#include "harness/protocol/messages.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

#define CHIP_ANYWHERE "GH100" /* without a GPU */

static void take_chip(void *context, int ordinal, const struct device_info *device)
{
	char *chip = context;

	if (ordinal == 0)
		memcpy(chip, device->chip, sizeof(device->chip));
}

/* The chip that the user names, else the chip of this machine, else GH100. */
static int choose_chip(char chip[16], const struct list_options *options, struct error *err)
{
	size_t length = options->chip ? strlen(options->chip) : 0;

	if (options->chip && (length < 1 || length > 15))
		return error_set(err, PL_EUSAGE,
				 "unknown chip '%.40s'; give a name such as " CHIP_ANYWHERE,
				 options->chip);
	chip[0] = '\0';
	if (options->chip)
		memcpy(chip, options->chip, length + 1);
	else
		worker_devices(options->backend, take_chip, chip, NULL);
	if (!chip[0])
		snprintf(chip, 16, "%s", CHIP_ANYWHERE);
	return 0;
}

static void set_names(struct text *out, unsigned sets)
{
	for (int set = 0; set < METRIC_SET_COUNT; set++) {
		if (sets & 1u << set)
			text_addf(out, "%s%s", out->length ? "," : "",
				  metric_set_name((enum metric_set)set));
	}
}

/* ---- sets ---- */

/*
 * Adds the number of passes that CUPTI plans; if no worker can be asked, the
 * recorded upper bound; if there is none, nothing. Returns PL_E* when the
 * worker refuses the chip.
 */
static int set_passes(struct text *out, enum metric_set set, const char *chip,
		      const struct list_options *options, bool *asked, struct error *err)
{
	struct string_list names = {0}, wanted = {0}, missing = {0};
	struct error absent = {0};
	unsigned recorded = metric_set_recorded_passes(set, chip);
	int64_t passes = 0;
	int rc;

	if (set == METRIC_SET_PTX)
		return 0; /* the emulator counts all metrics in one execution */
	string_list_add(&names, metric_set_name(set));
	rc = metric_request(&wanted, &names, err);
	if (!rc) {
		rc = worker_pass_count(options->backend, chip, &wanted, &passes, &missing, &absent);
		*asked = rc == 0;
		if (rc == PL_EUNSUPPORTED)
			rc = 0;
		else if (rc)
			error_set(err, rc, "%s", absent.text);
	}
	if (!rc && *asked)
		text_addf(out, "%lld", (long long)passes);
	else if (!rc && recorded)
		text_addf(out, "%u", recorded);
	string_list_release(&names);
	string_list_release(&wanted);
	string_list_release(&missing);
	return rc;
}

static size_t set_size(enum metric_set set)
{
	size_t count, size = 0;
	const struct metric *metrics =
		set == METRIC_SET_PTX ? metric_all_emulated(&count) : metric_all(&count);

	for (size_t i = 0; i < count; i++)
		size += (metrics[i].sets & 1u << set) != 0;
	return size;
}

/* *asked: CUPTI planned the passes; they are not the recorded ones. */
static int add_sets(struct table *table, const struct list_options *options, const char *pattern,
		    const char *chip, bool *asked, struct error *err)
{
	int rc = 0;

	for (int i = 0; i < METRIC_SET_COUNT && !rc; i++) {
		enum metric_set set = (enum metric_set)i;
		struct text passes = TEXT_INIT;
		struct cells cells = {0};

		if (pattern && !pattern_matches(pattern, metric_set_name(set)))
			continue;
		rc = set_passes(&passes, set, chip, options, asked, err);
		cell_text(&cells, metric_set_name(set));
		cell_text(&cells, passes.length ? passes.data : NULL);
		cell_number(&cells, (int64_t)set_size(set));
		cell_text(&cells, metric_set_meaning(set));
		cells_end(&cells, table);
		text_release(&passes);
	}
	return rc;
}

static void say_passes(const char *chip, bool asked)
{
	say("passes on %s, %s", chip,
	    asked ? "as CUPTI plans them on this machine"
		  : "as recorded (CUPTI is not available here; perflab doctor gives the reason)");
}

static const struct table_column set_columns[] = {{.name = "set"},
						  {.name = "passes", .numeric = true},
						  {.name = "metrics", .numeric = true},
						  {.name = "meaning"}};

int list_sets(const struct invocation *call, const char *pattern, struct error *err)
{
	struct table *table = table_new(set_columns, ARRAY_SIZE(set_columns));
	bool asked = false;
	char chip[16];
	int rc = choose_chip(chip, call->options, err);

	if (!rc)
		rc = add_sets(table, call->options, pattern, chip, &asked, err);
	if (!rc)
		rc = list_to_stdout(call, table, pattern, err);
	if (!rc && table_row_count(table))
		say_passes(chip, asked);
	table_free(table);
	return rc;
}

/* ---- metrics ---- */

static void add_catalogue(struct table *table, const struct list_options *options,
			  const char *pattern, const char *chip, unsigned set_bit, bool emulated)
{
	size_t count;
	const struct metric *metrics = emulated ? metric_all_emulated(&count) : metric_all(&count);

	for (size_t i = 0; i < count; i++) {
		const struct metric *metric = &metrics[i];
		const char *counter = emulated ? "emulated PTX" : metric_counter_on(metric, chip);
		/* the direction that perflab regress reports as worse */
		const char *worse = metric->worse == WORSE_MORE   ? "more"
				    : metric->worse == WORSE_LESS ? "less"
								  : NULL;
		struct text sets = TEXT_INIT;

		if (options->set && !(metric->sets & set_bit))
			continue;
		if (pattern && !pattern_matches(pattern, metric->name) &&
		    !(counter && pattern_matches(pattern, counter)))
			continue;
		set_names(&sets, metric->sets);
		table_row(table, (const char *const[]){metric->name, metric->unit, sets.data,
						       metric->formula ? metric->formula : counter,
						       metric_is_exact(metric) ? "yes" : "no",
						       worse, metric->meaning});
		text_release(&sets);
	}
}

static void add_cupti_metric(void *context, const struct worker_metric *metric)
{
	table_row(context, (const char *const[]){metric->name, metric->unit, "", metric->kind, NULL,
						 NULL, metric->description});
}

static int unknown_set(const char *name, struct error *err)
{
	struct text all = TEXT_INIT;
	int rc;

	set_names(&all, ~0u);
	rc = error_set(err, PL_EUSAGE, "unknown metric set \"%s\"; give one of: %s", name,
		       all.data);
	text_release(&all);
	return rc;
}

/* Adds the metrics of CUPTI if it is available. */
static int add_cupti(struct table *table, const struct list_options *options, const char *pattern,
		     const char *chip, struct error *err)
{
	struct error absent = {0};
	int rc = worker_metrics(options->backend, chip, pattern, add_cupti_metric, table, &absent);

	if (rc == PL_EUNSUPPORTED) {
		say("only the metrics of the catalogue are listed: %s", absent.text);
		return 0;
	}
	return rc ? error_set(err, rc, "%s", absent.text) : 0;
}

int list_metrics(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {{.name = "name"},
						      {.name = "unit"},
						      {.name = "sets", .drop = 1},
						      {.name = "source", .drop = 2},
						      {.name = "exact", .drop = 3},
						      {.name = "worse", .drop = 4},
						      {.name = "meaning"}};
	const struct list_options *options = call->options;
	/* text also shows what the sets cost; other formats have one table */
	bool with_sets = !pattern && !options->set && options->format == REPORT_TEXT;
	enum metric_set set = METRIC_SET_CORE;
	/* text shows device and emulated metrics in two tables */
	bool apart = options->format == REPORT_TEXT;
	struct table *metrics, *emulated, *sets;
	bool asked = false;
	char chip[16];
	int rc;

	if (options->set && !metric_set_parse(&set, options->set))
		return unknown_set(options->set, err);
	rc = choose_chip(chip, options, err);
	if (rc)
		return rc;
	metrics = table_new(columns, ARRAY_SIZE(columns));
	emulated = table_new(columns, ARRAY_SIZE(columns));
	sets = table_new(set_columns, ARRAY_SIZE(set_columns));
	add_catalogue(metrics, options, pattern, chip, 1u << set, false);
	/* the catalogue has every metric of the emulator */
	if ((options->all || (pattern && !options->set)) &&
	    !backend_traits_of(options->backend).emulated)
		rc = add_cupti(metrics, options, pattern, chip, err);
	add_catalogue(apart ? emulated : metrics, options, pattern, chip, 1u << set, true);
	/* complete all tables before printing one, because the worker may refuse the chip */
	if (!rc && with_sets)
		rc = add_sets(sets, options, NULL, chip, &asked, err);
	if (!rc && (table_row_count(metrics) || !table_row_count(emulated)))
		rc = list_to_stdout(call, metrics, pattern, err);
	if (!rc && table_row_count(emulated)) {
		printf("%semulated by backend ptx; no GPU counts these\n",
		       table_row_count(metrics) ? "\n" : "");
		rc = list_to_stdout(call, emulated, pattern, err);
	}
	if (!rc && with_sets) {
		putchar('\n');
		rc = list_to_stdout(call, sets, NULL, err);
	}
	if (!rc && with_sets)
		say_passes(chip, asked);
	table_free(metrics);
	table_free(emulated);
	table_free(sets);
	return rc;
}
