/*
 * doctor: what this machine can do: the checks of `perflab doctor`, and the devices of this machine
 * and of a database.
 */
#ifndef HARNESS_DOCTOR_DOCTOR_H
#define HARNESS_DOCTOR_DOCTOR_H

#include "harness/protocol/messages.h"
#include "metrics/metrics.h"

/* ---- checks ---- */

struct doctor_request {
	const char *backend; /* a name, or BACKEND_AUTO: all backends and the report formats */
	/* Why this build cannot write the page of a report; NULL: it can. The caller asks reports/,
	 * which the session may not include. */
	const char *page_why_not;
};
/*
 * Visits every check, in the order in which a user reads them; the last one is
 * "sweep". Its strings live until `visit` returns; the remedy of a check that
 * passed is "". Starts the workers. A problem is a check, never an error.
 * Returns whether a sweep can run.
 */
bool doctor_examine(const struct doctor_request *request,
		    void (*visit)(void *context, const struct worker_check *check), void *context);

/* ---- devices ---- */

/* A device of this machine, of the database, or of both. */
struct known_device {
	struct device_info info; /* in both: as this machine reports it */
	int ordinal;             /* -1: not in this machine */
	int64_t id;              /* in the database, from 1; -1: not in it */
	int64_t runs;            /* -1: not in the database */
};

/* The known devices, those of this machine first. */
struct known_devices {
	struct known_device *items;
	size_t count, capacity;
};
/*
 * Asks the worker of `backend` for the devices of this machine and adds those
 * of the database. `must_exist`: without the file, fails; otherwise lists this
 * machine only. Sets *absent if the devices of this machine cannot be listed,
 * which is not an error. Errors of db/db.h. Release *out even after an error.
 */
int known_devices_load(struct known_devices *out, const char *db_path, bool must_exist,
		       const char *backend, struct error *absent, struct error *err);
void known_devices_release(struct known_devices *devices);

#endif
