/*
 * study: a claim about kernels, and the measurements that confirm or refute it.
 * A study is a text file (docs/studies.md describes the format). It names its
 * cases, computes expressions over their measurements, and states the limits
 * within which the claim holds. This header reads studies and judges them; it
 * measures nothing.
 */
#ifndef METRICS_ANALYSIS_STUDY_H
#define METRICS_ANALYSIS_STUDY_H

#include "base/base.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/postfix.h"

struct trial;

#define STUDY_SUFFIX ".study"
#define STUDY_MAX_BYTES 65536
#define STUDY_MAX_CASES 32
#define STUDY_MAX_PARTS 12

struct study_case {
	char *name;
	char *selector; /* "reduce/shuffle/block=256,n=2^24" */
	bool best;      /* the fastest of the selected cases; else the selector names one case */
	int line;       /* in the file, from 1 */
};

/* The limits of a claim: from low to high, both inclusive; either may be infinite. */
struct study_limits {
	char *text; /* "at least 1.5" */
	double low, high;
};

/* One part of a claim. At least one of the expressions exists. */
struct study_part {
	char *title;
	char *claimed;           /* the figure that the source claims; NULL: none */
	char *unit;              /* "times", "percent"; NULL: none */
	struct postfix measured; /* over measurements of a device */
	struct postfix emulated; /* over counts of the emulator */
	struct study_limits expect;
	bool aside; /* shown, but without influence on the verdict of the study */
};

/* A text is never NULL unless its comment says so. */
struct study {
	char *name; /* of its file, without folder and suffix */
	char *title;
	char *claim;
	char *source;      /* of the claim */
	char *made_on;     /* the GPU that the claim is about */
	char *look_at;     /* metrics to look at, and the explanation */
	char *on_emulator; /* "n=2^16": axes that replace those of every case; NULL: none */
	struct study_case cases[STUDY_MAX_CASES];
	size_t case_count;
	struct study_part parts[STUDY_MAX_PARTS];
	size_t part_count;
};

/*
 * Parses the text of a study. Its name comes from `path`, which errors name too.
 * Returns 0, or PL_EPARSE with file, line and cause: an unknown or missing key, a
 * bad expression, an unknown metric, an unused case.
 */
int study_parse(struct study *out, const char *path, const char *text, size_t length,
		struct error *err);
void study_release(struct study *study);

/* `emulated` in the functions below: for the emulator, else for a device. */

/* Whether the backend can answer any part. */
bool study_answerable(const struct study *study, bool emulated);
/* Whether the backend can answer all parts that decide. */
bool study_decidable(const struct study *study, bool emulated);
/* Whether a part that the backend can answer uses the case. */
bool study_needs_case(const struct study *study, size_t index, bool emulated);
/* Adds the names of the metrics that the backend has to count, each once. */
void study_metrics(struct string_list *out, const struct study *study, bool emulated);
/* The selector of a case, malloc'd. For the emulator it has the axes of on_emulator. */
char *study_selector(const struct study *study, size_t index, bool emulated);

/* ---- answers ---- */

/* The last four follow from the study alone: the backend that answers cannot measure the quantity.
 */
#define STUDY_VERDICT_LIST(X)                                                                      \
	X(STUDY_HOLDS, "holds", "the value and its interval are within the limits")                \
	X(STUDY_FAILS, "does not hold", "the value and its interval are outside")                  \
	X(STUDY_OPEN, "inconclusive", "the interval crosses a limit, or a measurement is missing") \
	X(STUDY_NEEDS_TIMES, "needs times", "only times of a GPU can answer")                      \
	X(STUDY_NEEDS_COUNTERS, "needs GPU counters", "only counters of a GPU can answer")         \
	X(STUDY_NEEDS_GPU, "needs a GPU", "only results or code of a GPU can answer")              \
	X(STUDY_NEEDS_EMULATOR, "needs the emulator", "only counts of the emulator can answer")

enum study_verdict {
#define X(symbol, name, meaning) symbol,
	STUDY_VERDICT_LIST(X)
#undef X
};
const char *study_verdict_name(enum study_verdict verdict);
/* Whether another backend has to answer. */
bool study_verdict_needs_another(enum study_verdict verdict);

/* What an answer is based on. An expression with several kinds of quantities has the first. */
#define STUDY_BASIS_LIST(X)                                                                  \
	X(STUDY_BY_TIMES, "times")                                                           \
	X(STUDY_BY_COUNTERS, "counters")       /* of the GPU, or counts of the emulator */   \
	X(STUDY_BY_RESULTS, "results")         /* of the kernel, compared with the oracle */ \
	X(STUDY_BY_COMPILER, "compiled code")  /* registers, local and shared memory */      \
	X(STUDY_BY_CALCULATION, "calculation") /* known before anything runs */

enum study_basis {
#define X(symbol, name) symbol,
	STUDY_BASIS_LIST(X)
#undef X
};
const char *study_basis_name(enum study_basis basis);

/* What is known about a case. Borrowed. */
struct study_evidence {
	const struct trial *trial;      /* NULL: none */
	const char *reason;             /* why it has no numbers; NULL: it has them */
	struct process_medians medians; /* of its rounds; count 0: not timed */
	/* The size of the buffers of its launches, and of those buffers that are neither input nor
	 * result; the number of the launches. All 0: not known. */
	int64_t buffer_bytes, scratch_bytes, launches;
};

struct study_part_answer {
	enum study_verdict verdict;
	double value;     /* NAN: none */
	double low, high; /* 95 % interval; NAN if the expression uses no time */
	bool exact;       /* the value depends only on counts that repeat bit for bit */
	enum study_basis basis;
	char *why; /* for STUDY_OPEN: the reason; else NULL */
};

struct study_answer {
	/* STUDY_HOLDS if all deciding parts hold, STUDY_FAILS if one does not hold. Otherwise the
	 * first of the other verdicts, in their order, that a deciding part has. */
	enum study_verdict verdict;
	size_t deciding, decided; /* parts that decide; of these, those that hold or do not hold */
	char *why;                /* for STUDY_OPEN: the reason of the first such part; else NULL */
	struct study_part_answer parts[STUDY_MAX_PARTS];
};

/*
 * Judges a study. `evidence` has one entry per case; `noise` is that of its rounds. The interval of
 * a value comes from the medians of the rounds, with the variance that effect_of() uses, propagated
 * through the expression to first order (the delta method). For a ratio of two times it equals the
 * interval of effect_of().
 */
void study_judge(struct study_answer *out, const struct study *study,
		 const struct study_evidence *evidence, const struct noise *noise, bool emulated);
void study_answer_release(struct study_answer *answer);

#endif
