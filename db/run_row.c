/* Reads a row of `run` with its device and its mark. */
#include <ctype.h>

#include "db/columns.h"
#include "db/run_row.h"

void run_row_add_columns(struct text *sql)
{
	text_add(sql, "run.id, mark.kind, mark.why, ");
	columns_add_names(sql, &run_columns, PART_ALL | PART_GENERATED, "run.");
	text_add(sql, ", ");
	columns_add_names(sql, &device_columns, PART_ALL, "device.");
}

/* Runs that were stored before there was an emulator have no others, and continue without. */
#define SETTINGS_NEEDED                                                            \
	(SETTING_DEVICE | SETTING_CACHE | SETTING_MIN_SAMPLES | SETTING_MAX_TIME | \
	 SETTING_PRECISION | SETTING_TIMEOUT | SETTING_METRICS)

/* Whether --resume can continue with these settings. An untrusted or partial file may lack some. */
static bool settings_are_complete(const struct measure_settings *settings, unsigned known)
{
	return (known & SETTINGS_NEEDED) == SETTINGS_NEEDED && settings->device >= 0 &&
	       settings->min_samples > 0 && settings->max_time_ns > 0 && settings->precision > 0 &&
	       settings->precision < 1 && settings->rounds > 0 && settings->timeout_ns > 0 &&
	       settings->jobs >= 0;
}

/* The settings that the next columns of the row hold, those of run_columns; NULL: not known. */
static unsigned settings_stored(const struct statement *row)
{
	unsigned known = 0;
	int column = row->columns;

	for (size_t i = 0; i < run_columns.count; i++) {
		if (!(run_columns.items[i].part & (PART_ALL | PART_GENERATED)))
			continue;
		if (sqlite3_column_type(row->handle, column++) != SQLITE_NULL)
			known |= run_columns.items[i].setting;
	}
	return known;
}

/* Complete settings say by NULL that an optional one was not given. Seed and rounds have no column
 * of their own, and an emulated run has no rounds, whatever was set. */
static void settings_complete(struct run *run)
{
	struct measure_settings *settings = &run->settings;

	settings->seed = run->seed;
	settings->rounds = run->traits.emulated ? measure_settings_default.rounds : run->rounds;
	/* An older perflab, and an emulator, left the data where it was. */
	if (!(run->settings_known & SETTING_PLACEMENTS) || settings->placements < 1)
		settings->placements = 1;
	run->has_settings = settings_are_complete(settings, run->settings_known);
	if (run->has_settings)
		run->settings_known |= SETTING_SEED | SETTING_ROUNDS | SETTING_CHIP |
				       SETTING_COUNTER_DUMP | SETTING_BASE_VARIANT |
				       SETTING_PLACEMENTS;
}

/* Every uid of perflab is hex digits, and writers print it as it is. A foreign file may have any
 * text in its place. */
static void uid_make_plain(char *uid)
{
	for (; *uid; uid++)
		if (!isxdigit((unsigned char)*uid))
			*uid = '?';
}

void run_row_take(struct statement *row, struct run *run)
{
	run->id = take_integer(row, 0);
	run->mark = take_text_copy(row);
	run->mark_why = take_text_copy(row);
	run->settings_known = settings_stored(row);
	columns_take(row, &run_columns, PART_ALL | PART_GENERATED, run);
	columns_take(row, &device_columns, PART_ALL, &run->device);
	uid_make_plain(run->uid);
	settings_complete(run);
}
