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

/*
 * Lines pair if they are equal but for blanks at their ends, in the order of both texts (a patience
 * diff: Bram Cohen; between its anchors the shortest edit: Myers, "An O(ND) Difference Algorithm
 * and Its Variations", 1986); then if they are equal but for blanks, so that an indented block
 * stays itself; then blocks that moved. What is left between two pairs is edited: line by line if
 * both texts have as many, else where two lines are alike. Two texts of 20,000 lines that have
 * nothing in common take no longer than a second: a place with more than 1,000 edits is not
 * searched.
 */
void text_map_of(struct text_map *out, const char *a, size_t a_bytes, const char *b,
		 size_t b_bytes);
/* The lines of the other text, of which there are `count`, in the text of `map`. */
void text_map_reverse(struct text_map *out, const struct text_map *map, size_t count);
void text_map_release(struct text_map *map);
size_t text_line_count(const char *text, size_t bytes);

#endif
