/* Encodes and decodes profiles, and refuses malformed ones. */
#include "protocol_support.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are not known, and those that need 64 bits. */
static struct profile *sent_profile(void)
{
	struct profile *profile = profile_new();
	struct profile_instruction *at;
	struct profile_stall *stall;

	profile->period_cycles = 512;
	profile->launches = 4;
	profile->samples = 8;
	profile->dropped = 0;
	profile->buffer_full = 1;
	profile->why_no_counts = xstrdup("left out");
	profile_function_add(profile, "_Z6kernelPf", "");
	profile_function_add(profile, "it's \"odd\"", "");
	at = profile_instruction_add(profile, 0, 0);
	at->executed = INT64_C(1) << 60;
	at->varies = 1;
	at->samples = 7;
	at->first_samples = 3;
	stall = profile_stall_add(profile, 0, "long_scoreboard");
	stall->samples = 5;
	stall->not_issued = 4;
	profile_stall_add(profile, 0, "wait")->samples = 2;
	at = profile_instruction_add(profile, 1, 4096);
	at->samples = 1;
	at->first_samples = 0;
	profile_stall_add(profile, 1, "wait")->samples = 1;
	return profile;
}

static void test_a_profile_comes_back(void **context)
{
	static const bool own[] = {true, false};
	struct profile *sent = sent_profile(), *back = NULL;
	bool *back_own = NULL;
	struct error err = {0};
	json_t *json = transmit(profile_to_json(sent, own)), *again;

	(void)context;
	if (profile_from_json(&back, &back_own, json, &err))
		fail_msg("%s", err.text);
	assert_true(back_own[0] && !back_own[1]);
#define SAME(kind, name, unit, meaning) assert_true(back->name == sent->name);
	PROFILE_FIELDS(SAME)
#undef SAME
	assert_null(back->why_no_samples);
	assert_string_equal(back->why_no_counts, "left out");
	assert_int_equal(back->function_count, 2);
	assert_string_equal(back->functions[1].name, "it's \"odd\"");
	assert_string_equal(back->functions[0].code, "");
	assert_int_equal(back->frame_count, 0);
	assert_int_equal(back->instruction_count, 2);
	assert_int_equal(back->instructions[1].function, 1);
	assert_int_equal(back->instructions[1].pc, 4096);
	assert_int_equal(back->instructions[1].frame, -1);
#define SAME(kind, name, unit, meaning) \
	assert_true(back->instructions[0].name == sent->instructions[0].name);
	INSTRUCTION_FIELDS(SAME)
#undef SAME
	assert_int_equal(back->stall_count, 3);
	assert_string_equal(back->stalls[0].reason, "long_scoreboard");
	assert_int_equal(back->stalls[0].not_issued, 4);
	again = profile_to_json(back, back_own);
	assert_true(json_equal(json, again));
	json_decref(again);
	json_decref(json);
	profile_free(sent);
	profile_free(back);
	free(back_own);
}

/* A worker that could do neither says why, and has no rows. */
static void test_an_empty_profile_comes_back(void **context)
{
	struct profile *sent = profile_new(), *back = NULL;
	bool *own = NULL;
	json_t *json;

	(void)context;
	sent->why_no_samples = xstrdup("another process samples");
	json = transmit(profile_to_json(sent, NULL));
	assert_int_equal(profile_from_json(&back, &own, json, NULL), 0);
	assert_string_equal(back->why_no_samples, "another process samples");
	assert_int_equal(back->samples, -1);
	assert_int_equal(back->function_count, 0);
	json_decref(json);
	profile_free(sent);
	profile_free(back);
	free(own);
}

/* ---- what is refused ---- */

static const struct {
	const char *path, *value, *words;
} refused[] = {
	{"samples", "-8", "'samples'"},
	{"samples", "'eight'", "'samples'"},
	{"samples", "9", "the profile has other samples than its instructions"},
	{"samples", "null", "the profile has other samples"},
	{"launches", "1.5", "'launches'"},
	{"buffer_full", "true", "'buffer_full'"},
	{"buffer_full", "2", "the buffer was full 2 times"},
	{"why_no_samples", "7", "'why_no_samples'"},
	{"why_no_counts", "[]", "'why_no_counts'"},
	{"functions", "null", "'functions'"},
	{"functions", "{}", "'functions'"},
	{"functions/0", "7", "element 0 of 'functions'"},
	{"functions/0/name", "null", "'name'"},
	{"functions/1/own", "1", "'own'"},
	{"functions/1", "{'name': 'f'}", "'own'"},
	{"functions", "[]", "instruction 0 names a function"},
	{"instructions", "7", "'instructions'"},
	{"instructions/1", "{}", "element 1 of 'instructions'"},
	{"instructions/1", "[1, 2, 3]", "it is not an array of 16"},
	{"instructions/0/0", "'f'", "element 0 is not a number of 0 or more"},
	{"instructions/0/0", "2", "instruction 0 names a function"},
	{"instructions/0/1", "-16", "element 1 is not a number"},
	{"instructions/0/1", "null", "element 1 is not a number"},
	{"instructions/0/2", "-1", "element 2 is not a number"},
	{"instructions/0/2", "'many'", "element 2 is not a number"},
	{"instructions/0/2", "1e3", "element 2 is not a number"},
	{"instructions/1",
	 "[0, 0, null, null, null, null, null, null, null, null, null, null, null, 1, 0, null]",
	 "instruction 1 does not follow the one before it"},
	{"instructions/0/13", "8", "instruction 0 has other samples than its stalls"},
	{"instructions/0/14", "8", "instruction 0 has other samples than its stalls"},
	{"instructions/0/15", "2", "instruction 0 varies in a way that cannot be"},
	{"stalls", "null", "'stalls'"},
	{"stalls/2", "7", "element 2 of 'stalls'"},
	{"stalls/2", "[1, 'wait', 1]", "it is not an array of 4"},
	{"stalls/0/0", "-1", "element 0 is not a number"},
	{"stalls/2/0", "2", "stall 2 has samples that cannot be"},
	{"stalls/0/1", "7", "its reason is no name"},
	{"stalls/0/1", "''", "its reason is no name"},
	{"stalls/0/1", "'Long'", "its reason is no name"},
	{"stalls/0/1", "'a b'", "its reason is no name"},
	{"stalls/0/1", "'a\\u001b'", "its reason is no name"},
	{"stalls/0/1", "'<b>'", "its reason is no name"},
	{"stalls/0/1", "'a234567890123456789012345678901234567890'", "its reason is no name"},
	{"stalls/0/1", "'wait'", "stall 1 does not follow the one before it"},
	{"stalls/0/1", "'zebra'", "stall 1 does not follow the one before it"},
	{"stalls/0/2", "-5", "element 2 is not a number"},
	{"stalls/0/2", "6", "instruction 0 has other samples than its stalls"},
	{"stalls/0/3", "6", "stall 0 has samples that cannot be"},
	{"stalls/0/3", "null", "element 3 is not a number"},
	{"stalls/0/2", "9223372036854775807", "too many samples"},
};

static json_t *sent_json(void)
{
	static const bool own[] = {true, false};
	struct profile *profile = sent_profile();
	json_t *json = transmit(profile_to_json(profile, own));

	profile_free(profile);
	return json;
}

/* Takes the reference. */
static void assert_refused(json_t *json, const char *what, const char *words)
{
	struct profile *profile = NULL;
	struct error err = {0};
	bool *own = NULL;

	if (profile_from_json(&profile, &own, json, &err) != PL_EPROTOCOL)
		fail_msg("%s was taken", what);
	if (!strstr(err.text, words))
		fail_msg("%s: '%s' does not say '%s'", what, err.text, words);
	assert_null(own);
	assert_null(profile);
	json_decref(json);
}

static void test_malformed_profiles_are_refused(void **context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *what = xasprintf("%s = %s", refused[i].path, refused[i].value);
		char *value = xstrdup(refused[i].value);
		json_t *json = sent_json();

		for (char *c = value; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		replace(json, refused[i].path, value);
		assert_refused(json, what, refused[i].words);
		free(what);
		free(value);
	}
	assert_refused(json_array(), "an array", "");
	assert_refused(NULL, "nothing", "");
}

static void test_missing_members_are_refused(void **context)
{
	static const char *const members[] = {"functions", "instructions", "stalls"};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		json_t *json = sent_json();

		json_object_del(json, members[i]);
		assert_refused(json, members[i], members[i]);
	}
}

static json_t *many(size_t count, const char *element)
{
	json_t *array = json_array(), *one = parse_quoted(element);

	for (size_t i = 0; i < count; i++)
		json_array_append(array, one);
	json_decref(one);
	return array;
}

static void test_too_many_rows_are_refused(void **context)
{
	static const struct {
		const char *member, *element;
		size_t most;
	} lists[] = {
		{"functions", "{'name': 'f', 'own': false}", PROTOCOL_MAX_FUNCTIONS},
		{"instructions", "[0, 0]", PROTOCOL_MAX_INSTRUCTIONS},
		{"stalls", "[0, 'wait', 0, 0]", PROTOCOL_MAX_STALLS},
	};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		json_t *json = sent_json();

		json_object_set_new(json, lists[i].member,
				    many(lists[i].most + 1, lists[i].element));
		assert_refused(json, lists[i].member, lists[i].member);
	}
}

static void test_long_names_are_refused(void **context)
{
	char *name = xcalloc(1, PROTOCOL_MAX_FUNCTION_NAME + 2);
	struct profile *profile = NULL;
	json_t *json = sent_json(), *first;
	bool *own = NULL;

	(void)context;
	memset(name, 'f', PROTOCOL_MAX_FUNCTION_NAME);
	first = json_array_get(json_object_get(json, "functions"), 0);
	json_object_set_new(first, "name", json_string(name));
	assert_int_equal(profile_from_json(&profile, &own, json, NULL), 0);
	profile_free(profile);
	free(own);
	name[PROTOCOL_MAX_FUNCTION_NAME] = 'f';
	json_object_set_new(first, "name", json_string(name));
	assert_refused(json, "a long name", "a function has a name of 65536 bytes");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_profile_comes_back),
		cmocka_unit_test(test_an_empty_profile_comes_back),
		cmocka_unit_test(test_malformed_profiles_are_refused),
		cmocka_unit_test(test_missing_members_are_refused),
		cmocka_unit_test(test_too_many_rows_are_refused),
		cmocka_unit_test(test_long_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
