/*
 * A run as a self-contained HTML page. perflab embeds the page when it is built (reports/web/); the
 * report fills in the run as JSON. reports/web/source/model.js reads that JSON and explains its
 * members. Both come from the same build, so the JSON needs no compatibility.
 */
#ifndef REPORTS_PAGE_PAGE_H
#define REPORTS_PAGE_PAGE_H

#include "metrics/analysis/ceilings.h"
#include "reports/page/json.h"
#include "reports/reports.h"

/* The page with marks for the title and the run. Empty in a build without it. */
extern const char report_page[];
size_t report_page_length(void);
/* "", or why this build has no page, with the remedy. */
extern const char report_page_why_not[];

/* Writes the whole JSON. */
void page_write(FILE *out, const struct run *run, const struct report_options *options);

/* These write members of the open object. */
void page_run(struct page_json *json, const char *key, const struct run *run);
void page_roofs(struct page_json *json, const struct run *run, const struct ceiling_list *ceilings);
/* A value, not a member. */
void page_trials(struct page_json *json, const struct run *run);
void page_points(struct page_json *json, const struct run *run,
		 const struct report_options *options);
void page_counters(struct page_json *json, const struct run *run);
/* One entry per case: null, or [word: base variant, word: configuration of the base case, index in
 * `speedup_verdicts`, speed-up, lower and upper bound of its 95 % interval, median of the base case
 * beside the case in ns, rounds, 1 if both used the same buffers, word: why there is no speed-up].
 * null instead of the list: the run has no base variant. */
void page_speedups(struct page_json *json, const struct run *run);
/* Compares with options->compare. One entry per case of the run: null, or [index in the other run,
 * index in `changes`, ratio of the times, lower and upper bound of its 95 % interval]. */
void page_comparison(struct page_json *json, const struct run *run,
		     const struct report_options *options);
/* The member `gpus`: null, or as compact JSON text what gpus_json() says of a sweep on several GPUs
 * and the GPU whose roofs the page has (`roofs_of`). */
void page_gpus(struct page_json *json, const struct report_options *options);
/* Writes options->histories, or null if no case has two runs. */
void page_histories(struct page_json *json, const struct report_options *options);
/* The member `selection`: null, or { cases: of the whole run, patterns: [text], top, sort }. */
void page_selection(struct page_json *json, const struct run *run,
		    const struct report_options *options);
void page_samples(struct page_json *json, const struct run *run,
		  const struct report_options *options);

#endif
