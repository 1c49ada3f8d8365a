/* Lists the devices of this machine and of a database. */
#include "harness/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "harness/client/client.h"

static struct known_device *device_add(struct known_devices *devices,
				       const struct device_info *info)
{
	devices->items = xgrow(devices->items, &devices->capacity, devices->count + 1,
			       sizeof(*devices->items));
	devices->items[devices->count] = (struct known_device){*info, -1, -1, -1};
	return &devices->items[devices->count++];
}

static void visit_present(void *context, int ordinal, const struct device_info *info)
{
	device_add(context, info)->ordinal = ordinal;
}

/* Ignores the driver, which may have been updated. An emulated device has no uuid; its name
 * identifies it. */
static bool is_present(const struct known_device *known, const struct device_info *info)
{
	return known->id < 0 && strcmp(known->info.uuid, info->uuid) == 0 &&
	       strcmp(known->info.name, info->name) == 0;
}

static int visit_stored(void *context, int64_t id, const struct device_info *info, int64_t runs)
{
	struct known_devices *devices = context;
	struct known_device *known = NULL;

	for (size_t i = 0; i < devices->count && !known; i++)
		known = is_present(&devices->items[i], info) ? &devices->items[i] : NULL;
	if (!known)
		known = device_add(devices, info);
	known->id = id;
	known->runs = runs;
	return 0;
}

int known_devices_load(struct known_devices *out, const char *db_path, bool must_exist,
		       const char *backend, struct error *absent, struct error *err)
{
	struct db *db = NULL;
	int rc = 0;

	if (must_exist || access(db_path, F_OK) == 0)
		rc = db_open(&db, db_path, DB_READ, err);
	if (!rc)
		worker_devices(backend, visit_present, out, absent);
	if (db)
		rc = db_devices_visit(db, visit_stored, out, err);
	db_close(db);
	return rc;
}

void known_devices_release(struct known_devices *devices)
{
	free(devices->items);
	*devices = (struct known_devices){0};
}
