/*
 * compile: translates a CUDA file of a user to PTX and, if wanted, to a cubin,
 * and keeps the results in a cache. It calls NVRTC (through the program
 * perflab-nvrtc) and nvcc; perflab itself links no CUDA. No GPU is needed.
 *
 * Invariants: the result depends only on the request, the compilers and the
 * files that they read; a change of any of these is noticed. An image in the
 * cache never changes after it was written. Code always has line information.
 * Nothing here runs a shell. All functions may be called from several threads.
 */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "base/base.h"

#define COMPILE_LIMIT_NS (300 * INT64_C(1000000000))

enum compile_tool { COMPILE_AUTO, COMPILE_NVRTC, COMPILE_NVCC };

/* All memory is borrowed. */
struct compile_request {
	/* absolute path: a .cu or .cuh; or a .ptx (ptxas makes the cubin, if it is there), or a
	 * .cubin (taken as it is), or a .capture (its machine code if arch executes that, else its
	 * PTX) */
	const char *source;
	const char *arch; /* "sm_90", "sm_90a" */
	bool cubin;       /* also make a cubin for arch; otherwise only PTX */
	/* A .ptx of perflab's own: also for an arch older than its .target, and PTX that ptxas
	 * refuses, perhaps because it is older, is left to the driver */
	bool built_in;
	enum compile_tool tool;     /* AUTO: NVRTC, then nvcc if NVRTC cannot compile the file */
	const char *standard;       /* "c++17", or NULL: the compiler's default */
	struct string_list defines; /* "ITEMS=4" */
	struct string_list flags;   /* "-Iinclude", "-use_fast_math"; see compile_flag_check() */
	struct string_list entries; /* the kernels wanted: "saxpy", "ns::k<float, 4>"; none: all */
	const char *cache;          /* folder; NULL: $PERFLAB_CACHE, $XDG_CACHE_HOME/perflab or
				     * ~/.cache/perflab */
	int64_t limit_ns;           /* for each compiler that is started; 0: COMPILE_LIMIT_NS */
};

/* What PTX says about a parameter. PARAMETER_BYTES is a struct, an array or a scalar whose type the
 * PTX leaves open (.b8 to .b128). */
enum parameter_class { PARAMETER_INTEGER, PARAMETER_REAL, PARAMETER_BYTES };

struct compiled_parameter {
	enum parameter_class class;
	size_t bytes, align;
};

/* Whether a kernel writes to the memory behind a parameter, and whether it reads there, too. */
enum pointer_access {
	POINTER_UNKNOWN,
	POINTER_NEVER_WRITTEN,
	POINTER_WRITTEN,
	POINTER_ONLY_WRITTEN
};

/* Whether a kernel reads the place of its thread or of its block along y and z. */
struct compiled_dimensions {
	bool thread_y, thread_z, block_y, block_z;
};

struct compiled_entry {
	char *wanted; /* as in the request; for an entry that nobody asked for: its name */
	char *name;   /* in the image: mangled, unless the kernel is extern "C" */
	struct compiled_parameter *parameters;
	size_t parameter_count;
	enum pointer_access *access; /* of each parameter; NULL before compiled_access_read() */
	struct compiled_dimensions dimensions; /* none before compiled_access_read() */
	/* The entry has an instruction for textures or surfaces, or it calls a function and a
	 * function of the file has one. A .cubin does not tell: false. */
	bool textures;
};

/* Paths are absolute paths in the cache. `ptx` is NULL for a .cubin, and for a .capture of which
 * the machine code is taken; `cubin` is NULL if none was asked for, or if there is only PTX and no
 * ptxas, or if ptxas refuses PTX that is built in (then `tool` is "ptxas"). A PTX without a cubin
 * ends in lines
 * "// perflab: entry NAME sm_90 registers R shared S local L" with what ptxas allocates for that
 * architecture, if there is a ptxas. Without PTX the parameters are all
 * PARAMETER_BYTES. */
struct compiled {
	char *ptx, *cubin;
	struct compiled_entry *entries; /* the wanted ones in the order of the request; or all */
	size_t entry_count;
	char *tool; /* "nvrtc", "nvcc", "ptxas"; "none" if the file was taken as it is */
	bool from_cache;
	char *messages;               /* warnings, as the compiler wrote them; "" for none */
	struct string_list variables; /* empty before compiled_variables_read() */
	bool variables_read;
};

void compiled_free(struct compiled *compiled);

/*
 * A process enters the cache before it compiles, and leaves it when it needs the images no more. If
 * no other process is in it, entering removes what was not used for the longest time, until the
 * cache has at most $PERFLAB_CACHE_LIMIT bytes (default: 1 GiB). `cache` is as in a request. It
 * waits for a process that removes, but for no more than 10 s; then compile_cache_folder() names a
 * folder for the requests in place of the cache, which lives until compile_cache_leave().
 * PL_EUSAGE: a malformed limit, also $PERFLAB_COMPILE_MEMORY, or a folder that others may write or
 * that holds what perflab did not make. PL_EIO: it cannot be made or written. PL_EINTERRUPTED.
 */
struct compile_cache_use;
int compile_cache_enter(struct compile_cache_use **out, const char *cache, const volatile int *stop,
			struct error *err);
/* NULL: the cache. */
const char *compile_cache_folder(const struct compile_cache_use *use);
void compile_cache_leave(struct compile_cache_use *use); /* accepts NULL */
/* Sets *out to a folder of the cache for files of revisions, and makes it. The errors of
 * compile_cache_enter(). */
int compile_cache_revisions(struct text *out, struct error *err);

/*
 * Returns 0 if perflab hands `flag` to a compiler. It hands over only flags
 * that neither write a file nor start a program: include folders and files,
 * macros, mathematics, registers, warnings, optimisation. A flag and its value
 * may be two items of the list ("-I", "include"). A relative folder is relative
 * to the folder of the source. Otherwise PL_EUSAGE, with the flag and a remedy.
 */
int compile_flag_check(const char *flag, struct error *err);

/* Checks the flags, macros and standard of a request for its compiler, and nothing else: the same
 * errors as compile_one(). Only the folder of `source` is used. */
int compile_options_check(const struct compile_request *request, struct error *err);

/*
 * Compiles one file. *out is the caller's and is freed with compiled_free().
 * `messages` (or NULL) gets what the compilers wrote when they refuse the file,
 * at most 64 KiB. `files` (or NULL) gets the absolute paths on which the result
 * depends, also if it is an error: what the compilers read, and names that they
 * would read if such files were there. *stop != 0 ends the compilers and the
 * call; stop may be NULL.
 *
 * PL_EUSAGE a malformed request or $PERFLAB_COMPILE_MEMORY, or a wanted kernel
 * that is not in the file, or that several kernels of the file match; PL_ENOENT
 * and PL_EIO the source cannot be read, or the cache cannot be written; PL_EPARSE
 * the file does not compile; PL_EIO a compiler took longer than the limit;
 * PL_ENOMEM it needs more memory than $PERFLAB_COMPILE_MEMORY; PL_EUNSUPPORTED
 * there is no compiler, or a .cubin or .capture is for another architecture;
 * PL_EINTERRUPTED stopped.
 */
int compile_one(struct compiled **out, struct text *messages, struct string_list *files,
		const struct compile_request *request, const volatile int *stop, struct error *err);

/*
 * Sets `access` and `dimensions` of every entry from the PTX, `access` for each value that can be a
 * pointer. A parameter is unknown if it leaves the kernel, by a call or in memory; all are if there
 * is no PTX. PL_EIO, PL_ENOMEM: the PTX cannot be read.
 */
int compiled_access_read(struct compiled *compiled, struct error *err);

/* Reads the names of the variables in global and constant memory, once. PL_EIO, PL_ENOMEM: the
 * image cannot be read; PL_EPARSE. */
int compiled_variables_read(struct compiled *compiled, struct error *err);
/*
 * Sets *name to the variable of the image that `wanted` means: its name in the image, or the one in
 * the source with or without its namespaces, if only one variable has it. The name lives as long as
 * *compiled, whose variables have been read. PL_ENOENT: there is none, PL_EUSAGE: there are
 * several; the error lists candidates.
 */
int compiled_variable_find(const char **name, const struct compiled *compiled, const char *wanted,
			   struct error *err);

/* Kernels of a cubin. */
struct cubin_kernels {
	const char *path;
	const struct string_list *entries;
	/* The folder of the sources. An assert() holds the path of its file; what follows this
	 * folder in it counts. NULL: all of the path counts. */
	const char *root;
};
/*
 * Whether these kernels of two cubins (the entry at each place of both lists) have equal machine
 * code, constants and facts, in the middle of equal functions, variables and constants. Names of
 * sources and lines count for nothing, other kernels of the cubins neither. false: they differ, or
 * may do so, or a file is no cubin that can be read.
 */
bool cubin_entries_are_same(const struct cubin_kernels *first, const struct cubin_kernels *second);

/* The compute capability of the code in a cubin, such as 90; 0: not known. */
int cubin_arch(const void *bytes, size_t length);

/* `compiled` is NULL if `error.code` is not 0. */
struct compile_job {
	struct compile_request request;
	struct compiled *compiled;
	struct text messages;     /* of a failure; see compile_one() */
	struct string_list files; /* see compile_one() */
	struct error error;
	int64_t took_ns;
};

/* A job ended; `done` jobs of `count` have ended so far. */
typedef void compile_progress(void *context, const struct compile_job *job, size_t done,
			      size_t count);

/*
 * Compiles jobs, `parallel` at a time (0: one per processor). A job that fails does not stop the
 * others. The callback (or NULL) is called from the calling thread. The caller fills `request` and
 * sets the rest to zero, and releases the jobs with compile_job_release(). Returns 0, or the first
 * error of the list of jobs.
 */
int compile_many(struct compile_job *jobs, size_t count, size_t parallel, const volatile int *stop,
		 compile_progress *progress, void *context, struct error *err);
void compile_job_release(struct compile_job *job);

#endif
