/*
 * case_replay: what is said of a case whose results are compared with those of a
 * recorded launch, and differ.
 */
#ifndef HARNESS_WORKERS_CASE_REPLAY_H
#define HARNESS_WORKERS_CASE_REPLAY_H

#include "harness/workers/case_capture.h"

/* Whether results of the case are compared with those of a recorded launch. */
bool case_is_replay(const struct launch_case *work);
/* Puts before a mismatch that the result is another than that of the program. `from`: that of the
 * case, or NULL. */
void case_replay_introduce(struct text *mismatch, const struct launch_case *work,
			   const struct case_capture *from);
/* Adds what the recorder could not follow, if anything. */
void case_replay_add_lost(struct text *mismatch, const struct case_capture *from);

/* How near two contents are if their bytes are elements of a type. */
struct content_distance {
	bool known; /* false: no type makes them near each other */
	enum element_type type;
	/* Elements differ by at most `relative` of the greater one, or by at most `absolute`, which
	 * only few need: sums near 0. */
	double relative, absolute;
};
/* Finds the floating-point type of which the elements that differ are nearest to each other. */
struct content_distance content_distance_find(const void *a, const void *b, size_t bytes);
/* The distance of two contents as elements of one type. */
struct content_distance content_distance_as(enum element_type type, const void *a, const void *b,
					    size_t bytes);

/* The lines of the command line with which differences are within the tolerance. All zeroes is
 * none. */
struct replay_remedy {
	struct text found, lines;
	double relative, absolute;
};
/* Adds a buffer whose results have this distance; nothing if it is not known. */
void replay_remedy_add(struct replay_remedy *remedy, const struct case_buffer *buffer,
		       const struct content_distance *distance);
/* Adds the remedy to a mismatch, if there is one, and frees it. */
void replay_remedy_finish(struct replay_remedy *remedy, struct text *mismatch);

#endif
