/*
 * Ceilings: measured as a run of their own, for `perflab ceilings`, and before
 * the first sweep of a device into a database.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/analysis/ceilings.h"

const char *const ceilings_when_words[] = {"auto", "always", "never", NULL};

int ceilings_when_default(int *out, struct error *err)
{
	const char *word = getenv("PERFLAB_CEILINGS");

	*out = CEILINGS_AUTO;
	if (!word || !*word)
		return 0;
	for (int i = 0; ceilings_when_words[i]; i++) {
		if (strcmp(ceilings_when_words[i], word) == 0) {
			*out = i;
			return 0;
		}
	}
	return error_set(err, PL_EUSAGE,
			 "PERFLAB_CEILINGS is '%.40s': it takes auto, always or never", word);
}

/* ---- one run of ceilings ---- */

/* *out may have an open database. */
static int measure_ceilings(const struct sweep_request *request,
			    const struct sweep_observer *observer, const volatile int *stop,
			    struct sweep_result *out, struct error *err)
{
	struct measure_settings settings = request->settings;

	settings.metrics = (struct string_list){0};
	if (backend_traits_of(request->backend).emulated)
		settings.device = 0;
	return sweep_measure_request(request, &settings, true, observer, stop, out, err);
}

int ceilings_run(const struct sweep_request *request, const struct sweep_observer *observer,
		 const volatile int *stop, struct sweep_result *out, struct error *err)
{
	*out = (struct sweep_result){0};
	return measure_ceilings(request, observer, stop, out, err);
}

/* ---- before a sweep ---- */

struct device_search {
	int ordinal;
	struct device_info found;
	bool is_there;
};

static void look_at_device(void *context, int ordinal, const struct device_info *device)
{
	struct device_search *search = context;

	if (ordinal != search->ordinal)
		return;
	search->found = *device;
	search->is_there = true;
}

/* A database that cannot be read has none here; the sweep itself reports the error. */
static bool has_ceilings(struct db *db, const struct device_info *device)
{
	struct ceiling_list stored = {0};
	bool has;

	if (db)
		db_ceilings_of_device(db, device, &stored, NULL);
	has = stored.count > 0;
	ceiling_list_release(&stored);
	return has;
}

static bool ceilings_are_wanted(const struct sweep_request *request, const char *backend,
				struct db *db)
{
	const struct backend *known = backend_find(backend);
	struct device_search search = {.ordinal = request->settings.device};

	if (request->ceilings == CEILINGS_NEVER || request->resume || !known ||
	    !known->has_ceilings)
		return false;
	/* A device that is missing is reported by the sweep itself. */
	if (worker_devices(backend, look_at_device, &search, NULL) || !search.is_there)
		return false;
	return request->ceilings == CEILINGS_ALWAYS || !has_ceilings(db, &search.found);
}

/* The request of a sweep, changed to that of its ceilings; lists and strings are borrowed. */
static struct sweep_request ceilings_request(const struct sweep_request *sweep,
					     struct string_list *selectors)
{
	struct sweep_request request = *sweep;

	string_list_add(selectors, CEILINGS_KERNEL);
	request.selectors = *selectors;
	request.axis_names = request.axis_values = (struct string_list){0};
	request.label = CEILINGS_LABEL;
	request.note = NULL;
	request.shard = request.sweep_id = NULL;
	request.settings.rounds = CEILINGS_ROUNDS;
	request.settings.cache = CACHE_COLD;
	request.settings.min_samples = measure_settings_default.min_samples;
	request.settings.max_time_ns = measure_settings_default.max_time_ns;
	request.settings.precision = CEILINGS_PRECISION;
	request.settings.counter_dump = NULL;
	return request;
}

int ceilings_before(const struct sweep_request *request, const struct sweep_observer *observer,
		    const volatile int *stop, const char *backend, struct sweep_result *out,
		    struct error *err)
{
	struct string_list selectors = {0};
	struct sweep_request own;
	struct sweep_result measured = {.db = out->db};
	struct error cause = {0};
	size_t failed = 0;
	bool ends;
	int rc;

	if (!ceilings_are_wanted(request, backend, out->db))
		return 0;
	tell_observer(observer, NOTICE_REMARK,
		      "measuring the ceilings of the device first (--ceilings never skips this)");
	own = ceilings_request(request, &selectors);
	own.backend = backend;
	rc = measure_ceilings(&own, observer, stop, &measured, &cause);
	for (size_t i = 0; i < measured.run.trial_count; i++)
		failed += trial_status_is_failure(measured.run.trials[i].status);
	/* a sweep whose database is gone does not go on in another one */
	ends = rc == PL_EINTERRUPTED || (rc && measured.db && db_was_lost(measured.db));
	if (!rc)
		tell_observer(
			observer, NOTICE_REMARK,
			"the ceilings are stored as run %lld; perflab ceilings --stored --db %s "
			"prints them",
			(long long)measured.run.id, request->db_path);
	if (rc && !ends)
		tell_observer(observer, NOTICE_WARNING,
			      "no ceilings: %s; the sweep continues without them", cause.text);
	else if (failed)
		tell_observer(
			observer, NOTICE_WARNING,
			"%zu %s of the ceilings failed; perflab report %lld --db %s shows why",
			failed, failed == 1 ? "case" : "cases", (long long)measured.run.id,
			request->db_path);
	out->db = measured.db; /* the sweep continues with it */
	measured.db = NULL;
	sweep_result_release(&measured);
	string_list_release(&selectors);
	return ends ? error_set(err, rc, "%s", cause.text) : 0;
}
