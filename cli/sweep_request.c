/*
 * From the words of `perflab sweep` to settings and a choice of backends:
 * what is wrong with the words is found here, before anything is opened.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/settings.h"

/* ---- metrics ---- */

/* The emulator counts all that it can, whatever is asked; what only a device has is stored as
 * missing, so that the same words do anywhere. */
static int request_emulated(struct string_list *wanted, const struct string_list *names,
			    struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < names->count && !rc; i++) {
		struct string_list one = {0}, found = {0};
		struct error own = {0}, other = {0};

		string_list_add(&one, names->items[i]);
		rc = metric_request_emulated(&found, &one, &own);
		if (rc)
			rc = metric_request(&found, &one, &other);
		/* a slip: the nearest names are in the catalogue that the word looks like */
		if (rc)
			error_set(err, rc, "%s",
				  strncmp(names->items[i], "ptx", 3) ? other.text : own.text);
		for (size_t j = 0; j < found.count && !rc; j++)
			if (!string_list_has(wanted, found.items[j]))
				string_list_add(wanted, found.items[j]);
		string_list_release(&one);
		string_list_release(&found);
	}
	return rc;
}

static int request_metrics(struct string_list *wanted, const struct string_list *words,
			   bool emulated, struct error *err)
{
	struct string_list names = {0};
	bool none = false;
	int rc = 0;

	for (size_t i = 0; i < words->count; i++) {
		struct string_list pieces = {0};

		string_list_split(&pieces, words->items[i], ',');
		for (size_t j = 0; j < pieces.count; j++) {
			none |= strcmp(pieces.items[j], "none") == 0;
			string_list_add(&names, pieces.items[j]);
		}
		string_list_release(&pieces);
	}
	if (words->count == 0 && !emulated)
		string_list_add(&names, metric_set_name(METRIC_SET_CORE));
	if (none && names.count > 1)
		rc = error_set(err, PL_EUSAGE, "\"none\" excludes other metrics");
	else if (!none && emulated)
		rc = request_emulated(wanted, &names, err);
	else if (!none)
		rc = metric_request(wanted, &names, err);
	string_list_release(&names);
	return error_context(err, rc, "--metrics");
}

/* ---- settings ---- */

int sweep_request_settings(struct measure_settings *settings, const struct sweep_options *options,
			   const char *backend, struct error *err)
{
	const bool emulated = strcmp(backend, BACKEND_PTX) == 0;

	measure_settings_release(settings);
	*settings = measure_settings_default;
	settings->device = emulated ? 0 : (int)options->device;
	settings->seed = options->seed;
	settings->cache = (enum cache_mode)options->cache;
	settings->min_samples = options->min_samples;
	settings->max_time_ns = options->max_time_ns;
	settings->precision = options->precision;
	settings->rounds = (int)options->rounds;
	settings->timeout_ns = options->timeout_ns;
	settings->chip = options->chip ? xstrdup(options->chip) : NULL;
	settings->all_blocks = options->blocks == SWEEP_BLOCKS_ALL;
	settings->jobs = (int)options->jobs;
	if (options->counter_dump)
		settings->counter_dump = xstrdup(options->counter_dump);
	return request_metrics(&settings->metrics, &options->metrics, emulated, err);
}

int sweep_request_plan(struct sweep_plan *plan, const struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	int rc = 0;

	for (size_t i = 0; i < call->operands.count; i++)
		string_list_add(&plan->selectors, call->operands.items[i]);
	if (options->block_sizes)
		sweep_plan_override(plan, "block", options->block_sizes);
	if (options->size)
		sweep_plan_override(plan, "n", options->size);
	for (size_t i = 0; i < options->sets.count && !rc; i++)
		rc = sweep_plan_set(plan, options->sets.items[i], err);
	return rc ? rc : sweep_shard_request(plan, options, err);
}

/* ---- the choice of a backend ---- */

/* Options that only a device has a use for, and those of the emulator. */
static const char *const device_options[] = {"min-samples",  "max-time", "precision",
					     "cache",        "rounds",   "device",
					     "counter-dump", "ceilings", NULL};
static const char *const emulator_options[] = {"chip", "blocks", "jobs", NULL};

/* Those that were given: "--cache, --rounds". */
static void given_options(struct text *out, const char *const *names, const struct invocation *call)
{
	for (; *names; names++)
		if (option_given(call, *names))
			text_addf(out, "%s--%s", out->length ? ", " : "", *names);
}

int backend_must_be_named(const char *backend, struct error *err)
{
	return strcmp(backend, BACKEND_AUTO)
		       ? 0
		       : error_set(err, PL_EUSAGE,
				   "--backend auto: none is chosen here; name one, as " BACKEND_CUDA
				   " or " BACKEND_PTX);
}

/* A backend that was named, and options of the other kind, contradict each other. */
static int check_named(const char *backend, const struct invocation *call, struct error *err)
{
	const bool emulated = strcmp(backend, BACKEND_PTX) == 0;
	struct text given = TEXT_INIT;
	int rc = 0;

	given_options(&given, emulated ? device_options : emulator_options, call);
	if (given.length && emulated)
		rc = error_set(err, PL_EUSAGE,
			       "--backend ptx runs on no device and measures no time: it has no "
			       "use for %s",
			       given.data);
	else if (given.length)
		rc = error_set(err, PL_EUSAGE, "--backend %s has no use for %s: see --backend ptx",
			       backend, given.data);
	text_release(&given);
	return rc;
}

/* What was asked for and no device can give: it decides an automatic choice. */
static bool only_emulated(struct text *why, const struct invocation *call)
{
	const struct sweep_options *options = call->options;
	struct string_list wanted = {0};

	given_options(why, emulator_options, call);
	if (!why->length && request_metrics(&wanted, &options->metrics, false, NULL) &&
	    !request_metrics(&wanted, &options->metrics, true, NULL))
		text_add(why, "--metrics");
	if (why->length)
		text_add(why, " asks for it");
	string_list_release(&wanted);
	return why->length > 0;
}

int backend_choose(struct backend_choice *choice, const struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;

	choice->why = (struct text)TEXT_INIT;
	choice->automatic = strcmp(options->backend, BACKEND_AUTO) == 0;
	if (!choice->automatic) {
		choice->names[choice->count++] = options->backend;
		return check_named(options->backend, call, err);
	}
	if (!only_emulated(&choice->why, call))
		choice->names[choice->count++] = BACKEND_CUDA;
	choice->names[choice->count++] = BACKEND_PTX;
	return 0;
}

bool backend_choice_lacks(struct backend_choice *choice, size_t index, int rc,
			  const struct error *cause)
{
	if (rc != PL_EUNSUPPORTED && rc != PL_EWORKER && rc != PL_EDEVICE)
		return false;
	/* That something is broken says more than that something is not there. */
	if (!choice->code || choice->code == PL_EUNSUPPORTED)
		choice->code = rc;
	if (index)
		text_add(&choice->why, "; and no emulator: ");
	else
		text_clear(&choice->why);
	text_add(&choice->why, cause->text);
	return true;
}

int backend_choice_fail(const struct backend_choice *choice, struct error *err)
{
	return error_set(err, choice->code, "%s%s", choice->count > 1 ? "no GPU: " : "",
			 choice->why.data);
}

int backend_choice_find(struct backend_choice *choice, struct error *err)
{
	struct backend_choice sought = *choice;
	struct text path = TEXT_INIT;
	bool found = false;
	int rc = 0;

	sought.why = (struct text)TEXT_INIT;
	for (size_t i = 0; i < sought.count && !found && !rc; i++) {
		struct error cause = {0};

		rc = worker_find(&path, sought.names[i], &cause);
		found = rc == 0;
		if (rc && backend_choice_lacks(&sought, i, rc, &cause))
			rc = 0;
		else if (rc)
			error_set(err, rc, "%s", cause.text);
	}
	if (!found && !rc)
		rc = backend_choice_fail(&sought, err);
	text_release(&sought.why);
	text_release(&path);
	return rc;
}

void backend_choice_say(struct backend_choice *choice, size_t index, const struct invocation *call)
{
	struct text path = TEXT_INIT, unused = TEXT_INIT;

	if (choice->automatic && strcmp(choice->names[index], BACKEND_PTX) == 0 &&
	    worker_find(&path, BACKEND_PTX, NULL) == 0) {
		say("backend ptx (%s%s): results and counts of PTX, no times",
		    index ? "no GPU: " : "", choice->why.data);
		given_options(&unused, device_options, call);
		if (unused.length)
			say("backend ptx has no use for %s", unused.data);
		choice->said = true;
	}
	text_release(&path);
	text_release(&unused);
}

void backend_choice_release(struct backend_choice *choice)
{
	text_release(&choice->why);
}
