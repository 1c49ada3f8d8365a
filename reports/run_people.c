/*
 * A run for people: a heading and the tables, for the terminal and as
 * Markdown.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report_parts.h"

/* ---- heading ---- */

static void add_line(struct key_value_list *lines, const char *key, struct text *value)
{
	if (value->length)
		key_value_set(lines, key, value->data);
	text_release(value);
}

static void heading_device(struct key_value_list *lines, const struct device_info *device)
{
	struct text value = TEXT_INIT;
	const char *separator = " (";

	if (!device->name[0])
		return;
	text_add(&value, device->name);
	if (device->chip[0]) {
		text_addf(&value, "%s%s", separator, device->chip);
		separator = ", ";
	}
	if (device->cc_major > 0) {
		text_addf(&value, "%scompute capability %d.%d", separator, device->cc_major,
			  device->cc_minor);
		separator = ", ";
	}
	if (separator[0] == ',')
		text_add_char(&value, ')');
	if (device->driver[0])
		text_addf(&value, ", driver %s", device->driver);
	if (device->toolkit[0])
		text_addf(&value, ", CUDA toolkit %s", device->toolkit);
	add_line(lines, "device", &value);
}

static void heading_when(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;
	char when[21], took[32];

	format_utc(when, run->started_ns);
	text_add(&value, when);
	if (run->finished_ns > 0) {
		format_duration(took, (double)(run->finished_ns - run->started_ns));
		text_addf(&value, ", took %s", took);
	}
	if (run->state)
		text_addf(&value, ", %s", run->state);
	add_line(lines, "when", &value);
}

static void heading_emulated(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;

	text_addf(&value, "emulated PTX: no times; seed %llu", (unsigned long long)run->seed);
	add_line(lines, "method", &value);
}

/* What matters of the settings to a reader; settings of an unknown shape are passed over. */
static void heading_measured(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;
	json_t *settings = run->settings_json ? json_loads(run->settings_json, 0, NULL) : NULL;
	const char *cache = json_string_value(json_object_get(settings, "cache"));
	json_t *precision = json_object_get(settings, "precision");
	json_t *samples = json_object_get(settings, "min_samples");

	if (cache)
		text_addf(&value, "%s cache, ", cache);
	text_addf(&value, "%d %s", run->rounds, run->rounds == 1 ? "round" : "rounds");
	/* only a sweep has settings, and draws inputs */
	if (run->settings_json)
		text_addf(&value, ", seed %llu", (unsigned long long)run->seed);
	if (json_is_integer(samples))
		text_addf(&value, ", at least %lld samples", json_integer_value(samples));
	if (json_is_number(precision))
		text_addf(&value, ", until the median is known to ±%.3g %%",
			  100 * json_number_value(precision));
	json_decref(settings);
	add_line(lines, "method", &value);
}

static void heading_cases(struct key_value_list *lines, const struct run *run)
{
	struct text value = TEXT_INIT;
	struct run_counts counts;

	run_count(&counts, run);
	text_addf(&value, "%zu", run->trial_count);
	for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++) {
		/* the first that is listed is the one that is hoped for */
		size_t status = i == 0 ? TRIAL_OK : i == TRIAL_OK ? TRIAL_PENDING : i;

		if (counts.by_status[status])
			text_addf(&value, "%s%zu %s", strchr(value.data, '(') ? ", " : " (",
				  counts.by_status[status],
				  trial_status_name((enum trial_status)status));
	}
	if (run->trial_count)
		text_add_char(&value, ')');
	add_line(lines, "cases", &value);
}

void run_heading(struct key_value_list *lines, const struct run *run)
{
	static const struct {
		const char *key, *line;
	} shown_environment[] = {{"counters_off", "counters"}, {"profiler", "profiler"}};
	const char *build_type = key_value_get(&run->environment, "build_type");

	if (run->label)
		key_value_set(lines, "label", run->label);
	heading_device(lines, &run->device);
	key_value_set(lines, "backend", run->backend ? run->backend : "unknown");
	heading_when(lines, run);
	if (run->command)
		key_value_set(lines, "command", run->command);
	if (run->source_revision)
		key_value_set(lines, "revision", run->source_revision);
	if (run_is_emulated(run))
		heading_emulated(lines, run);
	else
		heading_measured(lines, run);
	heading_cases(lines, run);
	for (size_t i = 0; i < ARRAY_SIZE(shown_environment); i++) {
		const char *value = key_value_get(&run->environment, shown_environment[i].key);

		if (value && *value)
			key_value_set(lines, shown_environment[i].line, value);
	}
	if (build_type && strcmp(build_type, "Debug") == 0)
		key_value_set(lines, "warning", "perflab was a Debug build");
	if (run->note)
		key_value_set(lines, "note", run->note);
}

/* ---- sections ---- */

struct section {
	const char *title, *note; /* note may be NULL */
	struct table *table;      /* NULL: the section is left out */
};

#define SECTION_COUNT 6

#define MODEL_NOTE                                                                            \
	"The fastest verified configuration of each problem. \"model\" is effective, by the " \
	"work model, not measured: compulsory bytes, or operations, over the median time."
#define DRAM_NOTE                                                                                 \
	"\n\"DRAM\" is measured: the bytes that hardware counters saw cross to memory, over the " \
	"same time; what stays in the L2 cache is not in it."

#define ABOVE_NOTE                                                                              \
	"A finding: a roof is the most that the device showed, so the ceiling or a counter is " \
	"wrong."

#define EMULATED_NOTE                                                                            \
	"emulated PTX: no times; counts are of the PTX, not of the machine code that a GPU "     \
	"makes of it, and stand in no comparison with a GPU's counters. warp %: lanes that ran " \
	"and whose guard held, of 32; branch %: branches on which the warp stayed together; "    \
	"sec/req: sectors a global load or store; conflicts: of shared-memory banks; queue: "    \
	"lanes at one address in an atomic; flop/B: operations a compulsory byte; occ %: what "  \
	"the launch allows. --all-metrics shows every count, as csv and json do. \"sampled\": "  \
	"counted on some blocks only, and not verified."

/* Whether a column of measured bandwidth stands beside the modelled one. */
static bool has_dram_bandwidth(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct counter_value *value =
			counter_list_find(&run->trials[i].counters, "dram_bytes_per_s");

		if (value && isfinite(value->value))
			return true;
	}
	return false;
}

/* The tables of a run without a clock: none is best, and nothing of a device stands beside. */
static void emulated_sections(struct section sections[SECTION_COUNT], const struct run *run,
			      const struct report_options *options)
{
	struct section all[SECTION_COUNT] = {
		{"Emulated", EMULATED_NOTE,
		 run->trial_count ? run_table_sweep(run, options->all_metrics) : NULL},
		{"Notes", NULL, options->no_roofline ? NULL : run_table_notes(run)},
		{"Sampled", NULL, run_table_status(run, TRIAL_SAMPLED, "sampled")},
		{"Failures", NULL, run_table_failures(run)},
		{"Skipped", NULL, run_table_status(run, TRIAL_SKIPPED, "skipped")},
		{"Not counted", NULL, run_table_missing(run)},
	};

	memcpy(sections, all, sizeof(all));
}

static void measured_sections(struct section sections[SECTION_COUNT], const struct run *run,
			      const struct report_options *options)
{
	struct section all[SECTION_COUNT] = {
		{"Best per kernel", has_dram_bandwidth(run) ? MODEL_NOTE DRAM_NOTE : MODEL_NOTE,
		 run_table_best(run)},
		{"Above a measured roof", ABOVE_NOTE,
		 options->no_roofline || !options->ceilings
			 ? NULL
			 : run_table_above(run, options->ceilings)},
		{"Sweep", NULL,
		 run->trial_count ? run_table_sweep(run, options->all_metrics) : NULL},
		{"Failures", NULL, run_table_failures(run)},
		{"Skipped", NULL, run_table_status(run, TRIAL_SKIPPED, "skipped")},
		{"Not measured", NULL, run_table_missing(run)},
	};

	memcpy(sections, all, sizeof(all));
}

static void sections_init(struct section sections[SECTION_COUNT], const struct run *run,
			  const struct report_options *options)
{
	if (run_is_emulated(run))
		emulated_sections(sections, run, options);
	else
		measured_sections(sections, run, options);
}

/* Below the first section, the best of each kernel. */
static bool shows_roofline(const struct run *run, const struct report_options *options)
{
	return !options->no_roofline && !run_is_emulated(run);
}

static void write_text(FILE *out, const struct run *run, const struct report_options *options)
{
	struct key_value_list lines = {0};
	struct section sections[SECTION_COUNT];
	const char *bold = options->colour ? "\033[1m" : "";
	const char *plain = options->colour ? "\033[0m" : "";
	struct text shown = TEXT_INIT;

	run_heading(&lines, run);
	fprintf(out, "%sRun %lld%s  %.12s\n", bold, (long long)run->id, plain, run->uid);
	for (size_t i = 0; i < lines.count; i++) {
		escape_show(&shown, lines.items[i].value);
		fprintf(out, "  %-9s %s\n", lines.items[i].key, shown.data);
		text_clear(&shown);
	}
	text_release(&shown);
	key_value_list_release(&lines);
	sections_init(sections, run, options);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!sections[i].table)
			continue;
		fprintf(out, "\n%s%s%s\n", bold, sections[i].title, plain);
		table_write_text(out, sections[i].table, options);
		if (sections[i].note)
			fprintf(out, "%s\n", sections[i].note);
		table_free(sections[i].table);
		if (i == 0 && shows_roofline(run, options))
			roofline_text(out, run, options);
	}
}

/* A terminal without UTF-8 may take its bytes for commands. What is as wide stays in its column. */
static void write_ascii(FILE *out, const char *text)
{
	for (const char *c = text; *c; c += utf8_prefix(c, 1)) {
		if ((unsigned char)*c < 0x80)
			fputc(*c, out);
		else
			fputc(strncmp(c, "±", strlen("±")) && strncmp(c, "…", strlen("…")) ? '?'
											   : '~',
			      out);
	}
}

void report_text(FILE *out, const struct run *run, const struct report_options *options)
{
	char *text = NULL;
	size_t length;
	FILE *stream = options->ascii ? open_memstream(&text, &length) : NULL;

	if (stream) {
		write_text(stream, run, options);
		if (fclose(stream) == 0)
			write_ascii(out, text);
		free(text);
	} else {
		write_text(out, run, options);
	}
}

void report_markdown(FILE *out, const struct run *run, const struct report_options *options)
{
	struct key_value_list lines = {0};
	struct section sections[SECTION_COUNT];
	struct text shown = TEXT_INIT;

	run_heading(&lines, run);
	fprintf(out, "### perflab run %lld\n\n", (long long)run->id);
	for (size_t i = 0; i < lines.count; i++) {
		escape_markdown(&shown, lines.items[i].value);
		fprintf(out, "- %s: %s\n", lines.items[i].key, shown.data);
		text_clear(&shown);
	}
	text_release(&shown);
	key_value_list_release(&lines);
	sections_init(sections, run, options);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!sections[i].table)
			continue;
		fprintf(out, "\n#### %s\n\n", sections[i].title);
		table_write_markdown(out, sections[i].table);
		if (sections[i].note)
			fprintf(out, "\n%s\n", sections[i].note);
		table_free(sections[i].table);
		if (i == 0 && shows_roofline(run, options))
			roofline_markdown(out, run, options);
	}
}
