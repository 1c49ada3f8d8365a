/* Loads stored runs with what a resumed sweep, a comparison and a report need. */
#include "harness/protocol/protocol.h"
#include "harness/session/backends.h"
#include "harness/session/host.h"
#include "harness/session/judge.h"

/* The database stores the settings as JSON and no traits yet: fills both from what it has. */
static void fill_settings(struct run *run)
{
	json_t *json;

	if (run->has_settings || !run->backend)
		return;
	run->traits = backend_traits_of(run->backend);
	json = run->settings_json ? json_loads(run->settings_json, JSON_REJECT_DUPLICATES, NULL)
				  : NULL;
	run->has_settings = json && !settings_from_json(&run->settings, json, NULL);
	json_decref(json);
}

int run_load(struct db *db, int64_t id, bool with_trials, struct run *out, struct error *err)
{
	int rc = db_run_load(db, id, with_trials, out, err);

	if (rc)
		return rc;
	fill_settings(out);
	host_correct_state(out);
	return 0;
}

int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err)
{
	int rc = run_load(db, id, with_trials, out, err);

	return !rc && with_trials ? db_rounds_load(db, out, err) : rc;
}
