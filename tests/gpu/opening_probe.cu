/*
 * opening_probe: how long the steps take with which a process opens a GPU, and what they do to the
 * samples that another process takes on the same GPU.
 *
 *   opening_probe open NAME    one line: the ms of each step
 *   opening_probe slowly NAME  the same with 0.6 s between the steps, and a line when each begins
 *   opening_probe sample S     samples of a copy for S seconds, one line for each 0.1 s
 *
 * Times of lines are those of the monotonic clock. The GPU is the first of CUDA_VISIBLE_DEVICES.
 *
 * build: nvcc -O2 -arch=sm_90 -o opening_probe opening_probe.cu -lcuda -lcupti -ldl
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>
#include <cupti_profiler_target.h>
#include <dlfcn.h>
#include <unistd.h>

#define CHECKED(call)                                                      \
	do {                                                               \
		int result_ = (int)(call);                                 \
		if (result_) {                                             \
			fprintf(stderr, "%s: error %d\n", #call, result_); \
			exit(1);                                           \
		}                                                          \
	} while (0)

static double now_ms()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* ---- opening ---- */

struct opening {
	bool slowly;
	double begin, last;
	char line[1024];
};

static void step_begin(opening *opening, const char *what)
{
	if (opening->slowly) {
		usleep(600000);
		printf("%.2f %s\n", now_ms() * 1e-3, what);
		fflush(stdout);
	}
	opening->last = now_ms();
}

static void step_end(opening *opening, const char *what)
{
	size_t length = strlen(opening->line);

	snprintf(opening->line + length, sizeof(opening->line) - length, " %s %.0f", what,
		 now_ms() - opening->last);
}

#define STEP(opening, what, call)          \
	do {                               \
		step_begin(opening, what); \
		CHECKED(call);             \
		step_end(opening, what);   \
	} while (0)

static int open_nvml()
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	int (*initialise)() = library ? (int (*)())dlsym(library, "nvmlInit_v2") : NULL;

	return initialise ? initialise() : 0;
}

static int open_cupti()
{
	CUpti_Profiler_Initialize_Params params = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};

	return cuptiProfilerInitialize(&params);
}

static void open_gpu(const char *name, bool slowly)
{
	opening opening = {slowly};
	const size_t host_bytes = 64 << 20, device_bytes = (size_t)4 << 30;
	CUdevice device;
	CUcontext context;
	CUdeviceptr memory;
	void *host;

	opening.begin = now_ms();
	STEP(&opening, "NVML", open_nvml());
	STEP(&opening, "driver", cuInit(0));
	CHECKED(cuDeviceGet(&device, 0));
	STEP(&opening, "CUPTI", open_cupti());
	STEP(&opening, "context", cuDevicePrimaryCtxRetain(&context, device));
	CHECKED(cuCtxSetCurrent(context));
	STEP(&opening, "pinned", cuMemAllocHost(&host, host_bytes));
	STEP(&opening, "memory", cuMemAlloc(&memory, device_bytes));
	STEP(&opening, "set", cuMemsetD8(memory, 0, device_bytes) || cuCtxSynchronize());
	STEP(&opening, "upload", cuMemcpyHtoD(memory, host, host_bytes));
	STEP(&opening, "free", cuMemFree(memory) || cuMemFreeHost(host));
	printf("%s:%s total %.0f\n", name, opening.line, now_ms() - opening.begin);
}

/* ---- sampling ---- */

#define COPIED_BYTES ((size_t)1 << 24)
#define BATCH 20

__global__ void copy(const float4 *from, float4 *to)
{
	const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	to[i] = from[i];
}

static void print_samples(std::vector<float> *us)
{
	std::sort(us->begin(), us->end());
	printf("%.2f samples %zu, median %.2f, 99 %% %.2f, longest %.1f us\n", now_ms() * 1e-3,
	       us->size(), (*us)[us->size() / 2], (*us)[us->size() * 99 / 100], us->back());
	us->clear();
}

static void sample(double seconds)
{
	const double end = now_ms() + 1e3 * seconds;
	double printed = now_ms();
	cudaEvent_t events[BATCH + 1];
	std::vector<float> us;
	float4 *from, *to;

	CHECKED(cudaMalloc(&from, COPIED_BYTES));
	CHECKED(cudaMalloc(&to, COPIED_BYTES));
	for (cudaEvent_t &event : events)
		CHECKED(cudaEventCreate(&event));
	while (now_ms() < end) {
		CHECKED(cudaEventRecord(events[0]));
		for (int i = 0; i < BATCH; i++) {
			copy<<<COPIED_BYTES / sizeof(float4) / 256, 256>>>(from, to);
			CHECKED(cudaEventRecord(events[i + 1]));
		}
		CHECKED(cudaEventSynchronize(events[BATCH]));
		for (int i = 0; i < BATCH; i++) {
			float ms;

			CHECKED(cudaEventElapsedTime(&ms, events[i], events[i + 1]));
			us.push_back(1e3f * ms);
		}
		if (now_ms() - printed > 100) {
			print_samples(&us);
			printed = now_ms();
		}
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "sample") == 0)
		sample(atof(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "open") == 0)
		open_gpu(argv[2], false);
	else if (argc == 3 && strcmp(argv[1], "slowly") == 0)
		open_gpu(argv[2], true);
	else
		return fprintf(stderr,
			       "usage: opening_probe open|slowly NAME, or sample SECONDS\n"),
		       2;
	return 0;
}
