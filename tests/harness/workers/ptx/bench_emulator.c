/*
 * How fast the emulator is on one core: lane-instructions a second of whole
 * launches, metrics and checkers as in a sweep. Seconds are those of the
 * thread on its processor, so that neighbours take none of them; of several
 * executions the fastest counts, since what still disturbs only adds. Prints a
 * line a benchmark: name, lane-instructions, seconds, G a second, least G a
 * second, separated by tabs; exits 1 when one is slower than its limit.
 * usage: perflab-bench-ptx [portable] [REPEAT [NAME]]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emulator/counts.h"
#include "harness/plan/plan.h"
#include "harness/workers/ptx/emulated_case.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

#define REPEAT_DEFAULT 5
#define REPEAT_MOST 999

/* Kernels without a family, in tests/emulator/images/bench. They are put in the place of another
 * kernel, which has the same parameters. */
#define BENCH "bench"
static const struct bench_image {
	const char *name, *kernel, *variant;
	int64_t divisor; /* of the number of blocks */
} bench_images[] = {
	{"fma_loop", "fault", "none", 1},
	{"stencil_3", "stream", "copy_scalar", 1},
	{"shifted_stores", "stream", "copy_scalar", 1},
	/* A thread steps over two words of the input. */
	{"stride_2", "stream", "copy_scalar", 2},
};

static const struct benchmark {
	const char *name, *kernel, *variant;
	int64_t block, n;
	double least;   /* G lane-instructions a second; 0: no limit */
	bool no_global; /* global memory is not checked */
} benchmarks[] = {
	{"arithmetic loop", BENCH, "fma_loop", 256, 1 << 15, 2.0, false},
	{"saxpy", "stream", "triad_scalar", 256, 1 << 22, 1.0, false},
	{"saxpy, global unchecked", "stream", "triad_scalar", 256, 1 << 22, 0, true},
	{"saxpy, 16 bytes a thread", "stream", "triad_float4", 256, 1 << 22, 0, false},
	{"reduction, grid stride", "reduce", "grid_stride", 256, 1 << 23, 1.0, false},
	{"reduction, grid stride, global unchecked", "reduce", "grid_stride", 256, 1 << 23, 0,
	 true},
	{"reduction, shuffle", "reduce", "shuffle", 256, 1 << 22, 1.0, false},
	{"reduction, shuffle, global unchecked", "reduce", "shuffle", 256, 1 << 22, 0, true},
	{"reduction, shared memory", "reduce", "sequential", 256, 1 << 21, 1.0, false},
	/* So few blocks that shared memory is checked in all of them. */
	{"reduction, shared memory, all checked", "reduce", "sequential", 256, 1 << 16, 0, false},
	{"tiled sgemm", "matmul", "tiled", 256, 256, 0.4, false},
	{"tiled sgemm, global unchecked", "matmul", "tiled", 256, 256, 0, true},
	{"naive sgemm", "matmul", "naive", 256, 256, 0, false},
	{"naive sgemm, global unchecked", "matmul", "naive", 256, 256, 0, true},
	/* Each lane reads another row of the matrix. */
	{"transpose, by columns", "transpose", "naive_read", 256, 1024, 0, false},
	{"transpose, by columns, global unchecked", "transpose", "naive_read", 256, 1024, 0, true},
	{"stencil of 3 points", BENCH, "stencil_3", 256, 1 << 20, 0, false},
	{"stencil of 3 points, global unchecked", BENCH, "stencil_3", 256, 1 << 20, 0, true},
	{"stores shifted by a word", BENCH, "shifted_stores", 256, 1 << 20, 0, false},
	{"stores shifted by a word, global unchecked", BENCH, "shifted_stores", 256, 1 << 20, 0,
	 true},
	{"reads with stride 2", BENCH, "stride_2", 256, 1 << 21, 0, false},
	{"reads with stride 2, global unchecked", BENCH, "stride_2", 256, 1 << 21, 0, true},
	{"divergent switch", "divergence", "switch_lane", 256, 1 << 16, 0, false},
};

static int fail(const char *what, const struct error *err)
{
	fprintf(stderr, "perflab-bench-ptx: %s: %s\n", what, err->text);
	return 3;
}

/* NULL: the kernel has a family. */
static const struct bench_image *find_image(const struct benchmark *benchmark)
{
	for (size_t i = 0; i < ARRAY_SIZE(bench_images); i++)
		if (!strcmp(benchmark->kernel, BENCH) &&
		    !strcmp(benchmark->variant, bench_images[i].name))
			return &bench_images[i];
	return NULL;
}

static void replace_kernel(struct case_runner *runner, struct launch_case *work,
			   const struct bench_image *image)
{
	struct text path = TEXT_INIT;

	text_addf(&path, BENCH "/%s", image->name);
	free(work->image);
	work->image = xstrdup(path.data);
	text_release(&path);
	free(work->launches[0].entry);
	work->launches[0].entry = xstrdup(image->name);
	work->launches[0].grid[0] /= image->divisor;
	runner->images.folder = xstrdup("tests/emulator/images");
}

static int resolve(struct launch_case **out, const struct benchmark *benchmark,
		   const struct chip *chip, struct error *err)
{
	const struct bench_image *image = find_image(benchmark);
	const char *variant = image ? image->variant : benchmark->variant;
	const struct kernel *kernel = kernel_find(image ? image->kernel : benchmark->kernel);
	const struct axis_value axes[] = {
		{"block", benchmark->block}, {"n", benchmark->n}, {"ways", 8}};
	struct device_info device;
	struct device_limits limits;
	struct text skip = TEXT_INIT;
	bool has_ways = !strcmp(variant, "switch_lane");
	int rc;

	chip_describe_device(chip, &device);
	device_limits_of(&limits, &device);
	rc = kernel_resolve(out, &skip, kernel, kernel_find_variant(kernel, variant), axes,
			    has_ways ? 3 : 2, &limits, err);
	if (rc == 0 && !*out)
		rc = error_set(err, PL_EUSAGE, "%s", skip.data);
	text_release(&skip);
	return rc;
}

static double thread_seconds(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int time_launches(struct emulated_case *emulated, bool global, int repeat, double *seconds,
			 uint64_t *lane_instructions, struct error *err)
{
	const struct launch_part all = {.checked = true, .checks_global = global};
	int rc = 0;

	*seconds = INFINITY;
	for (int r = 0; r < repeat && rc == 0; r++) {
		struct emulated_counts counts;
		double begin;

		rc = emulated_case_restore(emulated, err);
		begin = thread_seconds();
		for (size_t i = 0; i < emulated->work->launch_count && rc == 0; i++)
			rc = emulated_case_launch(emulated, i, &all, err);
		*seconds = fmin(*seconds, thread_seconds() - begin);
		emulation_counts(emulated->emulation, &counts);
		*lane_instructions = counts.lane_instructions;
		if (rc == 0 && emulated->findings.count)
			rc = error_set(err, PL_EDEVICE, "a kernel without faults has findings");
	}
	return rc;
}

static int measure(const struct benchmark *benchmark, enum emulated_lanes lanes, int repeat,
		   bool *missed, struct error *err)
{
	const struct ptx_program *program = NULL;
	const struct ptx_image *image = NULL;
	struct emulated_case emulated = {0};
	struct launch_case *work = NULL;
	const struct chip *chip = NULL;
	struct case_runner runner = {0};
	const char *gaps = NULL;
	uint64_t lane_instructions = 0;
	double seconds = NAN;
	double rate;
	int rc = chip_find(&chip, NULL, err);

	if (rc == 0)
		rc = resolve(&work, benchmark, chip, err);
	if (rc)
		return rc;
	case_runner_init(&runner, chip, 1);
	runner.lanes = lanes;
	if (find_image(benchmark))
		replace_kernel(&runner, work, find_image(benchmark));
	rc = ptx_image_program(&runner.images, work, &image, &program, &gaps, err);
	if (rc == 0 && !program)
		rc = error_set(err, PL_EUNSUPPORTED, "needs %s", gaps);
	if (rc == 0)
		rc = emulated_case_open(&emulated, &runner, work, image, program, err);
	if (rc == 0)
		rc = time_launches(&emulated, !benchmark->no_global, repeat, &seconds,
				   &lane_instructions, err);
	emulated_case_close(&emulated);
	case_runner_release(&runner);
	launch_case_free(work);
	if (rc)
		return rc;
	rate = (double)lane_instructions / seconds / 1e9;
	printf("%s\t%" PRIu64 "\t%.6f\t%.3f\t%g\n", benchmark->name, lane_instructions, seconds,
	       rate, benchmark->least);
	fflush(stdout);
	*missed = *missed || rate < benchmark->least;
	return 0;
}

int main(int argc, char **argv)
{
	bool portable = argc > 1 && !strcmp(argv[1], "portable");
	const char *words[2] = {NULL};
	int64_t repeat = REPEAT_DEFAULT;
	struct error err = {0};
	bool missed = false, found = false;

	for (int i = 1 + portable; i < argc && i < 3 + portable; i++)
		words[i - 1 - portable] = argv[i];
	if (argc > 3 + portable || (words[0] && (parse_i64(&repeat, words[0], &err) || repeat < 1 ||
						 repeat > REPEAT_MOST))) {
		fprintf(stderr, "usage: perflab-bench-ptx [portable] [REPEAT [NAME]]\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(benchmarks); i++) {
		if (words[1] && strcmp(words[1], benchmarks[i].name) != 0)
			continue;
		found = true;
		if (measure(&benchmarks[i], portable ? LANES_PORTABLE : LANES_BEST, (int)repeat,
			    &missed, &err))
			return fail(benchmarks[i].name, &err);
	}
	if (!found) {
		fprintf(stderr, "perflab-bench-ptx: no benchmark '%s'\n", words[1]);
		return 2;
	}
	return missed ? 1 : 0;
}
