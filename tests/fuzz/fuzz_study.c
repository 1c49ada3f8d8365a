/*
 * Fuzz target: any bytes as a study file. The parser rejects it with its name and a line, or
 * returns a study that can be judged with and without measurements.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/study.h"
#include "metrics/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct study *study, const struct study_evidence *evidence, bool emulated)
{
	struct study_answer answer;

	study_judge(&answer, study, evidence, &noise_of_h200, emulated);
	for (size_t i = 0; i < study->part_count; i++)
		if ((answer.parts[i].verdict == STUDY_OPEN) != (answer.parts[i].why != NULL))
			abort();
	study_answer_release(&answer);
}

static void use(const struct study *study)
{
	static const double times[] = {1e6, 1.1e6, 0.9e6};
	struct trial trial = {.facts = launch_facts_unknown};
	struct study_evidence nothing[STUDY_MAX_CASES], something[STUDY_MAX_CASES];
	struct string_list names = {0};

	for (size_t i = 0; i < STUDY_MAX_CASES; i++) {
		nothing[i] = (struct study_evidence){.reason = "not measured"};
		something[i] = (struct study_evidence){.trial = &trial,
						       .medians = {times, ARRAY_SIZE(times)}};
	}
	for (int emulated = 0; emulated < 2; emulated++) {
		study_metrics(&names, study, emulated);
		for (size_t i = 0; i < study->case_count; i++)
			free(study_selector(study, i, emulated));
		judge(study, nothing, emulated);
		judge(study, something, emulated);
	}
	string_list_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct study study = {0};
	char *text = malloc(size ? size : 1);
	int rc;

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	rc = study_parse(&study, "fuzz.study", text, size, &err);
	if (rc && (rc != PL_EPARSE || strncmp(err.text, "fuzz.study:", 11)))
		abort();
	if (!rc) {
		use(&study);
		study_release(&study);
	}
	free(text);
	return 0;
}
