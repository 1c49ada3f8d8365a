/* JSON for every report; see the header. */
#include "reports/table/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/stream.h"

json_t *report_json_text(const char *text)
{
	struct text clean = TEXT_INIT;
	json_t *value;

	if (!text)
		return json_null();
	escape_utf8(&clean, text);
	value = json_string(clean.data);
	text_release(&clean);
	return value;
}

json_t *report_json_known_text(const char *text)
{
	return report_json_text(text && *text ? text : NULL);
}

json_t *report_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

int report_json_write(FILE *out, json_t *root, struct error *err)
{
	int rc = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));

	json_decref(root);
	if (rc || fputc('\n', out) == EOF)
		return error_set(err, PL_EIO, "cannot write the output: %s", strerror(errno));
	return stream_check(out, err);
}
