/*
 * placements_probe: what it costs to move a buffer in physical memory, and how far that
 * spreads times, for several ways to choose the pages. It reads a buffer and copies it
 * with a cold cache, on many placements. Writes one line per way and size:
 *
 *   WAY MIB MOVE_US MOVE_US_90 MADE READ_US READ_SD_PCT COPY_US COPY_SD_PCT
 *
 * MOVE_US is the median time of one move of one buffer, MOVE_US_90 its 90 % quantile, and
 * MADE the number of handles that were made. The standard deviations are those of the
 * medians of placements.
 *
 * usage: placements_probe [DEVICE]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/workers/cuda/resources.h"

#define PLACEMENTS 32
#define SAMPLES 25
#define EXIT_NO_DEVICE 77

/* How the pages of a placement are chosen. */
struct way {
	const char *name;
	bool moves;
	size_t filler_granules, spares;
};
static const struct way ways[] = {
	{"stay", false, 0, 0},       /* the same pages, measured again */
	{"make", true, 0, SIZE_MAX}, /* the old ones are freed after the new ones are made */
	{"make_filler", true, 64, SIZE_MAX}, /* with an allocation of random size before */
	{"pool_4", true, 64, 4},             /* one of 4 that were used before */
	{"pool_8", true, 64, 8},
};
static const size_t sizes_mib[] = {4, 16, 64, 256};

struct probe {
	struct device device;
	struct cuda_resources resources;
	CUevent start, stop;
	struct memory_block *from, *to;
};

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Sorts the values. */
static double quantile(double *values, size_t count, double share)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[(size_t)(share * (double)(count - 1) + 0.5)];
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

static double relative_deviation_pct(const double *values, size_t count)
{
	const double mean = mean_of(values, count);
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return 100 * sqrt(squares / (double)(count - 1)) / mean;
}

static int execute(struct probe *probe, bool copies, struct error *err)
{
	const struct cuda_driver *driver = &probe->device.driver;
	CUdeviceptr data = probe->from->data, sink = probe->resources.flush_sink->data;
	unsigned long long words = probe->from->bytes / 16;
	void *arguments[] = {&data, &words, &sink};

	if (copies)
		return cuda_check(driver,
				  driver->cuMemcpyDtoDAsync(probe->to->data, data,
							    probe->from->bytes,
							    probe->device.stream),
				  err, "copying");
	return cuda_check(driver,
			  driver->cuLaunchKernel(
				  probe->resources.flush, (unsigned)probe->device.info.sm_count * 4,
				  1, 1, 512, 1, 1, 0, probe->device.stream, arguments, NULL),
			  err, "reading");
}

static int take_sample(struct probe *probe, bool copies, double *time_us, struct error *err)
{
	const struct cuda_driver *driver = &probe->device.driver;
	float milliseconds = 0;
	int rc = cuda_flush_l2(&probe->resources, FLUSH_TO_TIME, err);

	if (rc == 0)
		rc = cuda_check(driver, driver->cuEventRecord(probe->start, probe->device.stream),
				err, "cuEventRecord");
	if (rc == 0)
		rc = execute(probe, copies, err);
	if (rc == 0)
		rc = cuda_check(driver, driver->cuEventRecord(probe->stop, probe->device.stream),
				err, "cuEventRecord");
	if (rc == 0)
		rc = device_synchronise(&probe->device, err, "sampling");
	if (rc == 0)
		rc = cuda_check(
			driver,
			driver->cuEventElapsedTime(&milliseconds, probe->start, probe->stop), err,
			"cuEventElapsedTime");
	*time_us = 1e3 * (double)milliseconds;
	return rc;
}

/* The median of samples on the present placement, after one that does not count. */
static int measure(struct probe *probe, bool copies, double *median_us, struct error *err)
{
	double samples[SAMPLES];
	int rc = take_sample(probe, copies, &samples[0], err);

	for (size_t i = 0; i < SAMPLES && rc == 0; i++)
		rc = take_sample(probe, copies, &samples[i], err);
	*median_us = quantile(samples, SAMPLES, 0.5);
	return rc;
}

/* Moves both buffers; *move_us is the time of one. */
static int move(struct probe *probe, double *move_us, struct error *err)
{
	struct memory_block *const blocks[] = {probe->from, probe->to};
	const int64_t begun_ns = monotonic_ns();
	size_t replaced = 0;
	int rc = memory_replace_pages(&probe->resources.memory, blocks, 2, &replaced, err);

	*move_us = (double)(monotonic_ns() - begun_ns) / 2e3;
	if (rc == 0 && replaced < 2)
		rc = error_set(err, PL_ENOMEM, "the buffers were not moved");
	return rc;
}

static int probe_way(struct probe *probe, const struct way *way, size_t mib, struct error *err)
{
	struct page_source *source = &probe->resources.memory.source;
	double moves[PLACEMENTS] = {0}, reads[PLACEMENTS], copies[PLACEMENTS], unused;
	size_t made = 0;
	int rc = 0;

	page_source_trim(source);
	source->filler_granules = way->filler_granules;
	source->spares_per_size = way->spares;
	source->spare_limit_bytes = way->spares == SIZE_MAX ? 0 : UINT64_MAX;
	/* fills the pool */
	for (size_t i = 0; way->moves && i < 10 && rc == 0; i++)
		rc = move(probe, &unused, err);
	for (size_t i = 0; i < PLACEMENTS && rc == 0; i++) {
		const size_t spares = source->spare_count;

		if (way->moves)
			rc = move(probe, &moves[i], err);
		made += way->spares == SIZE_MAX ? 2 * way->moves : source->spare_count - spares;
		if (rc == 0)
			rc = measure(probe, false, &reads[i], err);
		if (rc == 0)
			rc = measure(probe, true, &copies[i], err);
	}
	if (rc)
		return rc;
	printf("%s %zu %.1f %.1f %zu %.2f %.3f %.2f %.3f\n", way->name, mib,
	       quantile(moves, PLACEMENTS, 0.5), quantile(moves, PLACEMENTS, 0.9), made,
	       mean_of(reads, PLACEMENTS), relative_deviation_pct(reads, PLACEMENTS),
	       mean_of(copies, PLACEMENTS), relative_deviation_pct(copies, PLACEMENTS));
	return fflush(stdout) ? error_set(err, PL_EIO, "writing the result") : 0;
}

static int probe_size(struct probe *probe, size_t mib, struct error *err)
{
	struct memory *memory = &probe->resources.memory;
	int rc = memory_acquire(memory, NULL, mib << 20, &probe->from, NULL, err);

	if (rc == 0)
		rc = memory_acquire(memory, NULL, mib << 20, &probe->to, NULL, err);
	for (size_t i = 0; i < ARRAY_SIZE(ways) && rc == 0; i++)
		rc = probe_way(probe, &ways[i], mib, err);
	memory_unpin_all(memory);
	return rc;
}

static int probe_all(struct probe *probe, struct error *err)
{
	const struct cuda_driver *driver = &probe->device.driver;
	int rc = cuda_resources_open(&probe->resources, &probe->device, 1, err);

	if (rc == 0)
		rc = memory_make_replaceable(&probe->resources.memory, (uint64_t)wall_time_ns(),
					     err);
	if (rc == 0)
		rc = cuda_check(driver, driver->cuEventCreate(&probe->start, CU_EVENT_DEFAULT), err,
				"cuEventCreate");
	if (rc == 0)
		rc = cuda_check(driver, driver->cuEventCreate(&probe->stop, CU_EVENT_DEFAULT), err,
				"cuEventCreate");
	for (size_t i = 0; i < ARRAY_SIZE(sizes_mib) && rc == 0; i++)
		rc = probe_size(probe, sizes_mib[i], err);
	cuda_resources_close(&probe->resources);
	return rc;
}

int main(int count, char **arguments)
{
	static struct probe probe;
	struct error err = {0};
	int rc = device_open(&probe.device, count > 1 ? atoi(arguments[1]) : 0, NULL, &err);

	if (rc == 0)
		rc = probe_all(&probe, &err);
	device_close(&probe.device);
	if (rc)
		fprintf(stderr, "placements_probe: %s\n", err.text);
	return rc == PL_EUNSUPPORTED ? EXIT_NO_DEVICE : rc != 0;
}
