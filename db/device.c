/*
 * Finds or creates the row of a device. Two runs may know different facts about one device: a run
 * without CUPTI does not know the name of the chip. Missing facts do not make another device.
 */
#include "db/columns.h"

/* Parameter ?1 is the name and ?2 the uuid; the facts follow in the order of their columns. */
#define FIRST_FACT 3

static void device_bind(struct statement *statement, const struct device_info *device)
{
	struct device_info row = *device;

	if (row.cc_major <= 0)
		row.cc_major = row.cc_minor = -1;
	columns_bind(statement, &device_columns, PART_KEY, &row);
	columns_bind(statement, &device_columns, PART_FACTS, &row);
}

/* Calls `add` for each fact that a driver may not know, with its parameter. */
static void device_add_facts(struct text *sql,
			     void (*add)(struct text *sql, const char *fact, int parameter))
{
	int parameter = FIRST_FACT;

	for (size_t i = 0; i < device_columns.count; i++)
		if (device_columns.items[i].part & PART_FACTS)
			add(sql, device_columns.items[i].name, parameter++);
}

static void add_agreement(struct text *sql, const char *fact, int parameter)
{
	text_addf(sql, " AND (%s = ?%d OR %s IS NULL OR ?%d IS NULL)", fact, parameter, fact,
		  parameter);
}

static void add_latest(struct text *sql, const char *fact, int parameter)
{
	text_addf(sql, ", %s = coalesce(?%d, %s)", fact, parameter, fact);
}

static int device_row_find(struct db *db, const struct device_info *device, int64_t *id,
			   bool *found, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement find;
	int rc;

	text_add(&sql, "SELECT id FROM device WHERE name = ?1 AND uuid IS ?2"
		       " AND (uuid IS NOT NULL OR (1");
	device_add_facts(&sql, add_agreement);
	text_add(&sql, ")) ORDER BY id LIMIT 1");
	rc = columns_prepare(&find, db, &sql, err);
	if (rc)
		return rc;
	device_bind(&find, device);
	rc = statement_step(&find, found, err);
	if (!rc && *found)
		*id = take_integer(&find, 0);
	statement_release(&find);
	return rc;
}

int db_device_store(struct db *db, const struct device_info *device, int64_t *id, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement store;
	bool found = false;
	int rc = device_row_find(db, device, id, &found, err);

	if (rc)
		return rc;
	if (found) {
		text_add(&sql, "UPDATE device SET name = ?1, uuid = ?2");
		device_add_facts(&sql, add_latest);
		text_addf(&sql, " WHERE id = ?%zu", device_columns.count + 1);
	} else {
		columns_add_insert(&sql, &device_columns, PART_KEY | PART_FACTS, "", 0);
	}
	rc = columns_prepare(&store, db, &sql, err);
	if (rc)
		return rc;
	device_bind(&store, device);
	if (found)
		bind_integer(&store, *id);
	rc = statement_run(&store, err);
	if (!rc && !found)
		*id = sqlite3_last_insert_rowid(db->handle);
	statement_release(&store);
	return rc;
}
