/* The rows of a recording, and their sums. */
#include "metrics/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void recording_init(struct recording *recording)
{
	*recording = (struct recording){.wall_ns = -1, .bare_wall_ns = -1, .exit_code = -1};
}

void recording_release(struct recording *recording)
{
	for (size_t i = 0; i < recording->process_count; i++) {
		free(recording->processes[i].program);
		free(recording->processes[i].why_not);
	}
	for (size_t i = 0; i < recording->kernel_count; i++) {
		struct recorded_kernel *kernel = &recording->kernels[i];

		free(kernel->name);
		free(kernel->readable);
		free(kernel->device);
		free(kernel->uuid);
	}
	for (size_t i = 0; i < recording->capture_count; i++) {
		struct recorded_capture *capture = &recording->captures[i];

		free(capture->path);
		free(capture->name);
		free(capture->readable);
		free(capture->lost);
	}
	free(recording->processes);
	free(recording->kernels);
	free(recording->captures);
	free(recording->command);
	free(recording->label);
	free(recording->host);
	free(recording->version);
	recording_init(recording);
}

struct recorded_process *recording_process(struct recording *recording, int64_t pid)
{
	struct recorded_process *process;

	for (size_t i = 0; i < recording->process_count; i++)
		if (recording->processes[i].pid == pid)
			return &recording->processes[i];
	recording->processes = xgrow(recording->processes, &recording->process_capacity,
				     recording->process_count + 1, sizeof(*recording->processes));
	process = &recording->processes[recording->process_count++];
	*process = (struct recorded_process){
		.pid = pid, .launches = -1, .dropped = -1, .own_ns = -1, .wall_ns = -1};
	return process;
}

const struct recorded_kernel recorded_kernel_unknown = {
	.grid = {-1, -1, -1},
	.block = {-1, -1, -1},
	.shared_bytes = -1,
	.registers = -1,
	.total_ns = -1,
	.median_ns = -1,
	.min_ns = -1,
	.max_ns = -1,
};

struct recorded_kernel *recording_add_kernel(struct recording *recording, int64_t pid)
{
	struct recorded_kernel *kernel;

	recording->kernels = xgrow(recording->kernels, &recording->kernel_capacity,
				   recording->kernel_count + 1, sizeof(*recording->kernels));
	kernel = &recording->kernels[recording->kernel_count++];
	*kernel = recorded_kernel_unknown;
	kernel->pid = pid;
	return kernel;
}

struct recorded_capture *recording_add_capture(struct recording *recording, int64_t pid)
{
	struct recorded_capture *capture;

	recording->captures = xgrow(recording->captures, &recording->capture_capacity,
				    recording->capture_count + 1, sizeof(*recording->captures));
	capture = &recording->captures[recording->capture_count++];
	*capture = (struct recorded_capture){
		.pid = pid, .launch = -1, .bytes = -1, .file_bytes = -1, .seconds = NAN};
	return capture;
}

/* ---- sums ---- */

/* -1 is not known, and INT64_MAX stands for more. */
static int64_t add_known(int64_t sum, int64_t value)
{
	int64_t result;

	if (value < 0)
		return sum;
	if (sum < 0)
		return value;
	return __builtin_add_overflow(sum, value, &result) ? INT64_MAX : result;
}

int64_t recording_launches(const struct recording *recording)
{
	int64_t sum = -1;

	for (size_t i = 0; i < recording->kernel_count; i++)
		sum = add_known(sum, recording->kernels[i].launches);
	return sum;
}

int64_t recording_dropped(const struct recording *recording)
{
	int64_t sum = -1;

	for (size_t i = 0; i < recording->process_count; i++)
		sum = add_known(sum, recording->processes[i].dropped);
	return sum;
}

int64_t recording_own_ns(const struct recording *recording)
{
	int64_t sum = -1;

	for (size_t i = 0; i < recording->process_count; i++)
		sum = add_known(sum, recording->processes[i].own_ns);
	return sum;
}

int64_t recording_gpu_ns(const struct recording *recording)
{
	int64_t sum = -1;

	for (size_t i = 0; i < recording->kernel_count; i++)
		sum = add_known(sum, recording->kernels[i].total_ns);
	return sum;
}

/* ---- rows by kernel ---- */

static int compare_known_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_shapes(const struct recorded_kernel *a, const struct recorded_kernel *b)
{
	int order = memcmp(a->grid, b->grid, sizeof(a->grid));

	if (!order)
		order = memcmp(a->block, b->block, sizeof(a->block));
	return order ? order
		     : (a->shared_bytes > b->shared_bytes) - (a->shared_bytes < b->shared_bytes);
}

static int order_by_name(const void *left, const void *right)
{
	const struct recorded_kernel *a = left, *b = right;
	int order = compare_known_texts(a->name, b->name);

	if (!order)
		order = compare_known_texts(a->uuid, b->uuid);
	if (!order)
		order = compare_known_texts(a->device, b->device);
	return order ? order : compare_shapes(a, b);
}

static int order_by_time(const void *left, const void *right)
{
	const struct recorded_kernel *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->launches != b->launches)
		return a->launches > b->launches ? -1 : 1;
	return order_by_name(left, right);
}

static void keep_equal(int64_t *value, int64_t other)
{
	if (*value != other)
		*value = -1;
}

static void keep_equal_dimensions(int64_t value[3], const int64_t other[3])
{
	if (memcmp(value, other, 3 * sizeof(*value)) != 0)
		memcpy(value, recorded_kernel_unknown.grid, 3 * sizeof(*value));
}

static void add_row(struct recorded_kernel *sum, const struct recorded_kernel *row)
{
	keep_equal_dimensions(sum->grid, row->grid);
	keep_equal_dimensions(sum->block, row->block);
	keep_equal(&sum->shared_bytes, row->shared_bytes);
	keep_equal(&sum->registers, row->registers);
	sum->launches = add_known(sum->launches, row->launches);
	sum->graph_launches = add_known(sum->graph_launches, row->graph_launches);
	sum->total_ns = add_known(sum->total_ns, row->total_ns);
	sum->median_ns = -1;
	if (row->min_ns >= 0 && (sum->min_ns < 0 || row->min_ns < sum->min_ns))
		sum->min_ns = row->min_ns;
	if (row->max_ns > sum->max_ns)
		sum->max_ns = row->max_ns;
}

static bool same_row(const struct recorded_kernel *a, const struct recorded_kernel *b, bool shapes)
{
	return !compare_known_texts(a->name, b->name) && !compare_known_texts(a->uuid, b->uuid) &&
	       !compare_known_texts(a->device, b->device) && (!shapes || !compare_shapes(a, b));
}

size_t recording_summarise(struct recorded_kernel **out, const struct recording *recording,
			   bool shapes)
{
	struct recorded_kernel *rows = xcalloc(recording->kernel_count + 1, sizeof(*rows));
	size_t count = 0;

	*out = rows;
	if (!recording->kernel_count)
		return 0;
	memcpy(rows, recording->kernels, recording->kernel_count * sizeof(*rows));
	qsort(rows, recording->kernel_count, sizeof(*rows), order_by_name);
	for (size_t i = 1; i < recording->kernel_count; i++) {
		if (same_row(&rows[count], &rows[i], shapes))
			add_row(&rows[count], &rows[i]);
		else
			rows[++count] = rows[i];
	}
	count++;
	qsort(rows, count, sizeof(*rows), order_by_time);
	return count;
}
