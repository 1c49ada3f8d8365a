/*
 * Short forms for descriptor tables, so that a variant is one readable row, and
 * the lookup that oracles need. For kernel families only. The macros count
 * their lists, so no count can disagree with its list.
 */
#ifndef KERNELS_TABLE_H
#define KERNELS_TABLE_H

#include "kernels/kernels.h"
#include "kernels/parallel.h"

/* A row may leave out its last members, which are then 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* The smallest number of elements for which an oracle uses another thread. */
#define ORACLE_GRAIN (INT64_C(1) << 14)

/* A row of a table, for macros that stand for one. */
#define TABLE_ROW(...)      \
	{                   \
		__VA_ARGS__ \
	}

#define TABLE_COUNT(type, ...) (sizeof((type[]){__VA_ARGS__}) / sizeof(type))

#define LAUNCHES(...)                                            \
	.launches = (const struct kernel_launch[]){__VA_ARGS__}, \
	.launch_count = TABLE_COUNT(const struct kernel_launch, __VA_ARGS__)
#define ARGS(...)                                         \
	.args = (const struct kernel_arg[]){__VA_ARGS__}, \
	.arg_count = TABLE_COUNT(const struct kernel_arg, __VA_ARGS__)
#define CONSTRAINTS(...)                                                \
	.constraints = (const struct kernel_constraint[]){__VA_ARGS__}, \
	.constraint_count = TABLE_COUNT(const struct kernel_constraint, __VA_ARGS__)
#define AXES(...)                                          \
	.axes = (const struct kernel_axis[]){__VA_ARGS__}, \
	.axis_count = TABLE_COUNT(const struct kernel_axis, __VA_ARGS__)
#define BUFFERS(...)                                            \
	.buffers = (const struct kernel_buffer[]){__VA_ARGS__}, \
	.buffer_count = TABLE_COUNT(const struct kernel_buffer, __VA_ARGS__)

/* A variant: its name, the metric that shows its lesson, the lesson, and its other members. */
#define VARIANT(label, shown_by, teaches, ...)                                    \
	{                                                                         \
		.name = label, .metric = shown_by, .lesson = teaches, __VA_ARGS__ \
	}

/* Arguments of a launch, by the type that the device code declares. */
#define ARG_OF_BUFFER(name) TABLE_ROW(.kind = ARG_BUFFER, .value = name)
#define ARG_OF_I64(expression) TABLE_ROW(.kind = ARG_I64, .value = expression)
#define ARG_OF_I32(expression) TABLE_ROW(.kind = ARG_I32, .value = expression)
#define ARG_OF_U32(expression) TABLE_ROW(.kind = ARG_U32, .value = expression)
#define ARG_OF_F32(literal) TABLE_ROW(.kind = ARG_F32, .value = literal)

/* The number of elements, which most launches have as their last argument. */
#define N ARG_OF_I64("n")

/* The value of a macro as a text, for expressions. */
#define TEXT_OF(macro) TEXT_OF_TOKEN(macro)
#define TEXT_OF_TOKEN(token) #token

/* The shape of most launches: a thread for each of n elements. */
#define ONE_A_THREAD .grid = {"ceil_div(n, block)"}, .block = {"block"}
/* As many blocks as fit on the device at the same time, and no more than there is work for. */
#define RESIDENT_BLOCKS "min(ceil_div(n, block), sm_count * max(1, max_threads_per_sm / block))"

#define OWN_BUFFERS(list) .buffers = list, .buffer_count = ARRAY_SIZE(list)
#define OWN_VARIANTS(list) .variants = list, .variant_count = ARRAY_SIZE(list)

/* The axis that every family has. */
#define AXIS_BLOCK TABLE_ROW("block", "64..1024", "threads in one block")

/* The block must consist of whole warps. `why` completes the reason. */
#define WHOLE_WARPS(why) TABLE_ROW("block % 32 == 0", "block must be a multiple of 32: " why)

/*
 * Find the buffer `name` among the inputs or the results: its data, and *length,
 * its elements. NULL, with PL_EUSAGE, if it is missing, which is an error in the
 * oracle's own table.
 */
const void *oracle_input(const struct oracle_run *run, const char *name, int64_t *length);
void *oracle_result(const struct oracle_run *run, const char *name, int64_t *length);
int64_t oracle_axis(const struct oracle_run *run, const char *name, int64_t absent);
/* Adds words[i] to sums[i], for each i below `count`. */
void oracle_add_words(uint32_t *restrict sums, const uint32_t *restrict words, int64_t count);

#endif
