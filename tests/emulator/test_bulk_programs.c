/* What nvcc makes of bulk and tensor copies in cuda::ptx and cuda::barrier (programs/bulk.cu). */
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM "tests/emulator/programs/bulk_90.ptx"
#define HOPPER "tests/emulator/programs/hopper_90a.ptx"
#define WORDS 4096

static uint32_t numbers[WORDS];

/* No copies of tensors: any map will do. */
static const struct tensor_map unused = {
	.type = TENSOR_U32, .rank = 1, .sizes = {16}, .box = {4}, .steps = {1}};

static int number_words(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < WORDS; i++)
		numbers[i] = i * i;
	return 0;
}

static struct machine_result run_file(const char *path, const struct machine_case *what)
{
	struct machine_case work = *what;
	struct machine_result result;
	struct error err;
	size_t length;
	char *ptx;

	if (read_file(&ptx, &length, path, 1 << 20, &err))
		fail_msg("%s", err.text);
	work.ptx = ptx;
	if (!work.in) {
		work.in = numbers;
		work.in_words = WORDS;
	}
	work.checked_blocks = -1;
	work.check_global = true;
	result = machine_run(&work);
	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	free(ptx);
	return result;
}

static struct machine_result run_program(const struct machine_case *what)
{
	return run_file(PROGRAM, what);
}

static void aligned_copies_of_cuda_are_bulk_copies(void **state)
{
	const uint32_t rounds = 3;
	struct machine_result result = run_program(&(struct machine_case){.entry = "copies",
									  .grid = {4},
									  .block = {256},
									  .n = rounds,
									  .map = &unused,
									  .out_words = 1024});

	(void)state;
	for (uint32_t k = 0; k < 1024; k++)
		assert_int_equal(result.out[k],
				 rounds * (numbers[k] + numbers[k / 256 * 256 + 255 - k % 256]));
	assert_int_equal(result.counts.bulk_copies, 4 * rounds);
	assert_int_equal(result.counts.bulk_bytes, 4 * rounds * 1024);
	machine_release(&result);
}

/* The last tiles lie partly outside, in both directions. */
static void a_warp_feeds_the_others(void **state)
{
	static const int64_t threads[] = {64, 160, 288};
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {72, 50},
		.strides = {0, 288},
		.box = {32, 8},
		.steps = {1, 1},
	};
	const uint32_t tiles = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		const uint32_t consumers = (uint32_t)threads[i] - 32;
		struct machine_result result =
			run_program(&(struct machine_case){.entry = "pipeline",
							   .grid = {3},
							   .block = {threads[i]},
							   .n = tiles,
							   .map = &map,
							   .out_words = (size_t)3 * consumers});

		for (uint32_t k = 0; k < 3 * consumers; k++) {
			uint32_t sum = 0;

			for (uint32_t tile = 0; tile < tiles; tile++)
				for (uint32_t at = k % consumers; at < 256; at += consumers) {
					uint32_t x = k / consumers * 32 + at % 32;
					uint32_t y = tile * 8 + at / 32;

					sum += x < 72 && y < 50 ? numbers[72 * y + x] : 0;
				}
			assert_int_equal(result.out[k], sum);
		}
		machine_release(&result);
	}
}

static void rows_are_stored_through_two_buffers(void **state)
{
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {256, 9},
		.strides = {0, 1024},
		.box = {256, 1},
		.steps = {1, 1},
	};
	/* The tenth row is outside. */
	struct machine_result result = run_program(&(struct machine_case){.entry = "rows",
									  .grid = {2},
									  .block = {256},
									  .n = 5,
									  .map = &map,
									  .map_of_out = true,
									  .out_words = 2560});

	(void)state;
	for (uint32_t k = 0; k < 2560; k++)
		assert_int_equal(result.out[k], k / 256 < 9 ? 1000 * (k / 256) + k % 256 : 0);
	machine_release(&result);
}

static void blocks_reduce_the_same_words(void **state)
{
	struct machine_result result = run_program(&(struct machine_case){.entry = "sums",
									  .grid = {6},
									  .block = {256},
									  .n = 100,
									  .map = &unused,
									  .out_words = 512});

	(void)state;
	for (uint32_t k = 0; k < 256; k++) {
		assert_int_equal(result.out[k], 6 * k + 100 * (0 + 1 + 2 + 3 + 4 + 5));
		assert_int_equal(result.out[256 + k], 500 + k);
	}
	machine_release(&result);
}

/* The halves 0 to 3 as bits. */
static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200};

/* The element of a row and a column of both matrices: 0 to 3. */
static unsigned element_at(uint32_t row, uint32_t k)
{
	return (row * 7 + k * k + row * k) % 4;
}

/* Each warp of the warpgroup reads the tiles as they were when the first one multiplied them, and
 * the signal of one thread releases them for the copies. */
static void a_warpgroup_multiplies_what_a_warp_loads(void **state)
{
	enum { BLOCKS = 2, TILES = 5, DEPTH = 64 * TILES, ROWS = 64 * BLOCKS + 8 };
	const struct tensor_map map = {
		.type = TENSOR_F16,
		.rank = 2,
		.sizes = {DEPTH, ROWS},
		.strides = {0, 2 * DEPTH},
		.box = {64, 8},
		.steps = {1, 1},
		.swizzle = SWIZZLE_128B,
	};
	uint16_t *in = xcalloc((size_t)ROWS * DEPTH, sizeof(*in));
	struct machine_result result;

	(void)state;
	for (uint32_t i = 0; i < ROWS * DEPTH; i++)
		in[i] = halves[element_at(i / DEPTH, i % DEPTH)];
	result = run_file(HOPPER, &(struct machine_case){.entry = "product",
							 .grid = {BLOCKS},
							 .block = {160},
							 .n = TILES,
							 .max_instructions = 100000000,
							 .in = (const uint32_t *)(const void *)in,
							 .in_words = (size_t)ROWS * DEPTH / 2,
							 .map = &map,
							 .out_words = (size_t)BLOCKS * 64 * 8});
	for (uint32_t i = 0; i < BLOCKS * 64 * 8; i++) {
		unsigned sum = 0;
		float is;

		for (uint32_t k = 0; k < DEPTH; k++)
			sum += element_at(i / 8, k) * element_at(BLOCKS * 64 + i % 8, k);
		memcpy(&is, &result.out[i], sizeof(is));
		assert_int_equal((unsigned)is, sum);
	}
	machine_release(&result);
	free(in);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligned_copies_of_cuda_are_bulk_copies),
		cmocka_unit_test(a_warp_feeds_the_others),
		cmocka_unit_test(rows_are_stored_through_two_buffers),
		cmocka_unit_test(blocks_reduce_the_same_words),
		cmocka_unit_test(a_warpgroup_multiplies_what_a_warp_loads),
	};

	return cmocka_run_group_tests(tests, number_words, NULL);
}
