/* Checks the build, the report formats and the workers, and lists the devices of this machine and
 * of a database. */
#include "harness/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "db/db.h"
#include "harness/client/client.h"
#include "harness/origin/origin.h"
#include "harness/record/record.h"
#include "perflab_config.h"

#define GNUPLOT_VERSION_LIMIT 200

struct examination {
	void (*visit)(void *context, const struct worker_check *check);
	void *context;
	size_t failed; /* number of failed checks of the worker at hand */
};

static void add_check(const struct examination *examination, const char *name, bool ok,
		      const char *found, const char *remedy)
{
	const struct worker_check check = {
		.name = name, .ok = ok, .found = found, .remedy = ok ? "" : remedy};

	examination->visit(examination->context, &check);
}

static void visit_worker_check(void *context, const struct worker_check *check)
{
	struct examination *examination = context;

	add_check(examination, check->name, check->ok, check->found, check->remedy);
	examination->failed += !check->ok;
}

static void count_worker_device(void *context, int ordinal, const struct device_info *device)
{
	size_t *count = context;

	(void)ordinal;
	(void)device;
	++*count;
}

static void add_build(const struct examination *examination, bool with_cuda)
{
	const char *revision = host_build_revision();
	char *version = xasprintf("%s%s%s, %s build", PERFLAB_VERSION, revision ? " " : "",
				  revision ? revision : "", PERFLAB_BUILD_TYPE);

	add_check(examination, "perflab", strcmp(PERFLAB_BUILD_TYPE, "Debug") != 0, version,
		  "configure with -DCMAKE_BUILD_TYPE=RelWithDebInfo to measure");
	free(version);
	if (!with_cuda)
		return;
	if (PERFLAB_HAS_CUDA)
		add_check(examination, "built with CUDA", true, "toolkit " PERFLAB_CUDA_TOOLKIT,
			  "");
	else
		add_check(examination, "built with CUDA", false, PERFLAB_CUDA_WHY_NOT,
			  "install the CUDA toolkit (nvcc, CUPTI, NVTX) and configure again, or "
			  "give its folder with -DPERFLAB_CUDA_ROOT=FOLDER");
}

/* Adds the report formats that not every build or machine supports. */
static void add_formats(const struct examination *examination, const char *page_why_not)
{
	static char *const gnuplot[] = {"gnuplot", "--version", NULL};
	struct text version = TEXT_INIT;
	bool draws = process_capture(&version, GNUPLOT_VERSION_LIMIT, gnuplot, NULL) == 0;

	add_check(examination, "page", !page_why_not,
		  page_why_not ? page_why_not : "report --format html", "the other formats work");
	/* the output of gnuplot ends in a line feed */
	while (version.length && version.data[version.length - 1] == '\n')
		version.data[--version.length] = '\0';
	add_check(examination, "pictures", draws, draws ? version.data : "gnuplot is not installed",
		  "install gnuplot-nox for report --format svg, png and pdf, or use html");
	text_release(&version);
}

/* What `perflab record` needs. Only a program under it can say whether CUPTI works there. */
static void add_recorder(const struct examination *examination)
{
	struct text path = TEXT_INIT;
	struct error err = {0};
	bool found = recorder_find(&path, &err) == 0;

	add_check(examination, "recorder", found, found ? path.data : err.text,
		  "see the message; perflab record needs it");
	if (found) {
		found = cupti_find(&path);
		add_check(examination, "recorder's CUPTI", found,
			  found ? path.data : "in no CUDA toolkit",
			  "install CUPTI, set CUDA_HOME, or name the library in PERFLAB_CUPTI; a "
			  "program may still find one by itself");
	}
	text_release(&path);
}

/* Returns whether the worker starts and finds a device. Every problem becomes a check. */
static bool add_worker(struct examination *examination, const char *backend)
{
	const struct backend *known = backend_find(backend);
	const bool needs_toolkit = known && known->needs_toolkit && !PERFLAB_HAS_CUDA;
	char *name = xasprintf("worker %s", backend);
	struct text path = TEXT_INIT;
	struct error err = {0};
	size_t devices = 0;
	bool found = worker_find(&path, backend, &err) == 0;

	add_check(examination, name, found, found ? path.data : err.text,
		  needs_toolkit ? "build perflab where the CUDA toolkit is"
				: "build the target all, or set the variable that the "
				  "message names");
	text_release(&path);
	free(name);
	if (!found)
		return false;
	examination->failed = 0;
	if (worker_doctor(backend, visit_worker_check, examination, &err))
		add_check(examination, "worker answers", false, err.text,
			  "start the worker by hand and read its messages");
	if (worker_devices(backend, count_worker_device, &devices, &err)) {
		add_check(examination, "devices", false, err.text, "see the checks above");
		return false;
	}
	/* the worker of a GPU can measure although some of these checks fail */
	return devices > 0 && !(examination->failed && known && known->needs_all_checks);
}

bool doctor_examine(const struct doctor_request *request,
		    void (*visit)(void *context, const struct worker_check *check), void *context)
{
	const bool all = strcmp(request->backend, BACKEND_AUTO) == 0;
	const bool only_emulator = backend_traits_of(request->backend).emulated;
	struct examination examination = {visit, context, 0};
	const char *found = "cannot run here";
	bool emulates = false, measures = false;

	add_build(&examination, !only_emulator);
	if (all)
		add_formats(&examination, request->page_why_not);
	if (!only_emulator)
		add_recorder(&examination);
	if (!only_emulator)
		measures = add_worker(&examination, all ? BACKEND_CUDA : request->backend);
	if (all || only_emulator)
		emulates = add_worker(&examination, BACKEND_PTX);
	if (measures)
		found = "can run";
	else if (emulates)
		found = "can run without a GPU: results and counts of PTX, no times";
	add_check(&examination, "sweep", measures || emulates, found, "see the checks above");
	return measures || emulates;
}

/* ---- devices ---- */

static struct known_device *device_add(struct known_devices *devices,
				       const struct device_info *info)
{
	devices->items = xgrow(devices->items, &devices->capacity, devices->count + 1,
			       sizeof(*devices->items));
	devices->items[devices->count] = (struct known_device){*info, -1, -1, -1};
	return &devices->items[devices->count++];
}

static void visit_present(void *context, int ordinal, const struct device_info *info)
{
	device_add(context, info)->ordinal = ordinal;
}

static int visit_stored(void *context, int64_t id, const struct device_info *info, int64_t runs)
{
	struct known_devices *devices = context;
	struct known_device *known = NULL;

	/* Ignores the driver, which may have been updated. An emulated device has no uuid; its name
	 * identifies it. */
	for (size_t i = 0; i < devices->count && !known; i++)
		if (devices->items[i].id < 0 && !strcmp(devices->items[i].info.uuid, info->uuid) &&
		    !strcmp(devices->items[i].info.name, info->name))
			known = &devices->items[i];
	if (!known)
		known = device_add(devices, info);
	known->id = id;
	known->runs = runs;
	return 0;
}

int known_devices_load(struct known_devices *out, const char *db_path, bool must_exist,
		       const char *backend, struct error *absent, struct error *err)
{
	struct db *db = NULL;
	int rc = 0;

	if (must_exist || access(db_path, F_OK) == 0)
		rc = db_open(&db, db_path, DB_READ, err);
	if (!rc)
		worker_devices(backend, visit_present, out, absent);
	if (db)
		rc = db_devices_visit(db, visit_stored, out, err);
	db_close(db);
	return rc;
}

void known_devices_release(struct known_devices *devices)
{
	free(devices->items);
	*devices = (struct known_devices){0};
}
