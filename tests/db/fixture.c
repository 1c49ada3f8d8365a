/*
 * A run that uses every feature of the schema.
 */
#include "fixture.h"

#include "base/hash.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct trial fixture_trial(int64_t position, const char *kernel, const char *variant,
				  int64_t block, int64_t n)
{
	struct trial trial = {
		.position = position,
		.kernel = xstrdup(kernel),
		.variant = xstrdup(variant),
		.config = xasprintf("block=%lld,n=%lld", (long long)block, (long long)n),
		.axes = xcalloc(2, sizeof(*trial.axes)),
		.axis_count = 2,
	};

	trial.axes[0] = (struct named_value){.name = "block", .value = block};
	trial.axes[1] = (struct named_value){.name = "n", .value = n};
	return trial;
}

static void set_work(struct trial *trial, int64_t flop, int64_t bytes_read, int64_t bytes_written)
{
	trial->has_work = true;
	trial->flop = flop;
	trial->bytes_read = bytes_read;
	trial->bytes_written = bytes_written;
}

struct run fixture_run(const char *label)
{
	struct run run = {
		.label = label ? xstrdup(label) : NULL,
		.note = xstrdup("after the driver's update; 'quoted' and \"quoted\""),
		.command = xstrdup("perflab sweep reduce --block-sizes 64..1024"),
		.backend = xstrdup("cuda"),
		.version = xstrdup("0.1.0"),
		.source_revision = xstrdup("c51c0df"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_settings = true,
		.settings_known = SETTINGS_ALL,
		.settings = {.device = 1,
			     .seed = UINT64_C(0xfedcba9876543210),
			     .cache = CACHE_COLD,
			     .min_samples = 20,
			     .max_time_ns = 500000000,
			     .precision = 0.0025,
			     .rounds = 3,
			     .placements = 5,
			     .timeout_ns = INT64_C(60000000000),
			     .chip = xstrdup("GA100"),
			     .all_blocks = true,
			     .jobs = 2,
			     .counter_dump = xstrdup("images"),
			     .base_variant = xstrdup("sequential")},
		.seed = UINT64_C(0xfedcba9876543210),
		.rounds = 3,
		.started_ns = INT64_C(1763700000123456789),
		.device = {.name = "NVIDIA H200",
			   .uuid = "GPU-0b1c",
			   .chip = "GH100",
			   .cc_major = 9,
			   .cc_minor = 0,
			   .sm_count = 132,
			   .max_threads_per_sm = 2048,
			   .max_threads_per_block = 1024,
			   .max_blocks_per_sm = 32,
			   .registers_per_sm = 65536,
			   .shared_bytes_per_sm = 233472,
			   .shared_bytes_per_block = 49152,
			   .l2_bytes = 62914560,
			   .memory_bytes = INT64_C(150000000000),
			   .sm_clock_max_hz = 1980000000,
			   .memory_clock_max_hz = 3201000000,
			   .memory_bus_bits = 6144,
			   .driver = "580.159.04",
			   .cuda_driver = "13.0",
			   .toolkit = "13.0",
			   .cupti = "13.0.1"},
		.trials = xcalloc(FIXTURE_TRIALS, sizeof(*run.trials)),
		.trial_count = FIXTURE_TRIALS,
	};

	string_list_add(&run.settings.metrics, "dram_read_bytes");
	string_list_add(&run.settings.metrics, "sm__inst_executed.sum");
	key_value_set(&run.environment, "hostname", "bench-01");
	key_value_set(&run.environment, "persistence_mode", "on");
	run.trials[FIXTURE_OK] = fixture_trial(0, "reduce", "shuffle", 256, 1 << 24);
	set_work(&run.trials[FIXTURE_OK], (1 << 24) - 1, 4 << 24, 4);
	snprintf(run.trials[FIXTURE_OK].launch_hash, sizeof(run.trials[FIXTURE_OK].launch_hash),
		 "fedcba9876543210");
	run.trials[FIXTURE_BARE] = fixture_trial(1, "reduce", "shuffle", 512, 1 << 24);
	run.trials[FIXTURE_SKIPPED] = fixture_trial(2, "reduce", "shuffle", 96, 1 << 24);
	run.trials[FIXTURE_SKIPPED].status = TRIAL_SKIPPED;
	run.trials[FIXTURE_SKIPPED].reason = xstrdup("block is not a power of two");
	run.trials[FIXTURE_PENDING] = fixture_trial(3, "stream", "copy", 256, 1 << 20);
	/* its base case is in another shard */
	run.trials[FIXTURE_OK].speedup.base_variant = xstrdup("sequential");
	run.trials[FIXTURE_OK].speedup.base_config = xstrdup("block=256,n=16777216");
	run.trials[FIXTURE_BARE].speedup.base_variant = xstrdup("sequential");
	run.trials[FIXTURE_BARE].speedup.why = xstrdup("sequential has no case with block=512");
	return run;
}

void fixture_emulate(struct run *run)
{
	free(run->backend);
	run->backend = xstrdup("ptx");
	run->traits = (struct backend_traits){.emulated = true, .warp_size = 32};
}

struct round_result fixture_round(int round, size_t count)
{
	struct round_result result = {
		.round = round,
		.state = {.sm_clock_hz = 1.98e9,
			  .memory_clock_hz = NAN,
			  .temperature_c = 41,
			  .power_w = NAN,
			  .throttle_reasons = round ? -1 : 4},
		.time_ns = xcalloc(count + 1, sizeof(*result.time_ns)),
		.count = count,
		.placements = 4 + round,
	};

	for (size_t i = 0; i < count; i++)
		result.time_ns[i] = 1000.0 * (round + 1) + (double)i;
	return result;
}

void fixture_round_pair(struct round_result *round, double factor)
{
	round->base_ns = xcalloc(round->count + 1, sizeof(*round->base_ns));
	round->same_buffers = true;
	for (size_t i = 0; i < round->count; i++)
		round->base_ns[i] = factor * round->time_ns[i];
}

void fixture_round_release(struct round_result *round)
{
	free(round->time_ns);
	free(round->base_ns);
	*round = (struct round_result){0};
}

static int store_round(struct db *db, int64_t trial_id, int number, struct error *err)
{
	struct round_result round = fixture_round(number, 10);
	int rc;

	fixture_round_pair(&round, number ? 1.26 : 1.25);
	rc = db_round_add(db, trial_id, &round, err);

	fixture_round_release(&round);
	return rc;
}

static int store_counters(struct db *db, int64_t trial_id, struct error *err)
{
	struct counter_list counters = {0};
	int rc;

	counter_list_set(&counters, "dram_read_bytes", "byte", "dram__bytes_read.sum", 67108864);
	counter_list_set(&counters, "achieved_occupancy_pct", "percent",
			 "sm__warps_active.avg.pct_of_peak_sustained_active", 93.5);
	counter_list_set_missing(&counters, "branch_efficiency_pct", "percent",
				 "derived: 100 * uniform / all", "the kernel has no branches");
	rc = db_counters_set(db, trial_id, &counters, err);
	counter_list_release(&counters);
	return rc;
}

static int store_speedups(struct db *db, struct run *run, struct error *err)
{
	struct trial_speedup *speedup = &run->trials[FIXTURE_OK].speedup;

	speedup->verdict = SPEEDUP_FASTER;
	speedup->speedup = 1.255;
	speedup->low = 1.25;
	speedup->high = 1.26;
	speedup->p = 1e-6;
	speedup->base_median_ns = 1887.5;
	speedup->rounds = 2;
	speedup->same_buffers = 1;
	speedup = &run->trials[FIXTURE_BARE].speedup;
	speedup->speedup = speedup->low = speedup->high = speedup->p = NAN;
	speedup->base_median_ns = NAN;
	speedup->same_buffers = -1;
	return db_speedups_store(db, run, err);
}

int fixture_store(struct db *db, struct run *run, struct error *err)
{
	const struct launch_facts facts = {
		.registers_per_thread = 32,
		.shared_static_bytes = 128,
		.shared_dynamic_bytes = 0,
		.local_bytes_per_thread = 0,
		.theoretical_occupancy_pct = 100,
		.occupancy_limiter = "warps",
		.code_hash = "0123456789abcdef",
		.code_kind = "cubin sm_90",
	};
	int64_t ok;
	int rc = db_run_begin(db, run, err);

	if (rc)
		return rc;
	ok = run->trials[FIXTURE_OK].id;
	rc = db_trial_facts(db, ok, &facts, err);
	for (int round = 0; !rc && round < 2; round++)
		rc = store_round(db, ok, round, err);
	if (!rc)
		rc = store_counters(db, ok, err);
	if (!rc)
		rc = db_trial_finish(db, ok, TRIAL_OK, NULL, NULL, err);
	if (!rc)
		rc = store_round(db, run->trials[FIXTURE_BARE].id, 0, err);
	if (!rc)
		rc = db_trial_finish(db, run->trials[FIXTURE_BARE].id, TRIAL_TIMEOUT,
				     "ran longer than 2 s", NULL, err);
	/* as if it had been judged */
	run->trials[FIXTURE_OK].summary.session_low_ns = 1000;
	run->trials[FIXTURE_OK].summary.session_high_ns = 2009.5;
	if (!rc)
		rc = db_session_intervals_store(db, run, err);
	if (!rc)
		rc = store_speedups(db, run, err);
	if (!rc)
		rc = db_run_finish(db, run->id, RUN_FINISHED, err);
	return rc;
}

/* ---- a profile ---- */

static struct profile_instruction *add_instruction(struct profile *profile, int64_t function,
						   int64_t pc, int64_t frame, int64_t executed,
						   int64_t lanes)
{
	struct profile_instruction *added = profile_instruction_add(profile, function, pc);

	added->frame = frame;
	added->executed = executed;
	added->lanes = lanes;
	return added;
}

static void add_samples(struct profile *profile, struct profile_instruction *instruction,
			const char *reason, int64_t samples, int64_t not_issued)
{
	struct profile_stall *stall =
		profile_stall_add(profile, instruction - profile->instructions, reason);

	stall->samples = samples;
	stall->not_issued = not_issued;
	instruction->samples = (instruction->samples < 0 ? 0 : instruction->samples) + samples;
	instruction->first_samples = instruction->samples / 2;
	profile->samples = (profile->samples < 0 ? 0 : profile->samples) + samples;
}

static void set_accesses(struct profile_instruction *instruction, int64_t requests, int64_t sectors,
			 int64_t ideal_sectors, int64_t varies)
{
	instruction->requests = requests;
	instruction->sectors = sectors;
	instruction->ideal_sectors = ideal_sectors;
	instruction->varies = varies;
}

struct profile *fixture_profile(void)
{
	struct profile *profile = profile_new();
	const int64_t load = profile_frame_add(profile, "a.cu", 7, NULL, -1);
	const int64_t call = profile_frame_add(profile, "a.cu", 9, NULL, -1);
	const int64_t outer = profile_frame_add(profile, "b.cuh", 3, "_Z5outerv", call);
	const int64_t inner = profile_frame_add(profile, "c.cuh", 1, "_Z5innerv", outer);
	struct profile_instruction *added;
	char code[HASH_TEXT_BYTES];

	hash_of(code, FIXTURE_CODE, strlen(FIXTURE_CODE));
	profile_function_add(profile, "_Z6kernelPf", code);
	profile_function_add(profile, "memset", "");
	profile->period_cycles = 512;
	profile->launches = 4;
	profile->dropped = profile->buffer_full = 0;
	added = add_instruction(profile, 0, 0, load, 10, 320);
	set_accesses(added, 10, 40, 40, 0);
	add_samples(profile, added, "long_scoreboard", 20, 10);
	add_samples(profile, added, "wait", 10, 0);
	added = add_instruction(profile, 0, 16, inner, 10, 160);
	set_accesses(added, 10, 160, 40, 1);
	add_samples(profile, added, "long_scoreboard", 60, 60);
	add_instruction(profile, 0, 32, load, 10, 0); /* an exit that no lane takes */
	added = add_instruction(profile, 1, 0, -1, -1, -1);
	add_samples(profile, added, "wait", 10, 4);
	profile->frames[load].samples = 30;
	profile->frames[load].share = 0.3;
	profile->frames[load].low = 0.25;
	profile->frames[load].high = 0.35;
	profile->frames[inner].samples = 60;
	profile->frames[inner].share = 0.6;
	return profile;
}

char *fixture_folder(void)
{
	const char *parent = getenv("TMPDIR");
	char *folder = xasprintf("%s/perflab-test-db-XXXXXX", parent && *parent ? parent : "/tmp");

	if (!mkdtemp(folder) || chmod(folder, 0755)) {
		perror(folder);
		abort();
	}
	return folder;
}

void fixture_folder_remove(char *folder)
{
	DIR *stream = opendir(folder);

	if (stream) {
		for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
			unlinkat(dirfd(stream), entry->d_name, 0);
		closedir(stream);
	}
	rmdir(folder);
	free(folder);
}

struct recording fixture_recording(void)
{
	struct recording recording;

	recording_init(&recording);
	recording.lists = true;
	recording.command = xstrdup("./train --steps 3");
	recording.started_ns = INT64_C(1795229445000000000);
	recording.wall_ns = 4000000000;
	recording.bare_wall_ns = 3900000000;
	recording.exit_code = 0;
	recording.label = xstrdup("step");
	recording.host = xstrdup("bench-01");
	recording.version = xstrdup("0.1.0");
	*recording_process(&recording, 12) = (struct recorded_process){
		12, xstrdup("./train --steps 3"), NULL, 12, 1, 70000, 3500000000};
	for (int i = 0; i < 3; i++) {
		struct recorded_kernel *kernel = recording_add_kernel(&recording, 12);

		kernel->name = xstrdup(i == 2 ? "saxpy" : "_Z7softmaxPf");
		kernel->readable = xstrdup(i == 2 ? "saxpy" : "softmax(float*)");
		kernel->device = xstrdup("NVIDIA H200");
		kernel->uuid = xstrdup("GPU-1");
		for (int k = 0; k < 3; k++) {
			kernel->grid[k] = i + k + 1;
			kernel->block[k] = 32 >> k;
		}
		kernel->shared_bytes = 128;
		kernel->registers = 40;
		kernel->launches = 4;
		kernel->graph_launches = i;
		kernel->total_ns = 1000 * (i + 1);
		kernel->median_ns = 250 * (i + 1);
		kernel->min_ns = 200;
		kernel->max_ns = 400 * (i + 1);
	}
	*recording_add_capture(&recording, 12) =
		(struct recorded_capture){12,
					  xstrdup("/tmp/softmax.capture"),
					  xstrdup("_Z7softmaxPf"),
					  xstrdup("softmax(float*)"),
					  3,
					  88080384,
					  22334668,
					  0.125,
					  xstrdup("a texture")};
	return recording;
}
