/*
 * init_source: writes first annotations for a file of a user. It compiles the file to learn its
 * kernels; no GPU is needed. From a capture it writes a first replacement.
 */
#ifndef HARNESS_SESSION_INIT_SOURCE_H
#define HARNESS_SESSION_INIT_SOURCE_H

#include "base/base.h"

/* All memory is borrowed. */
struct init_request {
	const char *file;                /* a .cu or .ptx */
	const char *arch;                /* "sm_90" */
	const struct string_list *flags; /* for the compiler; paths are from the current folder */
	const char *sidecar;             /* which the result is written to; NULL: beside the file */
	const char *standard;            /* "c++17"; NULL: the default of the compiler */
	const char *compiler;            /* "nvcc" or "nvrtc"; NULL: either */
};

struct init_result {
	struct text annotations; /* of a sidecar */
	struct text messages;    /* what the compiler wrote, also after an error */
	size_t launches;         /* 0: there are only templates and kernels without a launch */
	size_t templates;        /* kernels for which a person has to choose an instance */
};

/*
 * The caller releases *out, also after an error. PL_EUSAGE another kind of file; PL_ENOENT no file,
 * or no kernel in it; PL_EEXIST the file has annotations already; PL_EPARSE it does not compile;
 * PL_EUNSUPPORTED no compiler; the other errors of compile_one().
 */
int init_source(struct init_result *out, const struct init_request *request,
		const volatile int *stop, struct error *err);

/*
 * Writes the skeleton of a kernel that replaces that of a capture. Nothing is
 * compiled. The caller releases *out. The errors of capture_open(); PL_EUSAGE:
 * the name does not end in .capture.
 */
int init_replacement(struct text *out, const char *capture, struct error *err);

void init_result_release(struct init_result *result);

#endif
