/*
 * The kernels of the tests. This file is compiled twice: into the driver that
 * executes them, and to an object file that stands for the machine code that a
 * program loads: an ELF file with a section .text.NAME for each kernel and
 * .nv.global for variables, as a cubin has.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/record/fake_cuda.h"

int fake_waits_with_signals;
float fake_bias __attribute__((section(".nv.global"))) = 0.5f;

void axpy(const struct fake_launch *launch);
void add_to_struct(const struct fake_launch *launch);
void add_to_lists(const struct fake_launch *launch);
void add_bias(const struct fake_launch *launch);
void end_process(const struct fake_launch *launch);
void meet(const struct fake_launch *launch);
void count_waits(const struct fake_launch *launch);
void add_late(const struct fake_launch *launch);
void add_beside(const struct fake_launch *launch);

/* void axpy(float a, const float *x, float *y, int n), as in fixtures/kernels.cu */
void axpy(const struct fake_launch *launch)
{
	float a = *(float *)launch->arguments[0];
	const float *x = *(float **)launch->arguments[1];
	float *y = *(float **)launch->arguments[2];
	int count = *(int *)launch->arguments[3];
	int threads = (int)(launch->grid[0] * launch->block[0]);

	for (int i = 0; i < count && i < threads; i++)
		y[i] += a * x[i];
}

/* void add_to_struct(struct { float *data; long count; } array) */
void add_to_struct(const struct fake_launch *launch)
{
	struct {
		float *data;
		long count;
	} array;

	memcpy(&array, launch->arguments[0], sizeof(array));
	for (long i = 0; i < array.count; i++)
		array.data[i] += 1;
}

/* void add_to_lists(float **lists, int lists_count, int count) */
void add_to_lists(const struct fake_launch *launch)
{
	float **lists = *(float ***)launch->arguments[0];
	int lists_count = *(int *)launch->arguments[1];
	int count = *(int *)launch->arguments[2];

	for (int i = 0; i < lists_count; i++)
		for (int j = 0; j < count; j++)
			lists[i][j] += (float)(i + 1);
}

/* void add_bias(float *y): also counts its launches in the variable */
void add_bias(const struct fake_launch *launch)
{
	float *y = *(float **)launch->arguments[0];

	y[0] += fake_bias;
	fake_bias += 1;
}

/* void end_process(float *y) */
void end_process(const struct fake_launch *launch)
{
	(*(float **)launch->arguments[0])[0] = 1;
	kill(getpid(), SIGKILL);
}

/* void meet(int *arrived, int count): ends when `count` processes are in it */
void meet(const struct fake_launch *launch)
{
	atomic_int *arrived = *(atomic_int **)launch->arguments[0];
	int count = *(int *)launch->arguments[1];

	atomic_fetch_add(arrived, 1);
	while (atomic_load(arrived) < count)
		sched_yield();
}

/* void count_waits(float *y): adds how many threads waited for the GPU that take signals */
void count_waits(const struct fake_launch *launch)
{
	(*(float **)launch->arguments[0])[0] += (float)fake_waits_with_signals;
}

/* How far the two kernels below are. */
enum { LATE_BEGAN, BESIDE_BEGAN, LATE_ENDED, STEPS };

/* Waits for a step; for a limited time if the step may never come. */
static void await_step(const atomic_int *step, bool limited)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec++;
	do {
		sched_yield();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!atomic_load(step) && (!limited || now.tv_sec < end.tv_sec ||
					(now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
}

/* void add_late(float *y, int steps[3]): adds 100 while add_beside() runs, if that is possible */
void add_late(const struct fake_launch *launch)
{
	atomic_int *steps = *(atomic_int **)launch->arguments[1];

	atomic_store(&steps[LATE_BEGAN], 1);
	await_step(&steps[BESIDE_BEGAN], true);
	(*(float **)launch->arguments[0])[0] += 100;
	atomic_store(&steps[LATE_ENDED], 1);
}

/* void add_beside(float *y, int steps[3]) */
void add_beside(const struct fake_launch *launch)
{
	atomic_int *steps = *(atomic_int **)launch->arguments[1];

	atomic_store(&steps[BESIDE_BEGAN], 1);
	await_step(&steps[LATE_ENDED], false);
	(*(float **)launch->arguments[0])[0] += 1;
}

const struct fake_kernel *fake_kernel_named(const char *name)
{
	static const struct fake_kernel kernels[] = {
		{"axpy", axpy, {{0, 4}, {8, 8}, {16, 8}, {24, 4}}, 4},
		{"add_to_struct", add_to_struct, {{0, 16}}, 1},
		{"add_to_lists", add_to_lists, {{0, 8}, {8, 4}, {12, 4}}, 3},
		{"add_bias", add_bias, {{0, 8}}, 1},
		{"end_process", end_process, {{0, 8}}, 1},
		/* a name that is not UTF-8 */
		{"caf\xe9", add_bias, {{0, 8}}, 1},
		{"meet", meet, {{0, 8}, {8, 4}}, 2},
		{"count_waits", count_waits, {{0, 8}}, 1},
		{"add_late", add_late, {{0, 8}, {8, 8}}, 2},
		{"add_beside", add_beside, {{0, 8}, {8, 8}}, 2},
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];
	return NULL;
}
