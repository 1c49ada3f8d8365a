/* What the writers of histories share. */
#ifndef REPORTS_HISTORY_PARTS_H
#define REPORTS_HISTORY_PARTS_H

#include "metrics/analysis/history.h"
#include "reports/report_parts.h"

/* `rows`: at most so many runs in the table, the newest; 0: all. Markdown knows no terminal. */
void history_text(FILE *out, const struct history *history, size_t rows,
		  const struct report_options *options);
void history_markdown(FILE *out, const struct history *history, size_t rows);

#endif
