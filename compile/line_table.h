/*
 * line_table: the source lines of the machine code in a cubin, with the calls that were inlined.
 *
 * Invariants: equal frames have one index, also across the functions of a cubin. A frame comes
 * after its caller, so a chain of callers ends, after at most LINE_DEPTH_LIMIT frames. The table
 * keeps nothing of the bytes that it was read from.
 */
#ifndef COMPILE_LINE_TABLE_H
#define COMPILE_LINE_TABLE_H

#include "base/base.h"

#define LINE_DEPTH_LIMIT 1024

/* A position in the source. */
struct source_frame {
	const char
		*file; /* as the compiler names it: absolute, unless a #line named it otherwise */
	int64_t line;  /* 0: code of no line */
	const char *function; /* mangled; the inlined function that the line is in. NULL: no inlined
			       * one, or not known */
	int64_t caller;       /* the frame of the call that was inlined; -1: none */
};

struct line_table;

/*
 * Reads a cubin. One without line information, or with lines of an unknown version, gives a table
 * without frames. PL_EPARSE: no cubin, or a damaged one; *out is NULL then. line_table_free() frees
 * the table.
 */
int line_table_read(struct line_table **out, const void *bytes, size_t length, struct error *err);
void line_table_free(struct line_table *table); /* may be NULL */
/*
 * The frame of the instruction at an offset in the section .text.FUNCTION; -1: it has none. As in
 * nvdisasm, a line holds until the next one. So code in that section that has no line of its own,
 * such as a division that the compiler added behind the kernel, has the line before it.
 */
int64_t line_table_find(const struct line_table *table, const char *function, uint64_t offset);
size_t line_table_count(const struct line_table *table);
/* The index must be one that line_table_find() or a frame gave, or less than line_table_count(). */
const struct source_frame *line_table_frame(const struct line_table *table, int64_t index);

#endif
