/* What is stored when a device is lost. */
#include <stdlib.h>

#include "harness/sweep/sweep_parts.h"

/* Stores the loss of the device with a case. *before: why the device was lost with it before, in
 * this run or in another one of its sweep, malloc'd; NULL: it was not. The first time, a case that
 * was measured is pending again; the second time it has crashed, for both reasons. */
static int store_case(struct sweep *sweep, const struct sweep_store *store, size_t index,
		      const char *why, char **before, struct error *err)
{
	const struct plan_case *planned = &sweep->plan->cases[index];
	struct text both = TEXT_INIT;
	char *key = xasprintf(GPUS_LOST_PREFIX "%s/%s/%s", planned->kernel, planned->variant,
			      planned->config);
	/* together: two GPUs may be lost with one case at the same time */
	int rc = db_together_begin(store->db, err);

	if (!rc) {
		rc = db_environment_alike(store->db, store->run_id, GPUS_GROUP_KEY, key, before,
					  err);
		if (!rc && *before)
			text_addf(&both, "the GPU was lost twice with this case: %s; then: %s",
				  *before, why);
		if (!rc && !*before)
			rc = db_environment_set(store->db, store->run_id, key, why, err);
		if (!rc && index == sweep->suspect)
			rc = db_trial_finish(store->db, store->trial_ids[index],
					     *before ? TRIAL_CRASHED : TRIAL_PENDING,
					     *before ? both.data : NULL, NULL, err);
		rc = db_together_end(store->db, rc, err);
	}
	if (!rc && *before && index == sweep->uncounted)
		rc = case_uncounted(sweep, index, both.data, err);
	text_release(&both);
	free(key);
	return rc;
}

static void tell_case(const struct sweep *sweep, size_t index, bool twice,
		      const struct error *cause)
{
	const struct plan_case *lost = &sweep->plan->cases[index];
	const bool measured = index == sweep->suspect;
	struct text end = TEXT_INIT;

	if (cause && !measured)
		text_addf(&end, ", but this could not be stored: %s", cause->text);
	else if (cause)
		text_addf(&end,
			  ", but this case could not be made pending, so it stays as it has "
			  "ended: %s",
			  cause->text);
	else if (twice)
		text_addf(&end, " for the second time, so this case %s",
			  measured ? "has crashed" : "is left without counters");
	else
		text_addf(&end, ", so this case is pending%s",
			  measured ? " and did not crash" : " until its counters are read");
	tell_observer(sweep->observer, NOTICE_WARNING, "%s was lost while it %s %s/%s/%s%s",
		      sweep->info.device.name, measured ? "measured" : "counted", lost->kernel,
		      lost->variant, lost->config, end.data);
	text_release(&end);
}

void lost_device_store(struct sweep *sweep, const struct sweep_store *store,
		       const struct error *why)
{
	const size_t index = sweep->suspect != NO_CASE ? sweep->suspect : sweep->uncounted;
	const char *text = why && *why->text ? why->text : "for a reason that is not known";
	struct error cause = {0};
	char *before = NULL;
	int rc = 0;

	if (!sweep->device_lost || !store->begun)
		return;
	if (index != NO_CASE) {
		rc = store_case(sweep, store, index, text, &before, &cause);
		/* where other GPUs measure a case that is pending, the sweep says so */
		if (rc || before || !sweep->hooks.refuse)
			tell_case(sweep, index, before != NULL, rc ? &cause : NULL);
	}
	if (!rc && before && sweep->hooks.refuse)
		sweep->hooks.refuse(sweep, index, index == sweep->suspect);
	if (rc || before)
		sweep->suspect = NO_CASE;
	if (db_environment_set(store->db, store->run_id, GPUS_FAILED_KEY, text, &cause))
		tell_observer(sweep->observer, NOTICE_WARNING,
			      "run %lld does not say why %s was lost: %s", (long long)store->run_id,
			      sweep->info.device.name, cause.text);
	free(before);
}
