#include "harness/workers/cuda/counter_access.h"

#include <stdlib.h>

static void wait_for_thread(struct counter_access *access)
{
	if (access->running)
		pthread_join(access->thread, NULL);
	access->running = false;
}

/* A failure comes again, and is reported then. */
static void *hook_in_thread(void *context)
{
	struct error ignored = {0};

	(void)context;
	cupti_hook(&ignored);
	return NULL;
}

void counter_access_hook(struct counter_access *access)
{
	access->running = pthread_create(&access->thread, NULL, hook_in_thread, NULL) == 0;
}

static void plan_counters_of_device(struct counter_access *access)
{
	uint8_t *availability = NULL;

	access->why = (struct error){0};
	access->rc = cupti_load(access->cupti, &access->why);
	if (access->rc == 0)
		access->rc = cupti_device_check(access->device->context, access->device->handle,
						access->chip, &availability, &access->why);
	if (access->rc == 0)
		access->rc = cupti_plan_create(&access->plan, access->chip, access->metrics,
					       availability, &access->why);
	free(availability);
}

static void *plan_in_thread(void *context)
{
	struct counter_access *access = context;

	access->device->driver.cuCtxSetCurrent(access->device->context);
	plan_counters_of_device(access);
	return NULL;
}

void counter_access_begin(struct counter_access *access, const struct device *device,
			  const struct string_list *metrics)
{
	wait_for_thread(access);
	access->device = device;
	access->metrics = metrics;
	if (pthread_create(&access->thread, NULL, plan_in_thread, access) == 0)
		access->running = true;
	else
		plan_counters_of_device(access);
}

int counter_access_open(struct counter_access *access, const struct device *device,
			const struct string_list *metrics, struct error *err)
{
	if (!access->running && !access->plan) {
		access->device = device;
		access->metrics = metrics;
		plan_counters_of_device(access);
	}
	wait_for_thread(access);
	return access->rc ? error_set(err, access->rc, "%s", access->why.text) : 0;
}

void counter_access_close(struct counter_access *access)
{
	wait_for_thread(access);
	cupti_plan_free(access->plan);
	*access = (struct counter_access){0};
}
