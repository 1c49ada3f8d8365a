/*
 * cupti_records: when kernels, copies and fills of this process ran on the device, as CUPTI records
 * it. Needs a context, and no right to read counters. CUPTI adds code to kernels for it: a launch
 * of 8,192 blocks takes 1 us longer on an H200 while it records (docs/results/clocks.md), so
 * nothing else may be timed meanwhile. One thread at a time.
 *
 * Functions that return int return 0, or PL_E… with *err set: PL_EUNSUPPORTED if this CUPTI cannot
 * do it, or another tool records; PL_EDEVICE.
 */
#ifndef METRICS_CUPTI_CUPTI_RECORDS_H
#define METRICS_CUPTI_CUPTI_RECORDS_H

#include "base/base.h"

struct device_record {
	int64_t start_ns, end_ns; /* of a clock of CUPTI */
	char name[32];            /* of a kernel, its begin; "": a copy or a fill */
};

int cupti_records_begin(struct error *err);
/*
 * Ends what cupti_records_begin() began. The device must be idle. *out, which the caller frees, has
 * the records since then in the order of their starts, also after an error. PL_EUNSUPPORTED: some
 * were lost.
 */
int cupti_records_end(struct device_record **out, size_t *count, struct error *err);

#endif
