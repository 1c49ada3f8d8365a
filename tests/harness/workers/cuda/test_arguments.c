/* What the driver gets as the arguments of a launch. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* What the kernel of test_addresses_in_structs() gets. */
struct seen_struct {
	struct {
		uint16_t first;
		float *out;
		uint16_t last;
		void *again;
	} fields;
	float *plain;
	int scalar;
	unsigned char second[2];
};

static void execute_struct(struct stub_driver *stub, const char *name, void **arguments)
{
	struct seen_struct *seen = stub->context;

	if (strcmp(name, "fault_none") != 0)
		return;
	memcpy(&seen->fields, arguments[0], sizeof(seen->fields));
	memcpy(&seen->plain, arguments[1], sizeof(seen->plain));
	memcpy(&seen->scalar, arguments[2], sizeof(seen->scalar));
	memcpy(seen->second, arguments[3], sizeof(seen->second));
}

/* Addresses stand where the case says, and are those of each execution. The case is not changed. */
static void test_addresses_in_structs(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct case_launch *launch = &work->launches[0];
	const struct arg_address addresses[] = {{8, 0, 0, NULL}, {24, 0, 0, NULL}};
	unsigned char untouched[32] = {0};
	struct operation operation = {0};
	struct seen_struct seen = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};
	CUdeviceptr first;

	free(launch->args);
	launch->arg_count = 4;
	launch->args = xcalloc(4, sizeof(launch->args[0]));
	launch->args[0] = (struct case_arg){.kind = ARG_BYTES, .integer = 32, .address_count = 2};
	launch->args[0].bytes = xcalloc(32, 1);
	launch->args[0].addresses = xcalloc(2, sizeof(addresses[0]));
	memcpy(launch->args[0].addresses, addresses, sizeof(addresses));
	untouched[0] = launch->args[0].bytes[0] = 7;
	untouched[16] = launch->args[0].bytes[16] = 9;
	launch->args[2] = (struct case_arg){.kind = ARG_I32, .integer = -5};
	launch->args[3] = (struct case_arg){.kind = ARG_BYTES, .integer = 2};
	launch->args[3].bytes = xcalloc(2, 1);
	launch->args[3].bytes[1] = 8;
	if (operation_load(&operation, &bench->resources, work, &skip, &err))
		fail_msg("%s", err.text);
	assert_string_equal(skip.data, "");
	bench->stub.execute = execute_struct;
	bench->stub.context = &seen;
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	first = operation.buffers[0].data;
	for (int execution = 0; execution < 2; execution++) {
		operation.buffers[0].data = first + 64 * (CUdeviceptr)execution;
		assert_int_equal(operation_enqueue(&operation, &err), 0);
		assert_int_equal(seen.fields.first, 7);
		assert_int_equal(seen.fields.last, 9);
		assert_true((CUdeviceptr)(uintptr_t)seen.fields.out == operation.buffers[0].data);
		assert_ptr_equal(seen.fields.again, seen.fields.out);
		assert_ptr_equal(seen.plain, seen.fields.out);
		assert_int_equal(seen.scalar, -5);
		assert_int_equal(seen.second[0], 0);
		assert_int_equal(seen.second[1], 8);
	}
	assert_memory_equal(launch->args[0].bytes, untouched, sizeof(untouched));
	operation.buffers[0].data = first;
	operation_release(&operation);
	launch_case_free(work);
}

static void keep_map(struct stub_driver *stub, const char *name, void **arguments)
{
	if (!strcmp(name, "fault_none"))
		memcpy(stub->context, arguments[0], TENSOR_MAP_BYTES);
}

/* A launch whose only argument is a map. */
static struct launch_case *case_with_map(const struct tensor_map *map)
{
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct case_launch *launch = &work->launches[0];

	free(launch->args);
	launch->arg_count = 1;
	launch->args = xcalloc(1, sizeof(launch->args[0]));
	launch->args[0] = (struct case_arg){.kind = ARG_TENSOR_MAP};
	launch->args[0].tensor = xmalloc(sizeof(*map));
	*launch->args[0].tensor = *map;
	return work;
}

/* The driver gets the layout of a map. */
static void test_interleaved_maps(void **context)
{
	static const CUtensorMapInterleave expected[] = {CU_TENSOR_MAP_INTERLEAVE_NONE,
							 CU_TENSOR_MAP_INTERLEAVE_16B,
							 CU_TENSOR_MAP_INTERLEAVE_32B};
	struct bench *bench = *context;

	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct tensor_map map = {
			.type = TENSOR_F16,
			.rank = 3,
			.sizes = {4, 2, 2},
			.strides = {0, 128, 256},
			.box = {16, 16, 1},
			.steps = {1, 1, 1},
			.interleave = 16 * i,
			.swizzle = SWIZZLE_32B,
		};
		struct launch_case *work = case_with_map(&map);
		struct operation operation = {0};
		uint64_t seen[TENSOR_MAP_BYTES / 8];
		struct text skip = TEXT_INIT;
		struct error err = {0};

		if (operation_load(&operation, &bench->resources, work, &skip, &err))
			fail_msg("%s", err.text);
		bench->stub.execute = keep_map;
		bench->stub.context = seen;
		assert_int_equal(operation_prepare(&operation, true, &err), 0);
		assert_int_equal(operation_enqueue(&operation, &err), 0);
		assert_int_equal(seen[7], expected[i]);
		operation_release(&operation);
		launch_case_free(work);
	}
}

/* The driver makes a map, again only when the memory of the buffer is another one. */
static void test_tensor_maps(void **context)
{
	const struct tensor_map map = {
		.type = TENSOR_TF32,
		.rank = 2,
		.sizes = {16, 5},
		.strides = {0, 64},
		.box = {8, 3},
		.steps = {1, 2},
		.swizzle = SWIZZLE_32B,
		.promotion = 256,
		.fills_nan = true,
	};
	struct bench *bench = *context;
	struct launch_case *work = case_with_map(&map);
	struct operation operation = {0};
	uint64_t seen[TENSOR_MAP_BYTES / 8];
	struct text skip = TEXT_INIT;
	struct error err = {0};
	CUdeviceptr first;

	if (operation_load(&operation, &bench->resources, work, &skip, &err))
		fail_msg("%s", err.text);
	bench->stub.execute = keep_map;
	bench->stub.context = seen;
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	first = operation.buffers[0].data;
	for (int execution = 0; execution < 4; execution++) {
		const uint64_t moved = 64 * (uint64_t)(execution / 2);
		const uint64_t expected[] = {first + moved,
					     CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
					     2,
					     5,
					     64,
					     8,
					     2,
					     CU_TENSOR_MAP_INTERLEAVE_NONE,
					     CU_TENSOR_MAP_SWIZZLE_32B,
					     CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
					     CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};

		operation.buffers[0].data = first + moved;
		assert_int_equal(operation_enqueue(&operation, &err), 0);
		assert_memory_equal(seen, expected, sizeof(expected));
		assert_int_equal(bench->stub.maps, 1 + execution / 2);
	}
	bench->stub.maps_refused = true;
	operation.buffers[0].data = first;
	assert_int_equal(operation_enqueue(&operation, &err), PL_EDEVICE);
	assert_non_null(strstr(err.text, "cuTensorMapEncodeTiled"));
	operation_release(&operation);
	launch_case_free(work);
}

static void test_im2col_maps(void **context)
{
	const struct tensor_map map = {
		.type = TENSOR_F16,
		.rank = 4,
		.sizes = {8, 5, 4, 3},
		.strides = {0, 16, 80, 320},
		.steps = {1, 2, 3, 1},
		.swizzle = SWIZZLE_64B,
		.im2col = true,
		.channels = 16,
		.pixels = 128,
		.lower = {-1, -2},
		.upper = {-3, -4},
	};
	const uint64_t expected[] = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
				     4,
				     3,
				     16,
				     (uint64_t)-1,
				     (uint64_t)-4,
				     16,
				     128,
				     3,
				     CU_TENSOR_MAP_INTERLEAVE_NONE,
				     CU_TENSOR_MAP_SWIZZLE_64B,
				     CU_TENSOR_MAP_L2_PROMOTION_NONE,
				     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
	struct bench *bench = *context;
	struct launch_case *work = case_with_map(&map);
	struct operation operation = {0};
	uint64_t seen[TENSOR_MAP_BYTES / 8];
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (operation_load(&operation, &bench->resources, work, &skip, &err))
		fail_msg("%s", err.text);
	bench->stub.execute = keep_map;
	bench->stub.context = seen;
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	assert_int_equal(operation_enqueue(&operation, &err), 0);
	assert_int_equal(seen[0], operation.buffers[0].data);
	assert_memory_equal(seen + 1, expected, sizeof(expected));
	bench->stub.maps_refused = true;
	operation.buffers[0].data += 64;
	assert_int_equal(operation_enqueue(&operation, &err), PL_EDEVICE);
	assert_non_null(strstr(err.text, "cuTensorMapEncodeIm2col"));
	operation.buffers[0].data -= 64;
	operation_release(&operation);
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_addresses_in_structs, bench_set_up,
						bench_tear_down),
		cmocka_unit_test_setup_teardown(test_tensor_maps, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(test_im2col_maps, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(test_interleaved_maps, bench_set_up,
						bench_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
