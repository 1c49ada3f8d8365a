/* What the topics of `perflab list` share: printing their tables. */
#include "cli/list.h"
#include "cli/output.h"

char *number_text(int64_t value)
{
	return xasprintf("%lld", (long long)value);
}

int list_to_stdout(const struct invocation *call, const struct table *table, const char *pattern,
		   struct error *err)
{
	const struct list_options *options = call->options;
	int rc = table_to_stdout(call, table, (enum report_format)options->format, err);

	if (!rc && pattern && !table_row_count(table))
		say("no name of the %s matches \"%s\"; `perflab list %s` shows all",
		    call->operands.items[0], pattern, call->operands.items[0]);
	return rc;
}
