/* A request: its defaults, its settings for a backend, and the cases that it chooses. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "harness/protocol/protocol.h"
#include "harness/request/request.h"
#include "harness/sources/sources.h"
#include "metrics/catalogue/catalogue.h"

/* The limit of --jobs. Every machine may have the second number. */
#define JOBS_PER_PROCESSOR 8
#define JOBS_ALWAYS 64
/* The most bytes that are shown of a message of another program. */
#define TOLD_MOST_BYTES ((size_t)16 << 10)

void sweep_request_init(struct sweep_request *request)
{
	*request =
		(struct sweep_request){.settings = measure_settings_default, .lines = LINES_NONE};
}

bool is_kernel_file(const char *operand)
{
	static const char *const suffixes[] = {".cu",    ".cuh",     ".ptx",
					       ".cubin", ".capture", ".perflab"};

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (has_suffix(operand, suffixes[i]))
			return true;
	return false;
}

#define FILE_ENDINGS ".cu, .cuh, .ptx, .cubin, .capture or .perflab"

/* Whether the operand can only be meant as a file: no kernel has such a name. A file whose name has
 * no extension may also be the name of a kernel, and FAMILY/VARIANT may have a full stop in its
 * variant. */
static bool is_other_file(const char *operand)
{
	const char *slash = strrchr(operand, '/'), *name = slash ? slash + 1 : operand;
	struct stat found;

	if (*operand == '/' || *operand == '.')
		return true;
	if (!strchr(name, '.') || strchr(name, '='))
		return false;
	return !slash || strchr(operand, '/') != slash || stat(operand, &found) == 0;
}

static int refuse_other_file(const char *operand, struct error *err)
{
	struct stat found;

	if (stat(operand, &found))
		return error_set(err, PL_EUSAGE,
				 "there is no file '%s', and no kernel has such a name; files of "
				 "kernels end in " FILE_ENDINGS,
				 operand);
	if (S_ISDIR(found.st_mode))
		return error_set(err, PL_EUSAGE,
				 "'%s' is a folder: name its files that end in " FILE_ENDINGS,
				 operand);
	return error_set(err, PL_EUSAGE,
			 "'%s' is a file, but its name does not end in " FILE_ENDINGS
			 ": rename it, or link such a name to it",
			 operand);
}

int sweep_request_add_operand(struct sweep_request *request, const char *operand, struct error *err)
{
	if (is_kernel_file(operand))
		string_list_add(&request->files, operand);
	else if (is_other_file(operand))
		return refuse_other_file(operand, err);
	else
		string_list_add(&request->selectors, operand);
	return 0;
}

int sweep_request_add_replacement(struct sweep_request *request, const char *file,
				  struct error *err)
{
	bool has_capture = false;

	for (size_t i = 0; i < request->files.count; i++)
		has_capture |= has_suffix(request->files.items[i], CAPTURE_SUFFIX);
	if (!has_capture)
		return error_set(err, PL_EUSAGE,
				 "--replace %s: no capture is given, whose kernel it could "
				 "replace; write NAME.capture --replace %s",
				 file, file);
	if (!is_kernel_file(file))
		return error_set(err, PL_EUSAGE,
				 "--replace %s: a replacement is a file that ends in .cu, .cuh, "
				 ".ptx or .cubin",
				 file);
	string_list_add(&request->files, file);
	return 0;
}

void sweep_request_set_axis(struct sweep_request *request, const char *name, const char *values)
{
	string_list_add(&request->axis_names, name);
	string_list_add(&request->axis_values, values);
}

int sweep_request_set(struct sweep_request *request, const char *assignment, struct error *err)
{
	const char *equals = strchr(assignment, '=');
	char *name;

	if (!equals || equals == assignment || !equals[1])
		return error_set(err, PL_EUSAGE,
				 "--set '%.80s': expected NAME=VALUES, such as block=64..1024",
				 assignment);
	name = xstrndup(assignment, (size_t)(equals - assignment));
	sweep_request_set_axis(request, name, equals + 1);
	free(name);
	return 0;
}

void sweep_request_release(struct sweep_request *request)
{
	string_list_release(&request->selectors);
	string_list_release(&request->files);
	string_list_release(&request->annotations);
	string_list_release(&request->compile_flags);
	string_list_release(&request->axis_names);
	string_list_release(&request->axis_values);
	string_list_release(&request->metrics);
	string_list_release(&request->needed);
	string_list_release(&request->given);
	measure_settings_release(&request->settings);
}

/* ---- metrics ---- */

/* The emulator counts all that it can, whatever is requested. Metrics that only a device has are
 * stored as missing, so the same words work with every backend. */
static int request_emulated_metrics(struct string_list *wanted, const struct string_list *names,
				    struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < names->count && !rc; i++) {
		struct string_list one = {0}, found = {0};
		struct error own = {0}, other = {0};

		string_list_add(&one, names->items[i]);
		rc = metric_request_emulated(&found, &one, &own);
		if (rc)
			rc = metric_request(&found, &one, &other);
		if (!rc && strstr(names->items[i], "__"))
			rc = metric_unit_check(names->items[i], &other);
		/* suggest names from the catalogue that the word looks like */
		if (rc)
			error_set(err, rc, "%s",
				  strncmp(names->items[i], "ptx", 3) ? other.text : own.text);
		for (size_t j = 0; j < found.count && !rc; j++)
			if (!string_list_has(wanted, found.items[j]))
				string_list_add(wanted, found.items[j]);
		string_list_release(&one);
		string_list_release(&found);
	}
	return rc;
}

int request_metrics(struct string_list *wanted, const struct string_list *words, bool emulated,
		    struct error *err)
{
	struct string_list names = {0};
	bool none = false;
	int rc = 0;

	for (size_t i = 0; i < words->count; i++) {
		struct string_list pieces = {0};

		string_list_split(&pieces, words->items[i], ',');
		for (size_t j = 0; j < pieces.count; j++) {
			none |= strcmp(pieces.items[j], "none") == 0;
			string_list_add(&names, pieces.items[j]);
		}
		string_list_release(&pieces);
	}
	if (words->count == 0 && !emulated)
		string_list_add(&names, metric_set_name(METRIC_SET_CORE));
	if (none && names.count > 1)
		rc = error_set(err, PL_EUSAGE, "\"none\" excludes other metrics");
	else if (!none && emulated)
		rc = request_emulated_metrics(wanted, &names, err);
	else if (!none)
		rc = metric_request(wanted, &names, err);
	string_list_release(&names);
	return error_context(err, rc, "--metrics");
}

/* ---- settings and cases ---- */

int request_check_limits(const struct sweep_request *request, struct error *err)
{
	const struct measure_settings *settings = &request->settings;
	/* An emulator is a process with its own memory; far more of them than processors only run
	 * out of it. */
	const int64_t several = JOBS_PER_PROCESSOR * (int64_t)usable_processors();
	const struct {
		const char *option;
		int64_t value, most;
		const char *why;
	} limits[] = {
		{"jobs", settings->jobs, several > JOBS_ALWAYS ? several : JOBS_ALWAYS,
		 "more gain nothing on this machine; 0 means all processors"},
		{"rounds", settings->rounds, PROTOCOL_MAX_ROUNDS, "each round starts a worker"},
		{"placements", settings->placements, PROTOCOL_MAX_PLACEMENTS,
		 "each placement moves the data"},
		{"min-samples", settings->min_samples, PROTOCOL_MAX_SAMPLES,
		 "a case has at most so many samples"},
		{"device", settings->device, PROTOCOL_MAX_DEVICES - 1,
		 "perflab list devices numbers the devices"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].value > limits[i].most)
			return error_set(err, PL_EUSAGE, "--%s: %lld is too many; at most %lld: %s",
					 limits[i].option, (long long)limits[i].value,
					 (long long)limits[i].most, limits[i].why);
	return 0;
}

int request_check_folder(const struct sweep_request *request, struct error *err)
{
	const char *folder = request->settings.counter_dump;
	struct stat found;

	if (!folder || (!stat(folder, &found) && S_ISDIR(found.st_mode)))
		return 0;
	return error_set(err, PL_EUSAGE, "--counter-dump: '%s' is no folder: make it first",
			 folder);
}

int request_settings(struct measure_settings *out, const struct sweep_request *request,
		     const struct backend_traits *traits, struct error *err)
{
	struct measure_settings settings = request->settings;
	int rc;

	if (traits->emulated)
		settings.device = 0;
	settings.metrics = (struct string_list){0};
	settings.chip = settings.chip ? xstrdup(settings.chip) : NULL;
	settings.counter_dump = settings.counter_dump ? xstrdup(settings.counter_dump) : NULL;
	rc = request_metrics(&settings.metrics, &request->metrics, traits->emulated, err);
	if (!rc && settings.metrics.count && !traits->emulated)
		rc = error_context(err, metric_request(&settings.metrics, &request->needed, err),
				   "--rules");
	if (rc)
		measure_settings_release(&settings);
	else
		*out = settings;
	return rc;
}

static int check_options_of_source(const struct kernel_source *source, struct error *err)
{
	struct compile_request options = {
		.source = source->path,
		.tool = compile_tool_of(source),
		.standard = source->standard,
	};
	int rc;

	for (size_t i = 0; i < source->flag_count; i++)
		string_list_add(&options.flags, source->flags[i]);
	rc = compile_options_check(&options, err);
	string_list_release(&options.flags);
	return error_context(err, rc, "%s", source->path);
}

int request_read_files(struct kernel_file **out, const struct sweep_request *request,
		       const struct kernel_file_revision *revision, struct error *err)
{
	const struct kernel_file_options options = {
		.lines = (const char *const *)request->annotations.items,
		.line_count = request->annotations.count,
		.flags = (const char *const *)request->compile_flags.items,
		.flag_count = request->compile_flags.count,
		.standard = request->standard,
		.compiler = request->compiler,
		.axis_names = (const char *const *)request->axis_names.items,
		.axis_values = (const char *const *)request->axis_values.items,
		.axis_count = request->axis_names.count,
		.revision = revision,
	};
	static const char *const of_files[] = {"launch", "annotate", "compile-flag",
					       "std",    "compiler", "against"};
	struct kernel_file *files = NULL;
	const struct kernel *kernel;
	int rc;

	/* options that say something about a file have no effect without one */
	for (size_t i = 0; i < ARRAY_SIZE(of_files) && !request->files.count; i++)
		if (string_list_has(&request->given, of_files[i]))
			return error_set(err, PL_EUSAGE,
					 "--%s is about a file, and none is given; the built-in "
					 "kernels do not change",
					 of_files[i]);
	if (!request->files.count)
		return 0;
	rc = kernel_files_read(&files, (const char *const *)request->files.items,
			       request->files.count, &options, err);
	kernel = files ? kernel_file_kernel(files) : NULL;
	/* a run whose every case fails by a flag would otherwise be stored */
	for (size_t i = 0; !rc && i < kernel->variant_count; i++) {
		const struct kernel_variant *variant = &kernel->variants[i];

		rc = check_options_of_source(variant->source, err);
		if (!rc && variant->check && variant->check->source)
			rc = check_options_of_source(variant->check->source, err);
	}
	if (rc)
		kernel_file_free(files);
	else
		*out = files;
	return rc;
}

/* The first variant of the first of several files is the base of the others, unless the user says
 * otherwise or did not select it. */
static int pair_files(struct plan *plan, const struct sweep_request *request,
		      const struct kernel *kernel, struct error *err)
{
	const char *first = kernel->variants[0].name;
	size_t count = 0;

	/* a sidecar belongs to the file before it */
	for (size_t i = 0; i < request->files.count; i++)
		count += !has_suffix(request->files.items[i], KERNEL_FILE_SIDECAR_SUFFIX);
	if (request->base_variant || count < 2)
		return 0;
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(plan->cases[i].variant, first) == 0)
			return plan_pair(plan, first, err);
	return 0;
}

size_t user_kernels_list(const struct kernel *out[2], const struct user_kernels *kernels)
{
	size_t count = 0;

	if (kernels->now)
		out[count++] = kernel_file_kernel(kernels->now);
	if (kernels->then)
		out[count++] = kernel_file_kernel(kernels->then);
	return count;
}

int request_plan(struct plan **out, const struct sweep_request *request,
		 const struct user_kernels *kernels, struct error *err)
{
	const struct kernel *user[2];
	const bool none =
		request->base_variant && strcmp(request->base_variant, BASE_VARIANT_NONE) == 0;
	const size_t count = request->axis_names.count;
	struct axis_override *overrides = xcalloc(count + 1, sizeof(*overrides));
	struct plan_request wanted = {
		.kernels = {user, user_kernels_list(user, kernels)},
		.selectors = (const char *const *)request->selectors.items,
		.selector_count = request->selectors.count,
		.overrides = overrides,
		.override_count = count,
		.base_variant = none            ? NULL
				: kernels->then ? kernels->then_base
						: request->base_variant,
	};
	int rc;

	for (size_t i = 0; i < count; i++) {
		overrides[i].name = request->axis_names.items[i];
		overrides[i].values = request->axis_values.items[i];
	}
	rc = plan_choose(out, &wanted, err);
	if (!rc && kernels->now && !kernels->then)
		rc = pair_files(*out, request, user[0], err);
	if (!rc)
		rc = plan_check(*out, err);
	free(overrides);
	return rc;
}

bool database_is_new(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	bool can = path[0] && access(path, F_OK) != 0 && errno == ENOENT &&
		   access(folder, W_OK | X_OK) == 0;

	free(folder);
	return can;
}

void tell_observer(const struct sweep_observer *observer, enum notice_kind kind, const char *format,
		   ...)
{
	va_list args;
	char *line = NULL;

	if (!observer || !observer->notice)
		return;
	va_start(args, format);
	if (vasprintf(&line, format, args) >= 0) {
		observer->notice(observer->context, kind, line);
		free(line);
	}
	va_end(args);
}

void tell_observer_lines(const struct sweep_observer *observer, enum notice_kind kind,
			 const char *text)
{
	struct string_list lines = {0};
	size_t told_bytes = 0, left_out = 0;

	string_list_split(&lines, text, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		const size_t bytes = strlen(lines.items[i]);

		if (!bytes)
			continue;
		for (char *tab = lines.items[i]; (tab = strchr(tab, '\t'));)
			*tab = ' '; /* compilers quote the source, and a message shows no tabs */
		if (told_bytes + bytes > TOLD_MOST_BYTES) {
			left_out++;
			continue;
		}
		tell_observer(observer, kind, "%s%s", told_bytes ? "  " : "", lines.items[i]);
		told_bytes += bytes;
	}
	if (left_out)
		tell_observer(observer, kind, "  ... (%zu lines left out)", left_out);
	string_list_release(&lines);
}
