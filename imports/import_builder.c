/* Builds imported runs: reads JSON values, names cases, and collects trials and samples. */
#include "imports/import_builder.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xxhash.h>

const char *json_member_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

double number_of(const json_t *value)
{
	double number;

	if (json_is_number(value))
		return json_number_value(value);
	if (json_is_string(value) && parse_double(&number, json_string_value(value), NULL) == 0)
		return number;
	return NAN;
}

int64_t whole_of(const json_t *value)
{
	int64_t number;

	if (json_is_integer(value))
		return json_integer_value(value);
	if (json_is_string(value) && parse_i64(&number, json_string_value(value), NULL) == 0)
		return number;
	return 0;
}

char *scalar_text(const json_t *value)
{
	if (json_is_string(value))
		return xstrdup(json_string_value(value));
	if (json_is_integer(value))
		return xasprintf("%lld", (long long)json_integer_value(value));
	if (json_is_real(value))
		return xasprintf("%.17g", json_real_value(value));
	if (json_is_boolean(value))
		return xstrdup(json_is_true(value) ? "true" : "false");
	return NULL;
}

/* ---- the name of a case ---- */

char *name_part(const char *text, size_t length)
{
	char *part = length ? xstrndup(text, length) : xstrdup("-");

	for (char *c = part; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == '/' || *c == ',' || *c == '=' || *c == '*' ||
		    *c == '?' || *c == 0x7f)
			*c = '_';
	return part;
}

void case_axes_add(struct case_axes *axes, const char *name, size_t name_length, const char *value)
{
	char *part = name_part(name, name_length);
	struct case_axis *axis;

	for (size_t i = 0; i < axes->count; i++)
		if (strcmp(axes->items[i].name, part) == 0) {
			free(part);
			return;
		}
	axes->items = xgrow(axes->items, &axes->capacity, axes->count + 1, sizeof(*axes->items));
	axis = &axes->items[axes->count++];
	*axis = (struct case_axis){.name = part, .text = name_part(value, strlen(value))};
	axis->is_whole = parse_i64(&axis->value, value, NULL) == 0;
}

void case_axes_add_occurrence(struct case_axes *axes, size_t occurrence)
{
	static const char name[] = "occurrence";
	char value[24];

	snprintf(value, sizeof(value), "%zu", occurrence);
	case_axes_add(axes, name, sizeof(name) - 1, value);
}

void case_axes_release(struct case_axes *axes)
{
	for (size_t i = 0; i < axes->count; i++) {
		free(axes->items[i].name);
		free(axes->items[i].text);
	}
	free(axes->items);
	*axes = (struct case_axes){0};
}

static int compare_axes(const void *left, const void *right)
{
	const struct case_axis *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static void case_axes_take(struct case_axes *axes, struct trial *trial)
{
	struct text config = TEXT_INIT;

	trial->axes = xcalloc(axes->count + 1, sizeof(*trial->axes));
	if (axes->count)
		qsort(axes->items, axes->count, sizeof(*axes->items), compare_axes);
	for (size_t i = 0; i < axes->count; i++) {
		const struct case_axis *axis = &axes->items[i];

		text_addf(&config, "%s%s=%s", i ? "," : "", axis->name, axis->text);
		/* the table of axes holds integers with short names only */
		if (axis->is_whole && strlen(axis->name) < sizeof(trial->axes->name)) {
			struct named_value *value = &trial->axes[trial->axis_count++];

			snprintf(value->name, sizeof(value->name), "%s", axis->name);
			value->value = axis->value;
		}
	}
	if (!axes->count)
		text_add(&config, "-");
	trial->config = text_detach(&config);
	case_axes_release(axes);
}

/* ---- runs ---- */

struct import_run *import_add_run(struct import *import)
{
	struct import_run *run;

	import->runs = xrealloc(import->runs, (import->count + 1) * sizeof(*import->runs));
	run = &import->runs[import->count++];
	*run = (struct import_run){0};
	run->run.state = RUN_FINISHED;
	run->run.rounds = 1;
	run->run.traits.timed = true; /* benchmark programs measure times on hardware */
	return run;
}

/* Finds the hash slot of a case. A slot holds the index of a trial plus 1; 0 is free. */
static size_t *slot_find(const struct import_run *run, const struct trial *trial)
{
	uint64_t hash = XXH64(trial->kernel, strlen(trial->kernel) + 1, 0);
	size_t at;

	hash = XXH64(trial->variant, strlen(trial->variant) + 1, hash);
	hash = XXH64(trial->config, strlen(trial->config), hash);
	for (at = hash % run->slot_count; run->slots[at]; at = (at + 1) % run->slot_count) {
		const struct trial *there = &run->run.trials[run->slots[at] - 1];

		if (strcmp(there->kernel, trial->kernel) == 0 &&
		    strcmp(there->variant, trial->variant) == 0 &&
		    strcmp(there->config, trial->config) == 0)
			break;
	}
	return &run->slots[at];
}

/* Keeps at least half of the slots free. */
static void case_slots_grow(struct import_run *run)
{
	if (2 * (run->run.trial_count + 1) < run->slot_count)
		return;
	free(run->slots);
	run->slot_count = 4 * run->run.trial_count + 64;
	run->slots = xcalloc(run->slot_count, sizeof(*run->slots));
	for (size_t i = 0; i < run->run.trial_count; i++)
		*slot_find(run, &run->run.trials[i]) = i + 1;
}

static void trial_append(struct import_run *run, const struct trial *trial)
{
	const size_t count = run->run.trial_count;

	/* doubles the capacity at each power of two */
	if ((count & (count - 1)) == 0) {
		size_t larger = count ? 2 * count : 1;

		run->run.trials = xrealloc(run->run.trials, larger * sizeof(*run->run.trials));
		run->trials = xrealloc(run->trials, larger * sizeof(*run->trials));
	}
	run->run.trials[count] = *trial;
	run->trials[count] = (struct import_trial){.sm_clock_hz = NAN, .given = summarise(NULL, 0)};
	run->run.trial_count++;
}

size_t import_find_case(const struct import_run *run, const struct trial *trial)
{
	return run->slot_count ? *slot_find(run, trial) - 1 : NO_TRIAL;
}

void import_append_case(struct import_run *run, const struct trial *trial)
{
	case_slots_grow(run);
	trial_append(run, trial);
	*slot_find(run, trial) = run->run.trial_count;
}

int import_case(size_t *index, struct import_run *run, char *kernel, char *variant,
		struct case_axes *axes, struct error *err)
{
	struct trial trial = {.position = (int64_t)run->run.trial_count,
			      .kernel = kernel,
			      .variant = variant,
			      .status = TRIAL_OK,
			      .facts = launch_facts_unknown,
			      .summary = summarise(NULL, 0)};
	size_t *slot;

	case_axes_take(axes, &trial);
	case_slots_grow(run);
	slot = slot_find(run, &trial);
	if (!*slot && run->run.trial_count == IMPORT_MAX_CASES) {
		trial_release(&trial);
		return error_set(err, PL_EPARSE, "more than %d cases", IMPORT_MAX_CASES);
	}
	if (*slot) {
		trial_release(&trial);
	} else {
		trial_append(run, &trial);
		*slot = run->run.trial_count;
	}
	*index = *slot - 1;
	return 0;
}

void import_refuse_time(struct trial *trial, const char *what)
{
	if (trial->status != TRIAL_OK)
		return;
	trial->status = TRIAL_FAILED;
	trial->reason = xasprintf("%s in the file is not a number above 0, so nothing was "
				  "measured",
				  what);
}

void import_add_sample(struct import_trial *trial, double time_ns)
{
	trial->time_ns =
		xgrow(trial->time_ns, &trial->capacity, trial->count + 1, sizeof(*trial->time_ns));
	trial->time_ns[trial->count++] = time_ns;
}

int64_t import_time_ns(const char *text)
{
	struct tm parts = {0};
	int offset_hours = 0, offset_minutes = 0, length = 0;
	char sign = '+';
	time_t seconds;

	if (!text ||
	    sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
		   &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &length) != 6)
		return 0;
	text += length;
	if (strcmp(text, "Z") != 0 &&
	    sscanf(text, "%c%2d:%2d", &sign, &offset_hours, &offset_minutes) != 3)
		return 0;
	if (parts.tm_year < 1970 || (sign != '+' && sign != '-'))
		return 0;
	parts.tm_year -= 1900;
	parts.tm_mon--;
	seconds = timegm(&parts);
	seconds -= (sign == '+' ? 1 : -1) * (3600 * offset_hours + 60 * offset_minutes);
	return seconds > 0 ? (int64_t)seconds * 1000000000 : 0;
}
