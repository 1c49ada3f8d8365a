/*
 * fleet: which GPUs are outliers among their peers. GPUs of one model that ran the same cases with
 * the same code are compared: their times, clocks, power and ceilings (docs/fleet.md).
 *
 * The logarithm of a value is modelled as the level of its case in its night + the level of the GPU
 * + noise of the run. A night lasts from noon to noon, UTC. The levels are medians, so that neither
 * a single night nor a single GPU moves them.
 */
#ifndef METRICS_ANALYSIS_FLEET_H
#define METRICS_ANALYSIS_FLEET_H

#include <math.h>

#include "base/base.h"

/* What is measured of every trial. Quantities from FLEET_MEASURES on are ceilings. */
enum fleet_measure {
	FLEET_TIME,
	FLEET_SM_CLOCK,
	FLEET_MEMORY_CLOCK,
	FLEET_POWER,
	FLEET_MEASURES,
};

/* With fewer GPUs nobody can tell which one is the outlier. */
#define FLEET_GPUS_LEAST 3
/* The scatter between GPUs is never taken to be smaller: the noise between processes. */
#define FLEET_SCATTER_LEAST 0.001

struct fleet_limits {
	double smallest;     /* a smaller relative difference makes no outlier: 0.005 */
	double false_alarms; /* probability of a false alarm among all GPUs and quantities: 0.05 */
	size_t last;         /* a GPU is judged by so many of its newest runs; 0: by all */
};
extern const struct fleet_limits fleet_limits_default;

/* ---- what was measured ---- */

/* Facts of the newest run of a GPU, which may be why it is an outlier. */
enum fleet_fact {
	FLEET_DRIVER,
	FLEET_POWER_LIMIT,
	FLEET_ECC,
	FLEET_MIG,
	FLEET_PROFILER,
	FLEET_FACTS
};
/* "power limit in W" */
const char *fleet_fact_name(enum fleet_fact fact);
/* The key in the environment of the run; NULL: the fact is a column of the run. */
const char *fleet_fact_key(enum fleet_fact fact);

struct fleet_gpu {
	int64_t device_id;
	char *name, *uuid;        /* "": none */
	char *host;               /* of the newest run; NULL: not stored */
	char *facts[FLEET_FACTS]; /* likewise */
	int cc_major, cc_minor;
	int64_t sm_count;
	int64_t ordinal; /* of the newest run; -1: not stored */
};

struct fleet_run {
	int64_t id, started_ns;
	size_t gpu;
};

/* A trial, or the best trial of a ceiling in a run. */
struct fleet_trial {
	uint32_t run; /* index */
	uint32_t key; /* equal for trials of one case with the same code, launches and cache */
	/* > 0; NAN: not measured. Of a ceiling only the first: bytes or operations per second. */
	double value[FLEET_MEASURES];
};

/* What a database has. All zeroes is empty. */
struct fleet {
	struct fleet_gpu *gpus;
	size_t gpu_count;
	struct fleet_run *runs; /* in any order */
	size_t run_count;
	struct fleet_trial *trials;
	size_t trial_count;
	char **cases; /* per key: "reduce/shuffle/block=256"; several keys may have one name */
	size_t case_count;
	/* Per ceiling: its name and its trials. */
	struct fleet_ceiling {
		char *name;
		struct fleet_trial *trials;
		size_t count, capacity;
	} * ceilings;
	size_t ceiling_count;
	/* What was left out. */
	size_t emulated_runs;   /* finished runs without times */
	size_t unfinished_runs; /* running or interrupted */
	size_t trials_without;  /* ok, but the median is missing, 0 or not finite */
	size_t trials_codeless; /* without a code hash: nobody knows whether the code is the same */
	size_t runs_without_uuid; /* runs whose GPU cannot be told from another */
};
void fleet_release(struct fleet *fleet);

/* ---- what follows from it ---- */

/* One quantity of one GPU, relative to its peers. */
struct fleet_level {
	size_t cases, runs, nights; /* that are judged; 0 runs: not measured */
	double change, low, high; /* 0.01: 1 % more than the fleet; 95 % interval; NAN: not known */
	double p;                 /* adjusted over all GPUs and quantities */
	/* A smaller difference would not show, because it could be chance; NAN: not known. */
	double least;
	double scatter, freedom; /* what `least` and p come from */
	bool is_outlier;
	/* If it is an outlier: the run since which it is; the first of the GPU if no change point
	 * was found.
	 */
	int64_t since_run, since_ns;
	bool since_change;
};

/* The time of one case on a GPU, if it is an outlier. */
struct fleet_case {
	size_t gpu;
	uint32_t key;
	struct fleet_level level;
};

struct fleet_model {
	size_t first;    /* a GPU of the model */
	size_t gpus;     /* of the model */
	size_t compared; /* of them, by at least one quantity */
	size_t outliers;
	/* What the times of its compared GPUs can show: the least difference, of the GPU of which
	 * most is known and of the one of which least is; NAN: no times. And the runs of a GPU. */
	double least, least_worst;
	size_t fewest_runs, most_runs;
	/* The value of a fact that most GPUs have. NULL: none has more than half of those that have
	 * one. */
	const char *usual[FLEET_FACTS];
};

struct fleet_judgement {
	size_t quantity_count;      /* FLEET_MEASURES + ceilings */
	struct fleet_level *levels; /* gpu_count rows of quantity_count */
	struct fleet_case *cases;   /* the outliers, by GPU, then by the largest difference */
	size_t case_count;
	size_t *model;              /* per GPU: its model */
	struct fleet_model *models; /* in the order of their first GPU */
	size_t model_count;
	const char **why_not; /* per GPU: why it is not compared; NULL: it is */
	size_t *order;        /* the GPUs, outliers first, by their largest difference */
	size_t outliers;
};
void fleet_judge(struct fleet_judgement *out, const struct fleet *fleet,
		 const struct fleet_limits *limits);
void fleet_judgement_release(struct fleet_judgement *judgement);
const struct fleet_level *fleet_level_at(const struct fleet_judgement *judgement, size_t gpu,
					 size_t quantity);
/* The cases of a GPU that are outliers: the first, and how many. */
const struct fleet_case *fleet_cases_of(const struct fleet_judgement *judgement, size_t gpu,
					size_t *count);
/* By a quantity or a case. */
bool fleet_gpu_is_outlier(const struct fleet_judgement *judgement, size_t gpu);
/* "time", "sm_clock", "memory_clock", "power", or the name of a ceiling. Borrowed. */
const char *fleet_quantity_name(const struct fleet *fleet, size_t quantity);

#endif
