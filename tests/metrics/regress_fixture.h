/* regress_fixture: two runs that a test fills, and their comparison. */
#ifndef TESTS_METRICS_REGRESS_FIXTURE_H
#define TESTS_METRICS_REGRESS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"

/* The medians of the rounds of a case, in nanoseconds, and their count. */
#define MEDIANS(...) ((const double[]){__VA_ARGS__}), (sizeof((double[]){__VA_ARGS__}) / 8)
#define SLOW MEDIANS(1.02e6, 1.0203e6, 1.0198e6)
#define USUAL MEDIANS(1e6, 1.0002e6, 0.9997e6)

struct regress_fixture {
	struct run base, head;
	struct regress regress;
	struct regress_pair *pairs;
	struct regress_options options;
	struct thresholds thresholds;
	enum bound limiter; /* of all pairs */
	struct session_scatter sessions;
};

int regress_set_up(void **state);
int regress_tear_down(void **state);

/* Before the next trial of the run is added, or the pointer is stale. */
struct trial *regress_add_trial(struct run *run, const char *variant, const double *median_ns,
				size_t rounds);
void regress_add_counter(struct trial *trial, const char *metric, double value);

void regress_judge_runs(struct regress_fixture *fixture);
/* Judges by these thresholds from now on. */
void regress_limit(struct regress_fixture *fixture, const char *text);
/* The first case whose name contains the text. */
const struct regress_case *regress_case_of(const struct regress_fixture *fixture,
					   const char *variant);
/* Its verdict, and what its reason contains; why NULL: it has none. */
void regress_expect(const struct regress_fixture *fixture, const char *variant, enum change verdict,
		    const char *why);

#endif
