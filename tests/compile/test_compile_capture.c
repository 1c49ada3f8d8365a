/* Takes images out of captures. Exits with 77 if there is no compiler that makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compile/compile_parts.h"
#include "compile_support.h"
#include "tests/capture/make_capture.h"

/* Images of SAXPY_SOURCE for sm_90. */
struct images {
	char *ptx, *cubin;
	size_t cubin_bytes;
};

static struct images images_make(struct sandbox *box, const char *source)
{
	struct images images;
	struct compiled *compiled;
	size_t length;

	sandbox_source(box, "saxpy.cu", source);
	box->request.cubin = true;
	compiled = sandbox_compile(box);
	images.ptx = file_text(compiled->ptx, &length);
	images.cubin = file_text(compiled->cubin, &images.cubin_bytes);
	compiled_free(compiled);
	return images;
}

static void images_release(struct images *images)
{
	free(images->ptx);
	free(images->cubin);
}

/* Writes k.capture, old enough for the cache, and makes it the source of the request. */
static void capture_source(struct sandbox *box, const struct images *images, bool ptx, float first)
{
	struct capture_memory memory = {.address = 4096, .bytes = sizeof(first)};
	const struct made_content content = {&first, NULL};
	const struct made_capture what = {
		.info = {.kernel = "saxpy", .memory = &memory, .memory_count = 1},
		.content = &content,
		.cubin = images->cubin,
		.cubin_bytes = images->cubin_bytes,
		.ptx = ptx ? images->ptx : NULL,
	};
	char *path = xasprintf("%s/k.capture", box->folder);
	struct error err = {0};

	if (make_capture(path, &what, &err))
		fail_msg("%s", err.text);
	nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
	free((char *)box->request.source);
	box->request.source = path;
}

static void machine_code_is_taken_as_it_is(void **state)
{
	struct sandbox *box = *state;
	struct images images = images_make(box, SAXPY_SOURCE);
	struct compiled *compiled;
	size_t length;
	char *bytes;

	capture_source(box, &images, true, 1);
	box->request.arch = "sm_90a";
	compiled = sandbox_compile(box);
	assert_string_equal(compiled->tool, "none");
	assert_null(compiled->ptx);
	bytes = file_text(compiled->cubin, &length);
	assert_int_equal(length, images.cubin_bytes);
	assert_memory_equal(bytes, images.cubin, length);
	assert_int_equal(compiled->entry_count, 1);
	assert_string_equal(compiled->entries[0].name, "saxpy");
	assert_int_equal(compiled->entries[0].parameters[3].bytes, 8);
	free(bytes);
	compiled_free(compiled);
	images_release(&images);
}

static void ptx_serves_the_emulator_and_later_devices(void **state)
{
	struct sandbox *box = *state;
	struct images images = images_make(box, SAXPY_SOURCE);
	struct compiled *compiled;
	size_t length;
	char *bytes;

	capture_source(box, &images, true, 1);
	box->request.arch = "sm_100";
	compiled = sandbox_compile(box);
	assert_string_equal(compiled->tool, "ptxas");
	bytes = file_text(compiled->cubin, &length);
	assert_int_equal(cubin_arch(bytes, length), 100);
	free(bytes);
	compiled_free(compiled);

	box->request.arch = "sm_90";
	box->request.cubin = false;
	compiled = sandbox_compile(box);
	assert_null(compiled->cubin);
	bytes = file_text(compiled->ptx, &length);
	assert_memory_equal(bytes, images.ptx, strlen(images.ptx));
	assert_int_equal(compiled->entries[0].parameters[1].class, PARAMETER_REAL);
	free(bytes);
	compiled_free(compiled);
	images_release(&images);
}

static void machine_code_of_another_device(void **state)
{
	struct sandbox *box = *state;
	struct images images = images_make(box, SAXPY_SOURCE);

	capture_source(box, &images, false, 1);
	box->request.arch = "sm_80";
	sandbox_refused(box, PL_EUNSUPPORTED,
			"holds machine code for sm_90 and no PTX; it runs on such a GPU only",
			NULL);
	box->request.cubin = false;
	sandbox_refused(box, PL_EUNSUPPORTED, "no PTX, which the emulator needs", NULL);
	images_release(&images);
}

/* The data of a capture may have gigabytes and does not matter here; its images do. */
static void cache_depends_on_the_images(void **state)
{
	struct sandbox *box = *state;
	struct images images = images_make(box, SAXPY_SOURCE), other;

	capture_source(box, &images, true, 1);
	sandbox_expect(box, "none", false);
	sandbox_expect(box, "none", true);
	capture_source(box, &images, true, 2);
	sandbox_expect(box, "none", true);
	other = images_make(box, "extern \"C\" __global__ void saxpy(int *x) { *x = 1; }\n");
	capture_source(box, &other, true, 2);
	sandbox_expect(box, "none", false);
	images_release(&images);
	images_release(&other);
}

static void what_is_no_capture(void **state)
{
	struct sandbox *box = *state;

	sandbox_source(box, "k.capture", "this is no capture");
	sandbox_refused(box, PL_EPARSE, "k.capture", NULL);
	free((char *)box->request.source);
	box->request.source = xstrdup("/nonexistent/k.capture");
	sandbox_refused(box, PL_ENOENT, "k.capture", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SANDBOX(machine_code_is_taken_as_it_is),
		IN_SANDBOX(ptx_serves_the_emulator_and_later_devices),
		IN_SANDBOX(machine_code_of_another_device),
		IN_SANDBOX(cache_depends_on_the_images),
		IN_SANDBOX(what_is_no_capture),
	};

	if (!sandbox_has_tools())
		return 77;
	return cmocka_run_group_tests_name("compile_capture", tests, NULL, NULL);
}
