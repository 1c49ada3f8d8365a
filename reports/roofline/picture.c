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
	text_add_escaped(&label, ceiling->name);
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

/* ---- the legend ---- */

/* Whether another drawn point of the same variant has another value of the axis. */
static bool tells_apart(const struct picture *picture, const struct trial *trial,
			const struct named_value *axis)
{
	for (size_t i = 0; i < picture->point_count; i++) {
		const struct trial *other = picture->points[i].trial;
		const struct named_value *value;

		if (!picture->points[i].drawn || strcmp(other->kernel, trial->kernel) != 0 ||
		    strcmp(other->variant, trial->variant) != 0)
			continue;
		value = trial_axis(other, axis->name);
		if (!value || value->value != axis->value)
			return true;
	}
	return false;
}

static void add_axes_that_differ(struct text *out, const struct picture *picture,
				 const struct trial *trial)
{
	for (size_t i = 0; i < trial->axis_count; i++) {
		const struct named_value *axis = &trial->axes[i];

		/* points of one variant never differ in their block size only */
		if (strcmp(axis->name, "block") != 0 && tells_apart(picture, trial, axis))
			text_addf(out, " %s=%lld", axis->name, (long long)axis->value);
	}
}

/* Whether the share of the roof is that of the limiter. */
static bool is_under_a_roof(const struct verdict *verdict)
{
	return isfinite(verdict->roof_pct) && bound_is_roof(verdict->bound);
}

static void add_limiter_if_it_fits(struct text *name, const struct verdict *verdict)
{
	struct text limiter = TEXT_INIT;

	text_addf(&limiter, "  %s", bound_name(verdict->bound));
	if (is_under_a_roof(verdict))
		text_addf(&limiter, " %.0f %%", verdict->roof_pct);
	if (utf8_length(name->data) + utf8_length(limiter.data) <= LEGEND_CHARACTERS)
		text_add(name, limiter.data);
	text_release(&limiter);
}

/* Cuts `text` so that it fits together with `end`. malloc'd. */
static char *cut_name(const char *text, const char *end)
{
	size_t most = LEGEND_CHARACTERS - strlen(end);

	if (utf8_length(text) <= most)
		return xasprintf("%s%s", text, end);
	return xasprintf("%.*s…%s", (int)utf8_prefix(text, most - 1), text, end);
}

static bool is_taken(const struct legend *legend, const char *name)
{
	for (size_t i = 0; i < legend->count; i++) {
		if (strcmp(legend->entries[i].name, name) == 0)
			return true;
	}
	return false;
}

/* A point has kernel, variant, the axes that tell it apart, and the limiter. */
static void describe_point(struct text *out, const struct picture *picture,
			   const struct picture_point *point)
{
	struct text name = TEXT_INIT;

	text_addf(&name, "%s/%s%s", point->trial->kernel, point->trial->variant,
		  point->place.modelled ? " (model)" : "");
	add_axes_that_differ(&name, picture, point->trial);
	text_add_escaped(out, name.data);
	add_limiter_if_it_fits(out, &point->roofline.verdict);
	text_release(&name);
}

static void describe_kernel(struct text *out, const struct picture_point *first)
{
	text_add_escaped(out, first->trial->kernel);
	if (first->place.modelled)
		text_add(out, " (model)");
}

/* malloc'd */
static char *entry_name(const struct legend *legend, const struct picture *picture,
			const struct picture_point *first)
{
	struct text shown = TEXT_INIT;
	char *result;

	if (legend->by_kernel)
		describe_kernel(&shown, first);
	else
		describe_point(&shown, picture, first);
	result = cut_name(shown.data, "");
	/* names that differ only in what was cut off */
	for (size_t number = 2; is_taken(legend, result); number++) {
		char *end = xasprintf(" (%zu)", number);

		free(result);
		result = cut_name(shown.data, end);
		free(end);
	}
	text_release(&shown);
	return result;
}

static bool is_of_kernel(const struct legend_entry *entry, const struct picture_point *point)
{
	return strcmp(entry->first->trial->kernel, point->trial->kernel) == 0;
}

/* The entry that exists for the point. NO_ENTRY: none. */
static size_t legend_find_entry(const struct legend *legend, const struct picture_point *point)
{
	for (size_t i = 0; i < legend->count && legend->by_kernel; i++) {
		if (is_of_kernel(&legend->entries[i], point) &&
		    legend->entries[i].hollow == point->place.modelled)
			return i;
	}
	return NO_ENTRY;
}

static size_t mark_for(const struct legend *legend, const struct picture_point *point)
{
	size_t next = 0;

	for (size_t i = 0; i < legend->count; i++) {
		if (legend->by_kernel && is_of_kernel(&legend->entries[i], point))
			return legend->entries[i].mark;
		if (legend->entries[i].mark >= next)
			next = legend->entries[i].mark + 1;
	}
	return next;
}

static size_t add_entry(struct legend *legend, const struct picture *picture,
			const struct picture_point *first)
{
	const struct legend_entry entry = {
		.name = entry_name(legend, picture, first),
		.first = first,
		.mark = mark_for(legend, first),
		.hollow = first->place.modelled,
	};

	legend->entries[legend->count] = entry;
	return legend->count++;
}

void legend_init(struct legend *legend, const struct picture *picture)
{
	*legend = (struct legend){
		.entry_of = xcalloc(picture->point_count + 1, sizeof(*legend->entry_of)),
		.by_kernel = picture->drawn_count > LEGEND_ROWS,
	};
	for (size_t i = 0; i < picture->point_count; i++) {
		const struct picture_point *point = &picture->points[i];
		size_t entry = point->drawn ? legend_find_entry(legend, point) : NO_ENTRY;

		if (point->drawn && entry == NO_ENTRY && legend->count < LEGEND_ROWS)
			entry = add_entry(legend, picture, point);
		legend->entry_of[i] = entry;
		legend->unnamed += point->drawn && entry == NO_ENTRY;
	}
}

void legend_release(struct legend *legend)
{
	for (size_t i = 0; i < legend->count; i++)
		free(legend->entries[i].name);
	free(legend->entry_of);
	*legend = (struct legend){0};
}
