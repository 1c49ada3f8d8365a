/*
 * roofline_picture: what a roofline of a run shows, before anybody draws it:
 * roofs, one point for the best of each kernel, and what cannot be drawn. For
 * the terminal and for gnuplot.
 */
#ifndef REPORTS_ROOFLINE_PICTURE_H
#define REPORTS_ROOFLINE_PICTURE_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "reports/report_parts.h"

struct picture_roof {
	const struct ceiling *ceiling;
	char *label; /* "DRAM 4.56 TB/s (dram_read)"; owned */
};

/* The best of one problem; of a variant with one for each block size the fastest. */
struct picture_point {
	const struct trial *trial;
	char *name; /* as trial_short_name() has it; owned */
	struct trial_roofline roofline;
	/* Positive and finite: it has operations, bytes of DRAM and a time. Else the reason. */
	bool drawn;
	const char *why_not;
};

/*
 * Invariants: slopes (CEILING_BANDWIDTH) first, the highest first, then rates,
 * the highest first: of each level the highest measured roof, of the precisions
 * that points are of. Points are in the order of the run. The ranges hold every
 * point and where the roofs meet, with room around them, two decades at least.
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
/* There is something to be held against something. */
bool picture_has_roofs(const struct picture *picture);

/* For the terminal; as wide as options->width, ASCII if asked for. */
void picture_plot(struct text *out, const struct picture *picture,
		  const struct report_options *options);
/* The letter of the n-th point that is drawn; '*' beyond the alphabet. */
char picture_letter(size_t drawn);
/* "100 G" of 10^11. */
void decade_text(char out[16], int decade);
/* ANSI; NULL: none. */
const char *bound_colour(enum bound bound);

/* "reduce/last_block block=256,n=1024": kernel, variant and config, as stored; malloc'd. */
char *trial_short_name(const struct trial *trial);

#endif
