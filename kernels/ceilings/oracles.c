/* CPU references of the ceilings. */
#include "kernels/ceilings/oracles.h"

#include <stdlib.h>
#include <string.h>

/* The buffers of a case, found by name; the table promises them. */
struct view {
	const void *in;
	void *out;
	int64_t in_length, out_length;
};

static int look(struct view *view, const struct oracle_run *run, bool reads)
{
	view->out = oracle_result(run, "out", &view->out_length);
	if (view->out && reads)
		view->in = oracle_input(run, "a", &view->in_length);
	return view->out && (view->in || !reads) ? 0 : PL_EUSAGE;
}

/* ---- device memory ---- */

/* Thread t of `threads`, in blocks of `block`, sums its words of every tile of its block. */
struct tiles {
	const uint32_t *words;
	uint32_t *sums;
	int64_t block, threads, tile_words, tile_count;
};

/* A tile is rows in which each thread of the block has four words. Adds up whole rows, and at the
 * end the four sums of each thread: sums modulo 2^32 are the same in any order. */
static void sum_tiles(void *context, int64_t begin, int64_t end)
{
	const struct tiles *of = context;
	const int64_t blocks = of->threads / of->block, row = 4 * of->block;
	uint32_t *sums = xcalloc((size_t)row, sizeof(*sums));

	for (int64_t b = begin; b < end; b++) {
		memset(sums, 0, (size_t)row * sizeof(*sums));
		for (int64_t tile = b; tile < of->tile_count; tile += blocks)
			for (int64_t i = 0; i < of->tile_words; i += row)
				oracle_add_words(sums, of->words + tile * of->tile_words + i, row);
		for (int64_t t = 0; t < of->block; t++)
			of->sums[b * of->block + t] =
				sums[4 * t] + sums[4 * t + 1] + sums[4 * t + 2] + sums[4 * t + 3];
	}
	free(sums);
}

static int ceilings_compute_read(const struct oracle_run *run)
{
	struct view view = {0};
	struct tiles of = {.block = oracle_axis(run, "block", 0)};
	int rc = look(&view, run, true);

	if (rc)
		return rc;
	of.words = view.in;
	of.sums = view.out;
	of.threads = view.out_length;
	of.tile_words = 4 * oracle_axis(run, "in_flight", 1) * of.block;
	of.tile_count = view.in_length / of.tile_words;
	parallel_for(of.threads / of.block, 1, sum_tiles, &of);
	return 0;
}

static void number_words(void *context, int64_t begin, int64_t end)
{
	uint32_t *out = context;

	for (int64_t i = begin; i < end; i++)
		out[i] = (uint32_t)i;
}

static int ceilings_compute_write(const struct oracle_run *run)
{
	struct view view = {0};
	int rc = look(&view, run, false);

	if (!rc)
		parallel_for(view.out_length, ORACLE_GRAIN, number_words, view.out);
	return rc;
}

struct copy {
	const uint32_t *in;
	uint32_t *out;
};

static void copy_words(void *context, int64_t begin, int64_t end)
{
	const struct copy *of = context;

	memcpy(of->out + begin, of->in + begin, (size_t)(end - begin) * sizeof(*of->out));
}

static int ceilings_compute_copy(const struct oracle_run *run)
{
	struct view view = {0};
	int rc = look(&view, run, true);

	if (!rc)
		parallel_for(view.out_length, ORACLE_GRAIN, copy_words,
			     &(struct copy){view.in, view.out});
	return rc;
}

/* The product of FACTOR and a float in [0, 1), plus another such float, is exact in a double:
 * rounded once, as by fmaf(). */
struct triad {
	const float *a, *b;
	float *out;
};

static void ceilings_compute_triad_range(void *context, int64_t begin, int64_t end)
{
	const struct triad *of = context;

	for (int64_t i = begin; i < end; i++)
		of->out[i] = (float)((double)of->a[i] + FACTOR * (double)of->b[i]);
}

static int ceilings_compute_triad(const struct oracle_run *run)
{
	struct view view = {0};
	int64_t length;
	const float *b = oracle_input(run, "b", &length);

	if (!b || look(&view, run, true))
		return PL_EUSAGE;
	parallel_for(view.out_length, ORACLE_GRAIN, ceilings_compute_triad_range,
		     &(struct triad){view.in, b, view.out});
	return 0;
}

/* ---- caches and shared memory ---- */

static uint32_t sum_of_group(const uint32_t *words, int64_t group)
{
	return words[4 * group] + words[4 * group + 1] + words[4 * group + 2] +
	       words[4 * group + 3];
}

/* Threads walk through the groups of an array, `step` groups at a time, and add up `accesses`. */
struct walk {
	const uint32_t *words;
	int64_t groups, step, accesses;
};

static int64_t walk_on(const struct walk *of, int64_t at)
{
	at += of->step;
	return at < of->groups ? at : at - of->groups;
}

/*
 * Sets sums[g] to the sum of a walk that begins at group g. The walks that begin
 * in one cycle of the steps are windows of that cycle, so each follows from the
 * one before it by a subtraction and an addition. That is exact, because sums
 * are modulo 2^32.
 */
static void sum_cycle(const struct walk *of, uint32_t *sums, int64_t first)
{
	int64_t length = 0, at = first, end = first;
	uint32_t all = 0, window = 0;

	do {
		all += sum_of_group(of->words, at);
		length++;
		at = walk_on(of, at);
	} while (at != first);
	for (int64_t i = 0; i < of->accesses % length; i++) {
		window += sum_of_group(of->words, end);
		end = walk_on(of, end);
	}
	do {
		sums[at] = (uint32_t)(of->accesses / length) * all + window;
		window += sum_of_group(of->words, end) - sum_of_group(of->words, at);
		at = walk_on(of, at);
		end = walk_on(of, end);
	} while (at != first);
}

/* The greatest common divisor of groups and step: from group 0 a cycle comes to its multiples. */
static int64_t cycles_of_walk(const struct walk *of)
{
	int64_t a = of->groups, b = of->step;

	while (b) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int64_t last_argument(const struct oracle_run *run)
{
	const struct case_launch *launch = &run->work->launches[0];

	return launch->args[launch->arg_count - 1].integer;
}

static int ceilings_compute_walk(const struct oracle_run *run)
{
	struct view view = {0};
	struct walk of;
	int64_t cycles;
	uint32_t *sums;
	int rc = look(&view, run, true);

	if (rc)
		return rc;
	of = (struct walk){view.in, view.in_length / 4, view.out_length % (view.in_length / 4),
			   IN_FLIGHT * last_argument(run)};
	sums = malloc((size_t)of.groups * sizeof(*sums));
	if (!sums)
		return error_set(run->err, PL_ENOMEM, "oracle %s: no memory for %lld groups",
				 run->work->oracle, (long long)of.groups);
	cycles = cycles_of_walk(&of);
	for (int64_t first = 0; first < cycles; first++)
		sum_cycle(&of, sums, first);
	for (int64_t t = 0; t < view.out_length; t++)
		((uint32_t *)view.out)[t] = sums[t % of.groups];
	free(sums);
	return 0;
}

/* The sum of what lane `lane` of a warp reads from chunk `chunk`. */
static uint32_t sum_of_chunk(const uint32_t *words, int64_t chunk, int64_t lane)
{
	uint32_t sum = 0;

	for (int64_t k = 0; k < IN_FLIGHT; k++)
		sum += sum_of_group(words, chunk * CHUNK_GROUPS + 32 * k + lane);
	return sum;
}

static int ceilings_compute_circle(const struct oracle_run *run)
{
	struct view view = {0};
	const int64_t block = oracle_axis(run, "block", 1), turns = last_argument(run);
	int rc = look(&view, run, true);

	if (rc)
		return rc;
	for (int64_t t = 0; t < view.out_length; t++) {
		int64_t warp = t % block / 32;
		uint32_t sum = 0;

		/* all blocks do the same */
		if (t >= block) {
			((uint32_t *)view.out)[t] = ((uint32_t *)view.out)[t - block];
			continue;
		}
		for (int64_t chunk = 0; chunk < 8; chunk++) {
			int64_t times = turns / 8 + ((chunk - warp % 8 + 8) % 8 < turns % 8);

			sum += (uint32_t)times * sum_of_chunk(view.in, chunk, t % 32);
		}
		((uint32_t *)view.out)[t] = sum;
	}
	return 0;
}

/* ---- chains of multiply-adds ---- */

/* Chain i of thread t begins at t % 32 + i and grows by `growth` in two steps. */
static double chain_total(int64_t thread, int chains, int64_t turns, double growth)
{
	double total = 0;

	for (int i = 0; i < chains; i++)
		total += LOW - ((double)(thread % 32 + i) + growth * (double)(STEPS / 2 * turns));
	return total;
}

/* Which oracle: how many numbers a register holds. Two do not grow, because they have few digits.
 */
static int ceilings_compute_chains(const struct oracle_run *run)
{
	const int lanes = run->oracle->which;
	const bool in_double = run->work->buffers[0].type == ELEMENT_F64;
	const int chains = in_double ? CHAINS_F64 : CHAINS;
	struct view view = {0};
	int rc = look(&view, run, false);

	for (int64_t t = 0; t < view.out_length && !rc; t++) {
		double total =
			lanes * chain_total(t, chains, last_argument(run), lanes == 1 ? 1 : 0);

		if (in_double)
			((double *)view.out)[t] = total;
		else
			((float *)view.out)[t] = (float)total;
	}
	return rc;
}

/* ---- tensor cores ---- */

/*
 * A thread holds the numbers of D in every 8th row of its warp, from row lane /
 * 4 on, and in two of every 8 columns. Their total is, for each k, the sum of
 * these rows of A times the sum of these columns of B, added up over all k.
 */
static int32_t product_total(const int32_t *a, const int32_t *b, int64_t depth, int64_t first_row,
			     int64_t end_row, int64_t columns, int64_t of_group)
{
	int64_t total = 0;

	for (int64_t k = 0; k < depth; k++) {
		int64_t of_a = 0, of_b = 0;

		for (int64_t row = first_row; row < end_row; row += 8)
			of_a += a[row * depth + k];
		for (int64_t column = 2 * of_group; column < columns; column += 8)
			of_b += b[column * depth + k] + b[(column + 1) * depth + k];
		total += of_a * of_b;
	}
	return (int32_t)total;
}

/* Which oracle: the warps that share a product, of 32 rows, or of 64 if they are four. All blocks
 * do the same. */
static int ceilings_compute_products(const struct oracle_run *run)
{
	const int64_t warps = run->oracle->which, rows = warps == 1 ? 32 : 64;
	struct view view = {0};
	int64_t b_length = 0;
	const int32_t *b = oracle_input(run, "b", &b_length);

	if (!b || look(&view, run, true))
		return PL_EUSAGE;
	for (int64_t t = 0; t < view.out_length; t++) {
		int64_t depth = view.in_length / rows, first = t / 32 % warps * (rows / warps);
		int32_t *out = view.out;

		out[t] = t >= 32 * warps
				 ? out[t - 32 * warps]
				 : product_total(view.in, b, depth, first + t % 32 / 4,
						 first + rows / warps, b_length / depth, t % 4);
	}
	return 0;
}

/* ---- all of them ---- */

#define ORACLE(label, axes, ...) \
	const struct kernel_oracle oracle_##label = {"ceilings/" #label, axes, __VA_ARGS__};

ORACLE(read, "block,in_flight", ceilings_compute_read)
ORACLE(write, "", ceilings_compute_write)
ORACLE(copy, "", ceilings_compute_copy)
ORACLE(triad, "", ceilings_compute_triad)
ORACLE(walk, "block,blocks_per_sm,passes", ceilings_compute_walk)
ORACLE(circle, "block,blocks_per_sm,turns", ceilings_compute_circle)
ORACLE(chain, "block,blocks_per_sm,turns", ceilings_compute_chains, 1)
ORACLE(pairs, "", ceilings_compute_chains, 2)
ORACLE(warp, "", ceilings_compute_products, 1)
ORACLE(warpgroup, "", ceilings_compute_products, 4)
