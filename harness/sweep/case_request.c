/* Writes a request about a case. */
#include "harness/sweep/data/preparation.h"
#include "harness/sweep/sweep_state.h"

void case_request(struct text *out, struct sweep *sweep, const char *request, size_t index,
		  int round, size_t base)
{
	text_addf(out, "{\"request\":\"%s\",\"id\":%zu", request, index);
	if (round >= 0)
		text_addf(out, ",\"round\":%d", round);
	text_add(out, ",\"case\":");
	case_add_json(out, sweep, index);
	if (base != NO_CASE) {
		text_add(out, ",\"beside\":");
		case_add_json(out, sweep, base);
	}
	preparation_hold(sweep->preparation, &index, 1);
	preparation_add_data(out, sweep->preparation, &index, 1);
	text_add_char(out, '}');
}
