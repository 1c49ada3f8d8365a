/*
 * process: starts other programs, without a shell, and waits for them: git for
 * a revision, gnuplot for a picture, ncu and nsys for a profile, a compiler for
 * a kernel, a user's program for a check. argv is ended by NULL; a program
 * without a slash is looked for in PATH. No function leaves a process or a file
 * behind.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/base.h"

/* Adds a word as a shell reads it, quoted where needed. */
void shell_word(struct text *out, const char *word);

/* How long process_capture() waits for a program: all that it runs answer at once, unless a disk or
 * a network hangs. */
#define PROCESS_CAPTURE_LIMIT_NS (30 * INT64_C(1000000000))
/* Runs a program with its stdout in *out (at most `limit` bytes; the rest is dropped) and its
 * stderr discarded. PL_EIO when it cannot be started, does not exit with 0, or takes longer than
 * PROCESS_CAPTURE_LIMIT_NS: it is killed then. */
int process_capture(struct text *out, size_t limit, char *const *argv, struct error *err);
#define PROCESS_FILTER_LIMIT_NS (120 * INT64_C(1000000000))
/*
 * Runs a program with `input` on its stdin and takes its stdout in *out (malloc'd, NUL-terminated
 * beyond *length). PL_ENOENT there is no such program; PL_EIO it fails or prints nothing, with the
 * first line of its stderr; PL_EPARSE it prints more than `limit`.
 */
int process_filter(char **out, size_t *length, size_t limit, const struct text *input,
		   char *const *argv, struct error *err);
/* Runs a program on this one's stdin, stdout and stderr; *exit_code as a shell would report it.
 * Ctrl-C ends that program only. What it leaves running is killed: this process must have no other
 * child. PL_EIO when it cannot be started. */
int process_run(int *exit_code, char *const *argv, struct error *err);

/* This process's variables with these NAME=VALUE in place of those of the same name. The caller
 * frees the array only. NULL: no changes. */
char **environment_with(const struct string_list *variables);

/*
 * A program in the foreground: it has this process's stdin, stdout, stderr and
 * group, so Ctrl-C reaches it, and this process waits for its end. SIGTERM and
 * SIGHUP are passed on to it.
 */
struct watched_program {
	char *const *argv;
	const struct string_list *variables; /* NAME=VALUE, beside this process's; may be NULL */
	void (*look)(void *context); /* called ten times a second and at the end; may be NULL */
	void *context;
};
struct watched_end {
	int exit_code; /* as a shell reports it: 127 not found, 126 not executable */
	int signal;    /* that ended it; 0: none */
	int64_t wall_ns;
};
/* PL_ENOENT: there is no such program. PL_EIO: it cannot be started. *end is set in any case. */
int process_watched(struct watched_end *end, const struct watched_program *program,
		    struct error *err);

/*
 * A program that has a time limit. It runs in a process group of its own, with an empty stdin, with
 * stdout and stderr in one text, and with no other open file of this process. It ends with all that
 * it started, also in other sessions, when this process ends, even by SIGKILL. The thread that
 * starts it must be the one that waits for it.
 */
struct limited_program {
	char *const *argv;
	const char *folder;                  /* to run in; NULL: the current one */
	const struct string_list *variables; /* NAME=VALUE, beside this process's; may be NULL */
	int64_t end_ns;                      /* by monotonic_ns() */
	const volatile int *stop;            /* set to end it before; may be NULL */
	size_t output_limit;                 /* for the text, with what it held before */
	bool keep_last; /* keeps the last bytes, up to twice the limit, else the first ones */
	bool without_messages; /* its stderr is discarded */
	int input_fd;          /* its stdin; 0: empty */
	int output_fd;         /* its stdout, so that only its stderr is kept; 0: the same text */
	int64_t memory_limit;  /* bytes of address space of each of its processes; 0: none */
	int64_t *peak_bytes;   /* set to the most memory that one of them used; may be NULL */
};
enum program_end {
	PROGRAM_EXITED,      /* *status is its wait status */
	PROGRAM_NOT_STARTED, /* *status is the error number */
	PROGRAM_LATE,        /* *status says how it was ended, here and below */
	PROGRAM_STOPPED
};
/* Runs it until it exits, is late or is stopped. Then ends all that it started. Adds what it
 * printed to *said, with '?' for NUL. */
enum program_end process_limited(struct text *said, int *status,
				 const struct limited_program *program);

/* Kills all children of this process until none is left, also those that become its children
 * meanwhile; see PR_SET_CHILD_SUBREAPER. */
void process_children_end(void);

#endif
