/* Tests that a device is opened by its UUID: the driver shows it alone, the environment is as
 * before, and what goes wrong is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/workers/cuda/device.h"

#define VISIBLE "CUDA_VISIBLE_DEVICES"
/* The devices of fake_cuda.c. */
#define BYTES "00112233-4455-6677-8899-aabbccddee"
#define FIRST "GPU-" BYTES "00"
#define SECOND "GPU-" BYTES "01"
#define SLICE "MIG-" BYTES "ff"
#define NAMELESS_SLICE "MIG-" BYTES "fe" /* its name has no profile */
#define UNKNOWN "GPU-ffffffff-4455-6677-8899-aabbccddeeff"

/* Opens the device and checks that the variable is as before. NULL: it is not set. */
static int open_with(struct device *device, const char *visible, const char *uuid,
		     struct error *err)
{
	int rc;

	if (visible)
		setenv(VISIBLE, visible, 1);
	else
		unsetenv(VISIBLE);
	rc = device_open(device, 1, uuid, err);
	if (visible)
		assert_string_equal(getenv(VISIBLE), visible);
	else
		assert_null(getenv(VISIBLE));
	unsetenv(VISIBLE);
	return rc;
}

static void expect_opened(const char *visible, const char *uuid, const char *slice, int others)
{
	struct device device;
	struct error err = {0};
	int count = 0;

	if (open_with(&device, visible, uuid, &err))
		fail_msg("%s", err.text);
	assert_string_equal(device.info.uuid, uuid);
	device.driver.cuDeviceGetCount(&count);
	assert_int_equal(count, 1);
	assert_int_equal(device.handle, 0);
	if (slice)
		assert_string_equal(device_slice(&device.info), slice);
	else
		assert_null(device_slice(&device.info));
	/* NVML was asked about the same device */
	assert_int_equal(device.other_processes, others);
	device_close(&device);
}

static void expect_refused(const char *visible, const char *uuid, const char *text)
{
	struct device device;
	struct error err = {0};

	assert_int_equal(open_with(&device, visible, uuid, &err), PL_EDEVICE);
	assert_string_equal(err.text, text);
	device_close(&device);
}

static void a_gpu_is_shown_alone(void **state)
{
	(void)state;
	expect_opened(NULL, SECOND, NULL, 2);
	expect_opened("0,1", SECOND, NULL, 2);
	expect_opened("1", SECOND, NULL, 2);
	expect_opened("GPU-00112233", FIRST, NULL, 2);
	/* what is set and empty stays so: programs that verify inherit it */
	expect_opened("", FIRST, NULL, 2);
}

static void a_slice_is_shown_alone(void **state)
{
	(void)state;
	expect_opened(NULL, SLICE, "1g.18gb", 1);
	expect_opened(SLICE, SLICE, "1g.18gb", 1);
	/* only the variable tells that this is one */
	expect_opened(NULL, NAMELESS_SLICE, NULL, -1);
	expect_opened("0", NAMELESS_SLICE, NULL, -1);
}

static void without_a_uuid_the_number_counts(void **state)
{
	struct device device;
	struct error err = {0};

	(void)state;
	assert_int_equal(open_with(&device, NULL, NULL, &err), 0);
	assert_string_equal(device.info.uuid, SECOND);
	device_close(&device);
	assert_int_equal(open_with(&device, "1,0", NULL, &err), 0);
	assert_string_equal(device.info.uuid, FIRST);
	device_close(&device);
}

static void a_device_that_is_gone_is_named(void **state)
{
	static const char *const words[] = {
		UNKNOWN, "MIG-ffffffff-4455-6677-8899-aabbccddeeff", "MIG-", "", "7", "GPU"};
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(text, sizeof(text),
			 "the NVIDIA driver shows no device \"%s\": compare with perflab list "
			 "devices and nvidia-smi -L",
			 words[i]);
		expect_refused(NULL, words[i], text);
		expect_refused(SECOND, words[i], text);
	}
}

/* A number or the beginning of a UUID names a device, too, but which one may change. */
static void another_name_of_a_device_is_refused(void **state)
{
	(void)state;
	expect_refused(NULL, "1", "the driver shows device " SECOND " instead of 1");
	expect_refused(NULL, "1,0", "the driver shows device " SECOND " instead of 1,0");
	expect_refused(NULL, "GPU-00112233",
		       "the driver shows device " FIRST " instead of GPU-00112233");
	expect_refused(NULL, SECOND "," FIRST,
		       "the driver shows device " SECOND " instead of " SECOND "," FIRST);
}

static void another_device_is_refused(void **state)
{
	(void)state;
	setenv("FAKE_CUDA_SHOWS_ALL", "1", 1);
	expect_refused("1", SECOND, "the driver shows device " FIRST " instead of " SECOND);
	unsetenv("FAKE_CUDA_SHOWS_ALL");
}

static void a_driver_that_shows_nothing_is_no_fault_of_a_uuid(void **state)
{
	struct device device;
	struct error err = {0};

	(void)state;
	assert_int_equal(open_with(&device, "", NULL, &err), PL_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "finds no CUDA device"));
	assert_non_null(strstr(err.text, VISIBLE));
	device_close(&device);
}

/* As an H200's driver does. */
static void a_gpu_that_is_shown_twice_is_a_fault_of_the_variable(void **state)
{
	struct device device;
	struct error err = {0};

	(void)state;
	assert_int_equal(open_with(&device, "1,1", NULL, &err), PL_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "refuses CUDA_VISIBLE_DEVICES=\"1,1\""));
	assert_non_null(strstr(err.text, "name each GPU once"));
	device_close(&device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gpu_is_shown_alone),
		cmocka_unit_test(a_slice_is_shown_alone),
		cmocka_unit_test(without_a_uuid_the_number_counts),
		cmocka_unit_test(a_device_that_is_gone_is_named),
		cmocka_unit_test(another_name_of_a_device_is_refused),
		cmocka_unit_test(another_device_is_refused),
		cmocka_unit_test(a_driver_that_shows_nothing_is_no_fault_of_a_uuid),
		cmocka_unit_test(a_gpu_that_is_shown_twice_is_a_fault_of_the_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
