/*
 * The studies of the tree: each is well-formed, every case it names is one that
 * a kernel here has, and the table of claims knows it. Runs in the root of the
 * source tree.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/plan/plan.h"
#include "kernels/kernels.h"
#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

#define FOLDER "studies"

/* A device with room for every case that a study may want. */
static const struct device_limits large = {
	.compute_capability = 90,
	.max_threads_per_block = 1024,
	.max_grid_x = INT32_MAX,
	.max_shared_bytes_per_block = 232448,
	.max_threads_per_sm = 2048,
	.sm_count = 132,
	.global_memory_bytes = INT64_C(1) << 37,
	.l2_bytes = 60 << 20,
};

static void check_case(const struct study *study, size_t index, bool emulated)
{
	const struct study_case *of = &study->cases[index];
	char *selector = study_selector(study, index, emulated);
	const char *const selectors[] = {selector};
	struct plan_request request = {.selectors = selectors, .selector_count = 1};
	struct plan *plan = NULL;
	struct error err = {0};

	if (plan_build(&plan, &request, &large, &err))
		fail_msg("%s, case %s: %s", study->name, of->name, err.text);
	if (!of->best && plan->count != 1)
		fail_msg("%s, case %s: %s chooses %zu cases", study->name, of->name, selector,
			 plan->count);
	if (!plan->runnable)
		fail_msg("%s, case %s: %s", study->name, of->name, plan->cases[0].skip_reason);
	plan_free(plan);
	free(selector);
}

/* docs/claims.md says which claim each answers; those of perflab's own are told there together. A
 * link to a study that is not there is found by another test. */
static void check_claims(const struct study *study, const char *claims)
{
	char *link = xasprintf("(../" FOLDER "/%s.study)", study->name);

	if (strncmp(study->name, "yardstick_", strlen("yardstick_")) && !strstr(claims, link))
		fail_msg("docs/claims.md does not say which claim %s answers", study->name);
	free(link);
}

static void check_study(const char *path, const char *claims)
{
	struct study study;
	struct error err = {0};
	char *text = NULL;
	size_t length;

	if (read_file(&text, &length, path, STUDY_MAX_BYTES, &err) ||
	    study_parse(&study, path, text, length, &err))
		fail_msg("%s", err.text);
	free(text);
	check_claims(&study, claims);
	for (size_t i = 0; i < study.case_count; i++)
		for (int emulated = 0; emulated < 2; emulated++)
			if (study_needs_case(&study, i, emulated))
				check_case(&study, i, emulated);
	study_release(&study);
}

static void every_study_has_its_cases(void **state)
{
	DIR *folder = opendir(FOLDER);
	size_t count = 0, length;
	char *claims = NULL;
	struct error err = {0};

	(void)state;
	assert_non_null(folder);
	if (read_file(&claims, &length, "docs/claims.md", 1 << 20, &err))
		fail_msg("%s", err.text);
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		char *path = xasprintf(FOLDER "/%s", entry->d_name);

		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "CMakeLists.txt")) {
			check_study(path, claims);
			count++;
		}
		free(path);
	}
	closedir(folder);
	free(claims);
	assert_true(count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_study_has_its_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
