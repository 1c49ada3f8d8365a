/* Makes the data of cases ahead, by workers that open no device. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/client/client.h"
#include "harness/sweep/data/data_items.h"
#include "harness/sweep/data/preparation.h"

#define AWAIT_MS 100
/* More processes do not make the first data of a sweep sooner: each uses several threads. */
#define PREPARERS_MOST 4
/* The most preparers that may die; after that, the workers of the cases make all data. */
#define DEATHS_MOST 8

struct preparer {
	struct preparation *of;
	struct worker_process worker;
	bool busy;
	size_t job; /* a case of the plan */
	struct exchange exchange;
};

struct preparation {
	struct channel_side side; /* first: see serve_preparers(); its descriptor is of epoll */
	struct sweep *sweep;
	struct preparer preparers[PREPARERS_MOST];
	size_t preparer_count;
	int threads_each;
	int deaths;
	struct data_items data;
	size_t cursor;          /* in the order: no case before it has an item that is wanted */
	size_t request, listed; /* the number of the last request, and how many items it has */
};

/* ---- the workers ---- */

/* The content with this key has been written. PL_EPROTOCOL: nobody asked for it. */
static int job_filled(struct preparation *p, size_t job, const char *key, struct error *err)
{
	struct data_item *item = data_items_find(&p->data, key);

	if (!item || item->state != DATA_CLAIMED || item->job != job)
		return error_set(err, PL_EPROTOCOL, "nobody asked for the data '%.40s'", key);
	data_item_set_ready(&p->data, item);
	return 0;
}

/* The job has ended, well or not. */
static void job_ended(struct preparation *p, size_t job)
{
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

/* Whether all of them died too often, or none can be started. */
static bool preparers_are_lost(const struct preparation *p)
{
	return p->deaths >= DEATHS_MOST || p->side.fd < 0;
}

static struct preparer *find_idle(struct preparation *p)
{
	for (size_t i = 0; i < p->preparer_count; i++)
		if (!p->preparers[i].busy)
			return &p->preparers[i];
	return NULL;
}

static int preparer_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct preparer *preparer = context;
	const char *key;
	int rc;

	if (strcmp(name, "filled"))
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'prepare'", name);
	rc = member_borrow(&key, message, "key", false, err);
	return rc ? rc : job_filled(preparer->of, preparer->job, key, err);
}

/* Whatever went wrong, the worker of the case meets it again, and says so. */
static void preparer_end_job(struct preparer *preparer, enum exchange_end end)
{
	if (end != EXCHANGE_DONE && end != EXCHANGE_UNSENT) {
		worker_kill(&preparer->worker);
		preparer->of->deaths++;
	}
	exchange_release(&preparer->exchange);
	preparer->busy = false;
	job_ended(preparer->of, preparer->job);
}

static void watch(const struct preparation *p, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	/* a descriptor that is not watched is served by those that are */
	if (fd >= 0)
		(void)!epoll_ctl(p->side.fd, EPOLL_CTL_ADD, fd, &event);
}

static bool preparer_start(struct preparer *preparer)
{
	struct sweep *sweep = preparer->of->sweep;
	struct error cause = {0};

	if (preparer->worker.pid)
		return true;
	if (worker_start(&preparer->worker, sweep->worker_path.data, &sweep->output, sweep->stop,
			 WORKER_HELLO_LEAST_NS, &cause)) {
		preparer->of->deaths++;
		return false;
	}
	watch(preparer->of, preparer->worker.channel.fd);
	watch(preparer->of, preparer->worker.channel.sides[0]->fd);
	return true;
}

static void write_request(struct text *out, const struct preparation *p, size_t case_index,
			  const char *data)
{
	json_t *settings = settings_to_json(p->sweep->settings);
	char *dumped = json_dumps(settings, JSON_COMPACT);

	text_addf(out,
		  "{\"request\":\"prepare\",\"id\":%zu,\"threads\":%d,\"settings\":", case_index,
		  p->threads_each);
	text_add(out, dumped ? dumped : "null");
	text_add(out, ",\"case\":");
	case_add_json(out, p->sweep, case_index);
	text_add(out, data);
	text_add_char(out, '}');
	free(dumped);
	json_decref(settings);
}

/* Gives the job of a case to an idle worker, which is started if need be. `data`: the member `data`
 * of the request. If it cannot be given, the job ends before this returns. */
static void preparers_give(struct preparation *p, size_t index, const char *data)
{
	struct preparer *preparer = find_idle(p);
	enum exchange_end end = EXCHANGE_DONE;
	struct text request = TEXT_INIT;
	struct error cause = {0};

	preparer->job = index;
	preparer->exchange = (struct exchange)EXCHANGE_INIT(preparer_reply, preparer,
							    p->sweep->settings->timeout_ns);
	if (!preparer_start(preparer)) {
		preparer_end_job(preparer, EXCHANGE_DONE);
		return;
	}
	write_request(&request, p, index, data);
	preparer->busy = true;
	if (exchange_begin(&preparer->worker, &request, &preparer->exchange, &end, &cause))
		preparer_end_job(preparer, end);
	text_release(&request);
}

/* Takes the replies that are there. */
static void preparers_serve(struct preparation *p)
{
	for (size_t i = 0; i < p->preparer_count; i++) {
		struct preparer *preparer = &p->preparers[i];
		enum exchange_end end = EXCHANGE_DONE;
		struct error cause = {0};

		if (!preparer->busy && preparer->worker.pid) {
			char byte;

			/* an idle worker has nothing to say: it died, or broke the protocol */
			worker_pipe_serve(preparer->worker.printed);
			if (recv(preparer->worker.channel.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >=
			    0) {
				worker_kill(&preparer->worker);
				p->deaths++;
			}
		} else if (preparer->busy &&
			   exchange_continue(&preparer->worker, &preparer->exchange, 0, &end,
					     &cause))
			preparer_end_job(preparer, end);
		else if (preparer->busy && worker_is_halted(&preparer->worker, &cause))
			preparer_end_job(preparer, EXCHANGE_HALTED);
	}
}

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
	preparers_give(p, index, data.data);
	text_release(&data);
}

/* Gives jobs in the order of the cases, as long as there are room and idle preparers. */
static void give_jobs(struct preparation *p)
{
	size_t dropped = NOWHERE; /* needed later than what it makes room for */

	while (!(p->sweep->stop && *p->sweep->stop) && p->cursor < p->data.order_count &&
	       !preparers_are_lost(p) && find_idle(p)) {
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

static void serve_preparers(struct channel_side *side)
{
	struct preparation *p = (struct preparation *)side;

	preparers_serve(p);
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
	p->preparer_count = threads < PREPARERS_MOST ? (size_t)threads : PREPARERS_MOST;
	p->threads_each = threads / (int)p->preparer_count;
	for (size_t i = 0; i < p->preparer_count; i++)
		p->preparers[i].of = p;
	p->side =
		(struct channel_side){.fd = epoll_create1(EPOLL_CLOEXEC), .serve = serve_preparers};
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
	for (size_t i = 0; i < p->preparer_count; i++)
		worker_ask_to_end(&p->preparers[i].worker); /* all at once */
	for (size_t i = 0; i < p->preparer_count; i++) {
		worker_kill(&p->preparers[i].worker);
		exchange_release(&p->preparers[i].exchange);
	}
	if (p->side.fd >= 0)
		close(p->side.fd);
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
	bool busy = false;

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
	for (size_t i = 0; i < p->preparer_count; i++)
		busy |= p->preparers[i].busy;
	/* what is wanted still was not given: for ever, or until a job ends and leaves room */
	return !wanted_bytes(p, index) || wanted_bytes(p, index) > p->data.limit_bytes || !busy ||
	       preparers_are_lost(p);
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
