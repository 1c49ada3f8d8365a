#include "support_bulk.h"

const uint32_t bulk_numbers[BULK_NUMBERS] = {11, 22, 33, 44, 55, 66, 77, 88};

struct machine_result bulk_run(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {threads},
						  .in = bulk_numbers,
						  .in_words = BULK_NUMBERS,
						  .checked_blocks = -1,
						  .check_global = true});
}

struct machine_result bulk_run_clean(const char *ptx, int64_t threads)
{
	struct machine_result result = bulk_run(ptx, threads);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

void assert_bulk_told(const char *ptx, int64_t threads, enum finding_kind kind, const char *line,
		      const char *words)
{
	struct machine_result result = bulk_run(ptx, threads);

	assert_finding(&result, kind, line_with(ptx, line), words);
	machine_release(&result);
}
