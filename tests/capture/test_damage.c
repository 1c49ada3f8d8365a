/* Files that are cut, damaged or hostile. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/index.h"
#include "tests/capture/capture_support.h"
#include "tests/capture/edit_capture.h"
#include "tests/emulator/support_sanitized.h"

static void must_fail(const char *path, int code, const char *message)
{
	struct capture *capture = NULL;
	struct error err = {0};
	int rc = capture_open(&capture, path, &err);

	assert_null(capture);
	if (rc != code || !strstr(err.text, message) || !strstr(err.text, path))
		fail_msg("%s: '%s' does not say '%s'", error_code_name(rc), err.text, message);
}

static void test_cut_at_each_byte(void **state)
{
	const struct scratch *scratch = *state;
	struct stat file;

	make_sample(scratch->path);
	assert_int_equal(stat(scratch->path, &file), 0);
	while (file.st_size-- > 0) {
		assert_int_equal(truncate(scratch->path, file.st_size), 0);
		must_fail(scratch->path, PL_EPARSE,
			  "is not complete: it was cut, or the recording did not end");
	}
}

/* Everything that a capture holds, in one text. */
static int read_everything(struct text *out, const char *path)
{
	struct capture *capture = NULL;
	char data[SAMPLE_BYTES];
	char *image = NULL;
	size_t bytes = 0;
	int rc = capture_open(&capture, path, NULL);

	for (size_t i = 0; !rc && i < 3; i++)
		for (int when = 0; when < 2 && !rc; when++) {
			rc = capture_read_memory(capture, i, (enum capture_state)when, data, NULL);
			if (!rc)
				text_add_bytes(out, data, capture_info(capture)->memory[i].bytes);
		}
	for (int i = 0; i < 2 && !rc; i++) {
		rc = capture_read_image(capture, (enum capture_image)i, &image, &bytes, NULL);
		if (!rc)
			text_add_bytes(out, image, bytes);
		free(image);
		image = NULL;
	}
	capture_close(capture);
	return rc;
}

/* A bit that was changed shows, unless it changes nothing that is read. With sanitizers one or two
   bits of each byte are changed: it takes ten times as long. */
static void test_each_bit_changed(void **state)
{
	const struct scratch *scratch = *state;
	struct text expected = TEXT_INIT;
	struct text got = TEXT_INIT;
	size_t bytes = 0, unnoticed = 0;
	char *data = NULL;
	int fd;

	make_sample(scratch->path);
	assert_int_equal(read_everything(&expected, scratch->path), 0);
	assert_int_equal(read_file(&data, &bytes, scratch->path, 1 << 20, NULL), 0);
	fd = open(scratch->path, O_WRONLY);
	assert_true(fd >= 0);
	for (size_t bit = 0; bit < 8 * bytes; bit += SANITIZED ? 7 : 1) {
		const char changed = (char)(data[bit / 8] ^ 1 << bit % 8);
		int rc;

		assert_int_equal(pwrite(fd, &changed, 1, (off_t)(bit / 8)), 1);
		text_clear(&got);
		rc = read_everything(&got, scratch->path);
		assert_int_equal(pwrite(fd, &data[bit / 8], 1, (off_t)(bit / 8)), 1);
		if (rc)
			continue;
		unnoticed++;
		assert_int_equal(got.length, expected.length);
		assert_memory_equal(got.data, expected.data, got.length);
	}
	close(fd);
	/* Zstandard has bits that decoders ignore. */
	assert_in_range(unnoticed, 0, bytes / 20);
	text_release(&expected);
	text_release(&got);
	free(data);
}

static void test_other_files(void **state)
{
	const struct scratch *scratch = *state;
	char *missing = xasprintf("%s/missing/a.capture", scratch->folder);
	unsigned char header[64] = HEADER_MAGIC;

	must_fail(missing, PL_ENOENT, "no such file");
	must_fail(scratch->folder, PL_EPARSE, "is a folder");
	assert_int_equal(mkfifo(scratch->path, 0600), 0);
	must_fail(scratch->path, PL_EPARSE, "is a pipe");
	write_bytes(scratch->other, "{\"kernel\": \"this is JSON of some other program\"}", 48);
	must_fail(scratch->other, PL_EPARSE, "is no capture");
	header[MAGIC_BYTES] = CAPTURE_VERSION + 1;
	write_bytes(scratch->other, header, sizeof(header));
	must_fail(scratch->other, PL_EVERSION, "use the perflab that recorded it");
	free(missing);
}

/* The message names the part, and the other parts can be read. */
static void test_damaged_parts(void **state)
{
	static const struct {
		const char *part, *message;
	} rows[] = {
		{"memory/0/before", "the contents of memory 0 are damaged"},
		{"memory/0/changes", "the changes of memory 0 are damaged"},
		{"memory/1/before", "the contents of memory 1 are damaged"},
	};
	const struct scratch *scratch = *state;
	struct edited_capture edited;

	make_sample(scratch->path);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char data[SAMPLE_BYTES];
		char *hash = xasprintf("%s/xxh64", rows[i].part);
		const size_t memory = (size_t)(rows[i].part[7] - '0');
		struct capture *capture;
		struct error err = {0};

		edit_open(&edited, scratch->path);
		edit_set(&edited, hash, "\"0123456789abcdef\"");
		edit_save(&edited, scratch->other);
		edit_close(&edited);
		capture = must_open(scratch->other);
		assert_int_equal(capture_read_memory(capture, memory, CAPTURE_AFTER, data, &err),
				 PL_EPARSE);
		assert_non_null(strstr(err.text, rows[i].message));
		assert_non_null(strstr(err.text, scratch->other));
		assert_int_equal(capture_read_memory(capture, 2, CAPTURE_AFTER, data, NULL), 0);
		capture_close(capture);
		free(hash);
	}
}

/* The hash is that of all bytes, the size is not. */
static void test_part_longer_than_it_says(void **state)
{
	const struct scratch *scratch = *state;
	struct edited_capture edited;
	struct capture *capture;
	struct error err = {0};
	char data[SAMPLE_VARIABLE_BYTES];

	make_sample(scratch->path);
	edit_open(&edited, scratch->path);
	edit_set(&edited, "memory/2/before/raw_bytes", "2");
	edit_save(&edited, scratch->other);
	edit_close(&edited);
	capture = must_open(scratch->other);
	assert_int_equal(capture_read_memory(capture, 2, CAPTURE_BEFORE, data, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "the contents of memory 2 are damaged"));
	capture_close(capture);
}

static void test_bytes_after_the_index(void **state)
{
	const struct scratch *scratch = *state;
	struct text file = TEXT_INIT;
	size_t bytes = 0;
	char *data = NULL;

	make_sample(scratch->path);
	assert_int_equal(read_file(&data, &bytes, scratch->path, 1 << 20, NULL), 0);
	text_add_bytes(&file, data, bytes - FOOTER_BYTES);
	text_add_char(&file, ' ');
	text_add_bytes(&file, data + bytes - FOOTER_BYTES, FOOTER_BYTES);
	write_bytes(scratch->other, file.data, file.length);
	must_fail(scratch->other, PL_EPARSE, "is not complete");
	text_release(&file);
	free(data);
}

static void must_refuse_index(const struct scratch *scratch, const char *member, const char *value,
			      const char *message)
{
	struct edited_capture edited;

	edit_open(&edited, scratch->path);
	edit_set(&edited, member, value);
	edit_save(&edited, scratch->other);
	edit_close(&edited);
	must_fail(scratch->other, PL_EPARSE, message);
}

static void test_hostile_index(void **state)
{
	static const struct {
		const char *member, *value, *message;
	} rows[] = {
		{"kernel", NULL, "'kernel' is missing"},
		{"kernel", "7", "'kernel' is missing or has the wrong type"},
		{"kernel", "\"\"", "'kernel' has 0 bytes"},
		{"program", "\"a\\nb\"", "'program' has control characters"},
		{"uuid", "\"\\u007f\"", "'uuid' has control characters"},
		{"number", "0", "'number' is 0"},
		{"number", "1.5", "'number' is missing or has the wrong type"},
		{"cc_major", "100", "'cc_major' is 100"},
		{"launch", "[]", "'shared_bytes' is missing"},
		{"launch/grid/0", "0", "'grid' is 0"},
		{"launch/grid/0", "2147483648", "'grid' is 2147483648"},
		{"launch/grid", "[1, 1]", "'grid' is missing"},
		{"launch/grid", "[1, 1, \"1\"]", "'grid' is missing"},
		{"launch/block/2", "-1", "'block' is -1"},
		{"launch/cluster/1", "0", "'cluster' is 0"},
		{"launch/shared_bytes", "-1", "'shared_bytes' is -1"},
		{"launch/cooperative", "1", "'cooperative' is missing"},
		{"launch/carveout", "101", "'carveout' is 101"},
		{"launch/carveout", "-1", "'carveout' is missing"},
		{"parameters/data", "\"0\"", "'data' is missing"},
		{"parameters/data", "\"0x\"", "'data' is missing"},
		{"parameters/data", "\"00\"", "parameter 0, 4 bytes at offset 0"},
		{"parameters/places", "[[0, 8], [4, 8]]", "parameter 1, 8 bytes at offset 4"},
		{"parameters/places", "[[8, 9]]", "parameter 0, 9 bytes at offset 8"},
		{"parameters/places", "[[8, 0]]", "parameter 0, 0 bytes at offset 8"},
		{"parameters/places", "[[-1, 2]]", "overlaps another or ends after byte 16"},
		{"parameters/places", "[[0]]", "'places' is missing"},
		{"parameters/pointers", "-1", "'pointers' is missing"},
		{"parameters/pointers", "9223372036854775807", "more than 4194304 pointers"},
		{"parameters/pointers", "2", "there are 6 pointers in 120 bytes"},
		{"memory", "{}", "'memory' is missing"},
		{"memory/0", "null", "memory 0: 'kind' is missing"},
		{"memory/0/kind", "\"disk\"", "memory 0: 'kind'"},
		{"memory/0/kind", "\"variable\"", "memory 0: only a variable has a name"},
		{"memory/2/variable", "null", "memory 2: only a variable has a name"},
		{"memory/1/address", "0", "memory 1: its address is 0"},
		{"memory/1/address", "-4096", "memory 1: 'address'"},
		{"memory/1/address", "9223372036854775807", "memory 1: its address is 0x7f"},
		{"memory/1/address", "139637976727553", "memory 0 and memory 1 overlap"},
		{"memory/1/pointers_after", "1", "it is unchanged and has pointers"},
		{"memory/0/before", "null", "memory 0: 'before'"},
		{"memory/0/before/offset", "15", "a part is outside of the file"},
		{"memory/0/before/offset", "9223372036854775807", "outside of the file"},
		{"memory/0/before/stored_bytes", "9223372036854775807", "outside of the file"},
		{"memory/0/before/stored_bytes", "0", "its size is impossible"},
		{"memory/0/before/raw_bytes", "0", "its size is impossible"},
		/* a bomb: no compression is this good */
		{"memory/0/before/raw_bytes", "1000000000", "its size is impossible"},
		{"memory/0/before/raw_bytes", "100000000000000", "its size is impossible"},
		{"memory/0/before/xxh64", "\"0123456789abcde\"", "'xxh64'"},
		{"memory/0/before/xxh64", "\"0123456789abcdef00\"", "'xxh64'"},
		{"memory/0/changes", "7", "memory 0: 'changes'"},
		{"pointers", "null", "there are 5 pointers in 0 bytes"},
		{"cubin", "null", "'cubin'"},
		{"ptx", "null", "'ptx' and 'ptx_origin' do not agree"},
		{"cubin",
		 "{\"offset\": 16, \"stored_bytes\": 40000, \"raw_bytes\": 1073741825, "
		 "\"xxh64\": \"0123456789abcdef\"}",
		 "an image has more than 1073741824 bytes"},
		{"ptx",
		 "{\"offset\": 16, \"stored_bytes\": 40000, \"raw_bytes\": 1073741825, "
		 "\"xxh64\": \"0123456789abcdef\"}",
		 "an image has more than 1073741824 bytes"},
		{"ptx_origin", "null", "'ptx' and 'ptx_origin' do not agree"},
		{"lost", "[1]", "'lost' is missing"},
		{"lost", "[\"\\u0001\"]", "'lost' has control characters"},
	};
	const struct scratch *scratch = *state;

	make_sample(scratch->path);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		must_refuse_index(scratch, rows[i].member, rows[i].value, rows[i].message);
}

static void test_too_many_of_all(void **state)
{
	const struct scratch *scratch = *state;
	json_t *many = json_array();
	struct text text = TEXT_INIT;
	char *lost;

	make_sample(scratch->path);
	for (int i = 0; i <= CAPTURE_MOST_MEMORY; i++)
		json_array_append_new(many, json_string("x"));
	lost = json_dumps(many, 0);
	must_refuse_index(scratch, "memory", lost, "'memory' is missing");
	must_refuse_index(scratch, "lost", lost, "'lost' is missing");
	json_decref(many);
	free(lost);
	text_add_char(&text, '"');
	for (int i = 0; i <= CAPTURE_MOST_TEXT; i++)
		text_add_char(&text, 'x');
	text_add_char(&text, '"');
	must_refuse_index(scratch, "program", text.data, "'program' is missing");
	text_release(&text);
}

/* Uses the content of memory 1 as another part, so that it can hold anything. */
static void make_with_part(const struct scratch *scratch, const uint64_t *words, size_t count,
			   const char *member)
{
	unsigned char second[SAMPLE_SECOND_BYTES] = {0};
	struct made_capture what = sample_capture();
	struct made_content content[3];
	struct capture_memory memory[3];
	struct edited_capture edited;
	char *part;

	memcpy(content, what.content, sizeof(content));
	memcpy(memory, what.info.memory, sizeof(memory));
	for (size_t i = 0; i < count; i++)
		number_put(second + 8 * i, words[i], 8);
	content[1].before = second;
	memory[1].bytes = 8 * count;
	memory[1].before.count = 0;
	memory[0].before.count = memory[0].after.count = 0;
	what.info.memory = memory;
	what.content = content;
	assert_int_equal(make_capture(scratch->path, &what, NULL), 0);
	edit_open(&edited, scratch->path);
	part = edit_get(&edited, "memory/1/before");
	edit_set(&edited, member, part);
	edit_save(&edited, scratch->other);
	edit_close(&edited);
	free(part);
}

static void test_hostile_ranges(void **state)
{
	static const struct {
		uint64_t words[5];
		size_t count;
	} rows[] = {
		{{0, 9, 0}, 3},                /* more than the part holds */
		{{SAMPLE_BYTES - 7, 8, 0}, 3}, /* beyond the memory */
		{{SAMPLE_BYTES + 1, 0}, 2},    /* begins beyond it */
		{{UINT64_MAX, 8, 0}, 3},       /* the sum is small again */
		{{8, UINT64_MAX, 0}, 3},       /* the same */
		{{8, 0, 0, 0}, 4},             /* does not ascend */
		{{0, 0, 0}, 3},                /* half of a header is left */
	};
	const struct scratch *scratch = *state;
	unsigned char data[SAMPLE_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct capture *capture;
		struct error err = {0};

		make_with_part(scratch, rows[i].words, rows[i].count, "memory/0/changes");
		capture = must_open(scratch->other);
		if (!capture_read_memory(capture, 0, CAPTURE_AFTER, data, &err))
			fail_msg("row %zu was accepted", i);
		assert_non_null(strstr(err.text, "the changes of memory 0 are damaged"));
		assert_int_equal(capture_read_memory(capture, 0, CAPTURE_BEFORE, data, NULL), 0);
		capture_close(capture);
	}
}

/* The only pointer is one of the parameters. */
static void test_hostile_pointers(void **state)
{
	static const struct {
		uint64_t words[3];
		const char *message;
	} rows[] = {
		{{4, 0, 0}, "at offset 4"},
		{{16, 0, 0}, "at offset 16"},
		{{UINT64_MAX - 7, 0, 0}, "at offset 18446744073709551608"},
		{{8, 3, 0}, "of memory 3, is impossible"},
		{{8, UINT64_MAX, 0}, "is impossible"},
		{{8, 2, 4}, "to byte 4 of memory 2, is impossible"},
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_with_part(scratch, rows[i].words, 3, "pointers");
		must_fail(scratch->other, PL_EPARSE, rows[i].message);
	}
}

/* Somebody cuts the file while it is read. */
static void test_cut_while_open(void **state)
{
	const struct scratch *scratch = *state;
	unsigned char data[SAMPLE_BYTES];
	struct capture *capture;
	struct error err = {0};

	make_sample(scratch->path);
	capture = must_open(scratch->path);
	write_bytes(scratch->path, "", 0);
	assert_int_equal(capture_read_memory(capture, 0, CAPTURE_BEFORE, data, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "the contents of memory 0 are damaged"));
	capture_close(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
		SCRATCH_TEST(test_cut_at_each_byte),
		SCRATCH_TEST(test_each_bit_changed),
		SCRATCH_TEST(test_other_files),
		SCRATCH_TEST(test_damaged_parts),
		SCRATCH_TEST(test_part_longer_than_it_says),
		SCRATCH_TEST(test_bytes_after_the_index),
		SCRATCH_TEST(test_hostile_index),
		SCRATCH_TEST(test_too_many_of_all),
		SCRATCH_TEST(test_hostile_ranges),
		SCRATCH_TEST(test_hostile_pointers),
		SCRATCH_TEST(test_cut_while_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
