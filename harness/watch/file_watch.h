/*
 * file_watch: tells when files are saved, by inotify(7). It watches the folders of the files,
 * because editors replace a file by renaming another. Internal to watch/.
 *
 * A file counts as saved when a program that wrote it closes it, or when another file gets its
 * name. A file that is removed, or replaced by a folder, counts too. The files need not exist, nor
 * their folders. A folder that disappears is watched again when it is back.
 */
#ifndef HARNESS_WATCH_FILE_WATCH_H
#define HARNESS_WATCH_FILE_WATCH_H

#include <time.h>

#include "base/base.h"

struct file_watch;

/* PL_EUNSUPPORTED: the system has no inotify; PL_EIO: it allows no more of it. */
int file_watch_open(struct file_watch **out, struct error *err);
/*
 * Replaces the watched files. Paths below /proc, /sys and /dev are ignored. A
 * file that was not watched before and that changed after *since (by
 * CLOCK_REALTIME_COARSE; NULL: never) counts as saved. PL_EIO: the system
 * allows no more watches.
 */
int file_watch_set(struct file_watch *watch, const struct string_list *paths,
		   const struct timespec *since, struct error *err);
/* Waits until at least one file is saved, and until nothing happened for a moment after that: one
 * save is often several events. Adds the paths to `saved`, each once. PL_EINTERRUPTED: *stop became
 * non-zero. PL_EIO. */
int file_watch_wait(struct file_watch *watch, const volatile int *stop, struct string_list *saved,
		    struct error *err);
/* Whether a file was saved that file_watch_wait() has not reported yet. */
bool file_watch_pending(struct file_watch *watch);
void file_watch_close(struct file_watch *watch); /* accepts NULL */

#endif
