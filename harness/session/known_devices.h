/*
 * known_devices: the devices of this machine and those that a database knows,
 * each once.
 */
#ifndef HARNESS_SESSION_KNOWN_DEVICES_H
#define HARNESS_SESSION_KNOWN_DEVICES_H

#include "metrics/metrics.h"

/* A device of this machine, of the database, or of both. */
struct known_device {
	struct device_info info; /* in both: as this machine reports it */
	int ordinal;             /* -1: not in this machine */
	int64_t id;              /* in the database, from 1; -1: not in it */
	int64_t runs;            /* -1: not in the database */
};

/* Those of this machine first. */
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
