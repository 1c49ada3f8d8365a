/*
 * The PTX backend: the operations of the worker loop, on an emulator. It has
 * no clock and no counters of a GPU; how a case is executed is in emulate.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator/emulator.h"
#include "harness/workers/ptx/workbench.h"
#include "harness/workers/ptx/worker.h"
#include "harness/workers/worker_loop.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/settings.h"

/* The emulator executes warps of 32 lanes, as every GPU that runs PTX does. */
#define EMULATED_WARP_SIZE 32

struct ptx_backend {
	struct workbench bench;
	bool open;
	size_t printed_bytes; /* of the present case */
};

/* ---- without a case ---- */

static int say(struct worker_reply *reply, const char *name, bool ok, const char *found,
	       const char *remedy)
{
	const struct worker_check check = {
		.name = name, .ok = ok, .found = found, .remedy = ok ? "" : remedy};

	return worker_reply_check(reply, &check);
}

/* What a container may take; INT64_MAX: all there is. */
static int64_t container_memory_bytes(void)
{
	char *text = NULL;
	int64_t bytes;
	size_t length;

	if (read_file(&text, &length, "/sys/fs/cgroup/memory.max", 64, NULL))
		return INT64_MAX;
	text[strcspn(text, "\n")] = '\0';
	if (parse_i64(&bytes, text, NULL) || bytes <= 0) /* "max" */
		bytes = INT64_MAX;
	free(text);
	return bytes;
}

/* Physical memory, or what this container has of it; 0: not known. */
static int64_t machine_memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);
	int64_t bytes = pages > 0 && page_bytes > 0 ? (int64_t)pages * page_bytes : 0;
	int64_t most = container_memory_bytes();

	return bytes < most ? bytes : most;
}

static int say_chips(struct worker_reply *reply)
{
	struct text found = TEXT_INIT;
	size_t count;
	const struct chip *chips = chip_all(&count);
	int rc;

	for (size_t i = 0; i < count; i++)
		text_addf(&found, "%s%s", i ? ", " : "", chips[i].name);
	text_add(&found, "; " CHIP_DEFAULT " unless --chip names another");
	rc = say(reply, "chip limits", true, found.data, "");
	text_release(&found);
	return rc;
}

static int say_memory(struct worker_reply *reply)
{
	char amount[32];
	char *found;
	int rc;

	format_bytes(amount, (double)machine_memory_bytes());
	found = xasprintf("%s, half of which emulated cases may take", amount);
	rc = say(reply, "memory", true, found, "");
	free(found);
	return rc;
}

static int backend_doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	struct text folder = TEXT_INIT;
	bool there = install_path(&folder, "share/perflab/ptx", NULL) == 0 &&
		     access(folder.data, R_OK | X_OK) == 0;
	int rc = say(reply, "vector unit", true,
		     strcmp(emulator_best_lanes(), "avx2") == 0
			     ? "lane set avx2: AVX2, FMA and BMI2 are there"
			     : "lane set portable: no AVX2, FMA and BMI2, so slower",
		     "");

	(void)backend;
	(void)err;
	if (!there)
		text_addf(&folder, "%sthere is none", folder.length ? ": " : "");
	if (rc == 0)
		rc = say(reply, "kernel PTX", there, folder.data,
			 "install perflab whole: its PTX lies in share/perflab/ptx beside bin/");
	text_release(&folder);
	if (rc == 0)
		rc = say_chips(reply);
	return rc ? rc : say_memory(reply);
}

static int backend_devices(void *backend, struct worker_reply *reply, struct error *err)
{
	const struct chip *chip;
	struct device_info info;
	int rc = chip_find(&chip, NULL, err);

	(void)backend;
	if (rc)
		return rc;
	chip_describe_device(chip, &info);
	return worker_reply_device(reply, 0, &info);
}

static int backend_metrics(void *backend, const char *chip, const char *pattern,
			   struct worker_reply *reply, struct error *err)
{
	const struct chip *found;
	size_t count;
	const struct metric *metrics = metric_all_emulated(&count);
	int rc = chip_find(&found, chip, err);

	(void)backend;
	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct worker_metric metric = {
			.name = metrics[i].name,
			.unit = metrics[i].unit,
			.kind = metrics[i].formula ? "derived" : "emulated",
			.description = metrics[i].meaning,
		};

		if (!pattern || pattern_matches(pattern, metric.name))
			rc = worker_reply_metric(reply, &metric);
	}
	return rc;
}

/* An emulator counts everything in its one execution. */
static int backend_passes(void *backend, const char *chip, const struct string_list *wanted,
			  int64_t *passes, struct string_list *missing, struct error *err)
{
	const struct chip *found;
	int rc = chip_find(&found, chip, err);

	(void)backend;
	if (rc)
		return rc;
	*passes = 0;
	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);
		char *why;

		if (metric && metric->emulated)
			continue;
		why = xasprintf("%s: the emulator has no hardware counters", wanted->items[i]);
		string_list_add(missing, why);
		free(why);
	}
	return 0;
}

/* ---- open ---- */

/* Device printf; a worker's output is talk. As of a device, so much of a case is kept. */
#define PRINTED_MOST_BYTES ((size_t)1 << 20)

static void print_to_output(void *context, const char *text)
{
	struct ptx_backend *backend = context;
	size_t bytes = strlen(text);

	if (bytes <= PRINTED_MOST_BYTES - backend->printed_bytes) {
		fputs(text, stdout);
		backend->printed_bytes += bytes;
	} else if (backend->printed_bytes < PRINTED_MOST_BYTES) {
		puts("... the kernel prints more than 1 MiB: the rest is left out");
		backend->printed_bytes = PRINTED_MOST_BYTES;
	}
}

/* Workers of one sweep run side by side: each may have its part of half the machine. */
static int64_t memory_limit_bytes(const struct measure_settings *settings, const struct chip *chip)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t jobs = settings->jobs > 0 ? settings->jobs : processors > 0 ? processors : 1;
	int64_t share = machine_memory_bytes() / 2 / jobs;

	return share > 0 && share < chip->memory_bytes ? share : chip->memory_bytes;
}

static int backend_open(void *context, const struct measure_settings *settings,
			struct session_info *info, struct error *err)
{
	struct ptx_backend *backend = context;
	const struct chip *chip;
	int rc;

	if (settings->device != 0)
		return error_set(
			err, PL_EUSAGE,
			"no device %d: an emulator has one (0), whose limits --chip chooses",
			settings->device);
	rc = chip_find(&chip, settings->chip, err);
	if (rc)
		return rc;
	workbench_init(&backend->bench, chip, settings->seed);
	backend->bench.all_blocks = settings->all_blocks;
	backend->bench.memory_limit_bytes = memory_limit_bytes(settings, chip);
	backend->bench.print = print_to_output;
	backend->bench.print_context = backend;
	backend->open = true;
	chip_describe_device(chip, &info->device);
	info->traits = (struct backend_traits){.emulated = true, .warp_size = EMULATED_WARP_SIZE};
	key_value_set(&info->environment, "worker.lanes", emulator_best_lanes());
	key_value_set(&info->environment, "worker.chip_limits", chip->product);
	key_value_set(&info->environment, "worker.registers", "as ptxas takes them for sm_90");
	return 0;
}

static void backend_close(void *context)
{
	struct ptx_backend *backend = context;

	if (backend->open)
		workbench_release(&backend->bench);
	*backend = (struct ptx_backend){0};
}

/* ---- cases ---- */

static int backend_inspect(void *context, const struct launch_case *work,
			   struct launch_facts *facts, enum trial_status *status,
			   struct text *reason, struct error *err)
{
	struct ptx_backend *backend = context;

	return case_facts(&backend->bench, work, facts, status, reason, err);
}

static int reply_counts(struct ptx_backend *backend, int64_t id, const struct launch_case *work,
			const struct case_totals *totals, struct worker_reply *reply,
			struct error *err)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status = TRIAL_OK;
	struct counter_list counters = {0};
	struct text reason = TEXT_INIT;
	int rc = case_facts(&backend->bench, work, &facts, &status, &reason, err);

	if (rc == 0) {
		case_counters(&counters, totals, &facts);
		rc = worker_reply_counters(reply, id, &counters);
	}
	if (rc == 0)
		rc = worker_reply_lines(reply, id, &totals->lines);
	counter_list_release(&counters);
	text_release(&reason);
	return rc;
}

static int backend_emulate(void *context, int64_t id, const struct launch_case *work,
			   struct worker_reply *reply, enum trial_status *status,
			   struct text *reason, struct error *err)
{
	struct ptx_backend *backend = context;
	struct case_totals totals = {0};
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_EMULATE, -1);

	backend->printed_bytes = 0;
	if (rc == 0)
		rc = case_emulate(&backend->bench, work, &totals, status, reason, err);
	/* What a wrong kernel did is of no use to anybody. */
	if (rc == 0 && (*status == TRIAL_OK || *status == TRIAL_SAMPLED))
		rc = reply_counts(backend, id, work, &totals, reply, err);
	case_totals_release(&totals);
	return rc;
}

int ptx_worker(int socket_fd)
{
	struct ptx_backend backend = {0};
	const struct backend_ops ops = {.name = "ptx",
					.version = PERFLAB_WORKER_VERSION,
					.backend = &backend,
					.doctor = backend_doctor,
					.devices = backend_devices,
					.metrics = backend_metrics,
					.passes = backend_passes,
					.open = backend_open,
					.inspect = backend_inspect,
					.emulate = backend_emulate,
					.close = backend_close};

	return worker_main(&ops, socket_fd);
}
