/* The page's data about the run as a whole: head, device, environment and roofs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "reports/derived/derived.h"
#include "reports/page/page.h"

/* For facts of a device and points in time, 0 means "not known". */
static void member_known(struct page_json *json, const char *name, int64_t value)
{
	page_key(json, name);
	if (value > 0)
		page_integer(json, value);
	else
		page_null(json);
}

static void member_number(struct page_json *json, const char *name, double value)
{
	page_key(json, name);
	page_short(json, value);
}

static void member_time(struct page_json *json, const char *name, int64_t wall_ns)
{
	char utc[21] = "";

	if (wall_ns > 0)
		format_utc(utc, wall_ns);
	page_member_text(json, name, utc);
}

static void device(struct page_json *json, const struct device_info *device)
{
	page_open_member(json, "device", '{');
	for (size_t i = 0; i < device_fields.count; i++) {
		const struct field *field = &device_fields.items[i];
		const struct field_value value = field_read(field, device);

		page_key(json, field->name);
		if (!value.known || (field->kind == FIELD_INT && device->cc_major <= 0))
			page_null(json);
		else if (field->kind == FIELD_TEXT)
			page_text(json, value.text);
		else
			page_integer(json, value.integer);
	}
	page_close(json, '}');
}

/* As compact JSON text: only the settings that were given and that mean something to the backend.
 */
static void member_settings(struct page_json *json, const struct run *run)
{
	static const char *const of_emulation[] = {"chip", "all_blocks", "jobs"};
	json_t *settings = run_settings_json(run), *value;
	const char *name;
	char *shown;
	void *next;

	json_object_foreach_safe(settings, next, name, value)
	{
		if (json_is_null(value))
			json_object_del(settings, name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(of_emulation) && !run->traits.emulated; i++)
		json_object_del(settings, of_emulation[i]);
	shown = json_is_object(settings) ? json_dumps(settings, JSON_COMPACT | JSON_ENSURE_ASCII)
					 : NULL;
	page_member_text(json, "settings", shown ? shown : json_string_value(settings));
	free(shown);
	json_decref(settings);
}

void page_run(struct page_json *json, const char *key, const struct run *run)
{
	char seed[24];
	struct text changes = TEXT_INIT;

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	page_open_member(json, key, '{');
	page_key(json, "id");
	if (run->gpus)
		page_null(json); /* the cases are of several runs */
	else
		page_integer(json, run->id);
#define X(field) page_member_text(json, #field, run->field);
	X(uid)
	X(label)
	X(note)
	X(command)
	X(backend)
	X(version)
	X(source_revision)
	X(origin)
#undef X
	page_member_text(json, "state", run_state_name(run->state));
	member_settings(json, run);
	page_key(json, "emulated");
	page_bool(json, run->traits.emulated);
	page_member_text(json, "seed", seed);
	page_key(json, "rounds");
	if (run->traits.emulated)
		page_null(json);
	else
		page_integer(json, run->rounds);
	member_time(json, "started", run->started_ns);
	member_time(json, "finished", run->finished_ns);
	run_changes_text(&changes, run);
	page_member_text(json, "changes", changes.length ? changes.data : NULL);
	text_release(&changes);
	page_key(json, "took_ns");
	page_number(json, run->finished_ns > run->started_ns
				  ? (double)(run->finished_ns - run->started_ns)
				  : NAN);
	device(json, &run->device);
	/* pairs: an untrusted key must not become a member name */
	page_open_member(json, "environment", '[');
	for (size_t i = 0; i < run->environment.count; i++) {
		page_open(json, '[');
		page_text(json, run->environment.items[i].key);
		page_text(json, run->environment.items[i].value);
		page_close(json, ']');
	}
	page_close(json, ']');
	page_close(json, '}');
}

void page_selection(struct page_json *json, const struct run *run,
		    const struct report_options *options)
{
	const struct report_selection *selection = options->selection;

	page_key(json, "selection");
	if (!options->whole || options->whole->trial_count == run->trial_count) {
		page_null(json);
		return;
	}
	page_open(json, '{');
	page_member_integer(json, "cases", (int64_t)options->whole->trial_count);
	page_open_member(json, "patterns", '[');
	for (size_t i = 0; selection && i < selection->pattern_count; i++)
		page_text(json, selection->patterns[i]);
	page_close(json, ']');
	member_known(json, "top", selection ? selection->top : 0);
	page_member_text(json, "sort", selection ? selection->sort : NULL);
	page_close(json, '}');
}

/* ---- roofs ---- */

static void roof(struct page_json *json, const char *name, const char *metric, const char *meaning,
		 const struct ceiling *ceiling, double peak_per_s)
{
	page_open(json, '{');
	page_member_text(json, "name", name);
	page_member_text(json, "metric", metric);
	page_member_text(json, "meaning", meaning);
	page_member_text(json, "ceiling", ceiling ? ceiling->name : NULL);
	member_number(json, "per_s", ceiling ? ceiling->per_s : NAN);
	member_number(json, "peak_per_s", peak_per_s);
	page_close(json, '}');
}

static void ceiling(struct page_json *json, const struct ceiling *ceiling)
{
	page_open(json, '{');
	page_member_text(json, "name", ceiling->name);
	page_member_text(json, "unit", ceiling_unit(ceiling));
	page_member_text(json, "of", ceiling_of_name(ceiling));
#define X(field) member_number(json, #field, ceiling->field);
	X(per_s)
	X(low_per_s)
	X(high_per_s)
	X(sm_clock_hz)
	X(peak_per_s)
#undef X
	page_member_text(json, "config", ceiling->config);
	member_known(json, "run_id", ceiling->run_id);
	member_time(json, "measured", ceiling->time_ns);
	page_close(json, '}');
}

void page_roofs(struct page_json *json, const struct run *run, const struct ceiling_list *ceilings)
{
	static const struct ceiling_list none = {0};

	if (!ceilings)
		ceilings = &none;
	page_open_member(json, "levels", '[');
#define X(symbol, name, metric, meaning)                                      \
	roof(json, name, metric, meaning, ceiling_of_level(ceilings, symbol), \
	     device_peak_bandwidth(&run->device, symbol));
	MEMORY_LEVEL_LIST(X)
#undef X
	page_close(json, ']');
	page_open_member(json, "precisions", '[');
#define X(symbol, name, metric, meaning)                                          \
	roof(json, name, metric, meaning, ceiling_of_precision(ceilings, symbol), \
	     device_peak_rate(&run->device, symbol));
	PRECISION_LIST(X)
#undef X
	page_close(json, ']');
	page_open_member(json, "ceilings", '[');
	for (size_t i = 0; i < ceilings->count; i++)
		ceiling(json, &ceilings->items[i]);
	page_close(json, ']');
}
