// How time, bandwidth, occupancy and branch efficiency of each variant depend on the block size or
// another axis.
import { listOf, listText } from "../address.js";
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
		{ title: "Time", unit: "ns", show: time, note: "Median with its 95 % interval in this session.", of: (one) => ({ y: one.median, low: one.low, high: one.high }) },
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
		this.kernels = unique(this.usable.map((one) => one.kernel));
		// start with the kernel that has the most cases
		this.first = this.kernels.reduce((most, kernel) => (this.countOf(kernel) > this.countOf(most) ? kernel : most), this.kernels[0]);
		this.choose(this.first);
		this.charts = this.panels.map((panel) => this.chart(panel));
		app.address.part("curves", () => this.text(), (text) => this.take(text));
	}

	/** What was chosen, for the address: "kernel,over=n,n=4096,-hidden line". null: nothing. */
	text() {
		const { kernel, over, fixed, hidden } = this;
		const chosen = [kernel, `over=${over}`, ...[...fixed].map(([axis, value]) => `${axis}=${value}`), ...[...hidden].map((line) => `-${line}`)];
		const before = this.firstText;
		const text = listText(chosen);
		return text === before ? null : text;
	}

	/** Takes what text() gave. What the run does not have is left out. */
	take(text) {
		const [kernel, ...chosen] = listOf(text);
		this.choose(this.kernels.includes(kernel) ? kernel : this.first);
		if (!kernel || kernel !== this.kernel) return;
		const over = chosen.find((item) => item.startsWith("over="))?.slice(5);
		if (this.varying.includes(over)) {
			this.over = over;
			this.fix();
		}
		for (const [axis] of this.fixed) {
			const value = Number(chosen.find((item) => item.startsWith(`${axis}=`))?.slice(axis.length + 1) ?? NaN);
			if (this.usable.some((one) => one.kernel === kernel && this.model.axis(one, axis) === value)) this.fixed.set(axis, value);
		}
		this.hidden = new Set(chosen.filter((item) => item.startsWith("-")).map((item) => item.slice(1)));
		this.asGiven = true;
		this.update();
		this.asGiven = false;
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
		// each GPU of a spread has the same cases: without its number, a line would join those of all
		const gpu = this.model.spread ? [`on GPU ${one.gpu}`] : [];
		return [one.variant, ...parts.map(([axis, value]) => `${axis}=${value}`), ...gpu].join(" ");
	}

	update() {
		const { model } = this;
		this.cases = this.usable.filter((one) => one.kernel === this.kernel && model.axis(one, this.over) !== null &&
			[...this.fixed].every(([axis, value]) => model.axis(one, axis) === value || model.axis(one, axis) === null));
		this.lines = unique(this.cases.map((one) => this.lineOf(one)));
		this.palette = new Palette(this.lines);
		this.drawControls();
		this.drawLegend();
		this.firstText ??= this.text();
		for (const chart of this.charts ?? []) chart.refresh();
		this.app.address.changed();
	}

	drawControls() {
		const { model } = this;
		const { kernels } = this;
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
		if (this.lines.length > MANY_LINES && this.hidden.size === 0 && !this.asGiven) {
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
					this.app.address.changed();
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
					...(panel.unit === "ns" ? [["Session interval, 95 %", plusMinus(one)]] : []),
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
						{ data: { name: "line" }, mark: { type: "line", strokeWidth: 1.75 }, encoding: { stroke: colour, strokeDash: this.palette.encode("line", "dash") } },
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
