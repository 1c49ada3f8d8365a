/*
 * columns: lists the columns of each table once. INSERT, SELECT and merging are built from
 * these lists, so a new column of an existing struct needs one row in columns.c.
 * Private to db/.
 */
#ifndef DB_COLUMNS_H
#define DB_COLUMNS_H

#include "db/statement.h"

/* The type of the struct member that a column is written from and read into. */
enum column_type {
	COLUMN_TEXT,       /* char *, malloc'd; NULL is NULL */
	COLUMN_CHARACTERS, /* char[size]; "" is NULL, and what does not fit is cut */
	COLUMN_INTEGER,    /* int64_t */
	COLUMN_BITS,       /* uint64_t, stored as the int64_t of the same bits */
	COLUMN_INT,        /* int; reads NULL as 0, and clamps to [0, INT_MAX] */
	COLUMN_BOOL,       /* bool; reads NULL as false */
	COLUMN_REAL,       /* double; NAN is NULL */
	COLUMN_POSITIVE,   /* double; what is not above 0 is NULL, and NULL is read as 0 */
	COLUMN_NAMES,      /* struct string_list, stored as "a,b" */
	COLUMN_CACHE,      /* enum cache_mode, stored as "cold" or "hot" */
	COLUMN_STATUS,     /* enum trial_status, stored by name */
	COLUMN_RUN_STATE,  /* enum run_state, stored by name */
	COLUMN_SPEEDUP,    /* enum speedup_verdict, stored by name; not measured is NULL */
	COLUMN_NO_MEMBER,  /* no member: db/ writes it by itself; only merging uses this list */
};

/* What a column belongs to. A caller names the parts that it writes or reads. */
enum column_part {
	PART_KEY = 1 << 0,      /* identifies the row within its run or trial */
	PART_PLAN = 1 << 1,     /* known when a trial is planned */
	PART_FACTS = 1 << 2,    /* of a launch, or of a device */
	PART_RESULT = 1 << 3,   /* known when a trial has ended */
	PART_IDENTITY = 1 << 4, /* of a run: two copies of the run agree on it */
	PART_SETTINGS = 1 << 5, /* of a run: NULL when it has no settings; two copies agree on it */
	PART_VERSIONS = 1 << 6, /* of a run: of driver and toolkit; two copies agree on it */
	PART_STATE = 1 << 7,    /* of a run: may differ between copies */
	PART_WRITTEN = 1 << 8,  /* when the row was written: may differ between copies */
	PART_GENERATED = 1 << 9, /* computed by the database: is never written */
};
#define PART_ALL (PART_GENERATED - 1) /* every column that can be written */

/* An integer that no member ever has, for columns that are never NULL. */
#define NEVER_UNKNOWN INT64_MIN

struct column {
	const char *name;
	enum column_type type;
	unsigned part;       /* one or several enum column_part */
	size_t offset, size; /* of the member in the struct that the list describes */
	int64_t unknown;     /* COLUMN_INTEGER, COLUMN_INT: this value is stored as NULL */
	unsigned setting; /* enum setting: the column holds it, or NULL if it is unknown; 0: none */
};
struct column_list {
	const char *table;
	const struct column *items;
	size_t count;
};

extern const struct column_list device_columns;  /* struct device_info */
extern const struct column_list run_columns;     /* struct run */
extern const struct column_list trial_columns;   /* struct trial */
extern const struct column_list axis_columns;    /* struct named_value */
extern const struct column_list round_columns;   /* struct round_summary */
extern const struct column_list sample_columns;  /* struct sample */
extern const struct column_list line_columns;    /* struct line_count */
extern const struct column_list profile_columns; /* struct profile */
extern const struct column_list profile_function_columns;
extern const struct column_list profile_frame_columns;
extern const struct column_list instruction_columns; /* struct profile_instruction */
extern const struct column_list stall_columns;       /* struct profile_stall */
extern const struct column_list mark_columns;        /* no struct */
extern const struct column_list run_file_columns;    /* no struct */
extern const struct column_list run_part_columns;    /* no struct */
extern const struct column_list speedup_columns;     /* struct trial_speedup */
extern const struct column_list recording_columns;   /* struct recording */
extern const struct column_list recorded_process_columns;
extern const struct column_list recorded_kernel_columns;
extern const struct column_list recorded_capture_columns;

/* ---- SQL ---- */

size_t columns_count(const struct column_list *list, unsigned parts);
/* "run.uid, run.label" of the columns that belong to one of `parts`. prefix: "run." or "". */
void columns_add_names(struct text *sql, const struct column_list *list, unsigned parts,
		       const char *prefix);
/* Adds "INSERT INTO run (uid, label, MORE) VALUES (?, ?, ?)"; `more` names `more_count` further
 * columns that the caller binds last. */
void columns_add_insert(struct text *sql, const struct column_list *list, unsigned parts,
			const char *more, size_t more_count);
/* Prepares and releases *sql. */
struct statement statement_prepare_text(struct db *db, struct text *sql, struct error *err);
/* Prepares the INSERT that columns_add_insert() adds. */
struct statement columns_insert(struct db *db, const struct column_list *list, unsigned parts,
				const char *more, size_t more_count, struct error *err);
/* Prepares "UPDATE run SET uid = ?, label = ? WHERE WHICH". */
struct statement columns_update(struct db *db, const struct column_list *list, unsigned parts,
				const char *which, struct error *err);
/* Prepares "SELECT uid, label FROM run REST". */
struct statement columns_select(struct db *db, const struct column_list *list, unsigned parts,
				const char *rest, struct error *err);

/* ---- values ---- */

/* Binds the next parameters to the members of *row, in the order of the names. */
void columns_bind(struct statement *statement, const struct column_list *list, unsigned parts,
		  const void *row);
/* Sets the members of *out from the next columns of a row, in the order of the names. */
void columns_take(struct statement *row, const struct column_list *list, unsigned parts, void *out);
/* Takes the next column, the name of a status. One that this version does not know is a failure. */
enum trial_status take_status(struct statement *row);

#endif
