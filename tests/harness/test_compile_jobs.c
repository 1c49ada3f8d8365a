/* Which compilations the wants of a plan lead to. PTX needs no compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "harness/sources/sources.h"

static char folder[] = "/tmp/perflab-jobs-XXXXXX";
static char *source, *cache;

static int write_source(void **state)
{
	FILE *file;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	source = xasprintf("%s/two.ptx", folder);
	cache = xasprintf("%s/cache", folder);
	file = fopen(source, "w");
	if (!file)
		return -1;
	fputs(".version 8.0\n.target sm_80\n.address_size 64\n"
	      ".visible .entry one(.param .u64 x) { ret; }\n"
	      ".visible .entry two(.param .u32 n) { ret; }\n",
	      file);
	return fclose(file);
}

static int remove_source(void **state)
{
	char *command[] = {(char *)"rm", (char *)"-r", folder, NULL};
	struct text said = TEXT_INIT;

	(void)state;
	free(source);
	free(cache);
	process_capture(&said, 100, command, NULL);
	text_release(&said);
	return 0;
}

static size_t want(struct compile_jobs *list, const char *entry, const char *flag)
{
	struct compile_request request = {.source = source, .arch = "sm_90", .cache = cache};

	string_list_add(&request.entries, entry);
	if (flag)
		string_list_add(&request.flags, flag);
	return compile_jobs_want(list, &request);
}

static void expect_entry(const struct compile_jobs *list, size_t want, const char *entry)
{
	const struct compile_job *job = compile_jobs_of(list, want);
	bool found = false;

	assert_non_null(job->compiled);
	for (size_t i = 0; i < job->compiled->entry_count; i++)
		found |= !strcmp(job->compiled->entries[i].wanted, entry);
	assert_true(found);
}

static void kernels_of_a_file_share_a_compilation(void **state)
{
	struct compile_jobs list = {0};
	size_t one = want(&list, "one", NULL), two = want(&list, "two", NULL);

	(void)state;
	assert_int_not_equal(one, two);
	assert_int_equal(want(&list, "one", NULL), one);
	assert_int_equal(list.job_count, 1);
	compile_jobs_run(&list, NULL, NULL, NULL);
	assert_int_equal(list.job_count, 1);
	expect_entry(&list, one, "one");
	expect_entry(&list, two, "two");
	compile_jobs_release(&list);
}

static void other_flags_are_another_compilation(void **state)
{
	struct compile_jobs list = {0};
	size_t plain = want(&list, "one", NULL), flagged = want(&list, "one", "-w");

	(void)state;
	assert_int_equal(list.job_count, 2);
	compile_jobs_run(&list, NULL, NULL, NULL);
	expect_entry(&list, plain, "one");
	expect_entry(&list, flagged, "one");
	assert_ptr_not_equal(compile_jobs_of(&list, plain), compile_jobs_of(&list, flagged));
	compile_jobs_release(&list);
}

static void a_wrong_kernel_fails_alone(void **state)
{
	struct compile_jobs list = {0};
	size_t one = want(&list, "one", NULL), wrong = want(&list, "three", NULL),
	       two = want(&list, "two", NULL);

	(void)state;
	compile_jobs_run(&list, NULL, NULL, NULL);
	assert_true(list.apart[0]);
	expect_entry(&list, one, "one");
	expect_entry(&list, two, "two");
	assert_null(compile_jobs_of(&list, wrong)->compiled);
	assert_int_equal(compile_jobs_of(&list, wrong)->error.code, PL_EUSAGE);
	assert_non_null(strstr(compile_jobs_of(&list, wrong)->error.text, "'three'"));
	compile_jobs_release(&list);
}

/* Compiling apart would only repeat the failure. */
static void a_wrong_file_fails_once(void **state)
{
	struct compile_jobs list = {0};
	char *whole = source;
	size_t one, two;
	FILE *file;

	(void)state;
	source = xasprintf("%s/rubbish.ptx", folder);
	file = fopen(source, "w");
	fputs("rubbish", file);
	fclose(file);
	one = want(&list, "one", NULL);
	two = want(&list, "two", NULL);
	compile_jobs_run(&list, NULL, NULL, NULL);
	assert_int_equal(list.job_count, 1);
	assert_int_equal(compile_jobs_of(&list, one)->error.code, PL_EPARSE);
	assert_int_equal(compile_jobs_of(&list, two)->error.code, PL_EPARSE);
	compile_jobs_release(&list);
	free(source);
	source = whole;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_of_a_file_share_a_compilation),
		cmocka_unit_test(other_flags_are_another_compilation),
		cmocka_unit_test(a_wrong_kernel_fails_alone),
		cmocka_unit_test(a_wrong_file_fails_once),
	};

	return cmocka_run_group_tests(tests, write_source, remove_source);
}
