/*
 * Makes a database with two runs for schema_doc.sh: make_database FILE.
 */
#include <stdio.h>

#include "fixture.h"

int main(int argc, char **argv)
{
	struct error err = {0};
	struct db *db = NULL;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: make_database FILE\n");
		return 2;
	}
	rc = db_open(&db, argv[1], DB_CREATE, &err);
	for (int i = 0; !rc && i < 2; i++) {
		struct run run = fixture_run("nightly");

		run.started_ns += i;
		key_value_set(&run.environment, "hostname", i ? "bench-02" : "bench-01");
		rc = fixture_store(db, &run, &err);
		run_release(&run);
	}
	db_close(db);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
