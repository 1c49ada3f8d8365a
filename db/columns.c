/* The columns of each table. A row gives the type, the parts that it belongs to, the name, and the
 * member that holds it. */
#include "db/columns.h"
#include "metrics/profile.h"
#include "metrics/recording.h"

#define MEMBER(member) offsetof(struct STRUCT, member), sizeof(((struct STRUCT *)NULL)->member)
#define ROW(column_type, parts, column, member) \
	ROW_UNKNOWN(column_type, parts, column, member, NEVER_UNKNOWN)
#define ROW_UNKNOWN(column_type, parts, column, member, unknown)                \
	{                                                                       \
		column, COLUMN_##column_type, parts, MEMBER(member), unknown, 0 \
	}
#define ROW_SETTING(setting, column_type, column, member, unknown)                    \
	{                                                                             \
		column, COLUMN_##column_type, PART_SETTINGS, MEMBER(member), unknown, \
			SETTING_##setting                                             \
	}
#define ROW_NO_MEMBER(parts, column)                                    \
	{                                                               \
		column, COLUMN_NO_MEMBER, parts, 0, 0, NEVER_UNKNOWN, 0 \
	}
#define LIST_OF(table_name, items)                   \
	{                                            \
		table_name, items, ARRAY_SIZE(items) \
	}

/* The columns of a list of metrics/fields.h, whose struct is a member. */
#define FIELD_COLUMN(part, member, kind, name) FIELD_COLUMN_##kind(part, name, member)
#define FIELD_COLUMN_INTEGER(part, name, member) ROW_UNKNOWN(INTEGER, part, #name, member.name, -1),
#define FIELD_COLUMN_REAL(part, name, member) ROW(REAL, part, #name, member.name),
#define FIELD_COLUMN_CHARACTERS(part, name, member) ROW(CHARACTERS, part, #name, member.name),
#define FIELD_COLUMN_TEXT(bytes) FIELD_COLUMN_CHARACTERS
#define LAUNCH_COLUMN(kind, name, unit, meaning) FIELD_COLUMN(PART_FACTS, facts, kind, name)
#define SUMMARY_COLUMN(kind, name, unit, meaning) FIELD_COLUMN(PART_RESULT, summary, kind, name)
#define STATE_COLUMN(kind, name, unit, meaning) FIELD_COLUMN(PART_RESULT, state, kind, name)

/* clang-format off */

#define STRUCT device_info
static const struct column device_items[] = {
	ROW(CHARACTERS, PART_KEY, "name", name),
	ROW(CHARACTERS, PART_KEY, "uuid", uuid),
	ROW(CHARACTERS, PART_FACTS, "chip", chip),
	ROW_UNKNOWN(INT, PART_FACTS, "cc_major", cc_major, -1),
	ROW_UNKNOWN(INT, PART_FACTS, "cc_minor", cc_minor, -1),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "sm_count", sm_count, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "max_threads_per_sm", max_threads_per_sm, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "max_threads_per_block", max_threads_per_block, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "max_blocks_per_sm", max_blocks_per_sm, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "registers_per_sm", registers_per_sm, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "shared_bytes_per_sm", shared_bytes_per_sm, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "shared_bytes_per_block", shared_bytes_per_block, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "l2_bytes", l2_bytes, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "memory_bytes", memory_bytes, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "sm_clock_max_hz", sm_clock_max_hz, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "memory_clock_max_hz", memory_clock_max_hz, 0),
	ROW_UNKNOWN(INTEGER, PART_FACTS, "memory_bus_bits", memory_bus_bits, 0),
};
const struct column_list device_columns = LIST_OF("device", device_items);
#undef STRUCT

#define STRUCT run
static const struct column run_items[] = {
	ROW(CHARACTERS, PART_KEY, "uid", uid),
	ROW(TEXT, PART_STATE, "label", label),
	ROW(TEXT, PART_STATE, "note", note),
	ROW(RUN_STATE, PART_STATE, "state", state),
	ROW(INTEGER, PART_STATE, "started_ns", started_ns),
	ROW_UNKNOWN(INTEGER, PART_STATE, "finished_ns", finished_ns, 0),
	ROW(TEXT, PART_IDENTITY, "backend", backend),
	ROW(CHARACTERS, PART_VERSIONS, "driver", device.driver),
	ROW(CHARACTERS, PART_VERSIONS, "cuda_driver", device.cuda_driver),
	ROW(CHARACTERS, PART_VERSIONS, "toolkit", device.toolkit),
	ROW(CHARACTERS, PART_VERSIONS, "cupti", device.cupti),
	ROW(TEXT, PART_IDENTITY, "version", version),
	ROW(TEXT, PART_IDENTITY, "source_revision", source_revision),
	ROW(TEXT, PART_IDENTITY, "origin", origin),
	ROW(TEXT, PART_STATE, "command", command),
	ROW(BITS, PART_IDENTITY, "seed", seed),
	ROW(INT, PART_IDENTITY, "rounds", rounds),
	ROW(BOOL, PART_IDENTITY, "timed", traits.timed),
	ROW(BOOL, PART_IDENTITY, "emulated", traits.emulated),
	ROW(CHARACTERS, PART_IDENTITY, "vendor", traits.vendor),
	ROW_UNKNOWN(INT, PART_IDENTITY, "warp_size", traits.warp_size, 0),
	ROW_SETTING(DEVICE, INT, "device_ordinal", settings.device, -1),
	ROW_SETTING(CACHE, CACHE, "cache", settings.cache, 0),
	ROW_SETTING(MIN_SAMPLES, INTEGER, "min_samples", settings.min_samples, 0),
	ROW_SETTING(MAX_TIME, INTEGER, "max_time_ns", settings.max_time_ns, 0),
	ROW_SETTING(PRECISION, REAL, "precision", settings.precision, 0),
	ROW_SETTING(TIMEOUT, INTEGER, "timeout_ns", settings.timeout_ns, 0),
	ROW_SETTING(METRICS, NAMES, "metrics", settings.metrics, 0),
	ROW_SETTING(CHIP, TEXT, "emulated_chip", settings.chip, 0),
	ROW_SETTING(ALL_BLOCKS, BOOL, "all_blocks", settings.all_blocks, 0),
	ROW_SETTING(JOBS, INT, "jobs", settings.jobs, -1),
	ROW_SETTING(COUNTER_DUMP, TEXT, "counter_dump", settings.counter_dump, 0),
	ROW_SETTING(BASE_VARIANT, TEXT, "base_variant", settings.base_variant, 0),
	ROW_SETTING(PLACEMENTS, INT, "placements", settings.placements, 0),
	ROW(TEXT, PART_GENERATED, "settings", settings_json),
};
const struct column_list run_columns = LIST_OF("run", run_items);
#undef STRUCT

/* Kernel, variant and config are in this order wherever a case is looked up. */
#define STRUCT trial
static const struct column trial_items[] = {
	ROW(TEXT, PART_KEY | PART_PLAN, "kernel", kernel),
	ROW(TEXT, PART_KEY | PART_PLAN, "variant", variant),
	ROW(TEXT, PART_KEY | PART_PLAN, "config", config),
	ROW(INTEGER, PART_PLAN, "position", position),
	ROW(STATUS, PART_PLAN | PART_RESULT, "status", status),
	ROW(TEXT, PART_PLAN | PART_RESULT, "reason", reason),
	ROW_UNKNOWN(INTEGER, PART_PLAN, "flop", flop, -1),
	ROW_UNKNOWN(INTEGER, PART_PLAN, "bytes_read", bytes_read, -1),
	ROW_UNKNOWN(INTEGER, PART_PLAN, "bytes_written", bytes_written, -1),
	ROW(CHARACTERS, PART_PLAN, "launch_hash", launch_hash),
	LAUNCH_FIELDS(LAUNCH_COLUMN)
	ROW(INTEGER, PART_RESULT, "sample_count", summary.count),
	SUMMARY_FIELDS(SUMMARY_COLUMN)
	ROW(POSITIVE, PART_PLAN, "mean_ns", mean_ns),
	ROW_NO_MEMBER(PART_WRITTEN, "finished_ns"),
	ROW_NO_MEMBER(PART_WRITTEN, "counted_ns"),
};
const struct column_list trial_columns = LIST_OF("trial", trial_items);
#undef STRUCT

#define STRUCT named_value
static const struct column axis_items[] = {
	ROW(CHARACTERS, PART_KEY, "name", name),
	ROW(INTEGER, PART_RESULT, "value", value),
};
const struct column_list axis_columns = LIST_OF("axis", axis_items);
#undef STRUCT

#define STRUCT round_summary
static const struct column round_items[] = {
	ROW(INT, PART_KEY, "round", round),
	STATE_FIELDS(STATE_COLUMN)
	ROW(REAL, PART_RESULT, "median_ns", median_ns),
	ROW(REAL, PART_RESULT, "speedup", speedup),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "same_buffers", same_buffers, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "placements", placements, 0),
	ROW_NO_MEMBER(PART_WRITTEN, "stored_ns"),
};
const struct column_list round_columns = LIST_OF("round", round_items);
#undef STRUCT

#define STRUCT sample
static const struct column sample_items[] = {
	ROW(INT, PART_KEY, "round", round),
	ROW(INT, PART_KEY, "sequence", sequence),
	ROW(REAL, PART_RESULT, "time_ns", time_ns),
	ROW(REAL, PART_RESULT, "base_ns", base_ns),
};
const struct column_list sample_columns = LIST_OF("sample", sample_items);
#undef STRUCT

#define STRUCT line_count
static const struct column line_items[] = {
	ROW_NO_MEMBER(PART_KEY, "file"), /* the list of lines owns the name */
	ROW_NO_MEMBER(PART_KEY, "line"),
	ROW(INTEGER, PART_RESULT, "instructions", instructions),
	ROW(INTEGER, PART_RESULT, "lanes", lanes),
	ROW(INTEGER, PART_RESULT, "branches", branches),
	ROW(INTEGER, PART_RESULT, "divergent", divergent),
	ROW(INTEGER, PART_RESULT, "requests", requests),
	ROW(INTEGER, PART_RESULT, "sectors", sectors),
	ROW(INTEGER, PART_RESULT, "shared_requests", shared_requests),
	ROW(INTEGER, PART_RESULT, "wavefronts", wavefronts),
	ROW(INTEGER, PART_RESULT, "conflicts", conflicts),
};
const struct column_list line_columns = LIST_OF("line", line_items);
#undef STRUCT

#define PROFILE_COLUMN(kind, name, unit, meaning) \
	ROW_UNKNOWN(INTEGER, PART_RESULT, #name, name, -1),
#define STRUCT profile
static const struct column profile_items[] = {
	PROFILE_FIELDS(PROFILE_COLUMN)
	ROW(TEXT, PART_RESULT, "why_no_samples", why_no_samples),
	ROW(TEXT, PART_RESULT, "why_no_counts", why_no_counts),
};
const struct column_list profile_columns = LIST_OF("profile", profile_items);
#undef STRUCT

/* The number of a row is its place in the list of the profile. */
#define STRUCT profile_function
static const struct column profile_function_items[] = {
	ROW_NO_MEMBER(PART_KEY, "function"),
	ROW(TEXT, PART_RESULT, "name", name),
	ROW(CHARACTERS, PART_RESULT, "code", code),
};
const struct column_list profile_function_columns =
	LIST_OF("profile_function", profile_function_items);
#undef STRUCT

#define STRUCT profile_frame
static const struct column profile_frame_items[] = {
	ROW_NO_MEMBER(PART_KEY, "frame"),
	ROW(TEXT, PART_RESULT, "file", file),
	ROW(INTEGER, PART_RESULT, "line", line),
	ROW(TEXT, PART_RESULT, "inlined", function),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "caller", caller, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "samples", samples, -1),
	ROW(REAL, PART_RESULT, "share", share),
	ROW(REAL, PART_RESULT, "low", low),
	ROW(REAL, PART_RESULT, "high", high),
};
const struct column_list profile_frame_columns = LIST_OF("profile_frame", profile_frame_items);
#undef STRUCT

#define STRUCT profile_instruction
static const struct column instruction_items[] = {
	ROW_NO_MEMBER(PART_KEY, "instruction"),
	ROW(INTEGER, PART_RESULT, "function", function),
	ROW(INTEGER, PART_RESULT, "pc", pc),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "frame", frame, -1),
	INSTRUCTION_FIELDS(PROFILE_COLUMN)
};
const struct column_list instruction_columns = LIST_OF("instruction", instruction_items);
#undef STRUCT

#define STRUCT profile_stall
static const struct column stall_items[] = {
	ROW(INTEGER, PART_KEY, "instruction", instruction),
	ROW(CHARACTERS, PART_KEY, "reason", reason),
	ROW(INTEGER, PART_RESULT, "samples", samples),
	ROW(INTEGER, PART_RESULT, "not_issued", not_issued),
};
const struct column_list stall_columns = LIST_OF("stall", stall_items);
#undef STRUCT

/* Two copies of a trial agree on its base case. The rest depends on all pairs of the run, of which a
 * shard has a part. */
#define STRUCT trial_speedup
static const struct column speedup_items[] = {
	ROW(TEXT, PART_RESULT, "base_variant", base_variant),
	ROW(TEXT, PART_RESULT, "base_config", base_config),
	ROW(SPEEDUP, PART_WRITTEN, "verdict", verdict),
	ROW(REAL, PART_WRITTEN, "speedup", speedup),
	ROW(REAL, PART_WRITTEN, "low", low),
	ROW(REAL, PART_WRITTEN, "high", high),
	ROW(REAL, PART_WRITTEN, "p", p),
	ROW(REAL, PART_WRITTEN, "base_median_ns", base_median_ns),
	ROW(INTEGER, PART_WRITTEN, "rounds", rounds),
	ROW_UNKNOWN(INTEGER, PART_WRITTEN, "same_buffers", same_buffers, -1),
	ROW(TEXT, PART_WRITTEN, "why", why),
};
const struct column_list speedup_columns = LIST_OF("speedup", speedup_items);
#undef STRUCT

#define STRUCT recording
static const struct column recording_items[] = {
	ROW(CHARACTERS, PART_IDENTITY, "uid", uid),
	ROW(TEXT, PART_IDENTITY, "command", command),
	ROW(INTEGER, PART_IDENTITY, "started_ns", started_ns),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "wall_ns", wall_ns, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "bare_wall_ns", bare_wall_ns, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "exit_code", exit_code, -1),
	ROW(TEXT, PART_RESULT, "label", label),
	ROW(TEXT, PART_RESULT, "host", host),
	ROW(TEXT, PART_RESULT, "version", version),
};
const struct column_list recording_columns = LIST_OF("recording", recording_items);
#undef STRUCT

#define STRUCT recorded_process
static const struct column recorded_process_items[] = {
	ROW(INTEGER, PART_KEY, "pid", pid),
	ROW(TEXT, PART_RESULT, "program", program),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "launches", launches, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "dropped", dropped, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "own_ns", own_ns, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "wall_ns", wall_ns, -1),
	ROW(TEXT, PART_RESULT, "why_not", why_not),
};
const struct column_list recorded_process_columns =
	LIST_OF("recorded_process", recorded_process_items);
#undef STRUCT

#define STRUCT recorded_kernel
static const struct column recorded_kernel_items[] = {
	ROW(INTEGER, PART_RESULT, "pid", pid),
	ROW(TEXT, PART_RESULT, "name", name),
	ROW(TEXT, PART_RESULT, "readable", readable),
	ROW(TEXT, PART_RESULT, "device", device),
	ROW(TEXT, PART_RESULT, "uuid", uuid),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "grid_x", grid[0], -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "grid_y", grid[1], -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "grid_z", grid[2], -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "block_x", block[0], -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "block_y", block[1], -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "block_z", block[2], -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "shared_bytes", shared_bytes, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "registers", registers, -1),
	ROW(INTEGER, PART_RESULT, "launches", launches),
	ROW(INTEGER, PART_RESULT, "graph_launches", graph_launches),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "total_ns", total_ns, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "median_ns", median_ns, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "min_ns", min_ns, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "max_ns", max_ns, -1),
};
const struct column_list recorded_kernel_columns =
	LIST_OF("recorded_kernel", recorded_kernel_items);
#undef STRUCT

#define STRUCT recorded_capture
static const struct column recorded_capture_items[] = {
	ROW(INTEGER, PART_RESULT, "pid", pid),
	ROW(TEXT, PART_RESULT, "path", path),
	ROW(TEXT, PART_RESULT, "name", name),
	ROW(TEXT, PART_RESULT, "readable", readable),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "launch", launch, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "bytes", bytes, -1),
	ROW_UNKNOWN(INTEGER, PART_RESULT, "file_bytes", file_bytes, -1),
	ROW(REAL, PART_RESULT, "seconds", seconds),
	ROW(TEXT, PART_RESULT, "lost", lost),
};
const struct column_list recorded_capture_columns =
	LIST_OF("recorded_capture", recorded_capture_items);
#undef STRUCT

static const struct column mark_items[] = {
	ROW_NO_MEMBER(PART_RESULT, "kind"),
	ROW_NO_MEMBER(PART_RESULT, "why"),
	ROW_NO_MEMBER(PART_RESULT, "marked_ns"),
};
const struct column_list mark_columns = LIST_OF("mark", mark_items);

static const struct column run_file_items[] = {
	ROW_NO_MEMBER(PART_KEY, "file"),
	ROW_NO_MEMBER(PART_RESULT, "hash"),
	ROW_NO_MEMBER(PART_RESULT, "why"),
};
const struct column_list run_file_columns = LIST_OF("run_file", run_file_items);

static const struct column run_part_items[] = {
	ROW_NO_MEMBER(PART_KEY, "uid"),
	ROW_NO_MEMBER(PART_KEY, "part"),
	ROW_NO_MEMBER(PART_RESULT, "wall_ns"),
};
const struct column_list run_part_columns = LIST_OF("run_part", run_part_items);

/* clang-format on */
