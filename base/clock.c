/*
 * Clocks, and human-readable times and amounts.
 */
#include "base/base.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
#define FORMAT_SIZE 32

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		abort(); /* these clocks always exist on Linux */
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* What the wall clock showed when the process first asked, and the time since then. 0: not yet. */
static int64_t steady_wall_ns(void)
{
	static _Atomic int64_t wall_at_boot_ns;
	const int64_t since_boot_ns = clock_ns(CLOCK_BOOTTIME);
	int64_t none = 0;

	atomic_compare_exchange_strong(&wall_at_boot_ns, &none,
				       clock_ns(CLOCK_REALTIME) - since_boot_ns);
	return wall_at_boot_ns + since_boot_ns;
}

int64_t wall_time_ns(void)
{
	const char *frozen = getenv("PERFLAB_EPOCH_NS");
	int64_t frozen_ns;

	/* a value that is not a number is ignored */
	if (frozen && parse_i64(&frozen_ns, frozen, NULL) == PL_OK)
		return frozen_ns;
	return steady_wall_ns();
}

void format_utc(char out[21], int64_t wall_ns)
{
	/* rounds down also before 1970 */
	time_t seconds = (time_t)(wall_ns / NS_PER_S - (wall_ns % NS_PER_S < 0));
	struct tm utc;

	/* cannot fail: 64 bits of nanoseconds span the years 1677 to 2262 */
	gmtime_r(&seconds, &utc);
	strftime(out, 21, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Writes "n/a", "inf" or "-inf" for a value that is not finite. Returns whether it is finite. */
static bool format_finite(char out[FORMAT_SIZE], double value)
{
	if (isfinite(value))
		return true;
	snprintf(out, FORMAT_SIZE, "%s", isnan(value) ? "n/a" : value > 0 ? "inf" : "-inf");
	return false;
}

void format_bytes(char out[32], double bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = bytes;
	size_t i = 0;

	if (!format_finite(out, bytes))
		return;
	/* from these bounds on, rounding would print 1024 of the smaller unit */
	if (fabs(value) < 1023.5) {
		snprintf(out, FORMAT_SIZE, "%.0f B", value);
		return;
	}
	value /= 1024;
	while (fabs(value) >= 1023.95 && i + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		i++;
	}
	snprintf(out, FORMAT_SIZE, fabs(value) < 1e6 ? "%.1f %s" : "%.3g %s", value, units[i]);
}

void format_duration(char out[32], double nanoseconds)
{
	static const struct {
		const char *name;
		double ns;
		double next; /* from this value on, in this unit, the next unit is used */
	} units[] = {
		{"ns", 1, 999.5},  {"us", 1e3, 999.5},   {"ms", 1e6, 999.5},
		{"s", 1e9, 59.95}, {"min", 60e9, 59.95}, {"h", 3600e9, INFINITY},
	};
	size_t i = 0;
	double value, magnitude;
	int decimals;

	if (!format_finite(out, nanoseconds))
		return;
	while (fabs(nanoseconds) / units[i].ns >= units[i].next)
		i++;
	value = nanoseconds / units[i].ns;
	magnitude = fabs(value);
	/* three significant digits after rounding */
	decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
	if (value == 0)
		snprintf(out, FORMAT_SIZE, "0 ns");
	else if (magnitude < 1e6)
		snprintf(out, FORMAT_SIZE, "%.*f %s", decimals, value, units[i].name);
	else
		snprintf(out, FORMAT_SIZE, "%.3g %s", value, units[i].name);
}
