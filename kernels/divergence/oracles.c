/* CPU references of the divergence family. */
#include "kernels/divergence/oracles.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/affine.h"
#include "kernels/vectors.h"

#define WARP 32
_Static_assert(WARP == AFFINE_GROUP, "a group of elements is a warp");

static int64_t divergence_axis(const struct launch_case *work, const char *name)
{
	int64_t value = 1;

	launch_case_axis(work, name, &value);
	return value;
}

/* ---- bodies of many steps ---- */

/* The largest number of bodies among which elements choose. */
#define MOST_WAYS 32
#define NO_BODY (-1)

/*
 * Which element takes which body. Lane l takes body l % ways if `warps` is 0.
 * Otherwise whole warps take a body, `warps` of them the same: warp w takes body
 * w / warps % ways. Blocks consist of whole warps, so this covers all variants.
 */
struct rule {
	int64_t warps, ways;
	bool first_is_none; /* elements that would take body 0 take none */
	int steps;
	int common_steps; /* steps of body 2 between two runs of the own body; 0: a single run */
};

static double run_body(double value, int64_t which, int steps)
{
	for (int step = 0; step < steps; step++)
		value = value * ((double)(4095 - which) / 4096.0) +
			(double)(step + 1 + 3 * which) / 8192.0;
	return value;
}

/* All steps of an element: the definition of the result, before it is rounded to float. */
static double run_bodies(double value, int64_t which, const struct rule *rule)
{
	if (which == NO_BODY)
		return value;
	value = run_body(value, which, rule->steps);
	if (rule->common_steps) {
		value = run_body(value, 2, rule->common_steps);
		value = run_body(value, which, rule->steps);
	}
	return value;
}

/* The bodies that the lanes of a warp take, each as one affine step. */
struct lanes {
	double scale[WARP], shift[WARP];
	int64_t which[WARP];
};

static double scale_of_body(int64_t which, const struct rule *rule)
{
	double scale = 1;

	for (int step = 0; step < rule->steps * (rule->common_steps ? 2 : 1); step++)
		scale *= (double)(4095 - which) / 4096.0;
	for (int step = 0; step < rule->common_steps; step++)
		scale *= (4095 - 2) / 4096.0;
	return scale;
}

static void set_lane(struct lanes *lanes, int lane, int64_t way, const struct rule *rule)
{
	const int64_t which = rule->first_is_none && way == 0 ? NO_BODY : way;

	lanes->which[lane] = which;
	lanes->scale[lane] = which == NO_BODY ? 1 : scale_of_body(which, rule);
	lanes->shift[lane] = run_bodies(0, which, rule);
}

/* An addend is at most (S + 3 * MOST_WAYS) / 8192 with S steps in all, and every factor is less
 * than 1: no value exceeds |x| by more than S of these addends. */
static struct affine_margin margin_of(const struct rule *rule)
{
	const double steps = 2.0 * rule->steps + rule->common_steps;

	return affine_margin_of_steps(steps, steps * (steps + 3 * MOST_WAYS) / 8192);
}

struct computation {
	const struct rule *rule;
	struct affine_margin margin;
	struct lanes of_way[MOST_WAYS]; /* one for all warps if `warps` is 0 */
	const float *x;
	float *y;
	int64_t n;
};

static const struct lanes *lanes_of_warp(const struct computation *of, int64_t warp)
{
	const struct rule *rule = of->rule;

	return &of->of_way[rule->warps ? warp / rule->warps % rule->ways : 0];
}

static void take_steps(const struct lanes *lanes, const struct rule *rule,
		       struct affine_margin margin, const float *x, float *y)
{
	for (int lane = 0; lane < WARP; lane++) {
		int unsure = 0;

		y[lane] = affine_float(lanes->scale[lane], lanes->shift[lane], margin,
				       (double)x[lane], &unsure);
		if (unsure)
			y[lane] = (float)run_bodies((double)x[lane], lanes->which[lane], rule);
	}
}

WIDE_VECTORS static void run_warps(const struct computation *of, int64_t begin, int64_t end)
{
	for (int64_t warp = begin; warp < end; warp++) {
		const struct lanes *lanes = lanes_of_warp(of, warp);
		const float *x = of->x + warp * WARP;
		float y[WARP];
		int unsure = 0;

		for (int lane = 0; lane < WARP; lane++)
			y[lane] = affine_float(lanes->scale[lane], lanes->shift[lane], of->margin,
					       (double)x[lane], &unsure);
		if (unsure)
			take_steps(lanes, of->rule, of->margin, x, y);
		memcpy(of->y + warp * WARP, y, sizeof(y));
	}
}

static void divergence_compute_range(void *context, int64_t begin, int64_t end)
{
	const struct computation *of = context;
	const int64_t left = end % WARP, last = end / WARP;
	float x[WARP] = {0}, y[WARP];

	run_warps(of, begin / WARP, last);
	if (!left)
		return;
	memcpy(x, of->x + last * WARP, (size_t)left * sizeof(*x));
	take_steps(lanes_of_warp(of, last), of->rule, of->margin, x, y);
	memcpy(of->y + last * WARP, y, (size_t)left * sizeof(*y));
}

static int divergence_compute(struct rule rule, const struct launch_case *work,
			      const struct host_buffers *inputs, struct host_buffers *expected,
			      struct error *err)
{
	void *x, *y;
	int64_t n;
	struct computation *computation;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&y, work, expected, "y", &n, err);
	if (!rc && rule.ways > MOST_WAYS)
		rc = error_set(err, PL_EUSAGE, "ways=%lld: there are only %d bodies",
			       (long long)rule.ways, MOST_WAYS);
	if (rc)
		return rc;
	computation = xcalloc(1, sizeof(*computation));
	computation->rule = &rule;
	computation->margin = margin_of(&rule);
	computation->x = x;
	computation->y = y;
	for (int64_t way = 0; way < (rule.warps ? rule.ways : 1); way++)
		for (int lane = 0; lane < WARP; lane++)
			set_lane(&computation->of_way[way], lane,
				 rule.warps ? way : lane % rule.ways, &rule);
	parallel_for(n, ORACLE_GRAIN, divergence_compute_range, computation);
	free(computation);
	return 0;
}

#define RULE(rule_name, axis_names, step_count, ...)                               \
	static int divergence_compute_##rule_name(                                 \
		const struct launch_case *work, const struct host_buffers *inputs, \
		struct host_buffers *expected, struct error *err)                  \
	{                                                                          \
		struct rule rule = {.steps = step_count, __VA_ARGS__};             \
                                                                                   \
		return divergence_compute(rule, work, inputs, expected, err);      \
	}                                                                          \
	const struct kernel_oracle oracle_divergence_##rule_name = {               \
		.name = "divergence/" #rule_name,                                  \
		.axes = axis_names,                                                \
		.compute = divergence_compute_##rule_name,                         \
	};

#define LANES .warps = 0
#define WARPS .warps = 1
#define BLOCKS .warps = divergence_axis(work, "block") / WARP
RULE(thread_parity_short, "n", STEPS_SHORT, LANES, .ways = 2)
RULE(thread_parity_long, "n", STEPS_LONG, LANES, .ways = 2)
RULE(warp_parity_short, "n", STEPS_SHORT, WARPS, .ways = 2)
RULE(warp_parity_long, "n", STEPS_LONG, WARPS, .ways = 2)
RULE(block_parity_short, "block,n", STEPS_SHORT, BLOCKS, .ways = 2)
RULE(block_parity_long, "block,n", STEPS_LONG, BLOCKS, .ways = 2)
RULE(switch_lane, "n,ways", STEPS_SWITCH, LANES, .ways = divergence_axis(work, "ways"))
RULE(switch_warp, "n,ways", STEPS_SWITCH, WARPS, .ways = divergence_axis(work, "ways"))
/* Every second element takes a body; the others take none. */
RULE(no_else, "n", STEPS_LONG, LANES, .ways = 2, .first_is_none = true)
RULE(no_else_warp, "n", STEPS_LONG, WARPS, .ways = 2, .first_is_none = true)
RULE(common, "n", STEPS_EDGE, LANES, .ways = 2, .common_steps = STEPS_COMMON)

/* ---- numbers by parity ---- */

struct choice {
	float *c;
	int64_t unit; /* consecutive threads that choose the same */
};

static void choose_range(void *context, int64_t begin, int64_t end)
{
	const struct choice *of = context;

	for (int64_t i = begin; i < end; i++)
		of->c[i] = i & of->unit ? 200.0f : 100.0f;
}

/* `unit`: a power of 2. */
static int choose(int64_t unit, const struct launch_case *work, struct host_buffers *expected,
		  struct error *err)
{
	void *c;
	int64_t length;
	int rc = oracle_buffer(&c, work, expected, "c", &length, err);

	if (!rc)
		parallel_for(length, ORACLE_GRAIN, choose_range, &(struct choice){c, unit});
	return rc;
}

static int choose_by_thread(const struct launch_case *work, const struct host_buffers *inputs,
			    struct host_buffers *expected, struct error *err)
{
	(void)inputs;
	return choose(1, work, expected, err);
}

static int choose_by_warp(const struct launch_case *work, const struct host_buffers *inputs,
			  struct host_buffers *expected, struct error *err)
{
	(void)inputs;
	return choose(WARP, work, expected, err);
}

const struct kernel_oracle oracle_divergence_by_thread = {
	.name = "divergence/by_thread", .axes = "", .compute = choose_by_thread};
const struct kernel_oracle oracle_divergence_by_warp = {
	.name = "divergence/by_warp", .axes = "", .compute = choose_by_warp};

/* ---- chains of places ---- */

/*
 * Chains of places. A step leads from a place to x[place] / 2^32 of n, counted
 * from the start or from the end. All steps of a chain count from the same end,
 * so that 256 steps are the power of one map: squaring it
 * STEPS_WAITING_LOG2 times gives the same places.
 */
struct chain_map {
	const uint32_t *from; /* NULL: the step itself, of x */
	uint32_t *to;
	const uint32_t *x;
	uint64_t n;
	bool from_the_start;
};

static void chain_map_range(void *context, int64_t begin, int64_t end)
{
	const struct chain_map *of = context;

	for (int64_t i = begin; i < end; i++) {
		uint64_t place = of->x[i] * of->n >> 32;

		if (of->from)
			of->to[i] = of->from[of->from[i]];
		else
			of->to[i] = (uint32_t)(of->from_the_start ? place : of->n - 1 - place);
	}
}

/* Leaves in maps[0] where each place leads in 256 steps. */
static void follow_chains(uint32_t *maps[2], const uint32_t *x, int64_t n, bool from_the_start)
{
	struct chain_map map = {NULL, maps[0], x, (uint64_t)n, from_the_start};

	parallel_for(n, ORACLE_GRAIN, chain_map_range, &map);
	for (int squared = 0; squared < STEPS_WAITING_LOG2; squared++) {
		map.from = maps[squared % 2];
		map.to = maps[(squared + 1) % 2];
		parallel_for(n, ORACLE_GRAIN, chain_map_range, &map);
	}
}

static int compute_waiting(const struct launch_case *work, const struct host_buffers *inputs,
			   struct host_buffers *expected, struct error *err)
{
	int64_t unit = divergence_axis(work, "unit");
	uint32_t *maps[2] = {NULL, NULL};
	void *x, *places;
	int64_t n;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&places, work, expected, "places", &n, err);
	if (rc)
		return rc;
	for (int m = 0; m < 2 && !rc; m++) {
		maps[m] = malloc((size_t)n * sizeof(*maps[m]));
		if (!maps[m])
			rc = error_set(err, PL_ENOMEM,
				       "the chains of %lld places do not fit in memory",
				       (long long)n);
	}
	for (int64_t second = 0; second < 2 && !rc; second++) {
		follow_chains(maps, x, n, second);
		for (int64_t i = 0; i < n; i++)
			if (i / unit % 2 == second)
				((uint32_t *)places)[i] = maps[0][i];
	}
	free(maps[0]);
	free(maps[1]);
	return rc;
}

const struct kernel_oracle oracle_divergence_waiting = {
	.name = "divergence/waiting",
	.axes = "n,unit",
	.compute = compute_waiting,
};
