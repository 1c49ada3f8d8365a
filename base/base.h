/*
 * base: the lowest module. Errors as values, growing text, checked parsing,
 * allocation, files and clocks; process.h starts other programs. It needs only
 * libc and knows nothing about kernels or measurements.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(string_index, first) __attribute__((format(printf, string_index, first)))

/*
 * Every error code: name, exit code of the program when the error reaches
 * cli/, cause. Functions return 0 or one of these codes. Exit codes: 1 finding,
 * 2 usage, 3 failure, 4 not possible on this machine or build.
 */
#define BASE_ERROR_LIST(X)                                                                  \
	X(PL_EUSAGE, 2, "the request is malformed or names something unknown")              \
	X(PL_EPARSE, 3, "untrusted input does not have the expected form")                  \
	X(PL_ENOENT, 3, "a file, or an entry in it, does not exist")                        \
	X(PL_EEXIST, 3, "the name already exists")                                          \
	X(PL_EIO, 3, "the operating system refused a read or a write")                      \
	X(PL_ENOMEM, 3, "there is not enough memory")                                       \
	X(PL_EBUSY, 3, "another process holds the resource")                                \
	X(PL_ECORRUPT, 3, "a stored file is damaged or has the wrong type")                 \
	X(PL_EVERSION, 3, "this build does not know the version of the file or the worker") \
	X(PL_EPROTOCOL, 3, "a worker violated the protocol")                                \
	X(PL_EWORKER, 3, "a worker died or stopped answering")                              \
	X(PL_EDEVICE, 3, "the device reported an error")                                    \
	X(PL_EINTERRUPTED, 3, "the user interrupted")                                       \
	X(PL_EUNSUPPORTED, 4, "this build or machine does not support the operation")

enum base_error_code {
	PL_OK = 0,
#define X(name, exit_code, cause) name,
	BASE_ERROR_LIST(X)
#undef X
};

/* Return the name ("PL_EBUSY") and the exit code of an error code. Code 0 gives "PL_OK" and 0. */
const char *error_code_name(int code);
int error_exit_code(int code);

/*
 * An error: a code and one line of text that names the object, the cause and
 * the remedy. It starts as all zeroes and owns nothing. A function that
 * succeeds does not touch it, so calls can be chained with ||. Text that is too
 * long is cut.
 */
struct error {
	int code;
	char text[1024];
};

/* Sets *err (err may be NULL) and returns code. */
int error_set(struct error *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Prefixes "context: " to the text of an error that is already set. Returns code. Code 0 leaves
 * *err unchanged. */
int error_context(struct error *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Small allocations: these abort when memory runs out. Use malloc() for sizes that a user chose. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *pointer, size_t size);
/* Like reallocarray(), but aborts. *capacity grows geometrically to at least `needed` elements. */
void *xgrow(void *pointer, size_t *capacity, size_t needed, size_t element_size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2);
char *xvasprintf(const char *format, va_list args) PRINTF_LIKE(1, 0);

/*
 * Growing text. Invariants: `data` is a C string (never NULL after TEXT_INIT),
 * and `length` excludes its terminator. text_release() frees the memory and
 * resets the text to TEXT_INIT.
 */
struct text {
	char *data;
	size_t length;
	size_t capacity;
};
extern char text_empty[];
#define TEXT_INIT                  \
	{                          \
		.data = text_empty \
	}

void text_release(struct text *text);
void text_clear(struct text *text); /* empties the text and keeps the memory */
void text_add(struct text *text, const char *bytes);
void text_add_bytes(struct text *text, const void *bytes, size_t length);
void text_add_char(struct text *text, char c);
void text_addf(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
/* Returns the string, which the caller frees. *text is TEXT_INIT afterwards. */
char *text_detach(struct text *text);

/*
 * Adds untrusted text for one line of a terminal. C0 and C1 controls, DEL, bytes that are not
 * UTF-8, and characters that reorder or hide text become \n, \t or \xNN.
 */
void text_add_escaped(struct text *out, const char *text);
/* Returns the length of the valid UTF-8 character at `text` and sets its code point. 0: there is no
 * valid character. */
size_t utf8_next(const char *text, uint32_t *point);
/* Whether a character is invisible, or reorders or joins the text around it. */
bool utf8_is_hidden(uint32_t point);

/* Whether the text is longer than the suffix and ends with it: a file name with an extension. */
bool has_suffix(const char *text, const char *suffix);
/* Whether the text has the name between characters that names cannot have: "n" in "2 * n". */
bool has_whole_word(const char *text, const char *name);

/* Splits a text in place into its lines, without blanks at their ends and with tabs as blanks. The
 * pointers into the text are malloc'd; NULL: there is no line. */
char **text_split_lines(char *text, size_t *count);

/* A list that owns its strings. All zeroes is an empty list. */
struct string_list {
	char **items;
	size_t count;
	size_t capacity;
};
void string_list_add(struct string_list *list, const char *item);
void string_list_add_bytes(struct string_list *list, const char *item, size_t length);
void string_list_addf(struct string_list *list, const char *format, ...) PRINTF_LIKE(2, 3);
bool string_list_has(const struct string_list *list, const char *item);
void string_list_release(struct string_list *list);
/* Splits at every `separator` and keeps empty pieces ("" gives one empty piece). */
void string_list_split(struct string_list *list, const char *text, char separator);

struct indexed_name {
	const char *name; /* NULL: free */
	size_t at;
};
/*
 * Finds the position of a name in a list in constant time. All zeroes is empty. The names are
 * borrowed: they must stay at their addresses.
 */
struct name_index {
	struct indexed_name *slots;
	size_t slot_count, count;
};
#define NO_NAME SIZE_MAX
/* The position that was added with the name; NO_NAME: it was not added. */
size_t name_index_find(const struct name_index *index, const char *name);
/* Adds a name that is not there yet. */
void name_index_add(struct name_index *index, const char *name, size_t at);
void name_index_release(struct name_index *index);

/* A value of any type: a cell of a table of the database. */
enum value_kind { VALUE_NONE, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BYTES };
struct any_value {
	enum value_kind kind;
	int64_t integer;
	double real;
	const void *bytes; /* VALUE_TEXT, VALUE_BYTES: borrowed, may contain NUL bytes */
	size_t length;
};

/*
 * Checked parsing of a whole string: no blanks, no sign for unsigned numbers,
 * no trailing bytes, no overflow. On failure these return PL_EUSAGE and leave
 * *out unchanged.
 */
int parse_i64(int64_t *out, const char *text, struct error *err);
int parse_u64(uint64_t *out, const char *text, struct error *err);
/* Accepts only finite decimal numbers: "0.5", "1e-3". */
int parse_double(double *out, const char *text, struct error *err);
/*
 * Parses a size, a whole number of at most 2^62: "4096"; "1e6", "1.5e6"; "16k", "1M", "1.5G"
 * (powers of 1000); "16Ki", "16Mi", "2Gi", "1Ti" (powers of 1024); "2^24". The message suggests
 * what "1MB", "16K", "2**20", "1_000" or "0x100" was meant to be.
 */
int parse_size(int64_t *out, const char *text, struct error *err);
/*
 * Parses a duration of at most 100 days into nanoseconds: "50ns", "250us", "10ms", "1.5s",
 * "2min". A number without a unit is in seconds.
 */
int parse_duration_ns(int64_t *out, const char *text, struct error *err);
/* Parses at least one byte, two hex digits each: "00ff". The caller frees *out. */
int parse_hex_bytes(unsigned char **out, size_t *count, const char *text, struct error *err);
/* Parses a ratio greater than 0 and less than 1: "0.5%" or "0.005". */
int parse_ratio(double *out, const char *text, struct error *err);

/*
 * Finds the names nearest to `word` by edit distance, for "did you mean".
 * Writes "a, b or c" and returns true, or returns false if no name is near. It
 * names at most three, and none at a distance over a third of the word's length.
 */
bool nearest_names(struct text *out, const char *word, const char *const *names, size_t count);
/* Whether a pattern with '*' and '?' matches the whole name. */
bool glob_matches(const char *pattern, const char *name, bool any_case);
/* Shell-style match with '*' and '?', case-insensitive. A pattern without either matches any
 * substring. */
bool pattern_matches(const char *pattern, const char *name);

/* Monotonic and wall clocks. A process reads the system's wall clock once, so that the difference
 * of two wall times is a duration also if that clock is set meanwhile. If PERFLAB_EPOCH_NS is set,
 * wall_time_ns() returns it: tests freeze time this way. */
int64_t monotonic_ns(void);
int64_t wall_time_ns(void);
/* Formats a wall time as "2026-11-21T02:50:45Z". */
void format_utc(char out[21], int64_t wall_ns);

/* Makes an identifier of 32 random hex digits. PL_EIO. */
int uid_make(char out[33], struct error *err);

/* Human-readable amounts: "512 B", "64.0 MiB"; "74.3 us", "1.20 ms". */
void format_bytes(char out[32], double bytes);
void format_duration(char out[32], double nanoseconds);

/*
 * Opens a regular file for reading. Every file that somebody else may have made is opened by this
 * function: a pipe would never end, and neither does a device. PL_ENOENT, PL_EIO, or PL_EPARSE if
 * it is no regular file.
 */
int file_open(int *fd, const char *path, struct error *err);
/* Opens a file as file_open() does, as a stream. */
int file_open_stream(FILE **out, const char *path, struct error *err);
/*
 * Reads a whole regular file. *out is malloc'd, has *length bytes, and a NUL follows them. Returns
 * 0, PL_ENOENT, PL_EIO, PL_ENOMEM, or PL_EPARSE if it is no regular file or holds more than `limit`
 * bytes.
 */
int read_file(char **out, size_t *length, const char *path, size_t limit, struct error *err);

/* Opens /dev/null as each of standard input, output and error that is closed, so that no other file
 * gets its number. Reading such an input or writing such an output fails with EBADF, as before;
 * messages are dropped. Called first in main(). false: there is no /dev/null. */
bool standard_streams_open(void);

/* Makes an empty folder NAME-XXXXXX in $TMPDIR, else in /tmp. The caller frees *out. PL_EIO: *out
 * is NULL. */
int temporary_folder_make(char **out, const char *name, struct error *err);
/* Makes a folder as temporary_folder_make() does, with a lock that ends with this process: *lock is
 * its descriptor, or -1 if the file system has none. What another process left behind is removed
 * first. */
int held_folder_make(char **out, int *lock, const char *name, struct error *err);
/* Removes folders of held_folder_make() whose process has ended. */
void held_folders_clean(const char *name);
/* Removes a folder and all in it that can be removed. Links are not followed. */
void folder_remove(const char *path);

/* The number of processors that this process may use: a batch system may grant fewer than there
 * are. At least 1. */
int usable_processors(void);
/* Physical memory, or the limit of the container if that is lower. 0: unknown. */
int64_t machine_memory_bytes(void);
/* What this process can still use of it, as the system estimates it. */
int64_t available_memory_bytes(void);

/*
 * Finds a file of the installation. `out` gets the absolute path of `name` in
 * the folder that contains the bin/ of the running program, so an unpacked
 * archive works in any place.
 */
int install_path(struct text *out, const char *name, struct error *err);

#endif
