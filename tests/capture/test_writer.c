/* What the writer refuses, and what it leaves behind. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/part_stream.h"
#include "tests/capture/capture_support.h"

static struct capture_writer *writer_at(const char *path)
{
	struct capture_writer *writer = NULL;
	struct error err = {0};

	if (capture_writer_open(&writer, path, &err))
		fail_msg("%s", err.text);
	return writer;
}

static void test_abandon_leaves_nothing(void **state)
{
	const struct scratch *scratch = *state;
	struct capture_writer *writer = writer_at(scratch->path);
	char *hidden = xasprintf("%s.part-%ld-0", scratch->path, (long)getpid());

	assert_int_equal(capture_write_before(writer, 0, "content", 7, NULL), 0);
	assert_int_equal(access(hidden, F_OK), 0);
	assert_int_equal(access(scratch->path, F_OK), -1);
	capture_writer_abandon(writer);
	assert_int_equal(files_in(scratch->folder), 0);
	capture_writer_abandon(NULL);
	free(hidden);
}

static void test_two_writers_of_one_path(void **state)
{
	const struct scratch *scratch = *state;
	struct capture_writer *first = writer_at(scratch->path);
	struct capture_writer *second = writer_at(scratch->path);

	assert_int_equal(files_in(scratch->folder), 2);
	capture_writer_abandon(first);
	capture_writer_abandon(second);
	assert_int_equal(files_in(scratch->folder), 0);
}

static void test_commit_replaces_nothing(void **state)
{
	const struct scratch *scratch = *state;
	struct new_file second;
	struct error err = {0};
	struct capture *first;

	assert_int_equal(new_file_create(&second, scratch->path, &err), 0);
	make_sample(scratch->path);
	assert_int_equal(new_file_commit(&second, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "has written this file meanwhile"));
	assert_int_equal(files_in(scratch->folder), 1);
	first = must_open(scratch->path);
	assert_string_equal(capture_info(first)->kernel, "_Z6kernelPf");
	capture_close(first);
}

static void assert_kept(const struct scratch *scratch)
{
	struct capture *capture = must_open(scratch->path);

	assert_int_equal(files_in(scratch->folder), 1);
	assert_string_equal(capture_info(capture)->kernel, "_Z6kernelPf");
	capture_close(capture);
}

static void must_refuse(const struct scratch *scratch, const struct made_capture *what,
			const char *message)
{
	struct error err = {0};

	assert_int_equal(make_capture(scratch->path, what, &err), PL_EUSAGE);
	if (!strstr(err.text, message) || !strstr(err.text, scratch->path))
		fail_msg("'%s' does not say '%s'", err.text, message);
	assert_kept(scratch);
}

static void test_impossible_descriptions(void **state)
{
	const struct scratch *scratch = *state;
	const struct made_capture good = sample_capture();
	struct capture_pointer pointer = {4, 0, 0};
	struct capture_pointer descending[] = {{8, 0, 0}, {0, 0, 0}};
	struct capture_memory memory[3];
	struct made_capture what = good;

	make_sample(scratch->path);
	memcpy(memory, good.info.memory, sizeof(memory));
	what.info.memory = memory;
	what.info.launch.block[1] = 1025;
	must_refuse(scratch, &what, "'block' is 1025, not 1 to 1024");
	what.info.launch = good.info.launch;
	what.info.kernel = "";
	must_refuse(scratch, &what, "'kernel' has 0 bytes");
	what.info.kernel = "k";
	what.info.parameter_pointers.items = &pointer;
	must_refuse(scratch, &what, "pointer 0 of list 0, at offset 4");
	pointer.offset = 16;
	must_refuse(scratch, &what, "pointer 0 of list 0, at offset 16");
	pointer = (struct capture_pointer){8, 3, 0};
	must_refuse(scratch, &what, "byte 0 of memory 3, is impossible");
	pointer = (struct capture_pointer){8, 2, SAMPLE_VARIABLE_BYTES + 1};
	must_refuse(scratch, &what, "byte 4 of memory 2, is impossible");
	pointer = (struct capture_pointer){8, 2, SAMPLE_VARIABLE_BYTES};
	memory[1].before.count = CAPTURE_MOST_POINTERS;
	must_refuse(scratch, &what, "there are more than 4194304 pointers");
	memory[1].before = (struct capture_pointers){descending, ARRAY_SIZE(descending)};
	must_refuse(scratch, &what, "the pointers of list 3 do not ascend at offset 0");
	memory[1].address -= 1;
	must_refuse(scratch, &what, "memory 0 and memory 1 overlap");
	memory[1].address += 1;
	memory[0].variable = "x";
	must_refuse(scratch, &what, "memory 0: only a variable has a name");
}

static void test_calls_out_of_order(void **state)
{
	const struct scratch *scratch = *state;
	struct capture_writer *writer = writer_at(scratch->path);
	struct error err = {0};

	assert_int_equal(capture_write_before(writer, 1, "x", 1, NULL), PL_EUSAGE);
	assert_int_equal(capture_write_changed(writer, 0, 0, "x", 1, NULL), PL_EUSAGE);
	assert_int_equal(capture_write_before(writer, 0, "abcd", 4, NULL), 0);
	assert_int_equal(capture_write_before(writer, 1, "abcd", 4, NULL), 0);
	assert_int_equal(capture_write_before(writer, 0, "efgh", 4, &err), PL_EUSAGE);
	assert_string_equal(err.text, "the contents of memory 0 are written out of order");
	assert_int_equal(capture_write_changed(writer, 0, 2, "xyz", 3, NULL), PL_EUSAGE);
	assert_int_equal(capture_write_changed(writer, 0, 1, "xy", 2, NULL), 0);
	assert_int_equal(capture_write_changed(writer, 0, 2, "xy", 2, NULL), PL_EUSAGE);
	assert_int_equal(capture_write_changed(writer, 1, 0, "xy", 2, NULL), 0);
	assert_int_equal(capture_write_changed(writer, 0, 3, "x", 1, NULL), PL_EUSAGE);
	assert_int_equal(capture_write_before(writer, 2, "x", 1, NULL), PL_EUSAGE);
	assert_int_equal(capture_write_image(writer, CAPTURE_CUBIN, "x", 1, NULL), 0);
	assert_int_equal(capture_write_image(writer, CAPTURE_CUBIN, "x", 1, NULL), PL_EUSAGE);
	capture_writer_abandon(writer);
	assert_int_equal(files_in(scratch->folder), 0);
}

/* A description must agree with what was written. */
static void test_what_was_not_written(void **state)
{
	const struct scratch *scratch = *state;
	struct made_capture what = sample_capture();
	struct capture_memory memory = {.address = 4096, .bytes = 1};
	struct capture_writer *writer = writer_at(scratch->path);
	struct error err = {0};

	what.info.parameter_pointers.count = 0;
	what.info.ptx_origin = NULL;
	assert_int_equal(capture_writer_commit(writer, &what.info, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "an image is missing"));
	writer = writer_at(scratch->path);
	assert_int_equal(capture_write_image(writer, CAPTURE_CUBIN, "x", 1, NULL), 0);
	assert_int_equal(capture_writer_commit(writer, &what.info, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "0 of 3 memories were written"));
	writer = writer_at(scratch->path);
	assert_int_equal(capture_write_image(writer, CAPTURE_CUBIN, "x", 1, NULL), 0);
	assert_int_equal(capture_write_before(writer, 0, "x", 1, NULL), 0);
	what.info.memory_count = 1;
	assert_int_equal(capture_writer_commit(writer, &what.info, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "memory 0 was not written as it is described"));
	memory.changed = true;
	what.info.memory = &memory;
	writer = writer_at(scratch->path);
	assert_int_equal(capture_write_image(writer, CAPTURE_CUBIN, "x", 1, NULL), 0);
	assert_int_equal(capture_write_before(writer, 0, "x", 1, NULL), 0);
	assert_int_equal(capture_writer_commit(writer, &what.info, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "memory 0 was not written as it is described"));
	assert_int_equal(files_in(scratch->folder), 0);
}

/*
 * The limit of file sizes stands for a disk that is full at any byte. Its
 * signal would end this process, as it would end the recorded program.
 */
static void test_full_disk(void **state)
{
	const struct scratch *scratch = *state;
	const struct made_capture what = sample_capture();
	struct rlimit before, limit;
	struct stat file;

	make_sample(scratch->path);
	assert_int_equal(stat(scratch->path, &file), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	for (off_t bytes = 0; bytes < file.st_size; bytes += 7) {
		struct error err = {0};
		int rc;

		limit.rlim_cur = (rlim_t)bytes;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		rc = make_capture(scratch->other, &what, &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_int_equal(rc, PL_EIO);
		assert_non_null(strstr(err.text, scratch->other));
		assert_non_null(strstr(err.text, "File too large"));
		assert_kept(scratch);
	}
}

static void test_bad_folders(void **state)
{
	const struct scratch *scratch = *state;
	const struct made_capture what = sample_capture();
	struct capture_writer *writer = NULL;
	char *missing = xasprintf("%s/no/a.capture", scratch->folder);
	struct error err = {0};

	assert_int_equal(capture_writer_open(&writer, missing, &err), PL_EIO);
	assert_null(writer);
	assert_non_null(strstr(err.text, missing));
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_int_equal(mkdir(scratch->path, 0700), 0);
	assert_int_equal(make_capture(scratch->path, &what, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, scratch->path));
	assert_int_equal(files_in(scratch->folder), 1);
	free(missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
		SCRATCH_TEST(test_abandon_leaves_nothing),
		SCRATCH_TEST(test_two_writers_of_one_path),
		SCRATCH_TEST(test_commit_replaces_nothing),
		SCRATCH_TEST(test_impossible_descriptions),
		SCRATCH_TEST(test_calls_out_of_order),
		SCRATCH_TEST(test_what_was_not_written),
		SCRATCH_TEST(test_full_disk),
		SCRATCH_TEST(test_bad_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
