// The samples of each variant around their median.
import { listOf, listText } from "../address.js";
import { Chart } from "../chart.js";
import { Palette, unverifiedNote } from "../colours.js";
import { byId, empty, h, select } from "../dom.js";
import { markedName, titleOf, unique } from "../model.js";
import { rowNames, rowScale } from "../rows.js";
import { halfInterval, isNumber, percent, plural, time, timeRange, whole } from "../numbers.js";

const ROWS_MOST = 40;
const A_ROW = 240;

class Samples {
	constructor(app, section) {
		this.app = app;
		this.model = app.model;
		this.kernels = unique(this.model.timed.map((one) => one.kernel));
		this.kernel = this.kernels[0];
		this.variant = "";
		this.chooser = h("div", { class: "controls" });
		section.append(this.chooser);
		this.update();
		app.address.part("samples", () => (this.kernel === this.kernels[0] && !this.variant ? null : listText([this.kernel, this.variant])), (text) => {
			const [kernel, variant] = listOf(text);
			this.kernel = this.kernels.includes(kernel) ? kernel : this.kernels[0];
			this.variant = this.model.timed.some((one) => one.kernel === kernel && one.variant === variant) ? variant : "";
			this.update();
		});
		this.chart = new Chart(section, {
			title: "Samples around their median",
			height: () => 60 + 24 * this.rows.length,
			focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
			points: () => this.rows.map(({ one }, y) => ({ x: 0, y, one })),
			tip: ({ one }) => ({
				title: titleOf(one), mark: this.palette.swatch(one.variant),
				rows: [["Median", time(one.median)], ["Session interval, 95 %", isNumber(one.low) ? timeRange(one.low, one.high) : "needs two rounds"],
					["Deviation (MAD)", time(one.mad)], ["Range", timeRange(one.min, one.max)], ["Samples", whole(one.samples)]],
			}),
			pick: (point) => app.open(point.one),
			summary: () => this.summary(),
			table: () => ({
				columns: [{ head: "Case" }, { head: "Samples", numeric: true }, { head: "Median", numeric: true }, { head: "MAD", numeric: true }, { head: "Fastest", numeric: true }, { head: "Slowest", numeric: true }],
				rows: this.rows.map(({ one }) => [app.link(one), whole(one.samples), time(one.median), time(one.mad), time(one.min), time(one.max)]),
			}),
			spec: (size) => this.spec(size),
		});
	}

	update() {
		const of = this.model.timed.filter((one) => one.kernel === this.kernel);
		const variants = unique(of.map((one) => one.variant));
		this.palette = new Palette(variants);
		const chosen = this.variant ? of.filter((one) => one.variant === this.variant) : of.filter((one) => one.isBest);
		this.left = Math.max(0, chosen.length - ROWS_MOST);
		this.rows = chosen.slice(0, ROWS_MOST).map((one) => ({ one, label: this.variant ? `${one.config}${this.model.spread ? ` on GPU ${one.gpu}` : ""}` : one.shortLabel }));
		this.chooser.replaceChildren(
			this.kernels.length > 1 ? select("Kernel", this.kernels.map((name) => [name, name]), this.kernel, (value) => {
				this.kernel = value;
				this.variant = "";
				this.update();
			}) : "",
			select("Cases", [["", "fastest of each variant"], ...variants.map((name) => [name, `all of ${name}`])], this.variant, (value) => {
				this.variant = value;
				this.update();
			}));
		this.chart?.refresh();
		this.app.address.changed();
	}

	/** At most A_ROW samples of a case, evenly chosen, as a difference from the median in percent. */
	drawn({ one }, row) {
		const all = this.model.samplesOf(one).flatMap((round) => round.times);
		const every = Math.max(1, Math.ceil(all.length / A_ROW));
		return all.filter((_, i) => i % every === 0).map((value, i) => ({
			x: (100 * value) / one.median - 100, variant: this.palette.at(one.variant),
			// spread over the row, the same way each time
			y: row + 0.6 * (((i * 0.618034) % 1) - 0.5),
		}));
	}

	summary() {
		const widest = this.rows.reduce((most, row) => ((halfInterval(row.one) ?? 0) > (halfInterval(most.one) ?? 0) ? row : most), this.rows[0]);
		const half = halfInterval(widest.one);
		return [
			`${plural(this.rows.length, "case")} of ${this.kernel}; each dot is one sample, the bar is the 95 % interval of the time in this session.`,
			half === null ? "" : `The least certain is ${markedName(widest.one, widest.label)}: ±${half.toFixed(2)} %.`,
			this.left ? `${plural(this.left, "more case")} not drawn.` : "",
			unverifiedNote(this.rows.map(({ one }) => one)),
			this.model.sampleNote ?? "",
		].join(" ");
	}

	spec({ width }) {
		const intervals = this.rows.map(({ one }, y) => ({ x: (100 * one.low) / one.median - 100, x2: (100 * one.high) / one.median - 100, y, known: isNumber(one.low) }))
			.filter((interval) => interval.known);
		const values = this.rows.flatMap((row, y) => this.drawn(row, y));
		const sizes = values.map((value) => Math.abs(value.x)).sort((a, b) => a - b);
		// a few outliers must not squeeze all other points together
		const most = Math.max(1, (sizes[Math.floor(sizes.length * 0.99)] ?? 1) * 1.25);
		return {
			encoding: {
				x: { field: "x", type: "quantitative", title: "Difference from the median, %", scale: { domain: [-most, most], nice: false, clamp: true }, axis: { tickCount: 9, format: "~r" } },
				y: rowScale(this.rows.length, width),
			},
			layer: [
				rowNames(this.rows.map(({ one, label }) => (one.unverified ? `? ${label}` : label)), width),
				{ data: { values: [{ x: 0 }] }, mark: { type: "rule", stroke: "var(--line-strong)" }, encoding: { y: null } },
				{
					data: { values }, mark: { type: "circle", size: 14, opacity: 0.5 },
					encoding: { color: this.palette.encode("variant", "colour") },
				},
				{ data: { values: intervals }, mark: { type: "rule", strokeWidth: 5, stroke: "var(--ink)", opacity: 0.85, strokeCap: "round" }, encoding: { x2: { field: "x2" } } },
			],
		};
	}
}

export function samplesSection(app) {
	const section = byId("samples");
	if (!app.model.timed.length) {
		section.append(app.model.emulated
			? empty("An emulator has no clock, so there are no samples.", "Times need a GPU; `perflab doctor` shows what is missing.", "perflab sweep KERNEL --backend cuda")
			: empty("No case of this run was timed.", "The reasons are below, under “What is missing”."));
		return;
	}
	new Samples(app, section);
	section.append(h("p", { class: "hint" }, "Open a case to see shifts between its rounds. Each round ran in a fresh process."));
}
