// Achieved occupancy: one row of points per kernel, or per variant of one kernel. Most cases may use the
// whole device, so the theoretical occupancy is a tick in the row and not an axis: on one, all of them
// would lie in one column.
import { Chart } from "../chart.js";
import { Palette, unverifiedLayer, unverifiedNote } from "../colours.js";
import { byId, empty, h, select } from "../dom.js";
import { titleOf, unique } from "../model.js";
import { isNumber, percent, plural, time, whole } from "../numbers.js";
import { rowNames, rowScale, rowWidth } from "../rows.js";

const METRIC = "achieved_occupancy_pct";
const POINT_PX = 7;
const ROW_PX = [24, 52];

class Occupancy {
	constructor(app, section, points) {
		this.app = app;
		this.all = points;
		this.kernels = unique(points.map(({ one }) => one.kernel));
		this.kernel = this.kernels.length > 1 ? "" : this.kernels[0];
		const first = this.kernel;
		if (this.kernels.length > 1) {
			this.chooser = select("Rows", [["", "kernels"], ...this.kernels.map((name) => [name, `variants of ${name}`])], first, (kernel) => {
				this.choose(kernel);
				app.address.changed();
			});
			section.append(h("div", { class: "controls" }, this.chooser));
		}
		this.update();
		this.chart = new Chart(section, this.options());
		if (!this.chooser) return;
		app.address.part("occupancy", () => this.kernel || null, (text) => {
			const kernel = this.kernels.includes(text) ? text : first;
			this.chooser.mark(kernel);
			this.choose(kernel);
		});
	}

	choose(kernel) {
		this.kernel = kernel;
		this.update();
		this.chart.refresh();
	}

	nameOf(one) {
		return this.kernel ? one.variant : one.kernel;
	}

	update() {
		this.points = this.all.filter(({ one }) => !this.kernel || one.kernel === this.kernel);
		this.rows = unique(this.points.map(({ one }) => this.nameOf(one)));
		// kernels have the marks that they have everywhere
		this.palette = new Palette(this.kernel ? this.rows : this.app.model.kernels);
		this.row = new Map(this.rows.map((name, i) => [name, i]));
		this.stacked = null;
	}

	/** The points of a row that would cover each other get places side by side: bin and place of each point, and the count per bin. */
	stacks(width) {
		if (this.stacked?.width === width) return this.stacked;
		const bin = (100 * POINT_PX) / Math.max(100, rowWidth(width));
		const counts = new Map();
		const places = this.points.map(({ x, one }) => {
			const key = 1000 * this.row.get(this.nameOf(one)) + Math.floor(x / bin);
			const place = counts.get(key) ?? 0;
			counts.set(key, place + 1);
			return [key, place];
		});
		const most = [...counts.values()].reduce((a, b) => Math.max(a, b), 1);
		this.stacked = { width, places, counts, most };
		return this.stacked;
	}

	rowHeight(width) {
		const [least, most] = ROW_PX;
		return Math.min(most, Math.max(least, POINT_PX * (this.stacks(width).most + 1)));
	}

	/** The points with their places: in the row, around its middle, as far apart as the row allows. */
	placed(width) {
		const { places, counts } = this.stacks(width);
		const apart = POINT_PX / this.rowHeight(width);
		return this.points.map((point, i) => {
			const [key, place] = places[i];
			const step = Math.min(apart, 0.8 / counts.get(key));
			return { ...point, y: this.row.get(this.nameOf(point.one)) + step * (place - (counts.get(key) - 1) / 2) };
		});
	}

	/** The theoretical occupancies of each row. */
	limits() {
		const known = new Map(this.points.map(({ limit, one }) => [`${this.nameOf(one)} ${limit}`, { x: limit, y: this.row.get(this.nameOf(one)) - 0.42, y2: this.row.get(this.nameOf(one)) + 0.42 }]));
		return [...known.values()];
	}

	options() {
		return {
			title: "Achieved occupancy",
			height: (width) => 64 + this.rowHeight(width) * this.rows.length,
			focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
			points: () => this.placed(this.chart?.plot.clientWidth ?? 0),
			tip: ({ one, x, limit }) => ({
				title: titleOf(one), mark: this.palette.swatch(this.nameOf(one)),
				rows: [["Achieved", percent(x)], ["Theoretical", percent(limit)], ["Limited by", one.limiter ?? "–"], ["Registers", whole(one.registers)], ["Time", time(one.median)]],
			}),
			pick: (point) => this.app.open(point.one),
			attend: (view, point) => view.data("gap", point ? [{ x: point.x, x2: point.limit, y: point.y }] : []),
			summary: () => this.summary(),
			table: () => ({
				columns: [{ head: "Case" }, { head: "Theoretical", numeric: true }, { head: "Achieved", numeric: true }, { head: "Limited by" }],
				rows: this.points.map(({ one, x, limit }) => [this.app.link(one), percent(limit), percent(x), one.limiter ?? "–"]),
			}),
			spec: ({ width }) => this.spec(width),
		};
	}

	summary() {
		const far = this.points.filter(({ x, limit }) => x < limit / 2).length;
		const full = this.points.filter(({ limit }) => limit > 99.9).length;
		return [
			`${plural(this.points.length, "case")}, of which ${whole(full)} may fill the device; ${far ? `${whole(far)} ${far === 1 ? "reaches" : "reach"} less than half of what is possible` : "all reach at least half of what is possible"}.`,
			"A tick is a theoretical occupancy of the row; the line from a selected point ends at its own.",
			unverifiedNote(this.points.map(({ one }) => one)), this.palette.note,
		].join(" ");
	}

	spec(width) {
		const values = this.placed(width).map(({ x, y, one }) => ({ x, y, name: this.palette.at(this.nameOf(one)), unverified: one.unverified }));
		return {
			encoding: {
				x: { field: "x", type: "quantitative", title: "Achieved occupancy, %", scale: { domain: [0, 103], nice: false }, axis: { tickCount: 6 } },
				y: rowScale(this.rows.length, width),
			},
			layer: [
				rowNames(this.rows, width),
				{ data: { values: this.limits() }, mark: { type: "rule", stroke: "var(--line-strong)", strokeWidth: 2 }, encoding: { y2: { field: "y2" } } },
				{ data: { name: "gap", values: [] }, mark: { type: "rule", stroke: "var(--ink)", strokeWidth: 1.5 }, encoding: { x2: { field: "x2" } } },
				{
					data: { name: "occupancies", values },
					mark: { type: "point", filled: true, size: 34, opacity: 0.85 },
					encoding: { fill: this.palette.encode("name", "colour"), shape: this.palette.encode("name", "shape") },
				},
				unverifiedLayer("occupancies"),
			],
		};
	}
}

export function occupancySection(app) {
	const section = byId("occupancy");
	const { model } = app;
	const points = model.cases.map((one) => ({ x: model.counter(one, METRIC), limit: one.occupancyLimit, one }))
		.filter((point) => isNumber(point.x) && isNumber(point.limit));
	if (!points.length) {
		section.append(model.emulated
			? empty("An emulator has no achieved occupancy.", "The plots above and the table of all cases show theoretical occupancy.")
			: empty("Achieved occupancy was not counted.", "It is one of the basic metrics:", "perflab sweep KERNEL --metrics basic"));
		return;
	}
	section.append(h("p", { class: "lead" }, "The warps that were active, in percent of those that the device can hold. Registers, shared memory and block size limit them. A point far left of its limit has too few blocks, or blocks that end at different times."));
	new Occupancy(app, section, points);
}
