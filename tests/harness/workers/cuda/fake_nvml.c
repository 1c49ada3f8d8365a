/* An NVML of one GPU that has one slice (MIG). Of the GPU it lists two processes, which are of
 * other slices, and of the slice one. The test finds it before the real one. */
#include <string.h>

#define FAKE_SLICE "MIG-00112233-4455-6677-8899-aabbccddeeff"
#define OK 0
#define NOT_FOUND 6

static char gpu, slice;

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceIsMigDeviceHandle(void *device, unsigned *is_mig);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatt);
int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending);

int nvmlInit_v2(void)
{
	return OK;
}

int nvmlShutdown(void)
{
	return OK;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
	(void)bus;
	*device = &gpu;
	return OK;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	*device = &slice;
	return strcmp(uuid, FAKE_SLICE) == 0 ? OK : NOT_FOUND;
}

int nvmlDeviceIsMigDeviceHandle(void *device, unsigned *is_mig)
{
	*is_mig = device == &slice;
	return OK;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	(void)type;
	*mhz = 1980;
	return device == &gpu ? OK : NOT_FOUND;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt)
{
	(void)device;
	*milliwatt = 400000;
	return OK;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatt)
{
	(void)device;
	*milliwatt = 700000;
	return OK;
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending)
{
	(void)device;
	*current = *pending = 1;
	return OK;
}

/* nvmlProcessInfo_t of version 3 */
struct process {
	unsigned pid;
	unsigned long long used_bytes;
	unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
					    struct process *processes);

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
					    struct process *processes)
{
	*count = device == &slice ? 1 : 2;
	for (unsigned i = 0; i < *count; i++)
		processes[i] = (struct process){.pid = 4000001 + i + (device == &gpu)};
	return OK;
}
