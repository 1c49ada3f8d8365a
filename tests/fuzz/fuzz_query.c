/*
 * Takes any text as the SQL of `perflab query`, on a small database that is open for writing. The
 * SQL changes nothing, ends, and gives rows in every format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "reports/reports.h"

#define ROWS_MOST 50
#define LOOKS_MOST 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	struct row_writer *writer;
	FILE *out;
	enum report_format format;
	int rows, looks;
};

static int note_columns(void *context, const char *const *names, size_t count)
{
	struct reading *reading = context;

	return rows_begin(&reading->writer, reading->out, reading->format, NULL, names, count,
			  NULL);
}

static int note_row(void *context, const struct any_value *values, size_t count)
{
	struct reading *reading = context;

	(void)count;
	return rows_add(reading->writer, values) || ++reading->rows == ROWS_MOST;
}

static bool is_enough(void *context)
{
	struct reading *reading = context;

	return ++reading->looks > LOOKS_MOST;
}

static char folder[] = "/tmp/perflab-fuzz-query-XXXXXX";
static char path[sizeof(folder) + 8];
static struct db *db;

static void tidy(void)
{
	static const char *const endings[] = {"", "-wal", "-shm"};
	char name[sizeof(path) + 8];

	db_close(db);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		snprintf(name, sizeof(name), "%s%s", path, endings[i]);
		unlink(name);
	}
	rmdir(folder);
}

/* One database for all inputs: the test checks that none changes it. */
static void set_up(void)
{
	struct run run = {.backend = (char *)"ptx",
			  .traits = {.emulated = true, .warp_size = 32},
			  .device = {.name = "a device"}};

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/f.db", folder);
	if (db_open(&db, path, DB_CREATE, NULL) || db_run_begin(db, &run, NULL))
		abort();
	atexit(tidy);
}

static int count_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	int *runs = context;

	(void)tally;
	++*runs;
	return strcmp(run->device.name, "a device") != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_CSV, REPORT_JSON,
						     REPORT_MARKDOWN};
	char *sql = xstrndup((const char *)data, size);
	char *written = NULL;
	size_t length = 0;
	struct error err = {0};
	struct reading reading = {.format = formats[size % ARRAY_SIZE(formats)]};
	const struct db_query_visitor visitor = {note_columns, note_row, is_enough, &reading};
	int runs = 0, rc;

	if (!db)
		set_up();
	reading.out = open_memstream(&written, &length);
	if (!reading.out)
		abort();
	rc = db_query(db, sql, &visitor, &err);
	if ((rc == 0) != (err.text[0] == '\0'))
		abort(); /* there is a message exactly when the query failed */
	rows_end(reading.writer, rc, NULL);
	fclose(reading.out);
	if (db_runs_visit(db, 0, count_run, &runs, NULL) || runs != 1)
		abort();
	free(written);
	free(sql);
	return 0;
}
