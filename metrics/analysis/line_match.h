/*
 * line_match: which line of a profile is which line of another, although the source was edited
 * between them. Lines are never matched by their number alone.
 *
 * A line is a frame of a profile: a position in a file and the calls by which it was inlined. Two
 * match if the diff of the two texts pairs their lines, the inlined functions have the same name,
 * and the calls match, too.
 */
#ifndef METRICS_ANALYSIS_LINE_MATCH_H
#define METRICS_ANALYSIS_LINE_MATCH_H

#include "metrics/analysis/line_costs.h"

/* A source file of a profile, as it was compiled. */
struct line_source {
	char *file; /* as the frames name it */
	char *hash; /* of its text; NULL: not known */
	char *text; /* NULL: not kept */
	size_t bytes;
};
struct line_source_list {
	struct line_source *items;
	size_t count, capacity;
};
/* Adds a file. Each word may be NULL, but not its name; takes ownership of `text`. */
void line_source_add(struct line_source_list *list, const char *file, const char *hash, char *text,
		     size_t bytes);
void line_source_list_release(struct line_source_list *list);

/* One of the two profiles. Borrowed. */
struct line_side {
	const struct profile *profile;
	const struct line_cost_list *lines;     /* of the profile */
	const struct line_source_list *sources; /* those that are missing are not kept */
};

enum line_match_kind {
	LINE_SAME,    /* the same words, in itself and in all calls */
	LINE_EDITED,  /* the words of it or of a call were edited */
	LINE_GONE,    /* only a has the text */
	LINE_NEW,     /* only b has the text */
	LINE_UNKNOWN, /* the texts are not kept, so nobody knows */
};

#define NO_LINE SIZE_MAX

struct line_match {
	size_t a, b; /* of the lists of lines; NO_LINE: no instruction there is of this line */
	enum line_match_kind kind;
};
struct line_match_list {
	struct line_match *items; /* in the order of b, then those of a alone */
	size_t count, capacity;
	struct string_list
		unknown; /* why lines are not known: "the text of saxpy.cu is not kept" */
};

/* Files match by their names, else by what the ends of their paths have in common, since the tree
 * may have moved, else by their hashes. The instructions without a position match each other. */
void line_match_profiles(struct line_match_list *out, const struct line_side *a,
			 const struct line_side *b);
void line_match_list_release(struct line_match_list *list);

/* Appends "saxpy.cu:41", or "tile.cuh:12 called at gemm.cu:41" of an inlined line. A file is named
 * by its path only if another of the profile has its name. */
void line_place_add(struct text *out, const struct profile *profile, int64_t frame);

#endif
