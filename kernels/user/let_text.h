/* let_text: text that lets were expanded into, with the let that each part of it comes from. */
#ifndef KERNELS_USER_LET_TEXT_H
#define KERNELS_USER_LET_TEXT_H

#include "kernels/user/annotation_lets.h"

/* Ends before `end`; the text before it back to the segment before comes from `let`. */
struct let_segment {
	size_t end;
	const struct annotation_let *let; /* NULL: the line itself */
};

/* Text and where it comes from. All zeroes is none. */
struct let_text {
	struct text text;
	struct let_segment *segments;
	size_t count, capacity;
};
void let_text_add(struct let_text *out, const char *bytes, size_t length,
		  const struct annotation_let *let);
void let_text_release(struct let_text *text);

/* Keeps the text in the pool, and where it comes from in the place of the line, for
 * lets_add_origin(). Returns the text that the pool owns. */
const char *let_text_keep(const struct annotation_scan *scan, const struct let_text *from);

#endif
