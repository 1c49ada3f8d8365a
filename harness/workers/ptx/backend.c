/*
 * perflab-worker-ptx: the operations of the worker loop on the emulator, served on the socket that
 * perflab passes to it. It has neither a clock nor the counters of a GPU. case_runner.c executes
 * the cases.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator/emulator.h"
#include "harness/protocol/protocol.h"
#include "harness/workers/expected.h"
#include "harness/workers/ptx/case_runner.h"
#include "harness/workers/worker_loop.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/settings.h"

/* The emulator executes warps of 32 lanes, as every GPU that runs PTX does. */
#define EMULATED_WARP_SIZE 32

struct ptx_backend {
	struct case_runner runner;
	bool open;
	size_t printed_bytes; /* by the current case */
	bool lines_told;      /* that a case has too many */
};

/* ---- doctor, devices, metrics ---- */

static int reply_check(struct worker_reply *reply, const char *name, bool ok, const char *found,
		       const char *remedy)
{
	const struct worker_check check = {
		.name = name, .ok = ok, .found = found, .remedy = ok ? "" : remedy};

	return worker_reply_check(reply, &check);
}

static int ptx_backend_doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	size_t count;
	const struct chip *chips = chip_all(&count);
	struct text folder = TEXT_INIT, names = TEXT_INIT;
	bool there = install_path(&folder, "share/perflab/ptx", NULL) == 0 &&
		     access(folder.data, R_OK | X_OK) == 0;
	char memory[32];
	char *share;
	int rc = reply_check(
		reply, "vector unit", true,
		strcmp(emulator_best_lanes(), "avx2") == 0
			? "lane set avx2: this processor supports AVX2, FMA and BMI2"
			: "lane set portable, which is slower: AVX2, FMA or BMI2 is missing",
		"");

	(void)backend;
	(void)err;
	if (!there)
		text_addf(&folder, "%snot found", folder.length ? ": " : "");
	if (rc == 0)
		rc = reply_check(reply, "kernel PTX", there, folder.data,
				 "install all of perflab: its PTX belongs in share/perflab/ptx, "
				 "next to bin/");
	for (size_t i = 0; i < count; i++)
		text_addf(&names, "%s%s", i ? ", " : "", chips[i].name);
	text_add(&names, "; the default is " CHIP_DEFAULT ", --chip chooses another");
	if (rc == 0)
		rc = reply_check(reply, "chip limits", true, names.data, "");
	format_bytes(memory, (double)machine_memory_bytes());
	share = xasprintf("%s; emulated cases may use half of it", memory);
	if (rc == 0)
		rc = reply_check(reply, "memory", true, share, "");
	free(share);
	text_release(&folder);
	text_release(&names);
	return rc;
}

static int ptx_backend_devices(void *backend, struct worker_reply *reply, struct error *err)
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

static int ptx_backend_metrics(void *backend, const char *chip, const char *pattern,
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

/* The emulator counts all of its metrics in one execution, so no metric needs a pass. */
static int ptx_backend_passes(void *backend, const char *chip, const struct string_list *wanted,
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

/* Output of device printf that is passed on per case. It has room for that of one launch, which the
 * emulator limits to 1 MiB as a GPU does. */
#define PRINTED_MOST_BYTES ((size_t)2 << 20)

static void print_to_output(void *context, const char *text)
{
	struct ptx_backend *backend = context;
	size_t bytes = strlen(text);

	if (bytes <= PRINTED_MOST_BYTES - backend->printed_bytes) {
		fputs(text, stdout);
		backend->printed_bytes += bytes;
	} else if (backend->printed_bytes < PRINTED_MOST_BYTES) {
		puts("... the launches of the case print more than 2 MiB; the rest is dropped");
		backend->printed_bytes = PRINTED_MOST_BYTES;
	}
}

static int ptx_backend_open(void *context, const struct measure_settings *settings,
			    const struct open_manner *manner, struct session_info *info,
			    struct error *err)
{
	const int jobs = settings->jobs > 0 ? settings->jobs : usable_processors();
	/* Workers of a sweep run in parallel: each may use its share of half of the memory. */
	const int64_t share_bytes = machine_memory_bytes() / 2 / jobs;
	struct ptx_backend *backend = context;
	const struct chip *chip;
	int rc;

	(void)manner;
	if (settings->device != 0)
		return error_set(
			err, PL_EUSAGE,
			"no device %d: the emulator has one device, 0; --chip chooses its limits",
			settings->device);
	rc = chip_find(&chip, settings->chip, err);
	if (rc)
		return rc;
	case_runner_init(&backend->runner, chip, settings->seed);
	backend->runner.timeout_ns = settings->timeout_ns;
	backend->runner.all_blocks = settings->all_blocks;
	if (share_bytes > 0 && share_bytes < chip->memory_bytes)
		backend->runner.memory_limit_bytes = share_bytes;
	backend->runner.print = print_to_output;
	backend->runner.print_context = backend;
	backend->open = true;
	chip_describe_device(chip, &info->device);
	info->traits = (struct backend_traits){.emulated = true, .warp_size = EMULATED_WARP_SIZE};
	info->inspects_by_launch = true; /* case_facts() looks at nothing else */
	key_value_set(&info->environment, "worker.lanes", emulator_best_lanes());
	key_value_set(&info->environment, "worker.chip_limits", chip->product);
	key_value_set(&info->environment, "worker.registers", "as ptxas takes them for sm_90");
	return 0;
}

static void ptx_backend_close(void *context)
{
	struct ptx_backend *backend = context;

	if (backend->open)
		case_runner_release(&backend->runner);
	*backend = (struct ptx_backend){0};
}

/* ---- cases ---- */

static void ptx_backend_share(void *context, struct shared_data *shared)
{
	struct ptx_backend *backend = context;

	backend->runner.shared = shared;
}

static int ptx_backend_inspect(void *context, const struct launch_case *work,
			       struct launch_facts *facts, enum trial_status *status,
			       struct text *reason, struct error *err)
{
	struct ptx_backend *backend = context;
	int rc = case_facts(&backend->runner, work, facts, status, reason, err);

	if (rc == 0 && *status == TRIAL_OK && !case_is_checked(work))
		*status = case_unverified(work, reason);
	return rc;
}

static int reply_counts(struct ptx_backend *backend, int64_t id, const struct launch_case *work,
			const struct case_totals *totals, struct worker_reply *reply,
			struct error *err)
{
	struct launch_facts facts = launch_facts_unknown;
	enum trial_status status = TRIAL_OK;
	struct counter_list counters = {0};
	struct text reason = TEXT_INIT;
	int rc = case_facts(&backend->runner, work, &facts, &status, &reason, err);

	if (rc == 0) {
		case_counters(&counters, totals, &facts);
		rc = worker_reply_counters(reply, id, &counters);
	}
	if (rc == 0 && totals->lines.count <= PROTOCOL_MAX_LINES) {
		rc = worker_reply_lines(reply, id, &totals->lines);
	} else if (rc == 0 && !backend->lines_told) {
		/* more lines are not sent: perflab would end the worker */
		printf("the code of a case has %zu lines, but counts are kept of at most %d: "
		       "report --lines shows none of it\n",
		       totals->lines.count, PROTOCOL_MAX_LINES);
		backend->lines_told = true;
	}
	counter_list_release(&counters);
	text_release(&reason);
	return rc;
}

/* The case whose phases are replied. */
struct announcing {
	struct worker_reply *reply;
	int64_t id;
};

static int reply_phase(void *context, enum worker_phase phase)
{
	const struct announcing *announcing = context;

	return worker_reply_phase(announcing->reply, announcing->id, phase, -1);
}

static int ptx_backend_emulate(void *context, int64_t id, const struct launch_case *work,
			       struct worker_reply *reply, enum trial_status *status,
			       struct text *reason, struct error *err)
{
	struct ptx_backend *backend = context;
	struct announcing announcing = {reply, id};
	struct case_totals totals = {0};
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_PREPARE, -1);

	backend->printed_bytes = 0;
	backend->runner.announce = reply_phase;
	backend->runner.announce_context = &announcing;
	if (rc == 0)
		rc = case_emulate(&backend->runner, work, &totals, status, reason, err);
	backend->runner.announce = NULL;
	/* The counts of a wrong kernel are not reported. */
	if (rc == 0 && trial_status_counted(*status))
		rc = reply_counts(backend, id, work, &totals, reply, err);
	case_totals_release(&totals);
	return rc;
}

int main(void)
{
	struct ptx_backend backend = {0};
	const struct backend_ops ops = {.name = "ptx",
					.version = PERFLAB_WORKER_VERSION,
					.backend = &backend,
					.doctor = ptx_backend_doctor,
					.devices = ptx_backend_devices,
					.metrics = ptx_backend_metrics,
					.passes = ptx_backend_passes,
					.share = ptx_backend_share,
					.open = ptx_backend_open,
					.inspect = ptx_backend_inspect,
					.emulate = ptx_backend_emulate,
					.close = ptx_backend_close};

	if (fcntl(WORKER_SOCKET_FD, F_GETFD) < 0) {
		fprintf(stderr, "perflab-worker-ptx is started by perflab, over a socket; "
				"run `perflab sweep --backend ptx` instead\n");
		return 2;
	}
	worker_watch_perflab(WORKER_SOCKET_FD);
	return worker_main(&ops, WORKER_SOCKET_FD);
}
