/*
 * cards: what a comparison of two devices shows, before it is written: the pairs
 * of cases, and each trial under the roofs of its own device.
 */
#ifndef REPORTS_CARDS_CARDS_H
#define REPORTS_CARDS_CARDS_H

#include "metrics/analysis/regress.h"
#include "reports/derived/derived.h"
#include "reports/reports.h"

#define CARDS 2
#define CARD_NAMES "AB"

struct card_row {
	const struct card_pair *pair;
	const struct trial *trials[CARDS];
	struct trial_roofline rooflines[CARDS]; /* each by the ceilings of its device */
	bool best;                              /* of its variant and work, on A */
};
/* In the order of the run on A. */
struct card_rows {
	struct card_row *items;
	size_t count, best_count;
};

/* What the comparison is, and what it is not. */
#define CARDS_MEANING                                                                           \
	"B / A is the time on card B over that on card A: above 1, A is faster. This compares " \
	"cards, so no case is a regression or an improvement. Each roof % is of that card's "   \
	"own measured roofs."

/* Text and Markdown. PL_EUSAGE as kernel_rows_choose(). */
int cards_write_readable(FILE *out, const struct cards_report *report, const struct card_rows *rows,
			 enum report_format format, const struct report_options *options,
			 struct error *err);
void cards_write_html(FILE *out, const struct cards_report *report, const struct card_rows *rows);

#endif
