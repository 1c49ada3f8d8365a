/*
 * case_options: the options that say which cases of which kernels are measured, for the verbs
 * sweep, watch and nsight.
 */
#ifndef CLI_CASE_OPTIONS_H
#define CLI_CASE_OPTIONS_H

#include "cli/command.h"
#include "harness/sweep/sweep.h"

struct case_options {
	const char *block_sizes, *size, *chip, *standard, *compiler;
	struct string_list sets, metrics, launches, annotations, compile_flags, replacements;
	int cache, blocks, ceilings; /* ceilings: enum ceilings_when */
};

/* Option rows of a struct `type` that has a struct case_options `cases`. */
#define ROW_CASE(type, member) offsetof(struct type, cases.member)
#define ROWS_CASES(type)                                                                          \
	{                                                                                         \
		"block-sizes",                                                                    \
		'b',                                                                              \
		OPTION_TEXT,                                                                      \
		ROW_CASE(type, block_sizes),                                                      \
		"VALUES",                                                                         \
		"threads per block: 64..1024 doubles, 64..1024:+32 steps, 64,96,128 lists",       \
		NULL,                                                                             \
		0},                                                                               \
		{"size",                                                                          \
		 'n',                                                                             \
		 OPTION_TEXT,                                                                     \
		 ROW_CASE(type, size),                                                            \
		 "VALUES",                                                                        \
		 "the axis n: 2^24, 16Mi, or several values; small: a size that every kernel "    \
		 "completes within seconds, also without a GPU",                                  \
		 NULL,                                                                            \
		 0},                                                                              \
		{"set",         's',                                                              \
		 OPTION_LIST,   ROW_CASE(type, sets),                                             \
		 "NAME=VALUES", "values of any other axis; repeatable",                           \
		 NULL,          0},                                                               \
		{"launch",                                                                        \
		 0,                                                                               \
		 OPTION_LIST,                                                                     \
		 ROW_CASE(type, launches),                                                        \
		 "LAUNCH",                                                                        \
		 "a launch of a kernel of the file, as in a line `launch`: "                      \
		 "'saxpy<<<ceil_div(n, block), block>>>(n, 2.0, x, y)'; repeatable",              \
		 NULL,                                                                            \
		 0},                                                                              \
		{"annotate",                                                                      \
		 0,                                                                               \
		 OPTION_LIST,                                                                     \
		 ROW_CASE(type, annotations),                                                     \
		 "LINE",                                                                          \
		 "a line that is added to those of the file: 'buffer x: f32[n] in'; repeatable",  \
		 NULL,                                                                            \
		 0},                                                                              \
		{"replace",                                                                       \
		 0,                                                                               \
		 OPTION_LIST,                                                                     \
		 ROW_CASE(type, replacements),                                                    \
		 "FILE",                                                                          \
		 "a file whose kernel replaces that of the capture: it gets the recorded memory " \
		 "and is verified by it; repeatable",                                             \
		 NULL,                                                                            \
		 0},                                                                              \
		{"compile-flag",                                                                  \
		 0,                                                                               \
		 OPTION_LIST,                                                                     \
		 ROW_CASE(type, compile_flags),                                                   \
		 "FLAG",                                                                          \
		 "a flag for the compiler of the file, such as -Iinclude; repeatable",            \
		 NULL,                                                                            \
		 0},                                                                              \
		{"std",       0,                                                                  \
		 OPTION_TEXT, ROW_CASE(type, standard),                                           \
		 "STANDARD",  "the C++ standard of the file, such as c++17",                      \
		 NULL,        0},                                                                 \
	{                                                                                         \
		"compiler", 0, OPTION_TEXT, ROW_CASE(type, compiler), "nvrtc|nvcc",               \
			"the compiler of the file (default: nvrtc if it can read the file, else " \
			"nvcc)",                                                                  \
			NULL, 0                                                                   \
	}
#define ROW_METRICS(type)                                                                \
	{                                                                                \
		"metrics", 'm', OPTION_LIST, ROW_CASE(type, metrics), "SET|NAME,...",    \
			"counters to read: sets, catalogue names, CUPTI names, or none " \
			"(default: core; ptx: all that it counts)",                      \
			NULL, 0                                                          \
	}
#define ROWS_CACHE_AND_CEILINGS(type)                                                    \
	{"cache",          0,                                                            \
	 OPTION_CHOICE,    ROW_CASE(type, cache),                                        \
	 "MODE",           "cold flushes the L2 cache before each sample, hot does not", \
	 case_cache_words, 0},                                                           \
	{                                                                                \
		"ceilings", 0, OPTION_CHOICE, ROW_CASE(type, ceilings), "WHEN",          \
			"measure the ceilings of the device first: auto does so if the " \
			"database has none",                                             \
			ceilings_when_words, 0                                           \
	}
#define ROWS_EMULATOR(type)                                                                \
	{"chip",      'c',                                                                 \
	 OPTION_TEXT, ROW_CASE(type, chip),                                                \
	 "CHIP",      "ptx: the chip whose limits determine the occupancy, such as GA100", \
	 NULL,        0},                                                                  \
	{                                                                                  \
		"blocks", 0, OPTION_CHOICE, ROW_CASE(type, blocks), "auto|all",            \
			"ptx: auto executes only some blocks of a large case, all "        \
			"executes every block",                                            \
			case_block_words, 0                                                \
	}
extern const char *const case_cache_words[], *const case_block_words[];

/* The default values. */
void case_options_init(struct case_options *options);
/* Adds the options and the operands to a request of measure_request(). Operands are selectors of
 * kernels, or files of the user. PL_EUSAGE: a malformed --set. */
int case_options_apply(struct sweep_request *request, const struct invocation *call,
		       const struct case_options *options, struct error *err);

#endif
