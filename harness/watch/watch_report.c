/* The report of a watch. See watch_report.h. */
#include "harness/watch/watch.h"

#include <stdlib.h>

const char *watch_change_words(enum watch_change change)
{
	static const char *const words[] = {
#define X(symbol, words) words,
		WATCH_CHANGE_LIST(X)
#undef X
	};

	return words[change];
}

void watch_report_release(struct watch_report *report)
{
	regress_release(&report->against_last);
	regress_release(&report->against_best);
	free(report->cases);
	*report = (struct watch_report){0};
}
