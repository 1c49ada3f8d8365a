/*
 * A run as a self-contained HTML page. perflab embeds the page when it is built (reports/web/); the
 * report fills in the run as JSON. reports/web/source/model.js reads that JSON and explains its
 * members. Both come from the same build, so the JSON needs no compatibility.
 */
#ifndef REPORTS_PAGE_PAGE_H
#define REPORTS_PAGE_PAGE_H

#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"

/* "", or why this build has no page, with the remedy. */
extern const char report_page_why_not[];
/* 0 in a build without it. */
size_t report_page_length(void);
/* Writes the JSON that the page reads. */
void page_write(FILE *out, const struct run *run, const struct report_options *options);
/* Writes what the lines of profiled cases cost, as elements that hold JSON: "lines-N" for case N,
 * and "lines-sources" with the source text, once for all cases. Nothing if no case has a profile.
 */
void page_lines_write(FILE *out, const struct run *run, const struct report_options *options);

/* ---- JSON ---- */

/*
 * JSON for the page, written while it is produced: a run of ten thousand cases has tens of millions
 * of characters, and none is held in memory.
 *
 * Numbers that are not finite become null. Text is valid UTF-8 with <, >, & and the separators
 * U+2028 and U+2029 as \uXXXX, so no text can end the element that contains it. Frequent texts are
 * written once: page_word() writes an index into the list that page_words() writes at the end.
 *
 * Call stream_check() at the end to find write errors.
 */
struct page_json {
	FILE *out;
	bool comma; /* the next value needs a comma before it */
	struct string_list words;
	struct name_index index; /* of the words */
};

void page_json_init(struct page_json *json, FILE *out);
void page_json_release(struct page_json *json);

void page_open(struct page_json *json, char bracket);  /* '{' or '[' */
void page_close(struct page_json *json, char bracket); /* '}' or ']' */
void page_key(struct page_json *json, const char *name);
/* Opens a list or an object as a member. */
void page_open_member(struct page_json *json, const char *name, char bracket);
void page_null(struct page_json *json);
void page_bool(struct page_json *json, bool value);
void page_integer(struct page_json *json, int64_t value);
void page_text(struct page_json *json, const char *text); /* NULL: null */
/* The fewest digits that give the same double again. */
void page_number(struct page_json *json, double value);
/* Nine significant digits, whole numbers exactly: for counters and values computed from them. */
void page_short(struct page_json *json, double value);
/* The index of the text in the list of words. NULL: null. */
void page_word(struct page_json *json, const char *text);
/* The list of words. */
void page_words(struct page_json *json);

void page_member_integer(struct page_json *json, const char *name, int64_t value);
/* A member with a text; NULL and "" give null. */
void page_member_text(struct page_json *json, const char *name, const char *text);

/* ---- the parts ---- */

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
/* Writes options->histories, or null if no case has two runs. */
void page_histories(struct page_json *json, const struct report_options *options);
/* The member `selection`: null, or { cases: of the whole run, patterns: [text], top, sort }. */
void page_selection(struct page_json *json, const struct run *run,
		    const struct report_options *options);
void page_samples(struct page_json *json, const struct run *run,
		  const struct report_options *options);

#endif
