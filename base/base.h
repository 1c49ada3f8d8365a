/*
 * base: what every room stands on. Errors as values, growing text, checked
 * parsing, allocation, and clocks. libc only; no word of the domain.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(string_index, first) __attribute__((format(printf, string_index, first)))

/*
 * Every error code: its name, the exit code of the program when it reaches
 * cli/, and its cause. Functions return 0 or one of these; exit codes are
 * 1 finding, 2 usage, 3 failure, 4 not possible here.
 */
#define BASE_ERROR_LIST(X)                                                                  \
	X(PL_EUSAGE, 2, "the request is malformed or names something unknown")              \
	X(PL_EPARSE, 3, "bytes from outside are not in the expected form")                  \
	X(PL_ENOENT, 3, "a file, or what should be in it, does not exist")                  \
	X(PL_EEXIST, 3, "something of that name exists already")                            \
	X(PL_EIO, 3, "the operating system refused a read or a write")                      \
	X(PL_ENOMEM, 3, "memory of the requested size is not to be had")                    \
	X(PL_EBUSY, 3, "another process holds what is needed")                              \
	X(PL_ECORRUPT, 3, "a stored file is damaged or is not what it should be")           \
	X(PL_EVERSION, 3, "a file or a peer is of a version that this build does not know") \
	X(PL_EPROTOCOL, 3, "a worker did not keep to the protocol")                         \
	X(PL_EWORKER, 3, "a worker died or stopped answering")                              \
	X(PL_EDEVICE, 3, "the device reported an error")                                    \
	X(PL_EINTERRUPTED, 3, "the user interrupted")                                       \
	X(PL_EUNSUPPORTED, 4, "this build or machine cannot do that")

enum base_error_code {
	PL_OK = 0,
#define X(name, exit_code, cause) name,
	BASE_ERROR_LIST(X)
#undef X
};

/* The name ("PL_EBUSY") and the exit code of an error code; code 0 gives "PL_OK" and 0. */
const char *error_code_name(int code);
int error_exit_code(int code);

/*
 * An error: a code and one line of text that names the thing, the cause and
 * the remedy. It starts as all zeroes, owns nothing, and is untouched by a
 * function that succeeds, so that calls chain with ||. Text over the size is
 * cut, never overrun.
 */
struct error {
	int code;
	char text[1024];
};

/* Sets *err (NULL is fine) and returns code. */
int error_set(struct error *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Prefixes "context: " to the text of an error already set. Returns code; code 0 leaves *err alone.
 */
int error_context(struct error *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Small allocations: these abort on exhaustion. Sizes that a user chose go through malloc(). */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *pointer, size_t size);
/* reallocarray with abort; *capacity grows geometrically to hold at least `needed` elements. */
void *xgrow(void *pointer, size_t *capacity, size_t needed, size_t element_size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2);

/*
 * Growing text. `data` is always a C string (never NULL after TEXT_INIT) and
 * `length` excludes its terminator. text_release() returns it to TEXT_INIT.
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
void text_clear(struct text *text); /* empties, keeps the memory */
void text_add(struct text *text, const char *bytes);
void text_add_bytes(struct text *text, const void *bytes, size_t length);
void text_add_char(struct text *text, char c);
void text_addf(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
/* Gives the string to the caller, who frees it; *text is TEXT_INIT afterwards. */
char *text_detach(struct text *text);

/* A list of owned strings. All zeroes is an empty list. */
struct string_list {
	char **items;
	size_t count;
	size_t capacity;
};
void string_list_add(struct string_list *list, const char *item);
bool string_list_has(const struct string_list *list, const char *item);
void string_list_release(struct string_list *list);
/* Splits at every `separator`; empty pieces are kept ("" gives one empty piece). */
void string_list_split(struct string_list *list, const char *text, char separator);

/* A value of any type, as a row of any table has it. */
enum value_kind { VALUE_NONE, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BYTES };
struct any_value {
	enum value_kind kind;
	int64_t integer;
	double real;
	const void *bytes; /* of a text or of bytes, borrowed; either may hold NULs */
	size_t length;
};

/*
 * Checked parsing of a whole string: no blanks, no sign where unsigned, no
 * trailing bytes, no overflow. *out is untouched on failure; PL_EUSAGE.
 */
int parse_i64(int64_t *out, const char *text, struct error *err);
int parse_u64(uint64_t *out, const char *text, struct error *err);
/* Finite decimals only: "0.5", "1e-3". */
int parse_double(double *out, const char *text, struct error *err);
/*
 * A size: "4096"; "16k", "1M", "2G" by 1000; "16Ki", "16Mi", "2Gi", "1Ti" by 1024; "2^24".
 * At most 2^62.
 */
int parse_size(int64_t *out, const char *text, struct error *err);
/*
 * A duration in nanoseconds: "50ns", "250us", "10ms", "1.5s", "2min"; a bare number is
 * seconds. At most 100 days.
 */
int parse_duration_ns(int64_t *out, const char *text, struct error *err);
/* A ratio: "0.5%" or "0.005". Greater than 0, less than 1. */
int parse_ratio(double *out, const char *text, struct error *err);

/*
 * The names nearest to `word` by edit distance, for "did you mean". Writes
 * "a, b or c" (at most three, none further than a third of the word) and
 * returns true; false if nothing is near.
 */
bool nearest_names(struct text *out, const char *word, const char *const *names, size_t count);
/* Shell-style match: '*' and '?'; a pattern without either matches anywhere inside.
 * Case-insensitive. */
bool pattern_matches(const char *pattern, const char *name);

/* Monotonic and wall clocks. wall_time_ns() obeys PERFLAB_EPOCH_NS (tests freeze time with it). */
int64_t monotonic_ns(void);
int64_t wall_time_ns(void);
/* "2026-11-21T02:50:45Z" of a wall time; out holds at least 21 bytes. */
void format_utc(char out[21], int64_t wall_ns);

/* Bytes for a person: "512 B", "64.0 MiB"; nanoseconds: "74.3 us", "1.20 ms"; out holds 32 bytes.
 */
void format_bytes(char out[32], double bytes);
void format_duration(char out[32], double nanoseconds);

/*
 * Reads a whole file; *out is malloc'd and NUL-terminated beyond *length. PL_ENOENT, PL_EIO,
 * or PL_EPARSE when it holds more than `limit` bytes.
 */
int read_file(char **out, size_t *length, const char *path, size_t limit, struct error *err);

/*
 * Where this program's own files are. `out` gets the absolute path of `name`
 * under the installation (the folder above the running program's bin/),
 * so that an unpacked archive works wherever it lies.
 */
int install_path(struct text *out, const char *name, struct error *err);

#endif
