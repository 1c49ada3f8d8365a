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

	text_add(&sql, "SELECT id FROM device WHERE name = ?1 AND uuid IS ?2"
		       " AND (uuid IS NOT NULL OR (1");
	device_add_facts(&sql, add_agreement);
	text_add(&sql, ")) ORDER BY id LIMIT 1");
	find = statement_prepare_text(db, &sql, err);
	device_bind(&find, device);
	*found = statement_next(&find);
	if (*found)
		*id = take_integer(&find, 0);
	return statement_release(&find);
}

int db_device_store(struct db *db, const struct device_info *device, int64_t *id, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement store;
	bool found;
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
	store = statement_prepare_text(db, &sql, err);
	device_bind(&store, device);
	if (found)
		bind_integer(&store, *id);
	if (!statement_run(&store) && !found)
		*id = sqlite3_last_insert_rowid(db->handle);
	return statement_release(&store);
}

int db_devices_visit(struct db *db,
		     int (*visit)(void *context, int64_t id, const struct device_info *device,
				  int64_t runs),
		     void *context, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	int stop = 0;

	text_add(&sql,
		 "SELECT device.id, (SELECT count(*) FROM run WHERE device_id = device.id), ");
	columns_add_names(&sql, &device_columns, PART_ALL, "device.");
	text_add(&sql, ", ");
	columns_add_names(&sql, &run_columns, PART_VERSIONS, "run.");
	text_add(&sql, " FROM device JOIN run ON run.id = (SELECT id FROM run"
		       " WHERE device_id = device.id ORDER BY started_ns DESC, id DESC LIMIT 1)"
		       " ORDER BY device.name, device.id");
	select = statement_prepare_text(db, &sql, err);
	while (!stop && statement_next(&select)) {
		struct run newest = {0};
		int64_t id = take_integer(&select, 0), runs = take_integer(&select, 0);

		columns_take(&select, &device_columns, PART_ALL, &newest.device);
		columns_take(&select, &run_columns, PART_VERSIONS, &newest);
		stop = visit(context, id, &newest.device, runs);
	}
	return statement_release(&select);
}
