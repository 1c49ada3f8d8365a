/*
 * perflab sweep: plans, runs and stores. The order matters: what is wrong
 * with the request is said first, then what is wrong with the database, and
 * only then is a device touched.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep.h"
#include "perflab_config.h"

struct sweep_options {
	const char *block_sizes, *size, *label, *note, *db, *resume, *backend, *counter_dump;
	struct string_list sets, metrics;
	uint64_t seed;
	int64_t min_samples, max_time_ns, rounds, timeout_ns, device;
	double precision;
	int cache, format;
	bool dry_run, quiet, all_metrics;
};

static void sweep_defaults(void *context)
{
	struct sweep_options *options = context;

	options->backend = "cuda";
	options->seed = measure_settings_default.seed;
	options->min_samples = measure_settings_default.min_samples;
	options->max_time_ns = measure_settings_default.max_time_ns;
	options->rounds = measure_settings_default.rounds;
	options->timeout_ns = measure_settings_default.timeout_ns;
	options->device = measure_settings_default.device;
	options->precision = measure_settings_default.precision;
	options->cache = (int)measure_settings_default.cache;
}

/* ---- interruption ---- */

/* A signal handler has no context, so this is the one variable of the program. */
static volatile int stop_requested;

static void request_stop(int signal_number)
{
	(void)signal_number;
	stop_requested = 1;
}

/* The first signal ends the sweep in good order, a second one ends it at once. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESETHAND}, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, and means it */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

/* ---- the request ---- */

static int request_metrics(struct measure_settings *settings, const struct string_list *words,
			   struct error *err)
{
	struct string_list names = {0};
	bool none = false;
	int rc = 0;

	for (size_t i = 0; i < words->count; i++) {
		struct string_list pieces = {0};

		string_list_split(&pieces, words->items[i], ',');
		for (size_t j = 0; j < pieces.count; j++) {
			none |= strcmp(pieces.items[j], "none") == 0;
			string_list_add(&names, pieces.items[j]);
		}
		string_list_release(&pieces);
	}
	if (words->count == 0)
		string_list_add(&names, metric_set_name(METRIC_SET_CORE));
	if (none && names.count > 1)
		rc = error_set(err, PL_EUSAGE, "\"none\" excludes other metrics");
	else if (!none)
		rc = metric_request(&settings->metrics, &names, err);
	string_list_release(&names);
	return error_context(err, rc, "--metrics");
}

static int request_settings(struct measure_settings *settings, const struct sweep_options *options,
			    struct error *err)
{
	*settings = measure_settings_default;
	settings->device = (int)options->device;
	settings->seed = options->seed;
	settings->cache = (enum cache_mode)options->cache;
	settings->min_samples = options->min_samples;
	settings->max_time_ns = options->max_time_ns;
	settings->precision = options->precision;
	settings->rounds = (int)options->rounds;
	settings->timeout_ns = options->timeout_ns;
	if (options->counter_dump)
		settings->counter_dump = xstrdup(options->counter_dump);
	return request_metrics(settings, &options->metrics, err);
}

static int request_plan(struct sweep_plan *plan, const struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	int rc = 0;

	for (size_t i = 0; i < call->operands.count; i++)
		string_list_add(&plan->selectors, call->operands.items[i]);
	if (options->block_sizes)
		sweep_plan_override(plan, "block", options->block_sizes);
	if (options->size)
		sweep_plan_override(plan, "n", options->size);
	for (size_t i = 0; i < options->sets.count && !rc; i++)
		rc = sweep_plan_set(plan, options->sets.items[i], err);
	return rc;
}

/* ---- resuming ---- */

/* What a resumed run was begun with, it goes on with. */
static int check_resume_options(const struct invocation *call, struct error *err)
{
	static const char *const free_options[] = {"resume", "db",     "device",      "timeout",
						   "quiet",  "format", "all-metrics", "dry-run"};

	for (size_t i = 0; i < call->command->option_count; i++) {
		const char *name = call->command->options[i].name;
		bool allowed = false;

		for (size_t j = 0; j < ARRAY_SIZE(free_options); j++)
			allowed |= strcmp(name, free_options[j]) == 0;
		if (!allowed && option_given(call, name))
			return error_set(err, PL_EUSAGE,
					 "--resume goes on with the run's own settings, so --%s "
					 "cannot be changed",
					 name);
	}
	if (call->operands.count)
		return error_set(err, PL_EUSAGE,
				 "--resume goes on with the run's own cases, so \"%s\" cannot be "
				 "added",
				 call->operands.items[0]);
	return 0;
}

static int load_resumed(struct run *run, struct measure_settings *settings, struct db *db,
			const struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	const char *mark;
	int64_t id = 0;
	int rc;

	rc = db_run_resolve(db, options->resume, &id, err);
	if (!rc)
		rc = db_run_load(db, id, true, run, err);
	if (rc)
		return error_context(err, rc, "--resume");
	mark = key_value_get(&run->environment, "process");
	if (run->state && strcmp(run->state, "finished") == 0)
		return error_set(err, PL_EUSAGE, "run %lld is finished: nothing to resume",
				 (long long)id);
	if (run->state && strcmp(run->state, "running") == 0 && mark && host_process_lives(mark))
		return error_set(err, PL_EBUSY, "run %lld is still going on, in process %s",
				 (long long)id, mark);
	rc = measure_settings_from_json(settings, run->settings ? run->settings : "", err);
	if (rc)
		return error_context(err, rc, "settings of run %lld", (long long)id);
	if (option_given(call, "device"))
		settings->device = (int)options->device;
	if (option_given(call, "timeout"))
		settings->timeout_ns = options->timeout_ns;
	return 0;
}

/* ---- the sweep ---- */

struct sweep {
	const struct invocation *call;
	const struct sweep_options *options;
	struct measure_settings settings;
	struct sweep_plan plan;
	struct run resumed;
	const char *backend;
	const char *db_path;
	struct progress progress;
};

static void describe_run(struct run *run, const struct sweep *sweep)
{
	const struct sweep_options *options = sweep->options;
	char *mark = host_process_mark();

	run->label = options->label && *options->label ? xstrdup(options->label) : NULL;
	run->note = options->note && *options->note ? xstrdup(options->note) : NULL;
	run->command = xstrdup(sweep->call->command_line);
	run->backend = xstrdup(sweep->backend);
	run->version = xstrdup(PERFLAB_VERSION);
	run->source_revision = host_working_revision();
	if (!run->source_revision && host_build_revision())
		run->source_revision = xstrdup(host_build_revision());
	run->settings = measure_settings_to_json(&sweep->settings);
	run->state = xstrdup("running");
	run->seed = sweep->settings.seed;
	run->rounds = sweep->settings.rounds;
	host_facts(&run->environment);
	key_value_set(&run->environment, "process", mark);
	free(mark);
}

/* The exit code of a run that ended, by how its trials did. */
static int judge(const struct run *run, struct error *err)
{
	size_t mismatches = 0, failures = 0, skipped = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		enum trial_status status = run->trials[i].status;

		mismatches += status == TRIAL_MISMATCH;
		failures += trial_status_is_failure(status);
		skipped += status == TRIAL_SKIPPED;
	}
	if (mismatches)
		say("%zu %s a wrong result", mismatches,
		    mismatches == 1 ? "case has" : "cases have");
	if (failures > mismatches)
		say("%zu %s failed%s; the reasons are in the report", failures - mismatches,
		    failures - mismatches == 1 ? "case" : "cases",
		    mismatches ? " for another reason" : "");
	if (skipped == run->trial_count)
		return error_set(err, PL_EUNSUPPORTED,
				 "nothing to run: every case was skipped, for the reasons above");
	return 0;
}

static int exit_code_of(const struct run *run)
{
	bool mismatch = false, failure = false;

	for (size_t i = 0; i < run->trial_count; i++) {
		mismatch |= run->trials[i].status == TRIAL_MISMATCH;
		failure |= trial_status_is_failure(run->trials[i].status);
	}
	return mismatch ? EXIT_FINDING : failure ? EXIT_FAILED : EXIT_FINE;
}

static int report_stored(struct invocation *call, struct db *db, int64_t id,
			 const struct sweep_options *options, struct error *err)
{
	struct run run = {0};
	int rc = db_run_load(db, id, true, &run, err);

	if (!rc)
		rc = report_to_stdout(call, &run, (enum report_format)options->format,
				      options->all_metrics, err);
	if (!rc) {
		fflush(stdout);
		call->exit_code = exit_code_of(&run);
		rc = judge(&run, err);
	}
	run_release(&run);
	return rc;
}

/* Ends the run in the database whatever happened, and says how to go on. */
static void close_run(struct db *db, const struct sweep *sweep, int64_t id, int rc)
{
	struct error err = {0};

	if (db_run_finish(db, id, rc ? "interrupted" : "finished", &err))
		say("run %lld could not be ended in the database: %s", (long long)id, err.text);
	if (rc)
		say("what was measured is kept; go on with: perflab sweep --resume %lld --db %s",
		    (long long)id, sweep->db_path);
}

/* *db NULL: a new file; it is there once a device is. */
static int execute(struct invocation *call, struct sweep *sweep, struct db **db, struct error *err)
{
	struct sweep_store store = {.db = *db,
				    .new_path = sweep->db_path,
				    .plan = &sweep->plan,
				    .progress = &sweep->progress,
				    .metrics = &sweep->settings.metrics};
	struct plan_source source = {.context = &sweep->plan, .build = sweep_plan_build};
	struct sweep_sink sink = sweep_store_sink(&store);
	struct sweep_outcome outcome = {0};
	int rc;

	if (!sweep->plan.resumed)
		describe_run(&store.run, sweep);
	catch_signals();
	rc = sweep_execute(sweep->backend, &source, &sweep->settings, &sink, &stop_requested,
			   &outcome, err);
	progress_end(&sweep->progress);
	*db = store.db;
	if (store.begun)
		close_run(*db, sweep, store.run.id, rc);
	if (!rc)
		rc = report_stored(call, *db, store.run.id, sweep->options, err);
	if (!rc && !sweep->options->quiet)
		say("run %lld is kept; perflab report %lld --db %s prints it again",
		    (long long)store.run.id, (long long)store.run.id, sweep->db_path);
	sweep_store_release(&store);
	return rc;
}

/* The plan for the device that is here, or for any device where there is none. */
static int dry_run(const struct invocation *call, struct sweep *sweep, struct error *err)
{
	struct plan_source source = {.context = &sweep->plan, .build = sweep_plan_build};
	struct session_info info = {0};
	struct error absent = {0};
	int rc = sweep_inspect(sweep->backend, &source, &sweep->settings, &info, &absent);

	if (!rc)
		say("planned for %s", info.device.name);
	else if (rc != PL_EUNSUPPORTED || sweep->plan.resumed)
		rc = error_set(err, rc, "%s", absent.text);
	else {
		struct plan *plan;

		say("no device: planned for the least that every CUDA device has; %s", absent.text);
		rc = sweep_plan_build(&sweep->plan, NULL, &plan, err);
	}
	if (!rc)
		rc = sweep_plan_print(call, sweep->plan.plan,
				      (enum report_format)sweep->options->format, err);
	if (!rc)
		say("%zu %s: %zu to run, %zu skipped", sweep->plan.plan->count,
		    sweep->plan.plan->count == 1 ? "case" : "cases", sweep->plan.plan->runnable,
		    sweep->plan.plan->count - sweep->plan.plan->runnable);
	session_info_release(&info);
	return rc;
}

/* Finds what is wrong with the words before anything is opened. */
static int prepare_fresh(struct sweep *sweep, struct error *err)
{
	struct plan *plan;
	int rc = request_settings(&sweep->settings, sweep->options, err);

	if (!rc)
		rc = request_plan(&sweep->plan, sweep->call, err);
	if (!rc)
		rc = sweep_plan_build(&sweep->plan, NULL, &plan, err);
	return rc;
}

/* Nothing is there, and something can be: what else may be wrong with a path db_open() tells. */
static bool can_be_made(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	bool can = path[0] && access(path, F_OK) != 0 && errno == ENOENT &&
		   access(folder, W_OK | X_OK) == 0;

	free(folder);
	return can;
}

static int run_sweep(struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	struct sweep sweep = {.call = call, .options = options, .backend = options->backend};
	struct text worker = TEXT_INIT;
	struct db *db = NULL;
	int rc;

	sweep.db_path = options->db ? options->db : db_default_path();
	progress_init(&sweep.progress, &call->terminal, options->quiet);
	rc = options->resume ? check_resume_options(call, err) : prepare_fresh(&sweep, err);
	if (rc)
		goto out;
	if (options->dry_run && !options->resume) {
		rc = dry_run(call, &sweep, err);
		goto out;
	}
	rc = options->resume ? 0 : worker_find(&worker, sweep.backend, err);
	/* No database is left behind where nothing can be measured: a new one waits for a device.
	 */
	if (!rc && (options->resume || !can_be_made(sweep.db_path)))
		rc = db_open(&db, sweep.db_path, options->resume ? DB_WRITE : DB_CREATE, err);
	if (!rc && options->resume)
		rc = load_resumed(&sweep.resumed, &sweep.settings, db, call, err);
	if (rc)
		goto out;
	if (options->resume) {
		sweep.plan.resumed = &sweep.resumed;
		sweep.backend = sweep.resumed.backend;
	}
	rc = options->dry_run ? dry_run(call, &sweep, err) : execute(call, &sweep, &db, err);
out:
	db_close(db);
	text_release(&worker);
	sweep_plan_release(&sweep.plan);
	measure_settings_release(&sweep.settings);
	run_release(&sweep.resumed);
	return rc;
}

static const char *const cache_words[] = {"cold", "hot", NULL};

#define FIELD(name) offsetof(struct sweep_options, name)

static const struct option_row rows[] = {
	{"block-sizes", 'b', OPTION_TEXT, FIELD(block_sizes), "VALUES",
	 "threads in a block: 64..1024 doubles, 64..1024:+32 steps, 64,96,128 lists", NULL, 0},
	{"size", 'n', OPTION_TEXT, FIELD(size), "VALUES",
	 "the axis n: 2^24, 16Mi, or several values", NULL, 0},
	{"set", 's', OPTION_LIST, FIELD(sets), "NAME=VALUES",
	 "values of any other axis; repeatable", NULL, 0},
	{"metrics", 'm', OPTION_LIST, FIELD(metrics), "SET|NAME,...",
	 "counters to read: sets, catalogue names, CUPTI names, or none (default: core)", NULL, 0},
	{"label", 'l', OPTION_TEXT, FIELD(label), "TEXT", "a name for the run", NULL, 0},
	{"note", 0, OPTION_TEXT, FIELD(note), "TEXT", "a remark that is kept with the run", NULL,
	 0},
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"seed", 0, OPTION_SEED, FIELD(seed), "NUMBER",
	 "seed of the inputs and of the order of cases", NULL, 0},
	{"min-samples", 0, OPTION_COUNT, FIELD(min_samples), "NUMBER",
	 "samples that each case gets at least", NULL, 1},
	{"max-time", 0, OPTION_DURATION, FIELD(max_time_ns), "TIME",
	 "device time for timing one case, over all rounds: 500ms, 2s", NULL, 0},
	{"precision", 0, OPTION_RATIO, FIELD(precision), "RATIO",
	 "stop when the median is known to this: 0.5%, 0.005", NULL, 0},
	{"cache", 0, OPTION_CHOICE, FIELD(cache), "MODE",
	 "second-level cache before each sample: flushed or as it is", cache_words, 0},
	{"rounds", 0, OPTION_COUNT, FIELD(rounds), "NUMBER",
	 "times that all is measured, each in a fresh worker", NULL, 1},
	{"timeout", 0, OPTION_DURATION, FIELD(timeout_ns), "TIME",
	 "end a case when one phase of it takes longer", NULL, 0},
	{"device", 'd', OPTION_COUNT, FIELD(device), "NUMBER",
	 "the device, as perflab list devices counts", NULL, 0},
	{"dry-run", 0, OPTION_FLAG, FIELD(dry_run), NULL,
	 "print the plan and why cases are skipped; measure nothing", NULL, 0},
	{"resume", 'r', OPTION_TEXT, FIELD(resume), "RUN",
	 "go on with a run that was interrupted; finished cases are not repeated", NULL, 0},
	{"backend", 0, OPTION_TEXT, FIELD(backend), "NAME",
	 "what executes: perflab-worker-NAME is started", NULL, 0},
	{"format", 'f', OPTION_CHOICE, FIELD(format), "FORMAT", "format of the report at the end",
	 report_format_words, 0},
	{"all-metrics", 'a', OPTION_FLAG, FIELD(all_metrics), NULL,
	 "a column for every counter in that report", NULL, 0},
	{"counter-dump", 0, OPTION_TEXT, FIELD(counter_dump), "FOLDER",
	 "keep the raw counter-data images in FOLDER", NULL, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "no progress, only what went wrong", NULL,
	 0},
};

static const struct example examples[] = {
	{"perflab sweep --block-sizes 64..1024", "every kernel at five block sizes"},
	{"perflab sweep reduce/shuffle stream --size 2^20,2^24", "some kernels at two sizes"},
	{"perflab sweep reduce --metrics memory,dram_bytes_per_s --label nightly",
	 "chosen counters, and a name to find the run by"},
	{"perflab sweep --block-sizes 32..1024:+32 --dry-run", "only the plan"},
	{"perflab sweep --resume last", "go on after an interruption"},
};

const struct command command_sweep = {
	.name = "sweep",
	.summary = "run kernels over launch configurations and store what is measured",
	.operands = "[KERNEL[/VARIANT[/CONFIG]] ...]",
	.description =
		"Verifies every case against a CPU reference, times it until its median is known, "
		"reads hardware counters in a separate execution, and stores all of it. No kernel "
		"named means all but fault, whose variants go wrong on purpose; names take * and "
		"?.\n\n"
		"A case that cannot run here (a block that must be a power of two, too much shared "
		"memory) is skipped with its reason. A case that crashes or hangs is stored as "
		"such, and the sweep goes on. The report goes to standard output at the end, "
		"progress to standard error.\n\n"
		"The first interrupt (Ctrl-C) ends the sweep in good order, and --resume goes on "
		"with it.",
	.exit_status = "1 when a result was wrong, else 3 when a case failed for another reason; 4 "
		       "also when every case was skipped.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct sweep_options),
	.defaults = sweep_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_CASES,
	.operands_most = SIZE_MAX,
	.run = run_sweep,
};
