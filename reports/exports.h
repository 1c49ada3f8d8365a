/*
 * exports: writes the times and counters of a run in the formats of other programs.
 *
 * Only cases with the status TRIAL_OK are exported: verified and measured, or taken from a file of
 * another program, which perflab cannot verify. Every other case is left out and counted with its
 * reason, because the other programs cannot show a reason: there, a number is a result.
 * No function reads a database; the caller passes a callback for samples.
 */
#ifndef REPORTS_EXPORTS_H
#define REPORTS_EXPORTS_H

#include <stdio.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

/* Which counters a format takes beside the time, if the user names them. */
enum export_metrics {
	NO_METRICS,
	ALL_METRICS,       /* it always has all of them */
	NAMED_METRICS,     /* any */
	SMALLER_IS_BETTER, /* those of which more is worse */
};

/*
 * One row per format: symbol, name for --format, its writer (export_write_WRITER()), the bytes that
 * the other program allows in the name of a case and in that of a metric (0: any number), its
 * metrics, meaning.
 *
 * A new format is a row here and a file with its writer in reports/export/. The option, help,
 * completion and checks of the command line all read this table.
 */
#define EXPORT_FORMAT_LIST(X)                                                        \
	X(EXPORT_BMF, "bmf", bmf, 1024, 64, NAMED_METRICS,                           \
	  "Bencher Metric Format, for bencher.dev")                                  \
	X(EXPORT_GITHUB, "github-action-benchmark", github, 0, 0, SMALLER_IS_BETTER, \
	  "JSON of its tool customSmallerIsBetter")                                  \
	X(EXPORT_LNT, "lnt", lnt, 256, 0, NO_METRICS,                                \
	  "a report for LLVM's LNT server, test suite nts")                          \
	X(EXPORT_T4, "t4", t4, 0, 0, ALL_METRICS,                                    \
	  "results of Kernel Tuner and other autotuners, with samples and counters") \
	X(EXPORT_OPENMETRICS, "openmetrics", openmetrics, 0, 0, NAMED_METRICS,       \
	  "OpenMetrics text, which the textfile collector of node exporter also reads")

enum export_format {
#define X(symbol, name, writer, name_limit, metric_limit, metrics, meaning) symbol,
	EXPORT_FORMAT_LIST(X)
#undef X
		EXPORT_FORMAT_COUNT
};
const char *export_format_meaning(enum export_format format);
/* The names for --format, ended by "", which means that none is given, and NULL. */
extern const char *const export_format_words[];

/* What to export. Everything is borrowed. */
struct export_request {
	const struct run *run; /* with its trials and their rounds */
	enum export_format format;
	const struct string_list *metrics;   /* counters to write beside the time */
	const struct ceiling_list *ceilings; /* NULL: no roof is known */
};
/* PL_EUSAGE: the format does not take one of the metrics or its name, no case of the run has it, or
 * it is named twice. */
int export_metrics_check(const struct export_request *request, struct error *err);

/* The cases of a run that a format takes. */
struct export_choice {
	const struct trial **trials; /* owned array of borrowed trials */
	/* The name of each: "reduce/shuffle/block=256", printable UTF-8, and no two are equal.
	 * Owned. */
	char **names;
	size_t count;
	size_t left_out; /* the number of the other cases */
	struct text why; /* "2 unverified, 1 skipped": the reasons for those, the most frequent
			  * first */
	/* "dram_bytes in 2 of 7 cases (REASON of the first)": the metrics of the request that
	 * chosen cases lack. Empty: they lack none. */
	struct text missing;
};
/*
 * Chooses from `count` trials of the run, and keeps their order. A case is left out if it is not
 * verified (TRIAL_OK), has neither a time nor a value of the metrics, is above a measured roof, or
 * has a name that the format does not allow or that another case has.
 */
void export_choose(struct export_choice *out, const struct export_request *request,
		   const struct trial *const *trials, size_t count);
void export_choice_release(struct export_choice *choice);

/* Reads the samples of a trial in order; *out is malloc'd. */
typedef int export_samples(void *context, int64_t trial_id, struct sample **out, size_t *count,
			   struct error *err);

/*
 * Writes the chosen cases. PL_ENOENT, with the reason: no case was chosen. PL_EIO: the stream
 * fails. Also the errors of `samples`, which only some formats call.
 */
int export_run(FILE *out, const struct export_request *request, const struct export_choice *choice,
	       export_samples *samples, void *samples_context, struct error *err);

#endif
