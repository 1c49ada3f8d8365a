/* The lists of a profile, and their invariants. */
#include "metrics/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct profile *profile_new(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->period_cycles = profile->launches = profile->samples = -1;
	profile->dropped = profile->buffer_full = -1;
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->function_count; i++)
		free(profile->functions[i].name);
	for (size_t i = 0; i < profile->frame_count; i++) {
		free(profile->frames[i].file);
		free(profile->frames[i].function);
	}
	free(profile->functions);
	free(profile->frames);
	free(profile->instructions);
	free(profile->stalls);
	free(profile->why_no_samples);
	free(profile->why_no_counts);
	free(profile);
}

size_t profile_function_add(struct profile *profile, const char *name, const char *code)
{
	struct profile_function *function;

	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0 &&
		    strcmp(profile->functions[i].code, code) == 0)
			return i;
	profile->functions = xgrow(profile->functions, &profile->function_capacity,
				   profile->function_count + 1, sizeof(*profile->functions));
	function = &profile->functions[profile->function_count];
	function->name = xstrdup(name);
	snprintf(function->code, sizeof(function->code), "%s", code);
	return profile->function_count++;
}

static bool function_names_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

int64_t profile_frame_add(struct profile *profile, const char *file, int64_t line,
			  const char *function, int64_t caller)
{
	/* neighbouring instructions are often of one line */
	for (size_t i = profile->frame_count; i-- > 0;) {
		const struct profile_frame *frame = &profile->frames[i];

		if (frame->line == line && frame->caller == caller &&
		    strcmp(frame->file, file) == 0 &&
		    function_names_equal(frame->function, function))
			return (int64_t)i;
	}
	profile->frames = xgrow(profile->frames, &profile->frame_capacity, profile->frame_count + 1,
				sizeof(*profile->frames));
	profile->frames[profile->frame_count] =
		(struct profile_frame){.file = xstrdup(file),
				       .line = line,
				       .function = function ? xstrdup(function) : NULL,
				       .caller = caller,
				       .samples = -1,
				       .share = NAN,
				       .low = NAN,
				       .high = NAN};
	return (int64_t)profile->frame_count++;
}

struct profile_instruction *profile_instruction_add(struct profile *profile, int64_t function,
						    int64_t pc)
{
#define UNKNOWN(kind, name, unit, meaning) .name = -1,
	static const struct profile_instruction unknown = {INSTRUCTION_FIELDS(UNKNOWN)};
#undef UNKNOWN
	struct profile_instruction *instruction;

	profile->instructions =
		xgrow(profile->instructions, &profile->instruction_capacity,
		      profile->instruction_count + 1, sizeof(*profile->instructions));
	instruction = &profile->instructions[profile->instruction_count++];
	*instruction = unknown;
	instruction->function = function;
	instruction->pc = pc;
	instruction->frame = -1;
	return instruction;
}

struct profile_stall *profile_stall_add(struct profile *profile, int64_t instruction,
					const char *reason)
{
	struct profile_stall *stall;

	profile->stalls = xgrow(profile->stalls, &profile->stall_capacity, profile->stall_count + 1,
				sizeof(*profile->stalls));
	stall = &profile->stalls[profile->stall_count++];
	*stall = (struct profile_stall){.instruction = instruction};
	snprintf(stall->reason, sizeof(stall->reason), "%s", reason);
	return stall;
}

/* ---- invariants ---- */

/* -1, which is not known, 0 or 1. */
static bool is_flag(int64_t value)
{
	return value >= -1 && value <= 1;
}

static int check_instructions(const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < profile->instruction_count; i++) {
		const struct profile_instruction *at = &profile->instructions[i], *before = at - 1;

		if (at->function < 0 || (uint64_t)at->function >= profile->function_count ||
		    at->pc < 0 || at->frame < -1 ||
		    (at->frame >= 0 && (uint64_t)at->frame >= profile->frame_count))
			return error_set(err, PL_ECORRUPT,
					 "instruction %zu names a function or a position that "
					 "there is not",
					 i);
		if (i > 0 && (before->function > at->function ||
			      (before->function == at->function && before->pc >= at->pc)))
			return error_set(err, PL_ECORRUPT,
					 "instruction %zu does not follow the one before it", i);
		if (!is_flag(at->varies))
			return error_set(err, PL_ECORRUPT,
					 "instruction %zu varies in a way that cannot be", i);
	}
	return 0;
}

static int check_stalls(const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < profile->stall_count; i++) {
		const struct profile_stall *at = &profile->stalls[i], *before = at - 1;

		if (at->instruction < 0 ||
		    (uint64_t)at->instruction >= profile->instruction_count || at->samples < 0 ||
		    at->not_issued < 0 || at->not_issued > at->samples)
			return error_set(err, PL_ECORRUPT, "stall %zu has samples that cannot be",
					 i);
		if (i > 0 && (before->instruction > at->instruction ||
			      (before->instruction == at->instruction &&
			       strcmp(before->reason, at->reason) >= 0)))
			return error_set(err, PL_ECORRUPT,
					 "stall %zu does not follow the one before it", i);
	}
	return 0;
}

/* The samples of an instruction are those of its stalls, and those of the profile are of all. */
static int check_samples(const struct profile *profile, struct error *err)
{
	int64_t all = 0;
	size_t next = 0;

	for (size_t i = 0; i < profile->instruction_count; i++) {
		const struct profile_instruction *at = &profile->instructions[i];
		const int64_t before = all;

		for (;
		     next < profile->stall_count && profile->stalls[next].instruction == (int64_t)i;
		     next++)
			if (profile->stalls[next].samples > INT64_MAX - all)
				return error_set(err, PL_ECORRUPT,
						 "instruction %zu has too many samples", i);
			else
				all += profile->stalls[next].samples;
		if ((at->samples < 0 ? 0 : at->samples) != all - before ||
		    at->first_samples > all - before)
			return error_set(err, PL_ECORRUPT,
					 "instruction %zu has other samples than its stalls", i);
	}
	if ((profile->samples < 0 ? 0 : profile->samples) != all)
		return error_set(err, PL_ECORRUPT,
				 "the profile has other samples than its instructions");
	return 0;
}

int profile_check(const struct profile *profile, struct error *err)
{
	int rc;

	if (!is_flag(profile->buffer_full))
		return error_set(err, PL_ECORRUPT, "the buffer was full %lld times",
				 (long long)profile->buffer_full);
	for (size_t i = 0; i < profile->frame_count; i++)
		if (profile->frames[i].caller < -1 || profile->frames[i].caller >= (int64_t)i)
			return error_set(err, PL_ECORRUPT,
					 "position %zu is called from one that does not precede it",
					 i);
	rc = check_instructions(profile, err);
	if (!rc)
		rc = check_stalls(profile, err);
	return rc ? rc : check_samples(profile, err);
}
