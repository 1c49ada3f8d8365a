/*
 * What the reports by source line share: cells, and pieces of text and Markdown. Text that does not
 * come from perflab is escaped only where a function says so. Private to reports/run/.
 */
#ifndef REPORTS_RUN_LINE_PARTS_H
#define REPORTS_RUN_LINE_PARTS_H

#include "metrics/analysis/line_costs.h"
#include "reports/reports.h"
#include "reports/table/table.h"

/* ---- cells; what is not known adds nothing ---- */

/* "3.5 %" of a ratio. */
void line_add_percent(struct text *out, double ratio);
/* -1 is not known. */
void line_add_count(struct text *out, int64_t value);
void line_add_quotient(struct text *out, int64_t of, int64_t by);
/* What most of the sampled warps did, at most two reasons. */
void line_add_reasons(struct text *out, const struct line_cost *line);
/* "saxpy.cu:41", without folders. */
void line_add_position(struct text *out, const char *file, int64_t line);
/* The source of a frame; NULL: there is none. `texts` may be NULL. */
const char *line_source(const struct report_texts *texts, const struct profile_frame *frame);

/* ---- text and Markdown ---- */

/* Escapes text of somebody else. */
void lines_add_foreign(struct text *out, const char *text, bool markdown);
/* "Run 12  6f1c2a, by source line" */
void lines_write_heading(FILE *out, const struct run *run, bool markdown);
/* The title of a case. */
void lines_write_title(FILE *out, const char *title, bool markdown,
		       const struct report_options *options);
/* A table without its empty columns; nothing if it has no row. Frees the table. */
void lines_write_table(FILE *out, struct table *table, bool markdown,
		       const struct report_options *options);
/* Words below a table, wrapped. */
void lines_write_words(FILE *out, const char *words, bool markdown,
		       const struct report_options *options);
/* What the columns mean, after everything else. */
void lines_write_legend(FILE *out, const char *words, bool markdown,
			const struct report_options *options);

#endif
