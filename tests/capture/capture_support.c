#include "tests/capture/capture_support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROW(x) (x), (x) + 1, (x) + 2, (x) + 3, (x) + 4, (x) + 5, (x) + 6, (x) + 7
#define ADDRESS 0x7f0000000000

int scratch_setup(void **state)
{
	struct scratch *scratch = xcalloc(1, sizeof(*scratch));

	if (temporary_folder_make(&scratch->folder, "capture-test", NULL))
		return -1;
	scratch->path = xasprintf("%s/a.capture", scratch->folder);
	scratch->other = xasprintf("%s/b.capture", scratch->folder);
	*state = scratch;
	return 0;
}

int scratch_teardown(void **state)
{
	struct scratch *scratch = *state;

	folder_remove(scratch->folder);
	free(scratch->folder);
	free(scratch->path);
	free(scratch->other);
	free(scratch);
	return 0;
}

size_t files_in(const char *folder)
{
	DIR *stream = opendir(folder);
	size_t count = 0;

	assert_non_null(stream);
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
		count += entry->d_name[0] != '.';
	closedir(stream);
	return count;
}

/* The rest of both is zero. */
const unsigned char sample_before[SAMPLE_BYTES] = {ROW(1), ROW(11), ROW(21), ROW(31)};
const unsigned char sample_after[SAMPLE_BYTES] = {ROW(1),  ROW(12),    ROW(21),
						  ROW(31), [1000] = 7, [4095] = 9};

struct made_capture sample_capture(void)
{
	static const unsigned char second[SAMPLE_SECOND_BYTES] = {[8] = 1, [511] = 255};
	static const unsigned char variable[SAMPLE_VARIABLE_BYTES] = {1, 2, 3};
	static const struct made_content content[] = {
		{sample_before, sample_after}, {second, NULL}, {variable, NULL}};
	static struct capture_pointer before[] = {{0, 1, 0}, {24, 0, SAMPLE_BYTES}};
	static struct capture_pointer after[] = {{8, 1, 16}};
	static struct capture_pointer second_pointers[] = {{504, 2, 1}};
	static struct capture_pointer in_parameters[] = {{8, 0, 128}};
	static struct capture_memory memory[] = {
		{.kind = CAPTURE_MANAGED,
		 .address = ADDRESS,
		 .bytes = SAMPLE_BYTES,
		 .before = {before, ARRAY_SIZE(before)},
		 .after = {after, ARRAY_SIZE(after)}},
		{.kind = CAPTURE_HOST,
		 .address = ADDRESS + SAMPLE_BYTES,
		 .bytes = SAMPLE_SECOND_BYTES,
		 .before = {second_pointers, ARRAY_SIZE(second_pointers)}},
		{.kind = CAPTURE_VARIABLE,
		 .address = ADDRESS + 64,
		 .bytes = SAMPLE_VARIABLE_BYTES,
		 .variable = "counter"},
	};
	static struct capture_parameter parameters[] = {{0, 4}, {8, 8}};
	static unsigned char data[] = {ROW(0), ROW(100)};
	static char *lost[] = {"parameter 2 at offset 16 looks like an address"};

	return (struct made_capture){
		.info = {.kernel = "_Z6kernelPf",
			 .number = 3,
			 .api = "cuLaunchKernelEx",
			 .program = "python train.py --name gr\xc3\xbc\xc3\x9f",
			 .created = "2026-11-23T07:30:00Z",
			 .version = "0.1.0",
			 .device = "NVIDIA H200",
			 .uuid = "GPU-1",
			 .cc_major = 9,
			 .cc_minor = 1,
			 .driver_version = 13010,
			 .launch = {.grid = {2147483647, 2, 3},
				    .block = {32, 4, 2},
				    .cluster = {1, 2, 1},
				    .shared_bytes = 232448,
				    .cooperative = true,
				    .carveout = 100},
			 .parameter_data = data,
			 .parameter_bytes = sizeof(data),
			 .parameters = parameters,
			 .parameter_count = ARRAY_SIZE(parameters),
			 .parameter_pointers = {in_parameters, ARRAY_SIZE(in_parameters)},
			 .memory = memory,
			 .memory_count = ARRAY_SIZE(memory),
			 .lost = {lost, ARRAY_SIZE(lost), 0},
			 .ptx_origin = "the fat binary of the program"},
		.content = content,
		.cubin = "\x7f"
			 "ELF\0machine code",
		.cubin_bytes = 17,
		.ptx = ".version 9.0\n",
	};
}

void make_sample(const char *path)
{
	const struct made_capture what = sample_capture();
	struct error err = {0};

	if (make_capture(path, &what, &err))
		fail_msg("%s", err.text);
}

struct capture *must_open(const char *path)
{
	struct capture *capture = NULL;
	struct error err = {0};

	if (capture_open(&capture, path, &err))
		fail_msg("%s", err.text);
	return capture;
}
