/* A comparison of many GPUs in the format asked for. JSON and CSV have every GPU with every
 * quantity. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/fleet/fleet.h"
#include "reports/table/json.h"
#include "reports/table/table.h"

/* ---- JSON ---- */

static json_t *fleet_level_json(const char *name, const struct fleet_level *level)
{
	json_t *object = json_object();
	char when[21];

	format_utc(when, level->since_ns);
	json_set_text(object, "name", name);
	json_set_number(object, "change", level->change);
	json_set_number(object, "low", level->low);
	json_set_number(object, "high", level->high);
	json_set_number(object, "p", level->p);
	json_set_number(object, "least", level->least);
	json_set_bool(object, "apart", level->is_outlier);
	json_set_integer(object, "cases", (int64_t)level->cases);
	json_set_integer(object, "runs", (int64_t)level->runs);
	json_set_integer(object, "nights", (int64_t)level->nights);
	json_object_set_new(object, "since_run",
			    level->is_outlier ? json_integer(level->since_run) : json_null());
	json_set_text(object, "since", level->is_outlier ? when : NULL);
	json_object_set_new(object, "change_point",
			    level->is_outlier ? json_boolean(level->since_change) : json_null());
	return object;
}

static json_t *gpu_json(const struct fleet_report *report, size_t gpu)
{
	const struct fleet_gpu *item = &report->fleet->gpus[gpu];
	json_t *object = json_object(), *levels = json_array(), *cases = json_array();
	struct text differs = TEXT_INIT;
	size_t case_count;
	const struct fleet_case *found = fleet_cases_of(report->judgement, gpu, &case_count);

	fleet_describe_facts(&differs, report, gpu);
	json_object_set_new(object, "uuid", report_json_known_text(item->uuid));
	json_set_text(object, "host", item->host);
	json_object_set_new(object, "device",
			    item->ordinal < 0 ? json_null() : json_integer(item->ordinal));
	json_set_text(object, "driver", item->facts[FLEET_DRIVER]);
	json_object_set_new(object, "verdict", json_string(fleet_word(report, gpu)));
	json_set_text(object, "reason", report->judgement->why_not[gpu]);
	json_set_text(object, "differs", differs.length ? differs.data : NULL);
	text_release(&differs);
	json_object_set_new(object, "quantities", levels);
	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->runs)
			json_array_append_new(
				levels,
				fleet_level_json(fleet_quantity_name(report->fleet, i), level));
	}
	json_object_set_new(object, "cases", cases);
	for (size_t i = 0; i < case_count; i++)
		json_array_append_new(cases, fleet_level_json(report->fleet->cases[found[i].key],
							      &found[i].level));
	return object;
}

static json_t *fleet_model_json(const struct fleet_report *report, size_t model)
{
	const struct fleet_judgement *judgement = report->judgement;
	const struct fleet_model *item = &judgement->models[model];
	const struct fleet_gpu *first = &report->fleet->gpus[item->first];
	json_t *object = json_object(), *gpus = json_array();

	json_set_text(object, "name", first->name);
	json_set_integer(object, "cc_major", first->cc_major);
	json_set_integer(object, "cc_minor", first->cc_minor);
	json_set_integer(object, "sm_count", first->sm_count);
	json_set_integer(object, "apart", (int64_t)item->outliers);
	json_set_integer(object, "compared", (int64_t)item->compared);
	json_set_number(object, "least", item->least);
	json_set_number(object, "least_worst", item->least_worst);
	json_object_set_new(object, "gpus", gpus);
	for (size_t i = 0; i < report->fleet->gpu_count; i++) {
		if (judgement->model[judgement->order[i]] == model)
			json_array_append_new(gpus, gpu_json(report, judgement->order[i]));
	}
	return object;
}

static int fleet_json(FILE *out, const struct fleet_report *report, struct error *err)
{
	json_t *root = json_object(), *models = json_array();

	json_set_integer(root, "format", 1);
	json_set_number(root, "smallest", report->limits->smallest);
	json_set_integer(root, "last", (int64_t)report->limits->last);
	json_object_set_new(root, "models", models);
	for (size_t i = 0; i < report->judgement->model_count; i++)
		json_array_append_new(models, fleet_model_json(report, i));
	return report_json_write(out, root, err);
}

/* ---- CSV ---- */

static struct any_value integer_if(bool known, int64_t value)
{
	return known ? value_of_integer(value) : (struct any_value){.kind = VALUE_NONE};
}

static const char *const fleet_columns[] = {
	"name",    "cc_major", "cc_minor", "sm_count",  "uuid",  "host",         "device", "driver",
	"verdict", "reason",   "quantity", "change",    "low",   "high",         "p",      "apart",
	"cases",   "runs",     "nights",   "since_run", "since", "change_point", "least",
};

#define SINCE_COLUMN 20 /* in fleet_columns */

static void add_level_row(struct row_writer *writer, const struct fleet_report *report, size_t gpu,
			  const char *quantity, const struct fleet_level *level)
{
	const struct fleet_gpu *item = &report->fleet->gpus[gpu];
	char when[21] = "";
	struct any_value values[] = {
		value_of_text(item->name),
		value_of_integer(item->cc_major),
		value_of_integer(item->cc_minor),
		value_of_integer(item->sm_count),
		value_of_text(item->uuid),
		value_of_text(item->host),
		integer_if(item->ordinal >= 0, item->ordinal),
		value_of_text(item->facts[FLEET_DRIVER]),
		value_of_text(fleet_word(report, gpu)),
		value_of_text(report->judgement->why_not[gpu]),
		value_of_text(quantity),
		value_of_real(level->change),
		value_of_real(level->low),
		value_of_real(level->high),
		value_of_real(level->p),
		integer_if(quantity != NULL, level->is_outlier),
		integer_if(quantity != NULL, (int64_t)level->cases),
		integer_if(quantity != NULL, (int64_t)level->runs),
		integer_if(quantity != NULL, (int64_t)level->nights),
		integer_if(level->is_outlier, level->since_run),
		{0},
		integer_if(level->is_outlier, level->since_change),
		value_of_real(level->least),
	};

	_Static_assert(ARRAY_SIZE(values) == ARRAY_SIZE(fleet_columns), "a value for each column");
	if (level->is_outlier) {
		format_utc(when, level->since_ns);
		values[SINCE_COLUMN] = value_of_text(when);
	}
	rows_add(writer, values);
}

/* The cases that are outliers, after the quantities. */
static void add_case_rows(struct row_writer *writer, const struct fleet_report *report, size_t gpu)
{
	size_t count;
	const struct fleet_case *cases = fleet_cases_of(report->judgement, gpu, &count);

	for (size_t i = 0; i < count; i++) {
		char *name = xasprintf("time of %s", report->fleet->cases[cases[i].key]);

		add_level_row(writer, report, gpu, name, &cases[i].level);
		free(name);
	}
}

static int fleet_csv(FILE *out, const struct fleet_report *report,
		     const struct report_options *options, struct error *err)
{
	const struct fleet_judgement *judgement = report->judgement;
	const struct fleet_level none = {
		.change = NAN, .low = NAN, .high = NAN, .p = NAN, .least = NAN};
	struct row_writer *writer = NULL;
	int rc = rows_begin(&writer, out, REPORT_CSV, options, fleet_columns,
			    ARRAY_SIZE(fleet_columns), err);

	for (size_t i = 0; !rc && i < report->fleet->gpu_count; i++) {
		const size_t gpu = judgement->order[i];

		if (judgement->why_not[gpu])
			add_level_row(writer, report, gpu, NULL, &none);
		for (size_t k = 0; k < judgement->quantity_count; k++) {
			const struct fleet_level *level = fleet_level_at(judgement, gpu, k);

			if (level->runs)
				add_level_row(writer, report, gpu,
					      fleet_quantity_name(report->fleet, k), level);
		}
		add_case_rows(writer, report, gpu);
	}
	return rows_end(writer, rc, err);
}

/* ---- the format ---- */

int report_fleet(FILE *out, const struct fleet_report *report, enum report_format format,
		 const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};

	if (!report_format_applies(format, OF_TABLE))
		return error_set(err, PL_EUSAGE, "a fleet cannot be written as %s",
				 report_format_name(format));
	if (!options)
		options = &plain;
	if (format == REPORT_JSON)
		return fleet_json(out, report, err);
	if (format == REPORT_CSV)
		return fleet_csv(out, report, options, err);
	errno = 0;
	fleet_readable(out, report, format, options);
	return stream_check(out, err);
}
