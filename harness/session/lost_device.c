#include "harness/session/lost_device.h"

#include "harness/session/session_parts.h"

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

static void tell_unknown(const struct sweep *sweep, size_t index, const struct error *cause)
{
	const struct plan_case *ended = &sweep->plan->cases[index];

	tell_observer(sweep->observer, NOTICE_WARNING,
		      "whether the GPU is lost is not known, because no worker could be started "
		      "after %s/%s/%s: %s",
		      ended->kernel, ended->variant, ended->config, cause->text);
}

int lost_device_check(struct sweep *sweep, struct error *err)
{
	const size_t index = sweep->suspect != NO_CASE ? sweep->suspect : sweep->uncounted;
	struct error cause = {0};
	int rc = 0;

	if (index != NO_CASE)
		rc = sweep_open_worker(sweep, &sweep->worker, &cause);
	if (rc && (sweep->device_lost || rc == PL_EINTERRUPTED))
		return error_set(err, rc, "%s", cause.text);
	if (rc)
		tell_unknown(sweep, index, &cause);
	return 0;
}

size_t lost_device_case(const struct sweep *sweep)
{
	return sweep->device_lost ? sweep->suspect : NO_CASE;
}

int lost_device_store(struct sweep *sweep, const struct sweep_store *store, const struct error *why,
		      struct error *err)
{
	const size_t index = lost_device_case(sweep);
	int rc = 0;

	if (!sweep->device_lost || !store->begun)
		return 0;
	if (index != NO_CASE)
		rc = db_trial_finish(store->db, store->trial_ids[index], TRIAL_PENDING, NULL, NULL,
				     err);
	if (rc)
		sweep->suspect = NO_CASE;
	return rc || !why ? rc
			  : db_environment_set(store->db, store->run_id, GPUS_FAILED_KEY, why->text,
					       err);
}
