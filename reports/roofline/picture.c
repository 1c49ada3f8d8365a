/* What the roofline of a run shows; see the header. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/roofline/picture.h"
#include "reports/table/escape.h"

#define LEAST_DECADES 2.0

char *trial_short_name(const struct trial *trial)
{
	/* the mark comes first, because long names are cut at their end */
	return xasprintf("%s%s/%s %s", trial->status == TRIAL_UNVERIFIED ? "unverified: " : "",
			 trial->kernel, trial->variant, trial->config);
}

/* ---- points ---- */

static void picture_add_point(struct picture *picture, const struct run *run,
			      const struct trial *trial, const struct ceiling_list *ceilings)
{
	struct picture_point *point = &picture->points[picture->point_count++];

	*point = (struct picture_point){.trial = trial, .name = trial_short_name(trial)};
	trial_roofline_init(&point->roofline, run, trial, ceilings);
	point->place = roofline_place_of(&point->roofline.point);
	point->why_not = roofline_no_place(&point->roofline.point, trial);
	point->drawn = !point->why_not;
	picture->drawn_count += point->drawn;
}

static void picture_add_points(struct picture *picture, const struct run *run,
			       const struct ceiling_list *ceilings)
{
	struct ranks ranks;

	run_ranks(&ranks, run, ceilings);
	picture->points = xcalloc(run->trial_count + 1, sizeof(*picture->points));
	for (size_t i = 0; i < run->trial_count; i++) {
		if (!ranks.of_problem[i])
			continue;
		picture_add_point(picture, run, &run->trials[i], ceilings);
		picture->points[picture->point_count - 1].of_kernel = ranks.of_kernel[i];
	}
	ranks_release(&ranks);
}

/* ---- roofs ---- */

static const char *const level_heads[MEMORY_LEVEL_COUNT] = {
	[LEVEL_DRAM] = "DRAM",
	[LEVEL_L2] = "L2",
	[LEVEL_L1] = "L1",
	[LEVEL_SHARED] = "shared",
};

static void picture_add_roof(struct picture *picture, const struct ceiling *ceiling)
{
	struct text label = TEXT_INIT;
	bool is_rate = ceiling->kind == CEILING_RATE;
	size_t name_length;

	text_addf(&label, "%s ",
		  is_rate ? precision_name(ceiling->of.precision) : level_heads[ceiling->of.level]);
	rate_text(&label, ceiling->per_s, ceiling->kind);
	name_length = label.length;
	text_add(&label, " (");
	escape_show(&label, ceiling->name);
	text_add_char(&label, ')');
	/* the plot counts one byte per column */
	for (char *c = label.data; *c; c++) {
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	}
	picture->roofs[picture->roof_count++] =
		(struct picture_roof){ceiling, text_detach(&label), name_length};
}

static bool is_precision_of_points(const struct picture *picture, enum precision precision)
{
	for (size_t i = 0; i < picture->point_count; i++) {
		const struct picture_point *point = &picture->points[i];

		if (point->drawn && point->place.has_precision &&
		    point->place.precision == precision)
			return true;
	}
	/* without points, show the roof that most code meets */
	return picture->drawn_count == 0 && precision == PRECISION_F32;
}

static int by_kind_and_height(const void *left, const void *right)
{
	const struct ceiling *a = ((const struct picture_roof *)left)->ceiling;
	const struct ceiling *b = ((const struct picture_roof *)right)->ceiling;

	if (a->kind != b->kind)
		return a->kind == CEILING_BANDWIDTH ? -1 : 1;
	return a->per_s > b->per_s ? -1 : a->per_s < b->per_s;
}

static void picture_add_roofs(struct picture *picture, const struct ceiling_list *ceilings)
{
	picture->roofs = xcalloc(MEMORY_LEVEL_COUNT + PRECISION_COUNT, sizeof(*picture->roofs));
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		const struct ceiling *roof = ceiling_of_level(ceilings, (enum memory_level)i);

		if (roof)
			picture_add_roof(picture, roof);
	}
	for (int i = 0; i < PRECISION_COUNT; i++) {
		const struct ceiling *roof = ceiling_of_precision(ceilings, (enum precision)i);

		if (roof && is_precision_of_points(picture, (enum precision)i))
			picture_add_roof(picture, roof);
	}
	qsort(picture->roofs, picture->roof_count, sizeof(*picture->roofs), by_kind_and_height);
}

bool picture_has_modelled(const struct picture *picture)
{
	for (size_t i = 0; i < picture->point_count; i++) {
		if (picture->points[i].drawn && picture->points[i].place.modelled)
			return true;
	}
	return false;
}

bool picture_has_roofs(const struct picture *picture)
{
	return picture->roof_count > 0 && picture->roofs[0].ceiling->kind == CEILING_BANDWIDTH &&
	       picture->roofs[picture->roof_count - 1].ceiling->kind == CEILING_RATE;
}

/* ---- ranges ---- */

struct range {
	double low, high; /* decimal logarithms */
};

static void range_include(struct range *range, double value)
{
	if (!isnormal(value))
		return;
	range->low = fmin(range->low, log10(value));
	range->high = fmax(range->high, log10(value));
}

/* Adds a margin on both sides; the upper one has room for labels. */
static void widen(double *low, double *high, const struct range *range)
{
	*low = range->low - 0.3;
	*high = range->high + 0.45;
	if (*high - *low < LEAST_DECADES) {
		*low -= (LEAST_DECADES - (*high - *low)) / 2;
		*high = *low + LEAST_DECADES;
	}
}

static void set_ranges(struct picture *picture)
{
	struct range x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};

	for (size_t i = 0; i < picture->point_count; i++) {
		const struct roofline_place *place = &picture->points[i].place;

		if (!picture->points[i].drawn)
			continue;
		range_include(&x, place->intensity[LEVEL_DRAM]);
		range_include(&y, place->flop_per_s);
	}
	for (size_t i = 0; i < picture->roof_count; i++) {
		const struct ceiling *rate = picture->roofs[i].ceiling;

		if (rate->kind != CEILING_RATE)
			continue;
		range_include(&y, rate->per_s);
		for (size_t j = 0; j < picture->roof_count; j++) {
			const struct ceiling *slope = picture->roofs[j].ceiling;

			if (slope->kind == CEILING_BANDWIDTH)
				range_include(&x, 3 * rate->per_s / slope->per_s);
		}
	}
	if (isinf(x.low))
		x = (struct range){0, 0};
	if (isinf(y.low))
		y = (struct range){0, 0};
	widen(&picture->x_low, &picture->x_high, &x);
	widen(&picture->y_low, &picture->y_high, &y);
}

void picture_init(struct picture *out, const struct run *run, const struct ceiling_list *ceilings)
{
	*out = (struct picture){0};
	picture_add_points(out, run, ceilings);
	picture_add_roofs(out, ceilings);
	set_ranges(out);
}

void picture_release(struct picture *picture)
{
	for (size_t i = 0; i < picture->point_count; i++) {
		free(picture->points[i].name);
		trial_roofline_release(&picture->points[i].roofline);
	}
	for (size_t i = 0; i < picture->roof_count; i++)
		free(picture->roofs[i].label);
	free(picture->points);
	free(picture->roofs);
	*picture = (struct picture){0};
}
