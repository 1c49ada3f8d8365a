/* The loop of `perflab watch`, without printing: measure, compare, wait for a save. */
#include "harness/watch/watch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file_system.h"
#include "harness/watch/file_watch.h"
#include "harness/watch/watch_history.h"
#include "kernels/user/kernel_file.h"

struct watch {
	const struct sweep_request *request;
	struct file_watch *files;
	struct string_list known; /* what the newest measurement without a failure read */
	struct sweep_kept *kept;
	struct watch_history history;
	size_t run_count;
	int64_t noticed_ns; /* when the newest save was noticed, or the watch began */
	struct db *db;      /* of the last measurement; NULL: none */
	bool lost;          /* it was removed or replaced */
};

/* ---- which files ---- */

/* A sidecar need not exist yet. */
static void add_own_files(struct string_list *paths, const struct sweep_request *request)
{
	for (size_t i = 0; i < request->files.count; i++) {
		char *sidecar = xasprintf("%s" KERNEL_FILE_SIDECAR_SUFFIX, request->files.items[i]);

		string_list_add(paths, request->files.items[i]);
		string_list_add(paths, sidecar);
		free(sidecar);
	}
}

static void add_all(struct string_list *paths, const struct string_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		string_list_add(paths, more->items[i]);
}

/* A compiler that fails may not say what it read, so the files of the last success stay. */
static int watch_files_of(struct watch *watch, struct sweep_result *result,
			  const struct timespec *since, struct error *err)
{
	struct string_list paths = {0};
	bool failed = !result->run.trial_count;
	int rc;

	add_own_files(&paths, watch->request);
	add_all(&paths, &result->files);
	for (size_t i = 0; i < result->run.trial_count; i++)
		failed |= trial_status_is_failure(result->run.trials[i].status);
	if (failed) {
		add_all(&paths, &watch->known);
	} else {
		string_list_release(&watch->known);
		watch->known = result->files;
		result->files = (struct string_list){0};
	}
	rc = file_watch_set(watch->files, &paths, since, err);
	string_list_release(&paths);
	return rc;
}

/* ---- the loop ---- */

int watch_open(struct watch **out, const struct sweep_request *request, struct error *err)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));
	struct string_list paths = {0};
	int rc = file_watch_open(&watch->files, err);

	watch->request = request;
	watch->kept = kept_new();
	watch->noticed_ns = monotonic_ns();
	add_own_files(&paths, request);
	if (!rc)
		rc = file_watch_set(watch->files, &paths, NULL, err);
	string_list_release(&paths);
	if (rc)
		watch_close(watch);
	else
		*out = watch;
	return rc;
}

/* Looks at the database of the last measurement, which stays open until the next one, so that its
 * runs can still be saved if the file is gone. */
static int look_at_database(struct watch *watch, struct error *err)
{
	int rc = watch->db ? db_check_there(watch->db, err) : 0;

	watch->lost |= rc != 0;
	db_close(watch->db);
	watch->db = NULL;
	return rc;
}

int watch_check_stored(struct watch *watch, struct error *err)
{
	int rc = look_at_database(watch, err);

	if (!rc && watch->lost)
		rc = error_set(err, PL_EIO,
			       "%s was removed or replaced during the watch, so not all of its %zu "
			       "runs are there; the messages above say where they are",
			       watch->request->db_path, watch->run_count);
	return rc;
}

int watch_measure(struct watch *watch, const struct sweep_observer *observer,
		  const volatile int *stop, struct watch_report *out, struct error *err)
{
	struct ceiling_list ceilings = {0};
	struct sweep_result result;
	struct error cause = {0};
	struct timespec since;
	int rc, watched;

	/* the runs are saved, and the new one goes to the place that the request names */
	if (look_at_database(watch, &cause))
		tell_observer(observer, NOTICE_WARNING, "%s", cause.text);
	clock_gettime(CLOCK_REALTIME_COARSE, &since);
	rc = sweep_run_kept(watch->request, observer, stop, watch->kept, &result, err);
	watch->run_count += result.begun;
	watched = watch_files_of(watch, &result, &since, &cause);
	if (!rc && watched)
		rc = error_set(err, watched, "%s", cause.text);
	/* what was saved meanwhile is measured next */
	if (rc == PL_EIO && file_watch_pending(watch->files))
		rc = PL_EPARSE;
	if (!rc)
		rc = db_ceilings_load(result.db, result.run.id, &ceilings, err);
	if (!rc)
		rc = watch_history_add(&watch->history, &result.run, &ceilings,
				       file_watch_pending(watch->files), out, err);
	if (!rc) {
		out->times = result.times;
		out->took_ns = monotonic_ns() - watch->noticed_ns;
	}
	ceiling_list_release(&ceilings);
	if (result.db) {
		watch->lost |= db_was_lost(result.db);
		watch->db = result.db;
		result.db = NULL;
	}
	sweep_result_release(&result);
	return rc;
}

int watch_await(struct watch *watch, const volatile int *stop, struct string_list *saved,
		struct error *err)
{
	int rc;

	kept_prepare(watch->kept, watch->request, stop);
	rc = file_watch_wait(watch->files, stop, saved, err);
	watch->noticed_ns = monotonic_ns();
	return rc;
}

/* ---- results ---- */

size_t watch_run_count(const struct watch *watch)
{
	return watch->run_count;
}

const struct watch_result *watch_best(const struct watch *watch, size_t index, const char **name)
{
	const struct watch_history *history = &watch->history;

	for (size_t i = 0; i < history->slot_count; i++) {
		if (!history->slots[i].best.run || index--)
			continue;
		*name = history->slots[i].name;
		return &history->slots[i].best;
	}
	return NULL;
}

const char *watch_file_is_remote(const char *path)
{
	struct file_system holder;

	file_system_of(&holder, path);
	return holder.name;
}

void watch_close(struct watch *watch)
{
	if (!watch)
		return;
	file_watch_close(watch->files);
	string_list_release(&watch->known);
	kept_free(watch->kept);
	watch_history_release(&watch->history);
	db_close(watch->db);
	free(watch);
}
