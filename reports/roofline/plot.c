/*
 * Draws the roofline for a terminal: two logarithmic axes, the DRAM roof and the arithmetic roofs
 * in Braille dots (ASCII if the locale has no UTF-8), and one letter per kernel.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/roofline/picture.h"

#define LEAST_WIDTH 24 /* of the plot field, without the axis */
#define MOST_WIDTH 96
#define USUAL_WIDTH 70
#define LEAST_HEIGHT 9
#define MOST_HEIGHT 18
#define FEW_POINTS 4 /* leave room for the rest of the report */
#define AXIS_WIDTH 8 /* "  100 T " and the line */
/* Dots per cell */
#define ACROSS 2
#define DOWN 4

struct cell {
	unsigned char dots; /* of roofs: bit ACROSS * row + column */
	bool slope;         /* some dots belong to a slope */
	char letter;        /* a kernel's letter or a character of a label; 0: none */
	const char *colour; /* NULL: none */
};

struct plot_area {
	const struct picture *picture;
	int width, height; /* in cells */
	struct cell *cells;
};

char picture_letter(size_t drawn)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	return drawn < sizeof(letters) - 1 ? letters[drawn] : '*';
}

const char *bound_colour(enum bound bound)
{
	static const char *const colours[BOUND_COUNT] = {
		[BOUND_DRAM] = "\033[34m",      [BOUND_L2] = "\033[36m",
		[BOUND_L1] = "\033[36m",        [BOUND_SHARED] = "\033[36m",
		[BOUND_COMPUTE] = "\033[32m",   [BOUND_ISSUE] = "\033[32m",
		[BOUND_TENSOR] = "\033[32m",    [BOUND_SPECIAL] = "\033[32m",
		[BOUND_LATENCY] = "\033[33m",   [BOUND_OCCUPANCY] = "\033[33m",
		[BOUND_BARRIER] = "\033[33m",   [BOUND_ATOMICS] = "\033[33m",
		[BOUND_FETCH] = "\033[33m",     [BOUND_LAUNCH] = "\033[35m",
		[BOUND_GRID] = "\033[35m",      [BOUND_TAIL] = "\033[35m",
		[BOUND_IMBALANCE] = "\033[35m",
	};

	return colours[bound];
}

/* ---- positions ---- */

/* The position in dots, from the left and from the top. It may lie outside the field. */
static double dot_x(const struct plot_area *field, double intensity_log)
{
	const struct picture *picture = field->picture;

	return (intensity_log - picture->x_low) / (picture->x_high - picture->x_low) *
	       field->width * ACROSS;
}

static double dot_y(const struct plot_area *field, double rate_log)
{
	const struct picture *picture = field->picture;

	return (picture->y_high - rate_log) / (picture->y_high - picture->y_low) * field->height *
	       DOWN;
}

static struct cell *cell_at(const struct plot_area *field, int column, int row)
{
	if (column < 0 || column >= field->width || row < 0 || row >= field->height)
		return NULL;
	return &field->cells[row * field->width + column];
}

static int clamp(double value, int most)
{
	return value < 0 ? 0 : value > most ? most : (int)value;
}

/* ---- drawing ---- */

static void set_dot(const struct plot_area *field, int x, int y, bool slope)
{
	struct cell *cell = cell_at(field, x / ACROSS, y / DOWN);

	if (!cell || x < 0 || y < 0)
		return;
	cell->dots |= (unsigned char)(1u << (ACROSS * (y % DOWN) + x % ACROSS));
	cell->slope |= slope;
}

/* Draws a slope up to the highest arithmetic roof, or to the top if there is none. */
static void draw_slope(const struct plot_area *field, const struct ceiling *slope, double top_log)
{
	const struct picture *picture = field->picture;
	double step = (picture->x_high - picture->x_low) / (field->width * ACROSS);
	int previous = -1;

	for (int x = 0; x < field->width * ACROSS; x++) {
		double rate_log = picture->x_low + (x + 0.5) * step + log10(slope->per_s);
		int y = (int)floor(dot_y(field, rate_log));

		if (rate_log > top_log)
			break;
		/* one dot per column, or a vertical line up to it where the slope is steep */
		for (int between = previous - 1; previous > y && between > y; between--)
			set_dot(field, x, between, true);
		set_dot(field, x, y, true);
		previous = y;
	}
}

static void draw_flat(const struct plot_area *field, const struct ceiling *rate,
		      const struct ceiling *slope)
{
	double rate_log = log10(rate->per_s);
	double begin = slope ? dot_x(field, rate_log - log10(slope->per_s)) : 0;

	for (int x = clamp(begin, field->width * ACROSS); x < field->width * ACROSS; x++)
		set_dot(field, x, (int)floor(dot_y(field, rate_log)), false);
}

static const struct ceiling *dram_roof(const struct picture *picture)
{
	for (size_t i = 0; i < picture->roof_count; i++) {
		const struct ceiling *roof = picture->roofs[i].ceiling;

		if (roof->kind == CEILING_BANDWIDTH && roof->of.level == LEVEL_DRAM)
			return roof;
	}
	return NULL;
}

static void draw_points(const struct plot_area *field)
{
	const struct picture *picture = field->picture;
	size_t drawn = 0;

	for (size_t i = 0; i < picture->point_count; i++) {
		const struct picture_point *point = &picture->points[i];
		const struct roofline_place *place = &point->place;
		struct cell *cell;

		if (!point->drawn)
			continue;
		cell = cell_at(
			field,
			clamp(dot_x(field, log10(place->intensity[LEVEL_DRAM])) / ACROSS,
			      field->width - 1),
			clamp(dot_y(field, log10(place->flop_per_s)) / DOWN, field->height - 1));
		if (!cell->letter) {
			cell->letter = picture_letter(drawn);
			cell->colour = bound_colour(point->roofline.verdict.bound);
		}
		drawn++;
	}
}

/* Whether all cells that the label needs are empty. */
static bool is_free(const struct plot_area *field, int column, int row, int length)
{
	for (int i = 0; i < length; i++) {
		const struct cell *cell = cell_at(field, column + i, row);

		if (!cell || cell->dots || cell->letter)
			return false;
	}
	return true;
}

static void write_label(const struct plot_area *field, int column, int row, const char *label)
{
	for (; *label; label++, column++)
		cell_at(field, column, row)->letter = *label;
}

/* Puts the label above or below a flat roof, as far to the right as there is room. */
static bool label_flat(const struct plot_area *field, const char *label, double per_s_log)
{
	int length = (int)strlen(label);
	int row = (int)floor(dot_y(field, per_s_log)) / DOWN;

	for (int column = field->width - length; column > field->width / 2; column--) {
		for (int beside = row - 1; beside <= row + 1; beside += 2) {
			if (is_free(field, column, beside, length)) {
				write_label(field, column, beside, label);
				return true;
			}
		}
	}
	return false;
}

/* Puts the label to the left of a slope, where nothing else is drawn. */
static bool label_slope(const struct plot_area *field, const char *label, double per_s_log)
{
	const struct picture *picture = field->picture;
	int length = (int)strlen(label);

	for (int row = 1; row < field->height; row++) {
		/* where the slope enters the row from below */
		double rate_log = picture->y_high -
				  (row + 1.0) / field->height * (picture->y_high - picture->y_low);
		int slope = clamp(dot_x(field, rate_log - per_s_log) / ACROSS, field->width);
		int column = slope - length - 1;
		const struct cell *beside = cell_at(field, slope + 1, row);

		/* only where the slope is drawn: a flat roof may have cut it off */
		if (beside && beside->slope && is_free(field, column, row, length)) {
			write_label(field, column, row, label);
			return true;
		}
	}
	return false;
}

static bool label_roof(const struct plot_area *field, const struct picture_roof *roof)
{
	double per_s_log = log10(roof->ceiling->per_s);

	return roof->ceiling->kind == CEILING_RATE ? label_flat(field, roof->label, per_s_log)
						   : label_slope(field, roof->label, per_s_log);
}

/* ---- writing ---- */

void decade_text(char out[16], int decade)
{
	static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
	static const char *const sizes[] = {"1", "10", "100"};

	if (decade < 0 || decade >= (int)(3 * ARRAY_SIZE(prefixes)))
		snprintf(out, 16, "1e%d", decade);
	else
		snprintf(out, 16, "%s%s", sizes[decade % 3], prefixes[decade / 3]);
}

static void plot_add_cell(struct text *out, const struct cell *cell,
			  const struct report_options *options)
{
	static const unsigned char braille[ACROSS * DOWN] = {0x01, 0x08, 0x02, 0x10,
							     0x04, 0x20, 0x40, 0x80};
	unsigned point = 0;

	if (cell->letter) {
		bool coloured = options->colour && cell->colour;

		text_addf(out, "%s%c%s", coloured ? cell->colour : "", cell->letter,
			  coloured ? "\033[0m" : "");
		return;
	}
	if (!cell->dots) {
		text_add_char(out, ' ');
		return;
	}
	if (options->ascii) {
		text_add_char(out, cell->slope ? '/' : '-');
		return;
	}
	for (int i = 0; i < ACROSS * DOWN; i++)
		point |= cell->dots & 1u << i ? braille[i] : 0;
	/* U+2800 and the dots */
	text_add_char(out, (char)0xe2);
	text_add_char(out, (char)(0xa0 | point >> 6));
	text_add_char(out, (char)(0x80 | (point & 0x3f)));
}

/* Finds the decade, if any, that lies in this row. */
static bool decade_in_row(int *decade, const struct plot_area *field, int row)
{
	const struct picture *picture = field->picture;

	for (int i = (int)ceil(picture->y_low); i <= picture->y_high; i++) {
		if ((int)floor(dot_y(field, i) / DOWN) == row) {
			*decade = i;
			return true;
		}
	}
	return false;
}

static void plot_add_row(struct text *out, const struct plot_area *field, int row,
			 const struct report_options *options)
{
	struct text line = TEXT_INIT;
	char label[16] = "";
	int decade;
	bool tick = decade_in_row(&decade, field, row);

	if (tick)
		decade_text(label, decade);
	text_addf(&line, "%6s %s", label, options->ascii ? tick ? "+" : "|" : tick ? "┤" : "│");
	for (int column = 0; column < field->width; column++)
		plot_add_cell(&line, &field->cells[row * field->width + column], options);
	while (line.length && line.data[line.length - 1] == ' ')
		line.data[--line.length] = '\0';
	text_addf(out, "%s\n", line.data);
	text_release(&line);
}

static void add_x_axis(struct text *out, const struct plot_area *field,
		       const struct report_options *options)
{
	const struct picture *picture = field->picture;
	struct text labels = TEXT_INIT;

	text_addf(out, "%*s%s", AXIS_WIDTH - 1, "", options->ascii ? "+" : "└");
	for (int column = 0; column < field->width; column++) {
		bool tick = false;

		for (int i = (int)ceil(picture->x_low); i <= picture->x_high; i++)
			tick |= (int)floor(dot_x(field, i) / ACROSS) == column;
		text_add(out, options->ascii ? tick ? "+" : "-" : tick ? "┴" : "─");
	}
	text_add_char(out, '\n');
	for (int i = (int)ceil(picture->x_low); i <= picture->x_high; i++) {
		int at = AXIS_WIDTH + (int)floor(dot_x(field, i) / ACROSS);

		/* narrow decades leave no room for every label */
		if (labels.length && (int)labels.length >= at)
			continue;
		while ((int)labels.length < at)
			text_add_char(&labels, ' ');
		if (i < -3 || i > 4)
			text_addf(&labels, "1e%d ", i);
		else
			text_addf(&labels, "%g ", pow(10, i));
	}
	while (labels.length && labels.data[labels.length - 1] == ' ')
		labels.data[--labels.length] = '\0';
	text_addf(out, "%s\n", labels.data);
	text_release(&labels);
}

static int field_width(const struct report_options *options)
{
	int width = options->width > 0 ? options->width - AXIS_WIDTH - 1 : USUAL_WIDTH;

	return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
}

void picture_plot(struct text *out, const struct picture *picture,
		  const struct report_options *options)
{
	const struct ceiling *slope = dram_roof(picture);
	struct plot_area field = {.picture = picture, .width = field_width(options)};
	struct text unlabelled = TEXT_INIT;
	double top_log = picture->y_high;

	field.height = field.width / (picture->drawn_count > FEW_POINTS ? 4 : 8);
	field.height = field.height < LEAST_HEIGHT  ? LEAST_HEIGHT
		       : field.height > MOST_HEIGHT ? MOST_HEIGHT
						    : field.height;
	field.cells = xcalloc((size_t)(field.width * field.height), sizeof(*field.cells));
	for (size_t i = picture->roof_count; i > 0; i--) {
		const struct ceiling *roof = picture->roofs[i - 1].ceiling;

		if (roof->kind == CEILING_RATE) {
			draw_flat(&field, roof, slope);
			top_log = log10(roof->per_s);
		}
	}
	if (slope)
		draw_slope(&field, slope, top_log);
	draw_points(&field);
	for (size_t i = 0; i < picture->roof_count; i++) {
		const struct picture_roof *roof = &picture->roofs[i];

		if (roof->ceiling->kind == CEILING_BANDWIDTH && roof->ceiling != slope)
			continue;
		if (!label_roof(&field, roof))
			text_addf(&unlabelled, "%*s%.*s\n", AXIS_WIDTH, "", field.width,
				  roof->label);
	}
	text_addf(out, "%*s flop/s\n", AXIS_WIDTH - 2, "");
	for (int row = 0; row < field.height; row++)
		plot_add_row(out, &field, row, options);
	add_x_axis(out, &field, options);
	text_addf(out, "%*sflop per byte of DRAM\n", AXIS_WIDTH, "");
	/* the labels that did not fit into the plot */
	text_add(out, unlabelled.data);
	text_release(&unlabelled);
	free(field.cells);
}
