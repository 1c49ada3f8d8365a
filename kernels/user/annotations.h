/*
 * annotations: what the lines of a file declare, before files and variants are
 * put together. All strings belong to the reader's pool.
 */
#ifndef KERNELS_USER_ANNOTATIONS_H
#define KERNELS_USER_ANNOTATIONS_H

#include "base/base.h"
#include "kernels/kernels.h"

/* ---- memory ---- */

/* Memory that is freed at once. Descriptors are tables that point to one another, so one owner is
 * simpler than one per table. All zeroes is an empty pool. */
struct annotation_pool {
	void **items;
	size_t count, capacity;
	/* The files are read as they were in it; NULL: as they are. */
	const struct kernel_file_revision *revision;
};
void *pool_new(struct annotation_pool *pool, size_t size); /* all zeroes */
char *pool_copy(struct annotation_pool *pool, const char *text, size_t length);
char *pool_text(struct annotation_pool *pool, const char *text);  /* NULL gives NULL */
char *pool_take(struct annotation_pool *pool, struct text *text); /* and releases the text */
char *pool_format(struct annotation_pool *pool, const char *format, ...) PRINTF_LIKE(2, 3);
/* Returns the array, or a larger copy of it, with place for one element after `count`. Every call
 * adds one element, so the array is full when `count` is a power of two. */
void *pool_room(struct annotation_pool *pool, void *array, size_t count, size_t element_size);
#define pool_append(pool, array, count, value)                            \
	((array) = pool_room((pool), (array), (count), sizeof(*(array))), \
	 (array)[(count)++] = (value))
void pool_release(struct annotation_pool *pool);

/* ---- the files of a revision: struct kernel_file_revision ---- */

/* The file of the revision that an absolute path means. NULL: the pool has no revision, or it has
 * no such file. */
const char *revision_path(struct annotation_pool *pool, const char *path);
/* Where a file of the revision is now; `path` itself if it is none. */
const char *revision_now(struct annotation_pool *pool, const char *path);
/* Where data are: as they are now, if their content is that of the revision, or git does not hold
 * it. */
const char *revision_data_path(struct annotation_pool *pool, const char *path);
/* How messages call a file of the revision. */
const char *revision_shown(struct annotation_pool *pool, const char *shown);

/* ---- lines ---- */

/* Longer annotations, continuation lines included, are refused. A struct of ARG_MOST_BYTES in hex
 * digits fits, with its pointers. */
#define ANNOTATION_MAX_BYTES 131072
/* The most variants of one file. It bounds the time that finding equal names takes. */
#define ANNOTATION_MAX_VARIANTS 1024

/* Where an annotation is. Line 0: `file` is an option of the command line. */
struct annotation_place {
	const char *file;
	size_t line;
	struct let_expansions *expansions; /* of the line; NULL: it can use no let */
};

/* Sets "FILE:LINE: …", or "--option: …". Returns PL_EPARSE or, for an option, PL_EUSAGE. */
int annotation_error(struct error *err, struct annotation_place place, const char *format, ...)
	PRINTF_LIKE(3, 4);

const char *annotation_place_text(struct annotation_pool *pool, struct annotation_place place);

struct annotation_line {
	struct annotation_place place;
	const char *folder; /* absolute; paths in the line are relative to it */
	const char *text;
};

struct annotation_lines {
	struct annotation_line *items;
	size_t count;
};

/*
 * Appends the annotations of a text. A sidecar has one a line and comments that begin with '#'; in
 * a source an annotation follows "// perflab:". Returns PL_EPARSE for a NUL byte, text that is not
 * UTF-8, control characters, and lines that are too long or do not end.
 */
int annotation_lines_add(struct annotation_lines *lines, struct annotation_pool *pool,
			 const char *file, const char *folder, bool sidecar, const char *text,
			 size_t length, struct error *err);

/* ---- declarations ---- */

struct annotated_axis {
	struct annotation_place place;
	struct kernel_axis axis;
};

struct annotated_buffer {
	struct annotation_place place;
	struct kernel_buffer buffer;
};

struct annotated_constraint {
	struct annotation_place place;
	struct kernel_constraint constraint;
};

/* Arguments without an explicit kind are ARG_INTEGER until the buffers are known. */
struct annotated_launch {
	struct annotation_place place;
	struct kernel_launch launch;
};

struct annotated_check {
	struct annotation_place place;
	enum check_kind kind;
	struct kernel_launch launch;   /* LAUNCHES */
	const char *source;            /* LAUNCHES: absolute path; NULL: the variant's own */
	struct kernel_check_item item; /* EXPRESSION, FILE */
	const char *command, *folder;  /* COMMAND */
};

/* The type as which a result is compared. */
struct annotated_comparison {
	struct annotation_place place;
	const char *buffer;
	enum element_type type;
};

struct annotated_work {
	struct annotation_place place; /* file NULL: there is no such line */
	struct kernel_work work;
};

struct annotated_tolerance {
	struct annotation_place place; /* file NULL: there is no such line */
	double abs, rel;
	bool has_rel;
};

/* The lines of a variant, those of a file outside its variants, or those of the command line. */
struct annotation_scope {
	const char *summary;
	struct annotation_let *lets;
	size_t let_count;
	struct annotated_axis *axes;
	size_t axis_count;
	struct annotated_buffer *buffers;
	size_t buffer_count;
	struct annotated_constraint *constraints; /* of `skip` */
	size_t constraint_count;
	struct annotated_constraint *needs; /* of `needs`; they hold for this file only */
	size_t need_count;
	struct annotated_launch *launches;
	size_t launch_count;
	struct annotated_check *checks;
	size_t check_count;
	struct annotated_comparison *comparisons;
	size_t comparison_count;
	struct annotated_work work;
	struct annotated_tolerance tolerance;
	const char **flags;
	size_t flag_count;
	const char *standard, *compiler;
	/* The arguments in a capture: a launch without a list of arguments passes them. */
	bool has_arguments;
	char **arguments;
	size_t argument_count;
};

struct annotated_variant {
	struct annotation_place place;
	const char *name;
	struct annotation_scope scope;
	/* How many of them, and whether the work, are of lines of the variant; the others are of
	 * lines of the file with lets of its variants. */
	size_t own_buffers, own_checks;
	bool own_work;
};

struct annotated_file {
	const char *path;  /* absolute; NULL: the command line */
	const char *shown; /* as the user wrote it */
	struct annotation_place operation_place;
	const char *operation; /* NULL: none */
	struct annotation_scope scope;
	struct annotated_variant **variants;
	size_t variant_count;
};

/* Parses the lines of one file into *file, whose path and shown are set. They may use the lets of
 * `outer`, which is NULL for the first file. */
int annotations_parse(struct annotated_file *file, struct annotation_pool *pool,
		      const struct annotation_lines *lines, const struct annotation_scope *outer,
		      struct error *err);

/* The first file with a launch, whose lines hold for the others. NULL: there is none. */
const struct annotated_file *annotations_first(const struct annotated_file *files, size_t count);

/*
 * Puts files together as one kernel, all of which belongs to the pool. `given`
 * has the lines of the command line.
 */
int annotations_build(struct kernel *out, struct annotation_pool *pool,
		      const struct annotated_file *files, size_t count,
		      const struct annotated_file *given, struct error *err);

#endif
