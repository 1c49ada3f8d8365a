/* skeleton_support: writes first annotations and looks for lines in them. */
#ifndef TESTS_SKELETON_SUPPORT_H
#define TESTS_SKELETON_SUPPORT_H

#include "kernels/user/skeleton.h"

#define INTEGER(size)                                    \
	{                                                \
		.class = SKELETON_INTEGER, .bytes = size \
	}
#define POINTER INTEGER(8)
#define REAL                                       \
	{                                          \
		.class = SKELETON_REAL, .bytes = 4 \
	}

/* What was written last. */
extern struct text written;
extern struct skeleton_counts counts;

int write_skeleton(const char *text, bool ptx, const struct skeleton_entry *entries, size_t count,
		   struct error *err);
/* A kernel `k` with these parameters. */
void write_one(const char *text, const struct skeleton_parameter *parameters, size_t count);
void expect_text(const char *part);
void expect_no_text(const char *part);
int release_written(void **state); /* as cmocka calls it */

#endif
