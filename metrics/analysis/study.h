/*
 * study: a claim about kernels that a device can be asked. A study is data,
 * one file each (docs/studies.md has its form): which cases it needs, what is
 * computed of what they measured, and within which limits the claim holds.
 * This part reads studies and judges; it measures nothing.
 */
#ifndef METRICS_ANALYSIS_STUDY_H
#define METRICS_ANALYSIS_STUDY_H

#include "base/base.h"
#include "metrics/analysis/compare.h"

struct trial;

#define STUDY_SUFFIX ".study"
#define STUDY_MAX_BYTES 65536
#define STUDY_MAX_CASES 32
#define STUDY_MAX_PARTS 12

struct study_case {
	char *name;
	char *selector; /* "reduce/shuffle/block=256,n=2^24" */
	bool best;      /* the fastest of those chosen stands for all; else it is one case */
	int line;       /* in the file, from 1 */
};

/* An expression over what cases measured; of no steps: there is none. */
struct study_expression {
	char *text;
	struct study_step *steps;
	size_t count;
};

/* Where a claim holds: from low to high, both included, either may be infinite. */
struct study_limits {
	char *text; /* "at least 1.5" */
	double low, high;
};

/* One thing that is claimed. */
struct study_part {
	char *title;
	char *claimed; /* the figure of the claim as its source has it; NULL: it names none */
	char *unit;    /* "times", "percent"; NULL: none */
	struct study_expression measured; /* over what a device measures … */
	struct study_expression emulated; /* … over what the backend ptx counts; either may miss */
	struct study_limits expect;
	bool aside; /* shown beside the claim, which it does not decide */
};

/* All texts are there but those that may be NULL. */
struct study {
	char *name; /* of its file, without folder and suffix */
	char *title;
	char *claim;       /* what was said … */
	char *source;      /* … where … */
	char *made_on;     /* … and of which GPU */
	char *look_at;     /* what else to look at, and why it is so */
	char *on_emulator; /* "n=2^16": axes of every case there; NULL: the same as elsewhere */
	struct study_case cases[STUDY_MAX_CASES];
	size_t case_count;
	struct study_part parts[STUDY_MAX_PARTS];
	size_t part_count;
};

/*
 * Reads the text of a study; `path` names it in errors, and gives its name.
 * PL_EPARSE with file, line and cause: an unknown or missing key, a bad
 * expression, a metric that nothing has, a case that is not used.
 */
int study_parse(struct study *out, const char *path, const char *text, size_t length,
		struct error *err);
void study_release(struct study *study);

/* Whether any part can be answered by such a backend. */
bool study_answerable(const struct study *study, bool emulated);
/* Whether a part that can be answered so needs the case. */
bool study_needs_case(const struct study *study, size_t index, bool emulated);
/* Adds the names of metrics that have to be counted, each once. */
void study_metrics(struct string_list *out, const struct study *study, bool emulated);
/* The selector of a case for a backend: on an emulator with the axes of on_emulator; malloc'd. */
char *study_selector(const struct study *study, size_t index, bool emulated);

/* ---- answers ---- */

#define STUDY_VERDICT_LIST(X)                                                                 \
	X(STUDY_HOLDS, "holds", "what was measured, with its interval, is within the limits") \
	X(STUDY_FAILS, "does not hold", "all of it is outside")                               \
	X(STUDY_OPEN, "inconclusive",                                                         \
	  "the interval reaches across a limit, or something was not measured")

enum study_verdict {
#define X(symbol, name, meaning) symbol,
	STUDY_VERDICT_LIST(X)
#undef X
};
const char *study_verdict_name(enum study_verdict verdict);
const char *study_verdict_meaning(enum study_verdict verdict);

/* What is known of a case. Borrowed. */
struct study_evidence {
	const struct trial *trial; /* NULL: there is none */
	const char *reason; /* why it says nothing but how it ended; NULL: it has its numbers */
	struct process_medians medians; /* of its rounds; count 0: not timed */
	/* Of the buffers that its launches were given, and of those that are neither input nor
	 * result; both 0: not known. */
	int64_t buffer_bytes, scratch_bytes;
};

struct study_part_answer {
	enum study_verdict verdict;
	double value;     /* NAN: none */
	double low, high; /* 95 % interval; NAN where no time is in it: counts have none */
	bool exact;       /* of counts alone that repeat bit for bit */
	bool asked_for;   /* of what the launches were asked for alone: nothing was measured */
	char *why;        /* STUDY_OPEN: what stands in the way; else NULL */
};

struct study_answer {
	/* Of the parts that decide: holds when all of them do, does not when one does not. */
	enum study_verdict verdict;
	char *why; /* STUDY_OPEN: of the first part that is */
	struct study_part_answer parts[STUDY_MAX_PARTS];
};

/*
 * `evidence` is one for each case. The interval is that of the medians of
 * rounds, with the variance that effect_of() takes, carried through the
 * expression to first order (the delta method): of a ratio of two times it is
 * that of effect_of().
 */
void study_judge(struct study_answer *out, const struct study *study,
		 const struct study_evidence *evidence, bool emulated);
void study_answer_release(struct study_answer *answer);

#endif
