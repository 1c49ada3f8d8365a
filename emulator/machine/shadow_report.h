/*
 * shadow_parts: what shadow.c, which finds a race, and shadow_report.c, which
 * tells of it, both know. Internal to the two.
 */
#ifndef EMULATOR_MACHINE_SHADOW_REPORT_H
#define EMULATOR_MACHINE_SHADOW_REPORT_H

#include "emulator/machine/shadow.h"

#define WORD_BYTES 4

/* What is known of its cells (a word each, or a byte) is for shadow.c alone. */
struct shared_shadow {
	const struct ptx_program *program;
	uint32_t *first_place; /* by function: number of its first instruction */
	unsigned grain;        /* bytes of a cell: WORD_BYTES, or 1 */
	size_t cell_count;
	struct cell *cells;
	unsigned char *arriving;     /* by byte: what a copy that is on the way brings */
	struct settled_row *settled; /* cells / ROW_CELLS, rounded up */
	size_t bytes;
};

/* A lane's access while it is looked at. */
struct toucher {
	struct warp *warp;
	const struct instruction *at;
	uint16_t thread;
	uint32_t epoch, sync, place;
	bool reads, writes, atomic;
};

/* What a toucher found: the other thread, and what it did. */
struct rival {
	uint16_t thread;
	uint32_t place;
	bool wrote;
};

/* Findings about the cell of that number, for the toucher's lane. */
void shadow_report_race(const struct shared_shadow *shadow, const struct toucher *by, size_t cell,
			const struct rival *rival);
/* The rival's asynchronous copy to it is on the way. */
void shadow_report_unwaited(const struct shared_shadow *shadow, const struct toucher *by,
			    size_t cell, const struct rival *copier);
void shadow_report_uninitialised(const struct shared_shadow *shadow, const struct toucher *by,
				 size_t cell);

#endif
