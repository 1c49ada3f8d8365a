/*
 * Ceilings before a sweep: measured once for each device of a database, in the
 * session of the sweep that needs them first.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/settings.h"

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

int ceilings_settings(struct measure_settings *settings, const struct sweep_options *options,
		      const char *backend, struct error *err)
{
	int rc = sweep_request_settings(settings, options, backend, err);

	string_list_release(&settings->metrics);
	return rc;
}

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

/* Of a database that cannot be read the sweep itself will tell. */
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

static bool wanted(const struct sweep_call *sweep, struct db *db)
{
	struct device_search search = {.ordinal = sweep->settings.device};

	if (sweep->options->ceilings == CEILINGS_NEVER || sweep->plan.resumed ||
	    strcmp(sweep->backend, BACKEND_CUDA) != 0)
		return false;
	/* Of a device that is not there, too. */
	if (worker_devices(sweep->backend, look_at_device, &search, NULL) || !search.is_there)
		return false;
	return sweep->options->ceilings == CEILINGS_ALWAYS || !has_ceilings(db, &search.found);
}

int ceilings_before(const struct sweep_call *sweep, struct db **db, struct error *err)
{
	struct sweep_options options = *sweep->options;
	struct sweep_call own = {.call = sweep->call,
				 .options = &options,
				 .backend = sweep->backend,
				 .db_path = sweep->db_path,
				 .of_ceilings = true,
				 .progress = sweep->progress};
	struct sweep_stored stored = {0};
	struct error cause = {0};
	int rc;

	if (!wanted(sweep, *db))
		return 0;
	if (!options.quiet)
		say("measuring the device's ceilings first (--ceilings never leaves them out)");
	options.label = CEILINGS_LABEL;
	options.note = NULL;
	options.metrics = (struct string_list){0};
	options.rounds = CEILINGS_ROUNDS;
	options.cache = CACHE_COLD;
	options.min_samples = measure_settings_default.min_samples;
	options.max_time_ns = measure_settings_default.max_time_ns;
	options.precision = CEILINGS_PRECISION;
	options.counter_dump = NULL;
	string_list_add(&own.plan.selectors, CEILINGS_KERNEL);
	rc = ceilings_settings(&own.settings, &options, own.backend, &cause);
	if (!rc)
		rc = sweep_measure(&own, db, &stored, &cause);
	if (!rc && !options.quiet)
		say("the ceilings are kept as run %lld; perflab ceilings --stored --db %s prints "
		    "them",
		    (long long)stored.run_id, own.db_path);
	if (rc && rc != PL_EINTERRUPTED)
		say("no ceilings: %s; the sweep goes on without", cause.text);
	else if (!rc && stored.failed)
		say("%zu %s of the ceilings failed; perflab report %lld --db %s shows why",
		    stored.failed, stored.failed == 1 ? "case" : "cases", (long long)stored.run_id,
		    own.db_path);
	sweep_plan_release(&own.plan);
	measure_settings_release(&own.settings);
	return rc == PL_EINTERRUPTED ? error_set(err, rc, "%s", cause.text) : 0;
}
