/* The scenes of the program for tests of the recorder, and what they share. See program.c. */
#ifndef TESTS_RECORD_PROGRAM_H
#define TESTS_RECORD_PROGRAM_H

#include "tests/record/fake_cuda.h"

/* Scene, whether it begins with a context and a module. */
#define SCENE_LIST(X)          \
	X(launches, true)      \
	X(two_kernels, true)   \
	X(extra, true)         \
	X(attributes, true)    \
	X(refused, true)       \
	X(per_thread, true)    \
	X(searched, true)      \
	X(lists, true)         \
	X(kinds, true)         \
	X(variable, true)      \
	X(unknown, true)       \
	X(mapped, true)        \
	X(large, true)         \
	X(addresses, true)     \
	X(library, true)       \
	X(freed, true)         \
	X(reload, true)        \
	X(text, true)          \
	X(fat_binary, true)    \
	X(graph, true)         \
	X(both_ways, true)     \
	X(latin, true)         \
	X(threads, true)       \
	X(beside, true)        \
	X(unload, true)        \
	X(signals, true)       \
	X(fork, true)          \
	X(processes, false)    \
	X(no_cuda, false)      \
	X(idle, true)          \
	X(abort, true)         \
	X(quick, true)         \
	X(killed, true)        \
	X(through_tool, true)  \
	X(newer, true)         \
	X(future, true)        \
	X(future_symbol, true) \
	X(local, true)         \
	X(closed, true)        \
	X(first_form, true)    \
	X(destroyed, true)     \
	X(found_first, true)   \
	X(handles, true)       \
	X(contexts, true)      \
	X(library_stays, true) \
	X(errno, true)         \
	X(cancelled, true)     \
	X(broken_pipe, true)   \
	X(pending, true)       \
	X(file_limit, true)    \
	X(memory_limit, true)  \
	X(exec, true)          \
	X(exit_beside, true)   \
	X(storm, true)         \
	X(fork_storm, true)

#define X(name, with_context) void scene_##name(void);
SCENE_LIST(X)
#undef X

/* Elements of most arrays. */
#define COUNT 1000
#define BLOCK 128
#define GRID ((COUNT + BLOCK - 1) / BLOCK)

/* The module of the kernels that function_named() finds. */
extern CUmodule program_module;

/* Ends the program unless the call succeeded. */
void must(CUresult result);
/* Initialises CUDA for this thread. */
void program_begin(void);
/* Loads the file of $FAKE_CUDA_IMAGE as the module. */
void program_load_image(void);
CUfunction function_named(const char *name);
/* The caller frees the file. */
void *read_whole(const char *path, size_t *bytes);

/* Writes value, value + 1, … */
void array_fill(CUdeviceptr array, size_t count, float value);
CUdeviceptr array_new(size_t count, float value);
/* The first element and the last. */
void array_print(CUdeviceptr array, size_t count);

/* y += a x */
CUresult try_axpy(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y, CUstream stream);
void launch_axpy(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y);

#endif
