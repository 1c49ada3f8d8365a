/* The checks of the CUDA worker, each with a finding and, if it fails, a remedy; the devices; and
 * the metrics of a chip, also on a machine without a device. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/toolkit_version.h"
#include "harness/workers/cuda/backend.h"
#include "harness/workers/cuda/device.h"
#include "metrics/cupti/cupti_session.h"

static int reply_doctor_row(struct worker_reply *reply, const char *name, bool ok,
			    const char *found, const char *remedy)
{
	const struct worker_check check = {
		.name = name, .ok = ok, .found = found, .remedy = ok ? "" : remedy};

	return worker_reply_check(reply, &check);
}

static int check_device(struct worker_reply *reply, const struct device *device)
{
	const struct device_info *info = &device->info;
	char memory[32];
	char *found;
	int rc;

	format_bytes(memory, (double)info->memory_bytes);
	found = xasprintf("%s, %lld SMs, %s", info->name, (long long)info->sm_count, memory);
	rc = reply_doctor_row(reply, "device", true, found, "");
	free(found);
	found = xasprintf("%d.%d", info->cc_major, info->cc_minor);
	/* CUPTI's Range Profiler supports Turing (7.5) and later. */
	if (rc == 0)
		rc = reply_doctor_row(
			reply, "compute capability", 10 * info->cc_major + info->cc_minor >= 75,
			found,
			"counters and the built-in kernels need 7.5 or later: use a newer GPU");
	free(found);
	return rc;
}

/* A GPU that is newer than the installed CUPTI has counters that this CUPTI does not know. */
static int check_chip(struct worker_reply *reply, const char *chip)
{
	struct string_list known = {0};
	struct error why = {0};
	bool listed = chip[0] && cupti_chips(&known, &why) == 0 && string_list_has(&known, chip);
	char *found = listed    ? xstrdup(chip)
		      : chip[0] ? xasprintf("%s, unknown to this version of CUPTI", chip)
				: xstrdup("unknown to CUPTI");
	int rc = reply_doctor_row(
		reply, "chip", listed, found,
		"some counters may be missing: install a CUDA toolkit that supports this GPU");

	free(found);
	string_list_release(&known);
	return rc;
}

static int check_counters(struct worker_reply *reply, struct device *device, bool cupti)
{
	struct error why = {0};
	char chip[16] = "";
	int rc;

	if (!cupti)
		return reply_doctor_row(reply, "counter permission", false, "not checked: no CUPTI",
					"install CUPTI");
	if (cupti_device_check(device->context, device->handle, chip, NULL, &why))
		return reply_doctor_row(
			reply, "counter permission", false, why.text,
			"timing needs no permission; to read counters, run as root or load the "
			"driver with NVreg_RestrictProfilingToAdminUsers=0");
	rc = reply_doctor_row(reply, "counter permission", true, "granted", "");
	return rc ? rc : check_chip(reply, chip);
}

/* Splits a message "CAUSE: REMEDY" at its last colon. */
static int reply_refusal(struct worker_reply *reply, const char *name, const struct error *why)
{
	const char *remedy = why->text;
	char *found;
	int rc;

	for (const char *colon = strstr(why->text, ": "); colon; colon = strstr(remedy, ": "))
		remedy = colon + 2;
	found = xstrndup(why->text, remedy == why->text ? strlen(why->text)
							: (size_t)(remedy - why->text) - 2);
	rc = reply_doctor_row(reply, name, false, found, remedy);
	free(found);
	return rc;
}

static int check_cupti(struct worker_reply *reply, bool *usable)
{
	char version[16] = "";
	struct error why = {0};

	*usable = cupti_load(version, &why) == 0;
	return reply_doctor_row(
		reply, "CUPTI", *usable, *usable ? version : why.text,
		"install CUPTI of the CUDA toolkit, or set CUDA_HOME to the toolkit or "
		"PERFLAB_CUPTI to the library file; timing works without it");
}

static int doctor_with_device(struct worker_reply *reply, struct device *device)
{
	bool cupti = false;
	int rc = reply_doctor_row(
		reply, "driver", true,
		device->info.driver[0] ? device->info.driver : device->info.cuda_driver, "");

	if (rc == 0)
		rc = check_device(reply, device);
	if (rc == 0)
		rc = check_cupti(reply, &cupti);
	if (rc == 0)
		rc = check_counters(reply, device, cupti);
	if (rc == 0)
		rc = reply_doctor_row(
			reply, "NVML", device->nvml != NULL,
			device->nvml ? "clocks, power and throttling are recorded"
				     : device->nvml_reason.text,
			"install libnvidia-ml.so.1 of the driver; without it clocks are not "
			"recorded");
	return rc;
}

/* Without a device, the same rows report what could not be checked. */
static int doctor_without_device(struct worker_reply *reply, const struct device *device,
				 const struct error *why)
{
	static const char *const unchecked[] = {"compute capability", "counter permission", "NVML"};
	bool cupti = false;
	int rc;

	rc = reply_refusal(reply, device->driver.library ? "device" : "driver", why);
	if (rc == 0 && !device->driver.library)
		rc = reply_doctor_row(reply, "device", false, "not checked: no driver",
				      "see driver");
	if (rc == 0)
		rc = check_cupti(reply, &cupti);
	for (size_t i = 0; i < ARRAY_SIZE(unchecked) && rc == 0; i++)
		rc = reply_doctor_row(reply, unchecked[i], false, "not checked: no device",
				      "see device");
	return rc;
}

int cuda_doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	const enum profiler tool = profiler_attached();
	struct device device = {0};
	struct error why = {0};
	bool opened = device_open(&device, 0, NULL, &why) == 0;
	int rc;

	(void)backend;
	(void)err;
	rc = reply_doctor_row(reply, "toolkit", true, "built with CUDA " PERFLAB_TOOLKIT_VERSION,
			      "");
	if (rc == 0 && opened)
		rc = doctor_with_device(reply, &device);
	else if (rc == 0)
		rc = doctor_without_device(reply, &device, &why);
	device_close(&device);
	if (rc == 0)
		rc = reply_doctor_row(
			reply, "profiler attached", tool == PROFILER_NONE,
			tool == PROFILER_NONE ? "none" : profiler_name(tool),
			"perflab reads no counters while a profiler is attached: run without it");
	return rc;
}

int cuda_devices(void *backend, struct worker_reply *reply, struct error *err)
{
	struct cuda_driver driver;
	char pci_bus_id[32];
	int count = 0;
	int rc = cuda_driver_open(&driver, err);

	(void)backend;
	if (rc == 0)
		rc = cuda_check(&driver, driver.cuDeviceGetCount(&count), err, "cuDeviceGetCount");
	for (int i = 0; i < count && rc == 0; i++) {
		struct device_info info;
		struct nvml *nvml = NULL;

		rc = device_describe(&driver, i, &info, pci_bus_id, err);
		/* Only NVML reports the version of the driver itself. */
		if (rc == 0 && nvml_open(&nvml, pci_bus_id, info.uuid, NULL) == 0)
			nvml_driver_version(nvml, info.driver);
		nvml_close(nvml);
		if (rc == 0)
			rc = worker_reply_device(reply, i, &info);
	}
	return rc;
}

/* ---- the metrics of a chip ---- */

/* Writes CUPTI's name for the chip of device 0, or GH100 if there is no device. */
static void default_chip(char chip[16])
{
	struct device device = {0};

	snprintf(chip, 16, "GH100");
	if (device_open(&device, 0, NULL, NULL) == 0)
		cupti_device_check(device.context, device.handle, chip, NULL, NULL);
	device_close(&device);
}

static int reply_metric(void *reply, const struct cupti_metric_description *described)
{
	const struct worker_metric metric = {.name = described->name,
					     .unit = described->unit,
					     .kind = described->kind,
					     .description = described->description};

	return worker_reply_metric(reply, &metric);
}

/* An unknown chip is a usage error only if the user named it. */
static int own_chip_code(const char *chip, int rc)
{
	return !chip && rc == PL_EUSAGE ? PL_EUNSUPPORTED : rc;
}

int cuda_metrics(void *backend, const char *chip, const char *pattern, struct worker_reply *reply,
		 struct error *err)
{
	char own[16];

	(void)backend;
	if (!chip)
		default_chip(own);
	return own_chip_code(
		chip, cupti_metrics_visit(chip ? chip : own, pattern, reply_metric, reply, err));
}

int cuda_passes(void *backend, const char *chip, const struct string_list *wanted, int64_t *passes,
		struct string_list *missing, struct error *err)
{
	struct cupti_plan *plan = NULL;
	char own[16];
	int rc;

	(void)backend;
	if (!chip)
		default_chip(own);
	rc = cupti_plan_create(&plan, chip ? chip : own, wanted, NULL, err);
	if (rc)
		return own_chip_code(chip, rc);
	*passes = (int64_t)cupti_plan_pass_count(plan);
	for (size_t i = 0; i < cupti_plan_missing(plan)->count; i++)
		string_list_add(missing, cupti_plan_missing(plan)->items[i]);
	cupti_plan_free(plan);
	return 0;
}
