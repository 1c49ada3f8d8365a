/*
 * studies: claims about kernels, measured and answered. Loads study files,
 * measures the cases that they need as one sweep, and answers each study from
 * the trials of a run. metrics/analysis/study.h parses and judges studies.
 */
#ifndef HARNESS_STUDY_STUDY_H
#define HARNESS_STUDY_STUDY_H

#include "harness/sweep/sweep.h"
#include "metrics/analysis/study.h"

/* The label of the runs from which studies are answered. */
#define STUDY_LABEL "studies"

/* ---- sets of studies ---- */

struct study_set {
	struct study *items;
	size_t count, capacity;
};
/*
 * Each word is the name of an installed study, which may contain * and ?, or a
 * file (NAME.study, or a path with a slash). No words: all installed studies,
 * sorted by name. PL_EUSAGE: there is no such study (the message has the nearest
 * name), it is malformed, or two studies have the same name.
 */
int study_set_load(struct study_set *out, const struct string_list *words, struct error *err);
void study_set_release(struct study_set *set);
/* Adds the names of the installed studies. To find none is not an error. */
void study_names(struct string_list *out);
/* Adds the cases and metrics that the studies need to a request, each once. PL_EUSAGE: no
 * kernel has such a case, or several cases match one selector. PL_EUNSUPPORTED: the backend cannot
 * answer any of the studies. */
int study_set_needs(struct sweep_request *request, const struct study_set *set, bool emulated,
		    struct error *err);

/* ---- one study ---- */

/* The answer to a study. The run outlives it. */
struct study_result {
	struct study_evidence evidence[STUDY_MAX_CASES];
	double *medians[STUDY_MAX_CASES]; /* of evidence, owned; NULL: none */
	char *reasons[STUDY_MAX_CASES];   /* likewise */
	struct study_answer answer;
	const struct run *run; /* NULL: no run has any of its cases */
};

/* ---- the verb ---- */

struct study_answers {
	struct study_result *results; /* one per study of the set */
	size_t count;
	bool emulated;                /* by counts of the emulator */
	struct sweep_result measured; /* of study_run() */
	struct run *runs;             /* of study_answer_stored() */
	size_t run_count;
};
/* Measures the cases that the studies need, stores the run, and answers the studies from it. With
 * BACKEND_AUTO on a GPU, or on the emulator if there is none. Sets backend, selectors and metrics
 * of the request. */
int study_run(struct sweep_request *request, const struct study_set *set,
	      const struct sweep_observer *observer, const volatile int *stop,
	      struct study_answers *out, struct error *err);
/* With BACKEND_AUTO from runs of a GPU, or of the emulator if there are none. Answers each study
 * from the stored run that lacks the fewest of its cases, newest first.
 * PL_ENOENT: the database has no run of studies of this backend. */
int study_answer_stored(const char *db_path, const char *backend, const struct study_set *set,
			struct study_answers *out, struct error *err);
void study_answers_release(struct study_answers *answers);

#endif
