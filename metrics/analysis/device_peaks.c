/*
 * Theoretical peaks, computed as in datasheets: the work of a multiprocessor per
 * clock, times the number of multiprocessors, times the highest clock that the
 * device reports. No device keeps that clock under every load, so measured
 * ceilings are lower.
 *
 * There is no peak if NVIDIA states no number, or if products of one compute
 * capability differ (tensor cores of GeForce and workstation cards).
 */
#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

#include <math.h>

/*
 * Dense fused multiply-adds per clock and multiprocessor; tensor cores sum in f32.
 * 0: none, or not stated. Sources: the CUDA C++ Programming Guide, "Throughput of
 * Native Arithmetic Instructions", and the peak rates in NVIDIA's white papers,
 * divided by SMs and boost clock: Tesla V100 (WP-08608), T4 (WP-09183), A100
 * (NVIDIA A100 Tensor Core GPU Architecture), GA102, Ada AD102, H100 (NVIDIA H100
 * Tensor Core GPU Architecture, SXM5), and the datasheets of B200 and RTX 5090.
 */
static const struct {
	int cc_major, cc_minor;
	int per_clock[PRECISION_COUNT]; /* in the order of PRECISION_LIST */
} rates[] = {
	/*        f64  f32  f16 bf16 | f64 tf32  f16  bf16   f8 on tensor cores */
	{7, 0, {32, 64, 128, 0, 0, 0, 512, 0, 0}},
	{7, 5, {2, 64, 128, 0, 0, 0, 0, 0, 0}},
	{8, 0, {32, 64, 256, 128, 64, 512, 1024, 1024, 0}},
	{8, 6, {2, 128, 128, 128, 0, 0, 0, 0, 0}},
	{8, 9, {2, 128, 128, 128, 0, 0, 0, 0, 0}},
	{9, 0, {64, 128, 256, 256, 128, 1024, 2048, 2048, 4096}},
	{10, 0, {64, 128, 0, 0, 0, 0, 0, 0, 0}},
	{12, 0, {2, 128, 128, 128, 0, 0, 0, 0, 0}},
};

/*
 * Bytes per clock: of the L2 for the whole device (the white paper of A100 states
 * 5120, and 2048 for V100), of L1 per multiprocessor (white papers of V100,
 * Turing, A100, GA102). Shared memory has 32 banks of 4 bytes on all devices
 * (Programming Guide).
 */
static const struct {
	int cc_major, cc_minor;
	int l2, l1;
} bytes_per_clock[] = {
	{7, 0, 2048, 128}, {7, 5, 0, 64},  {8, 0, 5120, 128},
	{8, 6, 0, 128},    {8, 9, 0, 128}, {9, 0, 0, 128},
};
#define SHARED_BYTES_PER_CLOCK 128
#define DATA_PER_MEMORY_CLOCK 2 /* the memories of these devices transfer data on both edges */

static double positive_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

double device_peak_rate(const struct device_info *device, enum precision precision)
{
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].cc_major == device->cc_major && rates[i].cc_minor == device->cc_minor)
			return positive_or_nan(2.0 * rates[i].per_clock[precision] *
					       (double)device->sm_count *
					       (double)device->sm_clock_max_hz);
	return NAN;
}

static double cache_bandwidth(const struct device_info *device, enum memory_level level)
{
	double clock_hz = (double)device->sm_clock_max_hz, sm_count = (double)device->sm_count;

	for (size_t i = 0; i < ARRAY_SIZE(bytes_per_clock); i++)
		if (bytes_per_clock[i].cc_major == device->cc_major &&
		    bytes_per_clock[i].cc_minor == device->cc_minor)
			return positive_or_nan(level == LEVEL_L2 ? bytes_per_clock[i].l2 * clock_hz
								 : bytes_per_clock[i].l1 *
									   sm_count * clock_hz);
	return NAN;
}

double device_peak_bandwidth(const struct device_info *device, enum memory_level level)
{
	switch (level) {
	case LEVEL_DRAM:
		return positive_or_nan(DATA_PER_MEMORY_CLOCK * (double)device->memory_clock_max_hz *
				       (double)device->memory_bus_bits / 8);
	case LEVEL_SHARED:
		return positive_or_nan(SHARED_BYTES_PER_CLOCK * (double)device->sm_count *
				       (double)device->sm_clock_max_hz);
	case LEVEL_L2:
	case LEVEL_L1:
		return cache_bandwidth(device, level);
	case MEMORY_LEVEL_COUNT:
		break;
	}
	return NAN;
}
