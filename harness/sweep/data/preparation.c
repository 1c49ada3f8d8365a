#include "harness/sweep/data/preparation.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/sweep/data/data_items.h"
#include "harness/sweep/data/preparers.h"

#define AWAIT_MS 100

struct preparation {
	struct channel_side side; /* first: see serve_preparers() */
	const struct sweep *sweep;
	struct preparers *preparers;
	struct data_items data;
	size_t cursor;          /* in the order: no case before it has an item that is wanted */
	size_t request, listed; /* the number of the last request, and how many items it has */
};

/* ---- jobs ---- */

/* The bytes of a case that a preparer has to make; 0: none. */
static int64_t wanted_bytes(const struct preparation *p, size_t index)
{
	const struct case_needs *needs = &p->data.cases[index];
	int64_t bytes = 0;

	for (size_t n = 0; n < needs->count; n++) {
		const struct data_item *item = needs->items[n].item;

		if (needs->items[n].open && item->state == DATA_WANTED)
			bytes += data_item_room(item);
	}
	return bytes;
}

/* Gives what is wanted of a case to a preparer. */
static void give_job(struct preparation *p, size_t index)
{
	struct case_needs *needs = &p->data.cases[index];
	struct text data = TEXT_INIT;

	needs->in_job = true;
	text_add(&data, ",\"data\":[");
	for (size_t n = 0; n < needs->count; n++) {
		struct data_need *need = &needs->items[n];
		struct data_item *item = need->item;

		if (item->state == DATA_READY) {
			need->lent = true;
			data_item_add_json(&data, item, false);
		} else if (need->open && item->state == DATA_WANTED) {
			need->lent = data_item_take(&p->data, item, DATA_CLAIMED);
			item->job = index;
			if (need->lent)
				data_item_add_json(&data, item, true);
			else
				item->state = DATA_LEFT;
		}
		/* what the worker has filled it still reads, to compute results from it */
		if (need->lent)
			data_item_pin(&p->data, item);
	}
	text_add_char(&data, ']');
	preparers_give(p->preparers, index, index, data.data);
	text_release(&data);
}

/* Gives jobs in the order of the cases, as long as there are room and idle preparers. */
static void give_jobs(struct preparation *p)
{
	size_t dropped = NOWHERE; /* needed later than what it makes room for */

	while (!(p->sweep->stop && *p->sweep->stop) && p->cursor < p->data.order_count &&
	       preparers_have_room(p->preparers)) {
		const size_t index = p->data.order[p->cursor];
		const int64_t bytes = wanted_bytes(p, index);

		if (bytes > p->data.limit_bytes) {
			p->cursor++; /* its worker makes it */
			continue;
		}
		if (bytes) {
			/* a case has one job at a time, so that its end says what has ended */
			if (p->data.cases[index].in_job ||
			    !data_items_make_room(&p->data, bytes, p->cursor, &dropped))
				return;
			give_job(p, index);
		}
		p->cursor++;
	}
}

static int job_filled(void *context, size_t job, const char *key, struct error *err)
{
	struct preparation *p = context;
	struct data_item *item = data_items_find(&p->data, key);

	if (!item || item->state != DATA_CLAIMED || item->job != job)
		return error_set(err, PL_EPROTOCOL, "nobody asked for the data '%.40s'", key);
	data_item_set_ready(&p->data, item);
	return 0;
}

static void job_ended(void *context, size_t job)
{
	struct preparation *p = context;
	struct case_needs *needs = &p->data.cases[job];

	needs->in_job = false;
	for (size_t n = 0; n < needs->count; n++) {
		struct data_need *need = &needs->items[n];
		struct data_item *item = need->item;

		if (need->lent)
			data_item_unpin(&p->data, item);
		need->lent = false;
		if (item->state == DATA_CLAIMED && item->job == job)
			data_item_drop(&p->data, item, DATA_LEFT);
		data_item_drop_unneeded(&p->data, item);
	}
}

static void serve_preparers(struct channel_side *side)
{
	struct preparation *p = (struct preparation *)side;

	preparers_serve(p->preparers);
	give_jobs(p);
}

struct channel_side *preparation_side(struct preparation *p)
{
	return p ? &p->side : NULL;
}

/* ---- from beginning to end ---- */

int preparation_begin(struct preparation **out, struct sweep *sweep, struct error *err)
{
	const int jobs = sweep->settings->jobs ? sweep->settings->jobs : usable_processors();
	/* one processor is for the worker that measures; workers that emulate use all of them */
	const int threads = jobs > 1 && sweep->rounds ? jobs - 1 : jobs;
	struct preparation *p;
	int64_t limit_bytes;
	int rc = data_file_limit(&limit_bytes, err);

	*out = NULL;
	if (rc || !limit_bytes || data_file_fd() < 0)
		return rc;
	p = xcalloc(1, sizeof(*p));
	p->sweep = sweep;
	data_items_init(&p->data, sweep, limit_bytes);
	p->preparers =
		preparers_new(sweep, threads, &(struct preparers_events){p, job_filled, job_ended});
	p->side = (struct channel_side){.fd = preparers_fd(p->preparers), .serve = serve_preparers};
	if (p->data.count)
		*out = p;
	else
		preparation_end(p);
	return 0;
}

void preparation_end(struct preparation *p)
{
	if (!p)
		return;
	preparers_free(p->preparers);
	data_items_release(&p->data);
	free(p);
}

void preparation_set_order(struct preparation *p, const size_t *order, size_t count)
{
	if (!p)
		return;
	for (size_t i = 0; i < count; i++)
		data_items_update(&p->data, order[i]);
	data_items_set_order(&p->data, order, count);
	p->cursor = 0;
	give_jobs(p);
}

/* ---- one request ---- */

bool preparation_is_ready(struct preparation *p, size_t index)
{
	const struct case_needs *needs;

	if (!p)
		return true;
	serve_preparers(&p->side);
	/* the case is next, so nothing else is given before it */
	data_items_move_to(&p->data, index);
	needs = &p->data.cases[index];
	if (wanted_bytes(p, index) && needs->place != NOWHERE)
		p->cursor = needs->place;
	give_jobs(p);
	for (size_t n = 0; n < needs->count; n++)
		if (needs->items[n].open && needs->items[n].item->state == DATA_CLAIMED)
			return false;
	/* what is wanted still was not given: for ever, or until a job ends and leaves room */
	return !wanted_bytes(p, index) || wanted_bytes(p, index) > p->data.limit_bytes ||
	       !preparers_are_busy(p->preparers) || preparers_are_lost(p->preparers);
}

int preparation_await(struct preparation *p, size_t index, struct error *err)
{
	while (!preparation_is_ready(p, index)) {
		struct pollfd wait = {.fd = p->side.fd, .events = POLLIN};

		if (p->sweep->stop && *p->sweep->stop)
			return error_set(err, PL_EINTERRUPTED, "interrupted");
		if (poll(&wait, 1, AWAIT_MS) < 0 && errno != EINTR)
			return error_set(err, PL_EIO, "waiting for the data of a case: %s",
					 strerror(errno));
	}
	return 0;
}

/* Each item once, however many cases of the request need it. */
static void name_item(struct text *request, struct preparation *p, struct data_item *item,
		      bool fill)
{
	if (item->request == p->request)
		return;
	item->request = p->request;
	p->listed++;
	data_item_add_json(request, item, fill);
}

/* Also lets the worker of a case give what it makes, if there is room. */
static void add_case_data(struct text *request, struct preparation *p, size_t index)
{
	const struct case_needs *needs = &p->data.cases[index];

	for (size_t n = 0; n < needs->count && p->listed < PROTOCOL_MAX_RANGES; n++) {
		struct data_item *item = needs->items[n].item;

		if (item->state == DATA_READY)
			name_item(request, p, item, false);
		else if (needs->items[n].open &&
			 (item->state == DATA_LEFT || item->state == DATA_WANTED) &&
			 /* what is dropped is wanted again */
			 data_items_make_room(&p->data, data_item_room(item), p->data.position,
					      &p->cursor) &&
			 data_item_take(&p->data, item, DATA_OFFERED))
			name_item(request, p, item, true);
	}
}

void preparation_hold(struct preparation *p, const size_t *indices, size_t count)
{
	for (size_t i = 0; p && i < count; i++) {
		const struct case_needs *needs = &p->data.cases[indices[i]];

		for (size_t n = 0; n < needs->count; n++)
			data_item_pin(&p->data, needs->items[n].item);
	}
}

void preparation_add_data(struct text *request, struct preparation *p, const size_t *indices,
			  size_t count)
{
	if (!p)
		return;
	if (count)
		data_items_move_to(&p->data, indices[0]);
	p->request++;
	p->listed = 0;
	text_add(request, ",\"data\":[");
	for (size_t i = 0; i < count; i++)
		add_case_data(request, p, indices[i]);
	text_add_char(request, ']');
}

int preparation_take_filled(struct preparation *p, const json_t *message, struct error *err)
{
	const char *key;
	struct data_item *item;
	int rc = member_borrow(&key, message, "key", false, err);

	if (rc)
		return rc;
	item = p ? data_items_find(&p->data, key) : NULL;
	if (!item || item->state != DATA_OFFERED || !item->pins)
		return error_set(err, PL_EPROTOCOL, "nobody asked for the data '%.40s'", key);
	data_item_set_ready(&p->data, item);
	return 0;
}

void preparation_update(struct preparation *p, size_t index)
{
	if (p)
		data_items_update(&p->data, index);
}

void preparation_release(struct preparation *p, const size_t *indices, size_t count)
{
	for (size_t i = 0; p && i < count; i++) {
		const struct case_needs *needs = &p->data.cases[indices[i]];

		for (size_t n = 0; n < needs->count; n++) {
			struct data_item *item = needs->items[n].item;

			data_item_unpin(&p->data, item);
			if (item->state == DATA_OFFERED && !item->pins)
				data_item_drop(&p->data, item, DATA_LEFT);
			data_item_drop_unneeded(&p->data, item);
		}
		data_items_update(&p->data, indices[i]);
	}
	if (p)
		give_jobs(p);
}
