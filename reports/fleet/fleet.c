/* Writes a comparison of many GPUs in the format asked for. */
#include "reports/fleet/fleet.h"

#include <errno.h>

#include "reports/table/stream.h"

int report_fleet(FILE *out, const struct fleet_report *report, enum report_format format,
		 const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};

	if (!report_format_applies(format, OF_TABLE))
		return error_set(err, PL_EUSAGE, "a fleet cannot be written as %s",
				 report_format_name(format));
	if (!options)
		options = &plain;
	if (format == REPORT_JSON)
		return fleet_json(out, report, err);
	if (format == REPORT_CSV)
		return fleet_csv(out, report, options, err);
	errno = 0;
	fleet_readable(out, report, format, options);
	return stream_check(out, err);
}
