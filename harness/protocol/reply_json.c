/* Encodes and decodes the contents of a worker's replies: devices, facts, states, samples,
 * counters, lines, sessions, checks, metrics, and what the parts of a request took. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/protocol/messages.h"
#include "harness/protocol/protocol.h"

static const char *const phase_names[] = {
#define X(symbol, name) [symbol] = name,
	WORKER_PHASE_LIST(X)
#undef X
};

const char *worker_phase_name(enum worker_phase phase)
{
	return phase_names[phase];
}

bool worker_phase_parse(enum worker_phase *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(phase_names); i++)
		if (!strcmp(phase_names[i], name)) {
			*out = (enum worker_phase)i;
			return true;
		}
	return false;
}

void session_info_release(struct session_info *info)
{
	key_value_list_release(&info->environment);
	free(info->counters_reason);
	*info = (struct session_info){0};
}

#define MAX_WARP_SIZE 1024

json_t *device_to_json(const struct device_info *device)
{
	return fields_encode(&device_fields, device);
}

int device_from_json(struct device_info *out, const json_t *json, struct error *err)
{
	struct device_info device = {0};
	int rc = fields_decode(&device, &device_fields, json, err);

	if (rc)
		return error_context(err, rc, "device");
	*out = device;
	return 0;
}

json_t *facts_to_json(const struct launch_facts *facts)
{
	return fields_encode(&launch_fields, facts);
}

int facts_from_json(struct launch_facts *out, const json_t *json, struct error *err)
{
	struct launch_facts facts = {0};
	int rc = fields_decode(&facts, &launch_fields, json, err);

	if (!rc && (facts.theoretical_occupancy_pct < 0 || facts.theoretical_occupancy_pct > 100))
		rc = error_set(err, PL_EPROTOCOL, "'theoretical_occupancy_pct' is %g",
			       facts.theoretical_occupancy_pct);
	if (rc)
		return error_context(err, rc, "facts");
	*out = facts;
	return 0;
}

json_t *state_to_json(const struct device_state *state)
{
	return fields_encode(&state_fields, state);
}

int state_from_json(struct device_state *out, const json_t *json, struct error *err)
{
	struct device_state state = {0};
	int rc = fields_decode(&state, &state_fields, json, err);

	if (!rc && (state.sm_clock_hz < 0 || state.memory_clock_hz < 0 || state.power_w < 0))
		rc = error_set(err, PL_EPROTOCOL, "a clock or the power is negative");
	if (rc)
		return error_context(err, rc, "state");
	*out = state;
	return 0;
}

json_t *samples_to_json(const double *time_ns, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_number_or_null(time_ns[i]));
	return array;
}

int samples_from_json(double **time_ns, size_t *count, const json_t *json, struct error *err)
{
	size_t size = json_array_size(json);
	double *values;

	if (!json_is_array(json))
		return error_set(err, PL_EPROTOCOL, "samples are not an array");
	if (!size || size > PROTOCOL_MAX_SAMPLES)
		return error_set(err, PL_EPROTOCOL, "a reply has %zu samples, not 1 to %d", size,
				 PROTOCOL_MAX_SAMPLES);
	values = malloc(size * sizeof(*values));
	if (!values)
		return error_set(err, PL_ENOMEM, "%zu samples do not fit in memory", size);
	for (size_t i = 0; i < size; i++) {
		const json_t *item = json_array_get(json, i);

		values[i] = json_number_value(item);
		if (!json_is_number(item) || !isfinite(values[i]) || values[i] < 0) {
			free(values);
			return error_set(err, PL_EPROTOCOL,
					 "sample %zu is not a finite number >= 0", i);
		}
	}
	*time_ns = values;
	*count = size;
	return 0;
}

json_t *counters_to_json(const struct counter_list *counters)
{
	json_t *array = json_array();

	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_value *counter = &counters->items[i];

		json_array_append_new(
			array,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "metric", json_text(counter->metric),
				  "unit", json_text(counter->unit), "source",
				  json_text(counter->source), "value",
				  counter->has_value ? json_number_or_null(counter->value)
						     : json_null(),
				  "reason",
				  counter->has_value ? json_null() : json_text(counter->reason)));
	}
	return array;
}

static int counter_from_json(struct counter_list *out, const json_t *json, struct error *err)
{
	const char *metric, *unit, *source, *reason;
	double value;

	if (member_borrow(&metric, json, "metric", false, err) ||
	    member_borrow(&unit, json, "unit", false, err) ||
	    member_borrow(&source, json, "source", false, err) ||
	    member_borrow(&reason, json, "reason", true, err) ||
	    member_real_or_null(&value, json, "value", err))
		return PL_EPROTOCOL;
	if (!*metric)
		return error_set(err, PL_EPROTOCOL, "the name of its metric is empty");
	if (isnan(value) == !reason)
		return error_set(err, PL_EPROTOCOL,
				 "'%.80s' has both a value and a reason, or neither", metric);
	if (value < 0)
		return error_set(err, PL_EPROTOCOL, "'%.80s' is %g, but nothing is counted below 0",
				 metric, value);
	if (reason)
		counter_list_set_missing(out, metric, unit, source, reason);
	else
		counter_list_set(out, metric, unit, source, value);
	return 0;
}

int counters_from_json(struct counter_list *out, const json_t *json, struct error *err)
{
	struct counter_list counters = {0};
	int rc = 0;

	if (!json_is_array(json) || json_array_size(json) > PROTOCOL_MAX_COUNTERS)
		return error_set(err, PL_EPROTOCOL, "counters are not an array of at most %d",
				 PROTOCOL_MAX_COUNTERS);
	for (size_t i = 0; i < json_array_size(json) && !rc; i++) {
		rc = counter_from_json(&counters, json_array_get(json, i), err);
		error_context(err, rc, "counter %zu", i);
	}
	if (rc) {
		counter_list_release(&counters);
		return rc;
	}
	*out = counters;
	return 0;
}

json_t *lines_to_json(const struct line_count_list *lines, size_t first, size_t count)
{
	json_t *array = json_array();

	for (size_t i = first; i < first + count; i++) {
		json_t *line = fields_encode(&line_count_fields, &lines->items[i]);

		json_object_set_new(line, "file", json_text(lines->items[i].file));
		json_array_append_new(array, line);
	}
	return array;
}

static int file_name_check(const char *name, struct error *err)
{
	size_t length = strlen(name);

	if (!length || length > PROTOCOL_MAX_FILE_NAME)
		return error_set(err, PL_EPROTOCOL, "member 'file' has %zu bytes, not 1 to %d",
				 length, PROTOCOL_MAX_FILE_NAME);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return error_set(err, PL_EPROTOCOL, "member 'file' has control characters");
	return 0;
}

static bool line_follows(const struct line_count *last, const char *file, int64_t line)
{
	int order;

	if (!last->file || !file)
		order = (last->file != NULL) - (file != NULL);
	else
		order = strcmp(last->file, file);
	return order < 0 || (order == 0 && last->line < line);
}

static int line_from_json(struct line_count_list *out, const json_t *json, struct error *err)
{
	struct line_count line = {0};
	struct line_count *added;
	const char *file;

	if (member_borrow(&file, json, "file", true, err) || (file && file_name_check(file, err)) ||
	    fields_decode(&line, &line_count_fields, json, err))
		return PL_EPROTOCOL;
	if (out->count >= PROTOCOL_MAX_LINES)
		return error_set(err, PL_EPROTOCOL, "a case has more than %d lines",
				 PROTOCOL_MAX_LINES);
	if (out->count && !line_follows(&out->items[out->count - 1], file, line.line))
		return error_set(err, PL_EPROTOCOL, "it does not follow the previous line");
	added = line_count_list_add(out, file, line.line);
	line.file = added->file;
	*added = line;
	return 0;
}

int lines_from_json(struct line_count_list *out, const json_t *json, struct error *err)
{
	const size_t before = out->count;
	int rc = 0;

	if (!json_is_array(json) || json_array_size(json) > PROTOCOL_MAX_LINE_PIECE)
		return error_set(err, PL_EPROTOCOL, "lines are not an array of at most %d",
				 PROTOCOL_MAX_LINE_PIECE);
	for (size_t i = 0; i < json_array_size(json) && !rc; i++) {
		rc = line_from_json(out, json_array_get(json, i), err);
		error_context(err, rc, "line %zu", i);
	}
	while (rc && out->count > before)
		free(out->items[--out->count].file);
	return rc;
}

json_t *environment_to_json(const struct key_value_list *environment)
{
	json_t *json = json_object();

	for (size_t i = 0; i < environment->count; i++)
		json_object_set_new(json, environment->items[i].key,
				    json_text(environment->items[i].value));
	return json;
}

json_t *session_to_json(const struct session_info *info)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:I, s:b, s:b, s:o, s:i, s:b, s:b, s:b}",
			 "device", device_to_json(&info->device), "environment",
			 environment_to_json(&info->environment), "profiler",
			 json_text(info->profiler), "counters_reason",
			 json_text(info->counters_reason), "counters_busy",
			 (int)info->counters_busy, "passes", (json_int_t)info->passes, "timed",
			 (int)info->traits.timed, "emulated", (int)info->traits.emulated, "vendor",
			 json_text(info->traits.vendor), "warp_size", info->traits.warp_size,
			 "inspects_by_launch", (int)info->inspects_by_launch, "loads_code",
			 (int)info->loads_code, "profiles", (int)info->profiles);
}

/* A worker of an older perflab sends `untimed` alone: true means emulated and not timed. */
static int traits_from_json(struct backend_traits *out, const json_t *json, struct error *err)
{
	int64_t warp_size = 0;

	if (json_object_get(json, "untimed") && !json_object_get(json, "timed")) {
		int rc = member_bool(&out->emulated, json, "untimed", err);

		out->timed = !out->emulated;
		return rc;
	}
	if (member_bool(&out->timed, json, "timed", err) ||
	    member_bool(&out->emulated, json, "emulated", err) ||
	    member_string(out->vendor, sizeof(out->vendor), json, "vendor", err) ||
	    member_int64(&warp_size, json, "warp_size", 0, MAX_WARP_SIZE, err))
		return PL_EPROTOCOL;
	if (out->timed == out->emulated)
		return error_set(err, PL_EPROTOCOL, "a backend is either 'timed' or 'emulated'");
	out->warp_size = (int)warp_size;
	return 0;
}

int environment_from_json(struct key_value_list *out, const json_t *json, struct error *err)
{
	json_t *object;
	json_t *value;
	const char *key;
	int rc = member_object(&object, json, "environment", 1024, err);

	if (rc)
		return rc;
	json_object_foreach(object, key, value)
	{
		if (!json_is_string(value))
			return error_set(err, PL_EPROTOCOL, "environment '%.80s' is not a string",
					 key);
		key_value_set(out, key, json_string_value(value));
	}
	return 0;
}

int session_from_json(struct session_info *out, const json_t *json, struct error *err)
{
	struct session_info info = {0};
	json_t *device;
	const char *reason;

	if (member_object(&device, json, "device", 256, err) ||
	    device_from_json(&info.device, device, err) ||
	    member_string(info.profiler, sizeof(info.profiler), json, "profiler", err) ||
	    member_borrow(&reason, json, "counters_reason", true, err) ||
	    (json_object_get(json, "counters_busy") &&
	     member_bool(&info.counters_busy, json, "counters_busy", err)) ||
	    member_int64(&info.passes, json, "passes", 0, INT32_MAX, err) ||
	    traits_from_json(&info.traits, json, err) ||
	    (json_object_get(json, "inspects_by_launch") &&
	     member_bool(&info.inspects_by_launch, json, "inspects_by_launch", err)) ||
	    (json_object_get(json, "profiles") &&
	     member_bool(&info.profiles, json, "profiles", err)) ||
	    (json_object_get(json, "loads_code") &&
	     member_bool(&info.loads_code, json, "loads_code", err)) ||
	    environment_from_json(&info.environment, json, err)) {
		session_info_release(&info);
		return error_context(err, PL_EPROTOCOL, "opened");
	}
	info.counters_reason = reason ? xstrdup(reason) : NULL;
	*out = info;
	return 0;
}

json_t *check_to_json(const struct worker_check *check)
{
	return json_pack("{s:o, s:b, s:o, s:o}", "name", json_text(check->name), "ok",
			 (int)check->ok, "found", json_text(check->found), "remedy",
			 json_text(check->remedy));
}

int check_from_json(struct worker_check *out, const json_t *json, struct error *err)
{
	struct worker_check check;

	if (member_borrow(&check.name, json, "name", false, err) ||
	    member_bool(&check.ok, json, "ok", err) ||
	    member_borrow(&check.found, json, "found", false, err) ||
	    member_borrow(&check.remedy, json, "remedy", false, err))
		return PL_EPROTOCOL;
	*out = check;
	return 0;
}

json_t *metric_to_json(const struct worker_metric *metric)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(metric->name), "unit",
			 json_text(metric->unit), "kind", json_text(metric->kind), "description",
			 json_text(metric->description));
}

int metric_from_json(struct worker_metric *out, const json_t *json, struct error *err)
{
	struct worker_metric metric;

	if (member_borrow(&metric.name, json, "name", false, err) ||
	    member_borrow(&metric.unit, json, "unit", false, err) ||
	    member_borrow(&metric.kind, json, "kind", false, err) ||
	    member_borrow(&metric.description, json, "description", false, err))
		return PL_EPROTOCOL;
	*out = metric;
	return 0;
}

json_t *meter_to_json(const struct meter *meter)
{
	json_t *json = json_object();

	for (int part = 0; part < RUN_PART_COUNT; part++)
		if (meter->ns[part])
			json_object_set_new(json, run_part_name((enum run_part)part),
					    json_integer(meter->ns[part]));
	return json;
}

int meter_from_json(struct meter *out, const json_t *message, struct error *err)
{
	struct meter meter = {.since_ns = 0};
	const char *name;
	json_t *parts;
	json_t *value;
	int rc = member_object(&parts, message, "parts", 256, err);

	if (rc)
		return rc;
	json_object_foreach(parts, name, value)
	{
		enum run_part part;

		(void)value;
		/* a newer worker may know more parts */
		if (!run_part_parse(&part, name))
			continue;
		rc = member_int64(&meter.ns[part], parts, name, 0, INT64_MAX, err);
		if (rc)
			return rc;
	}
	*out = meter;
	return 0;
}
