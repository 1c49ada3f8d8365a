// How time, bandwidth, occupancy and branch efficiency of each variant depend on the block size or
// another axis.
import { Chart } from "../chart.js";
import { Palette, unverifiedLayer, unverifiedNote } from "../colours.js";
import { byId, empty, h, select } from "../dom.js";
import { betterOf, markedName, titleOf, unique } from "../model.js";
import { bandwidth, inUnit, isNumber, percent, plural, plusMinus, time, whole } from "../numbers.js";

const MANY_LINES = 14;
const TIME_LABEL = "datum.value >= 1e9 ? format(datum.value / 1e9, '~g') + ' s' : datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + ' ms' : datum.value >= 1e3 ? format(datum.value / 1e3, '~g') + ' µs' : format(datum.value, '~g') + ' ns'";

const perSecond = (bytes, ns) => (isNumber(bytes) && ns > 0 ? (1e9 * bytes) / ns : null);

/** The plots over an axis: { title, unit, of(case): { y, low?, high? }, note, roof? }. */
function panels(model) {
	const counter = (metric, title, unit, note) => model.hasCounter(metric) &&
		{ title, unit, note: note ?? "Counted once, so there is no interval.", show: (value) => inUnit(value, unit), of: (one) => ({ y: model.counter(one, metric) }) };
	if (model.emulated) {
		return [
			counter("ptx_warp_execution_efficiency_pct", "Active lanes", "percent", "Metric: ptx_warp_execution_efficiency_pct."),
			counter("ptx_branch_efficiency_pct", "Branches without divergence", "percent", "Metric: ptx_branch_efficiency_pct."),
			counter("ptx_load_sectors_per_request", "Sectors per load request", "sector/request", "Metric: ptx_load_sectors_per_request."),
			counter("ptx_theoretical_occupancy_pct", "Theoretical occupancy", "percent", "Metric: ptx_theoretical_occupancy_pct."),
		].filter(Boolean);
	}
	const overTime = (bytesOf) => (one) => ({
		y: perSecond(bytesOf(one), one.median), low: perSecond(bytesOf(one), one.high), high: perSecond(bytesOf(one), one.low),
	});
	const dram = model.hasCounter("dram_bytes");
	const moved = dram
		? { title: "DRAM bandwidth", of: overTime((one) => model.counter(one, "dram_bytes")), note: "Counted bytes over the median time.", roof: model.levels.find((level) => level.name === "dram")?.per_s }
		: { title: "Useful bandwidth", of: overTime((one) => one.bytes), note: "Bytes of the work model over the median time, not counted." };
	return [
		{ title: "Time", unit: "ns", show: time, note: "Median with its 95 % interval.", of: (one) => ({ y: one.median, low: one.low, high: one.high }) },
		{ unit: "byte/s", show: bandwidth, ...moved },
		counter("achieved_occupancy_pct", "Achieved occupancy", "percent"),
		counter("branch_efficiency_pct", "Branch efficiency", "percent"),
	].filter((panel) => panel && model.cases.some((one) => isNumber(panel.of(one).y)));
}

/** The axes that have several values among the cases of the kernel. */
function axesOf(model, cases) {
	return model.axes.filter((name, i) => unique(cases.map((one) => one.axes[i]).filter((value) => value !== null)).length > 1);
}

class Curves {
	constructor(app, section) {
		this.app = app;
		this.model = app.model;
		this.panels = panels(this.model);
		this.usable = this.model.cases.filter((one) => this.panels.some((panel) => isNumber(panel.of(one).y)));
		this.hidden = new Set();
		this.chooser = h("div", { class: "controls" });
		this.grid = h("div", { class: "grid two" });
		this.legend = h("div", { class: "legend", role: "group", "aria-label": "Variants shown" });
		section.append(this.chooser, this.legend, this.grid);
		const kernels = unique(this.usable.map((one) => one.kernel));
		// start with the kernel that has the most cases
		this.choose(kernels.reduce((most, kernel) => (this.countOf(kernel) > this.countOf(most) ? kernel : most), kernels[0]));
		this.charts = this.panels.map((panel) => this.chart(panel));
	}

	countOf(kernel) {
		return this.usable.filter((one) => one.kernel === kernel).length;
	}

	/** Chooses a kernel and an axis. Every other axis is either fixed or part of the name of a line. */
	choose(kernel) {
		this.kernel = kernel;
		const cases = this.usable.filter((one) => one.kernel === kernel);
		this.varying = axesOf(this.model, cases);
		this.over = this.varying.includes("block") || !this.varying.length ? "block" : this.varying[0];
		this.hidden.clear();
		this.fix();
	}

	fix() {
		const cases = this.usable.filter((one) => one.kernel === this.kernel);
		const variants = unique(cases.map((one) => one.variant));
		this.fixed = new Map();
		this.named = [];
		for (const axis of this.varying) {
			if (axis === this.over) continue;
			const everywhere = variants.every((variant) => cases.some((one) => one.variant === variant && this.model.axis(one, axis) !== null));
			// an axis of all variants gets one value; an axis of some variants becomes part of the name
			if (everywhere) {
				const values = unique(cases.map((one) => this.model.axis(one, axis))).sort((a, b) => a - b);
				this.fixed.set(axis, values.at(-1));
			} else {
				this.named.push(axis);
			}
		}
		this.update();
	}

	lineOf(one) {
		const parts = this.named.map((axis) => [axis, this.model.axis(one, axis)]).filter(([, value]) => value !== null);
		return [one.variant, ...parts.map(([axis, value]) => `${axis}=${value}`)].join(" ");
	}

	update() {
		const { model } = this;
		this.cases = this.usable.filter((one) => one.kernel === this.kernel && model.axis(one, this.over) !== null &&
			[...this.fixed].every(([axis, value]) => model.axis(one, axis) === value || model.axis(one, axis) === null));
		this.lines = unique(this.cases.map((one) => this.lineOf(one)));
		this.palette = new Palette(this.lines);
		this.drawControls();
		this.drawLegend();
		for (const chart of this.charts ?? []) chart.refresh();
	}

	drawControls() {
		const { model } = this;
		const kernels = unique(this.usable.map((one) => one.kernel));
		const axes = unique([this.over, ...this.varying]);
		const mine = this.usable.filter((one) => one.kernel === this.kernel);
		this.chooser.replaceChildren(
			kernels.length > 1 ? select("Kernel", kernels.map((name) => [name, name]), this.kernel, (value) => this.choose(value)) : "",
			axes.length > 1 ? select("Over", axes.map((name) => [name, name === "block" ? "block size" : name]), this.over, (value) => {
				this.over = value;
				this.fix();
			}) : "",
			...[...this.fixed].map(([axis, chosen]) => {
				const values = unique(mine.map((one) => model.axis(one, axis)).filter((value) => value !== null)).sort((a, b) => a - b);
				return select(axis, values.map((value) => [String(value), whole(value)]), String(chosen), (value) => {
					this.fixed.set(axis, Number(value));
					this.update();
				});
			}));
	}

	drawLegend() {
		if (this.lines.length > MANY_LINES && this.hidden.size === 0) {
			// show the fastest lines first; a click shows the others
			const best = new Map(this.lines.map((line) => [line, Infinity]));
			for (const one of this.cases) best.set(this.lineOf(one), Math.min(best.get(this.lineOf(one)), one.median ?? Infinity));
			const ordered = [...best].sort((a, b) => a[1] - b[1]).map(([line]) => line);
			for (const line of ordered.slice(MANY_LINES)) this.hidden.add(line);
		}
		this.legend.replaceChildren(...this.lines.map((line) => {
			const button = h("button", {
				type: "button", "aria-pressed": String(!this.hidden.has(line)),
				onclick: () => {
					if (!this.hidden.delete(line)) this.hidden.add(line);
					button.setAttribute("aria-pressed", String(!this.hidden.has(line)));
					for (const chart of this.charts) chart.refresh();
				},
			}, this.palette.swatch(line), h("span", { class: "clip" }, line));
			return button;
		}));
	}

	pointsOf(panel) {
		return this.cases.filter((one) => !this.hidden.has(this.lineOf(one)))
			.map((one) => ({ x: this.model.axis(one, this.over), ...panel.of(one), line: this.lineOf(one), one }))
			.filter((point) => isNumber(point.y))
			.sort((a, b) => this.lines.indexOf(a.line) - this.lines.indexOf(b.line) || a.x - b.x);
	}

	chart(panel) {
		const overName = () => (this.over === "block" ? "Block size, threads" : this.over);
		const unit = { "byte/s": "B/s", percent: "%" }[panel.unit] ?? panel.unit;
		const bounded = panel.unit === "percent";
		return new Chart(this.grid, {
			title: panel.title,
			height: (width) => Math.max(200, Math.min(260, width * 0.5)),
			focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
			points: () => this.pointsOf(panel),
			tip: ({ one, y, line }) => ({
				title: markedName(one, `${this.kernel}/${line}`),
				mark: this.palette.swatch(line),
				rows: [
					[overName(), whole(this.model.axis(one, this.over))], [panel.title, panel.show(y)],
					...(one.median !== null && panel.unit !== "ns" ? [["Time", time(one.median)]] : []),
					...(panel.unit === "ns" ? [["95 % interval", plusMinus(one)]] : []),
				],
			}),
			pick: (point) => this.app.open(point.one),
			summary: () => this.summary(panel),
			table: () => ({
				columns: [{ head: "Case" }, { head: overName(), numeric: true }, { head: panel.title, numeric: true }, { head: "From", numeric: true }, { head: "To", numeric: true }],
				rows: this.pointsOf(panel).map((point) => [this.app.link(point.one), whole(point.x), panel.show(point.y), panel.show(point.low), panel.show(point.high)]),
			}),
			spec: () => {
				const points = this.pointsOf(panel).map(({ x, y, low, high, line, one }) => ({
					unverified: one.unverified, x, y, low: isNumber(low) ? low : null, high: isNumber(high) ? high : null, line: this.palette.at(line),
				}));
				const xs = unique(points.map((point) => point.x)).sort((a, b) => a - b);
				const log = xs.length > 1 && xs[0] > 0 && xs.at(-1) / xs[0] >= 4;
				const colour = this.palette.encode("line", "colour");
				const highest = points.reduce((most, point) => Math.max(most, point.y, point.high ?? 0), panel.roof ?? 0);
				const roof = isNumber(panel.roof) ? [{
					data: { values: [{ y: panel.roof, text: `measured roof ${panel.show(panel.roof)}` }] },
					layer: [
						{ mark: { type: "rule", stroke: "var(--roof)", strokeDash: [5, 4], strokeWidth: 1.5 }, encoding: { x: null } },
						{ mark: { type: "text", align: "right", dy: -6, fontSize: 10 }, encoding: { x: { value: "width" }, text: { field: "text" } } },
					],
				}] : [];
				return {
					encoding: {
						x: {
							field: "x", type: "quantitative", title: overName(),
							scale: { type: log ? "log" : "linear", ...(log ? { base: 2 } : {}), nice: false, zero: false, padding: 12 },
							axis: { values: xs.length > 12 ? undefined : xs, tickCount: 6, format: "d", grid: false, labelOverlap: true },
						},
						y: {
							field: "y", type: "quantitative", title: panel.unit === "ns" ? null : unit,
							// room above the highest point for its mark
							scale: { domain: [0, 1.08 * (bounded ? 100 : highest)], nice: false }, axis: { tickCount: 5, labelExpr: panel.unit === "ns" ? TIME_LABEL : "format(datum.value, '~s')" },
						},
					},
					layer: [
						...roof,
						{ data: { name: "line", values: points }, mark: { type: "area", opacity: 0.16, line: false }, transform: [{ filter: "isValid(datum.low) && isValid(datum.high)" }], encoding: { y: { field: "low", type: "quantitative" }, y2: { field: "high" }, fill: colour } },
						{ data: { name: "line" }, mark: { type: "rule", strokeWidth: 1.5 }, transform: [{ filter: "isValid(datum.low) && isValid(datum.high)" }], encoding: { y: { field: "low", type: "quantitative" }, y2: { field: "high" }, stroke: colour } },
						{ data: { name: "line" }, mark: { type: "line", strokeWidth: 1.75 }, encoding: { stroke: colour } },
						{ data: { name: "line" }, mark: { type: "point", filled: true, size: 46, opacity: 1 }, encoding: { fill: colour, shape: this.palette.encode("line", "shape") } },
						unverifiedLayer("line"),
					],
				};
			},
		});
	}

	summary(panel) {
		const points = this.pointsOf(panel);
		if (!points.length) return "No shown case has this value.";
		const best = points.reduce((most, point) => (betterOf(point.one, most.one, panel.unit === "ns" ? point.y < most.y : point.y > most.y) === point.one ? point : most));
		return `${panel.unit === "ns" ? "Shortest" : "Highest"}: ${markedName(best.one, best.line)} at ${whole(best.x)}, ${panel.show(best.y)}. ${panel.note} ${unverifiedNote(points.map(({ one }) => one))}`;
	}
}

export function curvesSection(app) {
	const section = byId("curves");
	const { model } = app;
	if (!panels(model).length || !model.axes.length) {
		section.append(empty("No case of this run has a value to draw over an axis.",
			"Sweep several block sizes to see how a kernel depends on them:", "perflab sweep KERNEL --block-sizes 64..1024"));
		return;
	}
	if (model.emulated)
		section.append(h("p", { class: "lead" }, `Counts of the emulated PTX over each axis, for ${plural(model.kernels.length, "kernel")}. There are no times.`));
	new Curves(app, section);
}

/* ---- occupancy ---- */

export function occupancySection(app) {
	const section = byId("occupancy");
	const { model } = app;
	const metric = "achieved_occupancy_pct";
	const points = model.cases.map((one) => ({ x: one.occupancyLimit, y: model.counter(one, metric), one }))
		.filter((point) => isNumber(point.x) && isNumber(point.y));
	if (!points.length) {
		section.append(model.emulated
			? empty("An emulator has no achieved occupancy.", "The plots above and the table of all cases show theoretical occupancy.")
			: empty("Achieved occupancy was not counted.", "It is one of the basic metrics:", "perflab sweep KERNEL --metrics basic"));
		return;
	}
	const palette = new Palette(model.kernels);
	section.append(h("p", { class: "lead" }, "The occupancy that registers, shared memory and block size allow, compared with the warps that were active. A point far below the line has too few blocks, or blocks that end at different times."));
	new Chart(section, {
		title: "Achieved and theoretical occupancy",
		height: (width) => Math.max(280, Math.min(420, width * 0.42)),
		focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
		points: () => points,
		tip: ({ one, x, y }) => ({
			title: titleOf(one), mark: palette.swatch(one.kernel),
			rows: [["Achieved", percent(y)], ["Theoretical", percent(x)], ["Limited by", one.limiter ?? "–"], ["Registers", whole(one.registers)], ["Time", time(one.median)]],
		}),
		pick: (point) => app.open(point.one),
		summary: () => {
			const far = points.filter((point) => point.y < point.x / 2).length;
			return `${plural(points.length, "case")}; ${far ? `${plural(far, "case")} with less than half of what is possible` : "all reach at least half of what is possible"}. ${unverifiedNote(points.map(({ one }) => one))}`;
		},
		table: () => ({
			columns: [{ head: "Case" }, { head: "Theoretical", numeric: true }, { head: "Achieved", numeric: true }, { head: "Limited by" }],
			rows: points.map(({ one, x, y }) => [app.link(one), percent(x), percent(y), one.limiter ?? "–"]),
		}),
		spec: () => ({
			encoding: {
				x: { field: "x", type: "quantitative", title: "Theoretical, %", scale: { domain: [0, 107], nice: false }, axis: { tickCount: 6 } },
				y: { field: "y", type: "quantitative", title: "Achieved, %", scale: { domain: [0, 107], nice: false }, axis: { tickCount: 6 } },
			},
			layer: [
				{ data: { values: [{ x: 0, y: 0 }, { x: 100, y: 100 }] }, mark: { type: "line", stroke: "var(--roof-dim)", strokeDash: [5, 4], strokeWidth: 1.5 } },
				{
					data: { name: "occupancies", values: points.map(({ x, y, one }) => ({ x, y, kernel: palette.at(one.kernel), unverified: one.unverified })) },
					mark: { type: "point", filled: true, size: 56, opacity: 0.75 },
					encoding: { fill: palette.encode("kernel", "colour"), shape: palette.encode("kernel", "shape") },
				},
				unverifiedLayer("occupancies"),
			],
		}),
	});
	section.append(h("p", { class: "key" }, palette.names.map((name) => h("span", {}, palette.swatch(name), h("span", { class: "clip" }, name)))));
}
