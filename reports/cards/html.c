/*
 * Two devices compared, as a page without scripts: one picture with the roofs
 * and points of both, and a table. Every text goes through escape_xml().
 */
#include <math.h>
#include <stdlib.h>

#include "reports/cards/cards.h"
#include "reports/table/escape.h"

#define WIDTH 960.0
#define HEIGHT 520.0
#define LEFT_EDGE 70.0
#define BOTTOM_EDGE 48.0
#define NAME_WIDTH 168.0
#define NAME_HEIGHT 13.0

static void write_text(FILE *out, const char *text)
{
	struct text escaped = TEXT_INIT;

	escape_xml(&escaped, text);
	fputs(escaped.data, out);
	text_release(&escaped);
}

/* Decimal logarithms of what the field shows. */
struct card_field {
	double x_low, x_high, y_low, y_high;
};

static bool is_drawn(const struct card_row *row, int card)
{
	return !roofline_no_place(&row->rooflines[card].point, row->trials[card]);
}

static struct roofline_place card_place(const struct card_row *row, int card)
{
	return roofline_place_of(&row->rooflines[card].point);
}

static struct card_field field_of(const struct cards_report *report, const struct card_rows *rows)
{
	struct card_field field = {INFINITY, -INFINITY, INFINITY, -INFINITY};

	for (int card = 0; card < CARDS; card++) {
		for (size_t i = 0; i < rows->count; i++) {
			struct roofline_place place = card_place(&rows->items[i], card);

			if (!is_drawn(&rows->items[i], card))
				continue;
			field.x_low = fmin(field.x_low, log10(place.intensity[LEVEL_DRAM]));
			field.x_high = fmax(field.x_high, log10(place.intensity[LEVEL_DRAM]));
			field.y_low = fmin(field.y_low, log10(place.flop_per_s));
			field.y_high = fmax(field.y_high, log10(place.flop_per_s));
		}
		for (int i = 0; i < PRECISION_COUNT; i++) {
			const struct ceiling *roof =
				ceiling_of_precision(report->ceilings[card], (enum precision)i);

			if (roof)
				field.y_high = fmax(field.y_high, log10(roof->per_s));
		}
	}
	if (!isfinite(field.x_low))
		field = (struct card_field){-1, 3, 10, 14};
	field.x_low -= 0.5;
	field.x_high = fmax(field.x_high + 0.5, field.x_low + 2);
	field.y_low = fmin(field.y_low, field.y_high - 2) - 0.3;
	field.y_high += 0.3;
	return field;
}

static double at_x(const struct card_field *field, double intensity_log)
{
	return LEFT_EDGE + (intensity_log - field->x_low) / (field->x_high - field->x_low) *
				   (WIDTH - LEFT_EDGE - 10);
}

static double at_y(const struct card_field *field, double rate_log)
{
	return 10 + (field->y_high - rate_log) / (field->y_high - field->y_low) *
			    (HEIGHT - BOTTOM_EDGE - 10);
}

/* ---- roofs ---- */

/* Whether a point of the card has the precision. */
static bool is_used(const struct card_rows *rows, int card, int precision)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct roofline_place place = card_place(&rows->items[i], card);

		if (is_drawn(&rows->items[i], card) && place.has_precision &&
		    (int)place.precision == precision)
			return true;
	}
	return false;
}

static void write_line(FILE *out, int card, double x0, double y0, double x1, double y1)
{
	fprintf(out, "<line class=\"%c\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		"ab"[card], x0, y0, x1, y1);
}

/* Where names of roofs stand, so that no two overlap. */
struct roof_names {
	double x[CARDS * (PRECISION_COUNT + 1)], y[CARDS * (PRECISION_COUNT + 1)];
	size_t count;
};

/* Moves the name to the left until it is free. */
static double free_x(struct roof_names *names, double x, double y)
{
	for (size_t i = 0; i < names->count; i++) {
		if (fabs(names->y[i] - y) < NAME_HEIGHT && fabs(names->x[i] - x) < NAME_WIDTH)
			return free_x(names, x - NAME_WIDTH, y);
	}
	names->x[names->count] = x;
	names->y[names->count++] = y;
	return x;
}

static void write_roof_name(FILE *out, struct roof_names *names, int card, double x, double y,
			    const struct ceiling *roof)
{
	struct text text = TEXT_INIT;

	if (roof->kind == CEILING_RATE)
		x = free_x(names, x, y);

	text_addf(&text, "%c: %s ", CARD_NAMES[card], ceiling_of_name(roof));
	rate_text(&text, roof->per_s, roof->kind);
	fprintf(out, "<text class=\"%c\" x=\"%.1f\" y=\"%.1f\"%s>", "ab"[card], x, y,
		roof -> kind == CEILING_RATE ? " text-anchor=\"end\"" : "");
	write_text(out, text.data);
	fputs("</text>\n", out);
	text_release(&text);
}

static void write_roofs(FILE *out, const struct cards_report *report, const struct card_rows *rows,
			const struct card_field *field, int card, struct roof_names *names)
{
	const struct ceiling *dram = ceiling_of_level(report->ceilings[card], LEVEL_DRAM);
	double top = -INFINITY;

	for (int i = 0; i < PRECISION_COUNT; i++) {
		const struct ceiling *roof =
			ceiling_of_precision(report->ceilings[card], (enum precision)i);
		double rate, begin;

		if (!roof || !is_used(rows, card, i))
			continue;
		rate = log10(roof->per_s);
		top = fmax(top, rate);
		begin = dram ? fmax(field->x_low, rate - log10(dram->per_s)) : field->x_low;
		if (begin >= field->x_high)
			continue;
		write_line(out, card, at_x(field, begin), at_y(field, rate),
			   at_x(field, field->x_high), at_y(field, rate));
		write_roof_name(out, names, card, WIDTH - 12, at_y(field, rate) + (card ? 13 : -4),
				roof);
	}
	if (dram) {
		double slope = log10(dram->per_s);
		double end = fmin(field->x_high, (isfinite(top) ? top : field->y_high) - slope);
		double begin = fmax(field->x_low, field->y_low - slope);

		if (begin < end) {
			write_line(out, card, at_x(field, begin), at_y(field, begin + slope),
				   at_x(field, end), at_y(field, end + slope));
			write_roof_name(out, names, card, at_x(field, begin) + 6,
					at_y(field, begin + slope) + (card ? -4 : -22), dram);
		}
	}
}

/* ---- points ---- */

static void write_point(FILE *out, const struct card_row *row, const struct card_field *field,
			int card)
{
	struct roofline_place place = card_place(row, card);
	double x = at_x(field, log10(place.intensity[LEVEL_DRAM]));
	double y = at_y(field, log10(place.flop_per_s));
	char *name = trial_case_name(row->trials[card]);
	struct text title = TEXT_INIT;

	text_addf(&title, "%c: %s: %s", CARD_NAMES[card], name,
		  row->rooflines[card].verdict.summary);
	if (card)
		fprintf(out, "<rect class=\"b%s\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\">",
			place.modelled ? " model" : "", x - 4, y - 4);
	else
		fprintf(out, "<circle class=\"a%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\">",
			place.modelled ? " model" : "", x, y);
	fputs("<title>", out);
	write_text(out, title.data);
	fprintf(out, "</title></%s>\n", card ? "rect" : "circle");
	text_release(&title);
	free(name);
}

static void write_points(FILE *out, const struct card_rows *rows, const struct card_field *field)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct card_row *row = &rows->items[i];

		if (!row->best && rows->best_count)
			continue;
		for (int card = 0; card < CARDS; card++) {
			if (is_drawn(row, card))
				write_point(out, row, field, card);
		}
	}
}

static void write_axes(FILE *out, const struct card_field *field)
{
	for (int i = (int)ceil(field->x_low); i <= field->x_high; i++)
		fprintf(out,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"10\" x2=\"%.1f\" y2=\"%.1f\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
			at_x(field, i), at_x(field, i), HEIGHT - BOTTOM_EDGE, at_x(field, i),
			HEIGHT - BOTTOM_EDGE + 16, pow(10, i));
	for (int i = (int)ceil(field->y_low); i <= field->y_high; i++)
		fprintf(out,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">1e%d</text>\n",
			LEFT_EDGE, at_y(field, i), WIDTH - 10, at_y(field, i), LEFT_EDGE - 6,
			at_y(field, i) + 4, i);
	fprintf(out,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">flop per byte of DRAM</text>"
		"<text x=\"4\" y=\"22\">flop/s</text>\n",
		WIDTH / 2, HEIGHT - 8);
}

/* ---- the page ---- */

static void write_side_cells(FILE *out, const struct card_row *row, int card)
{
	const struct verdict *verdict = &row->rooflines[card].verdict;

	fputs("<td>", out);
	write_text(out, verdict_limiter_name(verdict));
	fputs("</td><td class=\"n\">", out);
	if (isfinite(verdict->roof_pct))
		fprintf(out, "%.1f", verdict->roof_pct);
	else
		fputc('-', out);
	fputs("</td>", out);
}

static void write_row(FILE *out, const struct card_row *row)
{
	char *name = trial_case_name(row->trials[0]);
	char times[CARDS][32];

	for (int card = 0; card < CARDS; card++)
		format_duration(times[card], row->trials[card]->summary.median_ns);
	fputs("<tr><td>", out);
	write_text(out, name);
	fprintf(out,
		"</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%.3f</td>"
		"<td class=\"n\">",
		times[0], times[1], row->pair->ratio);
	if (isfinite(row->pair->low) && isfinite(row->pair->high))
		fprintf(out, "%.3f to %.3f", row->pair->low, row->pair->high);
	else
		fputc('-', out);
	fputs("</td>", out);
	for (int card = 0; card < CARDS; card++)
		write_side_cells(out, row, card);
	fputs("</tr>\n", out);
	free(name);
}

static const char style[] =
	":root{color-scheme:light dark}body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem auto;"
	"max-width:62rem;padding:0 1rem}svg{width:100%;height:auto}svg text{font:12px system-ui,"
	"sans-serif;fill:currentColor}.grid{stroke:currentColor;opacity:.15}line.a{stroke:#0072b2;"
	"stroke-width:2}line.b{stroke:#d55e00;stroke-width:2;stroke-dasharray:6 3}svg "
	"text.a,.ka{fill:"
	"#0072b2;color:#0072b2}svg "
	"text.b,.kb{fill:#d55e00;color:#d55e00}circle.a{fill:#0072b2;stroke:"
	"#0072b2}rect.b{fill:#d55e00;stroke:#d55e00}.model{fill:none!important;stroke-width:2}."
	"wide{"
	"overflow-x:auto}table{border-collapse:collapse}td:first-child{overflow-wrap:anywhere;min-"
	"width:9rem}.n,.l{white-space:nowrap}td,th{padding:.2rem .6rem;text-align:left;"
	"border-bottom:1px solid #8884}.n{text-align:right;font-variant-numeric:tabular-nums}";

void cards_write_html(FILE *out, const struct cards_report *report, const struct card_rows *rows)
{
	struct card_field field = field_of(report, rows);
	struct roof_names names = {.count = 0};

	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
		"<title>Two cards compared</title><style>%s</style></head><body>\n"
		"<h1>Two cards compared</h1>\n<ul>\n",
		style);
	for (int card = 0; card < CARDS; card++) {
		fprintf(out, "<li><b class=\"k%c\">%c %s</b> ", "ab"[card], CARD_NAMES[card],
			card ? "■" : "●");
		write_text(out, report->runs[card]->device.name);
		fprintf(out, ", run %lld</li>\n", (long long)report->runs[card]->id);
	}
	fprintf(out,
		"</ul>\n<p>%s</p>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-label=\"Roofline of both cards; the table below has the numbers\">\n",
		CARDS_MEANING, WIDTH, HEIGHT);
	write_axes(out, &field);
	for (int card = 0; card < CARDS; card++)
		write_roofs(out, report, rows, &field, card, &names);
	write_points(out, rows, &field);
	fputs("</svg>\n<p>Hollow points are from the work model, not counted. The picture has the "
	      "fastest case of each variant and size on A.</p>\n<div "
	      "class=\"wide\"><table><thead><tr>"
	      "<th>Case</th><th class=\"n\">Time A</th><th class=\"n\">Time B</th>"
	      "<th class=\"n\">B / A</th><th class=\"n\">95 % interval</th><th>Limiter A</th>"
	      "<th class=\"n\">Roof % A</th><th>Limiter B</th><th class=\"n\">Roof % B</th></tr>"
	      "</thead><tbody>\n",
	      out);
	for (size_t i = 0; i < rows->count; i++)
		write_row(out, &rows->items[i]);
	fputs("</tbody></table></div>\n</body></html>\n", out);
}
