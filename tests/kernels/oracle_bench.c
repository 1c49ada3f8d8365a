#include "oracle_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fill(struct oracle_bench *bench, size_t index, uint64_t seed, double deviation)
{
	struct case_buffer buffer = bench->work->buffers[index];
	const size_t bytes = (size_t)buffer.length * element_size_bytes(buffer.type);
	void *data = memset(xcalloc(1, bytes + 1), 0xff, bytes);
	struct error err = {0};

	if (buffer.role == BUFFER_OUT) {
		bench->expected.data[index] = data;
		return;
	}
	if (buffer.role != BUFFER_IN) {
		free(data);
		return;
	}
	if (deviation > 0 && !element_is_integer(buffer.type)) {
		buffer.fill = FILL_NORMAL;
		buffer.fill_low = 0;
		buffer.fill_high = deviation;
	}
	if (kernel_fill(data, &buffer, seed, &err))
		fail_msg("%s", err.text);
	bench->inputs.data[index] = data;
}

void oracle_bench_init(struct oracle_bench *bench, const char *kernel, const char *variant,
		       const char *config, uint64_t seed, double deviation)
{
	const struct kernel *family = kernel_find(kernel);
	const struct kernel_variant *row = kernel_find_variant(family, variant);
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	struct device_limits limits = device_limits_minimum;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	size_t count = variant_axis_count(family, row);

	/* Cases for larger devices are fine here. */
	limits.compute_capability = 90;
	limits.max_shared_bytes_per_block = 227 * 1024;
	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(family, row, i);
		char *key = xasprintf(",%s=", axis->name);
		char *all = xasprintf(",%s", config);
		const char *said = strstr(all, key);

		memcpy(axes[i].name, axis->name, strlen(axis->name));
		axes[i].value = atoll(said ? said + strlen(key) : axis->values);
		free(all);
		free(key);
	}
	*bench = (struct oracle_bench){0};
	if (kernel_resolve(&bench->work, &skip, family, row, axes, count, &limits, &err))
		fail_msg("%s", err.text);
	if (!bench->work)
		fail_msg("%s/%s/%s: %s", kernel, variant, config, skip.data);
	text_release(&skip);
	for (size_t i = 0; i < bench->work->buffer_count; i++)
		fill(bench, i, seed, deviation);
}

void oracle_bench_compute(struct oracle_bench *bench)
{
	struct error err = {0};

	if (kernel_oracle_compute(kernel_find_oracle(bench->work->oracle), bench->work,
				  &bench->inputs, &bench->expected, &err))
		fail_msg("%s", err.text);
}

void oracle_bench_release(struct oracle_bench *bench)
{
	for (size_t i = 0; i < KERNEL_MAX_BUFFERS; i++) {
		free(bench->inputs.data[i]);
		free(bench->expected.data[i]);
	}
	launch_case_free(bench->work);
}

void *oracle_bench_data(const struct oracle_bench *bench, const char *name, int64_t *length)
{
	for (size_t i = 0; i < bench->work->buffer_count; i++) {
		if (strcmp(bench->work->buffers[i].name, name))
			continue;
		if (length)
			*length = bench->work->buffers[i].length;
		return bench->inputs.data[i] ? bench->inputs.data[i] : bench->expected.data[i];
	}
	fail_msg("no buffer %s", name);
	return NULL;
}

int64_t oracle_bench_axis(const struct oracle_bench *bench, const char *name)
{
	int64_t value = 0;

	assert_true(launch_case_axis(bench->work, name, &value));
	return value;
}
