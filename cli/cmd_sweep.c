/*
 * perflab sweep: plans, runs and stores. The order matters: what is wrong
 * with the request is said first, then what is wrong with the database, and
 * only then is a device touched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep.h"
#include "metrics/settings.h"

static void sweep_defaults(void *context)
{
	struct sweep_options *options = context;

	options->backend = BACKEND_AUTO;
	options->seed = measure_settings_default.seed;
	options->min_samples = measure_settings_default.min_samples;
	options->max_time_ns = measure_settings_default.max_time_ns;
	options->rounds = measure_settings_default.rounds;
	options->timeout_ns = measure_settings_default.timeout_ns;
	options->device = measure_settings_default.device;
	options->precision = measure_settings_default.precision;
	options->cache = (int)measure_settings_default.cache;
	ceilings_when_default(&options->ceilings, NULL); /* another word is refused later */
}

/* ---- resuming ---- */

/* What a resumed run was begun with, it goes on with. */
static int check_resume_options(const struct invocation *call, struct error *err)
{
	static const char *const free_options[] = {"resume",      "db",      "device",
						   "timeout",     "quiet",   "format",
						   "all-metrics", "dry-run", "jobs"};

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
	rc = measure_settings_from_json(settings, run->settings_json ? run->settings_json : "",
					err);
	if (rc)
		return error_context(err, rc, "settings of run %lld", (long long)id);
	if (option_given(call, "device"))
		settings->device = (int)options->device;
	if (option_given(call, "timeout"))
		settings->timeout_ns = options->timeout_ns;
	if (option_given(call, "jobs"))
		settings->jobs = (int)options->jobs;
	return 0;
}

/* ---- the verb ---- */

/* Finds what is wrong with the words before anything is opened. */
static int prepare_fresh(struct sweep_call *sweep, struct error *err)
{
	struct plan *plan;
	int rc = backend_choose(&sweep->choice, sweep->call, err);

	if (!rc && !option_given(sweep->call, "ceilings"))
		rc = ceilings_when_default(&(int){0}, err);
	if (!rc)
		rc = sweep_request_settings(&sweep->settings, sweep->options,
					    sweep->choice.names[0], err);
	if (!rc)
		rc = sweep_request_plan(&sweep->plan, sweep->call, err);
	if (!rc)
		rc = sweep_plan_build(&sweep->plan, NULL, &plan, err);
	return rc;
}

bool sweep_database_is_new(const char *path)
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
	struct sweep_call sweep = {.options = options, .call = call};
	struct db *db = NULL;
	int rc;

	sweep.db_path = options->db ? options->db : db_default_path();
	progress_init(&sweep.progress, &call->terminal, options->quiet);
	rc = options->resume ? check_resume_options(call, err) : prepare_fresh(&sweep, err);
	if (rc)
		goto out;
	if (options->dry_run && !options->resume) {
		rc = sweep_dry_run_anywhere(call, &sweep, err);
		goto out;
	}
	rc = options->resume ? 0 : backend_choice_find(&sweep.choice, err);
	if (!rc && (options->resume || !sweep_database_is_new(sweep.db_path)))
		rc = db_open(&db, sweep.db_path, options->resume ? DB_WRITE : DB_CREATE, err);
	if (!rc && options->resume)
		rc = load_resumed(&sweep.resumed, &sweep.settings, db, call, err);
	if (rc)
		goto out;
	if (options->resume) {
		sweep.plan.resumed = &sweep.resumed;
		sweep.choice.names[sweep.choice.count++] = sweep.resumed.backend;
	}
	rc = sweep_try_backends(call, &sweep, &db, err);
out:
	db_close(db);
	backend_choice_release(&sweep.choice);
	sweep_plan_release(&sweep.plan);
	measure_settings_release(&sweep.settings);
	run_release(&sweep.resumed);
	return rc;
}

static const char *const cache_words[] = {"cold", "hot", NULL};
static const char *const block_words[] = {"auto", "all", NULL}; /* SWEEP_BLOCKS_ALL */

#define FIELD(name) offsetof(struct sweep_options, name)

static const struct option_row rows[] = {
	{"block-sizes", 'b', OPTION_TEXT, FIELD(block_sizes), "VALUES",
	 "threads in a block: 64..1024 doubles, 64..1024:+32 steps, 64,96,128 lists", NULL, 0},
	{"size", 'n', OPTION_TEXT, FIELD(size), "VALUES",
	 "the axis n: 2^24, 16Mi, or several values; small: what each kernel does whole in "
	 "moments, "
	 "without a GPU, too",
	 NULL, 0},
	{"set", 's', OPTION_LIST, FIELD(sets), "NAME=VALUES",
	 "values of any other axis; repeatable", NULL, 0},
	{"metrics", 'm', OPTION_LIST, FIELD(metrics), "SET|NAME,...",
	 "counters to read: sets, catalogue names, CUPTI names, or none (default: core; ptx: all "
	 "that it counts)",
	 NULL, 0},
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
	{"ceilings", 0, OPTION_CHOICE, FIELD(ceilings), "WHEN",
	 "measure the device's ceilings first: auto is when the database has none of it",
	 ceilings_when_words, 0},
	{"rounds", 0, OPTION_COUNT, FIELD(rounds), "NUMBER",
	 "times that all is measured, each in a fresh worker", NULL, 1},
	{"timeout", 0, OPTION_DURATION, FIELD(timeout_ns), "TIME",
	 "end a case when one phase of it takes longer", NULL, 0},
	{"device", 'd', OPTION_COUNT, FIELD(device), "NUMBER",
	 "the device, as perflab list devices counts", NULL, 0},
	{"shard", 0, OPTION_TEXT, FIELD(shard), "I/N",
	 "measure part I of N of the plan; perflab merge makes one run of all parts", NULL, 0},
	{"sweep-id", 0, OPTION_TEXT, FIELD(sweep_id), "TEXT",
	 "name of the sweep that the shards are of (default: $SLURM_ARRAY_JOB_ID, if it is set)",
	 NULL, 0},
	{"dry-run", 0, OPTION_FLAG, FIELD(dry_run), NULL,
	 "print the plan and why cases are skipped; measure nothing", NULL, 0},
	{"resume", 'r', OPTION_TEXT, FIELD(resume), "RUN",
	 "go on with a run that was interrupted; finished cases are not repeated", NULL, 0},
	{"backend", 0, OPTION_TEXT, FIELD(backend), "auto|cuda|ptx",
	 "what executes: a GPU; an emulator of PTX, which counts and measures no time; or "
	 "whichever is here",
	 NULL, 0},
	{"chip", 0, OPTION_TEXT, FIELD(chip), "CHIP",
	 "ptx: the chip whose limits the occupancy is for, such as GA100", NULL, 0},
	{"blocks", 0, OPTION_CHOICE, FIELD(blocks), "auto|all",
	 "ptx: a large case may be counted on some of its blocks, or runs whole", block_words, 0},
	{"jobs", 'j', OPTION_COUNT, FIELD(jobs), "NUMBER",
	 "ptx: cases at a time; 0 is one a processor", NULL, 0},
	{"format", 'f', OPTION_CHOICE, FIELD(format), "FORMAT", "format of the report at the end",
	 table_format_words, 0},
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
	{"perflab sweep reduce --backend ptx --size 2^20", "results and counts, without a GPU"},
	{"perflab sweep --shard 2/8 --sweep-id nightly-7 --db 2.db",
	 "one of eight jobs that share a sweep: perflab merge joins their runs"},
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
		"Where no GPU can be used the backend ptx takes its place: it executes the "
		"kernels' "
		"PTX on the processor, several cases side by side, checks results and memory "
		"accesses, and counts instructions, divergence and accesses under names of their "
		"own (ptx_...). It measures no time.\n\n"
		"Before the first sweep on a GPU its ceilings are measured, what it can do at "
		"most, "
		"and stored as a run of their own: see perflab ceilings. --ceilings or "
		"$PERFLAB_CEILINGS says otherwise.\n\n"
		"The first interrupt (Ctrl-C) ends the sweep in good order, and --resume goes on "
		"with it.",
	.exit_status = "1 when a result was wrong or a kernel in error, else 3 when a case failed "
		       "for another reason; 4 "
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
