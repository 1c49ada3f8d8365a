/*
 * selection: which cases of a run a report shows, and in which order. Every format uses it, so that
 * the same options show the same cases everywhere. The request is struct report_selection of
 * reports.h.
 */
#ifndef REPORTS_SELECTION_SELECTION_H
#define REPORTS_SELECTION_SELECTION_H

#include "reports/reports.h"

/* The cases of one kernel that a table shows. */
struct kernel_rows {
	const char *kernel;          /* borrowed from the run */
	const struct trial **trials; /* in the order to show them; a part of the list's */
	size_t count;
	size_t cases; /* all cases of the kernel */
};
struct kernel_rows_list {
	struct kernel_rows *items; /* in the order of the run, or of the names by --sort */
	size_t count;
	const struct trial **trials; /* of all kernels */
};

/* How many rows of a kernel a table shows unless --top or --all was given. */
#define ROWS_OF_KERNEL 10

/*
 * Chooses the rows of each kernel of a run.
 * - `all`: every case.
 * - `top`: the first N counted cases of each kernel by `sort`. Without `sort`, the N best of each
 *   problem (see run_problems()), the largest problem first; of an emulated run, the N cases with
 *   the worst findings.
 * - Otherwise at most ROWS_OF_KERNEL. Without `sort`, a kernel with several variants shows the best
 *   case of each on each problem, and each problem is represented.
 * `selection` NULL means all zero. PL_EUSAGE: the run has no column of the name in `sort`.
 */
int kernel_rows_choose(struct kernel_rows_list *out, const struct run *run,
		       const struct report_selection *selection,
		       const struct ceiling_list *ceilings, struct error *err);
void kernel_rows_release(struct kernel_rows_list *list);

/* A report of more kernels shows only one line of each, unless rows or columns were asked for. */
#define KERNELS_IN_DETAIL 3

/* Whether each kernel has a table of its own. */
bool run_is_detailed(const struct run *run, const struct report_options *options);
/* Whether everything is shown. */
bool run_shows_all(const struct report_options *options);
/* The number of different kernels. */
size_t run_kernel_count(const struct run *run);

#endif
