#include "tests/capture/make_demo.h"

#include <string.h>

#include "tests/capture/make_capture.h"

/* The order of the members is that of the parameters. */
struct saxpy_parameters {
	int32_t n;
	float a;
	uint64_t x, y;
};

struct list_parameters {
	uint64_t lists;
	int32_t count, n;
};

static void demo_put(void *out, size_t offset, const void *value, size_t bytes)
{
	memcpy((char *)out + offset, value, bytes);
}

static void float_put(void *out, size_t offset, int index, float value)
{
	demo_put(out, offset + (size_t)index * sizeof(value), &value, sizeof(value));
}

static void use_images(struct made_capture *what, const struct demo_images *images)
{
	what->ptx = images->ptx;
	what->cubin = images->cubin;
	what->cubin_bytes = images->cubin_bytes;
}

int make_demo_saxpy(const char *path, const struct demo_images *images, struct error *err)
{
	enum { BYTES = 16384, X = 512, Y = 8192, N = 1000 };
	const uint64_t address = 0x7f5a00000000;
	struct saxpy_parameters data = {N, 2.0f, address + X, address + Y};
	struct capture_parameter parameters[] = {{0, 4}, {4, 4}, {8, 8}, {16, 8}};
	struct capture_pointer pointers[] = {{8, 0, X}, {16, 0, Y}};
	struct capture_memory memory = {.kind = CAPTURE_DEVICE, .address = address, .bytes = BYTES};
	unsigned char before[BYTES], after[BYTES];
	struct made_content content = {before, after};
	struct made_capture what = {
		.info = {.kernel = "saxpy",
			 .program = "./saxpy 1000",
			 .launch = {.grid = {8, 1, 1}, .block = {128, 1, 1}, .carveout = -1},
			 .parameter_data = (unsigned char *)&data,
			 .parameter_bytes = sizeof(data),
			 .parameters = parameters,
			 .parameter_count = ARRAY_SIZE(parameters),
			 .parameter_pointers = {pointers, ARRAY_SIZE(pointers)},
			 .memory = &memory,
			 .memory_count = 1},
		.content = &content,
	};

	memset(before, 0xa5, BYTES);
	for (int i = 0; i < N; i++) {
		float_put(before, X, i, (float)(i % 17) - 8.0f);
		float_put(before, Y, i, (float)i);
	}
	memcpy(after, before, BYTES);
	for (int i = 0; i < N; i++)
		float_put(after, Y, i, 2.0f * ((float)(i % 17) - 8.0f) + (float)i);
	use_images(&what, images);
	return make_capture(path, &what, err);
}

int make_demo_lists(const char *path, const struct demo_images *images, struct error *err)
{
	enum { TABLE_BYTES = 512, BYTES = 4096, TABLE = 64, FIRST = 256, SECOND = 1024, N = 500 };
	const uint64_t address = 0x7f5b00000000;
	const uint64_t first = address + 4096, second = address + 65536;
	const uint64_t table[] = {first + FIRST, second + SECOND};
	struct list_parameters data = {address + TABLE, 2, N};
	struct capture_parameter parameters[] = {{0, 8}, {8, 4}, {12, 4}};
	struct capture_pointer pointer = {0, 0, TABLE};
	struct capture_pointer in_table[] = {{TABLE, 1, FIRST}, {TABLE + 8, 2, SECOND}};
	struct capture_memory memory[] = {
		{.address = address, .bytes = TABLE_BYTES, .before = {in_table, 2}},
		{.address = first, .bytes = BYTES},
		{.address = second, .bytes = BYTES},
	};
	unsigned char lists[TABLE_BYTES] = {0}, sum[BYTES] = {0}, after[BYTES] = {0};
	unsigned char added[BYTES] = {0};
	struct made_content content[] = {{lists, NULL}, {sum, after}, {added, NULL}};
	struct made_capture what = {
		.info = {.kernel = "add_lists",
			 .program = "./add_lists",
			 .launch = {.grid = {4, 1, 1}, .block = {128, 1, 1}, .carveout = -1},
			 .parameter_data = (unsigned char *)&data,
			 .parameter_bytes = sizeof(data),
			 .parameters = parameters,
			 .parameter_count = ARRAY_SIZE(parameters),
			 .parameter_pointers = {&pointer, 1},
			 .memory = memory,
			 .memory_count = ARRAY_SIZE(memory)},
		.content = content,
	};

	demo_put(lists, TABLE, table, sizeof(table));
	for (int i = 0; i < N; i++) {
		float_put(sum, FIRST, i, (float)(i % 31));
		float_put(added, SECOND, i, (float)(3 * i + 1));
		float_put(after, FIRST, i, (float)(i % 31 + 3 * i + 1));
	}
	use_images(&what, images);
	return make_capture(path, &what, err);
}
