/*
 * OpenMetrics 1.0 text (prometheus.io/docs/specs/om/open_metrics_spec). The textfile collector of
 * node exporter reads only the older Prometheus format, so this is the part that both have: gauges
 * only, no time stamps, no type that the older format lacks. Units are base units: seconds.
 */
#include <math.h>

#include "reports/derived/derived.h"
#include "reports/export/writers.h"
#include "reports/table/escape.h"

#define NS_PER_S 1e9

static double median_s(const struct trial *trial)
{
	return trial->summary.median_ns / NS_PER_S;
}

static double low_s(const struct trial *trial)
{
	return trial->summary.session_low_ns / NS_PER_S;
}

static double high_s(const struct trial *trial)
{
	return trial->summary.session_high_ns / NS_PER_S;
}

static double sample_count(const struct trial *trial)
{
	return (double)trial->summary.count;
}

/* The families with a value per case. */
static const struct {
	const char *name;
	const char *unit; /* which ends the name; NULL: none */
	const char *help;
	double (*value)(const struct trial *trial); /* in base units; NAN: not measured */
} case_families[] = {
	{"perflab_case_median_seconds", "seconds", "Median time of the samples of a case.",
	 median_s},
	{"perflab_case_median_low_seconds", "seconds",
	 "Lower end of the 95 % interval of the median over rounds and known sessions.", low_s},
	{"perflab_case_median_high_seconds", "seconds",
	 "Upper end of the 95 % interval of the median over rounds and known sessions.", high_s},
	{"perflab_case_samples", NULL, "Samples of a case in all rounds.", sample_count},
};

/* Adds NAME="VALUE" to a set of labels that begins with "{"; "" for an unknown value, which means
 * the same as no label. */
static void add_label(struct text *labels, const char *name, const char *value)
{
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, value ? value : "");
	text_addf(labels, "%s%s=\"", labels->length ? "," : "{", name);
	for (const char *c = shown.data; c && *c; c++) {
		if (*c == '\\' || *c == '"')
			text_add_char(labels, '\\');
		text_add_char(labels, *c);
	}
	text_add_char(labels, '"');
	text_release(&shown);
}

static void add_device_labels(struct text *labels, const struct run *run)
{
	add_label(labels, "backend", run->backend);
	add_label(labels, "device", run->device.name);
	add_label(labels, "uuid", run->device.uuid);
}

static void family_head(FILE *out, const char *name, const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s gauge\n", name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

static void write_sample(FILE *out, const char *name, const struct text *labels, double value)
{
	fprintf(out, "%s%s} %.15g\n", name, labels->data, value);
}

static void case_labels(struct text *labels, const struct run *run, const struct trial *trial)
{
	text_clear(labels);
	add_label(labels, "kernel", trial->kernel);
	add_label(labels, "variant", trial->variant);
	add_label(labels, "config", trial->config);
	add_label(labels, "origin", run->origin);
	add_device_labels(labels, run);
}

static bool any_case_has_time(const struct export_source *source)
{
	for (size_t i = 0; i < source->choice->count; i++) {
		if (export_has_time(source->run, source->choice->trials[i]))
			return true;
	}
	return false;
}

static void write_times(FILE *out, const struct export_source *source)
{
	const struct export_choice *choice = source->choice;
	struct text labels = TEXT_INIT;

	if (!any_case_has_time(source))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(case_families); i++) {
		const char *name = case_families[i].name;

		family_head(out, name, case_families[i].unit, case_families[i].help);
		for (size_t j = 0; j < choice->count; j++) {
			const double value = case_families[i].value(choice->trials[j]);

			if (!isfinite(value) || !export_has_time(source->run, choice->trials[j]))
				continue;
			case_labels(&labels, source->run, choice->trials[j]);
			write_sample(out, name, &labels, value);
		}
	}
	text_release(&labels);
}

/* Counts of the emulator and numbers of the work model have families of their own, because they are
 * no measurements. */
enum metric_kind { OF_DEVICE, OF_EMULATOR, OF_WORK_MODEL, METRIC_KIND_COUNT };

static enum metric_kind kind_of(const struct run *run, const char *metric)
{
	if (run->traits.emulated)
		return OF_EMULATOR;
	return export_is_modelled(metric) ? OF_WORK_MODEL : OF_DEVICE;
}

static void write_metric(FILE *out, const struct export_source *source, const char *family,
			 const char *metric)
{
	struct text labels = TEXT_INIT;

	for (size_t i = 0; i < source->choice->count; i++) {
		const struct trial *trial = source->choice->trials[i];
		const struct counter_value *counter = export_counter(source->run, trial, metric);

		if (!counter)
			continue;
		case_labels(&labels, source->run, trial);
		add_label(&labels, "metric", counter->metric);
		add_label(&labels, "unit", counter->unit);
		write_sample(out, family, &labels, counter->value);
	}
	text_release(&labels);
}

static void write_metrics(FILE *out, const struct export_source *source, enum metric_kind kind)
{
	static const struct {
		const char *name, *help;
	} families[METRIC_KIND_COUNT] = {
		[OF_DEVICE] = {"perflab_case_metric",
			       "A counter of the device, in the unit of its label."},
		[OF_EMULATOR] = {"perflab_case_emulated_metric",
				 "What the emulator counted, in the unit of its label."},
		[OF_WORK_MODEL] = {"perflab_case_modelled_metric",
				   "What the work model says, in the unit of its label."},
	};
	bool begun = false;

	for (size_t i = 0; i < source->metrics->count; i++) {
		const char *metric = source->metrics->items[i];

		if (kind_of(source->run, metric) != kind)
			continue;
		if (!begun)
			family_head(out, families[kind].name, NULL, families[kind].help);
		begun = true;
		write_metric(out, source, families[kind].name, metric);
	}
}

/* How the cases of the whole run ended, so that a dashboard shows what is missing. */
static void write_statuses(FILE *out, const struct run *run)
{
	struct text labels = TEXT_INIT;
	struct run_counts counts;

	run_count(&counts, run);
	family_head(out, "perflab_run_cases", NULL, "Cases of the exported run, by status.");
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
		text_clear(&labels);
		add_label(&labels, "status", trial_status_name((enum trial_status)i));
		add_device_labels(&labels, run);
		write_sample(out, "perflab_run_cases", &labels, (double)counts.by_status[i]);
	}
	text_release(&labels);
}

static void write_start(FILE *out, const struct run *run)
{
	struct text labels = TEXT_INIT;

	family_head(out, "perflab_run_start_time_seconds", "seconds",
		    "Start of the exported run, in seconds since 1970.");
	add_label(&labels, "run", run->uid);
	add_label(&labels, "label", run->label);
	add_label(&labels, "revision", run->source_revision);
	add_label(&labels, "driver", run->device.driver);
	add_device_labels(&labels, run);
	write_sample(out, "perflab_run_start_time_seconds", &labels,
		     (double)run->started_ns / NS_PER_S);
	text_release(&labels);
}

int export_write_openmetrics(FILE *out, const struct export_source *source, struct error *err)
{
	(void)err;
	write_times(out, source);
	for (int kind = 0; kind < METRIC_KIND_COUNT; kind++)
		write_metrics(out, source, (enum metric_kind)kind);
	write_statuses(out, source->run);
	write_start(out, source->run);
	fputs("# EOF\n", out);
	return 0;
}
