/*
 * picture: what the roofline of a run shows, before it is drawn: the roofs, one point per best
 * configuration, and why a point cannot be drawn. plot.c draws it for the terminal, gnuplot.c
 * writes it as a script.
 */
#ifndef REPORTS_ROOFLINE_PICTURE_H
#define REPORTS_ROOFLINE_PICTURE_H

#include "reports/derived/derived.h"
#include "reports/reports.h"

struct picture_roof {
	const struct ceiling *ceiling;
	char *label;        /* "DRAM 4.56 TB/s (dram_read)"; owned */
	size_t name_length; /* of the label, without the ceiling in parentheses */
};

/* The best configuration of one problem. */
struct picture_point {
	const struct trial *trial;
	char *name; /* as trial_short_name() gives it; owned */
	struct trial_roofline roofline;
	bool of_kernel; /* the best case of its kernel, on the largest problem */
	/* Hollow if it is of the work model. */
	struct roofline_place place;
	/* True if operations, DRAM bytes and time are positive and finite. Else why_not says why.
	 */
	bool drawn;
	const char *why_not;
};

/*
 * Invariants: the roofs are the highest measured one of each memory level and of each precision
 * that a point has. Slopes (CEILING_BANDWIDTH) come first, then rates, each with the highest first.
 * Points are in the order of the run. The ranges cover every point and the corners of the roofs,
 * with a margin, and span at least two decades.
 */
struct picture {
	struct picture_roof *roofs;
	size_t roof_count;
	struct picture_point *points;
	size_t point_count, drawn_count;
	double x_low, x_high; /* decimal logarithms: 10^x flop/byte */
	double y_low, y_high; /* 10^y flop/s */
};
void picture_init(struct picture *out, const struct run *run, const struct ceiling_list *ceilings);
void picture_release(struct picture *picture);
/* Whether a drawn point is of the work model. */
bool picture_has_modelled(const struct picture *picture);
/* Whether there is at least one slope and one rate. */
bool picture_has_roofs(const struct picture *picture);

/* Appends the plot for the terminal, as wide as options->width, in ASCII if asked for. */
void picture_plot(struct text *out, const struct picture *picture,
		  const struct report_options *options);
/* The letter of the n-th drawn point; '*' beyond the alphabet. */
char picture_letter(size_t drawn);
/* "100 G" for 10^11. */
void decade_text(char out[16], int decade);
/* An ANSI colour; NULL: none. */
const char *bound_colour(enum bound bound);

/* "reduce/last_block block=256,n=1024": kernel, variant and config as stored, after "unverified: "
 * if the trial is so. malloc'd. */
char *trial_short_name(const struct trial *trial);

/*
 * The legend of a picture: an entry per drawn point, or, if these would be too many, one per
 * kernel. Points of a kernel whose operations were counted, and those of the work model, then have
 * an entry each, with one mark, filled and hollow.
 */
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
