/*
 * watch: measures the kernels of some files, waits until one of the files is saved, and measures
 * again. Each measurement is a run in the database. It is compared with the last measurement of the
 * same watch and with the best one.
 *
 * The files are those of the request, their sidecars, every header that the compilers read, and
 * data files. The order of the calls is watch_open(), then watch_measure() and watch_await() in
 * turn, and watch_close().
 */
#ifndef HARNESS_WATCH_WATCH_H
#define HARNESS_WATCH_WATCH_H

#include "harness/sweep/sweep.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/verdict.h"

/* ---- how a measurement compares with the last one and with the best so far ---- */

/* A measurement of one case. Borrowed from the watch. */
struct watch_result {
	const struct run *run;     /* NULL: there is none */
	const struct trial *trial; /* with a result: trial_status_counted() */
	enum bound bound;          /* the limiter */
	double roof_pct;           /* see struct verdict */
	bool above_roof;           /* a finding: faster than the device can be */
};

/*
 * How a measurement compares with an earlier one of its case: symbol, words. A time is judged by
 * metrics/analysis/regress.h. That needs two rounds. With one round, a difference of over
 * WATCH_ONE_ROUND_NOISE outside the interval is called probable, and a smaller one noise.
 */
#define WATCH_CHANGE_LIST(X)                                                     \
	X(WATCH_NOT_COMPARED, "not compared")                                    \
	X(WATCH_FASTER, "faster")                                                \
	X(WATCH_SLOWER, "slower")                                                \
	X(WATCH_PROBABLY_FASTER, "probably faster, by one round")                \
	X(WATCH_PROBABLY_SLOWER, "probably slower, by one round")                \
	X(WATCH_SAME_TIME, "unchanged")                                          \
	X(WATCH_NOISE, "within noise")                                           \
	X(WATCH_CLOCKS, "within noise: the SM clock explains it")                \
	X(WATCH_SAME_CODE, "noise or environment: the machine code is the same") \
	X(WATCH_BETTER_COUNTS, "better counts")                                  \
	X(WATCH_WORSE_COUNTS, "worse counts")                                    \
	X(WATCH_OTHER_COUNTS, "other counts")                                    \
	X(WATCH_SAME_COUNTS, "the same counts")

enum watch_change {
#define X(symbol, words) symbol,
	WATCH_CHANGE_LIST(X)
#undef X
		WATCH_CHANGE_COUNT
};
const char *watch_change_words(enum watch_change change);

/* Three standard deviations of the difference of two single rounds. The median of a round differs
 * by 0.6 % (standard deviation) from worker to worker, because buffers lie elsewhere. */
#define WATCH_ONE_ROUND_NOISE 0.025

struct watch_base {
	struct watch_result result;        /* run NULL: there is no earlier one */
	const struct regress_case *judged; /* NULL without an earlier one */
	enum watch_change change;
};

struct watch_case {
	const struct trial *trial;
	struct watch_result now; /* run NULL: the case has no result */
	struct watch_base last, best;
	bool is_best;     /* verified, and faster than every earlier one by more than noise */
	bool new_problem; /* its work differs from that of the best, which is no base then */
};

/* Borrowed from the watch until its next measurement, except for what watch_report_release() frees.
 */
struct watch_report {
	const struct run *run;
	struct watch_case *cases; /* one per trial of the run, in its order */
	size_t count;
	bool outdated;   /* a file was saved meanwhile: what was measured is not its newest state */
	int64_t took_ns; /* since the save was noticed */
	struct sweep_times times;
	struct regress against_last, against_best;
};
void watch_report_release(struct watch_report *report);

/* ---- the watch ---- */

/* The default label of the runs. */
#define WATCH_LABEL "watch"

struct watch;
/* Watches the files of the request, which is borrowed and names at least one. PL_EUNSUPPORTED,
 * PL_EIO: the system cannot report saved files. */
int watch_open(struct watch **out, const struct sweep_request *request, struct error *err);
/* Measures, stores and compares. The errors of sweep_run(); the watch can go on after each of them.
 * PL_EPARSE also if a file was saved while it was read or compiled. Release *out after a success.
 */
int watch_measure(struct watch *watch, const struct sweep_observer *observer,
		  const volatile int *stop, struct watch_report *out, struct error *err);
/* Opens a worker for the next measurement, then waits until a file is saved. A file that was saved
 * during the measurement counts. Adds the saved paths to `saved`. PL_EINTERRUPTED, PL_EIO. */
int watch_await(struct watch *watch, const volatile int *stop, struct string_list *saved,
		struct error *err);
/* Called at the end. PL_EIO: the database was removed or replaced during the watch; the text says
 * where its runs are. See db_was_lost(). */
int watch_check_stored(struct watch *watch, struct error *err);
/* The number of runs that the watch stored. */
size_t watch_run_count(const struct watch *watch);
/* The best measurements so far, by case, from index 0; NULL after the last one. *name is borrowed.
 */
const struct watch_result *watch_best(const struct watch *watch, size_t index, const char **name);
/* The kind of the file system of the folder of a file, such as "NFS", if saves by other machines go
 * unnoticed there; else NULL. */
const char *watch_file_is_remote(const char *path);
void watch_close(struct watch *watch); /* accepts NULL */

#endif
