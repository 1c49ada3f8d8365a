/*
 * case_capture: the capture from which a case takes memory, the same for every backend. It
 * knows which buffer of the case is which memory of the capture. A backend says where it has
 * put the buffers; the contents that are read then have these addresses in place of those of
 * the recorded program. It also says how results differ from those of the recorded launch.
 */
#ifndef HARNESS_WORKERS_CASE_CAPTURE_H
#define HARNESS_WORKERS_CASE_CAPTURE_H

#include "capture/capture.h"
#include "kernels/kernels.h"

struct case_capture;

/* The first buffer with memory of a capture; NULL: there is none. */
const struct case_buffer *case_captured_buffer(const struct launch_case *work);
/*
 * Opens the capture that fills buffers of the case; *out is NULL if none does. The
 * case must outlive it. Errors are those of capture_open(). PL_EUSAGE: the buffers take
 * memory of several captures, memory that the capture does not have, or of another
 * size.
 */
int case_capture_open(struct case_capture **out, const struct launch_case *work, struct error *err);
void case_capture_close(struct case_capture *from); /* accepts NULL */
/* The memory that fills a buffer. NULL: it has another fill, or `from` is NULL. */
const struct capture_memory *case_capture_memory(const struct case_capture *from, size_t buffer);
/* Says where a buffer is. Until then, pointers to it stay as the program had them. */
void case_capture_place(struct case_capture *from, size_t buffer, uint64_t address);
/* Reads the content of a buffer before or after the recorded launch, with the addresses of the
 * case. The buffer has a memory. Errors are those of capture_read_memory(). */
int case_capture_read(const struct case_capture *from, size_t buffer, enum capture_state state,
		      void *data, struct error *err);
/* The key of the content of an input, or of the expected result of a buffer, made from `seed`: what
 * it depends on, also beyond the case. The caller frees it. */
char *case_content_key(const struct launch_case *work, size_t buffer, bool expected,
		       const struct case_capture *from, uint64_t seed);
/* Adds to a key on what the contents of a buffer depend beyond the capture: the addresses to which
 * its pointers lead. Adds nothing if it has none. */
void case_capture_add_key(struct text *key, const struct case_capture *from, size_t buffer);

/* Fills an input: by a capture, or from the seed as kernel_fill(), or if `mixed` as
 * case_fill_mixed(). */
int case_fill(void *data, const struct launch_case *work, size_t buffer,
	      const struct case_capture *from, uint64_t seed, bool mixed, struct error *err);

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
