/* Collects CUPTI's records of what ran on the device. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "metrics/cupti/cupti_internal.h"
#include "metrics/cupti/cupti_records.h"

#define RECORD_BUFFER_BYTES ((size_t)1 << 20)
#define RECORD_BUFFER_ALIGN 8

/* CUPTI gives its callbacks no argument of ours, and cannot forget them, so they and what they
 * collect are the process's. */
static struct {
	const struct cupti_library *cupti;
	bool registered;
	pthread_mutex_t lock; /* CUPTI may hand over a full buffer in a thread of its own */
	struct device_record *items;
	size_t count, capacity, lost;
} collected = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const CUpti_ActivityKind recorded_kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
						    CUPTI_ACTIVITY_KIND_MEMCPY,
						    CUPTI_ACTIVITY_KIND_MEMSET};

static void add_record(uint64_t start_ns, uint64_t end_ns, const char *name)
{
	struct device_record *record;

	collected.items = xgrow(collected.items, &collected.capacity, collected.count + 1,
				sizeof(*collected.items));
	record = &collected.items[collected.count++];
	*record = (struct device_record){.start_ns = (int64_t)start_ns, .end_ns = (int64_t)end_ns};
	snprintf(record->name, sizeof(record->name), "%s", name ? name : "");
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = aligned_alloc(RECORD_BUFFER_ALIGN, RECORD_BUFFER_BYTES);
	*bytes = *buffer ? RECORD_BUFFER_BYTES : 0;
	*most = 0; /* as many as fit */
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
				 size_t used)
{
	CUpti_Activity *record = NULL;
	size_t lost = 0;

	(void)bytes;
	pthread_mutex_lock(&collected.lock);
	while (buffer && collected.cupti->cuptiActivityGetNextRecord(buffer, used, &record) ==
				 CUPTI_SUCCESS) {
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
			const CUpti_ActivityKernel9 *kernel = (const void *)record;

			add_record(kernel->start, kernel->end, kernel->name);
		} else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
			const CUpti_ActivityMemcpy5 *copy = (const void *)record;

			add_record(copy->start, copy->end, NULL);
		} else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
			const CUpti_ActivityMemset4 *fill = (const void *)record;

			add_record(fill->start, fill->end, NULL);
		}
	}
	if (collected.cupti->cuptiActivityGetNumDroppedRecords(context, stream, &lost) ==
	    CUPTI_SUCCESS)
		collected.lost += lost;
	pthread_mutex_unlock(&collected.lock);
	free(buffer);
}

static int set_recording(bool on, struct error *err)
{
	const struct cupti_library *cupti = collected.cupti;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(recorded_kinds) && (rc == 0 || !on); i++) {
		struct error why = {0};
		const int own =
			on ? cupti_checked(cupti, cupti->cuptiActivityEnable(recorded_kinds[i]),
					   "cuptiActivityEnable", &why)
			   : cupti_checked(cupti, cupti->cuptiActivityDisable(recorded_kinds[i]),
					   "cuptiActivityDisable", &why);

		if (own && !rc) {
			rc = own;
			*err = why;
		}
	}
	return rc;
}

int cupti_records_begin(struct error *err)
{
	const struct cupti_library *cupti;
	int rc = cupti_library_get(&cupti, err);

	if (rc)
		return rc;
	if (!cupti->cuptiActivityRegisterCallbacks || !cupti->cuptiActivityEnable ||
	    !cupti->cuptiActivityDisable || !cupti->cuptiActivityFlushAll ||
	    !cupti->cuptiActivityGetNextRecord || !cupti->cuptiActivityGetNumDroppedRecords)
		return error_set(err, PL_EUNSUPPORTED, "this CUPTI keeps no records of kernels");
	collected.cupti = cupti;
	collected.count = collected.lost = 0;
	if (!collected.registered)
		rc = cupti_checked(cupti,
				   cupti->cuptiActivityRegisterCallbacks(give_buffer, take_buffer),
				   "cuptiActivityRegisterCallbacks", err);
	collected.registered = rc == 0;
	if (rc == 0)
		rc = set_recording(true, err);
	if (rc) {
		struct error later = {0};

		set_recording(false, &later);
	}
	return rc;
}

static int compare_starts(const void *a, const void *b)
{
	const struct device_record *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int cupti_records_end(struct device_record **out, size_t *count, struct error *err)
{
	const struct cupti_library *cupti = collected.cupti;
	struct error later = {0};
	int rc =
		cupti_checked(cupti, cupti->cuptiActivityFlushAll(0), "cuptiActivityFlushAll", err);
	const int off = set_recording(false, rc ? &later : err);

	if (!rc && !off && collected.lost)
		rc = error_set(err, PL_EUNSUPPORTED, "CUPTI lost %zu records of kernels",
			       collected.lost);
	*out = collected.items;
	*count = collected.count;
	collected.items = NULL;
	collected.count = collected.capacity = 0;
	if (*count)
		qsort(*out, *count, sizeof(**out), compare_starts);
	return rc ? rc : off;
}
