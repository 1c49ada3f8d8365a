#include "harness/sweep/lost_device.h"

/* Whether the worker was lost with the case, which may be the fault of the device. */
static bool lost_worker(enum trial_status status)
{
	return status == TRIAL_CRASHED || status == TRIAL_DEVICE_ERROR || status == TRIAL_TIMEOUT;
}

void lost_device_case_ended(struct sweep *sweep, size_t index, enum trial_status status)
{
	/* a worker that still runs has the device open */
	if (sweep->info.traits.timed && lost_worker(status) && !sweep->worker.pid)
		sweep->suspect = index;
}

void lost_device_opened(struct sweep *sweep)
{
	sweep->suspect = NO_CASE;
}

void lost_device_note(struct sweep *sweep)
{
	sweep->device_lost = sweep->info_known && sweep->info.traits.timed;
}

size_t lost_device_case(const struct sweep *sweep)
{
	return sweep->device_lost ? sweep->suspect : NO_CASE;
}
