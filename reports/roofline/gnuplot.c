/*
 * Writes the roofline as a gnuplot script that draws to standard output. The data is inline: the
 * script reads no file and runs no program. Untrusted names stand in single quotes, where gnuplot
 * interprets no escape, command or variable, and every terminal is set to "noenhanced", so that no
 * text is taken for markup.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/roofline/picture.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"

/* The edges of the plot field, as parts of the picture. */
#define LEFT 0.085
#define RIGHT 0.655
#define BOTTOM 0.125
#define TOP 0.855
#define LEVELS_MOST 14 /* with more points, only DRAM is shown */
#define DEGREES_PER_RADIAN 57.29577951308232
#define NAME_DECADES 0.15   /* names of closer roofs would overlap */
#define NAME_FROM 0.03      /* where the name begins, as a part of the slope's length */
#define FIELD_CHARACTERS 95 /* the width of the field */
#define NAME_ROW 1.2        /* the distance between names, in characters */

/* Readers with any colour blindness can distinguish any two; shapes differ as well. The same as in
 * reports/web/source/style/tokens.css, for light paper. tests/browser/palette.test.mjs checks both.
 */
static const char *const point_colours[] = {"#114fba", "#954e02", "#1f420c", "#5c205d",
					    "#a97e1a", "#8b5cee", "#0093be", "#f24888"};
static const int filled[] = {7, 5, 9, 13, 11, 15};
static const int hollow[] = {6, 4, 8, 12, 10, 14};

struct gnuplot_terminal {
	const char *command;
	double width, height; /* in the same unit */
};

static const struct gnuplot_terminal terminal_svg = {
	"set terminal svg size 1120,640 font 'sans-serif,14' noenhanced background '#ffffff'\n",
	1120, 640};

static const struct gnuplot_terminal terminal_png = {
	"if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
	"set terminal pngcairo size 1680,960 font 'sans,15' noenhanced background '#ffffff'\n"
	"} else {\n"
	"set terminal png size 1680,960 noenhanced background '#ffffff'\n"
	"}\n",
	1680, 960};

static const struct gnuplot_terminal terminal_pdf = {
	"set terminal pdfcairo size 10.5in,6in font 'sans,13' noenhanced background '#ffffff'\n",
	10.5, 6};

/* Appends a gnuplot string, cut to at most `characters`. */
static void add_cut_string(struct text *out, const char *text, size_t characters)
{
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, text);
	if (utf8_length(shown.data) > characters) {
		char *cut = xasprintf("%.*s…", (int)utf8_prefix(shown.data, characters - 1),
				      shown.data);

		escape_gnuplot(out, cut);
		free(cut);
	} else {
		escape_gnuplot(out, shown.data);
	}
	text_release(&shown);
}

/* ---- axes ---- */

static void add_tics(struct text *out, char axis, double low, double high, bool prefixed)
{
	const char *separator = "";

	text_addf(out, "set %ctics (", axis);
	for (int decade = (int)floor(low); decade <= high; decade++) {
		char label[16];

		if (prefixed)
			decade_text(label, decade);
		else
			snprintf(label, sizeof(label), "%g", pow(10, decade));
		if (decade >= low) {
			text_addf(out, "%s'%s' 1e%d 0", separator, label, decade);
			separator = ", ";
		}
		for (int part = 2; part < 10 && high - low < 12; part++) {
			double at = decade + log10(part);

			if (at < low || at > high)
				continue;
			text_addf(out, "%s'' %de%d 1", separator, part, decade);
			separator = ", ";
		}
	}
	text_add(out, ")\n");
}

static void add_axes(struct text *out, const struct picture *picture)
{
	text_addf(out,
		  "set encoding utf8\n"
		  "set lmargin at screen %g\nset rmargin at screen %g\n"
		  "set bmargin at screen %g\nset tmargin at screen %g\n"
		  "set logscale xy\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n"
		  "set border 3 linecolor '#555555' linewidth 1\n"
		  "set tics nomirror textcolor '#333333' scale 0.8,0.4\n"
		  "set grid xtics ytics linetype 1 linewidth 1 linecolor '#e8e8e8'\n"
		  "set xlabel 'operational intensity: flop per byte' textcolor '#222222'\n"
		  "set ylabel 'flop/s' textcolor '#222222'\n",
		  LEFT, RIGHT, BOTTOM, TOP, pow(10, picture->x_low), pow(10, picture->x_high),
		  pow(10, picture->y_low), pow(10, picture->y_high));
	add_tics(out, 'x', picture->x_low, picture->x_high, false);
	add_tics(out, 'y', picture->y_low, picture->y_high, true);
}

/* ---- roofs ---- */

static double highest_rate_log(const struct picture *picture)
{
	for (size_t i = 0; i < picture->roof_count; i++) {
		if (picture->roofs[i].ceiling->kind == CEILING_RATE)
			return log10(picture->roofs[i].ceiling->per_s);
	}
	return picture->y_high;
}

/* The highest slope: the roof of the fastest memory level that is known. */
static const struct ceiling *highest_slope(const struct picture *picture)
{
	return picture->roof_count && picture->roofs[0].ceiling->kind == CEILING_BANDWIDTH
		       ? picture->roofs[0].ceiling
		       : NULL;
}

/* The two ends of a roof as decimal logarithms. */
struct line {
	double x0, y0, x1, y1;
};

static struct line roof_line(const struct picture *picture, const struct ceiling *roof)
{
	double per_s_log = log10(roof->per_s), top = highest_rate_log(picture);
	const struct ceiling *slope = highest_slope(picture);
	double begin = slope ? per_s_log - log10(slope->per_s) : picture->x_low;
	double end;

	if (roof->kind == CEILING_RATE)
		return (struct line){fmax(begin, picture->x_low), per_s_log, picture->x_high,
				     per_s_log};
	begin = fmax(picture->x_low, picture->y_low - per_s_log);
	end = fmin(picture->x_high, top - per_s_log);
	return (struct line){begin, begin + per_s_log, end, end + per_s_log};
}

/* Otherwise the whole roof lies outside the field. */
static bool is_in_field(const struct line *line)
{
	return line->x0 < line->x1;
}

static bool is_dram_roof(const struct ceiling *roof)
{
	return roof->kind == CEILING_BANDWIDTH && roof->of.level == LEVEL_DRAM;
}

/* The angle of a slope as drawn, which depends on the shape of the field. */
static double slope_degrees(const struct picture *picture, double width, double height)
{
	double across = width * (RIGHT - LEFT) / (picture->x_high - picture->x_low);
	double up = height * (TOP - BOTTOM) / (picture->y_high - picture->y_low);

	return atan2(up, across) * DEGREES_PER_RADIAN;
}

/* Counts the slopes that were named before and lie so close that the names would overlap. */
static size_t nearer_names(const struct picture *picture, const struct picture_roof *roof)
{
	size_t count = 0;

	for (const struct picture_roof *other = picture->roofs; other < roof; other++) {
		struct line line = roof_line(picture, other->ceiling);

		count += other->ceiling->kind == CEILING_BANDWIDTH && is_in_field(&line) &&
			 fabs(log10(roof->ceiling->per_s / other->ceiling->per_s)) < NAME_DECADES;
	}
	return count;
}

/* Whether a name at the upper end of a slope reaches the name of the highest rate, which ends at
 * the right edge of the field. */
static bool meets_rate_name(const struct picture *picture, const struct picture_roof *roof,
			    const struct line *line)
{
	const struct picture_roof *rate = roof;
	double begin = (line->x1 - picture->x_low) / (picture->x_high - picture->x_low);

	while (rate < picture->roofs + picture->roof_count && rate->ceiling->kind != CEILING_RATE)
		rate++;
	return rate < picture->roofs + picture->roof_count &&
	       begin * FIELD_CHARACTERS + (double)(strlen(roof->label) + strlen(rate->label)) >
		       FIELD_CHARACTERS;
}

/* Puts the name along the slope from its lower end, or above the upper end if another name is in
 * the way. */
static void add_slope_name(struct text *out, const struct picture *picture,
			   const struct picture_roof *roof, const struct line *line, double degrees)
{
	size_t row = nearer_names(picture, roof);

	if (row) {
		row += meets_rate_name(picture, roof, line);
		text_addf(out, " at %.9g,%.9g left offset character 0.5,%.3g", pow(10, line->x1),
			  pow(10, line->y1), 0.7 + NAME_ROW * (double)(row - 1));
		return;
	}
	text_addf(out, " at %.9g,%.9g left rotate by %.2f offset character -0.6,0.85",
		  pow(10, line->x0 + NAME_FROM * (line->x1 - line->x0)),
		  pow(10, line->y0 + NAME_FROM * (line->y1 - line->y0)), degrees);
}

/* Whether the names of two flat roofs would cover each other. */
static bool share_name(const struct picture_roof *roof, const struct picture_roof *other)
{
	return roof->ceiling->kind == CEILING_RATE && other->ceiling->kind == CEILING_RATE &&
	       fabs(log10(roof->ceiling->per_s / other->ceiling->per_s)) < NAME_DECADES;
}

/* The names of the flat roofs that share one, without those of their ceilings; of one roof its
 * label. False: a roof before it has named it. */
static bool rate_name(struct text *out, const struct picture *picture,
		      const struct picture_roof *roof)
{
	size_t named = 0;

	for (const struct picture_roof *other = picture->roofs; other < roof; other++)
		if (share_name(roof, other))
			return false;
	for (size_t i = 0; i < picture->roof_count; i++) {
		const struct picture_roof *other = &picture->roofs[i];

		if (share_name(roof, other))
			text_addf(out, "%s%.*s", named++ ? ", " : "", (int)other->name_length,
				  other->label);
	}
	if (named < 2) {
		text_clear(out);
		text_add(out, roof->label);
	}
	return true;
}

static void script_add_roof(struct text *out, const struct picture *picture,
			    const struct picture_roof *roof, double degrees)
{
	const struct ceiling *ceiling = roof->ceiling;
	struct line line = roof_line(picture, ceiling);
	bool rate = ceiling->kind == CEILING_RATE;
	bool main = rate || is_dram_roof(ceiling);
	struct text name = TEXT_INIT;

	if (!is_in_field(&line))
		return;
	text_addf(
		out,
		"set arrow from %.9g,%.9g to %.9g,%.9g nohead back linewidth %s linecolor '%s'%s\n",
		pow(10, line.x0), pow(10, line.y0), pow(10, line.x1), pow(10, line.y1),
		main ? "2.5" : "1.5", main ? "#333333" : "#999999", main ? "" : " dashtype 2");
	if (rate && !rate_name(&name, picture, roof)) {
		text_release(&name);
		return;
	}
	text_add(out, "set label ");
	escape_gnuplot(out, rate ? name.data : roof->label);
	if (rate)
		text_addf(out, " at %.9g,%.9g right offset character -0.3,0.7", pow(10, line.x1),
			  pow(10, line.y1));
	else
		add_slope_name(out, picture, roof, &line, degrees);
	/* behind the points, which a name must not cover */
	text_addf(out, " textcolor '%s' back\n", main ? "#333333" : "#777777");
	text_release(&name);
}

/* ---- points ---- */

static void add_levels(struct text *out, const struct picture_point *point, bool caches)
{
	static const enum memory_level levels[] = {LEVEL_DRAM, LEVEL_L2, LEVEL_L1};

	for (size_t i = 0; i < (caches ? ARRAY_SIZE(levels) : 1); i++) {
		double intensity = point->place.intensity[levels[i]];

		if (isnormal(intensity) && intensity > 0)
			text_addf(out, "%.9g %.9g\n", intensity, point->place.flop_per_s);
	}
}

/* The points of one entry, each with DRAM first and then the counted caches, or the grey points. */
static void script_add_block(struct text *out, const struct picture *picture,
			     const struct legend *legend, size_t entry)
{
	for (size_t i = 0; i < picture->point_count; i++) {
		if (picture->points[i].drawn && legend->entry_of[i] == entry)
			add_levels(out, &picture->points[i], picture->drawn_count <= LEVELS_MOST);
	}
	text_add(out, "END\n");
}

static void add_data(struct text *out, const struct picture *picture, const struct legend *legend)
{
	for (size_t i = 0; i < legend->count; i++) {
		text_addf(out, "$point%zu << END\n", i);
		script_add_block(out, picture, legend, i);
	}
	if (legend->unnamed) {
		text_add(out, "$others << END\n");
		script_add_block(out, picture, legend, NO_ENTRY);
	}
}

static void script_add_entry(struct text *out, const struct picture *picture,
			     const struct legend_entry *entry, size_t at)
{
	const size_t mark = entry->mark;
	const char *colour = point_colours[mark % ARRAY_SIZE(point_colours)];
	/* no two marks share both colour and shape */
	size_t shape = (mark + 5 * (mark / ARRAY_SIZE(point_colours))) % ARRAY_SIZE(filled);
	const int *shapes = entry->hollow ? hollow : filled;
	/* with caches, the first line of a block is DRAM */
	const bool caches = picture->drawn_count <= LEVELS_MOST;
	const char *part = caches ? " every ::0::0" : "";

	if (caches)
		text_addf(out,
			  ", $point%zu with lines linewidth 1 linecolor '%s' dashtype 3 notitle"
			  ", $point%zu every ::1 with points pointtype %d pointsize 0.9 linewidth "
			  "1.5 linecolor '%s' notitle",
			  at, colour, at, hollow[shape], colour);
	text_addf(out,
		  ", $point%zu%s with points pointtype %d pointsize 2.1 linecolor '#ffffff' notitle"
		  ", $point%zu%s with points pointtype %d pointsize 1.6 linecolor '%s'",
		  at, part, filled[shape], at, part, shapes[shape], colour);
	text_add(out, " title ");
	escape_gnuplot(out, entry->name);
}

/* Draws the points of the legend on top of all others. */
static void script_add_points(struct text *out, const struct picture *picture,
			      const struct legend *legend)
{
	/* gnuplot draws nothing for an empty plot: start with an invisible function */
	text_add(out, "plot 1e-300 notitle");
	if (legend->unnamed)
		text_addf(out,
			  ", $others with points pointtype %d pointsize 1.2 linecolor '#bbbbbb' "
			  "notitle",
			  filled[0]);
	for (size_t i = 0; i < legend->count; i++)
		script_add_entry(out, picture, &legend->entries[i], i);
	text_add_char(out, '\n');
}

/* ---- text around the plot ---- */

static void add_title(struct text *out, const struct run *run, const struct picture *picture,
		      const struct legend *legend)
{
	const bool caches = picture->drawn_count <= LEVELS_MOST;
	struct text title = TEXT_INIT;

	text_addf(&title, "Roofline: %s",
		  run->device.name[0] ? run->device.name : "unknown device");
	text_addf(&title, ", run %lld", (long long)run->id);
	if (run->label)
		text_addf(&title, " (%s)", run->label);
	text_add(out, "set label ");
	add_cut_string(out, title.data, 90);
	text_addf(out, " at screen %g,%g left front textcolor '#111111' font ',18'\n", LEFT, 0.955);
	text_clear(&title);
	text_add(&title, picture->roof_count ? "Roofs as measured on this device. "
					     : "No ceilings are stored for this device: run "
					       "perflab ceilings. ");
	if (picture->drawn_count && caches)
		text_add(&title, "Filled: DRAM bytes; hollow: L2 and L1 bytes.");
	else if (picture->drawn_count)
		text_addf(&title, "Fastest case of each problem by DRAM bytes%s.",
			  legend->by_kernel ? ", marked by kernel" : "");
	if (picture_has_modelled(picture))
		text_add(&title, caches ? " Large and hollow: operations of the work model, not "
					  "counted."
					: " Hollow: operations of the work model.");
	text_add(out, "set label ");
	escape_gnuplot(out, title.data);
	text_addf(out, " at screen %g,%g left front textcolor '#666666'\n", LEFT, 0.908);
	text_release(&title);
}

/* Says how many points are grey and how many are not drawn. */
static void add_left_out(struct text *out, const struct picture *picture,
			 const struct legend *legend)
{
	size_t left_out = picture->point_count - picture->drawn_count;
	struct text words = TEXT_INIT;

	if (legend->unnamed)
		text_addf(&words, "grey: %zu more", legend->unnamed);
	if (left_out)
		text_addf(&words, "%s%zu not drawn: no operations, bytes or time",
			  legend->unnamed ? "; " : "", left_out);
	if (words.length) {
		text_add(out, "set label ");
		escape_gnuplot(out, words.data);
		text_addf(out, " at screen 0.985,%g right front textcolor '#666666'\n",
			  BOTTOM - 0.07);
	}
	text_release(&words);
}

static int write_script(FILE *out, const struct run *run, const struct gnuplot_terminal *terminal,
			const struct report_options *options, struct error *err)
{
	struct text script = TEXT_INIT;
	struct picture picture;
	struct legend legend;
	int rc = 0;

	if (run->traits.emulated)
		return error_set(
			err, PL_ENOENT,
			"run %lld was emulated: without times no roofline can be drawn; csv and "
			"json have its intensities",
			(long long)run->id);
	picture_init(&picture, run, options->ceilings);
	legend_init(&legend, &picture);
	if (!picture.drawn_count && !picture_has_roofs(&picture)) {
		rc = error_set(err, PL_ENOENT,
			       "run %lld has nothing to draw: no case with operations, DRAM bytes "
			       "and a time, and no ceilings are stored for its device",
			       (long long)run->id);
		goto out;
	}
	text_add(&script, terminal->command);
	add_axes(&script, &picture);
	add_title(&script, run, &picture, &legend);
	for (size_t i = 0; i < picture.roof_count; i++)
		script_add_roof(&script, &picture, &picture.roofs[i],
				slope_degrees(&picture, terminal->width, terminal->height));
	add_left_out(&script, &picture, &legend);
	text_addf(&script,
		  "set key at screen %g,%g left top Left reverse samplen 1 spacing 1.25 textcolor "
		  "'#222222'\n",
		  RIGHT + 0.02, TOP + 0.02);
	add_data(&script, &picture, &legend);
	script_add_points(&script, &picture, &legend);
	fwrite(script.data, 1, script.length, out);
out:
	text_release(&script);
	legend_release(&legend);
	picture_release(&picture);
	return rc;
}

int run_write_svg(FILE *out, const struct run *run, const struct report_options *options,
		  struct error *err)
{
	return write_script(out, run, &terminal_svg, options, err);
}

int run_write_png(FILE *out, const struct run *run, const struct report_options *options,
		  struct error *err)
{
	return write_script(out, run, &terminal_png, options, err);
}

int run_write_pdf(FILE *out, const struct run *run, const struct report_options *options,
		  struct error *err)
{
	return write_script(out, run, &terminal_pdf, options, err);
}
