#include "support_clusters.h"

#include <string.h>

struct machine_result cluster_launch(const char *ptx, int64_t blocks)
{
	return machine_run(
		&(struct machine_case){.ptx = ptx,
				       .grid = {2 * blocks},
				       .block = {CLUSTER_THREADS},
				       .cluster = {blocks, 1, 1},
				       .out_words = (size_t)(2 * blocks * CLUSTER_THREADS),
				       .check_global = true,
				       .checked_blocks = -1});
}

struct machine_result cluster_run_clean(const char *ptx, int64_t blocks)
{
	struct machine_result result = cluster_launch(ptx, blocks);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

void assert_cluster_finding(const char *ptx, enum finding_kind kind, const char *line,
			    const char *words)
{
	struct machine_result result = cluster_launch(ptx, 2);

	assert_finding(&result, kind, line_with(ptx, line), words);
	machine_release(&result);
}

void assert_cluster_finding_among(const char *ptx, enum finding_kind kind, const char *line,
				  const char *words)
{
	struct machine_result result = cluster_launch(ptx, 2);
	struct text all = TEXT_INIT;
	bool found = false;

	for (size_t i = 0; i < result.findings.count; i++) {
		const struct finding *finding = &result.findings.items[i];

		found |= finding->kind == kind &&
			 (!*line || finding->ptx_line == line_with(ptx, line)) &&
			 strstr(finding->text, words);
		finding_text(&all, finding);
		text_add(&all, "\n");
	}
	if (!found)
		fail_msg("no %s with '%s', but: %s", finding_kind_name(kind), words, all.data);
	text_release(&all);
	machine_release(&result);
}
