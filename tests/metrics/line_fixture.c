/* A profile that a test fills. */
#include "line_fixture.h"

#include <string.h>

static struct profile *profile_of(struct line_fixture *fixture)
{
	if (!fixture->profile) {
		fixture->profile = profile_new();
		profile_function_add(fixture->profile, "k", "");
	}
	return fixture->profile;
}

void line_fixture_text(struct line_fixture *fixture, const char *file, const char *text)
{
	char hash[HASH_TEXT_BYTES];

	if (text)
		hash_of(hash, text, strlen(text));
	line_source_add(&fixture->sources, file, text ? hash : NULL, text ? xstrdup(text) : NULL,
			text ? strlen(text) : 0);
}

int64_t line_fixture_frame(struct line_fixture *fixture, const char *file, int64_t line,
			   const char *function, int64_t caller)
{
	return profile_frame_add(profile_of(fixture), file, line, function, caller);
}

struct profile_instruction *line_fixture_instruction(struct line_fixture *fixture, int64_t frame)
{
	struct profile *profile = profile_of(fixture);
	struct profile_instruction *instruction =
		profile_instruction_add(profile, 0, 16 * (int64_t)profile->instruction_count);

	instruction->frame = frame;
	instruction->executed = 1024;
	instruction->lanes = 32 * 1024;
	instruction->varies = 0;
	return instruction;
}

struct profile_instruction *line_fixture_line(struct line_fixture *fixture, const char *file,
					      int64_t line)
{
	return line_fixture_instruction(fixture, line_fixture_frame(fixture, file, line, NULL, -1));
}

/* An instruction without a line gets the samples of the case that no other has, and each sample is
 * one stall. */
static void complete_samples(struct profile *profile)
{
	int64_t rest = profile->samples;

	for (size_t i = 0; i < profile->instruction_count; i++)
		rest -= profile->instructions[i].samples > 0 ? profile->instructions[i].samples : 0;
	if (profile->samples >= 0 && rest > 0) {
		struct profile_instruction *instruction = profile_instruction_add(
			profile, 0, 16 * (int64_t)profile->instruction_count);

		instruction->samples = rest;
		instruction->first_samples = 0;
		instruction->varies = 0;
	}
	profile->stall_count = 0;
	for (size_t i = 0; i < profile->instruction_count; i++)
		if (profile->instructions[i].samples > 0)
			profile_stall_add(profile, (int64_t)i, "wait")->samples =
				profile->instructions[i].samples;
}

const struct line_side *line_fixture_end(struct line_fixture *fixture)
{
	struct error err = {0};

	complete_samples(profile_of(fixture));
	if (profile_check(profile_of(fixture), &err))
		fail_msg("%s", err.text);
	line_cost_list_release(&fixture->lines);
	line_costs_of(fixture->profile, &fixture->lines);
	fixture->side = (struct line_side){fixture->profile, &fixture->lines, &fixture->sources};
	return &fixture->side;
}

void line_fixture_release(struct line_fixture *fixture)
{
	line_cost_list_release(&fixture->lines);
	line_source_list_release(&fixture->sources);
	profile_free(fixture->profile);
	*fixture = (struct line_fixture){0};
}
