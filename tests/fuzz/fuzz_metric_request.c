/*
 * Fuzz target: any bytes as the value of --metrics. An accepted metric is in the catalogue or has a
 * name that is safe to pass to CUPTI; it is listed once, after its inputs. A rejected request
 * leaves the list empty and gives the reason in one line.
 */
#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_wanted(const struct string_list *wanted, bool emulated)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);

		if (metric ? metric->emulated != emulated : emulated)
			abort();
		for (size_t k = 0; k < i; k++) {
			if (strcmp(wanted->items[k], wanted->items[i]) == 0)
				abort();
		}
		for (const char *c = wanted->items[i]; !metric && *c; c++) {
			if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
				abort();
		}
		for (size_t k = 0; metric && k < METRIC_MAX_INPUTS && metric->inputs[k]; k++) {
			if (!metric_find(metric->inputs[k])->from_samples &&
			    !string_list_has(wanted, metric->inputs[k]))
				abort();
		}
	}
}

/* Without any counter, every derived metric is listed, with the value missing. */
static void check_derived(const struct string_list *wanted)
{
	struct counter_list counters = {0};

	metric_derive(&counters, wanted);
	metric_derive_rates(&counters, wanted, 1.0);
	for (size_t i = 0; i < counters.count; i++) {
		if (counters.items[i].has_value || !counters.items[i].reason)
			abort();
	}
	counter_list_release(&counters);
}

static void check_request(const struct string_list *names, bool emulated)
{
	struct string_list wanted = {0};
	struct error err = {0};
	int rc = emulated ? metric_request_emulated(&wanted, names, &err)
			  : metric_request(&wanted, names, &err);

	if (rc == 0) {
		check_wanted(&wanted, emulated);
		check_derived(&wanted);
	} else if (err.code != PL_EUSAGE || wanted.count > 0 || strchr(err.text, '\n')) {
		abort();
	}
	string_list_release(&wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct string_list names = {0};

	string_list_split(&names, text, ',');
	check_request(&names, false);
	check_request(&names, true);
	string_list_release(&names);
	free(text);
	return 0;
}
