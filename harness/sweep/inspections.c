/* The answers of a worker by what it may look at. See inspections.h. */
#include "harness/sweep/inspections.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct inspection_entry {
	char key[HASH_TEXT_BYTES];
	struct inspection answer;
};

void inspections_release(struct inspections *inspections)
{
	for (size_t i = 0; i < inspections->count; i++)
		free(inspections->entries[i].answer.reason);
	free(inspections->entries);
	free(inspections->slots);
	text_release(&inspections->key);
	*inspections = (struct inspections)INSPECTIONS_INIT;
}

/* ---- the key ---- */

static void add_string_to_key(struct text *key, const char *string)
{
	text_add_bytes(key, string, strlen(string) + 1);
}

static void add_number_to_key(struct text *key, int64_t number)
{
	text_add_bytes(key, (const char *)&number, sizeof(number));
}

static void add_triple_to_key(struct text *key, const int64_t triple[3])
{
	for (int i = 0; i < 3; i++)
		add_number_to_key(key, triple[i]);
}

/* Saturates: the numbers may come from a file of the user. */
static int64_t launch_threads(const struct case_launch *launch)
{
	int64_t threads = 1;

	for (int i = 0; i < 3; i++)
		if (__builtin_mul_overflow(threads, launch->grid[i], &threads) ||
		    __builtin_mul_overflow(threads, launch->block[i], &threads))
			return INT64_MAX;
	return threads;
}

/* The facts of a case are those of this launch. */
static size_t largest_of(const struct launch_case *work)
{
	int64_t most = -1;
	size_t largest = 0;

	for (size_t i = 0; i < work->launch_count; i++) {
		const int64_t threads = launch_threads(&work->launches[i]);

		if (threads > most) {
			most = threads;
			largest = i;
		}
	}
	return largest;
}

static void add_launch_to_key(struct text *key, const struct case_launch *launch)
{
	add_string_to_key(key, launch->entry);
	add_triple_to_key(key, launch->block);
	add_triple_to_key(key, launch->cluster);
	add_number_to_key(key, launch->shared_bytes);
	add_number_to_key(key, launch->has_carveout ? launch->carveout : -1);
	add_number_to_key(key, launch->cooperative);
	if (launch->cooperative) /* all its blocks must be resident */
		add_triple_to_key(key, launch->grid);
}

static bool fills_from_capture(const struct launch_case *work)
{
	for (size_t i = 0; i < work->buffer_count; i++)
		if (work->buffers[i].fill == FILL_CAPTURE)
			return true;
	return false;
}

/* Writes all that a worker that inspects by launch may look at. */
static void inspection_key(struct text *key, const struct launch_case *work)
{
	text_clear(key);
	if (launch_case_library(work)) /* its scratch memory depends on the arguments */
		return;
	add_string_to_key(key, work->image);
	add_number_to_key(key, work->is_replacement);
	add_number_to_key(key, work->check.kind);
	add_number_to_key(key, fills_from_capture(work));
	add_number_to_key(key, (int64_t)largest_of(work));
	for (size_t i = 0; i < work->launch_count; i++)
		add_launch_to_key(key, &work->launches[i]);
}

/* ---- the table ---- */

/* The slot of the key, or the empty one where it belongs. */
static size_t *inspection_slot(const struct inspections *inspections, const char *key)
{
	size_t at = strtoull(key + HASH_TEXT_BYTES - 17, NULL, 16) & (inspections->slot_count - 1);

	while (inspections->slots[at] &&
	       strcmp(inspections->entries[inspections->slots[at] - 1].key, key) != 0)
		at = (at + 1) & (inspections->slot_count - 1);
	return &inspections->slots[at];
}

/* Keeps at least half of the slots empty. */
static void grow_slots(struct inspections *inspections)
{
	if (2 * (inspections->count + 1) <= inspections->slot_count)
		return;
	inspections->slot_count = inspections->slot_count ? 2 * inspections->slot_count : 64;
	free(inspections->slots);
	inspections->slots = xcalloc(inspections->slot_count, sizeof(*inspections->slots));
	for (size_t i = 0; i < inspections->count; i++)
		*inspection_slot(inspections, inspections->entries[i].key) = i + 1;
}

const struct inspection *inspections_find(struct inspections *inspections,
					  const struct launch_case *work)
{
	char key[HASH_TEXT_BYTES];
	size_t found;

	inspection_key(&inspections->key, work);
	if (!inspections->key.length || !inspections->count)
		return NULL;
	hash_of(key, inspections->key.data, inspections->key.length);
	found = *inspection_slot(inspections, key);
	return found ? &inspections->entries[found - 1].answer : NULL;
}

void inspections_add(struct inspections *inspections, const struct inspection *answer)
{
	struct inspection_entry *entry;

	if (!inspections->key.length ||
	    (!trial_status_measured(answer->status) && answer->status != TRIAL_SKIPPED))
		return;
	grow_slots(inspections);
	inspections->entries = xgrow(inspections->entries, &inspections->capacity,
				     inspections->count + 1, sizeof(*inspections->entries));
	entry = &inspections->entries[inspections->count++];
	*entry = (struct inspection_entry){.answer = *answer};
	hash_of(entry->key, inspections->key.data, inspections->key.length);
	entry->answer.reason = answer->reason ? xstrdup(answer->reason) : NULL;
	*inspection_slot(inspections, entry->key) = inspections->count;
}
