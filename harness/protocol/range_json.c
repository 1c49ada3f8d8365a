/* The ranges of shared data that a request names. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/protocol/protocol.h"

json_t *range_to_json(const struct data_range *range)
{
	return json_pack("{s:s, s:I, s:I, s:b}", "key", range->key, "offset",
			 (json_int_t)range->offset, "bytes", (json_int_t)range->bytes, "fill",
			 (int)range->fill);
}

static int range_from_json(struct data_range *out, const json_t *json, struct error *err)
{
	const int64_t page = sysconf(_SC_PAGESIZE);
	int rc = member_string(out->key, sizeof(out->key), json, "key", err);

	if (!rc && strspn(out->key, "0123456789abcdef") != HASH_TEXT_BYTES - 1)
		rc = error_set(err, PL_EPROTOCOL, "'key' is not %d hexadecimal digits",
			       HASH_TEXT_BYTES - 1);
	if (!rc)
		rc = member_int64(&out->offset, json, "offset", 0, INT64_MAX / 2, err);
	if (!rc && out->offset % page)
		rc = error_set(err, PL_EPROTOCOL, "'offset' is no multiple of %lld",
			       (long long)page);
	if (!rc)
		rc = member_int64(&out->bytes, json, "bytes", 1, INT64_MAX / 2, err);
	return rc ? rc : member_bool(&out->fill, json, "fill", err);
}

int ranges_from_json(struct data_range **out, size_t *count, const json_t *request,
		     struct error *err)
{
	struct data_range *ranges;
	const json_t *element;
	json_t *array;
	size_t i;
	int rc = 0;

	*out = NULL;
	*count = 0;
	if (!json_object_get(request, "data"))
		return 0;
	rc = member_array(&array, request, "data", PROTOCOL_MAX_RANGES, err);
	if (rc)
		return rc;
	ranges = xcalloc(json_array_size(array) + 1, sizeof(*ranges));
	json_array_foreach(array, i, element)
	{
		rc = range_from_json(&ranges[i], element, err);
		if (rc) {
			free(ranges);
			return error_context(err, rc, "element %zu of 'data'", i);
		}
	}
	*out = ranges;
	*count = json_array_size(array);
	return 0;
}
