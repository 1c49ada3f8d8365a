/*
 * Every variant of every family, as the registry has them: at awkward block
 * sizes and problem sizes its results are its oracle's, or it is skipped and
 * says why; and its index arithmetic holds where 32 bits do not. A family that
 * is added is covered without a word here.
 */
#include "support_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "emulator/machine/memory/device_memory.h"
#include "harness/plan/plan.h"
#include "harness/workers/ptx/emulated_case.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* One thread, parts of a warp, warps and a part of one, whole warps, the most. */
static const int64_t blocks[] = {1, 31, 32, 33, 64, 256, 1000, 1024};
/* Nothing; below, at and above a warp; primes; no multiple of most blocks; then the family's own
 * small_size. */
static const int64_t sizes[] = {0, 1, 31, 33, 97, 1000};
/* For variants that take none of these: multiples of four, which fill no tile. */
static const int64_t even_sizes[] = {4, 100, 132};
/* A family's own size is limited to this with sanitizers: a case takes ten times as long. */
#define SANITIZED_MOST 1000
/* Sanitizers look at these block sizes; the other builds verify them all. */
static const int64_t sanitized_blocks[] = {1, 33, 256};
/* From this n on, blocks of one thread are left out: they are slow, slower still with sanitizers.
 */
#define MANY (SANITIZED ? 90 : 10000)

/* Values of other axes that are harder than their defaults. */
static const struct {
	const char *axis, *values;
} hard[] = {
	{"ways", "1,5,32"},
	{"distinct", "1,4,256"},
	{"addresses", "1,7,1024"},
	{"skew", "1,7,16"},
	{"bins", "1,64,100"},
	/* All lanes, halves, quarters, two that are far apart, one, all but one. */
	{"mask", "4294967295,4294901760,252645135,2147483649,1,2863311530,4294967294"},
	{"width", "2..32"},
	{"distance", "1,3,17,31"},
	{"steps", "16,48,256,1024"},
	{"m", "1,33,70"},
	{"k", "1,70,97"},
	{"blocks", "8,1,3"},
	{"size_kib", "1,2,4"},
};

static struct case_runner runner;

static int set_up(void **context)
{
	(void)context;
	runner_open(&runner, NULL);
	return 0;
}

static int tear_down(void **context)
{
	(void)context;
	case_runner_release(&runner);
	return 0;
}

static struct axis_values parsed(const char *values)
{
	struct axis_values out = {0};

	assert_int_equal(axis_parse(&out, values, NULL), 0);
	return out;
}

/* What an axis that is neither block nor n has in a case: its values take turns. */
static int64_t other_value(const struct kernel_axis *axis, size_t turn)
{
	const char *text = axis->values;
	struct axis_values values;
	int64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(hard); i++)
		if (!strcmp(hard[i].axis, axis->name))
			text = hard[i].values;
	values = parsed(text);
	value = values.items[turn % values.count];
	axis_values_release(&values);
	return value;
}

/* NULL: a constraint does not hold, or the device is too small; *skip says which. */
static struct launch_case *resolve(const struct kernel *kernel,
				   const struct kernel_variant *variant, int64_t block, int64_t n,
				   size_t turn, const struct device_limits *limits,
				   struct text *skip)
{
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	size_t count = variant_axis_count(kernel, variant);
	struct launch_case *work = NULL;
	struct error err = {0};

	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);

		memcpy(axes[i].name, axis->name, strlen(axis->name));
		axes[i].value = !strcmp(axis->name, "block") ? block
				: !strcmp(axis->name, "n")   ? n
							     : other_value(axis, turn);
	}
	text_clear(skip);
	if (kernel_resolve(&work, skip, kernel, variant, axes, count, limits, &err))
		fail_msg("block=%" PRId64 ",n=%" PRId64 ": %s", block, n, err.text);
	return work;
}

static struct device_limits limits_of_chip(void)
{
	struct device_limits limits;
	struct device_info device;
	const struct chip *chip;

	assert_int_equal(chip_find(&chip, NULL, NULL), 0);
	chip_describe_device(chip, &device);
	device_limits_of(&limits, &device);
	return limits;
}

/* ---- every block and every size ---- */

/* What became of a variant's cases. */
struct tally {
	size_t verified, refused, not_emulated;
};

static void verify(const struct launch_case *work, struct tally *tally)
{
	struct outcome outcome = outcome_of(&runner, work);

	if (outcome.status == TRIAL_OK) {
		tally->verified++;
		assert_true(outcome.totals.blocks_executed == outcome.totals.blocks_total);
	} else if (outcome.status == TRIAL_SKIPPED && outcome.reason.length > 10 &&
		   !strstr(outcome.reason.data, "too large")) {
		/* Instructions that the emulator lacks, or more registers than there are. */
		tally->not_emulated++;
	} else {
		struct text config = TEXT_INIT;

		axes_text(&config, work->axes, work->axis_count);
		fail_msg("%s/%s/%s: %s: %s", work->kernel, work->variant, config.data,
			 trial_status_name(outcome.status), outcome.reason.data);
	}
	outcome_release(&outcome);
}

static void verify_at(const struct kernel *kernel, const struct kernel_variant *variant,
		      int64_t block, int64_t n, size_t turn, struct tally *tally)
{
	const struct device_limits limits = limits_of_chip();
	struct text skip = TEXT_INIT;
	struct launch_case *work = resolve(kernel, variant, block, n, turn, &limits, &skip);

	if (n == 0 && (work || !strstr(skip.data, "n=0")))
		fail_msg("%s/%s: a case of nothing is to say that it is", kernel->name,
			 variant->name);
	if (work) {
		verify(work, tally);
	} else {
		tally->refused++;
		if (skip.length < 10)
			fail_msg("%s/%s: skipped without a reason", kernel->name, variant->name);
	}
	launch_case_free(work);
	text_release(&skip);
}

static bool has_axis(const struct kernel *kernel, const struct kernel_variant *variant,
		     const char *name)
{
	for (size_t i = 0; i < variant_axis_count(kernel, variant); i++)
		if (!strcmp(variant_axis(kernel, variant, i)->name, name))
			return true;
	return false;
}

static struct axis_values default_blocks(const struct kernel *kernel,
					 const struct kernel_variant *variant)
{
	size_t axis = 0;

	while (strcmp(variant_axis(kernel, variant, axis)->name, "block"))
		axis++;
	return parsed(variant_axis(kernel, variant, axis)->values);
}

/* The block sizes above, and those that the variant is made for. */
static void verify_size(const struct kernel *kernel, const struct kernel_variant *variant,
			int64_t n, size_t *turn, struct tally *tally)
{
	struct axis_values own = default_blocks(kernel, variant);
	const int64_t *tried = SANITIZED ? sanitized_blocks : blocks;
	const size_t count = SANITIZED ? ARRAY_SIZE(sanitized_blocks) : ARRAY_SIZE(blocks);

	for (size_t b = 0; b < count; b++)
		if (n < MANY || tried[b] > 1)
			verify_at(kernel, variant, tried[b], n, (*turn)++, tally);
	if (own.count == 1)
		verify_at(kernel, variant, own.items[0], n, (*turn)++, tally);
	axis_values_release(&own);
}

static void verify_even_sizes(const struct kernel *kernel, const struct kernel_variant *variant,
			      size_t *turn, struct tally *tally)
{
	struct axis_values own = default_blocks(kernel, variant);

	for (size_t s = 0; s < ARRAY_SIZE(even_sizes); s++)
		for (size_t b = 0; b < own.count; b++)
			verify_at(kernel, variant, own.items[b], even_sizes[s], (*turn)++, tally);
	axis_values_release(&own);
}

static void verify_variant(const struct kernel *kernel, const struct kernel_variant *variant)
{
	struct tally tally = {0};
	struct axis_values small = {0};
	size_t turn = 0;

	if (!has_axis(kernel, variant, "n")) {
		verify_size(kernel, variant, 1, &turn, &tally);
		assert_true(tally.verified + tally.not_emulated > 0);
		return;
	}
	small = parsed(kernel->small_size ? kernel->small_size : "4099");
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
		if (sizes[s] <= small.items[small.count - 1])
			verify_size(kernel, variant, sizes[s], &turn, &tally);
	if (tally.verified + tally.not_emulated == 0)
		verify_even_sizes(kernel, variant, &turn, &tally);
	for (size_t s = 0; s < small.count; s++)
		if (!SANITIZED || small.items[s] <= SANITIZED_MOST)
			verify_size(kernel, variant, small.items[s], &turn, &tally);
	axis_values_release(&small);
	if (tally.verified + tally.not_emulated == 0)
		fail_msg("%s/%s: its constraints hold nowhere", kernel->name, variant->name);
}

/* Families that run on request only have tests of their own. */
static void test_every_block_and_size(void **context)
{
	size_t count;
	const struct kernel *const *all = kernel_all(&count);

	(void)context;
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < all[k]->variant_count && !all[k]->on_request; v++)
			verify_variant(all[k], &all[k]->variants[v]);
}

/* ---- more elements than 32 bits count ---- */

/*
 * Buffers of over 2^32 elements are addresses only, of which the few pages are
 * there that a launch touches. Its first block, its last one and the one to which
 * a stride of the grid takes the last element must touch the last element of each
 * input and result: an index that wraps touches another. The resident grid is a
 * power of two here, so that a stride of it takes the first block there, and
 * large, so that it does in few strides.
 */
#define OVER_32_BITS ((INT64_C(1) << 32) + 37)
#define OVER_32_BITS_SQUARED 65664 /* and whole tiles, as some matrices are to be */
#define WIDE_BLOCK 256
#define WIDE_SM_COUNT 512
#define WIDE_MEMORY_BYTES (INT64_C(1) << 42)
#define WIDE_RESIDENT_MOST_KIB (4L << 20)
#define WIDE_MOST_INSTRUCTIONS (UINT64_C(1) << 30)

static bool is_wide(const struct case_buffer *buffer)
{
	return buffer->length > INT64_C(1) << 32 &&
	       (buffer->role == BUFFER_IN || buffer->role == BUFFER_OUT);
}

/* The smaller n that makes a buffer of that many elements. NULL: neither does, or is refused. */
static struct launch_case *wide_case(const struct kernel *kernel,
				     const struct kernel_variant *variant)
{
	static const int64_t wide[] = {OVER_32_BITS_SQUARED, OVER_32_BITS};
	struct device_limits limits = limits_of_chip();
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;

	limits.global_memory_bytes = WIDE_MEMORY_BYTES;
	limits.sm_count = WIDE_SM_COUNT;
	for (size_t i = 0; i < ARRAY_SIZE(wide) && !work; i++) {
		bool found = false;

		work = resolve(kernel, variant, WIDE_BLOCK, wide[i], 0, &limits, &skip);
		for (size_t b = 0; work && b < work->buffer_count; b++)
			found = found || is_wide(&work->buffers[b]);
		if (!found) {
			launch_case_free(work);
			work = NULL;
		}
	}
	text_release(&skip);
	return work;
}

/* The last block of the launch, or with `others` those before it: the first one, and the one to
 * which a stride of the grid takes the last element, in rising order. Matrix products have
 * no such stride, and their blocks are long, so only the last one runs there. */
static size_t blocks_to_run(int64_t out[2], const struct emulated_case *emulated, size_t launch,
			    bool others)
{
	const int64_t all = launch_blocks(&emulated->work->launches[launch]);
	int64_t n = 0, strided = 0;
	size_t count = 0;

	if (!others) {
		out[0] = all - 1;
		return 1;
	}
	if (launch_case_axis(emulated->work, "n", &n) && n == OVER_32_BITS_SQUARED)
		return 0;
	if (n == OVER_32_BITS)
		strided = (n - 1) / WIDE_BLOCK % all;
	if (all > 1)
		out[count++] = 0;
	if (strided > 0 && strided < all - 1)
		out[count++] = strided;
	return count;
}

static void run_blocks(struct emulated_case *emulated, bool others)
{
	struct text text = TEXT_INIT;
	struct error err = {0};

	for (size_t l = 0; l < emulated->work->launch_count; l++) {
		int64_t some[2];
		const struct launch_part part = {
			.block_count = blocks_to_run(some, emulated, l, others),
			.blocks = some,
			.instructions = WIDE_MOST_INSTRUCTIONS,
		};

		if (part.block_count && emulated_case_launch(emulated, l, &part, &err))
			fail_msg("%s/%s: %s", emulated->work->kernel, emulated->work->variant,
				 err.text);
	}
	if (emulated->findings.count) {
		finding_text(&text, &emulated->findings.items[0]);
		fail_msg("%s/%s: %s", emulated->work->kernel, emulated->work->variant, text.data);
	}
}

static bool is_touched(const struct emulated_case *emulated, size_t b, int64_t element)
{
	const struct case_buffer *buffer = &emulated->work->buffers[b];
	const struct allocation *in = device_memory_below(emulated->memory, emulated->addresses[b]);
	const uint64_t sector = (uint64_t)element * element_size_bytes(buffer->type) / SECTOR_BYTES;
	const uint64_t *touched = buffer->role == BUFFER_IN ? in->read : in->written;

	return touched[sector / 64] >> sector % 64 & 1;
}

/* False: this machine has no such addresses, or the emulator no such instructions. */
static bool run_wide(const struct launch_case *work)
{
	const struct ptx_program *program;
	const struct ptx_image *image;
	const char *gaps;
	struct emulated_case emulated;
	struct error err = {0};

	if (ptx_image_program(&runner.images, work, &image, &program, &gaps, &err))
		fail_msg("%s", err.text);
	if (!program || emulated_case_open(&emulated, &runner, work, image, program, &err))
		return false;
	for (int others = 0; others < 2; others++) {
		run_blocks(&emulated, others);
		for (size_t b = 0; b < work->buffer_count; b++) {
			const struct case_buffer *buffer = &work->buffers[b];

			if (!is_wide(buffer))
				continue;
			if (others && !is_touched(&emulated, b, buffer->length - 1))
				fail_msg("%s/%s: nobody comes to the last element of %s",
					 work->kernel, work->variant, buffer->name);
			if (!others && buffer->role == BUFFER_OUT && is_touched(&emulated, b, 0))
				fail_msg("%s/%s: the last block writes the first element of %s",
					 work->kernel, work->variant, buffer->name);
		}
	}
	emulated_case_close(&emulated);
	return true;
}

/* Matrix products take seconds each: every second one runs, or all with scripts/test --all. */
static bool is_left_out(const struct launch_case *work, size_t *products)
{
	int64_t n = 0;

	if (!launch_case_axis(work, "n", &n) || n != OVER_32_BITS_SQUARED)
		return false;
	return (*products)++ % 2 && !getenv("PERFLAB_TEST_ALL");
}

static void test_indices_beyond_32_bits(void **context)
{
	const int64_t memory_limit_bytes = runner.memory_limit_bytes;
	size_t count, cases = 0, products = 0, run = 0;
	const struct kernel *const *all = kernel_all(&count);
	struct rusage usage;

	(void)context;
	if (SANITIZED)
		skip(); /* its shadow of all those addresses would be real memory */
	/* With large pages, all of the memory would be resident. */
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	runner.memory_limit_bytes = WIDE_MEMORY_BYTES;
	runner.launch_end_ns = INT64_MAX;
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < all[k]->variant_count && !all[k]->on_request; v++) {
			struct launch_case *work = wide_case(all[k], &all[k]->variants[v]);

			cases += work != NULL;
			run += work && !is_left_out(work, &products) && run_wide(work);
			launch_case_free(work);
		}
	runner.memory_limit_bytes = memory_limit_bytes;
	print_message("%zu of %zu variants were run on over 2^32 elements\n", run, cases);
	assert_true(cases > 40);
	/* what no thread touches is not read either */
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true(usage.ru_maxrss < WIDE_RESIDENT_MOST_KIB);
}

/* ---- axes of 0 ---- */

/* `n` and `block` aside: 0 is a value as any other, or is skipped, and the reason names the axis.
 */
static void verify_zero(const struct kernel *kernel, const struct kernel_variant *variant,
			size_t zero)
{
	const struct device_limits limits = limits_of_chip();
	const char *name = variant_axis(kernel, variant, zero)->name;
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	size_t count = variant_axis_count(kernel, variant);
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct tally tally = {0};
	struct error err = {0};

	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);
		struct axis_values values = parsed(axis->values);

		memcpy(axes[i].name, axis->name, strlen(axis->name));
		axes[i].value = i == zero ? 0 : !strcmp(axis->name, "n") ? 1000 : values.items[0];
		axis_values_release(&values);
	}
	if (kernel_resolve(&work, &skip, kernel, variant, axes, count, &limits, &err))
		fail_msg("%s=0: %s", name, err.text);
	if (!work && !strstr(skip.data, name))
		fail_msg("%s/%s, %s=0: skipped for \"%s\"", kernel->name, variant->name, name,
			 skip.data);
	/* ceilings are made to fill a GPU */
	if (work && strcmp(kernel->name, "ceilings"))
		verify(work, &tally);
	launch_case_free(work);
	text_release(&skip);
}

static void test_every_axis_of_zero(void **context)
{
	size_t count;
	const struct kernel *const *all = kernel_all(&count);

	(void)context;
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < all[k]->variant_count; v++) {
			const struct kernel_variant *variant = &all[k]->variants[v];

			for (size_t a = 0; a < variant_axis_count(all[k], variant); a++) {
				const char *name = variant_axis(all[k], variant, a)->name;

				if (strcmp(name, "n") && strcmp(name, "block"))
					verify_zero(all[k], variant, a);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_block_and_size),
		cmocka_unit_test(test_indices_beyond_32_bits),
		cmocka_unit_test(test_every_axis_of_zero),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
