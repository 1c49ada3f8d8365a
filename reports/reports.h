/*
 * reports: writes stored runs as text, tables, JSON, pictures and a page.
 *
 * Every function writes to a stream and returns 0, PL_EIO when the stream fails, or the other
 * PL_E… codes named below. Nothing here reads a database or measures, and only report_draw()
 * starts another program.
 *
 * A number that was not measured is never made up. Text and Markdown show "-" and give the reason
 * in a note, CSV leaves the field empty, JSON writes null. JSON and CSV carry the version of their
 * format ("format": 1). Golden files in tests/golden/reports fix every format byte by byte.
 */
#ifndef REPORTS_REPORTS_H
#define REPORTS_REPORTS_H

#include <stdio.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/fleet.h"
#include "metrics/analysis/gpu_group.h"
#include "metrics/analysis/history.h"
#include "metrics/analysis/line_changes.h"
#include "metrics/analysis/line_match.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/study.h"
#include "metrics/metrics.h"
#include "metrics/profile.h"

/* ---- formats ---- */

/* What can be written in a format, as bits. */
enum report_subject {
	OF_TABLE = 1,   /* lists, query results, source lines */
	OF_RUN = 2,     /* a whole run: report_run() */
	OF_REGRESS = 4, /* a comparison of two runs */
	OF_HISTORY = 8, /* cases over their runs */
	OF_STUDY = 16,  /* answers to studies */
};

/* What a format needs or is, as bits. */
enum report_trait {
	HUMAN_READABLE = 1,  /* otherwise the format is machine-readable */
	NOT_ON_TERMINAL = 2, /* binary, or nothing that a person reads as text */
	BY_GNUPLOT = 4,      /* report_run() writes a script; gnuplot draws the picture */
	AS_PAGE = 8,         /* needs the page that a build embeds; shows history, samples and a
			      * second run beside the first */
};

/*
 * One row per format: symbol, name for --format, what it applies to, traits, the writer of a run
 * (run_write_WRITER(), see report_run_writer), meaning.
 * The writer `none` means that no run is written in the format.
 *
 * A new format of a run is a row here and a file with its writer. The options, help, completion
 * and checks of the command line all read this table.
 */
#define REPORT_FORMAT_LIST(X)                                                                   \
	X(REPORT_TEXT, "text", OF_TABLE | OF_RUN | OF_REGRESS | OF_HISTORY | OF_STUDY,          \
	  HUMAN_READABLE, text, "a table for the terminal")                                     \
	X(REPORT_CSV, "csv", OF_TABLE | OF_RUN | OF_HISTORY, 0, csv,                            \
	  "one row per case, for spreadsheets and scripts")                                     \
	X(REPORT_JSON, "json", OF_TABLE | OF_RUN | OF_REGRESS | OF_HISTORY | OF_STUDY, 0, json, \
	  "everything that is stored of a run except its samples")                              \
	X(REPORT_MARKDOWN, "md", OF_TABLE | OF_RUN | OF_REGRESS | OF_HISTORY | OF_STUDY,        \
	  HUMAN_READABLE, markdown, "a table to paste into a pull request")                     \
	X(REPORT_HTML, "html", OF_RUN, HUMAN_READABLE | AS_PAGE | NOT_ON_TERMINAL, html,        \
	  "one self-contained page for any browser")                                            \
	X(REPORT_SVG, "svg", OF_RUN, HUMAN_READABLE | BY_GNUPLOT | NOT_ON_TERMINAL, svg,        \
	  "the roofline as a drawing")                                                          \
	X(REPORT_PNG, "png", OF_RUN, HUMAN_READABLE | BY_GNUPLOT | NOT_ON_TERMINAL, png,        \
	  "the roofline as an image")                                                           \
	X(REPORT_PDF, "pdf", OF_RUN, HUMAN_READABLE | BY_GNUPLOT | NOT_ON_TERMINAL, pdf,        \
	  "the roofline for print")                                                             \
	X(REPORT_JUNIT, "junit", OF_REGRESS, 0, none, "JUnit XML for CI, one test case per case")

enum report_format {
#define X(symbol, name, subjects, traits, writer, meaning) symbol,
	REPORT_FORMAT_LIST(X)
#undef X
		REPORT_FORMAT_COUNT
};

/* The format that the ending of a file name means: "x.html", "x.txt". False: none. */
bool report_format_of_file(enum report_format *out, const char *path);
/* The ending of a file name without its dot; NULL: it has none. */
const char *report_file_ending(const char *path);
const char *report_format_name(enum report_format format);
const char *report_format_meaning(enum report_format format);
bool report_format_applies(enum report_format format, enum report_subject subject);
/* Whether the format has any of these traits. */
bool report_format_has(enum report_format format, unsigned traits);
/* NULL, or why this build cannot write the format, with the remedy. */
const char *report_format_why_not(enum report_format format);

/* The names for --format, one list per subject, in the order of enum report_format and ended by
 * NULL. "" takes the place of a format that does not apply. */
extern const char *const table_format_words[];
extern const char *const sweep_format_words[]; /* of a table or a comparison */
extern const char *const run_format_words[];
extern const char *const regress_format_words[];
extern const char *const history_format_words[];
extern const char *const study_format_words[];

/* ---- a selection of cases ---- */

/* Which cases of a run are shown, in which order and with which columns. All zeroes: all cases in
 * the order of the plan; text and Markdown show the best of them. Borrowed. */
struct report_selection {
	/* Each is the path of a kernel, variant or case, or else a pattern of case names: see
	 * pattern_matches(). None: every case. */
	char *const *patterns;
	size_t pattern_count;
	int64_t top;         /* only so many of each kernel; 0: no limit */
	const char *sort;    /* a column, with '-' before it for the other direction; NULL: none */
	const char *columns; /* "median,roof"; NULL: the usual ones */
	bool all;            /* text and Markdown: every case, verdict and reason */
};
/* Both runs own their array of trials and borrow everything else, also what the trials own. */
struct report_selected {
	struct run cases; /* those that match a pattern, in the order of the plan */
	struct run shown; /* of these, the `top` ones in the order of `sort`; else the same */
};
/* PL_EUSAGE: a pattern matches no case, there is no such column, or the options exclude each other.
 * The message names what there is. Release *out even after an error. */
int report_select(struct report_selected *out, const struct run *run,
		  const struct report_selection *selection, const struct ceiling_list *ceilings,
		  struct error *err);
void report_selected_release(struct report_selected *selected);
/* Adds the names of all columns, for `sort` and `columns`; axes and counters are columns, too. */
void report_column_names(struct string_list *out);
/* The run to write in this format: text and Markdown choose the rows of `cases` themselves, because
 * they also say what went wrong in the other cases. */
const struct run *report_selected_run(const struct report_selected *selected,
				      enum report_format format);

/* ---- options ---- */

/* Where a page finds what the instructions of cases cost, and the source of their lines. */
struct report_profile_reader {
	/* Reads the profile of a trial, which the caller frees; *out NULL: it has none. */
	int (*profile)(void *context, int64_t trial_id, struct profile **out, struct error *err);
	/* Reads a source file as a run compiled it: its text and the hash of it, or why the text
	 * is not kept; all NULL: nothing is known of the file. The caller frees them. */
	int (*source)(void *context, int64_t run_id, const char *file, char **hash, char **text,
		      char **why, struct error *err);
	void *context;
};

struct report_options {
	bool colour; /* ANSI colours, text only */
	int width;   /* of the terminal in characters; 0: unlimited */
	bool ascii;  /* text: the terminal has no UTF-8 */
	/* text and md: the rows and columns of the tables; csv and json: the columns. The run that
	 * is written holds the selected cases already. NULL: all zero. */
	const struct report_selection *selection;
	const struct run *whole; /* what the run was selected from; NULL: nothing was */
	const char *db;          /* text: the database that commands must name; NULL: the default */
	bool no_roofline;        /* text and md: omit the roofline and the verdicts */
	bool all_metrics; /* text and md: a column for every counter, not only the usual ones */
	bool no_page;     /* text: this build writes no page, so no command offers one */
	/* Roofs of the run's device. NULL or empty: none were measured, and the report says so. */
	const struct ceiling_list *ceilings;
	/* The run holds the cases of all GPUs of this sweep, or some of them. NULL: an ordinary
	 * run. */
	const struct gpu_group *gpus;
	const struct run *roofs_of; /* of that sweep: the run of the GPU that `ceilings` are of */
	const struct run *compare;  /* html: a second run to show beside this one; NULL: none */
	/* html: the cases of the run over the runs of its device; NULL: omitted. */
	const struct history_grid *histories;
	/* html: reads the samples of a trial in order, *out malloc'd; NULL: omitted. */
	int (*samples)(void *context, int64_t trial_id, struct sample **out, size_t *count,
		       struct error *err);
	void *samples_context;
	const struct report_profile_reader *profiles; /* html: NULL: omitted */
};

/* ---- a run ---- */

typedef int report_run_writer(FILE *out, const struct run *run,
			      const struct report_options *options, struct error *err);

/*
 * Writes a run with its trials: the best configuration per kernel first, then the sweep. `options`
 * NULL means all zero. For a format with BY_GNUPLOT this writes the script that makes gnuplot
 * draw the picture on its standard output.
 * PL_ENOENT: there is nothing to draw. PL_EUNSUPPORTED: this build cannot write the format.
 * PL_EUSAGE: no run is written in the format.
 */
int report_run(FILE *out, const struct run *run, enum report_format format,
	       const struct report_options *options, struct error *err);
/*
 * As report_run(), but for a format with BY_GNUPLOT starts gnuplot with that script and writes the
 * picture. Also PL_EUNSUPPORTED: gnuplot is not installed; PL_EIO: gnuplot fails or prints nothing;
 * PL_EPARSE: it prints more than 64 MiB.
 */
int report_draw(FILE *out, const struct run *run, enum report_format format,
		const struct report_options *options, struct error *err);

/* Where report_lines() finds source text. Borrowed. */
struct report_sources {
	/* Searched after the working directory; NULL: none. */
	const char *folder;
	/* The files of a user that the run measured. The key is an absolute path. The value is ""
	 * if the file is as it was measured, else what happened to it: "has changed since the run".
	 */
	const struct key_value_list *measured; /* NULL: none */
};
/*
 * Writes what an emulator counted at each source line of some trials of a run. The source text
 * stands beside the counts if its file is as it was measured, or another file that is found in or
 * below the working directory or sources->folder. PL_ENOENT, with the reason: the trials have no
 * lines. PL_EUSAGE: the format does not apply to tables.
 */
int report_lines(FILE *out, const struct run *run, const struct trial *const *trials, size_t count,
		 const struct report_sources *sources, enum report_format format,
		 const struct report_options *options, struct error *err);

/* Source text and machine code of a run, as callbacks with `context`. Text lives until the next
 * call. */
struct report_texts {
	void *context;
	/* Line `line` (from 1) of a file; NULL: there is none. */
	const char *(*line)(void *context, const char *file, int64_t line);
	/* Why there is no text of a file, to follow "the file"; NULL: there is. */
	const char *(*why)(void *context, const char *file);
	/* The text of an instruction; NULL: not known. */
	const char *(*sass)(void *context, const struct profile *profile, size_t instruction);
	/* Why machine code has no text, as a sentence; NULL: it has. */
	const char *(*why_no_sass)(void *context);
};

/* A profiled case. Borrowed. */
struct report_profile {
	const struct trial *trial;
	const struct profile *profile;
	/* What an emulator counted in the same case, and the run that has it; NULL: no run does. */
	const struct line_count_list *emulated;
	int64_t emulated_run;
};
struct report_profiles {
	const struct report_profile *items;
	size_t count;
	const struct report_texts *texts; /* NULL: none */
	bool sass;                        /* text and md: with the instructions of each case */
	bool worst; /* text and md: only the lines that cost most, over all cases */
};
/* Writes what the hardware counted and sampled at source lines. PL_EUSAGE: the format does not
 * apply to tables. */
int report_profiles(FILE *out, const struct run *run, const struct report_profiles *report,
		    enum report_format format, const struct report_options *options,
		    struct error *err);

/* The lines of a case in two runs. Borrowed. */
struct report_line_pair {
	const struct trial *trials[2];
	struct line_side sides[2];
	const struct line_match_list *matches; /* of sides[0] with sides[1] */
};
/* Writes the lines of both runs side by side, matched by their text. `texts` of each run.
 * PL_EUSAGE: the format does not apply to tables. */
int report_line_pairs(FILE *out, const struct run *const runs[2],
		      const struct report_line_pair *pairs, size_t count,
		      const struct report_texts *const texts[2], enum report_format format,
		      const struct report_options *options, struct error *err);

/* ---- studies ---- */

/* One answered study. All members are borrowed. */
struct study_report {
	const struct study *study;
	const struct study_answer *answer;
	const struct study_evidence *evidence; /* one per case of the study */
	bool emulated;                         /* the counts are of emulated PTX */
	int64_t run_id;                        /* the run that gave the answer; 0: none */
	const char *device, *driver;           /* of that run; NULL without one */
};
/* PL_EUSAGE: the format does not apply to studies. */
int report_studies(FILE *out, const struct study_report *reports, size_t count,
		   enum report_format format, const struct report_options *options,
		   struct error *err);

/* ---- one run compared with another ---- */

struct regress_report {
	const struct run *base, *head;
	const struct regress *regress;
	const struct regress_differences *differences;
	const char *thresholds; /* the file that gave limits; NULL: none */
	bool all;               /* text and md: show unchanged cases too */
	/* of the cases; NULL: not compared */
	const struct line_changes_list *lines;
};
/* PL_EUSAGE: the format does not apply to comparisons. */
int report_regress(FILE *out, const struct regress_report *report, enum report_format format,
		   const struct report_options *options, struct error *err);

/* ---- two devices compared ---- */

/* The pairs of card_pairs_of() for the two runs; the ceilings of each device. */
struct cards_report {
	const struct run *runs[2];
	const struct ceiling_list *ceilings[2];
	const struct card_pairs *pairs;
};
/* Text, Markdown, CSV, JSON, and HTML without scripts. PL_ENOENT: no case is in both runs. */
int report_cards(FILE *out, const struct cards_report *report, enum report_format format,
		 const struct report_options *options, struct error *err);

/* ---- many GPUs compared ---- */

/* What fleet_judge() found. */
struct fleet_report {
	const struct fleet *fleet;
	const struct fleet_judgement *judgement;
	const struct fleet_limits *limits;
	bool all; /* text and md: every GPU, not only outliers */
};
/* Text, Markdown, CSV and JSON; the latter two have every GPU. PL_EUSAGE: the format does not apply
 * to tables. */
int report_fleet(FILE *out, const struct fleet_report *report, enum report_format format,
		 const struct report_options *options, struct error *err);

/* ---- histories ---- */

/* Text and Markdown show no more cases in full, unless `selection` of the options says `all`; then
 * each case has one line. */
#define HISTORIES_IN_FULL 3
/*
 * Writes cases over their runs. Each case has at least one run, and its change points are found.
 * rows: show at most so many runs of each case, the newest; 0: all. PL_EUSAGE: the format does
 * not apply to histories.
 */
int report_history(FILE *out, const struct history *items, size_t count, enum report_format format,
		   size_t rows, const struct report_options *options, struct error *err);

/* ---- tables ---- */

/*
 * A plain table for lists (kernels, metrics, devices, runs, checks, plans): first the columns,
 * then rows of C strings. A cell NULL means "not known". Column widths count UTF-8 characters,
 * and control bytes are shown escaped.
 */
struct table;
struct table_column {
	const char *name; /* JSON key and CSV head; the text head is this in capitals */
	bool numeric;     /* right-aligned; a JSON number */
	const char *head; /* text and md: used instead of the name; NULL: the name */
	int drop;         /* text: a narrow terminal drops the highest first; 0: never dropped */
	bool whole;       /* text: wrapped, but never cut; the last column is never cut anyway */
};
struct table *table_new(const struct table_column *columns, size_t count);
/*
 * The cells of this column are lists: one line per entry, its parts separated by tabs. JSON shows
 * each entry as an object with these member names (ended by NULL; they must outlive the table).
 * The other formats show the cell unchanged, so give them a different, readable column.
 */
void table_parts(struct table *table, size_t column, const char *const *names);
void table_row(struct table *table, const char *const *cells);
size_t table_row_count(const struct table *table);
/* PL_EUSAGE: the format does not apply to tables. */
int table_write(FILE *out, const struct table *table, enum report_format format,
		const struct report_options *options, struct error *err);
void table_free(struct table *table);

/*
 * Rows of typed values, as a query returns them. CSV and JSON are written row by row, so a million
 * rows need no memory. Text and Markdown keep the rows and write them at the end. A missing value
 * is empty in CSV, null in JSON and "-" in text and Markdown. Bytes are x'hex' in every format.
 */
struct row_writer;
/* PL_EUSAGE: the format does not apply to tables. `options` is borrowed until rows_end(). */
int rows_begin(struct row_writer **out, FILE *stream, enum report_format format,
	       const struct report_options *options, const char *const *columns, size_t count,
	       struct error *err);
/* Returns non-zero when the stream has failed; rows_end() says why. */
int rows_add(struct row_writer *writer, const struct any_value *values);
/* Writes the rest and frees the writer; NULL is fine. `rc` is the result of producing the rows:
 * if it is not 0, rows_end() writes nothing more and returns it. */
int rows_end(struct row_writer *writer, int rc, struct error *err);

#endif
