/*
 * The legend of a picture: an entry per drawn point, or, if these would be too many, one per
 * kernel. Points of a kernel whose operations were counted, and those of the work model, then have
 * an entry each, with one mark, filled and hollow.
 */
#ifndef REPORTS_ROOFLINE_LEGEND_H
#define REPORTS_ROOFLINE_LEGEND_H

#include "reports/roofline/picture.h"

#define LEGEND_ROWS 22
#define LEGEND_CHARACTERS 40
#define NO_ENTRY SIZE_MAX

/* Invariants: no two names are equal. Two entries share a mark only if they are of one kernel and
 * one of them is hollow. */
struct legend {
	size_t *entry_of; /* per point of the picture; NO_ENTRY: not drawn, or not named */
	bool by_kernel;
	size_t unnamed; /* drawn points without an entry */
	size_t count;
	struct legend_entry {
		char *name; /* at most LEGEND_CHARACTERS long and safe for a terminal */
		const struct picture_point *first;
		size_t mark; /* from 0 on; stands for a colour and a shape */
		bool hollow; /* the operations are those of the work model */
	} entries[LEGEND_ROWS];
};
/* Borrows the picture. */
void legend_init(struct legend *legend, const struct picture *picture);
void legend_release(struct legend *legend);

#endif
