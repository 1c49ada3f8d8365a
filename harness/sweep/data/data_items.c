#include "harness/sweep/data/data_items.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"

/* A case with less data than this is made faster than shared. */
#define CASE_LEAST_BYTES (INT64_C(64) << 10)

/* ---- items ---- */

static int compare_data_keys(const void *a, const void *b)
{
	return strcmp(((const struct data_item *)a)->key, ((const struct data_item *)b)->key);
}

struct data_item *data_items_find(struct data_items *data, const char *key)
{
	struct data_item named;
	struct data_item **found;

	snprintf(named.key, sizeof(named.key), "%s", key);
	found = tfind(&named, &data->by_key, compare_data_keys);
	return found ? *found : NULL;
}

void data_item_add_json(struct text *out, const struct data_item *item, bool fill)
{
	struct data_range range = {.offset = item->offset, .bytes = item->bytes, .fill = fill};
	json_t *json;
	char *dumped;

	memcpy(range.key, item->key, sizeof(range.key));
	json = range_to_json(&range);
	dumped = json_dumps(json, JSON_COMPACT);
	text_addf(out, "%s%s", out->data[out->length - 1] == '[' ? "" : ",",
		  dumped ? dumped : "null");
	free(dumped);
	json_decref(json);
}

/* ---- what could be dropped ---- */

static void heap_put(struct data_items *data, struct data_item *item, size_t at)
{
	data->heap[at] = item;
	item->heap_at = at + 1;
}

/* Moves the item at this place up or down until the order of the heap is right. */
static void heap_sift(struct data_items *data, size_t at)
{
	struct data_item *item = data->heap[at];

	for (; at && data->heap[(at - 1) / 2]->next < item->next; at = (at - 1) / 2)
		heap_put(data, data->heap[(at - 1) / 2], at);
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < data->heap_count &&
		    data->heap[child + 1]->next > data->heap[child]->next)
			child++;
		if (child >= data->heap_count || data->heap[child]->next <= item->next)
			break;
		heap_put(data, data->heap[child], at);
		at = child;
	}
	heap_put(data, item, at);
}

/* Puts the item where it belongs after its state, its pins or its next use changed. */
static void heap_update(struct data_items *data, struct data_item *item)
{
	struct data_item *last;

	if (item->state != DATA_READY || item->pins) {
		const size_t at = item->heap_at - 1;

		if (!item->heap_at)
			return;
		item->heap_at = 0;
		last = data->heap[--data->heap_count];
		if (last != item) {
			heap_put(data, last, at);
			heap_sift(data, at);
		}
		return;
	}
	if (!item->heap_at) {
		data->heap = xgrow(data->heap, &data->heap_capacity, data->heap_count + 1,
				   sizeof(*data->heap));
		heap_put(data, item, data->heap_count++);
	}
	heap_sift(data, item->heap_at - 1);
}

/* ---- the order ---- */

void data_items_set_order(struct data_items *data, const size_t *order, size_t count)
{
	for (size_t o = 0; o < data->order_count; o++)
		data->cases[data->order[o]].place = NOWHERE;
	data->heap_count = 0;
	for (size_t i = 0; i < data->count; i++) {
		data->items[i]->next = NOWHERE;
		data->items[i]->heap_at = 0;
	}
	memcpy(data->order, order, count * sizeof(*order));
	data->order_count = count;
	data->position = 0;
	for (size_t o = count; o-- > 0;) {
		struct case_needs *needs = &data->cases[order[o]];

		needs->place = o;
		for (size_t n = 0; n < needs->count; n++) {
			struct data_need *need = &needs->items[n];

			need->next_case = need->item->next;
			if (need->open)
				need->item->next = o;
		}
	}
	for (size_t i = 0; i < data->count; i++)
		heap_update(data, data->items[i]);
}

void data_items_move_to(struct data_items *data, size_t index)
{
	const size_t place = data->cases[index].place;

	for (; place != NOWHERE && data->position < place; data->position++) {
		const struct case_needs *needs = &data->cases[data->order[data->position]];

		for (size_t n = 0; n < needs->count; n++) {
			struct data_item *item = needs->items[n].item;

			if (item->next == data->position) {
				item->next = needs->items[n].next_case;
				heap_update(data, item);
			}
		}
	}
}

/* ---- memory ---- */

int64_t data_item_room(const struct data_item *item)
{
	return data_file_range_bytes(item->bytes);
}

void data_item_drop(struct data_items *data, struct data_item *item, enum data_state state)
{
	data_file_drop(item->offset, item->bytes);
	data->used_bytes -= data_item_room(item);
	item->state = state;
	heap_update(data, item);
}

/* The state of an item that nobody has. */
static enum data_state state_of_absent(const struct data_item *item)
{
	return item->by_case ? DATA_LEFT : DATA_WANTED;
}

bool data_items_make_room(struct data_items *data, int64_t bytes, size_t position, size_t *dropped)
{
	if (bytes > data->limit_bytes)
		return false;
	while (data->used_bytes > data->limit_bytes - bytes) {
		struct data_item *item = data->heap_count ? data->heap[0] : NULL;

		if (!item || item->next <= position)
			return false;
		if (item->next < *dropped)
			*dropped = item->next;
		data_item_drop(data, item, state_of_absent(item));
	}
	return true;
}

bool data_item_take(struct data_items *data, struct data_item *item, enum data_state state)
{
	if (!data_file_take(&item->offset, item->bytes))
		return false;
	data->used_bytes += data_item_room(item);
	item->state = state;
	return true;
}

void data_item_set_ready(struct data_items *data, struct data_item *item)
{
	item->state = DATA_READY;
	heap_update(data, item);
}

void data_item_pin(struct data_items *data, struct data_item *item)
{
	item->pins++;
	heap_update(data, item);
}

void data_item_unpin(struct data_items *data, struct data_item *item)
{
	item->pins--;
	heap_update(data, item);
}

void data_item_drop_unneeded(struct data_items *data, struct data_item *item)
{
	if (item->state == DATA_READY && !item->users && !item->pins)
		data_item_drop(data, item, state_of_absent(item));
}

/* ---- what cases need ---- */

static bool need_is_open(const struct sweep *sweep, size_t index, enum need_kind kind)
{
	const struct case_state *state = &sweep->cases[index];
	/* with --decide, a case may get more rounds than all have */
	const bool rounds_left =
		!sweep->rounds_over &&
		(!sweep->rounds || sweep->hooks.add_rounds || state->rounds_done < sweep->rounds);

	if (state->ended)
		return false;
	switch (kind) {
	case NEED_INPUT:
		return rounds_left || (sweep->settings->metrics.count && !state->counted);
	case NEED_RESULT:
		return rounds_left;
	case NEED_AGAIN:
		break;
	}
	return rounds_left && !state->rounds_done;
}

void data_items_update(struct data_items *data, size_t index)
{
	struct case_needs *needs = &data->cases[index];

	for (size_t n = 0; n < needs->count; n++) {
		struct data_need *need = &needs->items[n];
		struct data_item *item = need->item;

		if (need->open && !need_is_open(data->sweep, index, need->kind)) {
			need->open = false;
			item->users--;
			data_item_drop_unneeded(data, item);
		}
	}
}

static void add_need(struct data_items *data, size_t index, char *key, int64_t bytes, bool by_case,
		     enum need_kind kind)
{
	struct case_needs *needs = &data->cases[index];
	char hash[HASH_TEXT_BYTES];
	struct data_item *item;

	hash_of(hash, key, strlen(key));
	free(key);
	item = data_items_find(data, hash);
	if (!item) {
		item = xcalloc(1, sizeof(*item));
		*item = (struct data_item){.bytes = bytes, .by_case = by_case, .next = NOWHERE};
		memcpy(item->key, hash, sizeof(hash));
		item->state = state_of_absent(item);
		tsearch(item, &data->by_key, compare_data_keys);
		data->items =
			xgrow(data->items, &data->capacity, data->count + 1, sizeof(*data->items));
		data->items[data->count++] = item;
	}
	for (size_t n = 0; n < needs->count; n++)
		if (needs->items[n].item == item) {
			if (kind < needs->items[n].kind)
				needs->items[n].kind = kind;
			return;
		}
	item->users++;
	needs->items =
		xgrow(needs->items, &needs->capacity, needs->count + 1, sizeof(*needs->items));
	needs->items[needs->count++] = (struct data_need){.item = item, .kind = kind, .open = true};
}

/* Adds the needs of a case: its own, or those of the base case beside it. */
static void add_needs(struct data_items *data, size_t index, const struct launch_case *work,
		      enum need_kind of_inputs)
{
	const uint64_t seed = data->sweep->settings->seed;
	const bool checked = work->check.kind != CHECK_NONE;
	/* a worker verifies a user's kernel again, with other inputs; a built-in one is trusted */
	const bool again =
		checked && work->check.kind != CHECK_ORACLE && !case_check_has_file(&work->check);
	/* other launches need a device, and two programs of the user may write the same file */
	const bool by_case =
		work->check.kind == CHECK_LAUNCHES || work->check.kind == CHECK_COMMAND;

	/* memory of a capture has addresses in it that perflab does not know */
	for (size_t b = 0; b < work->buffer_count; b++)
		if (work->buffers[b].fill == FILL_CAPTURE)
			return;
	if (launch_case_buffer_bytes(work, false) < CASE_LEAST_BYTES)
		return;
	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		const int64_t bytes = (int64_t)case_buffer_bytes(buffer);

		if (!bytes)
			continue;
		if (case_buffer_is_input(buffer))
			add_need(data, index, case_input_key(buffer, seed), bytes, false,
				 of_inputs);
		if (case_buffer_is_input(buffer) && again)
			add_need(data, index, case_input_key(buffer, data_seed(seed, true)), bytes,
				 false, NEED_AGAIN);
		if (case_buffer_is_result(buffer) && checked)
			add_need(data, index, case_expected_key(work, b, seed), bytes, by_case,
				 NEED_RESULT);
		if (case_buffer_is_result(buffer) && again)
			add_need(data, index, case_expected_key(work, b, data_seed(seed, true)),
				 bytes, by_case, NEED_AGAIN);
	}
}

/* ---- from beginning to end ---- */

void data_items_init(struct data_items *data, struct sweep *sweep, int64_t limit_bytes)
{
	*data = (struct data_items){.sweep = sweep, .limit_bytes = limit_bytes};
	data->cases = xcalloc(sweep->plan->count + 1, sizeof(*data->cases));
	data->order = xcalloc(sweep->plan->count + 1, sizeof(*data->order));
	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct plan_case *planned = &sweep->plan->cases[i];
		const struct plan_case *base = plan_base(sweep->plan, planned);

		data->cases[i].place = NOWHERE;
		if (sweep->cases[i].ended || !planned->launch)
			continue;
		add_needs(data, i, planned->launch, NEED_INPUT);
		if (base && base->launch)
			add_needs(data, i, base->launch, NEED_RESULT);
		data_items_update(data, i);
	}
}

void data_items_release(struct data_items *data)
{
	for (size_t i = 0; i < data->count; i++) {
		struct data_item *item = data->items[i];

		if (item->state >= DATA_CLAIMED)
			data_file_drop(item->offset, item->bytes);
		tdelete(item, &data->by_key, compare_data_keys);
		free(item);
	}
	for (size_t i = 0; i < data->sweep->plan->count; i++)
		free(data->cases[i].items);
	free(data->cases);
	free(data->heap);
	free(data->items);
	free(data->order);
}
