/* Study files as texts, for the tests of studies. */
#ifndef TESTS_METRICS_STUDY_SUPPORT_H
#define TESTS_METRICS_STUDY_SUPPORT_H

#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

/* The keys that every study has and two cases; PART() completes it with one part, "P". */
#define HEAD                                       \
	"title: T\nclaim: C\nsource: S\nmade on: " \
	"V100\nlook at: L\n"
#define CASES "case a: reduce/naive/block=64,n=2^20\ncase b: reduce/shuffle/block=64,n=2^20\n"
#define PART(expression, limits) \
	HEAD CASES "part: P\nmeasured: " expression "\nexpect: " limits "\n"

/* Parses a text as the file folder/name.study. Release with study_release(). */
void must_parse(struct study *out, const char *text);
/* Asserts that the text is rejected with an error that contains these words. */
void must_refuse(const char *text, const char *words);

#endif
