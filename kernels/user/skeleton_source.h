/*
 * skeleton_source: finds the kernels that a text declares, CUDA C++ or PTX. It reads tokens and no
 * grammar, so it skips what it does not understand. Nothing here is an error.
 */
#ifndef KERNELS_USER_SKELETON_SOURCE_H
#define KERNELS_USER_SKELETON_SOURCE_H

#include "kernels/user/annotations.h"

/* Longer headers of kernels are skipped, and further kernels are not read. */
#define SOURCE_MAX_HEADER 65536
#define SOURCE_MAX_KERNELS 1024

struct source_parameter {
	const char *type; /* "const float *", blanks made equal; "": PTX has no types of C */
	const char *name; /* "": none */
	bool pointer;
	bool constant; /* a pointer to const */
};

struct source_kernel {
	const char *name; /* without its namespace; in PTX, the name in the image */
	size_t line;      /* from 1; 0 in PTX */
	struct source_parameter *parameters;
	size_t parameter_count;
	const char *template_head; /* "class T, int N"; "": a specialization; NULL: no template */
	const char *body;          /* without comments and literals; NULL: a declaration only */
	long most_threads;         /* of __launch_bounds__, .maxntid or .reqntid; 0: none */
	bool exact_threads;        /* .reqntid: a block has most_threads, no fewer */
};

struct source_kernels {
	struct source_kernel *items;
	size_t count;
	/* the first __device__ or __constant__ variable without an initializer; NULL: none */
	const char *variable;
	const char *code; /* all of it, without comments and literals; NULL in PTX */
};

/* All memory belongs to the pool. Reads `length` bytes, and nothing after a NUL byte. */
void source_kernels_read(struct source_kernels *out, struct annotation_pool *pool, const char *text,
			 size_t length);
void ptx_kernels_read(struct source_kernels *out, struct annotation_pool *pool, const char *text,
		      size_t length);

/* ---- tokens, which both readers share ---- */

bool source_is_word(char c); /* of a name: letters, digits, '_', '$' and what is not ASCII */
/* The closing bracket of the open one at `open`; NULL: none before `end`. Brackets are "()", "[]",
 * "{}" and, if the open one is '<', "<>". */
const char *source_closing(const char *open, const char *end);
/* Text with one blank for any number of white space, and none at the ends. */
char *source_squeezed(struct annotation_pool *pool, const char *begin, const char *end);
/* What stands between the type and the name of a parameter: " " or "". */
const char *source_name_gap(const struct source_parameter *parameter);
/* The name in a declaration of which `after` follows the memory space, "float x[4];". NULL: it is a
 * function or has an initializer, or its type is not plain. */
const char *source_variable(struct annotation_pool *pool, const char *after, const char *end);
/* The next place of a whole word; NULL: none before `end`. */
const char *source_find_word(const char *begin, const char *end, const char *word);

#endif
