/* Watches files through the folders that hold them. See file_watch.h. */
#include "harness/watch/file_watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long nothing may happen before a save is over, and how long a save may take. */
#define SETTLE_NS INT64_C(20000000)
#define SETTLE_MOST_NS INT64_C(1000000000)
/* The longest wait between two checks of *stop and of folders that are not there. */
#define TICK_MS 100

#define EVENTS                                                                                 \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVE_SELF | \
	 IN_ONLYDIR)

struct watched_folder {
	char *path;
	int wd; /* -1: the folder is not there. Two paths of one folder have the same. */
};

struct file_watch {
	int fd;
	struct watched_folder *folders;
	size_t folder_count, folder_capacity;
	struct string_list files; /* sorted absolute paths, each once */
	struct string_list saved; /* not reported yet */
	int64_t saved_ns;         /* of the newest event */
};

/* ---- opening ---- */

int file_watch_open(struct file_watch **out, struct error *err)
{
	const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0 && errno == ENOSYS)
		return error_set(err, PL_EUNSUPPORTED,
				 "this system cannot report that files are saved: it has no "
				 "inotify. Use perflab sweep instead");
	if (fd < 0)
		return error_set(err, PL_EIO,
				 "watching files: %s; end other programs that watch files, or "
				 "raise fs.inotify.max_user_instances",
				 strerror(errno));
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = fd;
	return 0;
}

void file_watch_close(struct file_watch *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	for (size_t i = 0; i < watch->folder_count; i++)
		free(watch->folders[i].path);
	free(watch->folders);
	string_list_release(&watch->files);
	string_list_release(&watch->saved);
	free(watch);
}

/* ---- which files ---- */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Whether one of these files, which are sorted, has this path. */
static bool has_file(const struct string_list *files, const char *path)
{
	return files->count &&
	       bsearch(&path, files->items, files->count, sizeof(*files->items), by_text);
}

/* The paths as absolute ones and, behind symbolic links, as the files that they name: sorted, each
 * once. */
static void files_of_paths(struct string_list *out, const struct string_list *paths)
{
	struct string_list all = {0};
	char *here = getcwd(NULL, 0);

	for (size_t i = 0; i < paths->count; i++) {
		const char *path = paths->items[i];
		char *absolute =
			*path == '/' ? xstrdup(path) : xasprintf("%s/%s", here ? here : "", path);
		char *real = realpath(absolute, NULL);

		if (strncmp(absolute, "/proc/", 6) != 0 && strncmp(absolute, "/sys/", 5) != 0 &&
		    strncmp(absolute, "/dev/", 5) != 0) {
			string_list_add(&all, absolute);
			if (real && strcmp(real, absolute) != 0)
				string_list_add(&all, real);
		}
		free(absolute);
		free(real);
	}
	if (all.count)
		qsort(all.items, all.count, sizeof(*all.items), by_text);
	for (size_t i = 0; i < all.count; i++)
		if (!i || strcmp(all.items[i], all.items[i - 1]) != 0)
			string_list_add(out, all.items[i]);
	string_list_release(&all);
	free(here);
}

/* ---- folders ---- */

/* A folder that is not there is no error: it may come. */
static int folder_watch(struct file_watch *watch, struct watched_folder *folder, struct error *err)
{
	folder->wd = inotify_add_watch(watch->fd, folder->path, EVENTS);
	if (folder->wd >= 0 || (errno != ENOSPC && errno != ENOMEM))
		return 0;
	return error_set(err, PL_EIO,
			 "watching '%s': %s; end other programs that watch files, or raise "
			 "fs.inotify.max_user_watches",
			 folder->path, strerror(errno));
}

static int folder_add(struct file_watch *watch, const char *path, size_t length, struct error *err)
{
	struct watched_folder *folder;

	/* files are sorted, so the folder of a file is mostly the newest */
	for (size_t i = watch->folder_count; i > 0; i--)
		if (strlen(watch->folders[i - 1].path) == length &&
		    !memcmp(watch->folders[i - 1].path, path, length))
			return 0;
	watch->folders = xgrow(watch->folders, &watch->folder_capacity, watch->folder_count + 1,
			       sizeof(*watch->folders));
	folder = &watch->folders[watch->folder_count++];
	*folder = (struct watched_folder){xstrndup(path, length), -1};
	return folder_watch(watch, folder, err);
}

static void note_saved(struct file_watch *watch, const char *path)
{
	watch->saved_ns = monotonic_ns();
	if (!string_list_has(&watch->saved, path))
		string_list_add(&watch->saved, path);
}

static bool changed_since(const char *path, const struct timespec *since)
{
	struct stat status;

	if (stat(path, &status))
		return false;
	return status.st_ctim.tv_sec != since->tv_sec ? status.st_ctim.tv_sec > since->tv_sec
						      : status.st_ctim.tv_nsec > since->tv_nsec;
}

int file_watch_set(struct file_watch *watch, const struct string_list *paths,
		   const struct timespec *since, struct error *err)
{
	struct string_list before = watch->files;
	int rc = 0;

	watch->files = (struct string_list){0};
	files_of_paths(&watch->files, paths);
	for (size_t i = 0; i < watch->files.count && !rc; i++) {
		const char *path = watch->files.items[i];
		const size_t folder = (size_t)(strrchr(path, '/') - path);

		rc = folder_add(watch, path, folder ? folder : 1, err);
		if (!rc && since && !has_file(&before, path) && changed_since(path, since))
			note_saved(watch, path);
	}
	string_list_release(&before);
	return rc;
}

/* Notes the watched files of a folder as saved: those that exist, or all. */
static void note_folder(struct file_watch *watch, const struct watched_folder *folder, bool all)
{
	const size_t length = strlen(folder->path);

	for (size_t i = 0; i < watch->files.count; i++) {
		const char *path = watch->files.items[i];

		if (!strncmp(path, folder->path, length) && path[length] == '/' &&
		    !strchr(path + length + 1, '/') && (all || !access(path, F_OK)))
			note_saved(watch, path);
	}
}

/* Watches folders again that were not there. */
static int folders_find_again(struct file_watch *watch, struct error *err)
{
	int rc = 0;

	for (size_t f = 0; f < watch->folder_count && !rc; f++) {
		struct watched_folder *folder = &watch->folders[f];

		if (folder->wd >= 0)
			continue;
		rc = folder_watch(watch, folder, err);
		if (folder->wd >= 0)
			note_folder(watch, folder, false);
	}
	return rc;
}

/* ---- events ---- */

static void take_event(struct file_watch *watch, const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW && watch->files.count)
		note_saved(watch, watch->files.items[0]); /* events were lost */
	for (size_t i = 0; i < watch->folder_count; i++) {
		struct watched_folder *folder = &watch->folders[i];
		struct stat status;
		char *path;

		if (folder->wd != event->wd || folder->wd < 0)
			continue;
		if (event->mask & IN_MOVE_SELF)
			inotify_rm_watch(watch->fd, folder->wd); /* the next event is IN_IGNORED */
		if (event->mask & IN_IGNORED) {
			folder->wd = -1;
			note_folder(watch, folder, true);
		}
		if (!event->len)
			continue;
		path = xasprintf("%s/%s", strcmp(folder->path, "/") ? folder->path : "",
				 event->name);
		/* A new file is saved when it is closed. A folder or a further name of a file is
		 * never closed. */
		if (has_file(&watch->files, path) &&
		    (!(event->mask & IN_CREATE) ||
		     (!lstat(path, &status) && (!S_ISREG(status.st_mode) || status.st_nlink > 1))))
			note_saved(watch, path);
		free(path);
	}
}

/* Takes the events that have arrived. */
static int take_events(struct file_watch *watch, struct error *err)
{
	_Alignas(struct inotify_event) char
		bytes[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	ssize_t length;

	while ((length = read(watch->fd, bytes, sizeof(bytes))) > 0) {
		for (const char *at = bytes; at < bytes + length;) {
			const struct inotify_event *event = (const void *)at;

			take_event(watch, event);
			at += sizeof(*event) + event->len;
		}
	}
	if (length < 0 && errno != EAGAIN && errno != EINTR)
		return error_set(err, PL_EIO, "watching files: %s", strerror(errno));
	return 0;
}

bool file_watch_pending(struct file_watch *watch)
{
	take_events(watch, NULL);
	return watch->saved.count > 0;
}

int file_watch_wait(struct file_watch *watch, const volatile int *stop, struct string_list *saved,
		    struct error *err)
{
	int64_t first_ns = 0;

	for (;;) {
		struct pollfd events = {.fd = watch->fd, .events = POLLIN};
		int64_t now_ns;
		int rc = take_events(watch, err);

		if (!rc)
			rc = folders_find_again(watch, err);
		if (rc)
			return rc;
		if (stop && *stop)
			return error_set(err, PL_EINTERRUPTED, "interrupted");
		now_ns = monotonic_ns();
		if (watch->saved.count && !first_ns)
			first_ns = now_ns;
		if (watch->saved.count &&
		    (now_ns - watch->saved_ns >= SETTLE_NS || now_ns - first_ns >= SETTLE_MOST_NS))
			break;
		poll(&events, 1, watch->saved.count ? (int)(SETTLE_NS / 1000000) : TICK_MS);
	}
	for (size_t i = 0; i < watch->saved.count; i++)
		string_list_add(saved, watch->saved.items[i]);
	string_list_release(&watch->saved);
	return 0;
}
