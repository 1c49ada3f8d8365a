/* The parts of `perflab study`: which studies there are, what they need, what a run answers. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/sweep.h"
#include "metrics/analysis/study.h"

/* What the runs are labelled that studies are answered from. */
#define STUDY_LABEL "studies"

struct study_set {
	struct study *items;
	size_t count, capacity;
};
/*
 * Words are names, with * and ?, of the studies that are installed, or files
 * (NAME.study, or with a slash); none: all that are installed, by name.
 * PL_EUSAGE: no such study, with the nearest; it is malformed; two of one name,
 * which answers could not tell apart.
 */
int study_set_load(struct study_set *out, const struct string_list *words, struct error *err);
void study_set_release(struct study_set *set);
/* Those that are installed; none is no error. */
void study_names(struct string_list *out);

/*
 * Adds what the studies need of a backend to a plan and to the words of
 * --metrics, each once. PL_EUSAGE when a case is of no kernel here, or one
 * where there are several; PL_EUNSUPPORTED when nothing can be answered by it.
 */
int study_set_needs(struct sweep_plan *plan, struct string_list *metrics,
		    const struct study_set *set, bool emulated, struct error *err);

/* What a study came to. The run outlives it. */
struct study_result {
	struct study_evidence evidence[STUDY_MAX_CASES];
	double *medians[STUDY_MAX_CASES]; /* of evidence, owned; NULL: none */
	char *reasons[STUDY_MAX_CASES];   /* likewise */
	struct study_answer answer;
	const struct run *run; /* NULL: there is none that has any of its cases */
};
/* Of a run of `db`, with its trials. *missing: cases that the study needs and the run has not. */
int study_result_take(struct study_result *out, size_t *missing, const struct study *study,
		      struct db *db, const struct run *run, struct error *err);
/* Of no run, for the reason. */
void study_result_absent(struct study_result *out, const struct study *study, bool emulated,
			 const char *reason);
void study_result_release(struct study_result *result);

#endif
