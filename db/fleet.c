/* Loads what the GPUs of a database measured, to compare them with each other. */
#include "metrics/analysis/fleet.h"
#include "db/statement.h"

#include <stdlib.h>
#include <string.h>

#define PART_END "\x1f" /* between the parts of a key */

/* What is known while the fleet is loaded. */
struct fleet_reader {
	struct db *db;
	struct fleet *fleet;
	struct known_run {
		int64_t id;
		size_t at;      /* in fleet->runs */
		size_t context; /* equal for equal backend, origin and cache */
		bool ceilings;  /* the run measured the ceilings of its GPU */
	} * runs;               /* by id */
	size_t run_count, run_capacity, last_run;
	size_t fleet_run_capacity, trial_capacity, ceiling_capacity, case_capacity;
	int64_t *device_ids; /* of fleet->runs */
	int64_t *trial_ids;  /* of fleet->trials, ascending */
	size_t device_capacity, id_capacity;
	struct string_list keys, contexts;
	struct name_index key_at, context_at;
};

/* The position of a name in a list, to which it is added if it is new. */
static size_t position_of(struct string_list *list, struct name_index *index, const char *name)
{
	size_t at = name_index_find(index, name);

	if (at != NO_NAME)
		return at;
	at = list->count;
	string_list_add(list, name);
	name_index_add(index, list->items[at], at);
	return at;
}

static void key_add(struct text *key, const char *part)
{
	text_add(key, part);
	text_add(key, PART_END);
}

/* ---- runs ---- */

static const char fleet_runs_sql[] =
	"SELECT id, device_id, started_ns, coalesce(state = 'finished', 0),"
	" coalesce(emulated, 0) OR NOT coalesce(timed, 1), label IS '" CEILINGS_LABEL "'"
	" AND origin IS NULL, backend, origin, cache"
	" FROM run WHERE started_ns >= ? ORDER BY id";

static void add_fleet_run(struct fleet_reader *reader, struct statement *row)
{
	struct fleet *fleet = reader->fleet;
	struct known_run run = {.id = take_integer(row, 0)};
	struct text context = TEXT_INIT;
	int64_t device_id, started_ns;
	bool finished, untimed;

	device_id = take_integer(row, 0);
	started_ns = take_integer(row, 0);
	finished = take_integer(row, 0) != 0;
	untimed = take_integer(row, 0) != 0;
	run.ceilings = take_integer(row, 0) != 0;
	if (untimed || !finished) {
		fleet->emulated_runs += untimed;
		fleet->unfinished_runs += !untimed;
		return;
	}
	for (int part = 0; part < 3; part++)
		key_add(&context, take_known_text(row));
	run.context = position_of(&reader->contexts, &reader->context_at, context.data);
	text_release(&context);
	run.at = fleet->run_count;
	fleet->runs =
		xgrow(fleet->runs, &reader->fleet_run_capacity, run.at + 1, sizeof(*fleet->runs));
	reader->device_ids = xgrow(reader->device_ids, &reader->device_capacity, run.at + 1,
				   sizeof(*reader->device_ids));
	reader->device_ids[run.at] = device_id;
	fleet->runs[fleet->run_count++] =
		(struct fleet_run){.id = run.id, .started_ns = started_ns};
	reader->runs = xgrow(reader->runs, &reader->run_capacity, reader->run_count + 1,
			     sizeof(*reader->runs));
	reader->runs[reader->run_count++] = run;
}

static int load_fleet_runs(struct fleet_reader *reader, int64_t since_ns, struct error *err)
{
	struct statement select = statement_prepare(reader->db, fleet_runs_sql, err);

	bind_integer(&select, since_ns);
	while (statement_next(&select))
		add_fleet_run(reader, &select);
	return statement_release(&select);
}

/* NULL: the run does not count. Most trials are of the same run as the one before. */
static const struct known_run *run_of_id(struct fleet_reader *reader, int64_t id)
{
	size_t low = 0, high = reader->run_count;

	if (reader->last_run < reader->run_count && reader->runs[reader->last_run].id == id)
		return &reader->runs[reader->last_run];
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (reader->runs[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == reader->run_count || reader->runs[low].id != id)
		return NULL;
	reader->last_run = low;
	return &reader->runs[low];
}

/* ---- GPUs ---- */

struct gpu_run {
	int64_t device_id;
	size_t run;
};

static int by_device_and_run(const void *left, const void *right)
{
	const struct gpu_run *a = left, *b = right;

	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	return (a->run > b->run) - (a->run < b->run);
}

static int load_device(struct db *db, struct fleet_gpu *gpu, struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT name, uuid, cc_major, cc_minor, sm_count FROM device WHERE id = ?",
		err);

	bind_integer(&select, gpu->device_id);
	if (statement_next(&select)) {
		gpu->name = take_text_copy(&select);
		gpu->uuid = take_text_copy(&select);
		gpu->cc_major = take_int(&select);
		gpu->cc_minor = take_int(&select);
		gpu->sm_count = take_integer(&select, 0);
	}
	if (!gpu->name)
		gpu->name = xstrdup("unknown device");
	if (!gpu->uuid)
		gpu->uuid = xstrdup("");
	return statement_release(&select);
}

static int load_environment(struct db *db, int64_t run_id, const char *key, char **out,
			    struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT value FROM environment WHERE run_id = ? AND key = ?", err);

	bind_integer(&select, run_id);
	bind_text(&select, key);
	if (statement_next(&select))
		*out = take_text_copy(&select);
	return statement_release(&select);
}

/* What its newest run says about a GPU. */
static int load_newest(struct db *db, struct fleet_gpu *gpu, int64_t run_id, struct error *err)
{
	struct statement select =
		statement_prepare(db, "SELECT device_ordinal, driver FROM run WHERE id = ?", err);
	int rc;

	bind_integer(&select, run_id);
	if (statement_next(&select)) {
		gpu->ordinal = take_integer(&select, -1);
		gpu->facts[FLEET_DRIVER] = take_text_copy(&select);
	}
	rc = statement_release(&select);
	if (!rc)
		rc = load_environment(db, run_id, "host", &gpu->host, err);
	for (size_t i = 0; !rc && i < FLEET_FACTS; i++) {
		const char *key = fleet_fact_key((enum fleet_fact)i);

		if (key)
			rc = load_environment(db, run_id, key, &gpu->facts[i], err);
	}
	if (!gpu->facts[FLEET_PROFILER]) /* a run stores it only if there was one */
		gpu->facts[FLEET_PROFILER] = xstrdup("none");
	return rc;
}

/* Loads the GPUs of the runs, and sets the GPU of every run. Counts the runs without a uuid. */
static int load_gpus(struct fleet_reader *reader, struct error *err)
{
	struct fleet *fleet = reader->fleet;
	struct gpu_run *runs = xcalloc(fleet->run_count + 1, sizeof(*runs));
	size_t capacity = 0, end;
	int rc = 0;

	for (size_t i = 0; i < fleet->run_count; i++)
		runs[i] = (struct gpu_run){reader->device_ids[i], i};
	qsort(runs, fleet->run_count, sizeof(*runs), by_device_and_run);
	for (size_t begin = 0; !rc && begin < fleet->run_count; begin = end) {
		struct fleet_gpu *gpu;
		const struct fleet_run *newest = &fleet->runs[runs[begin].run];

		fleet->gpus =
			xgrow(fleet->gpus, &capacity, fleet->gpu_count + 1, sizeof(*fleet->gpus));
		gpu = &fleet->gpus[fleet->gpu_count];
		*gpu = (struct fleet_gpu){.device_id = runs[begin].device_id, .ordinal = -1};
		for (end = begin; end < fleet->run_count && runs[end].device_id == gpu->device_id;
		     end++) {
			struct fleet_run *run = &fleet->runs[runs[end].run];

			run->gpu = fleet->gpu_count;
			if (run->started_ns >= newest->started_ns)
				newest = run;
		}
		fleet->gpu_count++;
		rc = load_device(reader->db, gpu, err);
		if (!rc)
			rc = load_newest(reader->db, gpu, newest->id, err);
		if (!*gpu->uuid)
			fleet->runs_without_uuid += end - begin;
	}
	free(runs);
	return rc;
}

/* ---- trials ---- */

static const char fleet_trials_sql[] =
	"SELECT id, run_id, median_ns, coalesce(code_hash, ''), kernel, variant, config,"
	" launch_hash, iif(EXISTS (SELECT * FROM round WHERE trial_id = trial.id"
	"  AND event_ns IS NOT NULL), 'without', 'with'), status, flop, bytes_read, bytes_written"
	" FROM trial WHERE status IN ('ok', 'unverified') ORDER BY id";

struct trial_row {
	int64_t id;
	double median_ns;
	const char *code, *kernel, *variant, *config, *launch; /* until the next row */
	const char *events; /* whether the time has the cost of the events */
};

static void take_trial_row(struct statement *select, struct trial_row *out)
{
	out->median_ns = take_real(select);
	out->code = take_known_text(select);
	out->kernel = take_known_text(select);
	out->variant = take_known_text(select);
	out->config = take_known_text(select);
	out->launch = take_known_text(select);
	out->events = take_known_text(select);
}

static struct fleet_ceiling *ceiling_named(struct fleet_reader *reader, const char *name)
{
	struct fleet *fleet = reader->fleet;
	size_t at = 0;

	while (at < fleet->ceiling_count && strcmp(fleet->ceilings[at].name, name) != 0)
		at++;
	if (at == fleet->ceiling_count) {
		fleet->ceilings = xgrow(fleet->ceilings, &reader->ceiling_capacity, at + 1,
					sizeof(*fleet->ceilings));
		fleet->ceilings[at] = (struct fleet_ceiling){.name = xstrdup(name)};
		fleet->ceiling_count++;
	}
	return &fleet->ceilings[at];
}

/* The best configuration counts. */
static void add_fleet_ceiling(struct fleet_reader *reader, const struct known_run *run, size_t key,
			      const struct trial_row *row, struct statement *select)
{
	struct trial trial = {.variant = (char *)row->variant, .kernel = CEILINGS_KERNEL};
	const struct device_info device = {0};
	struct fleet_ceiling *ceiling;
	struct fleet_trial *found = NULL;
	struct ceiling measured;
	const char *status = take_text(select);

	if (!status || !trial_status_parse(&trial.status, status))
		return;
	trial.config = (char *)row->config;
	trial.flop = take_integer(select, -1);
	trial.bytes_read = take_integer(select, -1);
	trial.bytes_written = take_integer(select, -1);
	trial.has_work = trial.flop >= 0 && trial.bytes_read >= 0 && trial.bytes_written >= 0;
	trial.summary.median_ns = row->median_ns;
	trial.summary.session_low_ns = trial.summary.session_high_ns = NAN;
	if (!ceiling_of_trial(&measured, &trial, &device) || !(measured.per_s > 0) ||
	    !isfinite(measured.per_s))
		return;
	ceiling = ceiling_named(reader, row->variant);
	for (size_t i = ceiling->count; i-- > 0 && ceiling->trials[i].run == run->at;) {
		if (ceiling->trials[i].key == key)
			found = &ceiling->trials[i];
	}
	if (!found) {
		ceiling->trials = xgrow(ceiling->trials, &ceiling->capacity, ceiling->count + 1,
					sizeof(*ceiling->trials));
		found = &ceiling->trials[ceiling->count++];
		*found = (struct fleet_trial){.run = (uint32_t)run->at, .key = (uint32_t)key};
	}
	found->value[0] = fmax(found->value[0], measured.per_s);
}

static void add_fleet_trial(struct fleet_reader *reader, const struct known_run *run, size_t key,
			    const struct trial_row *row)
{
	struct fleet *fleet = reader->fleet;
	const size_t at = fleet->trial_count;
	struct fleet_trial *trial;

	fleet->trials =
		xgrow(fleet->trials, &reader->trial_capacity, at + 1, sizeof(*fleet->trials));
	reader->trial_ids =
		xgrow(reader->trial_ids, &reader->id_capacity, at + 1, sizeof(*reader->trial_ids));
	trial = &fleet->trials[at];
	*trial = (struct fleet_trial){.run = (uint32_t)run->at, .key = (uint32_t)key};
	for (size_t i = 0; i < FLEET_MEASURES; i++)
		trial->value[i] = NAN;
	trial->value[FLEET_TIME] = row->median_ns;
	reader->trial_ids[at] = row->id;
	fleet->trial_count++;
}

static void take_fleet_trial(struct fleet_reader *reader, struct statement *select,
			     struct text *key)
{
	struct fleet *fleet = reader->fleet;
	struct trial_row row = {.id = take_integer(select, 0)};
	const struct known_run *run = run_of_id(reader, take_integer(select, 0));
	bool of_ceiling;
	size_t at;

	if (!run || !*fleet->gpus[fleet->runs[run->at].gpu].uuid)
		return;
	take_trial_row(select, &row);
	if (!(row.median_ns > 0) || !isfinite(row.median_ns)) {
		fleet->trials_without++;
		return;
	}
	if (!*row.code) {
		fleet->trials_codeless++;
		return;
	}
	of_ceiling = run->ceilings && strcmp(row.kernel, CEILINGS_KERNEL) == 0;
	text_clear(key);
	text_add(key, reader->contexts.items[run->context]);
	key_add(key, row.kernel);
	key_add(key, row.variant);
	key_add(key, row.code);
	key_add(key, of_ceiling ? "" : row.config);
	key_add(key, of_ceiling ? "" : row.launch);
	key_add(key, of_ceiling ? "" : row.events);
	at = position_of(&reader->keys, &reader->key_at, key->data);
	if (at == fleet->case_count) {
		fleet->cases =
			xgrow(fleet->cases, &reader->case_capacity, at + 1, sizeof(*fleet->cases));
		fleet->cases[fleet->case_count++] =
			xasprintf("%s/%s/%s", row.kernel, row.variant, row.config);
	}
	if (of_ceiling)
		add_fleet_ceiling(reader, run, at, &row, select);
	else
		add_fleet_trial(reader, run, at, &row);
}

static int load_fleet_trials(struct fleet_reader *reader, struct error *err)
{
	struct statement select = statement_prepare(reader->db, fleet_trials_sql, err);
	struct text key = TEXT_INIT;

	while (statement_next(&select))
		take_fleet_trial(reader, &select, &key);
	text_release(&key);
	return statement_release(&select);
}

/* ---- clocks and power ---- */

#define FIRST_OF_ROUND FLEET_SM_CLOCK
#define COUNT_OF_ROUND (FLEET_MEASURES - FIRST_OF_ROUND)

/* Sums of the measures of the rounds of a trial. */
struct round_sums {
	double sum[COUNT_OF_ROUND];
	size_t count[COUNT_OF_ROUND];
};

static void end_rounds(struct fleet_trial *trial, struct round_sums *sums)
{
	for (size_t i = 0; i < COUNT_OF_ROUND; i++) {
		if (sums->count[i])
			trial->value[FIRST_OF_ROUND + i] = sums->sum[i] / (double)sums->count[i];
	}
	*sums = (struct round_sums){0};
}

static void take_fleet_rounds(struct fleet_reader *reader, struct statement *select)
{
	const size_t count = reader->fleet->trial_count;
	struct round_sums sums = {0};
	size_t at = 0;

	while (statement_next(select)) {
		const int64_t id = take_integer(select, 0);

		while (at < count && reader->trial_ids[at] < id)
			end_rounds(&reader->fleet->trials[at++], &sums);
		if (at == count)
			break;
		for (size_t i = 0; reader->trial_ids[at] == id && i < COUNT_OF_ROUND; i++) {
			const double value = take_real(select);

			if (value > 0 && isfinite(value)) {
				sums.sum[i] += value;
				sums.count[i]++;
			}
		}
	}
	if (at < count)
		end_rounds(&reader->fleet->trials[at], &sums);
}

static int load_fleet_rounds(struct fleet_reader *reader, struct error *err)
{
	const size_t count = reader->fleet->trial_count;
	struct statement select;

	if (!count)
		return 0;
	/* in the order of enum fleet_measure */
	select = statement_prepare(
		reader->db,
		"SELECT trial_id, sm_clock_hz, memory_clock_hz, power_w FROM round"
		" WHERE trial_id BETWEEN ? AND ? ORDER BY trial_id",
		err);
	bind_integer(&select, reader->trial_ids[0]);
	bind_integer(&select, reader->trial_ids[count - 1]);
	take_fleet_rounds(reader, &select);
	return statement_release(&select);
}

int db_fleet_load(struct db *db, int64_t since_ns, struct fleet *out, struct error *err)
{
	struct fleet_reader reader = {.db = db, .fleet = out};
	int rc = db_begin_read(db, err);

	*out = (struct fleet){0};
	if (rc)
		return rc;
	rc = load_fleet_runs(&reader, since_ns, err);
	if (!rc)
		rc = load_gpus(&reader, err);
	if (!rc)
		rc = load_fleet_trials(&reader, err);
	if (!rc)
		rc = load_fleet_rounds(&reader, err);
	rc = db_end(db, rc, err);
	name_index_release(&reader.key_at);
	name_index_release(&reader.context_at);
	string_list_release(&reader.keys);
	string_list_release(&reader.contexts);
	free(reader.runs);
	free(reader.device_ids);
	free(reader.trial_ids);
	if (rc)
		fleet_release(out);
	return rc;
}
