#include "lab_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "metrics/analysis/line_shares.h"
#include "metrics/profile.h"

#define HOSTILE                                                                                   \
	"</script><script>throw 1</script><img src=x onerror=alert(1)>\xe2\x80\xa8\xff \x1b[31m " \
	"\"'&amp;"
#define INSTRUCTION_BYTES 16

/* ---- profiles ---- */

/* Executions of an instruction by warps, and what of them is wasted. */
struct lab_cost {
	int64_t executed, lanes_each, sectors, ideal_sectors, wavefronts, ideal_wavefronts;
};

static struct profile_instruction *lab_instruction(struct profile *profile, int64_t frame)
{
	const int64_t count = (int64_t)profile->instruction_count;
	const int64_t function = (int64_t)profile->function_count - 1;
	const struct profile_instruction *last = count ? &profile->instructions[count - 1] : NULL;
	struct profile_instruction *added = profile_instruction_add(
		profile, function,
		last && last->function == function ? last->pc + INSTRUCTION_BYTES : 0);

	added->frame = frame;
	return added;
}

static void lab_counted(struct profile *profile, const struct lab_cost *cost)
{
	struct profile_instruction *last = &profile->instructions[profile->instruction_count - 1];

	last->executed = cost->executed;
	last->lanes = cost->executed * cost->lanes_each;
	last->requests = cost->sectors ? cost->executed : 0;
	last->sectors = cost->sectors;
	last->ideal_sectors = cost->ideal_sectors;
	last->local_sectors = 0;
	last->shared_requests = cost->wavefronts ? cost->executed : 0;
	last->wavefronts = cost->wavefronts;
	last->ideal_wavefronts = cost->ideal_wavefronts;
	last->branches = last->divergent = 0;
	last->varies = 0;
}

/* Samples of the last instruction; reasons ascend. */
static void lab_sampled(struct profile *profile, const char *reason, int64_t samples)
{
	struct profile_instruction *last = &profile->instructions[profile->instruction_count - 1];
	struct profile_stall *stall =
		profile_stall_add(profile, (int64_t)profile->instruction_count - 1, reason);

	stall->samples = samples;
	stall->not_issued = strcmp(reason, "selected") == 0 ? 0 : samples / 2;
	last->samples = (last->samples < 0 ? 0 : last->samples) + samples;
	last->first_samples = last->samples / 2;
}

static struct profile *lab_profile_new(const char *function)
{
	struct profile *profile = profile_new();

	profile->period_cycles = 2048;
	profile->launches = 12;
	profile->samples = profile->dropped = profile->buffer_full = 0;
	profile_function_add(profile, function, "");
	return profile;
}

static void lab_profile_end(struct profile *profile)
{
	for (size_t i = 0; i < profile->instruction_count && profile->samples >= 0; i++)
		if (profile->instructions[i].samples > 0)
			profile->samples += profile->instructions[i].samples;
	line_shares(profile);
}

/* ---- source text ---- */

static int lab_text_keep(struct db *db, int64_t run_id, const char *file, const char *text,
			 struct error *err)
{
	char hash[HASH_TEXT_BYTES];
	int rc;

	hash_of(hash, text, strlen(text));
	rc = db_content_keep(db, hash, text, strlen(text), err);
	return rc ? rc : db_run_file_set(db, run_id, file, hash, NULL, err);
}

static int lab_texts_keep(struct db *db, int64_t run_id, struct error *err)
{
	static const char header[] =
		"__device__ float block_sum(float x)\n{\n\treturn warp_sum(x);\n}\n"
		"__device__ float warp_sum(float x)\n{\n\treturn x + __shfl(x);\n}\n";
	struct text kernel = TEXT_INIT;
	int rc;

	for (int line = 1; line <= 40; line++)
		text_addf(&kernel,
			  line == 20   ? "\tfloat total = block_sum(x[i]);\n"
			  : line == 21 ? "\tout[i * 32] = total;\n"
				       : "\t// line %d\n",
			  line);
	rc = lab_text_keep(db, run_id, "kernels/lab/sum.cu", kernel.data, err);
	text_release(&kernel);
	/* a compiler can name a file in two ways */
	if (!rc)
		rc = lab_text_keep(db, run_id, "kernels/lab/sum.cuh", header, err);
	if (!rc)
		rc = lab_text_keep(db, run_id, "./kernels/lab/sum.cuh", header, err);
	if (!rc)
		rc = lab_text_keep(db, run_id, HOSTILE ".cu", "int a; // " HOSTILE "\nint b;\n",
				   err);
	return rc ? rc
		  : db_run_file_set(db, run_id, "kernels/lab/lost.cu", NULL, "was not found", err);
}

/* ---- cases ---- */

/* 400 samples: 100 at line 20 itself, 60 and 140 in what was inlined into it, 100 at line 21. */
static struct profile *lab_inlined(bool counted)
{
	static const struct lab_cost plain = {.executed = 1000, .lanes_each = 32};
	static const struct lab_cost half = {1000, 16, 32000, 8000, 0, 0};
	static const struct lab_cost conflicts = {1000, 32, 0, 0, 32000, 1000};
	static const struct lab_cost *const costs[] = {&plain, &plain, &conflicts, &half};
	static const int64_t waits[] = {90, 50, 130, 80};
	struct profile *profile = lab_profile_new("_Z3sumPf");
	const int64_t call = profile_frame_add(profile, "kernels/lab/sum.cu", 20, NULL, -1);
	const int64_t outer =
		profile_frame_add(profile, "kernels/lab/sum.cuh", 3, "_Z9block_sumf", call);
	const int64_t frames[] = {
		call, outer,
		profile_frame_add(profile, "./kernels/lab/sum.cuh", 7, "_Z8warp_sumf", outer),
		profile_frame_add(profile, "kernels/lab/sum.cu", 21, NULL, -1)};

	for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
		lab_instruction(profile, frames[i]);
		if (counted)
			lab_counted(profile, costs[i]);
		lab_sampled(profile, i == 2 ? "barrier" : "long_scoreboard", waits[i]);
		lab_sampled(profile, "selected", i == 3 ? 20 : 10);
	}
	return profile;
}

static struct profile *lab_in_file(const char *function, const char *file, int64_t line)
{
	struct profile *profile = lab_profile_new(function);

	lab_instruction(profile, profile_frame_add(profile, file, line, function, -1));
	lab_sampled(profile, "math_pipe_throttle", 75);
	lab_instruction(profile, profile_frame_add(profile, file, line + 1, function, -1));
	lab_sampled(profile, "wait", 25);
	return profile;
}

static struct profile *lab_without_positions(void)
{
	char long_name[501];
	struct profile *profile = lab_profile_new("_Z5firstPf");

	memset(long_name, 'f', 500);
	long_name[500] = '\0';
	for (int64_t i = 0; i < 120; i++) {
		if (i == 60)
			profile_function_add(profile, long_name, "");
		lab_instruction(profile, -1);
		lab_sampled(profile, "long_scoreboard", 1 + i % 7);
	}
	return profile;
}

static struct profile *lab_without_samples(void)
{
	static const struct lab_cost once = {.executed = 1000, .lanes_each = 32};
	static const struct lab_cost often = {.executed = 3000, .lanes_each = 32};
	struct profile *profile = lab_profile_new("_Z3sumPf");

	profile->samples = profile->launches = profile->period_cycles = -1;
	profile->dropped = profile->buffer_full = -1;
	profile->why_no_samples = xstrdup("the driver gives no samples to this user");
	lab_instruction(profile, profile_frame_add(profile, "kernels/lab/sum.cu", 5, NULL, -1));
	lab_counted(profile, &once);
	lab_instruction(profile, profile_frame_add(profile, "kernels/lab/sum.cu", 6, NULL, -1));
	lab_counted(profile, &often);
	return profile;
}

static struct profile *lab_profile_of(enum lab_profile what)
{
	struct profile *profile;

	switch (what) {
	case LAB_NO_TEXT:
		return lab_in_file("_Z4lostPf", "kernels/lab/lost.cu", 7);
	case LAB_NO_POSITIONS:
		return lab_without_positions();
	case LAB_NO_SAMPLES:
		return lab_without_samples();
	case LAB_HOSTILE:
		return lab_in_file(HOSTILE, HOSTILE ".cu", 1);
	case LAB_NO_COUNTS:
		profile = lab_inlined(false);
		profile->why_no_counts = xstrdup("it uses a library loaded them");
		profile->dropped = 17;
		profile->buffer_full = 1;
		return profile;
	default:
		return lab_inlined(true);
	}
}

int lab_lines_store(struct db *db, int64_t run_id, int64_t trial_id, enum lab_profile what,
		    struct error *err)
{
	struct profile *profile;
	int rc = lab_texts_keep(db, run_id, err);

	if (rc || what == LAB_NO_PROFILE)
		return rc;
	profile = lab_profile_of(what);
	lab_profile_end(profile);
	rc = db_profile_set(db, trial_id, profile, err);
	profile_free(profile);
	return rc;
}

static int lab_long_text_keep(struct db *db, int64_t run_id, int64_t lines, struct error *err)
{
	struct text text = TEXT_INIT;
	int rc;

	for (int64_t line = 1; line <= lines; line++)
		text_addf(&text, "\tsum_%lld += weights[%lld] * values[i + %lld * stride];\n",
			  (long long)line, (long long)(line % 64), (long long)line);
	rc = lab_text_keep(db, run_id, "kernels/lab/long.cu", text.data, err);
	text_release(&text);
	return rc;
}

int lab_long_lines_store(struct db *db, int64_t run_id, int64_t trial_id, int64_t lines,
			 int64_t every, int64_t first, struct error *err)
{
	static const struct lab_cost costs[] = {{.executed = 131072, .lanes_each = 32},
						{131072, 32, 2097152, 524288, 0, 0},
						{131072, 17, 0, 0, 262144, 131072}};
	const int64_t loop = 20; /* lines that are executed equally often */
	struct profile *profile = lab_profile_new("_Z4longPf");
	int rc = lab_long_text_keep(db, run_id, lines, err);

	for (int64_t line = first; line <= lines; line += every) {
		const int64_t frame =
			profile_frame_add(profile, "kernels/lab/long.cu", line, NULL, -1);

		for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
			struct lab_cost cost = costs[i];

			cost.executed *= 1 + line / loop % 5;
			lab_instruction(profile, frame);
			lab_counted(profile, &cost);
			lab_sampled(profile, "long_scoreboard", line % 37);
			lab_sampled(profile, "wait", 3);
		}
	}
	lab_profile_end(profile);
	if (!rc)
		rc = db_profile_set(db, trial_id, profile, err);
	profile_free(profile);
	return rc;
}
