/* What nvcc makes of clusters in cooperative groups and cuda::ptx (programs/clusters.cu). */
#include "support_machine.h"

#include <stdlib.h>

#define PROGRAM "tests/emulator/programs/clusters_90.ptx"

static struct machine_result run_program(const struct machine_case *what)
{
	struct machine_case work = *what;
	struct machine_result result;
	struct error err;
	size_t length;
	char *ptx;

	if (read_file(&ptx, &length, PROGRAM, 1 << 20, &err))
		fail_msg("%s", err.text);
	work.ptx = ptx;
	work.checked_blocks = -1;
	work.check_global = true;
	result = machine_run(&work);
	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	free(ptx);
	return result;
}

static void words_go_around_the_ring(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 8, 16};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		const uint32_t size = sizes[i / 2], rounds = 5, threads = 2 * size * 256;
		struct machine_result result =
			run_program(&(struct machine_case){.entry = "ring",
							   .grid = {2 * size},
							   .block = {256},
							   .cluster = {size, 1, 1},
							   .n = rounds,
							   .cooperative = i % 2,
							   .out_words = threads});

		for (uint32_t k = 0; k < threads; k++) {
			uint32_t block = k / 256, first = block / size * size;
			uint32_t from = first + (block - first + rounds * size - rounds) % size;

			assert_int_equal(result.out[k], from * 256 + k % 256);
		}
		machine_release(&result);
	}
}

static void bins_lie_in_all_blocks(void **state)
{
	static const int64_t sizes[] = {1, 2, 4, 8};
	enum { BINS = 101 };
	uint32_t expected[BINS] = {0};

	(void)state;
	for (uint32_t i = 0; i < 4096; i++)
		expected[i * i % BINS]++;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct machine_result result = run_program(
			&(struct machine_case){.entry = "histogram",
					       .grid = {8},
					       .block = {128},
					       .cluster = {sizes[i], 1, 1},
					       .shared_bytes = (BINS + sizes[i] - 1) / sizes[i] * 4,
					       .n = BINS,
					       .out_words = BINS});

		assert_memory_equal(result.out, expected, sizeof(expected));
		machine_release(&result);
	}
}

static void a_block_adds_up_those_of_its_cluster(void **state)
{
	struct machine_result result = run_program(&(struct machine_case){
		.entry = "sums", .grid = {8}, .block = {64}, .n = 5000, .out_words = 8});
	uint32_t sums[2] = {0};

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		sums[i / 64 % 8 / 4] += i;
	for (uint32_t block = 0; block < 8; block++)
		assert_int_equal(result.out[block], block % 4 ? block - 1 : sums[block / 4]);
	machine_release(&result);
}

static void asynchronous_stores_are_waited_for(void **state)
{
	const uint32_t rounds = 4;
	struct machine_result result = run_program(&(struct machine_case){
		.entry = "exchange", .grid = {6}, .block = {256}, .n = rounds, .out_words = 1536});

	(void)state;
	for (uint32_t k = 0; k < 6 * 256; k++)
		assert_int_equal(result.out[k],
				 1000 * (0 + 1 + 2 + 3) +
					 rounds * ((k / 256 ^ 1) * 256 + 255 - k % 256));
	machine_release(&result);
}

static void blocks_hand_over_by_mbarriers(void **state)
{
	const uint32_t rounds = 7;
	struct machine_result result = run_program(&(struct machine_case){
		.entry = "stages", .grid = {8}, .block = {64}, .n = rounds, .out_words = 512});

	(void)state;
	for (uint32_t k = 0; k < 8 * 64; k++) {
		uint32_t block = k / 64, before = block / 4 * 4 + (block + 3) % 4;

		assert_int_equal(result.out[k], 100 * 21 + rounds * before);
	}
	machine_release(&result);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_go_around_the_ring),
		cmocka_unit_test(bins_lie_in_all_blocks),
		cmocka_unit_test(a_block_adds_up_those_of_its_cluster),
		cmocka_unit_test(asynchronous_stores_are_waited_for),
		cmocka_unit_test(blocks_hand_over_by_mbarriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
