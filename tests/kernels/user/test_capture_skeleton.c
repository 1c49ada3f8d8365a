/* The skeleton of a replacement: what it says, and that it is accepted beside its capture. */
#include "tests/kernels/user/recorded_demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/user/skeleton.h"

static char *skeleton_of(const struct demo *demo)
{
	/* `changed` and the defaults come from writing and reading. */
	char *path = xstrdup("/tmp/perflab-skeleton-XXXXXX");
	struct capture *capture = NULL;
	struct text text = TEXT_INIT;
	struct error err = {0};
	char *file;

	assert_non_null(mkdtemp(path));
	file = xasprintf("%s/k.capture", path);
	if (make_capture(file, &demo->what, &err) || capture_open(&capture, file, &err))
		fail_msg("%s", err.text);
	capture_skeleton_write(&text, "k.capture", capture_info(capture));
	capture_close(capture);
	remove(file);
	rmdir(path);
	free(file);
	free(path);
	return text_detach(&text);
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

/* Reads k.capture with its skeleton, and returns the kernel. */
static const struct kernel *accepted(struct folder *folder, const struct demo *demo)
{
	char *text = skeleton_of(demo);

	write_demo(folder, demo, "k.capture");
	folder_write(folder, "my.cu", text);
	free(text);
	return folder_kernel(folder, FILES("k.capture", "my.cu"));
}

static void test_text(void **state)
{
	struct demo *demo = xcalloc(1, sizeof(*demo));
	char *text;

	(void)state;
	demo_fill(demo);
	string_list_add(&demo->what.info.lost, "parameter 4 at offset 16 is lost");
	text = skeleton_of(demo);
	expect_part(text, "// kernel   \"k(int, float const*, float*, double, lists)\"\n");
	expect_part(text, "// program  \"./app # \"x\" // y\"\n");
	expect_part(text, "// grid     8 x 2 x 1 blocks of 128 x 1 x 2 threads, 64 bytes");
	expect_part(text, "//   m0: 4096 bytes of the device, changed by the launch: a result\n");
	expect_part(text, "//   m2: 256 bytes of the device, the variable \"_ZL5table\"\n");
	expect_part(text, "//   p0: 4 bytes, int = 1000\n");
	expect_part(text, "//   p1: 8 bytes, a pointer to float = m1 + 256\n");
	expect_part(text, "//   p4: 20 bytes, a struct or class = these words of 4 bytes, without "
			  "zeroes:\n"
			  "//     at 0: -1\n//     at 4: 7\n"
			  "//     at 8: p4_8 = m1 + 16\n//     at 16: 9\n");
	expect_part(text, "//   \"parameter 4 at offset 16 is lost\"\n");
	expect_part(text, "// perflab: launch replacement<<<dim3(ceil_div(1024, threads), 2, 1), "
			  "dim3(threads, 1, 2)>>>(p0, p1, p2, p3, p4_8)\n");
	expect_part(text, "// perflab: compare m0 as f32\n// perflab: tolerance rel = 1e-5\n");
	expect_part(text, "__global__ void replacement(int p0, const float *p1, float *p2, "
			  "double p3, const unsigned char *p4_8)\n");
	free(text);
	string_list_release(&demo->what.info.lost);
	free(demo);
}

static void test_is_accepted(void **state)
{
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	const struct kernel *kernel;

	demo_fill(demo);
	kernel = accepted(folder, demo);
	assert_int_equal(kernel->variant_count, 2);
	assert_string_equal(kernel->variants[1].launches[0].entry, "replacement");
	assert_int_equal(kernel->variants[1].launches[0].arg_count, 5);
	demo->content[0].after = NULL;
	kernel = accepted(folder, demo);
	assert_int_equal(kernel->variants[1].check->kind, CHECK_NONE);
	free(demo);
}

/* Nothing in a text of the capture ends its comment or becomes an annotation. */
static void test_hostile_texts(void **state)
{
	static const char hostile[] = "// perflab: verify none \\";
	struct folder *folder = *state;
	struct demo *demo = xcalloc(1, sizeof(*demo));
	const struct kernel *kernel;
	char *text;

	demo_fill(demo);
	demo->what.info.program = (char *)(uintptr_t)hostile;
	demo->what.info.device = (char *)(uintptr_t)hostile;
	demo->what.info.kernel = (char *)(uintptr_t)hostile;
	demo->memory[2].variable = (char *)(uintptr_t)hostile;
	string_list_add(&demo->what.info.lost, hostile);
	text = skeleton_of(demo);
	assert_null(strstr(text, "\\\n"));
	free(text);
	kernel = accepted(folder, demo);
	assert_int_equal(kernel->variants[1].check->kind, CHECK_FILE);
	string_list_release(&demo->what.info.lost);
	free(demo);
}

/* Structs of addresses only, and so many of them that not every address has a name. */
static void test_many_addresses(void **state)
{
	enum { STRUCTS = 15, ADDRESSES = 200, WORD = 8, BYTES = ADDRESSES * WORD };
	struct folder *folder = *state;
	struct capture_parameter parameters[STRUCTS];
	struct capture_pointer *pointers = xcalloc(STRUCTS * ADDRESSES, sizeof(*pointers));
	struct capture_memory memory = {.address = 4096, .bytes = 4};
	const struct made_content content = {"abc", NULL};
	struct demo demo = {.what = {.info = {.parameters = parameters,
					      .parameter_count = STRUCTS,
					      .parameter_data = xcalloc(STRUCTS, BYTES),
					      .parameter_bytes = (size_t)STRUCTS * BYTES,
					      .parameter_pointers = {pointers, STRUCTS * ADDRESSES},
					      .memory = &memory,
					      .memory_count = 1},
				     .content = &content}};
	const struct kernel *kernel;

	for (size_t i = 0; i < STRUCTS; i++)
		parameters[i] = (struct capture_parameter){i * BYTES, BYTES};
	for (size_t i = 0; i < STRUCTS * ADDRESSES; i++) {
		const uint64_t address = 4096;

		pointers[i].offset = i * WORD;
		memcpy(demo.what.info.parameter_data + i * WORD, &address, WORD);
	}
	kernel = accepted(folder, &demo);
	assert_int_equal(kernel->variants[1].launches[0].arg_count, 128);
	assert_int_equal(kernel->variants[0].launches[0].args[STRUCTS - 1].field_count, ADDRESSES);
	free(demo.what.info.parameter_data);
	free(pointers);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		IN_FOLDER(test_is_accepted),
		IN_FOLDER(test_hostile_texts),
		IN_FOLDER(test_many_addresses),
	};

	return cmocka_run_group_tests_name("kernels_user_capture_skeleton", tests, NULL, NULL);
}
