/* What the topics of `perflab list` share: printing their tables. */
#include <string.h>

#include "cli/list.h"
#include "cli/output.h"
#include "kernels/kernels.h"
#include "metrics/catalogue/catalogue.h"

char *number_text(int64_t value)
{
	return xasprintf("%lld", (long long)value);
}

/* The names that a pattern may have meant: not those of files, nor of databases. */
static void add_listed_names(struct string_list *out, const char *topic)
{
	const struct metric *(*const metrics[])(size_t *) = {metric_all, metric_all_emulated};
	const bool of_metrics = strcmp(topic, "metrics") == 0;
	size_t count = 0;
	const struct kernel *const *kernels =
		strcmp(topic, "kernels") == 0 ? kernel_all(&count) : NULL;

	for (size_t i = 0; i < count; i++)
		string_list_add(out, kernels[i]->name);
	for (size_t t = 0; t < ARRAY_SIZE(metrics) && of_metrics; t++) {
		const struct metric *items = metrics[t](&count);

		for (size_t i = 0; i < count; i++)
			string_list_add(out, items[i].name);
	}
}

static void say_nothing_matches(const struct invocation *call, const char *pattern)
{
	const char *topic = call->operands.items[0];
	struct string_list names = {0};
	struct text near = TEXT_INIT;

	if (call->operands.count <= 2) /* else there are files */
		add_listed_names(&names, topic);
	if (nearest_names(&near, pattern, (const char *const *)names.items, names.count))
		say("no name of the %s matches \"%s\": did you mean %s? `perflab list %s` shows "
		    "all",
		    topic, pattern, near.data, topic);
	else
		say("no name of the %s matches \"%s\"; `perflab list %s` shows all", topic, pattern,
		    topic);
	text_release(&near);
	string_list_release(&names);
}

int list_to_stdout(const struct invocation *call, const struct table *table, const char *pattern,
		   struct error *err)
{
	const struct list_options *options = call->options;
	const bool matched = !pattern || table_row_count(table);
	int rc = 0;

	/* a program that reads the output needs the head in any case */
	if (matched || options->format != REPORT_TEXT)
		rc = table_to_stdout(call, table, (enum report_format)options->format, err);
	if (!rc && !matched)
		say_nothing_matches(call, pattern);
	return rc;
}
