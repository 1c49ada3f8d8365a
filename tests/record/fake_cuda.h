/*
 * A driver and a CUPTI for tests of the recorder on machines without a GPU. Its
 * device memory is memory of the host, and its kernels are C functions. It has
 * what the recorder and the scenes of program.c need, with the behaviour of the
 * real driver where the recorder depends on it: lazy loading, handles of kernels
 * of libraries, refusals while a stream is captured, and the order of callbacks.
 *
 * libcuda.so.1: fake_driver.c, fake_memory.c, fake_launch.c, fake_graph.c,
 * fake_kernels.c. libcupti.so.13: fake_cupti.c.
 */
#ifndef TESTS_RECORD_FAKE_CUDA_H
#define TESTS_RECORD_FAKE_CUDA_H

#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- kernels ---- */

/* One thread does the work of all. */
struct fake_launch {
	unsigned grid[3], block[3], shared_bytes;
	void **arguments; /* one address for each parameter */
};

struct fake_parameter {
	size_t offset, bytes;
};

struct fake_kernel {
	const char *name;
	void (*run)(const struct fake_launch *launch);
	struct fake_parameter parameters[5];
	size_t parameter_count;
};

/* NULL: there is no such kernel. */
const struct fake_kernel *fake_kernel_named(const char *name);
/* The only variable of every image: float bias. */
extern float fake_bias;
#define FAKE_BIAS_NAME "fake_bias"
/* Calls of cuCtxSynchronize() by threads that take SIGUSR1. */
extern int fake_waits_with_signals;

/* ---- handles ---- */

/* The first word of a handle says what it is, because programs mix up the two kinds of kernels. */
enum fake_kind { FAKE_FUNCTION = 0x66756e63, FAKE_KERNEL = 0x6b65726e };

struct CUmod_st {
	bool announced; /* CUPTI was told that its code is loaded */
};

struct CUlib_st {
	struct CUmod_st module; /* loaded when the first kernel of it is needed */
};

struct CUfunc_st {
	enum fake_kind kind;
	const struct fake_kernel *kernel;
	CUmodule module;
};

struct CUkern_st {
	enum fake_kind kind;
	CUlibrary library;
	struct CUfunc_st function;
};

struct CUstream_st {
	CUgraph capturing; /* NULL: work is executed */
};

/* What cuda.h calls cuLaunchKernel() in programs whose threads have default streams of their own.
 */
CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
				     unsigned grid_z, unsigned block_x, unsigned block_y,
				     unsigned block_z, unsigned shared_bytes, CUstream stream,
				     void **arguments, void **extra);

/* The first form of cuStreamBeginCapture(), for which cuda.h has no name: its symbol. */
CUresult CUDAAPI fake_begin_first_form(CUstream stream) __asm__("cuStreamBeginCapture");

/* The version of CUDA from which on cuLaunchKernel() has a form that nobody knows yet. */
#define FAKE_FUTURE_VERSION 99000
struct fake_future_launch {
	CUfunction function;
	unsigned grid, block;
	void **arguments;
};
CUresult CUDAAPI cuLaunchKernel_v9(const struct fake_future_launch *launch);

/* As cuGetProcAddress_v2(). */
typedef CUresult fake_find_function(const char *name, void **out, int version, cuuint64_t flags,
				    CUdriverProcAddressQueryResult *query);

/* A context beside the primary one. It is not made current. */
CUcontext fake_context_new(void);

/* ---- between the parts of the driver ---- */

/* Tells CUPTI about the code of a module, once. */
void fake_module_announce(CUmodule module);
/* Executes a function, or adds it to a graph that the stream is captured into. */
CUresult fake_execute(CUfunction function, const struct fake_launch *launch, CUstream stream);
void fake_graph_add(CUgraph graph, CUfunction function, const struct fake_launch *launch);
/* Whether the driver refuses this thread what it refuses while a stream is captured. */
bool fake_capture_forbids(void);
/* Breaks the captures that are under way, as waiting for the context does in any mode. Returns
 * whether there are some. */
bool fake_capture_invalidate(void);
/* Makes a range known, or unknown again. */
void fake_memory_add(const void *start, size_t bytes, CUmemorytype type, bool managed);

/* ---- between the driver and CUPTI ---- */

struct fake_call {
	CUpti_CallbackId id;
	const char *name;
	const void *parameters;
	const char *symbol; /* of a launch: the name of the kernel */
	CUresult result;
	uint64_t correlation_data;
};

struct fake_execution {
	const char *kernel;
	struct fake_launch launch;
	bool in_graph;
};

struct fake_listener {
	void (*called)(struct fake_call *call, CUpti_ApiCallbackSite site);
	void (*loaded)(const char *image, size_t bytes);
	void (*unloading)(void);
	void (*context_ending)(CUcontext context);
	void (*executed)(const struct fake_execution *execution);
};

/* `listener` stays valid. Exported to libcupti. */
void fake_cuda_listen(const struct fake_listener *listener);
/* All members are NULL if nobody listens. */
extern const struct fake_listener *fake_listening;
void fake_enter(struct fake_call *call);
/* Returns the result of the call. */
CUresult fake_exit(struct fake_call *call, CUresult result);

#endif
