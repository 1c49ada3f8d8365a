/*
 * What the report writers share, and nobody outside this room sees: text made
 * safe for each format, the table behind every list, and the tables of a run.
 */
#ifndef REPORTS_REPORT_PARTS_H
#define REPORTS_REPORT_PARTS_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "reports/reports.h"

/* ---- text of strangers, made safe ---- */

/* Control bytes and bytes that are no UTF-8 become \n, \t or \xNN; the rest is kept. */
void escape_show(struct text *out, const char *text);
/* One CSV field (RFC 4180): as escape_utf8(), quoted where needed. NULL is an empty field. */
void escape_csv(struct text *out, const char *text);
/* One cell of a Markdown table: as escape_show(), and no byte keeps a meaning of its own. */
void escape_markdown(struct text *out, const char *text);
/* Valid UTF-8 for JSON and CSV: other bytes become U+FFFD. */
void escape_utf8(struct text *out, const char *text);
/* Text of an element or a quoted attribute of XML: as escape_show(), which leaves no byte that XML
 * 1.0 has no place for. */
void escape_xml(struct text *out, const char *text);
/* A string for gnuplot, in single quotes, in which nothing has a meaning: as escape_show(). */
void escape_gnuplot(struct text *out, const char *text);
/* Characters (code points) of valid UTF-8. */
size_t utf8_length(const char *text);
/* Bytes of the first `characters` characters. */
size_t utf8_prefix(const char *text, size_t characters);

/* ---- tables ---- */

enum row_style { ROW_PLAIN, ROW_BEST, ROW_BAD, ROW_DIM };

struct table_row {
	char **cells; /* one a column; NULL: not known */
	enum row_style style;
};

struct table {
	struct table_column *columns;
	const char *const **parts; /* of a column: table_parts(); else NULL */
	size_t column_count;
	struct table_row *rows;
	size_t row_count, row_capacity;
};
/* As table_row(), with a look for terminals that have colour. */
void table_row_styled(struct table *table, const char *const *cells, enum row_style style);
void table_write_text(FILE *out, const struct table *table, const struct report_options *options);
void table_write_markdown(FILE *out, const struct table *table);
/* 0, or PL_EIO when a write to the stream failed; flushes it. */
int stream_check(FILE *out, struct error *err);

/* ---- a run as tables, for people ---- */

struct run_counts {
	size_t by_status[TRIAL_STATUS_COUNT];
	size_t failures;
};
void run_count(struct run_counts *counts, const struct run *run);
/* The backend ptx has no clock and counts PTX: none of its numbers stands beside a device's. */
bool run_is_emulated(const struct run *run);
/* Whether a value of this metric may stand in reports of the run: of an emulated run the
 * emulator's alone, of any other none of these, whatever a database holds. */
bool run_may_show(const struct run *run, const char *metric);

/* Of each trial, whether it is the fastest verified configuration of its problem; malloc'd. */
bool *run_best(const struct run *run);

/* Heading: what was run, where, when, how. Values are not escaped. */
void run_heading(struct key_value_list *lines, const struct run *run);
/* NULL where they would have no row, but for the sweep's. */
struct table *run_table_best(const struct run *run);
struct table *run_table_sweep(const struct run *run, bool all_metrics);
struct table *run_table_failures(const struct run *run);
/* Cases of a status by their reasons, below `head`. */
struct table *run_table_status(const struct run *run, enum trial_status status, const char *head);
struct table *run_table_missing(const struct run *run);
/* Of an emulated run: what stands out of its counts (docs/verdicts.md), by variant. */
struct table *run_table_notes(const struct run *run);
/* Of a measured one: the cases above a roof by more than both intervals. NULL: none. */
struct table *run_table_above(const struct run *run, const struct ceiling_list *ceilings);

/* ---- source text beside line counts ---- */

/* The lines of one source file at a time. */
struct source_text {
	const char *folder; /* where to look, beside the working directory; NULL: nowhere else */
	char *file;         /* the one that was asked for last; NULL: none yet */
	char *bytes;        /* NULL: not found */
	int64_t written_ns; /* when the file found was last written, wall clock */
	size_t *starts;     /* of each line in bytes, which are ended by NUL */
	size_t count;
};
/*
 * Line `line` (from 1) of a file as the compiler named it, blanks at its end
 * removed and tabs as blanks; NULL when there is none to be had. Only files in
 * or below the working directory and `folder` are read, whatever the name says:
 * it may be a stranger's.
 */
const char *source_text_line(struct source_text *source, const char *file, int64_t line);
void source_text_release(struct source_text *source);

/* ---- numbers ---- */

/* Compulsory bytes, and operations, by the work model over the median time, in units of 1e9 a
 * second; NAN where there is no model, no such work or no time. */
double trial_model_gb_per_s(const struct trial *trial);
double trial_model_gflop_per_s(const struct trial *trial);
/* Half the interval over the median, in percent; NAN: none. */
double trial_half_interval_pct(const struct trial *trial);
/* The beginning of a revision, with what its end says of changes: "c51c0df1a2b3-dirty"; malloc'd.
 */
char *report_revision(const char *revision);
/* Of the launch, or as it was stored with the counters; NAN: not known. */
#define THEORETICAL_OCCUPANCY "theoretical_occupancy_pct"
double trial_theoretical_occupancy_pct(const struct trial *trial);
/* A number whose unit stands elsewhere: rates in 1e9 a second, percent with one decimal. */
void format_number(struct text *out, double value, const char *unit);
/* The same with its unit; bytes in binary units, times in the unit that suits. */
void format_value(struct text *out, double value, const char *unit);

/* Names of every axis (block and n first) and every counter of the run, in order of appearance, but
 * for theoretical occupancy. */
void run_axis_names(struct string_list *names, const struct run *run);
void run_counter_names(struct string_list *names, const struct run *run);
/* NULL: the trial has no such axis. */
const struct named_value *trial_axis(const struct trial *trial, const char *name);

/* ---- rooflines ---- */

/* Of a level as an emulator counts it: "ptx_compulsory", NULL where it does not. */
const char *emulated_level_name(enum memory_level level);

/* Where a trial stands, and what binds it. */
struct trial_roofline {
	struct roofline_point point;
	struct verdict verdict;
};
/* Only what was verified, or sampled by an emulator, stands somewhere. */
bool trial_roofline_is_known(const struct trial *trial);
/* Counters of the other kind than the run's are passed over: an emulated run has no device's. */
void trial_roofline_init(struct trial_roofline *out, const struct run *run,
			 const struct trial *trial, const struct ceiling_list *ceilings);
void trial_roofline_release(struct trial_roofline *roofline);

/* Plot, verdicts and what is missing, for the best of each kernel; nothing where there is none. */
void roofline_text(FILE *out, const struct run *run, const struct report_options *options);
void roofline_markdown(FILE *out, const struct run *run, const struct report_options *options);

/* The script by which gnuplot draws it. PL_ENOENT: there is nothing to draw. */
int roofline_gnuplot(FILE *out, const struct run *run, enum report_format format,
		     const struct report_options *options, struct error *err);

/* ---- one run held against another ---- */

/* "12 (nightly, 2026-11-21T02:50:45Z, revision 24b7b65a4f5c)": unescaped. */
void regress_describe_run(struct text *out, const struct run *run);
/* "1 regressed, 3 unchanged"; nothing of what there is none of. */
void regress_summarise(struct text *out, const struct regress *regress);
/* The counters that differ, those that decide first: "ptx_branches 8 to 9 (worse)". */
void regress_describe_counters(struct text *out, const struct regress_case *item);
/* "+2.03 %"; nothing where it is not known. */
void regress_describe_change(struct text *out, double change);
int regress_json(FILE *out, const struct regress_report *report, struct error *err);
void regress_junit(FILE *out, const struct regress_report *report);

/* ---- one writer a format ---- */

void report_text(FILE *out, const struct run *run, const struct report_options *options);
void report_markdown(FILE *out, const struct run *run, const struct report_options *options);
void report_csv(FILE *out, const struct run *run, const struct report_options *options);
int report_json(FILE *out, const struct run *run, const struct report_options *options,
		struct error *err);
int report_html(FILE *out, const struct run *run, const struct report_options *options,
		struct error *err);

#endif
