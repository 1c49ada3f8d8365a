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

static int write_escaped(const char *bytes, size_t length, void *context)
{
	struct text shown = TEXT_INIT;
	bool failed;

	escape_json(&shown, bytes, length);
	failed = fwrite(shown.data, 1, shown.length, context) != shown.length;
	text_release(&shown);
	return failed ? -1 : 0;
}

int report_json_dump(FILE *out, json_t *value, size_t flags)
{
	return json_dump_callback(value, write_escaped, out, flags | JSON_REAL_PRECISION(15));
}

int report_json_write(FILE *out, json_t *root, struct error *err)
{
	int rc = report_json_dump(out, root, JSON_INDENT(2));

	json_decref(root);
	if (rc || fputc('\n', out) == EOF)
		return error_set(err, PL_EIO, "cannot write the output: %s", strerror(errno));
	return stream_check(out, err);
}
