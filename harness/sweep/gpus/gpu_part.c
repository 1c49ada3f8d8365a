/* The part of one process in a sweep on several GPUs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "harness/sweep/gpus/gpus.h"

#define PCI_FOLDER "/sys/bus/pci/devices"
#define PCI_FOLDER_VARIABLE "PERFLAB_PCI_FOLDER"
#define LIST_LIMIT 65536
/* The length of a bus id "0000:1b:00.0". A driver may give its domain eight digits. */
#define BUS_ID_LENGTH 12

/* ---- the processors ---- */

/* The bus id as Linux names it. false: it is none. */
static bool read_bus_id(char out[BUS_ID_LENGTH + 1], const char *text)
{
	static const char form[] = "hhhh:hh:hh.h";
	const size_t length = text ? strlen(text) : 0;

	if (length < BUS_ID_LENGTH)
		return false;
	text += length - BUS_ID_LENGTH;
	for (size_t i = 0; i <= BUS_ID_LENGTH; i++) {
		if (form[i] == 'h' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
		out[i] = (char)tolower((unsigned char)text[i]);
	}
	return true;
}

/* Reads "0-15,32-47" and a line end. false: it is something else. */
static bool read_processors(cpu_set_t *out, const char *list)
{
	CPU_ZERO(out);
	while (isdigit((unsigned char)*list)) {
		char *end;
		const unsigned long first = strtoul(list, &end, 10);
		unsigned long last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last >= CPU_SETSIZE || first > last)
			return false;
		for (unsigned long i = first; i <= last; i++)
			CPU_SET(i, out);
		list = *end == ',' ? end + 1 : end;
	}
	return (*list == '\n' || *list == '\0') && CPU_COUNT(out);
}

/* The processors of the device that this process may use. NULL, or why there are none, malloc'd. */
static char *find_processors(cpu_set_t *out, char **list, const char *bus_id)
{
	const char *folder = getenv(PCI_FOLDER_VARIABLE);
	char linux_id[BUS_ID_LENGTH + 1], *path, *why = NULL;
	struct error cause = {0};
	cpu_set_t allowed;
	size_t length;

	if (!read_bus_id(linux_id, bus_id))
		return xstrdup("its PCI bus id is not known");
	path = xasprintf("%s/%s/local_cpulist", folder && *folder ? folder : PCI_FOLDER, linux_id);
	if (read_file(list, &length, path, LIST_LIMIT, &cause)) {
		why = xstrdup(cause.text);
	} else if (!read_processors(out, *list)) {
		why = xasprintf("%s is no list of processors", path);
	} else if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		why = xasprintf("the processors of this process: %s", strerror(errno));
	} else {
		CPU_AND(out, out, &allowed);
		if (!CPU_COUNT(out))
			why = xasprintf("this process may use none of the processors %s",
					strtok(*list, "\n"));
	}
	free(path);
	return why;
}

/* The threads that a worker has by now; later ones inherit it. */
static void pin_threads(pid_t worker, const cpu_set_t *processors)
{
	char path[64];
	DIR *folder;
	const struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)worker);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			sched_setaffinity((pid_t)atoi(entry->d_name), sizeof(*processors),
					  processors);
	if (folder)
		closedir(folder);
}

/* Pins this process and a worker to the processors next to the device, which gpu.pci_bus_id of the
 * environment names. What they start later, and the memory that they touch first, then follows.
 * Adds GPUS_PROCESSORS_KEY: the processors, or why nothing was pinned. */
static void gpu_pin(struct key_value_list *environment, pid_t worker)
{
	cpu_set_t processors;
	char *list = NULL, *why;

	why = find_processors(&processors, &list, key_value_get(environment, "gpu.pci_bus_id"));
	if (!why && sched_setaffinity(0, sizeof(processors), &processors))
		why = xasprintf("the system refuses it: %s", strerror(errno));
	if (why) {
		char *fact = xasprintf("not pinned: %s", why);

		key_value_set(environment, GPUS_PROCESSORS_KEY, fact);
		free(fact);
	} else {
		pin_threads(worker, &processors);
		list[strcspn(list, "\n")] = '\0';
		key_value_set(environment, GPUS_PROCESSORS_KEY, list);
	}
	free(why);
	free(list);
}

/* ---- the session ---- */

static int device_opened(const struct sweep *sweep, struct session_info *info, pid_t worker,
			 struct error *err)
{
	const struct gpu_part *part = sweep->hooks.context;
	char count[24];

	if (strcmp(part->uuid, info->device.uuid) != 0)
		return error_set(err, PL_EDEVICE,
				 "device %d is %s now, and was %s: a GPU was taken away or added",
				 sweep->settings->device, info->device.uuid, part->uuid);
	if (sweep->info_known)
		return 0;
	gpu_pin(&info->environment, worker);
	/* what a run of the sweep stores of it */
	snprintf(count, sizeof(count), "%zu", part->gpus);
	key_value_set(&info->environment, GPUS_GROUP_KEY, part->group);
	key_value_set(&info->environment, GPUS_MODE_KEY, part->spread ? GPUS_SPREAD : "split");
	key_value_set(&info->environment, GPUS_COUNT_KEY, count);
	/* also true of a run that is interrupted, which says nothing at its end */
	if (!part->spread && part->interference == INTERFERENCE_NEVER)
		key_value_set(&info->environment, GPUS_INTERFERENCE_KEY, GPUS_INTERFERENCE_NEVER);
	return 0;
}

/* ---- which cases ---- */

static void run_begun(struct sweep *sweep, int64_t run_id)
{
	struct gpu_part *part = sweep->hooks.context;

	atomic_store(&part->share->slots[part->slot].run_id, run_id);
	if (part->spread)
		return;
	part->left = xcalloc(sweep->plan->count + 1, sizeof(*part->left));
	for (size_t i = 0; i < sweep->plan->count; i++)
		part->left[part->share->cases[i].unit] += !sweep->cases[i].ended;
	/* of a unit without a case that can run one process keeps the reasons */
	for (size_t i = 0; i < sweep->plan->count; i++)
		if (!part->left[part->share->cases[i].unit] &&
		    gpu_share_claim(part->share, part->slot, i))
			gpu_share_set_done(part->share, part->slot, i, true);
}

static void leave_out(struct sweep *sweep, size_t index)
{
	struct case_state *state = &sweep->cases[index];

	if (state->ended)
		return;
	sweep->steps_total -= case_steps_left(sweep, index);
	state->ended = state->elsewhere = true;
}

static bool claim_case(struct sweep *sweep, size_t index)
{
	const struct gpu_part *part = sweep->hooks.context;
	const bool mine = gpu_share_claim(part->share, part->slot, index);

	if (!mine)
		leave_out(sweep, index);
	return mine;
}

static void reclaim_cases(struct sweep *sweep, bool all)
{
	const struct gpu_part *part = sweep->hooks.context;

	for (size_t i = 0; !part->spread && i < sweep->plan->count; i++) {
		struct case_state *state = &sweep->cases[i];
		const int owner = gpu_share_owner(part->share, i);

		if (owner != part->slot && (owner >= 0 || !all)) {
			leave_out(sweep, i);
		} else if (state->elsewhere) {
			state->ended = state->elsewhere = false;
			sweep->steps_total += case_steps_left(sweep, i);
		}
	}
}

static atomic_bool *refusal_flag(const struct sweep *sweep, size_t index, bool measuring)
{
	const struct gpu_part *part = sweep->hooks.context;
	struct gpu_case *refused = &part->share->cases[index];

	return measuring ? &refused->unmeasured : &refused->uncounted;
}

static void refuse_for_all(struct sweep *sweep, size_t index, bool measuring)
{
	atomic_store(refusal_flag(sweep, index, measuring), true);
}

static const char *why_refused(const struct sweep *sweep, size_t index, bool measuring)
{
	return atomic_load(refusal_flag(sweep, index, measuring))
		       ? "two GPUs of this sweep were lost with this case"
		       : NULL;
}

/* ---- the order of the first round ---- */

/* Where a case comes in the first round of this process. */
struct claim_place {
	size_t index;
	size_t distance; /* from this slot to the one whose variant it is */
	size_t turn;     /* of its variant among all; those of others come in reverse */
	size_t shuffled; /* its place before */
};

static int compare_claim_order(const void *left, const void *right)
{
	const struct claim_place *a = left, *b = right;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->turn != b->turn)
		return (a->turn < b->turn) == (a->distance == 0) ? -1 : 1;
	return a->shuffled < b->shuffled ? -1 : 1;
}

/* Draws the turn of each variant. From the seed alone: the cases that are left differ between the
 * processes, and where the turns did, too, two processes would meet in several variants. */
static size_t *draw_turns(uint64_t seed, size_t variants)
{
	size_t *turns = xcalloc(variants, sizeof(*turns));

	for (size_t i = 0; i < variants; i++) {
		const size_t other = (size_t)(random_next(&seed) % (i + 1));

		turns[i] = turns[other];
		turns[other] = i;
	}
	return turns;
}

/*
 * Each process begins with the variants that are its own, one after the other, and goes on with
 * those of the others, from their end. So few variants are on two GPUs, each of which would load
 * their code, and patch it to count.
 */
static void order_claims(const struct sweep *sweep, size_t *order, size_t count)
{
	const struct gpu_part *part = sweep->hooks.context;
	const struct plan *plan = sweep->plan;
	const size_t gpus = part->gpus;
	struct claim_place *places;
	size_t *variants, *turns;

	if (!count)
		return;
	places = xcalloc(count, sizeof(*places));
	/* the cases of each variant are neighbours in the plan */
	variants = xcalloc(plan->count, sizeof(*variants));
	for (size_t i = 1; i < plan->count; i++)
		variants[i] =
			variants[i - 1] + !plan_same_variant(&plan->cases[i - 1], &plan->cases[i]);
	turns = draw_turns(sweep->settings->seed, variants[plan->count - 1] + 1);
	for (size_t i = 0; i < count; i++) {
		const size_t variant = variants[order[i]];

		places[i] = (struct claim_place){
			.index = order[i],
			.distance = (variant + gpus - (size_t)part->slot % gpus) % gpus,
			.turn = turns[variant],
			.shuffled = i,
		};
	}
	qsort(places, count, sizeof(*places), compare_claim_order);
	for (size_t i = 0; i < count; i++)
		order[i] = places[i].index;
	free(turns);
	free(variants);
	free(places);
}

/* ---- what has ended ---- */

static void end_case(struct gpu_part *part, size_t index)
{
	size_t *left = &part->left[part->share->cases[index].unit];

	if (*left && !--*left)
		gpu_share_set_done(part->share, part->slot, index, true);
}

static void case_ended(struct sweep *sweep, size_t index)
{
	struct gpu_part *part = sweep->hooks.context;

	/* alone, it is measured again */
	if (part->alone)
		return;
	if (!sweep->together) {
		end_case(part, index);
		return;
	}
	part->deferred = xgrow(part->deferred, &part->deferred_capacity, part->deferred_count + 1,
			       sizeof(*part->deferred));
	part->deferred[part->deferred_count++] = index;
}

static void cases_committed(struct sweep *sweep, bool stored)
{
	struct gpu_part *part = sweep->hooks.context;

	for (size_t i = 0; i < part->deferred_count && stored; i++)
		end_case(part, part->deferred[i]);
	part->deferred_count = 0;
}

/* With `all` also those that nobody has claimed. */
static int drop_others(const struct sweep *sweep, struct sweep_store *store, bool all,
		       struct error *err)
{
	const struct gpu_part *part = sweep->hooks.context;
	int64_t *ids = xcalloc(store->trial_count + 1, sizeof(*ids));
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < store->trial_count; i++) {
		const int owner = gpu_share_owner(part->share, i);

		if (owner != part->slot && (owner >= 0 || all))
			ids[count++] = store->trial_ids[i];
	}
	rc = db_trials_drop(store->db, ids, count, err);
	free(ids);
	return rc;
}

/* Deletes the trials of cases that others have, or stores why this process failed, and gives the
 * case in flight back if its device is lost. */
static int end_part(struct sweep *sweep, struct sweep_store *store, int rc, struct error *err)
{
	/* the case in flight when the device was lost */
	const size_t lost = sweep->device_lost ? sweep->suspect : NO_CASE;
	struct gpu_part *part = sweep->hooks.context;

	if (!rc && !part->spread)
		rc = gpu_sentinels_end(sweep, store, err);
	if (!rc && !part->spread && store->begun)
		rc = drop_others(sweep, store, true, err);
	/* the parent does the rest, unless it was killed */
	if (rc == PL_EINTERRUPTED && !part->spread && store->begun)
		drop_others(sweep, store, false, NULL);
	/* lost_device_store() says why the device is lost */
	if (rc && rc != PL_EINTERRUPTED && !sweep->device_lost && store->begun && err)
		db_environment_set(store->db, store->run_id, GPUS_FAILED_KEY, err->text, NULL);
	/* the device failed, and not this case: other GPUs may measure it */
	if (lost != NO_CASE && !part->spread)
		gpu_share_set_done(part->share, part->slot, lost, false);
	free(part->left);
	part->left = NULL;
	free(part->deferred);
	part->deferred = NULL;
	return rc;
}

struct sweep_hooks gpu_part_hooks(struct gpu_part *part)
{
	struct sweep_hooks hooks = {
		.context = part,
		.uuid = part->uuid,
		.opened = device_opened,
		.begun = run_begun,
		.prepare = gpu_sentinels_begin,
		.reclaim = reclaim_cases,
		.refusal = why_refused,
		.refuse = refuse_for_all,
		.end = end_part,
	};

	if (part->spread)
		return hooks;
	hooks.order = order_claims;
	hooks.take = claim_case;
	hooks.round = gpu_sentinels_round;
	hooks.ended = case_ended;
	hooks.committed = cases_committed;
	return hooks;
}
