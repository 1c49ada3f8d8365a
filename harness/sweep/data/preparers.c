#include "harness/sweep/data/preparers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* More processes do not make the first data of a sweep sooner: each uses several threads. */
#define PREPARERS_MOST 4
/* The most preparers that may die; after that, the workers of the cases make all data. */
#define DEATHS_MOST 8

struct preparer {
	struct preparers *all;
	struct worker_process worker;
	bool busy;
	size_t job;
	struct exchange exchange;
};

struct preparers {
	struct sweep *sweep;
	struct preparers_events events;
	struct preparer items[PREPARERS_MOST];
	size_t count;
	int threads_each;
	int deaths;
	int poll_fd; /* an epoll instance */
};

struct preparers *preparers_new(struct sweep *sweep, int threads,
				const struct preparers_events *events)
{
	struct preparers *preparers = xcalloc(1, sizeof(*preparers));

	preparers->sweep = sweep;
	preparers->events = *events;
	preparers->count = threads < PREPARERS_MOST ? (size_t)threads : PREPARERS_MOST;
	preparers->threads_each = threads / (int)preparers->count;
	preparers->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < preparers->count; i++)
		preparers->items[i].all = preparers;
	return preparers;
}

void preparers_free(struct preparers *preparers)
{
	if (!preparers)
		return;
	for (size_t i = 0; i < preparers->count; i++)
		worker_ask_to_end(&preparers->items[i].worker); /* all at once */
	for (size_t i = 0; i < preparers->count; i++) {
		worker_kill(&preparers->items[i].worker);
		exchange_release(&preparers->items[i].exchange);
	}
	if (preparers->poll_fd >= 0)
		close(preparers->poll_fd);
	free(preparers);
}

int preparers_fd(const struct preparers *preparers)
{
	return preparers->poll_fd;
}

bool preparers_are_lost(const struct preparers *preparers)
{
	return preparers->deaths >= DEATHS_MOST || preparers->poll_fd < 0;
}

static struct preparer *find_idle(const struct preparers *preparers)
{
	for (size_t i = 0; i < preparers->count; i++)
		if (!preparers->items[i].busy)
			return (struct preparer *)&preparers->items[i];
	return NULL;
}

bool preparers_are_busy(const struct preparers *preparers)
{
	for (size_t i = 0; i < preparers->count; i++)
		if (preparers->items[i].busy)
			return true;
	return false;
}

bool preparers_have_room(const struct preparers *preparers)
{
	return !preparers_are_lost(preparers) && find_idle(preparers);
}

/* ---- one job ---- */

static int preparer_reply(void *context, const char *name, const json_t *message, struct error *err)
{
	struct preparer *preparer = context;
	const struct preparers_events *events = &preparer->all->events;
	const char *key;
	int rc;

	if (strcmp(name, "filled"))
		return error_set(err, PL_EPROTOCOL, "'%.40s' came as an answer to 'prepare'", name);
	rc = member_borrow(&key, message, "key", false, err);
	return rc ? rc : events->filled(events->context, preparer->job, key, err);
}

/* Whatever went wrong, the worker of the case meets it again, and says so. */
static void preparer_end_job(struct preparer *preparer, enum exchange_end end)
{
	struct preparers *all = preparer->all;

	if (end != EXCHANGE_DONE && end != EXCHANGE_UNSENT) {
		worker_kill(&preparer->worker);
		all->deaths++;
	}
	exchange_release(&preparer->exchange);
	preparer->busy = false;
	all->events.ended(all->events.context, preparer->job);
}

static void watch(const struct preparers *preparers, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	/* a descriptor that is not watched is served by those that are */
	if (fd >= 0)
		(void)!epoll_ctl(preparers->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

static bool preparer_start(struct preparer *preparer)
{
	struct sweep *sweep = preparer->all->sweep;
	struct error cause = {0};

	if (preparer->worker.pid)
		return true;
	if (worker_start(&preparer->worker, sweep->worker_path.data, &sweep->output, sweep->stop,
			 WORKER_HELLO_LEAST_NS, &cause)) {
		preparer->all->deaths++;
		return false;
	}
	watch(preparer->all, preparer->worker.channel.fd);
	watch(preparer->all, preparer->worker.channel.sides[0]->fd);
	return true;
}

static void write_request(struct text *out, const struct preparers *preparers, size_t case_index,
			  const char *data)
{
	json_t *settings = settings_to_json(preparers->sweep->settings);
	char *dumped = json_dumps(settings, JSON_COMPACT);

	text_addf(out,
		  "{\"request\":\"prepare\",\"id\":%zu,\"threads\":%d,\"settings\":", case_index,
		  preparers->threads_each);
	text_add(out, dumped ? dumped : "null");
	text_add(out, ",\"case\":");
	case_add_json(out, preparers->sweep, case_index);
	text_add(out, data);
	text_add_char(out, '}');
	free(dumped);
	json_decref(settings);
}

void preparers_give(struct preparers *preparers, size_t job, size_t case_index, const char *data)
{
	struct preparer *preparer = find_idle(preparers);
	enum exchange_end end = EXCHANGE_DONE;
	struct text request = TEXT_INIT;
	struct error cause = {0};

	preparer->job = job;
	preparer->exchange = (struct exchange)EXCHANGE_INIT(preparer_reply, preparer,
							    preparers->sweep->settings->timeout_ns);
	if (!preparer_start(preparer)) {
		preparer_end_job(preparer, EXCHANGE_DONE);
		return;
	}
	write_request(&request, preparers, case_index, data);
	preparer->busy = true;
	if (exchange_begin(&preparer->worker, &request, &preparer->exchange, &end, &cause))
		preparer_end_job(preparer, end);
	text_release(&request);
}

void preparers_serve(struct preparers *preparers)
{
	for (size_t i = 0; i < preparers->count; i++) {
		struct preparer *preparer = &preparers->items[i];
		enum exchange_end end = EXCHANGE_DONE;
		struct error cause = {0};

		if (!preparer->busy && preparer->worker.pid) {
			char byte;

			/* an idle worker has nothing to say: it died, or broke the protocol */
			worker_pipe_serve(preparer->worker.printed);
			if (recv(preparer->worker.channel.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >=
			    0) {
				worker_kill(&preparer->worker);
				preparers->deaths++;
			}
		} else if (preparer->busy &&
			   exchange_continue(&preparer->worker, &preparer->exchange, 0, &end,
					     &cause))
			preparer_end_job(preparer, end);
		else if (preparer->busy && worker_is_halted(&preparer->worker, &cause))
			preparer_end_job(preparer, EXCHANGE_HALTED);
	}
}
