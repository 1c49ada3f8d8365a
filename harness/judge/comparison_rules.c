/* Reads the counters and the thresholds of a comparison. */
#include "harness/judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "metrics/catalogue/catalogue.h"

#define COUNTERS_EXACT "exact"
#define NONE "none"

static int unknown_counter(const char *name, struct error *err)
{
	size_t device_count, ptx_count;
	const struct metric *device = metric_all(&device_count);
	const struct metric *ptx = metric_all_emulated(&ptx_count);
	const char **names = xcalloc(device_count + ptx_count, sizeof(*names));
	struct text near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < device_count; i++)
		names[i] = device[i].name;
	for (size_t i = 0; i < ptx_count; i++)
		names[device_count + i] = ptx[i].name;
	if (nearest_names(&near, name, names, device_count + ptx_count))
		rc = error_set(err, PL_EUSAGE,
			       "--counters: unknown metric \"%s\"; did you mean %s?", name,
			       near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "--counters: unknown metric \"%s\"; `perflab list metrics` lists "
			       "all metrics",
			       name);
	text_release(&near);
	free(names);
	return rc;
}

static int read_counters(struct comparison_rules *rules, struct regress_options *options,
			 const char *words, struct error *err)
{
	if (!words || strcmp(words, COUNTERS_EXACT) == 0)
		return 0;
	if (strcmp(words, NONE) == 0) {
		options->counters = REGRESS_COUNTERS_NONE;
		return 0;
	}
	string_list_split(&rules->counters, words, ',');
	for (size_t i = 0; i < rules->counters.count; i++) {
		const char *name = rules->counters.items[i];

		/* names of CUPTI contain "__" */
		if (!metric_find(name) && !strstr(name, "__"))
			return unknown_counter(name, err);
	}
	options->counters = REGRESS_COUNTERS_NAMED;
	options->names = &rules->counters;
	return 0;
}

/* A file that the user names must exist. The one in the working directory is optional. */
static int read_thresholds(struct comparison_rules *rules, struct regress_options *options,
			   const char *path, struct error *err)
{
	const char *file = path ? path : THRESHOLDS_NAME;
	struct error cause = {0};
	char *bytes;
	size_t length;
	int rc;

	if (path && strcmp(path, NONE) == 0)
		return 0;
	rc = read_file(&bytes, &length, file, THRESHOLDS_LIMIT, &cause);
	if (rc == PL_ENOENT && !path)
		return 0;
	if (rc)
		return error_set(err, rc, "--thresholds: %s", cause.text);
	rc = thresholds_parse(&rules->thresholds, file, bytes, length, err);
	free(bytes);
	options->thresholds = &rules->thresholds;
	rules->thresholds_path = file;
	return rc;
}

int comparison_rules_load(struct comparison_rules *out, struct regress_options *options,
			  const char *counters, const char *thresholds, struct error *err)
{
	int rc = read_counters(out, options, counters, err);

	return rc ? rc : read_thresholds(out, options, thresholds, err);
}

void comparison_rules_release(struct comparison_rules *rules)
{
	thresholds_release(&rules->thresholds);
	string_list_release(&rules->counters);
}

bool comparison_rule_is_idle(const struct threshold_rule *rule, const struct regress *regress)
{
	for (size_t i = 0; i < regress->count; i++)
		if (pattern_matches(rule->pattern, regress->cases[i].name))
			return false;
	return true;
}
