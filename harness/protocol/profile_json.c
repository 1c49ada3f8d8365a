/* The profile of a case. Its rows are arrays of numbers, because there are thousands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/protocol/protocol.h"

static json_t *instruction_to_json(const struct profile_instruction *instruction)
{
	json_t *row =
		json_pack("[I, I]", (json_int_t)instruction->function, (json_int_t)instruction->pc);

	for (size_t i = 0; i < instruction_fields.count; i++) {
		const struct field_value value =
			field_read(&instruction_fields.items[i], instruction);

		json_array_append_new(row, value.known ? json_integer(value.integer) : json_null());
	}
	return row;
}

json_t *profile_to_json(const struct profile *profile, const bool *own)
{
	json_t *json = fields_encode(&profile_fields, profile);
	json_t *functions = json_array(), *instructions = json_array(), *stalls = json_array();

	for (size_t i = 0; i < profile->function_count; i++)
		json_array_append_new(functions, json_pack("{s:o, s:b}", "name",
							   json_text(profile->functions[i].name),
							   "own", (int)own[i]));
	for (size_t i = 0; i < profile->instruction_count; i++)
		json_array_append_new(instructions, instruction_to_json(&profile->instructions[i]));
	for (size_t i = 0; i < profile->stall_count; i++) {
		const struct profile_stall *stall = &profile->stalls[i];

		json_array_append_new(stalls,
				      json_pack("[I, s, I, I]", (json_int_t)stall->instruction,
						stall->reason, (json_int_t)stall->samples,
						(json_int_t)stall->not_issued));
	}
	json_object_set_new(json, "why_no_samples", json_text(profile->why_no_samples));
	json_object_set_new(json, "why_no_counts", json_text(profile->why_no_counts));
	json_object_set_new(json, "functions", functions);
	json_object_set_new(json, "instructions", instructions);
	json_object_set_new(json, "stalls", stalls);
	return json;
}

/* ---- decoding ---- */

/* An element of a row. `unknown` allows null, which is -1. */
static int row_integer(int64_t *out, const json_t *row, size_t at, bool unknown, struct error *err)
{
	const json_t *value = json_array_get(row, at);

	*out = -1;
	if (unknown && json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return error_set(err, PL_EPROTOCOL, "element %zu is not a number of 0 or more", at);
	*out = (int64_t)json_integer_value(value);
	return 0;
}

static int row_check(const json_t *row, size_t elements, struct error *err)
{
	if (!json_is_array(row) || json_array_size(row) != elements)
		return error_set(err, PL_EPROTOCOL, "it is not an array of %zu", elements);
	return 0;
}

static int function_from_json(struct profile *profile, bool **own, const json_t *json,
			      struct error *err)
{
	const size_t before = profile->function_count;
	const char *name;
	bool is_own;
	int rc = member_borrow(&name, json, "name", false, err);

	if (!rc)
		rc = member_bool(&is_own, json, "own", err);
	if (rc)
		return rc;
	if (strlen(name) > PROTOCOL_MAX_FUNCTION_NAME)
		return error_set(err, PL_EPROTOCOL, "a function has a name of %zu bytes",
				 strlen(name));
	/* functions of one name are told apart by their place alone */
	profile->functions = xgrow(profile->functions, &profile->function_capacity, before + 1,
				   sizeof(*profile->functions));
	profile->functions[before] = (struct profile_function){.name = xstrdup(name)};
	profile->function_count++;
	(*own)[before] = is_own;
	return 0;
}

static int instruction_from_json(struct profile *profile, const json_t *row, struct error *err)
{
	struct profile_instruction *added;
	int64_t function, pc;
	int rc = row_check(row, 2 + instruction_fields.count, err);

	if (rc || row_integer(&function, row, 0, false, err) ||
	    row_integer(&pc, row, 1, false, err))
		return PL_EPROTOCOL;
	added = profile_instruction_add(profile, function, pc);
	for (size_t i = 0; i < instruction_fields.count && !rc; i++) {
		int64_t value;

		rc = row_integer(&value, row, 2 + i, true, err);
		memcpy((char *)added + instruction_fields.items[i].offset, &value, sizeof(value));
	}
	return rc;
}

static int stall_from_json(struct profile *profile, const json_t *row, struct error *err)
{
	struct profile_stall *added;
	const char *reason;
	int64_t instruction;

	if (row_check(row, 4, err) || row_integer(&instruction, row, 0, false, err))
		return PL_EPROTOCOL;
	reason = json_string_value(json_array_get(row, 1));
	if (!reason || !*reason || strlen(reason) >= STALL_REASON_BYTES ||
	    strspn(reason, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(reason))
		return error_set(err, PL_EPROTOCOL, "its reason is no name");
	added = profile_stall_add(profile, instruction, reason);
	if (row_integer(&added->samples, row, 2, false, err) ||
	    row_integer(&added->not_issued, row, 3, false, err))
		return PL_EPROTOCOL;
	return 0;
}

static int reason_from_json(char **out, const json_t *json, const char *name, struct error *err)
{
	const char *text;
	int rc = member_borrow(&text, json, name, true, err);

	if (!rc && text)
		*out = xstrdup(text);
	return rc;
}

static int rows_from_json(struct profile *profile, const json_t *json, const char *name,
			  size_t limit,
			  int (*decode)(struct profile *, const json_t *, struct error *),
			  struct error *err)
{
	json_t *rows;
	int rc = member_array(&rows, json, name, limit, err);

	for (size_t i = 0; !rc && i < json_array_size(rows); i++) {
		rc = decode(profile, json_array_get(rows, i), err);
		error_context(err, rc, "element %zu of '%s'", i, name);
	}
	return rc;
}

int profile_from_json(struct profile **out, bool **own, const json_t *json, struct error *err)
{
	struct profile *profile = profile_new();
	json_t *functions = NULL;
	int rc = fields_decode(profile, &profile_fields, json, err);

	*own = NULL;
	if (!rc)
		rc = member_array(&functions, json, "functions", PROTOCOL_MAX_FUNCTIONS, err);
	*own = xcalloc(json_array_size(functions) + 1, sizeof(**own));
	for (size_t i = 0; !rc && i < json_array_size(functions); i++) {
		rc = function_from_json(profile, own, json_array_get(functions, i), err);
		error_context(err, rc, "element %zu of 'functions'", i);
	}
	if (!rc)
		rc = reason_from_json(&profile->why_no_samples, json, "why_no_samples", err);
	if (!rc)
		rc = reason_from_json(&profile->why_no_counts, json, "why_no_counts", err);
	if (!rc)
		rc = rows_from_json(profile, json, "instructions", PROTOCOL_MAX_INSTRUCTIONS,
				    instruction_from_json, err);
	if (!rc)
		rc = rows_from_json(profile, json, "stalls", PROTOCOL_MAX_STALLS, stall_from_json,
				    err);
	if (!rc && profile_check(profile, err))
		rc = PL_EPROTOCOL;
	if (rc) {
		profile_free(profile);
		free(*own);
		*own = NULL;
	} else {
		*out = profile;
	}
	return rc;
}
