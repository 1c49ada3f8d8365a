/*
 * The family `ceilings`: the roof that each variant measures, and results that only a GPU can
 * compute, calculated here one number at a time. tests/harness/workers/ptx/test_ceilings.c tests
 * the variants that the emulator can run.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

static struct launch_case *resolve(const struct kernel_variant *variant, int64_t block,
				   int64_t blocks_per_sm, int64_t turns, struct text *skip,
				   int64_t capability)
{
	const struct kernel *ceilings = kernel_find("ceilings");
	struct device_limits limits = device_limits_minimum;
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	size_t count = variant_axis_count(ceilings, variant);
	struct launch_case *work = NULL;
	struct error err = {0};

	limits.compute_capability = capability;
	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(ceilings, variant, i);

		snprintf(axes[i].name, sizeof(axes[i].name), "%s", axis->name);
		axes[i].value = !strcmp(axis->name, "block")           ? block
				: !strcmp(axis->name, "blocks_per_sm") ? blocks_per_sm
				: !strcmp(axis->name, "turns")         ? turns
								       : atoll(axis->values);
	}
	if (kernel_resolve(&work, skip, ceilings, variant, axes, count, &limits, &err))
		fail_msg("%s: %s", variant->name, err.text);
	return work;
}

static const struct kernel_variant *variant_of(const char *name)
{
	const struct kernel_variant *found = kernel_find_variant(kernel_find("ceilings"), name);

	assert_non_null(found);
	return found;
}

/* Reports know a roof by its name: each is one of a level or a precision, and all are roofed. */
static void test_each_is_a_roof_of_something(void **state)
{
	const struct kernel *ceilings = kernel_find(CEILINGS_KERNEL);
	const struct device_info device = {.cc_major = 9};
	bool levels[MEMORY_LEVEL_COUNT] = {false}, precisions[PRECISION_COUNT] = {false};

	(void)state;
	assert_non_null(ceilings);
	assert_true(ceilings->on_request);
	for (size_t v = 0; v < ceilings->variant_count; v++) {
		struct launch_case *work =
			resolve(&ceilings->variants[v], 256, 1, 3, &(struct text)TEXT_INIT, 90);
		struct trial trial = {.kernel = CEILINGS_KERNEL,
				      .variant = (char *)ceilings->variants[v].name,
				      .has_work = true,
				      .status = TRIAL_OK,
				      .summary = {.median_ns = 1000}};
		struct ceiling found;

		assert_non_null(work);
		trial.flop = work->flop;
		trial.bytes_read = work->bytes_read;
		trial.bytes_written = work->bytes_written;
		if (!ceiling_of_trial(&found, &trial, &device))
			fail_msg("%s is a roof of nothing", trial.variant);
		if (found.kind == CEILING_BANDWIDTH)
			levels[found.of.level] = true;
		else {
			precisions[found.of.precision] = true;
			/* a point by the work model has this roof */
			assert_string_equal(work->precision, precision_name(found.of.precision));
		}
		launch_case_free(work);
	}
	for (size_t i = 0; i < MEMORY_LEVEL_COUNT; i++)
		assert_true(levels[i]);
	for (size_t i = 0; i < PRECISION_COUNT; i++)
		assert_true(precisions[i]);
}

/* kernels/ may not include metrics/, so it has the names a second time. */
static void test_work_models_name_the_precisions_of_roofs(void **state)
{
	const char *const *names = work_precision_names();
	size_t count = 0;

	(void)state;
	while (names[count])
		count++;
	assert_int_equal(count, PRECISION_COUNT);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(names[i], precision_name((enum precision)i));
}

static const char *precision_of(const char *kernel_name, const char *variant_name)
{
	static char precision[16];
	const struct kernel *kernel = kernel_find(kernel_name);
	const struct kernel_variant *variant = kernel_find_variant(kernel, variant_name);
	const struct kernel_work *work = variant->work ? variant->work : &kernel->work;

	snprintf(precision, sizeof(precision), "%s", work->precision ? work->precision : "f32");
	return precision;
}

static void test_each_product_has_the_precision_of_its_unit(void **state)
{
	(void)state;
	assert_string_equal(precision_of("matmul", "naive"), "f32");
	assert_string_equal(precision_of("matmul", "cublas_f32"), "f32");
	assert_string_equal(precision_of("matmul", "cublas_bf16"), "tensor_bf16");
	assert_string_equal(precision_of("matmul", "tensor_tf32"), "tensor_tf32");
	assert_string_equal(precision_of("matmul", "tensor_f16_wgmma"), "tensor_f16");
	assert_string_equal(precision_of("precision", "f32"), "f32");
	assert_string_equal(precision_of("precision", "bf16"), "bf16");
	assert_string_equal(precision_of("precision", "tensor_f64"), "tensor_f64");
}

static void skips(const char *name, int64_t capability, const char *reason)
{
	struct text skip = TEXT_INIT;
	struct launch_case *work = resolve(variant_of(name), 128, 1, 3, &skip, capability);

	assert_null(work);
	if (!strstr(skip.data, reason))
		fail_msg("%s: skipped for \"%s\"", name, skip.data);
	text_release(&skip);
}

static void test_what_a_device_cannot_run_is_skipped(void **state)
{
	struct text skip = TEXT_INIT;

	(void)state;
	skips("bf16_fma", 75, "8.0");
	skips("tensor_f16", 75, "8.0");
	skips("tensor_f8", 86, "8.9");
	skips("tensor_f64_deep", 89, "9.0");
	skips("tensor_f16_wgmma", 89, "Hopper");
	skips("tensor_f16_wgmma", 100, "Hopper");
	assert_null(resolve(variant_of("tensor_f16_wgmma"), 64, 1, 3, &skip, 90));
	assert_non_null(strstr(skip.data, "four warps"));
	text_clear(&skip);
	assert_null(resolve(variant_of("dram_copy"), 96, 1, 3, &skip, 90));
	assert_non_null(strstr(skip.data, "power of two"));
	text_clear(&skip);
	assert_null(resolve(variant_of("f32_fma"), 1024, 2, 3, &skip, 90));
	assert_non_null(strstr(skip.data, "at once"));
	text_release(&skip);
}

/* ---- tensor cores ---- */

/* The matrix shapes that the device code has, by hand. */
static const struct product {
	const char *variant;
	int64_t rows, columns, depth, warps; /* of one product */
	double largest;                      /* whole number that its sums hold exactly */
} products[] = {
	{"tensor_f64", 32, 32, 4, 1, 0x1p53},
	{"tensor_f64_deep", 32, 16, 16, 1, 0x1p53},
	{"tensor_tf32", 32, 32, 8, 1, 0x1p24},
	{"tensor_f16", 32, 32, 16, 1, 0x1p24},
	{"tensor_bf16", 32, 32, 16, 1, 0x1p24},
	/* sums of 8-bit products keep 14 bits */
	{"tensor_f8", 32, 32, 32, 1, 0x1p14},
	{"tensor_tf32_wgmma", 64, 256, 32, 4, 0x1p24},
	{"tensor_f16_wgmma", 64, 256, 64, 4, 0x1p24},
	{"tensor_bf16_wgmma", 64, 256, 64, 4, 0x1p24},
	{"tensor_f8_wgmma", 64, 256, 128, 4, 0x1p14},
};

struct matrices {
	struct launch_case *work;
	int32_t *a, *b, *out;
};

static void matrices_fill(struct matrices *m, const struct launch_case *work)
{
	struct host_buffers inputs = {0}, expected = {0};
	struct error err = {0};

	for (size_t i = 0; i < work->buffer_count; i++) {
		const struct case_buffer *buffer = &work->buffers[i];
		int32_t *data = malloc((size_t)buffer->length * sizeof(*data));

		assert_int_equal(buffer->type, ELEMENT_I32);
		assert_non_null(data);
		if (buffer->role == BUFFER_IN) {
			kernel_fill(data, buffer, 7, NULL);
			inputs.data[i] = data;
		} else {
			expected.data[i] = data;
		}
		*(buffer->name[0] == 'a' ? &m->a : buffer->name[0] == 'b' ? &m->b : &m->out) = data;
	}
	if (kernel_oracle_compute(kernel_find_oracle(work->oracle), work, &inputs, &expected, &err))
		fail_msg("%s", err.text);
}

/* What a thread holds of D, by PTX ISA's figures of the accumulators of mma.m16n8 and wgmma.m64:
 * row group and group + 8 of each 16, columns 2 * (lane % 4) and the next of each 8. */
static int64_t held_by(const struct matrices *m, const struct product *p, int64_t thread)
{
	int64_t lane = thread % 32, warp = thread / 32 % p->warps;
	int64_t rows = p->rows / p->warps, total = 0;

	for (int64_t row = warp * rows; row < (warp + 1) * rows; row++)
		for (int64_t column = 0; column < p->columns; column++) {
			if (row % 8 != lane / 4 || column % 8 / 2 != lane % 4)
				continue;
			for (int64_t k = 0; k < p->depth; k++)
				total += (int64_t)m->a[row * p->depth + k] *
					 m->b[column * p->depth + k];
		}
	return total;
}

static void test_products(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(products); i++) {
		const struct product *p = &products[i];
		struct launch_case *work =
			resolve(variant_of(p->variant), 256, 2, 3, &(struct text)TEXT_INIT, 90);
		struct matrices m = {0};
		double reach = 0;

		assert_non_null(work);
		matrices_fill(&m, work);
		for (size_t b = 0; b < work->buffer_count; b++) {
			const struct case_buffer *buffer = &work->buffers[b];

			if (buffer->role != BUFFER_IN)
				continue;
			assert_int_equal(buffer->length,
					 p->depth *
						 (buffer->name[0] == 'a' ? p->rows : p->columns));
			assert_true(buffer->fill_low == 1 - buffer->fill_high);
			reach = fmax(reach, -buffer->fill_low);
		}
		/* every sum on the way is exact, whatever the seed, and so is a thread's total */
		assert_true(reach >= 7);
		assert_true(reach * reach * (double)p->depth <= p->largest);
		assert_true(reach * reach * (double)(p->depth * p->rows * p->columns) /
				    (double)(32 * p->warps) <
			    0x1p31);
		for (int64_t t = 0; t < work->launches[0].grid[0] * 256; t += 37)
			if (m.out[t] != held_by(&m, p, t))
				fail_msg("%s, thread %" PRId64 ": %d, not %" PRId64, p->variant, t,
					 m.out[t], held_by(&m, p, t));
		free(m.a);
		free(m.b);
		free(m.out);
		launch_case_free(work);
	}
}

/* Products that are made, each of two operations a multiply-add: 4 and 4 in a turn of mma.sync, all
 * slices there and back in one of wgmma, and one at the end. */
static void test_work_of_products(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(products); i++) {
		const struct product *p = &products[i];
		struct launch_case *work =
			resolve(variant_of(p->variant), 256, 2, 6, &(struct text)TEXT_INIT, 90);
		int64_t turns = 6 * 1024 / (256 * 2); /* half of the threads do twice the work */
		int64_t groups = work->launches[0].grid[0] * 256 / 32 / p->warps;
		int64_t made = (p->warps == 1 ? 8 : 2) * turns + 1;

		assert_int_equal(work->launches[0].grid[0], 4 * 2);
		assert_int_equal(work->launches[0].args[3].integer, turns);
		assert_int_equal(work->flop, 2 * p->rows * p->columns * p->depth * made * groups);
		assert_int_equal(work->bytes_read + work->bytes_written, 0);
		launch_case_free(work);
	}
}

/* However many threads share a multiprocessor, its work is the same. */
static void test_work_is_of_the_multiprocessor(void **state)
{
	struct text none = TEXT_INIT;
	struct launch_case *few = resolve(variant_of("f32_fma"), 256, 1, 8, &none, 90);
	struct launch_case *many = resolve(variant_of("f32_fma"), 512, 2, 8, &none, 90);

	(void)state;
	assert_true(fabs((double)few->flop / (double)many->flop - 1) < 0.01);
	launch_case_free(few);
	launch_case_free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_a_roof_of_something),
		cmocka_unit_test(test_work_models_name_the_precisions_of_roofs),
		cmocka_unit_test(test_each_product_has_the_precision_of_its_unit),
		cmocka_unit_test(test_what_a_device_cannot_run_is_skipped),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_work_of_products),
		cmocka_unit_test(test_work_is_of_the_multiprocessor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
