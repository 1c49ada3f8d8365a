/* The legend of a picture; see the header. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/roofline/legend.h"
#include "reports/table/escape.h"

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
	return isfinite(verdict->roof_pct) && verdict->bound != BOUND_LATENCY &&
	       verdict->bound != BOUND_LAUNCH && verdict->bound != BOUND_UNKNOWN;
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
	escape_show(out, name.data);
	add_limiter_if_it_fits(out, &point->roofline.verdict);
	text_release(&name);
}

static void describe_kernel(struct text *out, const struct picture_point *first)
{
	escape_show(out, first->trial->kernel);
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
