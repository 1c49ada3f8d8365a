/* What is stored of profiles, with the source text and machine code of their runs. */
#include "merge_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- profiles ---- */

static void assert_same_number(double a, double b)
{
	assert_true(a == b || (isnan(a) && isnan(b)));
}

static void assert_same_profile(const struct profile *a, const struct profile *b)
{
#define SAME(kind, name, unit, meaning) assert_true(a->name == b->name);
	PROFILE_FIELDS(SAME)
#undef SAME
	assert_int_equal(a->function_count, b->function_count);
	for (size_t i = 0; i < a->function_count; i++) {
		assert_string_equal(a->functions[i].name, b->functions[i].name);
		assert_string_equal(a->functions[i].code, b->functions[i].code);
	}
	assert_int_equal(a->frame_count, b->frame_count);
	for (size_t i = 0; i < a->frame_count; i++) {
		const struct profile_frame *one = &a->frames[i], *other = &b->frames[i];

		assert_string_equal(one->file, other->file);
		assert_int_equal(one->line, other->line);
		assert_true(!one->function == !other->function);
		if (one->function)
			assert_string_equal(one->function, other->function);
		assert_int_equal(one->caller, other->caller);
		assert_int_equal(one->samples, other->samples);
		assert_same_number(one->share, other->share);
		assert_same_number(one->low, other->low);
		assert_same_number(one->high, other->high);
	}
	assert_int_equal(a->instruction_count, b->instruction_count);
	assert_memory_equal(a->instructions, b->instructions,
			    a->instruction_count * sizeof(*a->instructions));
	assert_int_equal(a->stall_count, b->stall_count);
	for (size_t i = 0; i < a->stall_count; i++) {
		assert_int_equal(a->stalls[i].instruction, b->stalls[i].instruction);
		assert_string_equal(a->stalls[i].reason, b->stalls[i].reason);
		assert_int_equal(a->stalls[i].samples, b->stalls[i].samples);
		assert_int_equal(a->stalls[i].not_issued, b->stalls[i].not_issued);
	}
}

/* Stores a run whose first trial has the profile of the fixture. */
static int64_t store_profiled(struct context *context)
{
	struct profile *profile = fixture_profile();
	struct run run = fixture_run(NULL);
	int64_t id;

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	id = run.trials[FIXTURE_OK].id;
	assert_ok(context, db_profile_set(context->db, id, profile, &context->err));
	profile_free(profile);
	run_release(&run);
	return id;
}

static void test_a_profile_comes_back(void **state)
{
	struct context *context = *state;
	struct profile *profile = fixture_profile(), *loaded = NULL;
	const int64_t id = store_profiled(context);
	int64_t *ids = NULL;
	size_t count = 0;

	assert_ok(context, db_profile_load(context->db, id, &loaded, &context->err));
	assert_same_profile(profile, loaded);
	assert_null(loaded->why_no_samples);
	assert_null(loaded->why_no_counts);
	profile_free(loaded);
	assert_ok(context, db_profile_load(context->db, id + 1, &loaded, &context->err));
	assert_null(loaded);
	assert_ok(context, db_profiled_trials(context->db, 1, &ids, &count, &context->err));
	assert_int_equal(count, 1);
	assert_int_equal(ids[0], id);
	free(ids);
	assert_ok(context, db_profiled_trials(context->db, 2, &ids, &count, &context->err));
	assert_int_equal(count, 0);
	free(ids);
	profile_free(profile);
	context_assert_whole(context);
}

/* Stores a run of the emulator with one line of each case of the fixture. */
static int64_t store_emulated(struct context *context, const char *origin, int64_t instructions)
{
	struct run run = fixture_run(NULL);
	struct line_count_list lines = {0};

	run.traits.emulated = true;
	run.traits.timed = false;
	free(run.origin);
	run.origin = origin ? xstrdup(origin) : NULL;
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	line_count_list_add(&lines, "a.cu", 7)->instructions = instructions;
	assert_ok(context,
		  db_lines_set(context->db, run.trials[FIXTURE_OK].id, &lines, &context->err));
	line_count_list_release(&lines);
	instructions = run.id;
	run_release(&run);
	return instructions;
}

/* The counts of an emulator are those of the newest run with the same case and origin. */
static void test_emulated_lines_of_a_case_are_found(void **state)
{
	struct context *context = *state;
	const int64_t id = store_profiled(context);
	struct line_count_list lines;
	int64_t run_id = 1, newest;

	assert_ok(context, db_emulated_lines_load(context->db, id, &lines, &run_id, &context->err));
	assert_int_equal(run_id, 0);
	assert_int_equal(lines.count, 0);
	store_emulated(context, NULL, 10);
	newest = store_emulated(context, NULL, 20);
	store_emulated(context, "/another/file.cu", 30);
	assert_ok(context, db_emulated_lines_load(context->db, id, &lines, &run_id, &context->err));
	assert_int_equal(run_id, newest);
	assert_int_equal(lines.count, 1);
	assert_string_equal(lines.items[0].file, "a.cu");
	assert_int_equal(lines.items[0].instructions, 20);
	line_count_list_release(&lines);
}

static void test_what_is_not_known_is_null(void **state)
{
	struct context *context = *state;

	store_profiled(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM instruction"
						" WHERE executed IS NULL AND frame IS NULL AND"
						" varies IS NULL AND samples = 10"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM instruction"
						" WHERE samples IS NULL AND lanes = 0"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM profile_function"
						" WHERE code IS NULL AND name = 'memset'"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM profile_frame WHERE"
						" caller IS NULL AND inlined IS NULL"),
			 2);
	assert_int_equal(context_query(context, "SELECT count(*) FROM profile_frame WHERE"
						" share IS NULL AND samples IS NULL"),
			 2);
}

/* The second says only why it has nothing. */
static void test_a_second_profile_replaces_the_first(void **state)
{
	struct context *context = *state;
	struct profile *profile = profile_new(), *loaded = NULL;
	const int64_t id = store_profiled(context);

	profile->why_no_samples = xstrdup("the worker died");
	profile->why_no_counts = xstrdup("the worker's gone");
	assert_ok(context, db_profile_set(context->db, id, profile, &context->err));
	assert_ok(context, db_profile_load(context->db, id, &loaded, &context->err));
	assert_same_profile(profile, loaded);
	assert_string_equal(loaded->why_no_samples, "the worker died");
	assert_string_equal(loaded->why_no_counts, "the worker's gone");
	assert_int_equal(context_query(context, "SELECT (SELECT count(*) FROM instruction) +"
						" (SELECT count(*) FROM stall) +"
						" (SELECT count(*) FROM profile_frame) +"
						" (SELECT count(*) FROM profile_function)"),
			 0);
	profile_free(profile);
	profile_free(loaded);
}

static void test_a_profile_that_cannot_be_stored_changes_nothing(void **state)
{
	struct context *context = *state;
	struct profile *profile = fixture_profile(), *loaded = NULL;
	const int64_t id = store_profiled(context);

	assert_int_equal(db_profile_set(context->db, 4711, profile, &context->err), PL_ENOENT);
	assert_one_line(&context->err, context->path, "no such run or trial");
	profile->stalls[1] = profile->stalls[0];
	assert_int_equal(db_profile_set(context->db, id, profile, &context->err), PL_EEXIST);
	profile_free(profile);
	profile = fixture_profile();
	assert_ok(context, db_profile_load(context->db, id, &loaded, &context->err));
	assert_same_profile(profile, loaded);
	profile_free(profile);
	profile_free(loaded);
}

static void test_a_profile_goes_with_its_run(void **state)
{
	struct context *context = *state;

	store_profiled(context);
	assert_ok(context, db_run_file_set(context->db, 1, "a.cu", NULL, "is lost", &context->err));
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = 1");
	assert_int_equal(context_query(context, "SELECT (SELECT count(*) FROM profile) +"
						" (SELECT count(*) FROM instruction) +"
						" (SELECT count(*) FROM stall) +"
						" (SELECT count(*) FROM profile_frame) +"
						" (SELECT count(*) FROM run_file) +"
						" (SELECT count(*) FROM profile_function)"),
			 0);
}

/* Another program may have written the file. */
static void test_a_broken_profile_is_refused(void **state)
{
	static const struct {
		const char *sql, *words;
	} broken[] = {
		{"UPDATE instruction SET function = 9 WHERE instruction = 3",
		 "names a function or a position that there is not"},
		{"UPDATE instruction SET frame = 9 WHERE instruction = 1", "names a function"},
		{"UPDATE instruction SET samples = 9 WHERE instruction = 1",
		 "instruction 1 has other samples than its stalls"},
		{"UPDATE stall SET samples = -1 WHERE instruction = 1", "cannot be"},
		{"UPDATE stall SET instruction = 4 WHERE instruction = 3", "cannot be"},
		{"UPDATE profile SET samples = 1", "the profile has other samples"},
		{"UPDATE profile_frame SET caller = 3 WHERE frame = 3", "position 3 is called"},
		{"DELETE FROM profile_function WHERE function = 1", "names a function"},
		{"DELETE FROM profile_frame WHERE frame = 0", "position 1 is called"},
	};
	struct context *context = *state;
	struct profile *loaded = NULL, *profile = fixture_profile();
	const int64_t id = store_profiled(context);

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		assert_ok(context, db_profile_set(context->db, id, profile, &context->err));
		sql_execute(context->path, broken[i].sql);
		context->err = (struct error){0};
		if (db_profile_load(context->db, id, &loaded, &context->err) != PL_ECORRUPT)
			fail_msg("%s: was taken", broken[i].sql);
		if (!strstr(context->err.text, broken[i].words))
			fail_msg("%s: '%s'", broken[i].sql, context->err.text);
		assert_non_null(strstr(context->err.text, "the profile of trial 1"));
		assert_null(loaded);
	}
	profile_free(profile);
}

/* A file of perflab before it had profiles. */
static void test_an_older_file_has_no_profiles(void **state)
{
	static const enum db_mode modes[] = {DB_READ, DB_WRITE};
	struct context *context = *state;
	struct profile *profile = fixture_profile(), *loaded = profile;
	char *hash = NULL, *why = NULL, *bytes = NULL;
	int64_t *ids = NULL;
	size_t count = 9, length;

	context_restore(context->path, VERSION_22);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		assert_ok(context, db_open(&context->db, context->path, modes[i], &context->err));
		assert_ok(context, db_profile_load(context->db, 1, &loaded, &context->err));
		assert_null(loaded);
		assert_ok(context, db_profiled_trials(context->db, 1, &ids, &count, &context->err));
		assert_int_equal(count, 0);
		free(ids);
		assert_ok(context,
			  db_run_file_load(context->db, 1, "a.cu", &hash, &why, &context->err));
		assert_null(hash);
		assert_null(why);
		assert_int_equal(db_content_load(context->db, "00", &bytes, &length, &context->err),
				 PL_ENOENT);
		if (modes[i] == DB_READ) {
			db_close(context->db);
			context->db = NULL;
		}
	}
	assert_ok(context, db_profile_set(context->db, 1, profile, &context->err));
	assert_ok(context, db_profile_load(context->db, 1, &loaded, &context->err));
	assert_same_profile(profile, loaded);
	profile_free(profile);
	profile_free(loaded);
}

/* ---- views ---- */

static void assert_one(struct context *context, const char *view, const char *where)
{
	char *sql = xasprintf("SELECT count(*) FROM %s WHERE %s", view, where);

	if (context_query(context, sql) != 1)
		fail_msg("%s: not one row", sql);
	free(sql);
}

static void test_lines_are_sums(void **state)
{
	struct context *context = *state;

	store_profiled(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM result_line_costs"), 3);
	assert_one(context, "result_line_costs",
		   "file = 'a.cu' AND line = 7 AND inlined IS NULL AND called_from IS NULL"
		   " AND executed = 20 AND lanes_pct = 100 AND requests = 10 AND sectors = 40"
		   " AND ideal_sectors = 40 AND sectors_per_request = 4 AND wavefronts IS NULL"
		   " AND samples = 30 AND share = 0.3 AND low = 0.25 AND high = 0.35"
		   " AND not_issued = 10 AND function = '_Z6kernelPf' AND kernel = 'reduce'"
		   " AND block = 256");
	assert_one(context, "result_line_costs",
		   "file = 'c.cuh' AND line = 1 AND inlined = '_Z5innerv'"
		   " AND called_from = 'b.cuh:3 < a.cu:9' AND executed = 10 AND lanes_pct = 50"
		   " AND sectors_per_request = 16 AND samples = 60 AND share = 0.6"
		   " AND not_issued = 60 AND varies = 1");
	/* what is in no line was sampled, too */
	assert_one(context, "result_line_costs",
		   "file IS NULL AND called_from IS NULL AND samples = 10 AND share = 0.1"
		   " AND not_issued = 4 AND executed IS NULL AND lanes_pct IS NULL"
		   " AND function = 'memset'");
}

static void test_instructions_and_stalls_are_shown(void **state)
{
	struct context *context = *state;

	store_profiled(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM result_instructions"), 4);
	assert_one(context, "result_instructions",
		   "pc = 16 AND file = 'c.cuh' AND line = 1 AND inlined = '_Z5innerv'"
		   " AND samples = 60 AND share = 0.6 AND lanes_pct = 50 AND length(code) = 64");
	assert_one(context, "result_instructions",
		   "function = 'memset' AND file IS NULL AND code IS NULL AND executed IS NULL");
	assert_int_equal(context_query(context, "SELECT count(*) FROM result_stalls"), 4);
	assert_one(context, "result_stalls",
		   "pc = 0 AND function = '_Z6kernelPf' AND reason = 'long_scoreboard'"
		   " AND samples = 20 AND not_issued = 10 AND share = 0.2 AND line = 7");
	assert_one(context, "result_stalls", "function = 'memset' AND line IS NULL");
}

/* A run knows of each case what its warps were doing, and where most of them were. */
static void test_a_run_has_the_stalls_of_its_cases(void **state)
{
	struct context *context = *state;
	const int64_t id = store_profiled(context);
	struct run run;

	assert_ok(context, db_run_load(context->db, 1, true, &run, &context->err));
	for (size_t i = 0; i < run.trial_count; i++) {
		const struct trial *trial = &run.trials[i];
		const bool sampled = trial->id == id;

		assert_int_equal(trial->stall_samples[STALL_MEMORY], sampled ? 80 : 0);
		assert_int_equal(trial->stall_samples[STALL_OTHER], sampled ? 20 : 0);
		assert_int_equal(trial->stall_samples[STALL_READY], 0);
		assert_int_equal(trial->functions, sampled ? 2 : 0);
		assert_int_equal(trial->library_functions, 0);
		assert_int_equal(trial->hot_file != NULL, sampled);
		if (sampled) {
			assert_string_equal(trial->hot_file, "c.cuh");
			assert_int_equal(trial->hot_line, 1);
			assert_true(trial->hot_share == 0.6);
		}
	}
	run_release(&run);
}

/* Without samples or counts there are no shares. */
static void test_views_of_what_was_not_sampled(void **state)
{
	struct context *context = *state;
	struct profile *profile = profile_new();
	const int64_t id = store_profiled(context);

	profile_function_add(profile, "f", "");
	profile_frame_add(profile, "a.cu", 7, NULL, -1);
	profile_instruction_add(profile, 0, 0)->frame = 0;
	profile->instructions[0].executed = 3;
	assert_ok(context, db_profile_set(context->db, id, profile, &context->err));
	assert_one(context, "result_line_costs",
		   "samples IS NULL AND share IS NULL AND not_issued IS NULL AND executed = 3");
	assert_one(context, "result_instructions", "samples IS NULL AND share IS NULL");
	assert_int_equal(context_query(context, "SELECT count(*) FROM result_stalls"), 0);
	profile_free(profile);
}

/* ---- content ---- */

static void keep(struct context *context, const char *bytes, size_t length, char *hash)
{
	hash_of(hash, bytes, length);
	assert_ok(context, db_content_keep(context->db, hash, bytes, length, &context->err));
}

static void test_content_is_kept_once(void **state)
{
	static const char with_nul[] = "a\0b";
	struct context *context = *state;
	char hash[HASH_TEXT_BYTES], empty[HASH_TEXT_BYTES], *bytes, *big = xcalloc(1, 1 << 20);
	size_t length;

	keep(context, with_nul, 3, hash);
	keep(context, with_nul, 3, hash);
	keep(context, "", 0, empty);
	assert_int_equal(context_query(context, "SELECT count(*) FROM content"), 2);
	assert_ok(context, db_content_load(context->db, hash, &bytes, &length, &context->err));
	assert_int_equal(length, 3);
	assert_memory_equal(bytes, with_nul, 4);
	free(bytes);
	assert_ok(context, db_content_load(context->db, empty, &bytes, &length, &context->err));
	assert_int_equal(length, 0);
	assert_string_equal(bytes, "");
	free(bytes);
	keep(context, big, 1 << 20, hash);
	assert_true(context_query(context, "SELECT max(length(packed)) FROM content") < 1 << 16);
	free(big);
}

static void test_damaged_content_is_refused(void **state)
{
	static const char *const damages[] = {
		"UPDATE content SET bytes = 13",
		"UPDATE content SET bytes = 11",
		"UPDATE content SET bytes = 0",
		"UPDATE content SET bytes = -1",
		"UPDATE content SET bytes = 9223372036854775807",
		"UPDATE content SET packed = x''",
		"UPDATE content SET packed = x'00112233'",
		"UPDATE content SET packed = substr(packed, 1, length(packed) - 1)",
		"UPDATE content SET packed = zeroblob(1000000)",
	};
	struct context *context = *state;
	char hash[HASH_TEXT_BYTES], other[HASH_TEXT_BYTES], *bytes = NULL, *sql;
	size_t length;

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		keep(context, FIXTURE_CODE, strlen(FIXTURE_CODE), hash);
		sql_execute(context->path, damages[i]);
		if (db_content_load(context->db, hash, &bytes, &length, &context->err) !=
		    PL_ECORRUPT)
			fail_msg("%s: was taken", damages[i]);
		assert_null(bytes);
		assert_int_equal(length, 0);
		sql_execute(context->path, "DELETE FROM content");
	}
	/* the bytes of another hash */
	keep(context, "another", 7, other);
	sql = xasprintf("UPDATE content SET hash = '%s'", hash);
	sql_execute(context->path, sql);
	assert_int_equal(db_content_load(context->db, hash, &bytes, &length, &context->err),
			 PL_ECORRUPT);
	assert_non_null(strstr(context->err.text, "is damaged"));
	free(sql);
}

static void test_a_file_has_a_text_or_a_reason(void **state)
{
	struct context *context = *state;
	char text[HASH_TEXT_BYTES], *hash, *why;

	store_profiled(context);
	keep(context, "int x;\n", 7, text);
	assert_ok(context, db_run_file_set(context->db, 1, "a.cu", text, NULL, &context->err));
	assert_ok(context,
		  db_run_file_set(context->db, 1, "b.cuh", NULL, "was changed", &context->err));
	assert_ok(context, db_run_file_load(context->db, 1, "a.cu", &hash, &why, &context->err));
	assert_string_equal(hash, text);
	assert_null(why);
	free(hash);
	assert_ok(context, db_run_file_load(context->db, 1, "b.cuh", &hash, &why, &context->err));
	assert_null(hash);
	assert_string_equal(why, "was changed");
	free(why);
	assert_ok(context, db_run_file_set(context->db, 1, "b.cuh", text, NULL, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM run_file WHERE hash IS NULL"),
			 0);
	assert_int_not_equal(db_run_file_set(context->db, 1, "c", NULL, NULL, &context->err), 0);
}

/* ---- merging ---- */

/* A file with a profiled run, of which a.cu has this text, or is lacking. */
static void make_profiled(const char *path, const char *text)
{
	struct context context = {.path = (char *)path};
	char hash[HASH_TEXT_BYTES];

	assert_ok(&context, db_open(&context.db, path, DB_CREATE, &context.err));
	store_profiled(&context);
	sql_execute(path, "UPDATE run SET uid = '" MERGE_UID "'");
	keep(&context, FIXTURE_CODE, strlen(FIXTURE_CODE), hash);
	if (text)
		keep(&context, text, strlen(text), hash);
	assert_ok(&context, db_run_file_set(context.db, 1, "a.cu", text ? hash : NULL,
					    text ? NULL : "was not found", &context.err));
	db_close(context.db);
}

static void test_a_merge_brings_profiles_and_texts(void **state)
{
	struct merge_test *test = *state;
	struct context into = {.path = test->base.path};
	struct profile *profile = fixture_profile(), *loaded = NULL;
	int64_t *ids = NULL;
	size_t count, length;
	char *hash, *why, *bytes;

	make_profiled(test->source, "int x;\n");
	merge_make_source(test->base.path, NULL, "there before"); /* other numbers of trials */
	assert_merged(test, test->source);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM profile"), 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM content"), 2);
	assert_ok(&into, db_open(&into.db, into.path, DB_READ, &into.err));
	assert_ok(&into, db_profiled_trials(into.db, 2, &ids, &count, &into.err));
	assert_int_equal(count, 1);
	assert_ok(&into, db_profile_load(into.db, ids[0], &loaded, &into.err));
	assert_same_profile(profile, loaded);
	assert_ok(&into, db_run_file_load(into.db, 2, "a.cu", &hash, &why, &into.err));
	assert_ok(&into, db_content_load(into.db, hash, &bytes, &length, &into.err));
	assert_string_equal(bytes, "int x;\n");
	free(hash);
	free(bytes);
	assert_ok(&into,
		  db_content_load(into.db, profile->functions[0].code, &bytes, &length, &into.err));
	assert_string_equal(bytes, FIXTURE_CODE);
	free(bytes);
	free(ids);
	db_close(into.db);
	profile_free(profile);
	profile_free(loaded);
}

/* One shard found the source that the other did not. */
static void test_a_shard_adds_the_text_that_another_lacks(void **state)
{
	struct merge_test *test = *state;

	make_profiled(test->source, NULL);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run_file WHERE why ="
					   " 'was not found'"),
			 1);
	free(test->other);
	test->other = xasprintf("%s/later.db", test->base.folder);
	make_profiled(test->other, "int x;\n");
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run_file JOIN content USING"
					   " (hash) WHERE why IS NULL AND bytes = 7"),
			 1);
	/* and does not lose it */
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run_file WHERE hash IS NULL"), 0);
}

static void test_damaged_content_is_not_merged(void **state)
{
	struct merge_test *test = *state;

	make_profiled(test->source, "int x;\n");
	sql_execute(test->source, "UPDATE content SET packed = x'00' WHERE bytes = 7");
	assert_int_equal(merge_of(test, test->source), PL_ECORRUPT);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run"), 0);
}

/* What the other file lacks stays lacking. */
static void test_missing_content_is_merged_without(void **state)
{
	struct merge_test *test = *state;

	make_profiled(test->source, "int x;\n");
	sql_execute(test->source, "DELETE FROM content");
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM content"), 0);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM profile"), 1);
}

#define profile_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)
#define merge_profile_test(function) \
	cmocka_unit_test_setup_teardown(function, merge_setup, merge_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		profile_test(test_a_profile_comes_back),
		profile_test(test_emulated_lines_of_a_case_are_found),
		profile_test(test_what_is_not_known_is_null),
		profile_test(test_a_second_profile_replaces_the_first),
		profile_test(test_a_profile_that_cannot_be_stored_changes_nothing),
		profile_test(test_a_profile_goes_with_its_run),
		profile_test(test_a_broken_profile_is_refused),
		cmocka_unit_test_setup_teardown(test_an_older_file_has_no_profiles, context_setup,
						context_teardown),
		profile_test(test_lines_are_sums),
		profile_test(test_instructions_and_stalls_are_shown),
		profile_test(test_a_run_has_the_stalls_of_its_cases),
		profile_test(test_views_of_what_was_not_sampled),
		profile_test(test_content_is_kept_once),
		profile_test(test_damaged_content_is_refused),
		profile_test(test_a_file_has_a_text_or_a_reason),
		merge_profile_test(test_a_merge_brings_profiles_and_texts),
		merge_profile_test(test_a_shard_adds_the_text_that_another_lacks),
		merge_profile_test(test_damaged_content_is_not_merged),
		merge_profile_test(test_missing_content_is_merged_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
