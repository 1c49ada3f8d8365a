/* What the files of compile/ share. */
#ifndef COMPILE_COMPILE_PARTS_H
#define COMPILE_COMPILE_PARTS_H

#include <time.h>

#include "base/hash.h"
#include "capture/capture.h"
#include "compile/compile.h"

#define COMPILE_TEXT_LIMIT ((size_t)64 * 1024)
/* nvcc writes its arguments into commands of a shell, and these keep their meaning there */
#define COMPILE_SHELL_BYTES "\"$`\\"
#define COMPILE_IMAGE_LIMIT ((size_t)1 << 30)

/* ---- the compilers of this machine (tools.c) ---- */

/* Absolute paths; "" for one that is not there. The identity changes when the compiler does. */
struct compile_tools {
	struct text helper;   /* perflab-nvrtc */
	struct text nvrtc;    /* libnvrtc.so */
	struct text includes; /* the headers of the toolkit of NVRTC */
	struct text headers;  /* perflab's headers of the C library for NVRTC (headers/) */
	struct text nvcc;
	struct text ptxas;
	struct text nvrtc_identity, nvcc_identity;
};
void compile_tools_find(struct compile_tools *tools);
void compile_tools_release(struct compile_tools *tools);

/* ---- a program that runs (translation.c) ---- */

enum tool_end {
	TOOL_DONE,
	TOOL_FAILED,
	TOOL_NOT_STARTED,
	TOOL_TOO_SLOW,
	TOOL_TOO_LARGE,
	TOOL_STOPPED
};
/* perflab-nvrtc is built as perflab is, and a sanitizer reserves more address space than any limit
 * allows. */
#if defined(__SANITIZE_ADDRESS__)
#define COMPILE_TOOLS_LIMITED 0
#elif defined(__has_feature)
#define COMPILE_TOOLS_LIMITED \
	(!__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer))
#else
#define COMPILE_TOOLS_LIMITED 1
#endif
/* The address space that each process of a compiler may have: $PERFLAB_COMPILE_MEMORY, else half of
 * the memory of the machine, but 2 to 8 GiB. PL_EUSAGE: the variable is malformed. */
int compile_memory_limit(int64_t *bytes, struct error *err);

struct translation;
/*
 * Runs argv in the work folder, which is also its TMPDIR. `said` gets its stdout and stderr, cut at
 * COMPILE_TEXT_LIMIT. It is killed with all that it started after the limit of the request or when
 * *stop is set. TOOL_TOO_LARGE: it failed, and said that it got no memory or had used half of
 * compile_memory_limit().
 */
enum tool_end tool_run(struct text *said, const struct string_list *argv,
		       const struct translation *in);

/* ---- flags (flags.c) ---- */

/*
 * Adds the flags of a request as a compiler takes them, with absolute folders. `folders` gets the
 * include folders. PL_EUSAGE for a flag, a macro or a standard that is refused; PL_EUNSUPPORTED for
 * a flag that NVRTC does not have.
 */
int compile_flags_add(struct string_list *argv, struct string_list *folders,
		      const struct compile_request *request, enum compile_tool tool,
		      struct error *err);

/* compile_flags_add(), of which only the error matters. */
int compile_flags_check(const struct compile_request *request, enum compile_tool tool,
			struct error *err);

/* Adds what the flags of a request mean to ptxas: the number of registers and -Xptxas. The flags
 * must have passed compile_flags_add(). */
void compile_ptxas_flags_add(struct string_list *argv, const struct compile_request *request);

/* ---- one translation (translation.c, translate.c, with_nvrtc.c, with_nvcc.c) ---- */

/* `read` are files that the compiler read; `absent` are names that it tried and that were not
 * there, or that would be read instead if they were. All are absolute paths. */
struct translation {
	const struct compile_request *request;
	const struct compile_tools *tools;
	const volatile int *stop; /* may be NULL */
	const char *work; /* folder for temporary files; image.ptx and image.cubin are made in it */
	const char *sources; /* folder for what nvcc compiles */
	const char *tool;
	struct string_list read, absent;
	struct string_list lowered; /* the name in the image of each instance; "": not known */
	struct text messages;
};
void translation_release(struct translation *translation);
int translate(struct translation *out, struct error *err);
int translate_with_nvrtc(struct translation *out, struct error *err);
int translate_with_nvcc(struct translation *out, struct error *err);
/* Writes a file of the work folder. PL_EIO. */
int work_file_write(struct translation *out, const char *name, const void *bytes, size_t length,
		    struct error *err);
/* The error of a tool that did not end well; 0 for TOOL_DONE. */
int translation_end(struct translation *out, enum tool_end end, const char *program,
		    struct error *err);
/* Replaces each `from` in the text behind `begin`. */
void messages_replace(struct text *text, size_t begin, const char *from, const char *to);
/* Reads the rule of a make file that lists what a compiler read. */
void make_rule_read(struct string_list *files, const char *text);

/* ---- tokens of PTX, and bounds (ptx_scan.c) ---- */

/* A position in a text that is ended by NUL. `token` is empty at the end. Begin with `next` and a
 * `line` of 1. */
struct ptx_scan {
	const char *next;
	const char *token;
	size_t length;
	size_t line;
};
/* Moves to the next token: a word, a quoted text or one other character. */
void ptx_scan_next(struct ptx_scan *scan);
bool ptx_scan_is(const struct ptx_scan *scan, const char *token);
bool ptx_word_byte(char c); /* of names, opcodes, directives, registers and numbers */

/* Refuses declarations for which ptxas and the driver would take gigabytes. `text`
 * is ended by NUL. PL_EPARSE with the line. */
int ptx_bounds_check(const char *text, struct error *err);

/* ---- entries (ptx_entries.c, ptx_access.c, cubin_entries.c, entry_names.c) ---- */

struct entry_list {
	struct compiled_entry *items;
	size_t count, capacity;
};
void entry_list_release(struct entry_list *list);
void compiled_entry_release(struct compiled_entry *entry);

/* Reads the header of each kernel that a PTX text defines. PL_EPARSE with the line. `text` is ended
 * by NUL. On failure *out is empty. */
int ptx_entries_read(struct entry_list *out, const char *text, struct error *err);
/* Sets `access` of the entries from a PTX text. `text` is ended by NUL, and may be malformed. */
void ptx_access_read(struct compiled_entry *entries, size_t count, const char *text);
/* Reads the kernels of a cubin. PL_EPARSE if it is none. On failure *out is empty. */
int cubin_entries_read(struct entry_list *out, const void *bytes, size_t length, struct error *err);
/* Whether a device of `wanted` executes such code. True if the code is not known. */
bool cubin_arch_runs_on(int arch, int wanted);
int compile_arch_number(const char *arch); /* 90 of "sm_90a" */

/* Whether a person means `name` of an image by `wanted`. 3: it is that name; 2: the whole name in
 * the source ("ns::scale"); 1: its end ("scale"); 0: no. Template arguments do not matter. */
int image_name_match(const char *name, const char *wanted);
/* The names that match best so far. Begins as all zeroes. */
struct name_choice {
	int match;    /* of image_name_match() */
	size_t found; /* how many match so well */
	size_t index; /* of the first of them */
};
void name_choice_take(struct name_choice *choice, size_t index, const char *name,
		      const char *wanted);
bool entry_is_instance(const char *wanted); /* a template instance: "k<float>" */
int entry_wanted_check(const char *wanted, struct error *err);
/* The number of entries that `wanted` may mean; *index is the first of them. */
size_t entry_find(size_t *index, const struct entry_list *list, const char *wanted);
/* Puts the wanted entries, or all if none are wanted, into `out`; *from is empty afterwards.
 * `lowered` has the names in the image of the wanted instances; "": not known. */
int entries_choose(struct entry_list *out, struct entry_list *from,
		   const struct compile_request *request, const struct string_list *lowered,
		   struct error *err);

/* ---- variables (variables.c, cubin_entries.c) ---- */

/* Adds the names of the variables in global and constant memory. What is no declaration is
 * skipped. */
void ptx_variables_read(struct string_list *out, const char *text);
/* Adds the names of the variables of a cubin. PL_EPARSE: it is none. */
int cubin_variables_read(struct string_list *out, const void *bytes, size_t length,
			 struct error *err);

/* ---- registers and memory of entries (translate.c) ---- */

/* Appends what ptxas allocates for each entry to image.ptx. Appends nothing if there is no ptxas or
 * it refuses the PTX. PL_EINTERRUPTED; PL_EIO the file cannot be written. */
int entry_resources_append(const struct translation *translation, struct error *err);
/* Adds these lines from what `ptxas -v` said. They name sm_90a as sm_90. */
void entry_resources_read(struct text *out, const char *said, const char *arch);

/* ---- the cache (cache.c, cache_key.c, cache_limit.c) ---- */

struct cache_file {
	char *path;
	char hash[HASH_TEXT_BYTES]; /* "" if there must be no such file */
};
/* What is known of an image in the cache: its files and what they were made of. */
struct cache_record {
	char *tool, *messages;
	char ptx_hash[HASH_TEXT_BYTES], cubin_hash[HASH_TEXT_BYTES]; /* "" for none */
	struct cache_file *files;
	size_t file_count, file_capacity;
	struct string_list lowered;
};
void cache_record_release(struct cache_record *record);
/* Adds a file; hash "" says that there must be none. */
void cache_record_file(struct cache_record *record, const char *path, const char *hash);
void cache_record_write(struct text *out, const struct cache_record *record);
/* PL_ECORRUPT if the text is not exactly what cache_record_write() writes. */
int cache_record_read(struct cache_record *out, const char *text, struct error *err);

/* Sets *root to the folder of the cache; `asked` may be NULL. PL_EUSAGE. */
int cache_root(struct text *root, const char *asked, struct error *err);
/* The folder of a request in the cache. PL_EUSAGE if the user has no cache folder. */
int cache_folder(struct text *root, struct text *folder, const struct compile_request *request,
		 const struct compile_tools *tools, struct error *err);
/* Makes a folder that only this user can enter, and the folders above it. */
int cache_folder_make(const char *path, struct error *err);
/* Makes the folder of the cache. PL_EUSAGE if it is not only this user's, or holds what perflab did
 * not make. */
int cache_open(const char *root, struct error *err);
#define CACHE_LOCK "lock"
/* Characters in the name of a work folder, and of the images that come from it. */
#define CACHE_STEM_LENGTH 6
bool time_is_later(const struct timespec *a, const struct timespec *b);
/* Sets *err for a path below the cache that cannot be written, from errno. */
int cache_write_error(const char *path, struct error *err);

/* Finds the record in `folder` whose files are all as they were. Returns false if there is none. */
bool cache_find(struct cache_record *out, struct text *stem, const char *folder);
/*
 * Moves image.ptx and image.cubin of a translation into `folder` and writes the record. `stem` gets
 * the path of the images without its ending. If a file that was read changed since `started`
 * (CLOCK_REALTIME_COARSE), the images are kept and no later request will find them.
 */
int cache_store(struct text *stem, const char *folder, const struct translation *translation,
		const struct timespec *started, struct error *err);

#endif
