/* Files of studies as texts, for the tests of them. */
#ifndef TESTS_METRICS_STUDY_SUPPORT_H
#define TESTS_METRICS_STUDY_SUPPORT_H

#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

/* What every study has, two cases, and with PART() a whole one: of one part, "P". */
#define HEAD                                       \
	"title: T\nclaim: C\nsource: S\nmade on: " \
	"V100\nlook at: L\n"
#define CASES "case a: reduce/naive/block=64,n=2^20\ncase b: reduce/shuffle/block=64,n=2^20\n"
#define PART(expression, limits) \
	HEAD CASES "part: P\nmeasured: " expression "\nexpect: " limits "\n"

/* The study of a text, as that of folder/name.study. Release with study_release(). */
void must_parse(struct study *out, const char *text);
/* The text is no study, and the error says these words of it. */
void must_refuse(const char *text, const char *words);

#endif
