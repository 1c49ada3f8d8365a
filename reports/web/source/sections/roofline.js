// Each case under the measured roofs of the device: operations per second over operations per byte on
// logarithmic scales, for one memory level at a time.
import { Chart } from "../chart.js";
import { Palette, unverifiedLayer, unverifiedNote } from "../colours.js";
import { byId, empty, h, segmented, select } from "../dom.js";
import { betterOf, markedName, titleOf } from "../model.js";
import { bandwidth, intensity, isNumber, percent, plural, plusMinus, rate, three, time } from "../numbers.js";
import { decades } from "../ticks.js";
import { emulatedIntensities } from "./intensities.js";

const LEVEL_NAMES = { dram: "DRAM", l2: "L2", l1: "L1", shared: "Shared" };
export const levelName = (name) => LEVEL_NAMES[name] ?? name;
const positive = (value) => isNumber(value) && value > 0;

/** The tooltip of a case under the roofs. */
export function rooflineTip(model, one, mark) {
	const rows = [["Time", `${time(one.median)} ${plusMinus(one)}`]];
	if (positive(one.rate)) {
		const part = isNumber(one.computePct) ? `, ${percent(one.computePct)} of the roof` : "";
		rows.push([one.precision.toUpperCase(), `${rate(one.rate)}${part}`]);
	}
	model.levels.forEach((level, i) => {
		const { rate: moved, intensity: at, pct } = one.levels[i];
		if (!positive(moved)) return;
		const parts = [bandwidth(moved)];
		if (isNumber(pct)) parts.push(percent(pct));
		if (positive(at)) parts.push(intensity(at));
		rows.push([levelName(level.name), parts.join(", ")]);
	});
	if (positive(one.attainable)) rows.push(["Attainable", rate(one.attainable)]);
	if (positive(one.waste)) rows.push(["Moved / needed", three(one.waste)]);
	rows.push(["Bound by", one.bound]);
	return { title: titleOf(one), mark, rows, note: one.aboveRoof };
}

class Roofline {
	constructor(app, section) {
		const { model } = app;
		this.app = app;
		this.model = model;
		this.hidden = new Set();
		this.usable = model.timed.filter((one) => positive(one.rate));
		const withLevel = model.levels.findIndex((_, i) => this.usable.some((one) => positive(one.levels[i].intensity)));
		this.level = Math.max(0, withLevel);
		this.precision = "counted";
		this.all = false;
		this.by = model.kernels.length > 1 ? "kernel" : "family";
		this.legend = h("div", { class: "legend", role: "group", "aria-label": "Kernels shown" });
		this.flags = h("div", {});
		section.append(h("p", { class: "lead" },
			"A point close below a slope is limited by that memory, a point close below a flat roof by arithmetic. ",
			matchMedia("(hover: none)").matches
				? "Tap a point to see its numbers. Pinch, or use + and −, to zoom."
				: "Hover over a point to see its numbers, drag to move, and use Ctrl and the wheel to zoom."));
		const host = h("div", {});
		section.append(this.controls(), this.legend, host, this.flags);
		this.setPalette();
		this.chart = new Chart(host, {
			title: "Operations per second over operations per byte",
			height: (width) => Math.max(340, Math.min(600, width * 0.56)),
			zoom: () => this.extent(),
			zoomed: (view, now) => view.data("labels", this.labels(view, now))
				.signal("x_ticks", decades(now.x)).signal("y_ticks", decades(now.y)),
			spec: () => this.spec(),
			focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
			points: () => this.points(),
			tip: (point) => rooflineTip(model, point.one, this.palette.swatch(this.group(point.one))),
			pick: (point) => app.open(point.one),
			attend: (view, point) => view.data("path", this.path(point)),
			summary: () => this.summary(),
			table: () => this.table(),
		});
		this.drawLegend();
		this.drawFlags();
	}

	group(one) {
		return this.by === "kernel" ? one.kernel : one.family;
	}

	setPalette() {
		this.palette = new Palette(this.by === "kernel" ? this.model.kernels : this.model.families);
	}

	/* ---- choices ---- */

	controls() {
		const { model } = this;
		const measured = (i) => model.levels[i].per_s !== null || this.usable.some((one) => positive(one.levels[i].intensity));
		const levels = model.levels.map((level, i) => [String(i), levelName(level.name), level.meaning])
			.filter((_, i) => measured(i));
		const precisions = model.precisions.filter((precision) =>
			precision.per_s !== null || this.usable.some((one) => one.precision === precision.name));
		const change = (set) => (value) => {
			set(value);
			this.chart.refresh();
			this.chart.resetZoom();
			this.drawLegend();
		};
		return h("div", { class: "controls" },
			levels.length > 1 && h("div", { class: "field" }, h("span", {}, "Memory"),
				segmented("Memory level", levels, String(this.level), change((value) => { this.level = Number(value); }))),
			h("div", { class: "field" }, h("span", {}, "Cases"),
				segmented("Cases", [["best", "Fastest of each variant"], ["all", "All"]], "best",
					change((value) => { this.all = value === "all"; }))),
			model.kernels.length > 1 && h("div", { class: "field" }, h("span", {}, "Colour by"),
				segmented("Colour by", [["kernel", "Kernel"], ["family", "Variant"]], this.by,
					change((value) => {
						this.by = value;
						this.hidden.clear();
						this.setPalette();
					}))),
			precisions.length > 0 && select("Precision",
				[["counted", "each as counted"], ...precisions.map((one) => [one.name, `${one.name.replace("_", " ")}`])],
				"counted", change((value) => { this.precision = value; })));
	}

	drawLegend() {
		const shown = this.candidates();
		const names = this.palette.names.filter((name) => shown.some((one) => this.group(one) === name));
		const toggle = (name, button) => {
			if (!this.hidden.delete(name)) this.hidden.add(name);
			button.setAttribute("aria-pressed", String(!this.hidden.has(name)));
			this.chart.refresh();
		};
		const only = (name) => {
			const alone = names.every((other) => this.hidden.has(other) === (other !== name));
			this.hidden = new Set(alone ? [] : names.filter((other) => other !== name));
			this.chart.refresh();
			this.drawLegend();
		};
		this.legend.replaceChildren(...names.map((name) => {
			const button = h("button", {
				type: "button", "aria-pressed": String(!this.hidden.has(name)),
				title: "Show or hide; double click: only this one",
				onclick: () => toggle(name, button), ondblclick: () => only(name),
			}, this.palette.swatch(name), h("span", { class: "clip" }, name));
			return button;
		}), names.length > 1 ? h("button", {
			type: "button", class: "quiet",
			onclick: () => {
				this.hidden = new Set(this.hidden.size ? [] : names);
				this.chart.refresh();
				this.drawLegend();
			},
		}, "All / none") : "");
	}

	drawFlags() {
		const above = this.model.cases.filter((one) => one.aboveRoof);
		const noWork = this.model.best.filter((one) => !positive(one.rate));
		this.flags.replaceChildren();
		if (above.length)
			this.flags.append(h("div", { class: "finding", role: "note" },
				h("strong", {}, `${plural(above.length, "case")} above a measured roof. `),
				"No device does more than its roof, so these times or amounts cannot be right, and none of these cases is the best of its variant.",
				h("ul", {}, above.slice(0, 5).map((one) =>
					h("li", {}, this.app.link(one), ` ${one.aboveRoof}`)))));
		if (noWork.length)
			this.flags.append(h("p", { class: "hint" },
				`${plural(noWork.length, "variant")} without counted floating-point operations ${noWork.length === 1 ? "is" : "are"} not drawn: `,
				noWork.slice(0, 8).map((one, i) => [i ? ", " : "", this.app.link(one, one.family)]),
				noWork.length > 8 ? ` and ${noWork.length - 8} more` : "", ". The table above shows their percentage of each roof."));
	}

	/* ---- data of the plot ---- */

	candidates() {
		const chosen = this.all ? this.usable : this.model.best.filter((one) => positive(one.rate));
		return chosen.filter((one) => positive(one.levels[this.level].intensity) &&
			(this.precision === "counted" || one.precision === this.precision));
	}

	points() {
		return this.candidates().filter((one) => !this.hidden.has(this.group(one)))
			.map((one) => ({ x: one.levels[this.level].intensity, y: one.rate, one }))
			.sort((a, b) => a.x - b.x);
	}

	/** The flat roofs: { name, ceiling, per_s, strong }; strong ones belong to the chosen precision. */
	flats() {
		const used = new Set(this.usable.map((one) => one.precision));
		return this.model.precisions.filter((one) => one.per_s !== null).map((one) => ({
			name: one.name, ceiling: one.ceiling, per_s: one.per_s,
			strong: this.precision === "counted" ? used.has(one.name) : one.name === this.precision,
		})).filter((one) => one.strong || this.precision !== "counted" || used.size === 0);
	}

	slopes() {
		return this.model.levels.map((level, i) => ({ ...level, strong: i === this.level }))
			.filter((level) => level.per_s !== null);
	}

	/** The theoretical peaks of the strong roofs, computed from the attributes of the device. */
	peaks() {
		const used = new Set(this.usable.map((one) => one.precision));
		const level = this.model.levels[this.level];
		const of = (precision) => (this.precision === "counted" ? used.has(precision.name) : precision.name === this.precision);
		return {
			slope: level.peak_per_s,
			flats: this.model.precisions.filter((one) => one.peak_per_s !== null && of(one)),
		};
	}

	extent() {
		const points = this.points().length ? this.points() : this.candidates().map((one) => ({ x: one.levels[this.level].intensity, y: one.rate }));
		const peaks = this.peaks();
		const flats = [...this.flats().filter((one) => one.strong).map((one) => one.per_s), ...peaks.flats.map((one) => one.peak_per_s)];
		const slope = this.slopes().find((one) => one.strong)?.per_s ?? peaks.slope;
		const xs = points.map((point) => point.x);
		const ys = [...points.map((point) => point.y), ...flats];
		if (slope && flats.length) xs.push(...flats.map((flat) => flat / slope));
		if (!xs.length) xs.push(0.1, 100);
		if (!ys.length) ys.push(1e9, 1e13);
		const least = (list) => list.reduce((a, b) => Math.min(a, b));
		const most = (list) => list.reduce((a, b) => Math.max(a, b));
		return { x: [least(xs) / 2.5, most(xs) * 4], y: [least(ys) / 3, most(ys) * 2.2] };
	}

	/** Each roof as a line of three points that extends far beyond the view. */
	roofs() {
		const flats = this.flats();
		const top = flats.filter((one) => one.strong).reduce((most, one) => Math.max(most, one.per_s), 0);
		const lines = [];
		for (const slope of this.slopes()) {
			const end = top ? top / slope.per_s : 1e12;
			lines.push({ id: slope.name, x: 1e-12, y: 1e-12 * slope.per_s, strong: slope.strong },
				{ id: slope.name, x: end, y: end * slope.per_s, strong: slope.strong });
		}
		const chosen = this.slopes().find((one) => one.strong);
		for (const flat of flats) {
			const begin = chosen ? flat.per_s / chosen.per_s : 1e-12;
			lines.push({ id: flat.name, x: begin, y: flat.per_s, strong: flat.strong },
				{ id: flat.name, x: 1e12, y: flat.per_s, strong: flat.strong });
		}
		const peaks = this.peaks();
		const highest = peaks.flats.reduce((most, one) => Math.max(most, one.peak_per_s), 0);
		if (peaks.slope) {
			const end = highest ? highest / peaks.slope : 1e12;
			lines.push({ id: "peak", x: 1e-12, y: 1e-12 * peaks.slope, peak: true }, { id: "peak", x: end, y: end * peaks.slope, peak: true });
		}
		for (const one of peaks.flats) {
			const begin = peaks.slope ? one.peak_per_s / peaks.slope : 1e-12;
			lines.push({ id: `peak ${one.name}`, x: begin, y: one.peak_per_s, peak: true }, { id: `peak ${one.name}`, x: 1e12, y: one.peak_per_s, peak: true });
		}
		return lines;
	}

	/** The names of the roofs, placed along them inside the view. */
	labels(view, { x, y }) {
		const [width, height] = [view.signal("width"), view.signal("height")];
		const perDecade = [width / Math.log10(x[1] / x[0]), height / Math.log10(y[1] / y[0])];
		const angle = (-Math.atan2(perDecade[1], perDecade[0]) * 180) / Math.PI;
		const narrow = width < 480;
		const result = [];
		let before = null;
		for (const slope of this.slopes().sort((a, b) => a.per_s - b.per_s)) {
			// near the point where the slope enters the view; further up if the name of the slope below
			// is in the way
			const enter = Math.max(x[0], y[0] / slope.per_s);
			const close = before && Math.log10(slope.per_s / before.per_s) * perDecade[1] < 24;
			const far = close && !before.far ? 230 : 26;
			const at = enter * 10 ** (far / perDecade[0] + (enter > x[0] ? 0.25 : 0));
			before = { per_s: slope.per_s, far: far > 26 };
			const text = `${levelName(slope.name)} ${bandwidth(slope.per_s)}${narrow ? "" : ` (${slope.ceiling})`}`;
			if (slope.strong || !narrow)
				result.push({ x: at, y: at * slope.per_s, text, angle, align: "left", strong: slope.strong });
		}
		for (const flat of this.flats()) {
			const text = `${flat.name} ${rate(flat.per_s)}${narrow ? "" : ` (${flat.ceiling})`}`;
			result.push({ x: x[1] / 10 ** (8 / perDecade[0]), y: flat.per_s, text, align: "right", strong: flat.strong });
		}
		// at the left end, where measured roofs have no name, if there is room
		for (const one of narrow ? [] : this.peaks().flats)
			result.push({ x: Math.max(x[0], this.peaks().slope ? one.peak_per_s / this.peaks().slope : 0) * 10 ** (10 / perDecade[0]), y: one.peak_per_s, text: `${one.name} peak ${rate(one.peak_per_s)}`, angle: 0, align: "left", strong: false });
		return result;
	}

	/** The selected case at every memory level, the highest intensity last. */
	path(point) {
		if (!point) return [];
		return point.one.levels
			.map((level, i) => ({ x: level.intensity, y: point.y, text: levelName(this.model.levels[i].name) }))
			.filter((level) => positive(level.x)).sort((a, b) => a.x - b.x);
	}

	spec() {
		const { x, y } = this.extent();
		const axis = (field, title, format) => ({
			field, type: "quantitative", title,
			scale: { type: "log", domainMin: { expr: `${field}0` }, domainMax: { expr: `${field}1` }, nice: false },
			axis: { values: { expr: `${field}_ticks` }, format, gridOpacity: 0.8 },
		});
		const level = this.model.levels[this.level];
		const place = {
			x: axis("x", `Intensity, FLOP per byte of ${levelName(level.name)}`, "~g"),
			y: axis("y", "FLOP/s", "~s"),
		};
		const strong = (yes, no) => ({ condition: { test: "datum.strong", value: yes }, value: no });
		return {
			params: [["x0", x[0]], ["x1", x[1]], ["y0", y[0]], ["y1", y[1]], ["x_ticks", decades(x)], ["y_ticks", decades(y)]].map(([name, value]) => ({ name, value })),
			encoding: place,
			layer: [
				{
					data: { name: "roofs", values: this.roofs() },
					mark: { type: "line", clip: true },
					encoding: {
						detail: { field: "id", type: "nominal" },
						stroke: strong("var(--roof)", "var(--roof-dim)"),
						strokeWidth: strong(2, 1.2),
						strokeDash: { condition: [{ test: "datum.strong", value: [1, 0] }, { test: "datum.peak", value: [1.5, 3] }], value: [5, 4] },
					},
				},
				{
					data: { name: "path", values: [] },
					mark: { type: "line", clip: true, point: { filled: true, size: 30, fill: "var(--ink-2)" }, stroke: "var(--ink-2)", strokeWidth: 1 },
				},
				{
					data: { name: "path" },
					mark: { type: "text", clip: true, dy: 14, fontSize: 10, fill: "var(--ink-2)" },
					encoding: { text: { field: "text" } },
				},
				{
					data: { name: "points", values: this.points().map(({ x: at, y: height, one }) => ({ x: at, y: height, group: this.palette.at(this.group(one)), above: Boolean(one.aboveRoof), unverified: one.unverified })) },
					mark: { type: "point", filled: true, size: this.all ? 44 : 90, opacity: this.all ? 0.7 : 0.95, clip: true },
					encoding: { fill: this.palette.encode("group", "colour"), shape: this.palette.encode("group", "shape") },
				},
				{
					data: { name: "points" },
					transform: [{ filter: "datum.above" }],
					mark: { type: "point", shape: "circle", filled: false, size: 300, stroke: "var(--bad)", strokeWidth: 2, strokeDash: [3, 2], clip: true },
				},
				unverifiedLayer("points"),
				...["halo", "text"].flatMap((part) => ["left", "right"].map((align) => ({
					data: { name: "labels", values: part === "halo" && align === "left" ? [] : undefined },
					transform: [{ filter: `datum.align === '${align}'` }],
					mark: { type: "text", clip: true, baseline: "bottom", align, dy: -4, fontSize: 11, ...(part === "halo" ? { stroke: "var(--panel)", strokeWidth: 4, strokeJoin: "round" } : {}) },
					encoding: {
						text: { field: "text" },
						...(align === "left" ? { angle: { field: "angle", type: "quantitative", scale: null } } : {}),
						...(part === "text" ? { fill: strong("var(--ink)", "var(--ink-3)") } : {}),
					},
				}))),
			],
		};
	}

	/* ---- in words ---- */

	summary() {
		const points = this.points();
		const level = this.model.levels[this.level];
		const roofs = [
			...this.slopes().filter((one) => one.strong).map((one) => `${levelName(one.name)} ${bandwidth(one.per_s)}`),
			...this.flats().filter((one) => one.strong).map((one) => `${one.name} ${rate(one.per_s)}`),
		];
		const peaks = [
			...(isNumber(level.peak_per_s) ? [`${levelName(level.name)} ${bandwidth(level.peak_per_s)}`] : []),
			...this.peaks().flats.map((one) => `${one.name} ${rate(one.peak_per_s)}`),
		];
		const top = points.reduce((most, point) => (!most || betterOf(point.one, most.one, point.y > most.y) === point.one ? point : most), null);
		return [
			`${plural(points.length, "case")} at the level of ${level.meaning}.`,
			roofs.length ? `Measured roofs: ${roofs.join(", ")}.` : "No roof was measured for this device.",
			peaks.length ? `Theoretical peaks (dotted): ${peaks.join(", ")}.` : "",
			unverifiedNote(points.map(({ one }) => one)),
			top ? `The highest is ${markedName(top.one, top.one.family)} with ${rate(top.y)} at ${intensity(top.x)}.` : "",
		].join(" ");
	}

	table() {
		const columns = [
			{ head: "Case" }, { head: "Precision" }, { head: "FLOP/s", numeric: true },
			...this.model.levels.flatMap((level) => [
				{ head: `${levelName(level.name)} FLOP/B`, numeric: true },
				{ head: `${levelName(level.name)} roof`, numeric: true },
			]),
			{ head: "FLOP roof", numeric: true }, { head: "Bound" },
		];
		const rows = this.points().map(({ one }) => [
			this.app.link(one), one.precision, rate(one.rate),
			...one.levels.flatMap((level) => [three(level.intensity), percent(level.pct)]),
			percent(one.computePct), one.bound,
		]);
		return { columns, rows };
	}
}

export function rooflineSection(app) {
	const { model } = app;
	const section = byId("roofline");
	if (model.emulated) return emulatedIntensities(app, section);
	const points = model.timed.some((one) => positive(one.rate) && one.levels.some((level) => positive(level.intensity)));
	if (!model.ceilings.length)
		section.append(empty("No roof was measured for this device.",
			"Without roofs the page cannot show how close a point comes to the best that the device can do. Measure the roofs once, then write this report again:",
			"perflab ceilings"));
	if (!points) {
		const why = !model.timed.length ? "No case of this run has a time." :
			!model.counters.length ? "This run has no counters." :
			"No case of this run has counts of both floating-point operations and bytes.";
		section.append(empty(why, "Intensity is operations per byte, and both come from counters. Sweep with counters:",
			"perflab sweep KERNEL --metrics core"));
		return;
	}
	new Roofline(app, section);
}
