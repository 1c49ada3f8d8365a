/* Which failed cases share a cause, so that a report says it once. */
#include <ctype.h>
#include <string.h>

#include "reports/derived/derived.h"

/* Behind a number, if the text begins with one. */
static const char *behind_number(const char *text)
{
	if (isdigit((unsigned char)text[*text == '-']))
		text += 1 + strspn(text + 1, "0123456789.");
	if (*text == 'e' && isdigit((unsigned char)text[-1]) &&
	    isdigit((unsigned char)text[1 + (text[1] == '-' || text[1] == '+')]))
		text += 2 + strspn(text + 2, "0123456789");
	return text;
}

/* Whether two reasons differ only in numbers that are no lines, such as those of a thread. What
 * follows the place of a fault is not compared. */
static bool same_cause(const char *a, const char *b, bool to_place)
{
	const char *const start = a;
	bool line = false;

	while (*a && !(to_place && a[0] == ':' && a[1] == ' ')) {
		const bool numbers = isdigit((unsigned char)a[*a == '-']) &&
				     isdigit((unsigned char)b[*b == '-']);

		line = a > start && (a[-1] == ':' || (line && isdigit((unsigned char)a[-1])));
		if (!(numbers && !line) && *a != *b)
			return false;
		a = numbers && !line ? behind_number(a) : a + 1;
		b = numbers && !line ? behind_number(b) : b + 1;
	}
	return *a == *b;
}

bool trial_failures_agree(const struct trial *a, const struct trial *b)
{
	const char *reason = a->reason ? a->reason : "", *other = b->reason ? b->reason : "";

	if (a->status != b->status)
		return false;
	if ((a->status == TRIAL_FAULT || a->status == TRIAL_MISMATCH) &&
	    !strcmp(a->kernel, b->kernel) && !strcmp(a->variant, b->variant) &&
	    same_cause(reason, other, a->status == TRIAL_FAULT))
		return true;
	return strcmp(reason, other) == 0;
}
