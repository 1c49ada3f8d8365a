/*
 * skeleton: writes the annotations of a file as a person would begin them: the kernels that the
 * compiler found, their parameters, and guesses of what they mean. Each guess has a comment.
 *
 * Invariants: the result is the text of a sidecar that kernel_files_read() accepts if there is
 * something to launch. Nothing is compared, so a sweep with it is unverified. All memory is
 * borrowed. No function reads a file.
 */
#ifndef KERNELS_USER_SKELETON_H
#define KERNELS_USER_SKELETON_H

#include "base/base.h"
#include "capture/capture.h"

enum skeleton_class { SKELETON_INTEGER, SKELETON_REAL, SKELETON_BYTES };
/* Whether the kernel writes to the memory behind a parameter, and whether it reads there, too. */
enum skeleton_access {
	SKELETON_ACCESS_UNKNOWN,
	SKELETON_NEVER_WRITTEN,
	SKELETON_WRITTEN,
	SKELETON_ONLY_WRITTEN
};

struct skeleton_parameter {
	enum skeleton_class class;
	size_t bytes;
	enum skeleton_access access;
	const char *element; /* its type, or that of what it points to: "f32"; NULL: not known */
};

/* Whether a kernel reads the place of its thread or of its block along y and z. */
struct skeleton_dimensions {
	bool thread_y, thread_z, block_y, block_z;
};

/* A kernel of the compiled file. */
struct skeleton_entry {
	const char *name;  /* in the image */
	const char *plain; /* qualified, without template arguments: "ns::scale" */
	const char
		*instance; /* with them, "ns::scale<float>"; NULL: it has none that C++ can name */
	const struct skeleton_parameter *parameters;
	size_t parameter_count;
	bool textures; /* it uses textures or surfaces, so a launch needs sizes that nobody wrote */
	struct skeleton_dimensions dimensions;
};

struct skeleton_request {
	const char *file; /* as the user wrote it */
	bool ptx;         /* the text is PTX, not CUDA C++ */
	const char *text; /* of the file; the bytes may be any */
	size_t length;
	const struct skeleton_entry *entries;
	size_t entry_count;
	/* what the file was compiled with, which a sweep needs too */
	const struct string_list *flags; /* paths in them are absolute; NULL: none */
	const char *folder;              /* of the sidecar: an absolute path without links */
	const char *standard, *compiler; /* NULL: none */
};

struct skeleton_counts {
	size_t launches;  /* lines `launch` */
	size_t templates; /* kernels for which a person has to choose an instance */
};

/* Adds flags of the compiler to *out, with paths from `folder` made absolute. */
void skeleton_flags_add(struct string_list *out, const struct string_list *flags,
			const char *folder);

/*
 * Appends the annotations to *out. PL_ENOENT: the file has no kernel. PL_EEXIST: the file has a
 * line `launch` already. After an error *out is as before.
 */
int skeleton_write(struct text *out, struct skeleton_counts *counts,
		   const struct skeleton_request *request, struct error *err);

/*
 * Appends the first text of a kernel that replaces a recorded one to *out: what the capture knows
 * of the launch, as comments, annotations that pass the recorded parameters by name, and a kernel
 * that does nothing yet. It compiles as CUDA C++, and kernel_files_read() accepts it beside the
 * capture. No string of the capture leaves its comment. `name` is the capture as the user wrote it.
 */
void capture_skeleton_write(struct text *out, const char *name, const struct capture_info *info);

#endif
