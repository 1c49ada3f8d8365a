/*
 * reports: stored runs as people and programs read them. Each writes to a
 * stream and returns 0 or PL_EIO. Numbers that were not measured are said to
 * be so: "-" with a note in text and Markdown, empty in CSV, null in JSON.
 * Formats are versioned ("format": 1) and held by golden files.
 */
#ifndef REPORTS_REPORTS_H
#define REPORTS_REPORTS_H

#include <stdio.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/history.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

/* Symbol, name as --format takes it, meaning. Every list and table comes in these; */
#define TABLE_FORMAT_LIST(X)                                                           \
	X(REPORT_TEXT, "text", "a table for the terminal")                             \
	X(REPORT_CSV, "csv", "one row a case, for spreadsheets and scripts")           \
	X(REPORT_JSON, "json", "everything that is stored of the run but its samples") \
	X(REPORT_MARKDOWN, "md", "a table that pastes into a pull request")
/* a run also as a page, and its roofline as a picture. */
#define REPORT_FORMAT_LIST(X)                                                       \
	TABLE_FORMAT_LIST(X)                                                        \
	X(REPORT_HTML, "html", "one self-contained page that opens in any browser") \
	X(REPORT_SVG, "svg", "the roofline as a drawing, by gnuplot")               \
	X(REPORT_PNG, "png", "the roofline as an image, by gnuplot")                \
	X(REPORT_PDF, "pdf", "the roofline for print, by gnuplot")

enum report_format {
#define X(symbol, name, meaning) symbol,
	REPORT_FORMAT_LIST(X)
#undef X
};
bool report_format_parse(enum report_format *out, const char *name);
const char *report_format_name(enum report_format format);
bool report_format_is_table(enum report_format format);
bool report_format_is_picture(enum report_format format);

struct report_options {
	bool colour;      /* ANSI, text only */
	int width;        /* of the terminal; 0: unlimited */
	bool ascii;       /* text: for a terminal without UTF-8 */
	bool no_roofline; /* text and md: neither plot nor verdicts */
	bool all_metrics; /* text and md: a column for every counter, not only the usual ones */
	/* Roofs of the run's device; NULL or empty: none were measured, and the report says so. */
	const struct ceiling_list *ceilings;
	const struct run *compare; /* html: another run to stand beside this one; NULL: none */
	/* html: the cases of the run over the runs of its device; NULL: not to be shown. */
	const struct history_grid *histories;
	/* html: the samples of a trial in the order taken, *out malloc'd; NULL: not to be had. */
	int (*samples)(void *context, int64_t trial_id, struct sample **out, size_t *count,
		       struct error *err);
	void *samples_context;
};

/*
 * A run with its trials: best configuration per kernel first, then the sweep.
 * Of a picture the script that gnuplot draws it by, to its standard output;
 * PL_ENOENT when there is nothing to draw. PL_EUNSUPPORTED: this build lacks
 * what the format needs.
 */
int report_run(FILE *out, const struct run *run, enum report_format format,
	       const struct report_options *options, struct error *err);

/* Why this build writes no page, and the remedy; NULL: it does. */
const char *report_html_why_not(void);

/* One study, answered. Borrowed. */
struct study_report {
	const struct study *study;
	const struct study_answer *answer;
	const struct study_evidence *evidence; /* of its cases */
	bool emulated;                         /* by the backend ptx */
	int64_t run_id;                        /* that it was answered from; 0: none */
	const char *device, *driver;           /* of the run; NULL without one */
};
/* As text, md or JSON; PL_EUSAGE for any other format. */
int report_studies(FILE *out, const struct study_report *reports, size_t count,
		   enum report_format format, const struct report_options *options,
		   struct error *err);

/*
 * What an emulator counted at each source line of some trials of a run, with
 * the source text where its file is found in the working directory or below
 * source_folder (NULL: none). PL_ENOENT, with the reason, when there are no
 * lines.
 */
int report_lines(FILE *out, const struct run *run, const struct trial *const *trials, size_t count,
		 const char *source_folder, enum report_format format,
		 const struct report_options *options, struct error *err);

/* ---- one run held against another ---- */

/* Symbol, name as --format takes it, meaning. */
#define REGRESS_FORMAT_LIST(X)                                                  \
	X(REGRESS_TEXT, "text", "what changed, as a table for the terminal")    \
	X(REGRESS_JSON, "json", "every case with all its numbers")              \
	X(REGRESS_MARKDOWN, "md", "what changed, to paste into a pull request") \
	X(REGRESS_JUNIT, "junit", "JUnit XML, a test case each, for CI")

enum regress_format {
#define X(symbol, name, meaning) symbol,
	REGRESS_FORMAT_LIST(X)
#undef X
};

struct regress_report {
	const struct run *base, *head;
	const struct regress *regress;
	const struct regress_differences *differences;
	const char *thresholds; /* the file that gave limits; NULL: none */
	bool all;               /* text and md: unchanged cases too */
};
int report_regress(FILE *out, const struct regress_report *report, enum regress_format format,
		   const struct report_options *options, struct error *err);

/*
 * A plain table for lists (kernels, metrics, devices, runs, checks, plans) in
 * the formats of tables: columns once, then rows of C strings; a cell NULL is "not
 * known". Column widths count UTF-8 characters, control bytes are shown escaped.
 */
struct table;
struct table_column {
	const char *name; /* JSON key and CSV head; text head in capitals */
	bool numeric;     /* right-aligned; JSON number */
	const char *head; /* text and md: instead of the name; NULL: the name */
	int drop;         /* text: 0 is always shown; in a narrow terminal the highest goes first */
};
struct table *table_new(const struct table_column *columns, size_t count);
/*
 * Cells of the column are lists: a line an entry, its parts a tab apart. JSON
 * has them as objects with these members (ended by NULL; lives as long as the
 * table); other formats have the cell as it is, so give them a column that reads.
 */
void table_parts(struct table *table, size_t column, const char *const *names);
void table_row(struct table *table, const char *const *cells);
size_t table_row_count(const struct table *table);
/* PL_EUSAGE for a format that is none of tables. */
int table_write(FILE *out, const struct table *table, enum report_format format,
		const struct report_options *options, struct error *err);
void table_free(struct table *table);

/*
 * Cases over their runs, each with at least one run and with its change points
 * found. rows: at most so many runs of each, the newest; 0: all.
 */
int report_history(FILE *out, const struct history *items, size_t count, enum report_format format,
		   size_t rows, const struct report_options *options, struct error *err);

/*
 * Rows of values of any type, as a query gives them. csv and json are written
 * as they come, so that a million rows need no memory; text and md are kept and
 * written at the end. Nothing is made up: a value that is none is empty in csv,
 * null in json, "-" for people; bytes are x'hex' in all.
 */
struct row_writer;
/* PL_EUSAGE for a format that is none of tables. The options are borrowed until the end. */
int rows_begin(struct row_writer **out, FILE *stream, enum report_format format,
	       const struct report_options *options, const char *const *columns, size_t count,
	       struct error *err);
/* Non-zero when the stream takes no more; rows_end() says why. */
int rows_add(struct row_writer *writer, const struct any_value *values);
/* Writes what is left and frees; NULL is fine. `rc` is what came of the rows: returned when it is
 * not 0, and then nothing more is written. */
int rows_end(struct row_writer *writer, int rc, struct error *err);

#endif
