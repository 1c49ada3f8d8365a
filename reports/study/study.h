/* The writers of answers to studies, one per format, and what they share. */
#ifndef REPORTS_STUDY_STUDY_H
#define REPORTS_STUDY_STUDY_H

#include "metrics/analysis/study.h"
#include "reports/reports.h"
#include "reports/table/table.h"

void study_text(FILE *out, const struct study_report *reports, size_t count,
		const struct report_options *options);

/* The columns of study_part_row() without the study. */
#define COLUMNS_OF_A_PART                                                         \
	{.name = "part", .head = "CLAIM"}, {.name = "claimed"}, {.name = "here"}, \
		{.name = "interval", .head = "95 % INTERVAL", .drop = 2},         \
		{.name = "holds", .head = "HOLDS IF", .drop = 1},                 \
	{                                                                         \
		.name = "answer"                                                  \
	}

/* Adds the row of one part. With the study, two cells before it have its name, answer and GPU. */
void study_part_row(struct table *table, const struct study_report *of, size_t part_index,
		    bool with_study);

/* These append text that is not escaped yet. */

/* "on a machine with a GPU: perflab study NAME", for a verdict that needs another backend. */
void study_what_to_type(struct text *out, enum study_verdict verdict, const char *study);
/* "3 of 6 hold, 1 does not, 2 inconclusive; measured on NVIDIA H200, driver 580, run 4" */
void study_summary(struct text *out, const struct study_report *reports, size_t count);

#endif
