/* Tests how a device is described: whole GPUs, and slices of one (MIG), by CUDA and by NVML. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/workers/cuda/device.h"

#define BYTES "00112233-4455-6677-8899-aabbccddeeff"

static const char *name = "NVIDIA H200";

static CUresult count_of(int *count)
{
	*count = 1;
	return CUDA_SUCCESS;
}

static CUresult handle_of(CUdevice *out, int ordinal)
{
	*out = ordinal;
	return CUDA_SUCCESS;
}

static CUresult name_of(char *out, int length, CUdevice device)
{
	(void)device;
	snprintf(out, (size_t)length, "%s", name);
	return CUDA_SUCCESS;
}

static CUresult uuid_of(CUuuid *out, CUdevice device)
{
	(void)device;
	for (int i = 0; i < 16; i++)
		out->bytes[i] = (char)(0x11 * i);
	return CUDA_SUCCESS;
}

static CUresult attribute_of(int *out, CUdevice_attribute what, CUdevice device)
{
	(void)device;
	*out = what == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 16 : 0;
	return CUDA_SUCCESS;
}

static CUresult memory_of(size_t *out, CUdevice device)
{
	(void)device;
	*out = 1 << 20;
	return CUDA_SUCCESS;
}

static CUresult version_of(int *out)
{
	*out = 13000;
	return CUDA_SUCCESS;
}

static CUresult bus_of(char *out, int length, CUdevice device)
{
	(void)device;
	snprintf(out, (size_t)length, "0000:3b:00.0");
	return CUDA_SUCCESS;
}

static const struct cuda_driver driver = {
	.cuDeviceGetCount = count_of,
	.cuDeviceGet = handle_of,
	.cuDeviceGetName = name_of,
	.cuDeviceGetUuid_v2 = uuid_of,
	.cuDeviceGetAttribute = attribute_of,
	.cuDeviceTotalMem = memory_of,
	.cuDriverGetVersion = version_of,
	.cuDeviceGetPCIBusId = bus_of,
};

static struct device_info described(const char *device_name)
{
	struct device_info info;
	struct error err = {0};
	char bus[32];

	name = device_name;
	if (device_describe(&driver, 0, &info, bus, &err))
		fail_msg("%s", err.text);
	return info;
}

static void a_gpu_has_the_uuid_of_a_gpu(void **state)
{
	struct device_info info = described("NVIDIA H200");

	(void)state;
	assert_string_equal(info.uuid, "GPU-" BYTES);
	assert_null(device_slice(&info));
	/* the bytes of another slice do not make it one */
	setenv("CUDA_VISIBLE_DEVICES", "MIG-ffffffff-4455-6677-8899-aabbccddeeff,0", 1);
	assert_string_equal(described("NVIDIA H200").uuid, "GPU-" BYTES);
	unsetenv("CUDA_VISIBLE_DEVICES");
	/* nor does a name that only contains the letters */
	assert_string_equal(described("NVIDIA MIGHTY").uuid, "GPU-" BYTES);
}

static void a_slice_has_the_uuid_of_a_slice(void **state)
{
	struct device_info info = described("NVIDIA H200 MIG 1g.18gb");

	(void)state;
	assert_string_equal(info.uuid, "MIG-" BYTES);
	assert_string_equal(device_slice(&info), "1g.18gb");
	/* a driver that does not name the profile: the variable names the slice */
	setenv("CUDA_VISIBLE_DEVICES", "MIG-" BYTES, 1);
	info = described("NVIDIA H200");
	assert_string_equal(info.uuid, "MIG-" BYTES);
	assert_null(device_slice(&info));
	unsetenv("CUDA_VISIBLE_DEVICES");
}

static struct nvml *opened(const char *uuid)
{
	struct nvml *nvml = NULL;
	struct error err = {0};

	if (nvml_open(&nvml, "0000:3b:00.0", uuid, &err))
		fail_msg("%s", err.text);
	return nvml;
}

static void a_slice_has_processes_of_its_own_and_no_power(void **state)
{
	struct key_value_list facts = {0};
	struct nvml *nvml = opened("MIG-" BYTES);
	pid_t others[NVML_MOST_PROCESSES];

	(void)state;
	assert_int_equal(nvml_list_others(nvml, others), 1);
	assert_int_equal(others[0], 4000001);
	/* the clocks are those of the GPU */
	assert_float_equal(nvml_device_state(nvml).sm_clock_hz, 1.98e9, 1);
	assert_true(isnan(nvml_device_state(nvml).power_w));
	nvml_environment(nvml, &facts);
	assert_string_equal(key_value_get(&facts, "gpu.mig"), "on");
	assert_null(key_value_get(&facts, "gpu.power_limit_w"));
	key_value_list_release(&facts);
	nvml_close(nvml);
}

/* Those of all slices together would be wrong. */
static void of_an_unknown_slice_processes_are_not_known(void **state)
{
	struct nvml *nvml = opened("MIG-ffffffff-4455-6677-8899-aabbccddeeff");

	(void)state;
	assert_int_equal(nvml_other_processes(nvml), -1);
	assert_true(isnan(nvml_device_state(nvml).power_w));
	nvml_close(nvml);
}

static void a_gpu_has_the_processes_and_the_power_of_the_gpu(void **state)
{
	struct nvml *nvml = opened("GPU-" BYTES);

	(void)state;
	assert_int_equal(nvml_other_processes(nvml), 2);
	assert_float_equal(nvml_device_state(nvml).power_w, 400, 1e-9);
	nvml_close(nvml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gpu_has_the_uuid_of_a_gpu),
		cmocka_unit_test(a_slice_has_the_uuid_of_a_slice),
		cmocka_unit_test(a_slice_has_processes_of_its_own_and_no_power),
		cmocka_unit_test(of_an_unknown_slice_processes_are_not_known),
		cmocka_unit_test(a_gpu_has_the_processes_and_the_power_of_the_gpu),
	};

	unsetenv("CUDA_VISIBLE_DEVICES");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
