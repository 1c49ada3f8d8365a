/* Scenes of threads and processes, and of their ends. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/record/program.h"

static void *launch_often(void *argument)
{
	CUdeviceptr x = array_new(COUNT, 1);
	CUdeviceptr y = array_new(COUNT, 0);
	CUcontext context;

	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	for (int i = 0; i < 50; i++)
		launch_axpy(argument, 1, x, y);
	flockfile(stdout);
	array_print(y, COUNT);
	funlockfile(stdout);
	return NULL;
}

void scene_threads(void)
{
	CUfunction function = function_named("axpy");
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, launch_often, function))
			exit(97);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* Steps of two kernels: the other one has begun, this one has begun, the other one has ended. */
static int steps[3];

static void launch_beside(const char *kernel, CUdeviceptr y)
{
	int *argument = steps;
	void *arguments[] = {&y, &argument};

	must(cuLaunchKernel(function_named(kernel), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
}

static void *launch_late(void *y)
{
	CUcontext context;

	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	launch_beside("add_late", *(CUdeviceptr *)y);
	return NULL;
}

static void *unload_late(void *module)
{
	while (!__atomic_load_n(&steps[0], __ATOMIC_SEQ_CST))
		sched_yield();
	must(cuModuleUnload(module));
	printf("%s\n", __atomic_load_n(&steps[2], __ATOMIC_SEQ_CST) ? "after" : "during");
	__atomic_store_n(&steps[1], 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* A thread unloads a module in the middle of a launch of another one. */
void scene_unload(void)
{
	CUmodule other = program_module;
	CUdeviceptr y = array_new(COUNT, 0);
	pthread_t thread;

	program_load_image();
	if (pthread_create(&thread, NULL, unload_late, other))
		exit(97);
	launch_beside("add_late", y);
	pthread_join(thread, NULL);
	array_print(y, COUNT);
}

void scene_signals(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&y};

	must(cuLaunchKernel(function_named("count_waits"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
			    NULL));
	array_print(y, COUNT);
}

/* The driver still works on a launch of one thread when another thread launches. */
void scene_beside(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	pthread_t thread;

	if (pthread_create(&thread, NULL, launch_late, &y))
		exit(97);
	while (!__atomic_load_n(&steps[0], __ATOMIC_SEQ_CST))
		sched_yield();
	launch_beside("add_beside", y);
	pthread_join(thread, NULL);
	array_print(y, COUNT);
}

/* CUDA does not work in the child, but nothing keeps it from trying. */
void scene_fork(void)
{
	pid_t child;
	int status;

	scene_launches();
	fflush(stdout);
	child = fork();
	if (!child) {
		scene_launches();
		exit(3); /* with all that was registered to run at exit */
	}
	if (waitpid(child, &status, 0) != child)
		exit(97);
	printf("%d\n", WEXITSTATUS(status));
}

/* Two processes that are in the middle of a launch at the same time. */
void scene_processes(void)
{
	int *arrived = mmap(NULL, sizeof(*arrived), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int count = 2;
	void *arguments[] = {&arrived, &count};

	if (arrived == MAP_FAILED)
		exit(97);
	for (int i = 0; i < count; i++) {
		if (fork())
			continue;
		program_begin();
		program_load_image();
		must(cuLaunchKernel(function_named("meet"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
				    NULL));
		exit(0);
	}
	for (int i = 0; i < count; i++) {
		int status = 1;

		wait(&status);
		printf("%d\n", status);
	}
}

void scene_no_cuda(void)
{
	exit(6);
}

void scene_idle(void)
{
	exit(7);
}

void scene_abort(void)
{
	scene_launches();
	fflush(stdout);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	abort();
}

void scene_quick(void)
{
	scene_launches();
	fflush(stdout);
	_exit(5);
}

void scene_killed(void)
{
	CUdeviceptr y = array_new(COUNT, 0);
	void *arguments[] = {&y};

	must(cuLaunchKernel(function_named("end_process"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
			    NULL));
}
