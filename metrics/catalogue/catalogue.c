/* Lookups: metrics, sets, the name of a counter on a chip, recorded passes. And from the words of
 * --metrics to the metrics that a backend has to count. */
#include "metrics/catalogue/metric_tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
} sets[METRIC_SET_COUNT] = {
#define X(symbol, set_name, set_meaning) [symbol] = {set_name, set_meaning},
	METRIC_SET_LIST(X)
#undef X
};

const char *metric_set_name(enum metric_set set)
{
	return sets[set].name;
}

const char *metric_set_meaning(enum metric_set set)
{
	return sets[set].meaning;
}

bool metric_set_parse(enum metric_set *out, const char *name)
{
	for (int set = 0; set < METRIC_SET_COUNT; set++) {
		if (strcmp(sets[set].name, name) == 0) {
			*out = (enum metric_set)set;
			return true;
		}
	}
	return false;
}

const struct metric *metric_all(size_t *count)
{
	*count = hardware_metric_count;
	return hardware_metrics;
}

const struct metric *metric_all_emulated(size_t *count)
{
	*count = emulated_metric_count;
	return emulated_metrics;
}

static const struct metric *find_metric_in(const struct metric *metrics, size_t count,
					   const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	}
	return NULL;
}

const struct metric *metric_find(const char *name)
{
	const struct metric *found = find_metric_in(hardware_metrics, hardware_metric_count, name);

	return found ? found : find_metric_in(emulated_metrics, emulated_metric_count, name);
}

bool metric_is_exact(const struct metric *metric)
{
	if (!metric->derive)
		return metric->exact;
	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i]; i++) {
		if (!metric_is_exact(metric_find(metric->inputs[i])))
			return false;
	}
	return true;
}

const char *metric_counter_on(const struct metric *metric, const char *chip)
{
	for (size_t i = 0; i < METRIC_MAX_ALIASES && metric->aliases[i].chip_prefix; i++) {
		const char *prefix = metric->aliases[i].chip_prefix;

		if (strncmp(chip, prefix, strlen(prefix)) == 0)
			return metric->aliases[i].counter;
	}
	return NULL;
}

unsigned metric_set_recorded_passes(enum metric_set set, const char *chip)
{
	static const struct {
		const char *chip;
		unsigned passes[METRIC_SET_COUNT];
	} recorded[] = {
#define CHIP(name, ...) {name, {__VA_ARGS__}},
#include "metrics/catalogue/passes.def"
#undef CHIP
	};

	for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
		if (strcmp(recorded[i].chip, chip) == 0)
			return recorded[i].passes[set];
	}
	return 0;
}

/* ---- requests ---- */

/* Adds a metric after its inputs and its condition. */
static void request_metric(struct string_list *wanted, const struct metric *metric)
{
	if (metric->from_samples)
		return; /* every trial has samples */
	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i]; i++)
		request_metric(wanted, metric_find(metric->inputs[i]));
	if (metric->only_if)
		request_metric(wanted, metric_find(metric->only_if));
	if (!string_list_has(wanted, metric->name))
		string_list_add(wanted, metric->name);
}

static bool is_cupti_name(const char *word)
{
	for (const char *c = word; *c; c++) {
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			return false;
	}
	return strstr(word, "__") != NULL;
}

/* The units of all chips that CUPTI 13.0 knows. */
static const char *const cupti_units[] = {"ctc", "dram",   "dramc",  "fbpa",  "fe",  "gcc", "gpc",
					  "gpu", "gr",     "idc",    "l1tex", "lrc", "ltc", "lts",
					  "mcc", "nvlrx",  "nvltx",  "pcie",  "pm",  "sm",  "smsp",
					  "sys", "syslrc", "syslts", "tpc"};

/* CUPTI counts nothing under a name without a roll-up. */
static int cupti_name_check(const char *word, struct error *err)
{
	static const char *const roll_ups[] = {"sum", "avg",   "min",     "max",
					       "pct", "ratio", "max_rate"};
	const char *unit_end = strstr(word, "__"), *counter_end = strchr(unit_end, '.');

	for (size_t i = 0; counter_end && i < ARRAY_SIZE(roll_ups); i++) {
		const size_t length = strlen(roll_ups[i]);

		if (unit_end > word && counter_end > unit_end + 2 &&
		    strncmp(counter_end + 1, roll_ups[i], length) == 0 &&
		    (!counter_end[1 + length] || counter_end[1 + length] == '.'))
			return 0;
	}
	return error_set(err, PL_EUSAGE,
			 "'%s' is no name of CUPTI: it has the form UNIT__COUNTER.ROLLUP, such as "
			 "lts__t_sectors.sum, with sum, avg, min, max, pct, ratio or max_rate",
			 word);
}

int metric_unit_check(const char *word, struct error *err)
{
	const size_t length = (size_t)(strstr(word, "__") - word);
	struct text all = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(cupti_units); i++)
		if (strlen(cupti_units[i]) == length && !strncmp(cupti_units[i], word, length))
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(cupti_units); i++)
		text_addf(&all, "%s%s", i ? ", " : "", cupti_units[i]);
	rc = error_set(err, PL_EUSAGE,
		       "no GPU here can be asked for '%s', and perflab knows no unit '%.*s' of a "
		       "GPU: there are %s",
		       word, (int)length, word, all.data);
	text_release(&all);
	return rc;
}

static const struct metric *metrics_of_backend(bool emulated, size_t *count)
{
	return emulated ? metric_all_emulated(count) : metric_all(count);
}

static int fail_unknown_metric(const char *word, bool emulated, struct error *err)
{
	const struct metric *metrics;
	struct text nearest = TEXT_INIT;
	const char **names;
	size_t count, named = 0;

	metrics = metrics_of_backend(emulated, &count);
	names = xcalloc(count + METRIC_SET_COUNT, sizeof(*names));
	for (int set = 0; set < METRIC_SET_COUNT; set++)
		names[named++] = metric_set_name((enum metric_set)set);
	for (size_t i = 0; i < count; i++)
		names[named++] = metrics[i].name;
	if (nearest_names(&nearest, word, names, named))
		error_set(err, PL_EUSAGE, "unknown metric or set '%s'; did you mean %s?", word,
			  nearest.data);
	else
		error_set(err, PL_EUSAGE,
			  "unknown metric or set '%s'; `perflab list metrics` lists all%s", word,
			  emulated ? "" : ", and any CUPTI name (with \"__\") is accepted too");
	free(names);
	text_release(&nearest);
	return PL_EUSAGE;
}

/* The word is a metric or set of the other kind of backend. */
static int fail_other_backend(const char *word, bool emulated, struct error *err)
{
	if (emulated)
		return error_set(err, PL_EUSAGE,
				 "only a GPU counts '%s'; with --backend ptx request the set ptx "
				 "or metrics of this set",
				 word);
	return error_set(err, PL_EUSAGE,
			 "only the emulator counts '%s'; to get it, sweep with --backend ptx",
			 word);
}

static int request_words(struct string_list *wanted, const struct string_list *names, bool emulated,
			 struct error *err)
{
	const struct metric *metrics;
	struct string_list found = {0};
	size_t count;
	int rc = 0;

	metrics = metrics_of_backend(emulated, &count);
	for (size_t i = 0; i < names->count && !rc; i++) {
		const char *word = names->items[i];
		const struct metric *metric = metric_find(word);
		enum metric_set set;

		if (metric_set_parse(&set, word)) {
			if ((set == METRIC_SET_PTX) != emulated)
				rc = fail_other_backend(word, emulated, err);
			for (size_t m = 0; m < count && !rc; m++) {
				if (metrics[m].sets & 1u << set)
					request_metric(&found, &metrics[m]);
			}
		} else if (metric && metric->emulated == emulated) {
			request_metric(&found, metric);
		} else if (metric || (emulated && is_cupti_name(word))) {
			rc = fail_other_backend(word, emulated, err);
		} else if (is_cupti_name(word)) {
			rc = cupti_name_check(word, err);
			if (!rc && !string_list_has(&found, word))
				string_list_add(&found, word);
		} else {
			rc = fail_unknown_metric(word, emulated, err);
		}
	}
	for (size_t i = 0; i < found.count && !rc; i++) {
		if (!string_list_has(wanted, found.items[i]))
			string_list_add(wanted, found.items[i]);
	}
	string_list_release(&found);
	return rc;
}

int metric_request(struct string_list *wanted, const struct string_list *names, struct error *err)
{
	return request_words(wanted, names, false, err);
}

int metric_request_emulated(struct string_list *wanted, const struct string_list *names,
			    struct error *err)
{
	return request_words(wanted, names, true, err);
}
