/* Lists of ceilings, and finding the ceiling of a level or precision. */
#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *memory_level_name(enum memory_level level)
{
	static const char *const names[] = {
#define X(symbol, name, metric, meaning) [symbol] = name,
		MEMORY_LEVEL_LIST(X)
#undef X
	};

	return names[level];
}

const char *precision_name(enum precision precision)
{
	static const char *const names[] = {
#define X(symbol, name, metric, meaning) [symbol] = name,
		PRECISION_LIST(X)
#undef X
	};

	return names[precision];
}

static const struct ceiling *highest(const struct ceiling_list *list, enum ceiling_kind kind,
				     int of)
{
	const struct ceiling *found = NULL;

	for (size_t i = 0; list && i < list->count; i++) {
		const struct ceiling *item = &list->items[i];
		bool matches = item->kind == kind &&
			       (kind == CEILING_BANDWIDTH ? (int)item->of.level == of
							  : (int)item->of.precision == of);

		if (matches && isnormal(item->per_s) && item->per_s > 0 &&
		    (!found || item->per_s > found->per_s))
			found = item;
	}
	return found;
}

const struct ceiling *ceiling_of_level(const struct ceiling_list *list, enum memory_level level)
{
	return highest(list, CEILING_BANDWIDTH, (int)level);
}

const struct ceiling *ceiling_of_precision(const struct ceiling_list *list,
					   enum precision precision)
{
	return highest(list, CEILING_RATE, (int)precision);
}

const struct ceiling *ceiling_of_mix(const struct ceiling_list *list, enum memory_level level,
				     double read_share)
{
	const struct ceiling *found = NULL;
	double least = INFINITY;

	for (size_t i = 0; list && i < list->count; i++) {
		const struct ceiling *item = &list->items[i];
		double bytes = item->read_bytes + item->written_bytes, apart;

		if (item->kind != CEILING_BANDWIDTH || item->of.level != level || !(bytes > 0) ||
		    !isnormal(item->per_s) || item->per_s < 0)
			continue;
		apart = fabs(item->read_bytes / bytes - read_share);
		if (apart < least || (apart == least && item->per_s > found->per_s)) {
			least = apart;
			found = item;
		}
	}
	return found;
}

void rate_text(struct text *out, double per_s, enum ceiling_kind kind)
{
	static const struct {
		double size;
		const char *prefix;
	} scales[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0, ""}};
	size_t i = 0;
	double value;

	while (per_s < scales[i].size)
		i++;
	value = scales[i].size > 0 ? per_s / scales[i].size : per_s;
	if (value < 1e6)
		text_addf(out, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
	else
		text_addf(out, "%.3g", value);
	text_addf(out, " %s%s", scales[i].prefix, kind == CEILING_BANDWIDTH ? "B/s" : "FLOP/s");
}

void ceiling_list_release(struct ceiling_list *list)
{
	free(list->items);
	*list = (struct ceiling_list){0};
}
