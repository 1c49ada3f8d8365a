/*
 * A report for LLVM's LNT, format version 2, test suite nts
 * (llvm.org/docs/lnt/importing_data.html).
 *
 * LNT sorts runs by the numbers in llvm_project_revision, and a commit hash has no order. So the
 * field holds the time at which the run started, and the commit is beside it. A server compares the
 * members of the machine with those it knows, so they hold only what does not change.
 */
#include <math.h>

#include "reports/export/writers.h"
#include "reports/table/escape.h"

#define NS_PER_S 1e9

/* "NVIDIA H200 GPU-606b7d42-…": LNT knows a machine by its name. */
static json_t *machine_json(const struct device_info *device)
{
	json_t *machine = json_object();
	struct text name = TEXT_INIT;

	text_add_escaped(&name, device->name);
	if (*device->uuid) {
		text_add_char(&name, ' ');
		text_add_escaped(&name, device->uuid);
	}
	json_object_set_new(machine, "name", json_string(name.data));
	export_json_set_text(machine, "hardware", device->chip);
	text_release(&name);
	return machine;
}

/* "2026-11-21T02:50:45", as LNT reads it. */
static void set_time(json_t *run, const char *name, int64_t wall_ns)
{
	char utc[21];

	if (wall_ns <= 0)
		return;
	format_utc(utc, wall_ns);
	utc[19] = '\0';
	json_object_set_new(run, name, json_string(utc));
}

/* The time with its digits only: 20261121025045. */
static void set_order(json_t *object, int64_t wall_ns)
{
	char utc[21];
	struct text order = TEXT_INIT;

	format_utc(utc, wall_ns);
	for (const char *c = utc; *c; c++) {
		if (*c >= '0' && *c <= '9')
			text_add_char(&order, *c);
	}
	json_object_set_new(object, "llvm_project_revision", json_string(order.data));
	text_release(&order);
}

static json_t *run_json(const struct run *run)
{
	json_t *object = json_object();

	set_time(object, "start_time", run->started_ns);
	set_time(object, "end_time", run->finished_ns > 0 ? run->finished_ns : run->started_ns);
	set_order(object, run->started_ns);
	export_json_set_text(object, "git_sha", run->source_revision);
	export_json_set_text(object, "origin", run->origin);
	export_json_set_text(object, "label", run->label);
	export_json_set_text(object, "driver", run->device.driver);
	export_json_set_text(object, "perflab_version", run->version);
	export_json_set_text(object, "perflab_run", run->uid);
	return object;
}

/* The median of each round, because LNT expects repeated runs and a round is one. The median of all
 * samples if the rounds are not known. */
static json_t *round_times_json(const struct trial *trial)
{
	json_t *times = json_array();

	for (size_t i = 0; i < trial->round_count; i++) {
		const double median_ns = trial->rounds[i].median_ns;

		if (isfinite(median_ns) && median_ns > 0)
			json_array_append_new(times, json_real(median_ns / NS_PER_S));
	}
	if (!json_array_size(times))
		json_array_append_new(times, json_real(trial->summary.median_ns / NS_PER_S));
	return times;
}

int export_write_lnt(FILE *out, const struct export_source *source, struct error *err)
{
	const struct export_choice *choice = source->choice;

	(void)err;
	fputs("{\n\"format_version\": \"2\",\n\"machine\": ", out);
	export_json(out, machine_json(&source->run->device));
	fputs(",\n\"run\": ", out);
	export_json(out, run_json(source->run));
	fputs(",\n\"tests\": [\n", out);
	for (size_t i = 0; i < choice->count; i++) {
		json_t *test = json_object();

		json_object_set_new(test, "name", json_string(choice->names[i]));
		json_object_set_new(test, "execution_time", round_times_json(choice->trials[i]));
		export_json_set_text(test, "hash", choice->trials[i]->facts.code_hash);
		if (i)
			fputs(",\n", out);
		export_json(out, test);
	}
	fputs("\n]\n}\n", out);
	return 0;
}
