/*
 * sources: the files of a user: what a plan wants compiled, the match of its launches with the
 * compiled entries, the facts about the files that a run stores, and first annotations for a new
 * file.
 */
#ifndef HARNESS_SOURCES_SOURCES_H
#define HARNESS_SOURCES_SOURCES_H

#include "base/base.h"
#include "compile/compile.h"
#include "kernels/kernels.h"
#include "kernels/user/kernel_file.h"
#include "metrics/metrics.h"

/* ---- compile_jobs.c ---- */

/*
 * What the cases of a plan want compiled, and the fewest compilations that give it.
 *
 * Wants with the same source, flags, macros, standard, compiler and architecture share one
 * compilation, for all of their kernels. If it fails because of a kernel of one want, each want is
 * compiled apart, so that only the wants that are wrong fail.
 */

/* Kernels that some cases take from one file. */
struct compile_want {
	struct string_list entries;
	size_t job;
	char *key;
};

struct compile_jobs {
	struct compile_want *wants;
	struct compile_job *jobs;
	char **keys; /* of each job: what its wants share */
	bool *apart; /* of each job: it failed, and its wants were compiled apart */
	size_t want_count, want_capacity;
	size_t job_count, job_capacity, key_capacity, apart_capacity;
};

/* The compiler that a source names. */
enum compile_tool compile_tool_of(const struct kernel_source *source);

void compile_jobs_release(struct compile_jobs *list);

/* Returns the index of the want. Takes over the lists of *request; the strings stay borrowed. */
size_t compile_jobs_want(struct compile_jobs *list, struct compile_request *request);

/* Compiles everything that is wanted; see compile_many(). Failures are in the jobs. */
void compile_jobs_run(struct compile_jobs *list, const volatile int *stop,
		      compile_progress *progress, void *context);

/* The compilation that decides over a want. */
const struct compile_job *compile_jobs_of(const struct compile_jobs *list, size_t want);

/* ---- launches and symbols of a case, and the entries and variables of an image: bind_launches.c
 * ---- */

/*
 * Replaces the name of each entry by its name in the image, and gives each
 * argument without a type the type of its parameter. PL_EUSAGE, with the entry
 * and the parameter, if the number, size or kind of the arguments does not
 * match: a launch with such arguments would read other memory. The types in the
 * mangled name of an entry count, too: an int holds no 2^31.
 */
int bind_launches(struct case_launch *launches, size_t count, const struct case_buffer *buffers,
		  const struct compiled *compiled, struct error *err);
/*
 * Finds the variables that the symbols of a case name, in its image and in that of its check's
 * launches (NULL: it is the same). A variable that the latter lacks is not set there. PL_ENOENT,
 * PL_EUSAGE: see compiled_variable_find(); also the errors of compiled_variables_read().
 */
int bind_symbols(struct launch_case *launch, struct compiled *own, struct compiled *of_check,
		 struct error *err);
/*
 * The first entry of the launches, not yet bound, that gets a texture or surface (`passed`), or
 * that has instructions for them but gets none, so that any number that its launch gives as a
 * handle is made up; NULL: none.
 */
const char *launches_with_textures(const struct case_launch *launches, size_t count,
				   const struct compiled *compiled, bool passed);

/* ---- source_facts.c ---- */

/*
 * The path and the content of each file that the kernels of a user
 * are made of, among the facts of a run: source.1, source.1.hash and so on; and how
 * each variant is verified: source.check.KERNEL/VARIANT.
 */

/* Whether a fact is the hash of a file. */
bool source_fact_is_hash(const char *key);
/* Adds every file that `files` (NULL: none) is made of, and every check. A file that cannot be read
 * has no hash. */
void source_facts_add(struct key_value_list *facts, const struct kernel_file *files);
/* PL_EUNSUPPORTED: the files are not those of the run, or have other contents. */
int source_facts_check(const struct run *run, const struct key_value_list *facts,
		       struct error *err);
/* PL_EIO: the content of a file has changed since the facts were taken. */
int source_facts_check_unchanged(const struct key_value_list *facts, struct error *err);
/* Adds every file of a run, by its path: "" if its content is that of the run, else what happened
 * to it, to follow "the file ". */
void source_facts_compare(struct key_value_list *out, const struct run *run);
/* The first file of the user that a run measured; NULL: it measured built-in kernels. */
const char *source_facts_first(const struct run *run);

/* Sets *out to the folder below which source files are looked for that have no absolute name:
 * $PERFLAB_SOURCE_DIR, else the installed source of the built-in kernels. Returns false if there is
 * neither. */
bool source_folder(struct text *out);

/* ---- init_source.c ---- */

/*
 * Writes first annotations for a file of a user. It compiles the file to learn its
 * kernels; no GPU is needed. From a capture it writes a first replacement.
 */

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
