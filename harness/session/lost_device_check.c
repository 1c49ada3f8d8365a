/* Sees whether the device is lost that a case may have taken with it. */
#include "harness/session/lost_device.h"
#include "harness/session/session_parts.h"

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
