/* What the tests of capture/ share: a scratch folder and a capture in which everything occurs. */
#ifndef TESTS_CAPTURE_CAPTURE_SUPPORT_H
#define TESTS_CAPTURE_CAPTURE_SUPPORT_H

#include "tests/capture/make_capture.h"

/* A folder that is removed with all in it, and the paths of two files there. */
struct scratch {
	char *folder, *path, *other;
};
int scratch_setup(void **state);
int scratch_teardown(void **state);
size_t files_in(const char *folder);

/*
 * Memory 0 is changed and has pointers before and after, memory 1 is unchanged
 * and has one, memory 2 is a variable. Borrowed from static data.
 */
enum { SAMPLE_BYTES = 4096, SAMPLE_SECOND_BYTES = 512, SAMPLE_VARIABLE_BYTES = 3 };
extern const unsigned char sample_before[SAMPLE_BYTES], sample_after[SAMPLE_BYTES];
struct made_capture sample_capture(void);

void make_sample(const char *path);
struct capture *must_open(const char *path);

#endif
