/*
 * kernel_file: the files of a user as one kernel.
 *
 * The files are .cu, .cuh, .ptx, .cubin or .capture. Lines "// perflab: …" in them, or lines of a
 * sidecar, describe axes, buffers, launches and checks (docs/your-kernel-reference.md).
 * The result is the same descriptor that built-in kernels have.
 *
 * The sidecar of FILE is FILE.perflab beside it, if it exists. A path that ends
 * in ".perflab" among the paths replaces the sidecar of the file before it. The
 * lines of a sidecar follow those of its file. A .cubin has lines only in its
 * sidecar. Those of a .capture follow from the recorded launch (capture_lines.h);
 * a capture is the first file, and the others replace its kernel.
 */
#ifndef KERNELS_USER_KERNEL_FILE_H
#define KERNELS_USER_KERNEL_FILE_H

#include "kernels/kernels.h"

#define KERNEL_FILE_SIDECAR_SUFFIX ".perflab"

/*
 * What the command line adds. All zeroes adds nothing; the strings are borrowed.
 * A line is an annotation without its prefix: "launch k<<<1, 256>>>(x)". Errors
 * begin with "--launch: …" or, for other lines, "--annotate: …". A line replaces what the files
 * declare under the same name: an axis, a buffer, the checks, the work, the
 * tolerance. A launch becomes one more variant of each file. Paths are relative
 * to the current folder. If there is such a launch, and the lines use an
 * axis whose values are given (--block-sizes, --size, --set) but that nothing
 * declares, it is declared with these values.
 */
struct kernel_file_revision;

struct kernel_file_options {
	const char *const *lines;
	size_t line_count;
	const char *const *flags; /* added after the flags of every variant */
	size_t flag_count;
	const char *standard; /* NULL: that of the files */
	const char *compiler; /* "nvcc" or "nvrtc"; NULL: that of the files */
	const char *const *axis_names, *const *axis_values; /* "block", "64..1024" */
	size_t axis_count;
	const struct kernel_file_revision *revision; /* NULL: the files as they are */
};

/*
 * The files as they were in a revision of their repository. What the files and the options name
 * below `root` is taken from `tree` if it is there, else from `root`: sources, include folders,
 * sidecars. Data with the same content are those of `root`, so that both versions of a kernel use
 * the same buffers, and a command of `verify by` is that of `root`. A capture has no revisions: its
 * recorded launch is left out. Each variant has the name that variant_name_at() gives, and messages
 * call a file "saxpy.cu@1a2b3c4d".
 */
struct kernel_file_revision {
	const char *root, *tree; /* absolute */
	const char *mark;        /* "1a2b3c4d" */
	const char *operation;   /* the name of the kernel */
};

/* Owns every string and table of its kernel. */
struct kernel_file;

/*
 * Reads the files as variants of one operation. `options` may be NULL. What the
 * first file with a launch declares holds for the others unless they declare
 * their own. The descriptor is complete: names are unique and short enough, every
 * name in an expression is an axis or a device limit, and every variant has a
 * source and a check. Values are not computed, so a division by zero is found
 * later.
 *
 * Returns 0 and sets *out, which the caller frees. Returns PL_EPARSE ("FILE:LINE:
 * …"), PL_EUSAGE (the paths or the options), PL_ENOENT, PL_EIO or PL_ENOMEM, and
 * leaves *out untouched.
 */
int kernel_files_read(struct kernel_file **out, const char *const *paths, size_t count,
		      const struct kernel_file_options *options, struct error *err);
const struct kernel *kernel_file_kernel(const struct kernel_file *file);
/*
 * Returns the number of files that the kernel is made of, each once, as absolute
 * paths: the sources with their sidecars in the order of the paths, then the
 * files that annotations name: sources of references, contents of buffers,
 * expected results. The first is a source. Headers are not among them. *paths
 * belongs to `file`.
 */
size_t kernel_file_inputs(const struct kernel_file *file, const char *const **paths);
void kernel_file_free(struct kernel_file *file); /* accepts NULL */

#endif
