/* The phases of a case, and the memory of a session's description. */
#include "harness/protocol/messages.h"

#include <stdlib.h>
#include <string.h>

static const char *const phase_names[] = {
#define X(symbol, name) [symbol] = name,
	WORKER_PHASE_LIST(X)
#undef X
};

const char *worker_phase_name(enum worker_phase phase)
{
	return phase_names[phase];
}

bool worker_phase_parse(enum worker_phase *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(phase_names); i++)
		if (!strcmp(phase_names[i], name)) {
			*out = (enum worker_phase)i;
			return true;
		}
	return false;
}

void session_info_release(struct session_info *info)
{
	key_value_list_release(&info->environment);
	free(info->counters_reason);
	*info = (struct session_info){0};
}
