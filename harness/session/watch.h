/*
 * watch: measures the kernels of some files, waits until one of the files is saved, and measures
 * again. Each measurement is a run in the database. It is compared with the last measurement of the
 * same watch and with the best one.
 *
 * The files are those of the request, their sidecars, every header that the compilers read, and
 * data files. The order of the calls is watch_open(), then watch_measure() and watch_await() in
 * turn, and watch_close().
 */
#ifndef HARNESS_SESSION_WATCH_H
#define HARNESS_SESSION_WATCH_H

#include "harness/session/session.h"
#include "harness/session/watch_report.h"

/* The default label of the runs. */
#define WATCH_LABEL "watch"

struct watch;
/* Watches the files of the request, which is borrowed and names at least one. PL_EUNSUPPORTED,
 * PL_EIO: the system cannot report saved files. */
int watch_open(struct watch **out, const struct sweep_request *request, struct error *err);
/* Measures, stores and compares. The errors of sweep_run(); the watch can go on after each of them.
 * PL_EPARSE also if a file was saved while it was read or compiled. Release *out after a success.
 */
int watch_measure(struct watch *watch, const struct sweep_observer *observer,
		  const volatile int *stop, struct watch_report *out, struct error *err);
/* Opens a worker for the next measurement, then waits until a file is saved. A file that was saved
 * during the measurement counts. Adds the saved paths to `saved`. PL_EINTERRUPTED, PL_EIO. */
int watch_await(struct watch *watch, const volatile int *stop, struct string_list *saved,
		struct error *err);
/* Called at the end. PL_EIO: the database was removed or replaced during the watch; the text says
 * where its runs are. See db_was_lost(). */
int watch_check_stored(struct watch *watch, struct error *err);
/* The number of runs that the watch stored. */
size_t watch_run_count(const struct watch *watch);
/* The best measurements so far, by case, from index 0; NULL after the last one. *name is borrowed.
 */
const struct watch_result *watch_best(const struct watch *watch, size_t index, const char **name);
/* The kind of the file system of the folder of a file, such as "NFS", if saves by other machines go
 * unnoticed there; else NULL. */
const char *watch_file_is_remote(const char *path);
void watch_close(struct watch *watch); /* accepts NULL */

#endif
