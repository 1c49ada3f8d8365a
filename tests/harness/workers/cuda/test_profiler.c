/* Detects profilers by the environment variables that they set. */
#include "harness/workers/cuda/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"

static const struct {
	const char *variable, *value;
	enum profiler tool;
	const char *name;
} environments[] = {
	{"PERFLAB_NOTHING", "1", PROFILER_NONE, ""},
	{"NSYS_PROFILING_SESSION_ID", "17", PROFILER_NSYS, "nsys"},
	{"CUDA_INJECTION64_PATH", "/opt/nsight-systems/lib/inject.so", PROFILER_NSYS, "nsys"},
	{"CUDA_INJECTION64_PATH", "/opt/nsight-compute/lib/inject.so", PROFILER_NCU, "ncu"},
	{"CUDA_INJECTION64_PATH", "/opt/another/tool.so", PROFILER_OTHER, "other"},
	{"NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "1", PROFILER_NCU, "ncu"},
	{"NV_NSIGHT_INJECTION_PORT_BASE", "49152", PROFILER_NCU, "ncu"},
	{"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/opt/ncu", PROFILER_NCU, "ncu"},
	{"NVTX_INJECTION64_PATH", "/opt/nsight-compute/lib/nvtx.so", PROFILER_NCU, "ncu"},
	{"LD_PRELOAD", "/opt/nsight-compute/lib/preload.so", PROFILER_NCU, "ncu"},
	{"LD_PRELOAD", "/usr/lib/libsomething.so", PROFILER_NONE, ""},
	{"NVTX_INJECTION64_PATH", "/opt/another/nvtx.so", PROFILER_NONE, ""},
};

static void test_each_profiler_is_detected(void **context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(environments); i++)
		unsetenv(environments[i].variable);
	assert_int_equal(profiler_attached(), PROFILER_NONE);
	for (size_t i = 0; i < ARRAY_SIZE(environments); i++) {
		setenv(environments[i].variable, environments[i].value, 1);
		assert_int_equal(profiler_attached(), environments[i].tool);
		assert_string_equal(profiler_name(profiler_attached()), environments[i].name);
		unsetenv(environments[i].variable);
	}
}

/* nsys may also load ncu's libraries. That must not switch off timing. */
static void test_nsys_wins(void **context)
{
	(void)context;
	setenv("NSYS_PROFILING_SESSION_ID", "17", 1);
	setenv("NV_NSIGHT_INJECTION_PORT_BASE", "49152", 1);
	assert_int_equal(profiler_attached(), PROFILER_NSYS);
	unsetenv("NSYS_PROFILING_SESSION_ID");
	unsetenv("NV_NSIGHT_INJECTION_PORT_BASE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_profiler_is_detected),
		cmocka_unit_test(test_nsys_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
