/*
 * The parts of a report as a page: the page itself, bundled when perflab was
 * built (reports/web/), and what it draws, as JSON. What the members mean is
 * said where the page reads them, reports/web/source/model.js; the two are of
 * one build and of one version.
 */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "metrics/analysis/ceilings.h"
#include "reports/page_json.h"

/* The page with a mark where a run goes; empty in a build without it. */
extern const char report_page[];
size_t report_page_length(void);
/* Why there is none, and the remedy; "" when there is one. */
extern const char report_page_why_not[];

/* The JSON, whole. */
void page_write(FILE *out, const struct run *run, const struct report_options *options);

/* Its parts: values of the object that is open. */
void page_run(struct page_json *json, const char *key, const struct run *run);
void page_roofs(struct page_json *json, const struct run *run, const struct ceiling_list *ceilings);
void page_trials(struct page_json *json, const struct run *run);
void page_points(struct page_json *json, const struct run *run,
		 const struct report_options *options);
void page_counters(struct page_json *json, const struct run *run);
/* Of options->compare, in the order of the run: null, or [place in the other, place in `changes`,
 * ratio of the times, its 95 % interval]. */
void page_comparison(struct page_json *json, const struct run *run,
		     const struct report_options *options);
/* Of options->histories; null where no case has two runs. */
void page_histories(struct page_json *json, const struct report_options *options);
void page_samples(struct page_json *json, const struct run *run,
		  const struct report_options *options);

#endif
