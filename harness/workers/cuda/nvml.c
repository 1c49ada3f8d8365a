/* Calls NVML. */
#include "harness/workers/cuda/device.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_TEMPERATURE_GPU = 0 };

struct nvml_process;

struct nvml {
	void *library;
	bool initialised;
	void *device;    /* the GPU, also of a slice */
	void *computing; /* what processes are listed of: the GPU or the slice; NULL: not known */
	bool is_slice;
	int (*init)(void);
	int (*shutdown)(void);
	int (*handle_by_bus)(const char *bus, void **device);
	int (*handle_by_uuid)(const char *uuid, void **device);
	int (*is_mig)(void *device, unsigned *is_mig);
	int (*clock)(void *device, int type, unsigned *mhz);
	int (*temperature)(void *device, int sensor, unsigned *celsius);
	int (*power)(void *device, unsigned *milliwatt);
	int (*power_limit)(void *device, unsigned *milliwatt);
	int (*clock_reasons)(void *device, unsigned long long *bits);
	int (*persistence)(void *device, int *enabled);
	int (*ecc)(void *device, int *current, int *pending);
	int (*mig)(void *device, unsigned *current, unsigned *pending);
	int (*driver_version)(char *text, unsigned length);
	int (*processes)(void *device, unsigned *count, struct nvml_process *processes);
};

/* nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3. */
struct nvml_process {
	unsigned pid;
	unsigned long long used_bytes;
	unsigned gpu_instance, compute_instance;
};

struct nvml_symbol {
	const char *name;
	size_t offset;
	bool required;
};

static const struct nvml_symbol nvml_symbols[] = {
	{"nvmlInit_v2", offsetof(struct nvml, init), true},
	{"nvmlShutdown", offsetof(struct nvml, shutdown), true},
	{"nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml, handle_by_bus), true},
	{"nvmlDeviceGetHandleByUUID", offsetof(struct nvml, handle_by_uuid), false},
	{"nvmlDeviceIsMigDeviceHandle", offsetof(struct nvml, is_mig), false},
	{"nvmlDeviceGetClockInfo", offsetof(struct nvml, clock), false},
	{"nvmlDeviceGetTemperature", offsetof(struct nvml, temperature), false},
	{"nvmlDeviceGetPowerUsage", offsetof(struct nvml, power), false},
	{"nvmlDeviceGetEnforcedPowerLimit", offsetof(struct nvml, power_limit), false},
	{"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml, clock_reasons), false},
	{"nvmlDeviceGetPersistenceMode", offsetof(struct nvml, persistence), false},
	{"nvmlDeviceGetEccMode", offsetof(struct nvml, ecc), false},
	{"nvmlDeviceGetMigMode", offsetof(struct nvml, mig), false},
	{"nvmlSystemGetDriverVersion", offsetof(struct nvml, driver_version), false},
	{"nvmlDeviceGetComputeRunningProcesses_v3", offsetof(struct nvml, processes), false},
};

static int load_symbols(struct nvml *nvml, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(nvml_symbols); i++) {
		void *symbol = dlsym(nvml->library, nvml_symbols[i].name);

		if (!symbol && nvml_symbols[i].required)
			return error_set(err, PL_EUNSUPPORTED, "libnvidia-ml.so.1 lacks %s",
					 nvml_symbols[i].name);
		memcpy((char *)nvml + nvml_symbols[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

/* Finds the handle that lists the computing processes. For a slice that is the whole GPU, which
 * lists those of all slices. */
static void find_computing(struct nvml *nvml, const char *uuid)
{
	unsigned is_mig = 0;
	void *slice = NULL;

	nvml->is_slice = strncmp(uuid, NVML_SLICE_PREFIX, strlen(NVML_SLICE_PREFIX)) == 0;
	if (!nvml->is_slice)
		nvml->computing = nvml->device;
	else if (nvml->handle_by_uuid && nvml->is_mig && !nvml->handle_by_uuid(uuid, &slice) &&
		 !nvml->is_mig(slice, &is_mig) && is_mig)
		nvml->computing = slice;
}

int nvml_open(struct nvml **out, const char *pci_bus_id, const char *uuid, struct error *err)
{
	static const char *const names[] = {"libnvidia-ml.so.1",
					    "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
					    "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
	struct nvml *nvml = xcalloc(1, sizeof(*nvml));
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !nvml->library; i++)
		nvml->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	rc = nvml->library ? load_symbols(nvml, err)
			   : error_set(err, PL_EUNSUPPORTED, "libnvidia-ml.so.1 not found");
	if (!rc) {
		const int refused = nvml->init();

		nvml->initialised = !refused;
		if (refused)
			rc = error_set(err, PL_EUNSUPPORTED, "nvmlInit failed with %d", refused);
	}
	if (!rc) {
		const int unknown = nvml->handle_by_bus(pci_bus_id, &nvml->device);

		if (unknown)
			rc = error_set(err, PL_EUNSUPPORTED,
				       "NVML knows no device at %s (error %d)", pci_bus_id,
				       unknown);
	}
	if (rc) {
		nvml_close(nvml);
		return rc;
	}
	find_computing(nvml, uuid);
	*out = nvml;
	return 0;
}

void nvml_close(struct nvml *nvml)
{
	if (!nvml)
		return;
	if (nvml->initialised)
		nvml->shutdown();
	if (nvml->library)
		dlclose(nvml->library);
	free(nvml);
}

struct device_state nvml_device_state(const struct nvml *nvml)
{
	struct device_state state = device_state_unknown;
	unsigned long long reasons;
	unsigned value;

	if (!nvml)
		return state;
	if (nvml->clock && !nvml->clock(nvml->device, NVML_CLOCK_SM, &value))
		state.sm_clock_hz = 1e6 * value;
	if (nvml->clock && !nvml->clock(nvml->device, NVML_CLOCK_MEMORY, &value))
		state.memory_clock_hz = 1e6 * value;
	if (nvml->temperature && !nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &value))
		state.temperature_c = value;
	if (nvml->power && !nvml->is_slice && !nvml->power(nvml->device, &value))
		state.power_w = 1e-3 * value;
	if (nvml->clock_reasons && !nvml->clock_reasons(nvml->device, &reasons))
		state.throttle_reasons = (int64_t)reasons;
	return state;
}

bool nvml_driver_version(const struct nvml *nvml, char out[32])
{
	return nvml && nvml->driver_version && nvml->driver_version(out, 32) == 0;
}

/* The parent of a process; 0: not known, as for a process outside of this container. */
static pid_t parent_of(unsigned pid)
{
	char path[48], line[256];
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	/* The name, in parentheses, may hold spaces and parentheses itself. */
	if (fgets(line, sizeof(line), file)) {
		const char *end = strrchr(line, ')');

		if (!end || sscanf(end, ") %*c %d", &parent) != 1)
			parent = 0;
	}
	fclose(file);
	return parent;
}

int nvml_list_others(const struct nvml *nvml, pid_t out[NVML_MOST_PROCESSES])
{
	struct nvml_process processes[NVML_MOST_PROCESSES];
	unsigned count = NVML_MOST_PROCESSES;
	int others = 0;

	if (!nvml || !nvml->processes || !nvml->computing ||
	    nvml->processes(nvml->computing, &count, processes))
		return -1;
	for (unsigned i = 0; i < count && i < NVML_MOST_PROCESSES; i++)
		if ((pid_t)processes[i].pid != getpid() && parent_of(processes[i].pid) != getppid())
			out[others++] = (pid_t)processes[i].pid;
	return others;
}

int nvml_other_processes(const struct nvml *nvml)
{
	return nvml_list_others(nvml, (pid_t[NVML_MOST_PROCESSES]){0});
}

void nvml_environment(const struct nvml *nvml, struct key_value_list *environment)
{
	char text[32];
	unsigned value, pending;
	int mode, later;

	if (!nvml)
		return;
	if (nvml->persistence && !nvml->persistence(nvml->device, &mode))
		key_value_set(environment, "gpu.persistence_mode", mode ? "on" : "off");
	if (nvml->ecc && !nvml->ecc(nvml->device, &mode, &later))
		key_value_set(environment, "gpu.ecc", mode ? "on" : "off");
	if (nvml->mig && !nvml->mig(nvml->device, &value, &pending))
		key_value_set(environment, "gpu.mig", value ? "on" : "off");
	if (nvml->power_limit && !nvml->is_slice && !nvml->power_limit(nvml->device, &value)) {
		snprintf(text, sizeof(text), "%.0f", 1e-3 * value);
		key_value_set(environment, "gpu.power_limit_w", text);
	}
}
