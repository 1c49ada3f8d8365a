/*
 * Which row a device is. A driver does not always know all of it (a run
 * without CUPTI has no chip's name), and that makes no other device.
 */
#include "db/statement.h"

/* What a driver may not know, and the parameter that bind_device() gives it; 1 is the name, 2 the
 * uuid. */
#define DEVICE_FACTS(X)               \
	X(chip, 3)                    \
	X(cc_major, 4)                \
	X(cc_minor, 5)                \
	X(sm_count, 6)                \
	X(max_threads_per_sm, 7)      \
	X(max_threads_per_block, 8)   \
	X(max_blocks_per_sm, 9)       \
	X(registers_per_sm, 10)       \
	X(shared_bytes_per_sm, 11)    \
	X(shared_bytes_per_block, 12) \
	X(l2_bytes, 13)               \
	X(memory_bytes, 14)           \
	X(sm_clock_max_hz, 15)        \
	X(memory_clock_max_hz, 16)    \
	X(memory_bus_bits, 17)

static void bind_device(struct statement *statement, const struct device_info *device)
{
	bool has_cc = device->cc_major > 0;

	bind_text(statement, device->name);
	bind_known_text(statement, device->uuid);
	bind_known_text(statement, device->chip);
	bind_known_integer(statement, has_cc ? device->cc_major : -1, -1);
	bind_known_integer(statement, has_cc ? device->cc_minor : -1, -1);
	bind_known_integer(statement, device->sm_count, 0);
	bind_known_integer(statement, device->max_threads_per_sm, 0);
	bind_known_integer(statement, device->max_threads_per_block, 0);
	bind_known_integer(statement, device->max_blocks_per_sm, 0);
	bind_known_integer(statement, device->registers_per_sm, 0);
	bind_known_integer(statement, device->shared_bytes_per_sm, 0);
	bind_known_integer(statement, device->shared_bytes_per_block, 0);
	bind_known_integer(statement, device->l2_bytes, 0);
	bind_known_integer(statement, device->memory_bytes, 0);
	bind_known_integer(statement, device->sm_clock_max_hz, 0);
	bind_known_integer(statement, device->memory_clock_max_hz, 0);
	bind_known_integer(statement, device->memory_bus_bits, 0);
}

/* By the uuid; a device that has none is the one of its name with which no fact is at odds. */
#define AGREES(fact, parameter) \
	" AND (" #fact " = ?" #parameter " OR " #fact " IS NULL OR ?" #parameter " IS NULL)"
static const char find_sql[] =
	"SELECT id FROM device WHERE name = ?1 AND uuid IS ?2"
	" AND (uuid IS NOT NULL OR (1" DEVICE_FACTS(AGREES) "))"
							    " ORDER BY id LIMIT 1";

#define COLUMN(fact, parameter) ", " #fact
#define PARAMETER(fact, parameter) ", ?" #parameter
static const char insert_sql[] = "INSERT INTO device (name, uuid" DEVICE_FACTS(
	COLUMN) ") VALUES (?1, ?2" DEVICE_FACTS(PARAMETER) ")";

#define LATEST(fact, parameter) ", " #fact " = coalesce(?" #parameter ", " #fact ")"
static const char update_sql[] =
	"UPDATE device SET name = ?1, uuid = ?2" DEVICE_FACTS(LATEST) " WHERE id = ?18";

static int device_find(struct db *db, const struct device_info *device, int64_t *id, bool *found,
		       struct error *err)
{
	struct statement find;
	int rc = statement_prepare(&find, db, find_sql, err);

	if (rc)
		return rc;
	bind_device(&find, device);
	rc = statement_step(&find, found, err);
	if (!rc && *found)
		*id = take_integer(&find, 0);
	statement_release(&find);
	return rc;
}

int db_device_store(struct db *db, const struct device_info *device, int64_t *id, struct error *err)
{
	struct statement store;
	bool found = false;
	int rc = device_find(db, device, id, &found, err);

	if (!rc)
		rc = statement_prepare(&store, db, found ? update_sql : insert_sql, err);
	if (rc)
		return rc;
	bind_device(&store, device);
	if (found)
		bind_integer(&store, *id);
	rc = statement_run(&store, err);
	if (!rc && !found)
		*id = sqlite3_last_insert_rowid(db->handle);
	statement_release(&store);
	return rc;
}
