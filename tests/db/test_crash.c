/*
 * Kills a writer that does everything a sweep does with SIGKILL at random times. The file is never
 * damaged, every transaction is stored completely or not at all, and everything that the writer
 * reported as stored is there. PERFLAB_KILLS (default 20) is the number of kills,
 * PERFLAB_CRASH_SEED the seed of the random times.
 */
#include "context.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES_PER_ROUND 200
#define ROUNDS 3
#define COUNTERS 24
#define LINES 30
/* Several writers use a file one after another, so that they meet what killed writers left. */
#define WRITERS_PER_FILE 20

/* The stored steps, and SQL without perflab that shows that they are there: ?1 is the id, ?2 a
 * number. */
#define STEP_LIST(X)                                                                               \
	X(STEP_RUN, "run", "SELECT count(*) = 4 FROM trial WHERE run_id = ?1 AND ?2 = 0")          \
	X(STEP_FACTS, "facts", "SELECT code_hash IS NOT NULL FROM trial WHERE id = ?1 + ?2")       \
	X(STEP_ROUND, "round",                                                                     \
	  "SELECT count(*) = 200 FROM sample WHERE trial_id = ?1 AND round = ?2")                  \
	X(STEP_COUNTERS, "counters", "SELECT count(*) = 24 FROM counter WHERE trial_id = ?1 + ?2") \
	X(STEP_LINES, "lines", "SELECT count(*) = 30 FROM line WHERE trial_id = ?1 + ?2")          \
	X(STEP_TRIAL, "end of a trial",                                                            \
	  "SELECT status = 'ok' AND sample_count = 600 FROM trial WHERE id = ?1 + ?2")             \
	X(STEP_END, "end of a run", "SELECT state = 'finished' FROM run WHERE id = ?1 + ?2")       \
	X(STEP_COMPARED, "comparisons",                                                            \
	  "SELECT count(*) = 1 FROM comparison JOIN trial ON trial.id = trial_id"                  \
	  " WHERE run_id = ?1 + ?2")                                                               \
	X(STEP_MARKED, "mark", "SELECT count(*) = 1 FROM mark WHERE run_id = ?1 + ?2")

enum step {
#define X(symbol, name, there) symbol,
	STEP_LIST(X)
#undef X
		STEP_COUNT
};
static const struct {
	const char *name, *there;
} steps[] = {
#define X(symbol, name, there) {name, there},
	STEP_LIST(X)
#undef X
};

struct report {
	int64_t step, id, number;
};

/* Transactions are complete. Each query counts rows that a partial transaction would leave. */
static const char *const halves[] = {
	"SELECT count(*) FROM round WHERE (SELECT count(*) FROM sample WHERE sample.trial_id ="
	" round.trial_id AND sample.round = round.round) <> 200",
	"SELECT count(*) FROM run WHERE (SELECT count(*) FROM trial WHERE run_id = run.id) <> 4",
	"SELECT count(*) FROM trial WHERE (SELECT count(*) FROM axis WHERE trial_id = trial.id)"
	" <> 2",
	"SELECT count(*) FROM trial WHERE (SELECT count(*) FROM counter WHERE trial_id = trial.id)"
	" <> iif(counted_ns IS NULL, 0, 24)",
	"SELECT count(*) FROM trial WHERE (SELECT count(*) FROM line WHERE trial_id = trial.id)"
	" NOT IN (0, 30)",
	"SELECT count(*) FROM trial WHERE status = 'ok' AND (sample_count <> 600 OR median_ns IS"
	" NULL)",
};

/* Shared with the writer: whether it is inside a transaction right now. */
static volatile int *storing;

struct writer {
	struct db *db;
	int to_parent;
	struct error err;
};

#define STORED(writer, step, id, number, call) \
	(*storing = 1, (call) != 0 || (*storing = 0, say(writer, step, id, number)) != 0)

static int say(const struct writer *writer, enum step step, int64_t id, int64_t number)
{
	const struct report report = {step, id, number};

	return write(writer->to_parent, &report, sizeof(report)) == sizeof(report) ? 0 : 1;
}

static int store_trial(struct writer *writer, int64_t id)
{
	const struct launch_facts facts = {.code_hash = "0123456789abcdef",
					   .theoretical_occupancy_pct = NAN};
	struct counter_list counters = {0};
	struct line_count_list lines = {0};

	for (int i = 0; i < COUNTERS; i++) {
		char name[24];

		snprintf(name, sizeof(name), "counter_%d", i);
		counter_list_set(&counters, name, "byte", "test", i);
	}
	for (int i = 0; i < LINES; i++)
		line_count_list_add(&lines, "reduce.cu", i + 1);
	if (STORED(writer, STEP_FACTS, id, 0, db_trial_facts(writer->db, id, &facts, &writer->err)))
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		struct round_result round = fixture_round(i, SAMPLES_PER_ROUND);

		if (STORED(writer, STEP_ROUND, id, i,
			   db_round_add(writer->db, id, &round, &writer->err)))
			return 1;
		fixture_round_release(&round);
	}
	if (STORED(writer, STEP_COUNTERS, id, 0,
		   db_counters_set(writer->db, id, &counters, &writer->err)) ||
	    STORED(writer, STEP_LINES, id, 0, db_lines_set(writer->db, id, &lines, &writer->err)) ||
	    STORED(writer, STEP_TRIAL, id, 0,
		   db_trial_finish(writer->db, id, TRIAL_OK, NULL, NULL, &writer->err)))
		return 1;
	counter_list_release(&counters);
	line_count_list_release(&lines);
	return 0;
}

static int store_run(struct writer *writer)
{
	const struct run_words good = {.mark = "good"};
	struct trial_comparison_list list = {0};
	struct run run = fixture_run("doomed");

	run.started_ns = wall_time_ns();
	*storing = 1;
	if (db_run_begin(writer->db, &run, &writer->err))
		return 1;
	*storing = 0;
	if (say(writer, STEP_RUN, run.id, 0))
		return 1;
	for (size_t i = 0; i < 2; i++)
		if (store_trial(writer, run.trials[i].id))
			return 1;
	if (STORED(writer, STEP_END, run.id, 0,
		   db_run_finish(writer->db, run.id, RUN_FINISHED, &writer->err)))
		return 1;
	comparison_list_add(&list, &(struct trial_comparison){.trial_id = run.trials[0].id,
							      .verdict = CHANGE_NEW,
							      .change = NAN,
							      .low = NAN,
							      .high = NAN,
							      .p = NAN});
	if (STORED(writer, STEP_COMPARED, run.id, 0,
		   db_comparisons_store(writer->db, run.id, &list, &writer->err)) ||
	    STORED(writer, STEP_MARKED, run.id, 0,
		   db_run_mark(writer->db, run.id, &good, &writer->err)))
		return 1;
	comparison_list_release(&list);
	run_release(&run);
	return 0;
}

/* Stores runs forever and reports each step after its commit. */
static int write_for_ever(const struct context *context, int to_parent)
{
	struct writer writer = {.to_parent = to_parent};

	if (db_open(&writer.db, context->path, DB_CREATE, &writer.err))
		return 1;
	while (store_run(&writer) == 0)
		;
	fprintf(stderr, "%s\n", writer.err.text);
	return 1;
}

static void assert_is_there(sqlite3 *handle, const struct report *report)
{
	sqlite3_stmt *statement;

	assert_in_range(report->step, 0, STEP_COUNT - 1);
	assert_int_equal(
		sqlite3_prepare_v2(handle, steps[report->step].there, -1, &statement, NULL),
		SQLITE_OK);
	sqlite3_bind_int64(statement, 1, report->id);
	sqlite3_bind_int64(statement, 2, report->number);
	if (sqlite3_step(statement) != SQLITE_ROW || !sqlite3_column_int(statement, 0))
		fail_msg("%s %lld/%lld was stored and is not there", steps[report->step].name,
			 (long long)report->id, (long long)report->number);
	sqlite3_finalize(statement);
}

struct reports {
	struct report *items;
	size_t count, capacity;
};

static bool report_read(int from_child, struct reports *reports)
{
	ssize_t length;

	reports->items = xgrow(reports->items, &reports->capacity, reports->count + 1,
			       sizeof(*reports->items));
	do
		length = read(from_child, &reports->items[reports->count], sizeof(struct report));
	while (length < 0 && errno == EINTR);
	if (length != sizeof(struct report))
		return false;
	reports->count++;
	return true;
}

/* Lets the writer report some steps, then kills it a random part of one later. Returns how many
 * steps it had reported, and whether it was killed while storing. */
static size_t kill_one_writer(const struct context *context, bool *while_storing)
{
	struct reports reports = {0};
	int from_child, status;
	size_t first = (size_t)rand() % 60, count;
	pid_t child = context_start(context, write_for_ever, &from_child);
	struct db *db = NULL;
	sqlite3 *handle;

	while (reports.count < first)
		assert_true(report_read(from_child, &reports));
	/* Sleeps, because a busy loop would take processor time from the writer. */
	nanosleep(&(struct timespec){.tv_nsec = rand() % 4000000}, NULL);
	kill(child, SIGKILL);
	while (report_read(from_child, &reports))
		;
	close(from_child);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	*while_storing = *storing;

	assert_int_equal(
		context_query(context, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
		1);
	/* A writer that was killed while it created the file leaves that to the next one. */
	assert_int_equal(db_open(&db, context->path, DB_CREATE, NULL), 0);
	db_close(db);
	context_assert_whole(context);
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++)
		if (context_query(context, halves[i]))
			fail_msg("in part: %s", halves[i]);
	assert_int_equal(sqlite3_open(context->path, &handle), SQLITE_OK);
	for (size_t i = 0; i < reports.count; i++)
		assert_is_there(handle, &reports.items[i]);
	sqlite3_close(handle);
	count = reports.count;
	free(reports.items);
	return count;
}

static unsigned from_environment(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	int64_t value;

	return text && parse_i64(&value, text, NULL) == 0 && value > 0 ? (unsigned)value
								       : otherwise;
}

static void start_anew(const struct context *context)
{
	static const char *const endings[] = {"", "-wal", "-shm"};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *name = xasprintf("%s%s", context->path, endings[i]);

		unlink(name);
		free(name);
	}
}

static void test_kill_9_loses_nothing_that_was_stored(void **state)
{
	const struct context *context = *state;
	unsigned kills = from_environment("PERFLAB_KILLS", 20), inside = 0;
	unsigned seed = from_environment("PERFLAB_CRASH_SEED", 1);
	size_t held = 0;

	storing = mmap(NULL, sizeof(*storing), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	assert_true(storing != MAP_FAILED);
	srand(seed);
	for (unsigned i = 0; i < kills; i++) {
		bool while_storing;

		if (i % WRITERS_PER_FILE == 0)
			start_anew(context);
		held += kill_one_writer(context, &while_storing);
		inside += while_storing;
	}
	printf("%u writers killed, %u of them while it stored something; %zu transactions told to "
	       "be"
	       " stored, and all are there; seed %u\n",
	       kills, inside, held, seed);
	munmap((void *)storing, sizeof(*storing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kill_9_loses_nothing_that_was_stored,
						context_setup, context_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
