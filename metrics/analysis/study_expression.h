/*
 * study_expression: expressions and limits of studies. study_parse.c reads them,
 * study_judge.c evaluates them. Internal to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_STUDY_EXPRESSION_H
#define METRICS_ANALYSIS_STUDY_EXPRESSION_H

#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

/* Quantities of a trial that are not metrics of the catalogue. */
enum study_fact {                /* the kind of a step */
		  FACT_NONE,     /* the quantity is a metric */
		  FACT_VERIFIED, /* 1: the result was right; 0: it was wrong, or the case failed */
		  FACT_TIME,     /* in ns */
		  FACT_FLOP,
		  FACT_BYTES,
		  FACT_REGISTERS,
		  FACT_LOCAL_BYTES,
		  FACT_SHARED_BYTES,
		  FACT_BUFFER_BYTES,  /* of all buffers */
		  FACT_SCRATCH_BYTES, /* of the buffers that are neither input nor result */
		  FACT_LAUNCHES,      /* of the case, for the emulator */
};

/*
 * Parses an expression over emulated metrics or over hardware metrics. Returns 0,
 * or PL_EPARSE with the character and the cause.
 */
int study_expression_parse(struct postfix *out, const char *text, const struct study *study,
			   bool emulated, struct error *err);
/* Whether the expression uses the case with the index `at`. */
bool study_expression_uses(const struct postfix *expression, size_t at);
/* Parses "at least 2", "at most 2", "between 1 and 2", "equal 2" or "equal 2 within 5%". Returns 0
 * or PL_EPARSE. */
int study_limits_parse(struct study_limits *out, const char *text, struct error *err);

#endif
