/* study_parts: what the reader and the judge of studies share. Internal to metrics/. */
#ifndef METRICS_ANALYSIS_STUDY_PARTS_H
#define METRICS_ANALYSIS_STUDY_PARTS_H

#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

#define STUDY_MAX_STEPS 96
#define STUDY_MAX_STACK 16

enum study_operation {
	STEP_NUMBER,
	STEP_QUANTITY, /* of a case */
	STEP_ADD,
	STEP_SUBTRACT,
	STEP_MULTIPLY,
	STEP_DIVIDE,
	STEP_NEGATE,
	STEP_MIN, /* of the two on top */
	STEP_MAX,
	STEP_LOG10,
};

/* What is not in the catalogue and known of every trial. */
enum study_fact {
	FACT_NONE,     /* a metric */
	FACT_VERIFIED, /* 1: its result was right; 0: it was wrong, or there was none */
	FACT_TIME,     /* in ns */
	FACT_FLOP,
	FACT_BYTES,
	FACT_REGISTERS,
	FACT_LOCAL_BYTES,
	FACT_SHARED_BYTES,
	FACT_BUFFER_BYTES,  /* of all buffers … */
	FACT_SCRATCH_BYTES, /* … and of those that are neither input nor result */
};

/* One step of an expression in postfix form: never more than STUDY_MAX_STACK deep. */
struct study_step {
	enum study_operation operation;
	double number;
	size_t at; /* the case, by its index */
	enum study_fact fact;
	const char *metric; /* of the catalogue; FACT_NONE */
};

/*
 * PL_EPARSE with the character and the cause. The metrics of an emulated
 * expression are the emulator's, those of any other a device's.
 */
int study_expression_parse(struct study_expression *out, const char *text,
			   const struct study *study, bool emulated, struct error *err);
void study_expression_release(struct study_expression *expression);
bool study_expression_uses(const struct study_expression *expression, size_t at);
/* "at least 2", "at most 2", "between 1 and 2", "equal 2", "equal 2 within 5%". */
int study_limits_parse(struct study_limits *out, const char *text, struct error *err);

#endif
