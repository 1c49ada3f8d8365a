/* text_diff: which line of a text is which line of an edited one. Private to metrics/analysis/. */
#ifndef METRICS_ANALYSIS_TEXT_DIFF_H
#define METRICS_ANALYSIS_TEXT_DIFF_H

#include "base/base.h"

/* The lines of a text, from 0, in another text. */
struct text_map {
	size_t *to;   /* the line of the other text; NO_TEXT_LINE: it has none */
	bool *edited; /* that line has other words */
	size_t count; /* lines of the text */
};
#define NO_TEXT_LINE SIZE_MAX

struct diff_text {
	const char *bytes;
	size_t length;
};

/*
 * Lines pair if they have the same words: all but blanks and comments, so that neither an indented
 * block nor a new comment is an edit. First in the order of both texts, by a patience diff (Bram
 * Cohen), and between its anchors by the shortest edit (Myers, "An O(ND) Difference Algorithm and
 * Its Variations", 1986), which is followed for 1,000 edits at a time, so that texts of 20,000
 * lines that have nothing in common end soon. Then blocks pair that moved. What is left between two
 * pairs is edited: line by line if both texts have as many, else where two lines are alike. Lines
 * without words pair with nothing. `python`: comments begin with #.
 */
void text_map_of(struct text_map *out, const struct diff_text *a, const struct diff_text *b,
		 bool python);
/* The lines of the other text, of which there are `count`, in the text of `map`. */
void text_map_reverse(struct text_map *out, const struct text_map *map, size_t count);
void text_map_release(struct text_map *map);
size_t text_line_count(const char *text, size_t bytes);

#endif
