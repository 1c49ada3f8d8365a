/* Scenes that show whether the recorder leaves the state of threads and processes alone. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/record/program.h"

#define KEPT_ERRNO 1234

void scene_errno(void)
{
	CUdeviceptr x = array_new(COUNT, 1), y = array_new(COUNT, 0);
	CUfunction function = function_named("axpy");
	int numbers[3];

	for (int i = 0; i < 3; i++) {
		errno = KEPT_ERRNO;
		launch_axpy(function, 1, x, y);
		numbers[i] = errno;
	}
	errno = KEPT_ERRNO;
	must(cuModuleUnload(program_module));
	printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], errno);
}

static int launched;
static CUfunction launched_function;
static CUdeviceptr launched_arrays[2];

static void *launch_cancelled(void *unused)
{
	CUcontext context;

	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	pthread_cancel(pthread_self());
	launch_axpy(launched_function, 1, launched_arrays[0], launched_arrays[1]);
	launched = 1;
	pthread_testcancel();
	return unused;
}

/* A thread is cancelled, which shows at its next function that waits. */
void scene_cancelled(void)
{
	pthread_t thread;
	void *result;

	launched_function = function_named("axpy");
	for (int i = 0; i < 2; i++)
		launched_arrays[i] = array_new(COUNT, 1);
	if (pthread_create(&thread, NULL, launch_cancelled, NULL))
		exit(97);
	pthread_join(thread, &result);
	printf("%d %d\n", launched, result == PTHREAD_CANCELED);
	scene_launches();
}

/* Nobody reads what the program prints to stderr. */
void scene_broken_pipe(void)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
		exit(97);
	close(ends[0]);
	close(ends[1]);
	scene_launches();
}

/* The program has a signal of its own to take later. */
void scene_pending(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	raise(SIGPIPE);
	scene_broken_pipe();
	sigpending(&signals);
	printf("%d\n", sigismember(&signals, SIGPIPE));
}

/* No file can become longer. */
void scene_file_limit(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, 1});
	scene_launches();
}

/* The process can have at most so many bytes more. */
static void limit_memory(size_t bytes)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!file || fscanf(file, "%lu", &pages) != 1)
		exit(97);
	fclose(file);
	pages *= (unsigned long)sysconf(_SC_PAGESIZE);
	setrlimit(RLIMIT_AS, &(struct rlimit){pages + bytes, RLIM_INFINITY});
}

/* The program has no memory for a copy of its code; then none to record a launch. */
void scene_memory_limit(void)
{
	static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
				   ".visible .entry axpy() { ret; }\n";
	const size_t bytes = (size_t)64 << 20;
	char *image = malloc(bytes);
	CUmodule module;

	if (!image)
		exit(98);
	memset(image, '\n', bytes);
	memcpy(image, text, strlen(text));
	image[bytes - 1] = 0;
	limit_memory((size_t)32 << 20);
	must(cuModuleLoadData(&module, image));
	limit_memory((size_t)12 << 20);
	scene_launches();
}

/* Another program takes the place of this one. */
void scene_exec(void)
{
	scene_launches();
	fflush(stdout);
	execl("/proc/self/exe", "record_program", "launches", (char *)NULL);
	exit(97);
}

static int arrivals[1];

static void *launch_forever(void *unused)
{
	CUcontext context;
	int *arrived = arrivals, count = 2;
	void *arguments[] = {&arrived, &count};

	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	must(cuLaunchKernel(function_named("meet"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
	return unused;
}

/* The program ends in the middle of a launch of another thread. */
void scene_exit_beside(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, launch_forever, NULL))
		exit(97);
	while (!__atomic_load_n(arrivals, __ATOMIC_SEQ_CST))
		sched_yield();
	exit(4);
}

/* ---- everything at once ---- */

#define STORM_THREADS 8
#define STORM_ROUNDS 100

static CUfunction storm_function;

static void *storm(void *unused)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUdeviceptr x, y;
	CUcontext context;
	CUstream stream;

	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
	/* copies may be made while another thread captures a stream */
	must(cuThreadExchangeStreamCaptureMode(&mode));
	x = array_new(COUNT, 1);
	y = array_new(COUNT, 0);
	must(cuStreamCreate(&stream, 0));
	for (int i = 0; i < STORM_ROUNDS; i++) {
		CUmodule module;
		CUgraph graph;

		launch_axpy(storm_function, 1, x, y);
		if (i % 4 == 0) {
			must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
			must(try_axpy(storm_function, 1, x, y, stream));
			must(cuStreamEndCapture(stream, &graph));
		}
		if (i % 5 == 0) {
			must(cuModuleLoadData(&module,
					      ".version 9.0\n.target sm_90\n.address_size 64\n"
					      ".visible .entry axpy() { ret; }\n"));
			must(cuModuleUnload(module));
		}
	}
	flockfile(stdout);
	array_print(y, COUNT);
	funlockfile(stdout);
	must(cuMemFree(x));
	must(cuMemFree(y));
	return unused;
}

static void run_storm(void (*beside)(void))
{
	pthread_t threads[STORM_THREADS];

	storm_function = function_named("axpy");
	for (size_t i = 0; i < STORM_THREADS; i++)
		if (pthread_create(&threads[i], NULL, storm, NULL))
			exit(97);
	beside();
	for (size_t i = 0; i < STORM_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void do_nothing(void)
{
}

/* Threads launch, capture graphs, and load and unload code. */
void scene_storm(void)
{
	run_storm(do_nothing);
}

/* Any lock of the process may be held for ever in a child. It ends as programs do, with all that
 * was registered to run then, and with what the driver does then. */
static void fork_often(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		CUcontext context;
		int status;

		if (!child) {
			must(cuCtxDestroy(fake_context_new()));
			must(cuCtxGetCurrent(&context));
			exit(3);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
			exit(96);
	}
}

void scene_fork_storm(void)
{
	/* a child would print again what its parent has not printed yet */
	setvbuf(stdout, NULL, _IONBF, 0);
	run_storm(fork_often);
}
