/*
 * import_store: stores runs that other programs measured (imports/imports.h).
 */
#ifndef HARNESS_SESSION_IMPORT_STORE_H
#define HARNESS_SESSION_IMPORT_STORE_H

#include "db/db.h"
#include "imports/imports.h"

/* Facts that the user gives about an imported run. NULL: not given. */
struct import_words {
	const char *label, *note, *revision;
	const char *device; /* replaces the name that the file gives */
	bool several;       /* the file has several devices, so that name alone is not enough */
	const char *file;   /* path of the file; the run stores the name without folders */
};

/* Reads a file of at most IMPORT_MAX_BYTES. PL_ENOENT, PL_EIO; errors of import_read(). */
int import_read_file(struct import *out, const char *path, enum import_format format,
		     struct error *err);
/* Whether the database already has the run. If so, *id is its number. */
bool import_is_stored(struct db *db, const struct import_run *imported, int64_t *id);
/* Stores a run with its cases and samples in one transaction, then judges it. Sets the ids of the
 * run. */
int import_store(struct db *db, struct import_run *imported, const struct import_words *words,
		 struct error *err);

#endif
