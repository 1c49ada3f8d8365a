/* The table of export formats, and the call of a writer. */
#include <errno.h>

#include "reports/export/writers.h"
#include "reports/table/stream.h"

static const struct {
	const char *meaning;
	size_t name_limit, metric_limit;
	enum export_metrics metrics;
	export_writer *write;
} formats[EXPORT_FORMAT_COUNT] = {
#define X(symbol, name, writer, name_limit, metric_limit, metrics, meaning) \
	{meaning, name_limit, metric_limit, metrics, export_write_##writer},
	EXPORT_FORMAT_LIST(X)
#undef X
};

const char *const export_format_words[] = {
#define X(symbol, name, writer, name_limit, metric_limit, metrics, meaning) name,
	EXPORT_FORMAT_LIST(X)
#undef X
		"",
	NULL};

const char *export_format_meaning(enum export_format format)
{
	return formats[format].meaning;
}

size_t export_name_limit(enum export_format format)
{
	return formats[format].name_limit;
}

size_t export_metric_limit(enum export_format format)
{
	return formats[format].metric_limit;
}

enum export_metrics export_metrics_of(enum export_format format)
{
	return formats[format].metrics;
}

static int fail_empty(const struct export_request *request, const struct export_choice *choice,
		      struct error *err)
{
	const struct run *run = request->run;
	const long long id = (long long)run->id;

	if (!choice->left_out)
		return error_set(err, PL_ENOENT,
				 "run %lld has nothing to export: it has no case; `perflab list "
				 "runs` lists the others",
				 id);
	if (!run->traits.emulated || request->metrics->count)
		return error_set(
			err, PL_ENOENT,
			"run %lld has nothing to export: no case was verified and measured (%s)",
			id, choice->why.data);
	if (formats[request->format].metrics == NO_METRICS ||
	    formats[request->format].metrics == ALL_METRICS)
		return error_set(err, PL_ENOENT,
				 "run %lld has nothing to export as %s: the emulator measures no "
				 "times",
				 id, export_format_words[request->format]);
	return error_set(err, PL_ENOENT,
			 "run %lld has nothing to export: the emulator measures no times; name a "
			 "count, such as --metric ptx_warp_instructions",
			 id);
}

int export_run(FILE *out, const struct export_request *request, const struct export_choice *choice,
	       export_samples *samples, void *samples_context, struct error *err)
{
	const struct export_source source = {request->run, request->metrics, choice, samples,
					     samples_context};
	int rc;

	if (!choice->count)
		return fail_empty(request, choice, err);
	errno = 0;
	rc = formats[request->format].write(out, &source, err);
	return rc ? rc : stream_check(out, err);
}
