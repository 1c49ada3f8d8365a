/* The writers of histories, one per format. */
#ifndef REPORTS_HISTORY_HISTORY_H
#define REPORTS_HISTORY_HISTORY_H

#include "metrics/analysis/history.h"
#include "reports/reports.h"

/* All of these show at most `rows` runs of each case, the newest; 0: all. */
void history_text(FILE *out, const struct history *history, size_t rows,
		  const struct report_options *options);
void history_markdown(FILE *out, const struct history *history, size_t rows);
/* Text and Markdown: one line for each of several cases, of which there is at least one. */
void histories_summary(FILE *out, const struct history *items, size_t count,
		       enum report_format format, const struct report_options *options);
int histories_csv(FILE *out, const struct history *items, size_t count, size_t rows,
		  const struct report_options *options, struct error *err);
int histories_json(FILE *out, const struct history *items, size_t count, size_t rows,
		   struct error *err);

#endif
