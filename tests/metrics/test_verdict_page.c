/* docs/verdicts.md against the rules. */
#include "metrics/analysis/verdict.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define PAGE "docs/verdicts.md"

static void documented_as_they_are(void **state)
{
	struct string_list lines = {0};
	struct error err = {0};
	struct verdict_rule words;
	size_t length, rule = 0;
	char *page;

	(void)state;
	if (read_file(&page, &length, PAGE, 1 << 20, &err))
		fail_msg("%s", err.text);
	string_list_split(&lines, page, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		const bool found = verdict_rule_at(&words, rule);
		char *row;

		if (strncmp(lines.items[i], "| `", 3) != 0)
			continue;
		if (!found)
			fail_msg(PAGE " has a rule that there is not: %s", lines.items[i]);
		row = xasprintf("| `%s` | %s | %s | %s |", words.name, words.condition,
				words.advice[0] ? words.advice : "-",
				words.saves[0] ? words.saves : "-");
		if (strcmp(lines.items[i], row) != 0)
			fail_msg(PAGE " lacks or misplaces this row:\n%s\nit has:\n%s", row,
				 lines.items[i]);
		free(row);
		rule++;
	}
	if (verdict_rule_at(&words, rule))
		fail_msg(PAGE " lacks the rule %s", words.name);
	assert_true(rule > 20);
	string_list_release(&lines);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documented_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
