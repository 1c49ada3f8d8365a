/* perflab list rules: the rules of verdicts, as docs/verdicts.md shows them. */
#include "cli/list.h"
#include "metrics/analysis/verdict.h"

int list_rules(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "rule"},   {.name = "limiter"}, {.name = "condition"},
		{.name = "advice"}, {.name = "saves"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct verdict_rule rule;
	int rc;

	for (size_t i = 0; verdict_rule_at(&rule, i); i++)
		if (!pattern || pattern_matches(pattern, rule.name) ||
		    (rule.limiter && pattern_matches(pattern, rule.limiter)))
			table_row(table,
				  (const char *const[]){rule.name, rule.limiter, rule.condition,
							rule.advice, rule.saves});
	rc = list_to_stdout(call, table, pattern, err);
	table_free(table);
	return rc;
}
