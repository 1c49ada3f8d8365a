/* Fuzz target: any bytes as a file of thresholds. The parser returns usable rules, or PL_EPARSE and
 * a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(const struct threshold_rule *rule)
{
	if (!rule->pattern || !*rule->pattern || !rule->count)
		abort();
	for (size_t i = 0; i < rule->count; i++) {
		const struct threshold *item = &rule->items[i];

		if (!item->ignore && (!item->name || !(item->limit >= 0) || isinf(item->limit)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct thresholds thresholds = {0};
	struct error err = {0};
	int rc = thresholds_parse(&thresholds, "file", (const char *)data, size, &err);

	if (rc && (rc != PL_EPARSE || strncmp(err.text, "file:", 5) != 0 || thresholds.rules))
		abort();
	for (size_t i = 0; i < thresholds.count; i++)
		check_rule(&thresholds.rules[i]);
	if (!rc) {
		thresholds_ignore(&thresholds, "reduce/shuffle/block=256,n=16777216");
		thresholds_find(&thresholds, "reduce/shuffle/block=256,n=16777216", "time");
	}
	thresholds_release(&thresholds);
	return 0;
}
