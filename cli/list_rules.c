/* perflab list rules: the rules of verdicts, as docs/verdicts.md shows them, and those of a file.
 */
#include <stdlib.h>

#include "cli/list.h"
#include "metrics/analysis/user_rules.h"
#include "metrics/analysis/verdict.h"

static bool is_chosen(const char *pattern, const char *rule, const char *limiter)
{
	return !pattern || pattern_matches(pattern, rule) ||
	       (limiter && pattern_matches(pattern, limiter));
}

/* The metrics of the file stand among its rules, because rules are made of them. */
static void add_users(struct table *table, const struct user_rules *rules, const char *pattern)
{
	for (size_t i = 0; i < rules->metric_count; i++) {
		const struct user_metric *metric = &rules->metrics[i];
		char *formula = xasprintf("metric: %s, in %s", metric->formula.text, metric->unit);

		if (is_chosen(pattern, metric->name, NULL))
			table_row(table,
				  (const char *const[]){metric->name, NULL, formula, NULL, NULL});
		free(formula);
	}
	for (size_t i = 0; i < rules->rule_count; i++) {
		const struct user_rule *rule = &rules->rules[i];

		if (is_chosen(pattern, rule->name, NULL))
			table_row(table, (const char *const[]){rule->name, NULL, rule->when.text,
							       rule->advice, rule->saves.text});
	}
}

int list_rules(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "rule"},   {.name = "limiter"}, {.name = "condition"},
		{.name = "advice"}, {.name = "saves"},
	};
	const struct list_options *options = call->options;
	struct user_rules rules = {0};
	struct table *table;
	struct verdict_rule rule;
	int rc = 0;

	if (options->rules)
		rc = error_context(err, user_rules_load(&rules, options->rules, err), "--rules");
	if (rc)
		return rc;
	table = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 0; verdict_rule_at(&rule, i); i++)
		if (is_chosen(pattern, rule.name, rule.limiter))
			table_row(table,
				  (const char *const[]){rule.name, rule.limiter, rule.condition,
							rule.advice, rule.saves});
	add_users(table, &rules, pattern);
	rc = list_to_stdout(call, table, pattern, err);
	table_free(table);
	user_rules_release(&rules);
	return rc;
}
