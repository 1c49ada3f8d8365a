/*
 * line_changes: which lines of a case cost more or less than in another run of it, by counts that
 * repeat exactly. How often warps were sampled at a line is evidence beside them, and decides
 * nothing.
 */
#ifndef METRICS_ANALYSIS_LINE_CHANGES_H
#define METRICS_ANALYSIS_LINE_CHANGES_H

#include "metrics/analysis/line_match.h"

/* What is compared, the members of struct profile_instruction. */
/* clang-format off */
#define LINE_COUNT_LIST(X) \
	X(executed) \
	X(lanes) \
	X(requests) \
	X(sectors) \
	X(local_sectors) \
	X(shared_requests) \
	X(wavefronts) \
	X(branches) \
	X(divergent)
/* clang-format on */

enum line_count_kind {
#define X(name) LINE_COUNT_##name,
	LINE_COUNT_LIST(X)
#undef X
		LINE_COUNT_KINDS,
};
/* "local_sectors" */
const char *line_count_kind_name(enum line_count_kind kind);

struct line_change {
	enum line_match_kind kind; /* not LINE_UNKNOWN */
	char *place; /* "saxpy.cu:41"; that of the base if the head has no such line */
	char *file;  /* with its path; NULL: without a position */
	int64_t line;
	bool of_base; /* the place is that of the base */
	/* 0: the line was not executed there. */
	int64_t base[LINE_COUNT_KINDS], head[LINE_COUNT_KINDS];
	double base_share, head_share; /* of the samples; NAN: not sampled */
	int verdict;                   /* 1: it costs more, -1: less, 0: neither */
	double cost;                   /* about so many cycles of an SM more */
	char *text; /* "sectors per request 4 → 16; its share of the stalls 12 → 38 %" */
};

/* The changes of a case. Lines whose counts vary are compared with nothing. */
struct line_changes {
	struct line_change *items; /* those that cost more first, the worst of them first */
	size_t count, capacity;
	size_t compared;            /* lines */
	struct string_list varying; /* the places of lines whose counts vary */
	struct string_list unknown; /* why other lines are not compared */
	int64_t base[LINE_COUNT_KINDS],
		head[LINE_COUNT_KINDS]; /* of all lines that were compared */
	/* The compared lines together do more of something. False if work only moved to other
	 * lines.
	 */
	bool worse;
	char *why_not; /* why nothing is compared; NULL: it is */
	bool damaged;  /* because what is stored of them is damaged */
};

/*
 * Compares the lines. A line costs more if it adds work: instructions, sectors, wavefronts, local
 * sectors, divergent branches, or lanes that idle. Each counts by the cycles that an SM needs for
 * it. The first line is the one that probably caused the change:
 *
 * - Lines that were edited come before lines that were not, from 1 % of the added cost. What they
 *   do to other lines, such as the body of a loop, comes after them.
 * - A line at which more branches diverge also answers for the lines that run with fewer lanes.
 * - Among equals, the one whose share of the stalls grew comes first.
 */
void line_changes_of(struct line_changes *out, const struct line_side *base,
		     const struct line_side *head);
/* Nothing is compared, and this is why. Takes ownership. */
void line_changes_refuse(struct line_changes *out, char *why);
void line_changes_release(struct line_changes *changes);

/* Appends "saxpy.cu:41: sectors per request 4 → 16; its share of the stalls 12 → 38 %". */
void line_change_describe(struct text *out, const struct line_change *change);
/* Appends what all lines together do: "all lines: executed 1,024 → 2,048"; nothing if they do as
 * much. */
void line_changes_describe_all(struct text *out, const struct line_changes *changes);

/* The changes of the cases of a comparison, in their order. */
struct line_changes_list {
	struct line_changes *items;
	size_t count;
	size_t profiled; /* cases that have a profile in both runs */
	size_t damaged;  /* cases whose profile cannot be read in one of them */
};
void line_changes_list_release(struct line_changes_list *list);

#endif
