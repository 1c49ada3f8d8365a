/*
 * columns: what can be shown of a case, by name. --columns and --sort take these names, and every
 * format of a run that shows chosen columns reads this one table.
 */
#ifndef REPORTS_SELECTION_COLUMNS_H
#define REPORTS_SELECTION_COLUMNS_H

#include "metrics/analysis/verdict.h"
#include "reports/derived/derived.h"
#include "reports/reports.h"

/* A trial with what its columns are computed from. */
struct case_facts {
	const struct run *run;
	const struct trial *trial;
	char *name;                     /* KERNEL/VARIANT/CONFIG; owned */
	struct trial_roofline roofline; /* empty for a trial without counters and times */
	struct trial_findings findings;
};
/* `ceilings` may be NULL. */
void case_facts_init(struct case_facts *out, const struct run *run, const struct trial *trial,
		     const struct ceiling_list *ceilings);
void case_facts_release(struct case_facts *facts);

/* The kinds of runs that have a column, as bits. */
enum column_kind { OF_MEASURED = 1, OF_EMULATED = 2, OF_ANY = 3 };

struct column {
	const char *name;    /* for --columns and --sort */
	const char *machine; /* the name in CSV and JSON */
	const char *head;    /* in text and Markdown */
	unsigned kinds;
	int drop;   /* as in struct table_column */
	bool usual; /* shown unless columns were chosen */
	/* --sort puts the smallest number first; otherwise the largest. Words are always sorted by
	 * the alphabet. */
	bool smallest_first;
	/* One of these four gives the value. A number that is not known is NAN, a word NULL. */
	const char *metric; /* the value of this counter */
	double (*number)(const struct case_facts *facts);
	const char *(*word)(const struct case_facts *facts);
	const char *unit; /* of a number; as in format_value() */
	/* Text and Markdown; NULL: the number or the word as it is. */
	void (*show)(struct text *out, const struct case_facts *facts);
	bool in_words; /* a number that text and Markdown show as words, even if it is not known */
	bool names_case; /* see chosen_names_case() */
};
/* The table, which ends with a name NULL. Several columns may share a name; then they are of
 * different kinds of runs. */
extern const struct column column_table[];
bool column_applies(const struct column *column, const struct run *run);

/* A column that was chosen: one of the table, an axis of the run, or a counter of it. Exactly one
 * member is set. */
struct chosen_column {
	const struct column *column;
	char *axis, *counter;
};
struct chosen_columns {
	struct chosen_column *items;
	size_t count, capacity;
};
/* Adds the column of this name: of the table, an axis, a counter, or a usual word for one of these,
 * such as "time". PL_EUSAGE: the run has none, with the nearest names. */
int columns_add(struct chosen_columns *out, const struct run *run, const char *name,
		struct error *err);
/* Adds the columns of a list like "median,roof". PL_EUSAGE. */
int columns_parse(struct chosen_columns *out, const struct run *run, const char *list,
		  struct error *err);
/* Adds the columns that are shown unless others were chosen; with `every_counter` also all
 * counters that are no column yet. */
void columns_add_usual(struct chosen_columns *out, const struct run *run, bool every_counter);
void columns_release(struct chosen_columns *columns);

/* Whether this is the column of the table with this name. */
bool chosen_is(const struct chosen_column *chosen, const char *name);
/* Whether CSV and JSON always have the column, so that they do not repeat it. */
bool chosen_names_case(const struct chosen_column *chosen);
/* The name in CSV and JSON. */
const char *chosen_name(const struct chosen_column *chosen);
bool chosen_is_numeric(const struct chosen_column *chosen);
/* NAN: not known, or the column has words. */
double chosen_number(const struct chosen_column *chosen, const struct case_facts *facts);
/* NULL: not known, or the column has numbers. */
const char *chosen_word(const struct chosen_column *chosen, const struct case_facts *facts);
/* Appends the value for a reader; nothing if it is not known. */
void chosen_show(struct text *out, const struct chosen_column *chosen,
		 const struct case_facts *facts);
/* The column of a table. The name is borrowed from `chosen`. */
struct table_column chosen_table_column(const struct chosen_column *chosen);

#endif
