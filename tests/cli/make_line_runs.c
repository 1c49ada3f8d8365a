/*
 * Makes a database of two runs whose cases have profiles, "before" and "after", and of one,
 * "beside", that measured both versions of a case: make_line_runs FILE.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "db/db.h"
#include "metrics/against.h"

/* A case: the file of its line before and after, and what is counted in that line. */
struct made_version {
	const char *text;
	int64_t line, sectors, samples, varies;
	const char *launch;
	double time_ns;
};
struct made_case {
	const char *variant, *file;
	struct made_version versions[2];
};

static const struct made_case made_cases[] = {
	{"strided",
	 "saxpy.cu",
	 {{"void f()\n{\n\ty[i] = x[i];\n}\n", 3, 4096, 12, 0, "aa", 10000},
	  {"// f\nvoid f()\n{\n\ty[i] = x[32 * i];\n}\n", 4, 16384, 38, 0, "aa", 15000}}},
	{"quiet",
	 "quiet.cu",
	 {{"y[i] = x[i];\n", 1, 4096, 50, 0, "bb", 10000},
	  {"y[i] = x[i + 1];\n", 1, 5120, 50, 0, "bb", 10000}}},
	{"spin",
	 "spin.cu",
	 {{"while (flag) {}\n", 1, 1000, 50, 1, "cc", 10000},
	  {"while (flag) {}\n", 1, 9000, 50, 0, "cc", 10000}}},
	{"same",
	 "same.cu",
	 {{"y[i] = x[i];\n", 1, 4096, 10, 0, "dd", 10000},
	  {"// now\n\ny[i] = x[i];\n", 3, 4096, 90, 0, "dd", 10000}}},
	{"grid",
	 "grid.cu",
	 {{"y[i] = x[i];\n", 1, 4096, 50, 0, "ee", 10000},
	  {"y[i] = x[i];\n", 1, 8192, 50, 0, "ff", 10000}}},
};

struct line_runs {
	struct db *db;
	struct error err;
};

static struct run line_run(const char *label)
{
	struct run run = {.label = xstrdup(label),
			  .command = xstrdup("perflab sweep saxpy.cu --lines all"),
			  .backend = xstrdup("cuda"),
			  .version = xstrdup("0.1.0"),
			  .traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
			  .has_settings = true,
			  .settings_known = SETTINGS_ALL,
			  .settings = {.seed = 1, .rounds = 3},
			  .seed = 1,
			  .rounds = 3,
			  .started_ns = INT64_C(1763700000123456789),
			  .device = {.name = "Constructed GPU", .uuid = "GPU-none"}};

	return run;
}

static struct trial *add_line_trial(struct run *run, const struct made_case *of, int version,
				    const char *mark)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){.position = (int64_t)run->trial_count,
				.kernel = xstrdup("saxpy"),
				.variant = xasprintf("%s%s", of->variant, mark),
				.config = xstrdup("n=32768"),
				.axes = xcalloc(1, sizeof(*trial->axes)),
				.axis_count = 1,
				.facts = launch_facts_unknown};
	trial->axes[0] = (struct named_value){.name = "n", .value = 32768};
	snprintf(trial->launch_hash, sizeof(trial->launch_hash), "%s",
		 of->versions[version].launch);
	run->trial_count++;
	return trial;
}

static int store_line_round(struct line_runs *runs, int64_t trial_id, int number, double time_ns,
			    double base_ns)
{
	double times[20], base_times[20];
	struct round_result taken = {.round = number,
				     .state = {1.7e9, 3e9, 40, 400, 0},
				     .time_ns = times,
				     .count = ARRAY_SIZE(times),
				     .base_ns = base_ns > 0 ? base_times : NULL,
				     .same_buffers = base_ns > 0};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		times[i] = time_ns + number + (double)(i % 3);
		base_times[i] = base_ns + number + (double)(i % 3);
	}
	return db_round_add(runs->db, trial_id, &taken, &runs->err);
}

static int store_line_text(struct line_runs *runs, int64_t run_id, const char *file,
			   const char *text)
{
	char hash[HASH_TEXT_BYTES];
	int rc;

	hash_of(hash, text, strlen(text));
	rc = db_content_keep(runs->db, hash, text, strlen(text), &runs->err);
	return rc ? rc : db_run_file_set(runs->db, run_id, file, hash, NULL, &runs->err);
}

static int store_line_profile(struct line_runs *runs, int64_t run_id, int64_t trial_id,
			      const struct made_case *of, int version)
{
	const struct made_version *made = &of->versions[version];
	char *file = xasprintf("/%s/%s", version ? "now" : "then", of->file);
	struct profile *profile = profile_new();
	const int64_t function = (int64_t)profile_function_add(profile, "f", "");
	const int64_t frame = profile_frame_add(profile, file, made->line, NULL, -1);
	int rc = store_line_text(runs, run_id, file, made->text);

	for (int64_t pc = 0; pc < 32; pc += 16) {
		struct profile_instruction *instruction =
			profile_instruction_add(profile, function, pc);

		/* the second is the rest of the kernel, of which nothing is known */
		instruction->frame = pc ? -1 : frame;
		instruction->executed = 1024;
		instruction->lanes = 32768;
		instruction->requests = pc ? 0 : 1024;
		instruction->sectors = pc ? 0 : made->sectors;
		instruction->samples = pc ? 100 - made->samples : made->samples;
		instruction->first_samples = instruction->samples / 2;
		instruction->varies = pc ? 0 : made->varies;
	}
	for (int64_t i = 0; i < 2; i++) {
		struct profile_stall *stall = profile_stall_add(profile, i, "long_scoreboard");

		stall->samples = profile->instructions[i].samples;
		stall->not_issued = 0;
	}
	profile->samples = 100;
	if (!rc)
		rc = db_profile_set(runs->db, trial_id, profile, &runs->err);
	profile_free(profile);
	free(file);
	return rc;
}

static int store_line_trial(struct line_runs *runs, const struct run *run, size_t at,
			    const struct made_case *of, int version, bool beside)
{
	const int64_t id = run->trials[at].id;
	double base_ns = beside && version ? of->versions[0].time_ns : 0;
	int rc = 0;

	for (int round = 0; !rc && round < run->rounds; round++)
		rc = store_line_round(runs, id, round, of->versions[version].time_ns, base_ns);
	if (!rc)
		rc = store_line_profile(runs, run->id, id, of, version);
	return rc ? rc : db_trial_finish(runs->db, id, TRIAL_OK, NULL, NULL, &runs->err);
}

static int make_plain_run(struct line_runs *runs, const char *label, int version)
{
	struct run run = line_run(label);
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(made_cases); i++)
		add_line_trial(&run, &made_cases[i], version, "");
	rc = db_run_begin(runs->db, &run, &runs->err);
	for (size_t i = 0; !rc && i < run.trial_count; i++)
		rc = store_line_trial(runs, &run, i, &made_cases[i], version, false);
	if (!rc)
		rc = db_run_finish(runs->db, run.id, RUN_FINISHED, &runs->err);
	run_release(&run);
	return rc;
}

/* As perflab sweep --against stores it: the launches have names of their own. */
static int make_beside_run(struct line_runs *runs)
{
	struct run run = line_run("beside");
	struct trial *now;
	int rc;

	key_value_set(&run.environment, AGAINST_WORD_KEY, "main");
	key_value_set(&run.environment, AGAINST_COMMIT_KEY, "1a2b3c4d");
	run.settings.base_variant = xstrdup("@1a2b3c4d");
	add_line_trial(&run, &made_cases[0], 0, "@1a2b3c4d");
	now = add_line_trial(&run, &made_cases[0], 1, "");
	now->speedup.base_variant = xstrdup("strided@1a2b3c4d");
	now->speedup.base_config = xstrdup("n=32768");
	snprintf(now->launch_hash, sizeof(now->launch_hash), "other");
	rc = db_run_begin(runs->db, &run, &runs->err);
	for (int version = 0; !rc && version < 2; version++)
		rc = store_line_trial(runs, &run, (size_t)version, &made_cases[0], version, true);
	if (!rc)
		rc = db_run_finish(runs->db, run.id, RUN_FINISHED, &runs->err);
	run_release(&run);
	return rc;
}

int main(int argc, char **argv)
{
	struct line_runs runs = {0};
	int rc = argc == 2 ? db_open(&runs.db, argv[1], DB_CREATE, &runs.err) : PL_EUSAGE;

	if (!rc)
		rc = make_plain_run(&runs, "before", 0);
	if (!rc)
		rc = make_plain_run(&runs, "after", 1);
	if (!rc)
		rc = make_beside_run(&runs);
	db_close(runs.db);
	if (rc)
		fprintf(stderr, "make_line_runs: %s\n", runs.err.text);
	return rc ? 1 : 0;
}
