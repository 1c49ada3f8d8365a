/* Reports a finding while a launch runs. See machine.h. */
#include "emulator/machine/finding.h"

#include <stdarg.h>

enum step warp_finding(struct warp *warp, const struct instruction *at, int lane,
		       enum finding_kind kind, const char *format, ...)
{
	struct launch *launch = warp->block->launch;
	enum step step = finding_ends_launch(kind) ? STEP_STOPPED : STEP_NEXT;
	struct finding_list *list = kind == FINDING_PLACES ? launch->what.notes : launch->findings;
	struct finding_place place;
	va_list arguments;

	if (!list)
		return step;
	launch->stopped |= step == STEP_STOPPED;
	if (launch->follower && step != STEP_STOPPED) /* the checks have reported it */
		return step;
	finding_place_set(&place, warp, at, lane);
	va_start(arguments, format);
	finding_add(list, kind, &place, format, arguments);
	va_end(arguments);
	return step;
}
