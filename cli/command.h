/*
 * cli: the command table. One struct command a verb, one struct option_row an
 * option; parsing, --help, the manual page and shell completion are all made
 * from these rows, so they cannot disagree. Only this room prints and exits:
 * stdout is data, stderr is talk.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "base/base.h"

/* The program's exit codes; base.h says which error gives which. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_FINDING = 1, /* a wrong result, a regression */
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_NOT_HERE = 4,
};

/* What an option's value is, and the C type at its offset. */
enum option_kind {
	OPTION_FLAG,     /* bool, no value */
	OPTION_TEXT,     /* const char * */
	OPTION_LIST,     /* struct string_list; repeatable */
	OPTION_COUNT,    /* int64_t, from 0 or `least` to INT32_MAX */
	OPTION_SEED,     /* uint64_t */
	OPTION_DURATION, /* int64_t, nanoseconds, more than 0 */
	OPTION_RATIO,    /* double in (0, 1) */
	OPTION_CHOICE,   /* int: index into choices; "" is a gap that no word selects */
};

struct option_row {
	const char *name; /* long name without dashes */
	char letter;      /* 0: none */
	enum option_kind kind;
	size_t offset;              /* in the command's options struct */
	const char *argument;       /* placeholder: "VALUES"; NULL for a flag */
	const char *help;           /* one sentence, no full stop */
	const char *const *choices; /* NULL-terminated */
	int64_t least;              /* OPTION_COUNT */
};

struct example {
	const char *command, *meaning;
};

/* What operands are, for completion. */
enum operand_kind {
	OPERANDS_NONE,
	OPERANDS_WORDS,
	OPERANDS_CASES,
	OPERANDS_VERBS,
	OPERANDS_STUDIES,
	OPERANDS_FREE
};

/* The terminal, or the lack of one. */
struct terminal {
	bool out_colour, err_rewrites; /* colour on stdout; stderr can rewrite its line */
	bool out_ascii;                /* stdout is a terminal whose locale has no UTF-8 */
	int out_width, err_width;      /* 0: no terminal */
};

struct invocation {
	const struct command *command;
	void *options;               /* the command's options struct, parsed */
	struct string_list operands; /* in order */
	struct string_list rest;     /* after "--" of a command that takes_rest */
	uint64_t given;              /* bit i: options row i was given */
	struct terminal terminal;
	char *command_line; /* as typed, for the record */
	int exit_code;      /* set by run() when it returns 0: EXIT_FINE, EXIT_FINDING … */
};

struct command {
	const char *name, *summary;
	const char *operands;    /* usage: "[KERNEL[/VARIANT[/CONFIG]] ...]"; "" for none */
	const char *description; /* paragraphs, separated by an empty line */
	const char *exit_status; /* beyond the general: NULL for none */
	const struct option_row *options;
	size_t option_count;
	size_t options_size;             /* of the options struct */
	void (*defaults)(void *options); /* NULL: all zeroes */
	const struct example *examples;
	size_t example_count;
	enum operand_kind operand_kind;
	const char *const *operand_words; /* OPERANDS_WORDS; NULL-terminated */
	size_t operands_least, operands_most;
	bool takes_rest;
	/* 0, or PL_E* with *err set: printed and turned into its exit code. */
	int (*run)(struct invocation *call, struct error *err);
};

/* The verbs, in the order of help. */
extern const struct command *const command_all[];
extern const size_t command_count;
extern const struct command command_sweep, command_report, command_regress, command_ceilings,
	command_study, command_list, command_query, command_history, command_mark, command_merge,
	command_import, command_nsight, command_check, command_doctor, command_help,
	command_completion, command_version;
const struct command *command_find(const char *name);
/* PL_EUSAGE: an unknown verb, with the nearest. */
int command_unknown(const char *name, struct error *err);

/* ---- parsing ---- */

/*
 * Parses argv (after the verb) by the rows of call->command into call->options,
 * operands and rest. Options and operands may mix; "--" ends options.
 * *help is set, and nothing else checked, when --help or -h is among them.
 */
int options_parse(struct invocation *call, int argc, char *const *argv, bool *help,
		  struct error *err);
void invocation_release(struct invocation *call);
bool option_given(const struct invocation *call, const char *name);
/* The row of --help, which every command has. */
extern const struct option_row option_row_help;

/* ---- texts made from the rows ---- */

void help_overview(FILE *out);
void help_command(FILE *out, const struct command *command);
/* troff; command NULL: perflab(1) itself. */
void help_man(FILE *out, const struct command *command);
/* Prints words of `text` from `column` on, wrapped, continued at `indent`. */
void print_wrapped(FILE *out, const char *text, size_t column, size_t indent);
/* "--name VALUE" or "-n, --name VALUE". */
void option_spelling(struct text *out, const struct option_row *row);

/* ---- talk ---- */

/* One line to stderr: "perflab: …". */
void say(const char *format, ...) PRINTF_LIKE(1, 2);
void terminal_look(struct terminal *terminal);
/* For a verb that only prints, at its end: 0, or PL_EIO with the cause. */
int stdout_printed(struct error *err);
/* At the end of every verb, closes stdout: 0, or PL_EIO when it did not take everything. */
int stdout_check(struct error *err);

#endif
