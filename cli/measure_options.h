/*
 * measure_options: what the verbs that measure (sweep, watch, ceilings, study) share: their common
 * options, those that choose cases, the request made of them, and the exit code of a run.
 */
#ifndef CLI_MEASURE_OPTIONS_H
#define CLI_MEASURE_OPTIONS_H

#include "cli/command.h"
#include "cli/progress.h"
#include "harness/sweep/sweep.h"

struct measure_options {
	const char *db, *backend;
	uint64_t seed;
	int64_t min_samples, max_time_ns, rounds, placements, timeout_ns, device, jobs;
	double precision;
	int format;
	bool quiet;
};

/* Option rows of a struct `type` that has a struct measure_options `common`. */
#define ROW_DB(type) TEXT_ROW("db", 0, type, common.db, "FILE", HELP_DB, .resumes = true)
#define ROW_SEED(type)                                                 \
	VALUE_ROW("seed", 0, OPTION_SEED, type, common.seed, "NUMBER", \
		  "seed of the inputs and of the order of the cases")
#define ROWS_SAMPLES(type)                                                                        \
	COUNT_ROW("min-samples", 0, type, common.min_samples, "NUMBER", 1,                        \
		  "the least number of samples per case"),                                        \
		VALUE_ROW("max-time", 0, OPTION_DURATION, type, common.max_time_ns, "TIME",       \
			  "device time for timing one case, over all rounds: 500ms, 2s"),         \
		VALUE_ROW("precision", 0, OPTION_RATIO, type, common.precision, "RATIO",          \
			  "stop when the half width of the median's interval over all rounds is " \
			  "this small: 0.5%, 0.005")
#define ROWS_ROUNDS(type)                                                                       \
	COUNT_ROW("rounds", 0, type, common.rounds, "NUMBER", 1,                                \
		  "how many times each case is measured, each time in a fresh worker"),         \
		COUNT_ROW("placements", 0, type, common.placements, "NUMBER", 1,                \
			  "how many places in physical memory the data has in each round; 1: "  \
			  "where the "                                                          \
			  "driver put it"),                                                     \
		VALUE_ROW("timeout", 0, OPTION_DURATION, type, common.timeout_ns, "TIME",       \
			  "end a case when one of its phases takes longer; a compiler gets as " \
			  "long, "                                                              \
			  "but at least 20s, and 300s without the option",                      \
			  .resumes = true)
#define ROW_DEVICE(type)                                           \
	COUNT_ROW("device", 'd', type, common.device, "NUMBER", 0, \
		  "the device, as numbered by perflab list devices", .resumes = true)
#define ROW_JOBS(type)                                                                             \
	COUNT_ROW("jobs", 'j', type, common.jobs, "NUMBER", 0,                                     \
		  "processors to use: for emulated cases side by side, or for inputs and oracles " \
		  "beside a device; 0 means all",                                                  \
		  .resumes = true)
#define ROW_FORMAT(type, meaning)                                                             \
	CHOICE_ROW("format", 'f', type, common.format, "FORMAT", table_format_words, meaning, \
		   .resumes = true)
#define ROW_QUIET(type)                                                                           \
	FLAG_ROW("quiet", 'q', type, common.quiet, "print no progress, only warnings and errors", \
		 .resumes = true)
#define ROW_BACKEND(type, words, meaning) \
	TEXT_ROW("backend", 0, type, common.backend, words, meaning)
#define BACKEND_OF_CASES                                                                          \
	"what executes the cases: a GPU; an emulator of PTX, which counts and measures no time; " \
	"auto: a GPU, or the emulator if there is none"

/* The options that say which cases of which kernels are measured, for the verbs sweep, watch and
 * nsight. */
struct case_options {
	const char *block_sizes, *size, *chip, *standard, *compiler;
	struct string_list sets, metrics, launches, annotations, compile_flags, replacements;
	int cache, blocks, ceilings; /* ceilings: enum ceilings_when */
};

/* Option rows of a struct `type` that has a struct case_options `cases`. */
#define ROWS_CASES(type)                                                                           \
	TEXT_ROW("block-sizes", 'b', type, cases.block_sizes, "VALUES",                            \
		 "threads per block: 64..1024 doubles, 64..1024:+32 steps, 64,96,128 lists"),      \
		TEXT_ROW("size", 'n', type, cases.size, "VALUES",                                  \
			 "the axis n: 2^24, 16Mi, or several values; small: a size that "          \
			 "every kernel completes within seconds, also without a GPU"),             \
		LIST_ROW("set", 's', type, cases.sets, "NAME=VALUES",                              \
			 "values of any other axis; repeatable"),                                  \
		LIST_ROW("launch", 0, type, cases.launches, "LAUNCH",                              \
			 "a launch of a kernel of the file, as in a line `launch`: "               \
			 "'saxpy<<<ceil_div(n, block), block>>>(n, 2.0, x, y)'; repeatable",       \
			 .resumes = true),                                                         \
		LIST_ROW("annotate", 0, type, cases.annotations, "LINE",                           \
			 "a line that is added to those of the file: 'buffer x: f32[n] in'; "      \
			 "repeatable",                                                             \
			 .resumes = true),                                                         \
		LIST_ROW("replace", 0, type, cases.replacements, "FILE",                           \
			 "a file whose kernel replaces that of the capture: it gets the recorded " \
			 "memory "                                                                 \
			 "and is verified by it; repeatable"),                                     \
		LIST_ROW("compile-flag", 0, type, cases.compile_flags, "FLAG",                     \
			 "a flag for the compiler of the file, such as -Iinclude; repeatable",     \
			 .resumes = true),                                                         \
		TEXT_ROW("std", 0, type, cases.standard, "STANDARD",                               \
			 "the C++ standard of the file, such as c++17", .resumes = true),          \
		TEXT_ROW("compiler", 0, type, cases.compiler, "nvrtc|nvcc",                        \
			 "the compiler of the file (default: nvrtc if it can read the file, else " \
			 "nvcc)",                                                                  \
			 .resumes = true)
#define ROW_METRICS(type)                                                                         \
	LIST_ROW("metrics", 'm', type, cases.metrics, "SET|NAME,...",                             \
		 "counters to read: sets, catalogue names, CUPTI names, or none (default: core; " \
		 "ptx: all that it counts)")
#define ROWS_CACHE_AND_CEILINGS(type)                                                        \
	CHOICE_ROW("cache", 0, type, cases.cache, "MODE", case_cache_words,                  \
		   "cold flushes the L2 cache before each sample, hot does not"),            \
		CHOICE_ROW("ceilings", 0, type, cases.ceilings, "WHEN", ceilings_when_words, \
			   "measure the ceilings of the device first: auto does so if the "  \
			   "database has none")
#define ROWS_EMULATOR(type)                                                                     \
	TEXT_ROW("chip", 'c', type, cases.chip, "CHIP",                                         \
		 "ptx: the chip whose limits determine the occupancy, such as GA100"),          \
		CHOICE_ROW("blocks", 0, type, cases.blocks, "auto|all", case_block_words,       \
			   "ptx: auto executes only some blocks of a large case, all executes " \
			   "every block")
extern const char *const case_cache_words[], *const case_block_words[];

/* The default settings; the backend is the caller's. */
void measure_options_init(struct measure_options *options);
/* PL_EUSAGE: an option is given beside `instead`, which measures nothing, and is none of those that
 * it uses (ended by NULL). */
int measuring_option_refuse(const struct invocation *call, const char *instead,
			    const char *const *used, struct error *err);
/* Starts a request with the common options and the names of the options that were given. */
void measure_request(struct sweep_request *request, const struct invocation *call,
		     const struct measure_options *options);
/* Sets the exit code by how the trials of a run ended, and says how many went wrong.
 * PL_EUNSUPPORTED when all were skipped. */
int run_conclude(struct invocation *call, const struct run *run, struct error *err);

/* The default choice of cases. */
void case_options_init(struct case_options *options);
/* Adds the options and the operands to a request of measure_request(). Operands are selectors of
 * kernels, or files of the user. PL_EUSAGE: a malformed --set. */
int case_options_apply(struct sweep_request *request, const struct invocation *call,
		       const struct case_options *options, struct error *err);

#endif
