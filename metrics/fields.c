#include "metrics/fields.h"

#include <math.h>
#include <string.h>

#include "metrics/metrics.h"
#include "metrics/profile.h"

#define KIND_INTEGER FIELD_INTEGER
#define KIND_INT FIELD_INT
#define KIND_REAL FIELD_REAL
#define KIND_TEXT(bytes) FIELD_TEXT
#define ROW(type, unknown, kind, name, unit, meaning)                           \
	{                                                                       \
#name, unit, meaning, KIND_##kind, offsetof(struct type, name), \
			sizeof(((struct type *)NULL)->name), unknown            \
	}

#define LAUNCH_ROW(...) ROW(launch_facts, -1, __VA_ARGS__),
static const struct field launch_items[] = {LAUNCH_FIELDS(LAUNCH_ROW)};
const struct field_list launch_fields = {launch_items, ARRAY_SIZE(launch_items)};

#define DEVICE_ROW(...) ROW(device_info, 0, __VA_ARGS__),
static const struct field device_items[] = {DEVICE_FIELDS(DEVICE_ROW)};
const struct field_list device_fields = {device_items, ARRAY_SIZE(device_items)};

#define STATE_ROW(...) ROW(device_state, -1, __VA_ARGS__),
static const struct field state_items[] = {STATE_FIELDS(STATE_ROW)};
const struct field_list state_fields = {state_items, ARRAY_SIZE(state_items)};

#define SUMMARY_ROW(...) ROW(summary, -1, __VA_ARGS__),
static const struct field summary_items[] = {SUMMARY_FIELDS(SUMMARY_ROW)};
const struct field_list summary_fields = {summary_items, ARRAY_SIZE(summary_items)};

#define PROFILE_ROW(...) ROW(profile, -1, __VA_ARGS__),
static const struct field profile_items[] = {PROFILE_FIELDS(PROFILE_ROW)};
const struct field_list profile_fields = {profile_items, ARRAY_SIZE(profile_items)};

#define INSTRUCTION_ROW(...) ROW(profile_instruction, -1, __VA_ARGS__),
static const struct field instruction_items[] = {INSTRUCTION_FIELDS(INSTRUCTION_ROW)};
const struct field_list instruction_fields = {instruction_items, ARRAY_SIZE(instruction_items)};

#define LINE_ROW(...) ROW(line_count, FIELD_ALWAYS_KNOWN, __VA_ARGS__),
static const struct field line_items[] = {LINE_FIELDS(LINE_ROW)};
const struct field_list line_count_fields = {line_items, ARRAY_SIZE(line_items)};

struct field_value field_read(const struct field *field, const void *of)
{
	const char *member = (const char *)of + field->offset;
	struct field_value value = {0};
	int small;

	switch (field->kind) {
	case FIELD_INTEGER:
		memcpy(&value.integer, member, sizeof(value.integer));
		value.known = value.integer > field->unknown;
		break;
	case FIELD_INT:
		memcpy(&small, member, sizeof(small));
		value.integer = small;
		value.known = true;
		break;
	case FIELD_REAL:
		memcpy(&value.real, member, sizeof(value.real));
		value.known = isfinite(value.real);
		break;
	case FIELD_TEXT:
		value.text = member;
		value.known = *member != 0;
		break;
	}
	return value;
}
