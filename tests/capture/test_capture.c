/* Captures that are written and read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/capture/capture_support.h"

static void assert_pointers(const struct capture_pointers *got,
			    const struct capture_pointers *expected)
{
	assert_int_equal(got->count, expected->count);
	for (size_t i = 0; i < got->count; i++) {
		assert_int_equal(got->items[i].offset, expected->items[i].offset);
		assert_int_equal(got->items[i].memory, expected->items[i].memory);
		assert_int_equal(got->items[i].addend, expected->items[i].addend);
	}
}

static void assert_memory(const struct capture_memory *got, const struct capture_memory *expected)
{
	assert_int_equal(got->kind, expected->kind);
	assert_int_equal(got->address, expected->address);
	assert_int_equal(got->bytes, expected->bytes);
	assert_pointers(&got->before, &expected->before);
	assert_pointers(&got->after, &expected->after);
	if (expected->variable)
		assert_string_equal(got->variable, expected->variable);
	else
		assert_null(got->variable);
}

static void test_the_description_comes_back(void **state)
{
	const struct scratch *scratch = *state;
	const struct made_capture sample = sample_capture();
	const struct capture_info *expected = &sample.info;
	const struct capture_info *got;
	struct capture *capture;

	make_sample(scratch->path);
	capture = must_open(scratch->path);
	got = capture_info(capture);
	assert_string_equal(got->kernel, expected->kernel);
	assert_string_equal(got->api, expected->api);
	assert_string_equal(got->program, expected->program);
	assert_string_equal(got->created, expected->created);
	assert_string_equal(got->version, expected->version);
	assert_string_equal(got->device, expected->device);
	assert_string_equal(got->uuid, expected->uuid);
	assert_string_equal(got->ptx_origin, expected->ptx_origin);
	assert_int_equal(got->number, 3);
	assert_int_equal(got->cc_major, 9);
	assert_int_equal(got->cc_minor, 1);
	assert_int_equal(got->driver_version, 13010);
	assert_memory_equal(got->launch.grid, expected->launch.grid, sizeof(got->launch.grid));
	assert_memory_equal(got->launch.block, expected->launch.block, sizeof(got->launch.block));
	assert_memory_equal(got->launch.cluster, expected->launch.cluster,
			    sizeof(got->launch.cluster));
	assert_int_equal(got->launch.shared_bytes, 232448);
	assert_true(got->launch.cooperative);
	assert_int_equal(got->launch.carveout, 100);
	assert_int_equal(got->parameter_bytes, expected->parameter_bytes);
	assert_memory_equal(got->parameter_data, expected->parameter_data, got->parameter_bytes);
	assert_int_equal(got->parameter_count, 2);
	assert_int_equal(got->parameters[1].offset, 8);
	assert_int_equal(got->parameters[1].bytes, 8);
	assert_pointers(&got->parameter_pointers, &expected->parameter_pointers);
	assert_int_equal(got->memory_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_memory(&got->memory[i], &expected->memory[i]);
	assert_true(got->memory[0].changed);
	assert_false(got->memory[1].changed);
	assert_int_equal(got->lost.count, 1);
	assert_string_equal(got->lost.items[0], expected->lost.items[0]);
	capture_close(capture);
}

static void test_the_contents_come_back(void **state)
{
	const struct scratch *scratch = *state;
	const struct made_capture sample = sample_capture();
	unsigned char data[SAMPLE_BYTES];
	struct capture *capture;
	struct stat file;

	make_sample(scratch->path);
	capture = must_open(scratch->path);
	assert_int_equal(capture_read_memory(capture, 0, CAPTURE_BEFORE, data, NULL), 0);
	assert_memory_equal(data, sample_before, SAMPLE_BYTES);
	assert_int_equal(capture_read_memory(capture, 0, CAPTURE_AFTER, data, NULL), 0);
	assert_memory_equal(data, sample_after, SAMPLE_BYTES);
	assert_int_equal(capture_read_memory(capture, 1, CAPTURE_AFTER, data, NULL), 0);
	assert_memory_equal(data, sample.content[1].before, SAMPLE_SECOND_BYTES);
	assert_int_equal(capture_read_memory(capture, 2, CAPTURE_BEFORE, data, NULL), 0);
	assert_memory_equal(data, sample.content[2].before, SAMPLE_VARIABLE_BYTES);
	assert_int_equal(stat(scratch->path, &file), 0);
	assert_int_equal(capture_file_bytes(capture), file.st_size);
	assert_true(capture_raw_bytes(capture) > SAMPLE_BYTES + SAMPLE_SECOND_BYTES);
	capture_close(capture);
}

static void test_images_come_back(void **state)
{
	const struct scratch *scratch = *state;
	struct made_capture sample = sample_capture();
	struct capture *capture;
	struct error err = {0};
	char *data = NULL;
	size_t bytes = 0;

	make_sample(scratch->path);
	capture = must_open(scratch->path);
	assert_int_equal(capture_read_image(capture, CAPTURE_CUBIN, &data, &bytes, NULL), 0);
	assert_int_equal(bytes, sample.cubin_bytes);
	assert_memory_equal(data, sample.cubin, bytes);
	free(data);
	assert_int_equal(capture_read_image(capture, CAPTURE_PTX, &data, &bytes, NULL), 0);
	assert_string_equal(data, sample.ptx);
	free(data);
	capture_close(capture);

	sample.ptx = NULL;
	sample.info.ptx_origin = NULL;
	assert_int_equal(make_capture(scratch->path, &sample, NULL), 0);
	capture = must_open(scratch->path);
	assert_int_equal(capture_read_image(capture, CAPTURE_PTX, &data, &bytes, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "has no PTX"));
	assert_null(capture_info(capture)->ptx_origin);
	capture_close(capture);
}

static void test_a_launch_without_anything(void **state)
{
	const struct scratch *scratch = *state;
	const struct made_capture what = {.info = {.launch = {.carveout = -1}}};
	const struct capture_info *info;
	struct capture *capture;

	assert_int_equal(make_capture(scratch->path, &what, NULL), 0);
	capture = must_open(scratch->path);
	info = capture_info(capture);
	assert_int_equal(info->memory_count, 0);
	assert_int_equal(info->parameter_bytes, 0);
	assert_int_equal(info->lost.count, 0);
	assert_int_equal(info->launch.carveout, -1);
	capture_close(capture);
}

static uint64_t word_at(const unsigned char *data, size_t offset)
{
	uint64_t word;

	memcpy(&word, data + offset, sizeof(word));
	return word;
}

static void test_pointers_are_relocated(void **state)
{
	const struct scratch *scratch = *state;
	const uint64_t addresses[] = {0, 0x1000, 0x2000};
	const uint64_t all[] = {0xa000, 0xb000, 0xc000};
	unsigned char data[SAMPLE_BYTES] = {0};
	struct capture *capture;

	make_sample(scratch->path);
	capture = must_open(scratch->path);
	/* an address of 0 leaves the pointer to memory 0 as it is */
	capture_relocate(capture, 0, CAPTURE_BEFORE, data, addresses);
	assert_int_equal(word_at(data, 0), 0x1000);
	assert_int_equal(word_at(data, 24), 0);
	capture_relocate(capture, 0, CAPTURE_BEFORE, data, all);
	assert_int_equal(word_at(data, 0), 0xb000);
	assert_int_equal(word_at(data, 24), 0xa000 + SAMPLE_BYTES);
	memset(data, 0, sizeof(data));
	capture_relocate(capture, 0, CAPTURE_AFTER, data, all);
	assert_int_equal(word_at(data, 0), 0);
	assert_int_equal(word_at(data, 8), 0xb000 + 16);
	/* unchanged memory has after the launch what it had before */
	capture_relocate(capture, 1, CAPTURE_AFTER, data, all);
	assert_int_equal(word_at(data, 504), 0xc001);
	capture_close(capture);
}

/* A recorder that looked for pointers after the launch need not remove them again. */
static void test_pointers_after_in_unchanged_memory(void **state)
{
	const struct scratch *scratch = *state;
	struct made_capture what = sample_capture();
	struct capture_pointer pointer = {0, 0, 0};
	struct capture_memory memory[3];
	struct capture *capture;

	memcpy(memory, what.info.memory, sizeof(memory));
	memory[1].after = (struct capture_pointers){&pointer, 1};
	what.info.memory = memory;
	assert_int_equal(make_capture(scratch->path, &what, NULL), 0);
	capture = must_open(scratch->path);
	assert_int_equal(capture_info(capture)->memory[1].after.count, 0);
	assert_pointers(&capture_info(capture)->memory[1].before, &memory[1].before);
	capture_close(capture);
}

static void test_many_pointers(void **state)
{
	enum { COUNT = 1000000 };
	const struct scratch *scratch = *state;
	struct capture_memory memory = {
		.address = 4096, .bytes = 8 * COUNT, .before = {.count = COUNT}};
	unsigned char *bytes = xcalloc(8, COUNT);
	struct made_content content = {bytes, NULL};
	const struct made_capture what = {.info = {.memory = &memory, .memory_count = 1},
					  .content = &content};
	const struct capture_pointers *got;
	struct capture *capture;

	memory.before.items = xcalloc(COUNT, sizeof(memory.before.items[0]));
	for (size_t i = 0; i < COUNT; i++)
		memory.before.items[i] = (struct capture_pointer){8 * i, 0, 8 * COUNT - i};
	assert_int_equal(make_capture(scratch->path, &what, NULL), 0);
	capture = must_open(scratch->path);
	got = &capture_info(capture)->memory[0].before;
	assert_int_equal(got->count, COUNT);
	assert_memory_equal(got->items, memory.before.items, COUNT * sizeof(got->items[0]));
	capture_close(capture);
	free(memory.before.items);
	free(bytes);
}

/* Larger than every buffer on the way, in pieces of odd sizes. */
static void test_large_memory(void **state)
{
	enum { BYTES = 9999999, PIECE = 777777 };
	const struct scratch *scratch = *state;
	struct capture_memory memory = {.address = 4096, .bytes = BYTES, .changed = true};
	struct made_capture what = {.info = {.memory = &memory, .memory_count = 1}};
	unsigned char *bytes = malloc(BYTES), *got = malloc(BYTES);
	struct capture_writer *writer;
	struct capture *capture;
	uint32_t random = 1;

	assert_true(bytes && got);
	for (size_t i = 0; i < BYTES; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(random >> (i < BYTES / 2 ? 24 : 31));
	}
	what = sample_capture();
	what.info.memory = &memory;
	what.info.memory_count = 1;
	what.info.ptx_origin = NULL;
	what.info.parameter_pointers.count = 0;
	assert_int_equal(capture_writer_open(&writer, scratch->path, NULL), 0);
	for (size_t i = 0; i < BYTES; i += PIECE)
		assert_int_equal(capture_write_before(writer, 0, bytes + i,
						      BYTES - i < PIECE ? BYTES - i : PIECE, NULL),
				 0);
	assert_int_equal(capture_write_image(writer, CAPTURE_CUBIN, "cubin", 5, NULL), 0);
	for (size_t i = PIECE; i + 2 * PIECE < BYTES; i += 2 * PIECE) {
		memset(bytes + i, 0x11, PIECE);
		assert_int_equal(capture_write_changed(writer, 0, i, bytes + i, PIECE, NULL), 0);
	}
	assert_true(capture_writer_bytes(writer) > BYTES / 2);
	assert_int_equal(capture_writer_commit(writer, &what.info, NULL), 0);
	capture = must_open(scratch->path);
	assert_int_equal(capture_read_memory(capture, 0, CAPTURE_AFTER, got, NULL), 0);
	assert_memory_equal(got, bytes, BYTES);
	capture_close(capture);
	free(bytes);
	free(got);
}

/* What a recorder finds in a process is written in a form that the reader takes. */
static void test_texts_are_cleaned(void **state)
{
	const struct scratch *scratch = *state;
	struct made_capture sample = sample_capture();
	const struct capture_info *info;
	struct capture *capture;
	char *lost[CAPTURE_MOST_LOST + 1];

	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		lost[i] = "a word";
	sample.info.program = "python -c 'a\nb\tc \x1b[31m \xff'";
	sample.info.lost = (struct string_list){lost, ARRAY_SIZE(lost), 0};
	sample.info.device = malloc(CAPTURE_MOST_TEXT + 2);
	assert_non_null(sample.info.device);
	memset(sample.info.device, 'd', CAPTURE_MOST_TEXT + 1);
	sample.info.device[CAPTURE_MOST_TEXT + 1] = '\0';
	assert_int_equal(make_capture(scratch->path, &sample, NULL), 0);
	capture = must_open(scratch->path);
	info = capture_info(capture);
	assert_string_equal(info->program, "python -c 'a b c  [31m ?'");
	assert_int_equal(strlen(info->device), CAPTURE_MOST_TEXT);
	assert_int_equal(info->lost.count, CAPTURE_MOST_LOST);
	assert_string_equal(info->lost.items[CAPTURE_MOST_LOST - 1], "2 more");
	capture_close(capture);
	free(sample.info.device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
		SCRATCH_TEST(test_the_description_comes_back),
		SCRATCH_TEST(test_the_contents_come_back),
		SCRATCH_TEST(test_images_come_back),
		SCRATCH_TEST(test_a_launch_without_anything),
		SCRATCH_TEST(test_pointers_are_relocated),
		SCRATCH_TEST(test_pointers_after_in_unchanged_memory),
		SCRATCH_TEST(test_many_pointers),
		SCRATCH_TEST(test_large_memory),
		SCRATCH_TEST(test_texts_are_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
