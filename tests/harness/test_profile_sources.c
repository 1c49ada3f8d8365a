/*
 * The source lines of profiles, and which text and machine code are kept with them. The machine
 * code is small.cubin of the fuzz corpus, in which the name of the source file is replaced: it is
 * s.cu, and in the kernel k, line 3 calls a() of line 2, which calls b() of line 1.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "harness/sweep/sweep_parts.h"
#include "support.h"

#define CUBIN "tests/fuzz/corpus/line_table/small.cubin"
#define CALLS_PC 64 /* an instruction of b() */

/* What the writer was told. */
struct kept {
	struct string_list contents, files, hashes, reasons; /* the last three belong together */
};

struct sources_test {
	struct kept kept;
	struct result_writer writer;
	struct launch_case launch;
	char folder[64], *code;
	struct error err;
};

static int keep_content(void *context, const char *hash, const void *bytes, size_t length,
			struct error *err)
{
	struct sources_test *test = context;
	char own[HASH_TEXT_BYTES];

	(void)err;
	hash_of(own, bytes, length);
	assert_string_equal(own, hash);
	string_list_add(&test->kept.contents, hash);
	return 0;
}

static int keep_source(void *context, const char *file, const char *hash, const char *why,
		       struct error *err)
{
	struct sources_test *test = context;

	(void)err;
	assert_true(!hash != !why);
	string_list_add(&test->kept.files, file);
	string_list_add(&test->kept.hashes, hash ? hash : "");
	string_list_add(&test->kept.reasons, why ? why : "");
	return 0;
}

/* Puts `to` in place of `from`, which is as long, wherever it ends a name. */
static void rename_in(char *bytes, size_t length, const char *from, const char *to)
{
	const size_t size = strlen(from) + 1;
	size_t found = 0;

	assert_int_equal(strlen(to) + 1, size);
	for (size_t i = 0; i + size <= length; i++)
		if (memcmp(bytes + i, from, size) == 0) {
			memcpy(bytes + i, to, size);
			found++;
		}
	assert_true(found > 0);
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* Writes the machine code, with a source file of this name in this folder. */
static void make_code(struct sources_test *test, const char *folder, const char *file)
{
	char *bytes = NULL;
	size_t length;

	if (read_file(&bytes, &length, CUBIN, 1 << 20, &test->err))
		fail_msg("%s", test->err.text);
	rename_in(bytes, length, "/tmp/li", folder);
	rename_in(bytes, length, "s.cu", file);
	write_bytes(test->code, bytes, length);
	free(bytes);
}

static char *source_path(const struct sources_test *test)
{
	return xasprintf("%s/s.cu", test->folder);
}

/* `age`: seconds, before now. */
static void make_source(const struct sources_test *test, size_t bytes, int64_t age)
{
	char *path = source_path(test), *text = xcalloc(1, bytes + 1);
	const time_t at = (time_t)(wall_time_ns() / 1000000000 - age);
	const struct timespec times[2] = {{.tv_sec = at}, {.tv_sec = at}};

	memset(text, '\n', bytes);
	write_bytes(path, text, bytes);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	free(text);
	free(path);
}

static int sources_set_up(void **state)
{
	struct sources_test *test = xcalloc(1, sizeof(*test));

	strcpy(test->folder, "/tmp/perflab-sources-XXXXXX");
	assert_non_null(mkdtemp(test->folder));
	test->code = xasprintf("%s/k.cubin", test->folder);
	test->launch.image = test->code;
	test->writer = (struct result_writer){
		.context = test, .content = keep_content, .source = keep_source};
	set_variable("PERFLAB_SOURCE_DIR", test->folder);
	make_code(test, "./././.", "s.cu");
	make_source(test, 100, 60);
	*state = test;
	return 0;
}

static int sources_tear_down(void **state)
{
	struct sources_test *test = *state;
	char *path = source_path(test);

	unlink(path);
	rmdir(path);
	unlink(test->code);
	rmdir(test->folder);
	free(path);
	string_list_release(&test->kept.contents);
	string_list_release(&test->kept.files);
	string_list_release(&test->kept.hashes);
	string_list_release(&test->kept.reasons);
	free(test->code);
	free(test);
	set_variable("PERFLAB_SOURCE_DIR", NULL);
	return 0;
}

/* Two instructions of the kernel, and one of a function elsewhere that has its name. */
static struct profile *found_profile(struct sources_test *test, struct profile_sources *sources)
{
	static const bool own[] = {true, false};
	struct profile *profile = profile_new();

	profile_function_add(profile, "k", "");
	profile_function_add(profile, "k", "of a library");
	profile_instruction_add(profile, 0, 0);
	profile_instruction_add(profile, 0, CALLS_PC);
	profile_instruction_add(profile, 1, 0);
	if (profile_sources_find(sources, profile, own, &test->launch, &test->err))
		fail_msg("%s", test->err.text);
	assert_int_equal(profile_check(profile, NULL), 0);
	return profile;
}

/* The profile of a sweep that begins now. */
static struct profile *found(struct sources_test *test, bool keep)
{
	struct profile_sources *sources = profile_sources_new(&test->writer, keep);
	struct profile *profile = found_profile(test, sources);

	profile_sources_free(sources);
	return profile;
}

static void assert_chain(const struct profile *profile)
{
	const struct profile_frame *frame;

	assert_int_equal(profile->frame_count, 3);
	frame = &profile->frames[profile->instructions[0].frame];
	assert_int_equal(frame->line, 3);
	assert_int_equal(frame->caller, -1);
	assert_null(frame->function);
	frame = &profile->frames[profile->instructions[1].frame];
	assert_int_equal(frame->line, 1);
	assert_string_equal(frame->function, "_Z1bPi");
	frame = &profile->frames[frame->caller];
	assert_int_equal(frame->line, 2);
	assert_string_equal(frame->function, "_Z1aPi");
	assert_int_equal(frame->caller, profile->instructions[0].frame);
	assert_int_equal(profile->instructions[2].frame, -1);
}

static void instructions_get_their_lines(void **state)
{
	struct sources_test *test = *state;
	struct profile_sources *sources = profile_sources_new(&test->writer, true);
	struct profile *first = found_profile(test, sources),
		       *second = found_profile(test, sources);
	char *bytes, hash[HASH_TEXT_BYTES];
	size_t length;

	assert_chain(first);
	assert_chain(second);
	assert_int_equal(read_file(&bytes, &length, test->code, 1 << 20, NULL), 0);
	hash_of(hash, bytes, length);
	free(bytes);
	assert_string_equal(second->functions[0].code, hash);
	assert_string_equal(second->functions[1].code, "of a library");
	/* the machine code and the text, each once for both */
	assert_int_equal(test->kept.contents.count, 2);
	assert_string_equal(test->kept.contents.items[0], hash);
	assert_int_equal(test->kept.files.count, 1);
	assert_string_equal(test->kept.files.items[0], first->frames[0].file);
	assert_string_equal(test->kept.hashes.items[0], test->kept.contents.items[1]);
	profile_free(first);
	profile_free(second);
	profile_sources_free(sources);
}

static void nothing_is_kept_if_nothing_shall_be(void **state)
{
	struct sources_test *test = *state;
	struct profile *profile = found(test, false);

	assert_chain(profile);
	assert_int_equal(strlen(profile->functions[0].code), HASH_TEXT_BYTES - 1);
	assert_int_equal(test->kept.contents.count, 0);
	assert_int_equal(test->kept.files.count, 0);
	profile_free(profile);
}

/* The lines are there, the text is not. */
static void assert_not_kept(struct sources_test *test, const char *why)
{
	struct profile *profile = found(test, true);

	assert_chain(profile);
	assert_int_equal(test->kept.files.count, 1);
	assert_string_equal(test->kept.hashes.items[0], "");
	assert_string_equal(test->kept.reasons.items[0], why);
	assert_int_equal(test->kept.contents.count, 1); /* the machine code */
	profile_free(profile);
}

static void a_file_that_was_changed_is_not_kept(void **state)
{
	make_source(*state, 100, -60);
	assert_not_kept(*state, "was changed after the sweep began");
}

/* Such as a time stamp of a broken clock, beyond what nanoseconds can say. */
static void a_file_of_a_far_future_is_not_kept(void **state)
{
	make_source(*state, 100, -INT64_C(10000000000));
	assert_not_kept(*state, "was changed after the sweep began");
}

static void a_file_that_is_missing_is_not_kept(void **state)
{
	char *path = source_path(*state);

	unlink(path);
	assert_not_kept(*state, "was not found");
	free(path);
}

/* Nobody writes into the pipe. */
static void only_a_file_is_read(void **state)
{
	char *path = source_path(*state);

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_not_kept(*state, "was not found");
	free(path);
}

static void a_large_file_is_not_kept(void **state)
{
	make_source(*state, (4 << 20) + 1, 60);
	assert_not_kept(*state, "cannot be read, or has more than 4 MiB");
}

/* A #line may name any file. */
static void a_name_that_is_none_of_source_text_is_not_read(void **state)
{
	struct sources_test *test = *state;

	make_code(test, "/../dev", "zero");
	assert_not_kept(test, "has no name of source text");
}

static void what_is_no_cubin_has_no_lines(void **state)
{
	struct sources_test *test = *state;
	struct profile *profile;
	char *path = xasprintf("%s/k.ptx", test->folder);

	write_bytes(path, "// PTX", 6);
	test->launch.image = path;
	profile = found(test, true);
	assert_int_equal(profile->frame_count, 0);
	assert_string_equal(profile->functions[0].code, "");
	assert_int_equal(test->kept.contents.count, 0);
	profile_free(profile);
	unlink(path);
	/* a cubin is taken in place of the PTX that it was made from */
	test->launch.code = test->code;
	profile = found(test, false);
	assert_chain(profile);
	profile_free(profile);
	free(path);
}

/* --sass can still show it, or say what is wrong. */
static void a_cubin_without_lines_is_kept(void **state)
{
	struct sources_test *test = *state;
	struct profile *profile;

	write_bytes(test->code, "rubbish", 7);
	profile = found(test, true);
	assert_int_equal(profile->frame_count, 0);
	assert_int_equal(profile->instructions[0].frame, -1);
	assert_int_equal(test->kept.contents.count, 1);
	assert_string_equal(profile->functions[0].code, test->kept.contents.items[0]);
	profile_free(profile);
}

static void code_that_is_gone_has_no_lines(void **state)
{
	struct sources_test *test = *state;
	struct profile *profile;

	unlink(test->code);
	profile = found(test, true);
	assert_int_equal(profile->frame_count, 0);
	assert_string_equal(profile->functions[0].code, "");
	assert_int_equal(test->kept.contents.count, 0);
	profile_free(profile);
}

/* One after another, in one sweep. */
static void each_case_has_the_lines_of_its_code(void **state)
{
	struct sources_test *test = *state;
	struct profile_sources *sources = profile_sources_new(&test->writer, true);
	struct launch_case other = {.image = xasprintf("%s/none.cubin", test->folder)};
	struct profile *profile = found_profile(test, sources);
	char *code = test->launch.image;

	profile_free(profile);
	test->launch.image = other.image;
	profile = found_profile(test, sources);
	assert_int_equal(profile->frame_count, 0);
	assert_string_equal(profile->functions[0].code, "");
	profile_free(profile);
	test->launch.image = code;
	profile = found_profile(test, sources);
	assert_chain(profile);
	profile_free(profile);
	profile_sources_free(sources);
	free(other.image);
}

#define sources_case(name) cmocka_unit_test_setup_teardown(name, sources_set_up, sources_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		sources_case(instructions_get_their_lines),
		sources_case(nothing_is_kept_if_nothing_shall_be),
		sources_case(a_file_that_was_changed_is_not_kept),
		sources_case(a_file_of_a_far_future_is_not_kept),
		sources_case(a_file_that_is_missing_is_not_kept),
		sources_case(only_a_file_is_read),
		sources_case(a_large_file_is_not_kept),
		sources_case(a_name_that_is_none_of_source_text_is_not_read),
		sources_case(what_is_no_cubin_has_no_lines),
		sources_case(a_cubin_without_lines_is_kept),
		sources_case(code_that_is_gone_has_no_lines),
		sources_case(each_case_has_the_lines_of_its_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
