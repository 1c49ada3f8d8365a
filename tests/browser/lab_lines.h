/* lab_lines: constructed profiles and source texts for tests of the page. */
#ifndef TESTS_BROWSER_LAB_LINES_H
#define TESTS_BROWSER_LAB_LINES_H

#include "db/db.h"

/* What the profile of a case is like. */
enum lab_profile {
	LAB_INLINED,      /* two files, code inlined over two levels, waste of each kind */
	LAB_NO_TEXT,      /* positions in a file whose text is not kept */
	LAB_NO_POSITIONS, /* two functions, one of which has a name of 500 characters */
	LAB_NO_COUNTS,    /* only sampled; samples are missing */
	LAB_NO_SAMPLES,   /* only counted */
	LAB_HOSTILE,      /* a file, its text and a function that no page likes */
	LAB_NO_PROFILE,
	LAB_PROFILE_COUNT
};
int lab_lines_store(struct db *db, int64_t run_id, int64_t trial_id, enum lab_profile what,
		    struct error *err);
/* A profile with positions in a source of `lines` lines: every `every`-th has three instructions,
 * the first of them the one with number `first`. */
int lab_long_lines_store(struct db *db, int64_t run_id, int64_t trial_id, int64_t lines,
			 int64_t every, int64_t first, struct error *err);

#endif
