/* What the parts of a request took. */
#include "harness/protocol/protocol.h"

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
