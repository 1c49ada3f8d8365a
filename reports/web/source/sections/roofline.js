// Each case under the measured roofs of the device: operations per second over operations per byte on
// logarithmic scales, for one memory level at a time.
import { listOf, listText } from "../address.js";
import { Chart } from "../chart.js";
import { Palette, unverifiedLayer, unverifiedNote } from "../colours.js";
import { byId, empty, h, segmented, select } from "../dom.js";
import { betterOf, markedName, titleOf, unique } from "../model.js";
import { bandwidth, intensity, isNumber, percent, plural, plusMinus, precisionName, rate, three, time } from "../numbers.js";
import { decades } from "../ticks.js";
import { emulatedIntensities } from "./intensities.js";

const LEVEL_NAMES = { dram: "DRAM", l2: "L2", l1: "L1", shared: "Shared" };
export const levelName = (name) => LEVEL_NAMES[name] ?? name;
const ROOM_OF_NAMES = 420; // pixels for two names on one flat roof
const LINE_OF_NAMES = 12; // pixels from one name to the next
const FROM_MODEL = "from the work model";
const positive = (value) => isNumber(value) && value > 0;

/** Groups of roofs whose names would cover each other, the highest roof of each group first. */
function besides(roofs, pixelsPerDecade) {
	const groups = [];
	for (const roof of [...roofs].sort((a, b) => b.height - a.height)) {
		const last = groups.at(-1);
		if (last && Math.log10(last[0].height / roof.height) * pixelsPerDecade < LINE_OF_NAMES) last.push(roof);
		else groups.push([roof]);
	}
	return groups;
}

/** The tooltip of a case under the roofs. */
export function rooflineTip(model, one, mark) {
	const rows = [["Time", `${time(one.median)} ${plusMinus(one)}`]];
	const { place } = one;
	if (positive(place.rate)) {
		const part = isNumber(place.pct) ? `, ${percent(place.pct)} of the roof` : "";
		rows.push([precisionName(place.precision), `${rate(place.rate)}${part}${place.modelled ? `, ${FROM_MODEL}` : ""}`]);
	}
	model.levels.forEach((level, i) => {
		const { rate: moved, pct } = one.levels[i];
		const parts = positive(moved) ? [bandwidth(moved)] : [];
		if (positive(moved) && isNumber(pct)) parts.push(percent(pct));
		if (positive(place.intensity[i])) parts.push(intensity(place.intensity[i]));
		if (parts.length) rows.push([levelName(level.name), parts.join(", ")]);
	});
	if (positive(place.attainable)) rows.push(["Attainable", rate(place.attainable)]);
	if (positive(one.waste)) rows.push(["Moved / needed", three(one.waste)]);
	rows.push(["Bound by", one.bound]);
	if (one.gpu !== null) rows.push(["GPU", one.gpu]);
	return { title: titleOf(one), mark, rows, note: one.aboveRoof };
}

class Roofline {
	constructor(app, section) {
		const { model } = app;
		this.app = app;
		this.model = model;
		this.hidden = new Set();
		this.usable = model.timed.filter((one) => positive(one.place.rate));
		const withLevel = model.levels.findIndex((_, i) => this.usable.some((one) => positive(one.place.intensity[i])));
		this.level = Math.max(0, withLevel);
		this.precision = "counted";
		this.all = false;
		this.by = model.kernels.length > 1 ? "kernel" : "variant";
		this.legend = h("div", { class: "legend", role: "group", "aria-label": "Kernels shown" });
		this.flags = h("div", {});
		section.append(h("p", { class: "lead" },
			"A point close below a slope is limited by that memory, a point close below a flat roof by arithmetic. ",
			matchMedia("(hover: none)").matches
				? "Tap a point to see its numbers. Pinch, or use + and −, to zoom."
				: "Hover over a point to see its numbers, drag to move, and use Ctrl and the wheel to zoom."));
		const host = h("div", {});
		// on a phone the picture comes first, not a screen of choices
		const picture = [this.controls(), this.legend, host];
		section.append(...(matchMedia("(max-width: 640px)").matches ? [host, ...picture.slice(0, 2)] : picture), this.flags);
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
			zoomChanged: () => app.address.changed(),
			attend: (view, point) => view.data("path", this.path(point)),
			summary: () => this.summary(),
			table: () => this.table(),
		});
		this.drawLegend();
		this.drawFlags();
		this.addParts();
	}

	group(one) {
		return this.by === "kernel" ? one.kernel : one.family;
	}

	setPalette() {
		// a mark for each kernel of the page, as elsewhere, or for each variant that this picture can show
		this.palette = new Palette(this.by === "kernel" ? this.model.kernels : unique(this.usable.map((one) => one.family)));
	}

	/* ---- choices ---- */

	controls() {
		const { model } = this;
		const measured = (i) => model.levels[i].per_s !== null || this.usable.some((one) => positive(one.place.intensity[i]));
		const levels = model.levels.map((level) => [level.name, levelName(level.name), level.meaning]).filter((_, i) => measured(i));
		const precisions = model.precisions.filter((precision) =>
			precision.per_s !== null || this.usable.some((one) => one.place.precision === precision.name));
		const choices = {
			memory: { options: levels, get: () => model.levels[this.level].name, set: (value) => { this.level = model.levels.findIndex((level) => level.name === value); } },
			points: { options: [["best", "Fastest of each variant"], ["all", "All"]], get: () => (this.all ? "all" : "best"), set: (value) => { this.all = value === "all"; } },
			colour: { options: [["kernel", "Kernel"], ["variant", "Variant"]], get: () => this.by, set: (value) => {
				this.by = value;
				this.hidden.clear();
				this.setPalette();
			} },
			precision: { options: [["counted", "each as counted"], ...precisions.map((one) => [one.name, one.name.replace("_", " ")])], get: () => this.precision, set: (value) => { this.precision = value; } },
		};
		for (const choice of Object.values(choices)) Object.assign(choice, { first: choice.get(), choose: (value) => this.change(choice, value) });
		this.choices = choices;
		const buttons = (key, label, name = label) => {
			const { options, first, choose } = choices[key];
			choices[key].field = segmented(name, options, first, choose);
			return h("div", { class: "field" }, h("span", {}, label), choices[key].field);
		};
		return h("div", { class: "controls" },
			levels.length > 1 && buttons("memory", "Memory", "Memory level"),
			buttons("points", "Cases"),
			model.kernels.length > 1 && buttons("colour", "Colour by"),
			precisions.length > 0 && (choices.precision.field = select("Precision", choices.precision.options, "counted", choices.precision.choose)));
	}

	/** Draws anew after a choice. */
	change(choice, value) {
		choice.set(value);
		choice.field?.mark(value);
		this.redraw();
		this.chart.resetZoom();
		this.app.address.changed();
	}

	redraw() {
		this.chart.refresh();
		this.drawLegend();
	}

	/** What was chosen, in the address. */
	addParts() {
		const { address } = this.app;
		for (const [key, choice] of Object.entries(this.choices)) {
			address.part(key, () => (choice.get() === choice.first ? null : choice.get()), (text) => {
				const value = text ?? choice.first;
				if (value !== choice.get() && choice.options.some(([known]) => known === value)) this.change(choice, value);
			});
		}
		address.part("hidden", () => (this.hidden.size ? listText([...this.hidden]) : null), (text) => {
			this.hidden = new Set(listOf(text).filter((name) => this.palette.has(name)));
			this.redraw();
		});
		address.part("zoom", () => this.chart.zoomRange()?.map((end) => Number(end.toPrecision(4))).join() ?? null, (text) => {
			if (text === null) this.chart.resetZoom();
			else this.chart.zoomTo(text.split(",").map(Number));
		});
	}

	drawLegend() {
		const shown = this.candidates();
		const names = this.palette.names.filter((name) => shown.some((one) => this.group(one) === name));
		const toggle = (name, button) => {
			if (!this.hidden.delete(name)) this.hidden.add(name);
			button.setAttribute("aria-pressed", String(!this.hidden.has(name)));
			this.chart.refresh();
			this.app.address.changed();
		};
		const hide = (hidden) => {
			this.hidden = new Set(hidden);
			this.redraw();
			this.app.address.changed();
		};
		const only = (name) => {
			const alone = names.every((other) => this.hidden.has(other) === (other !== name));
			hide(alone ? [] : names.filter((other) => other !== name));
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
			onclick: () => hide(this.hidden.size ? [] : names),
		}, "All / none") : "");
	}

	drawFlags() {
		const above = this.model.cases.filter((one) => one.aboveRoof);
		const noWork = this.model.best.filter((one) => !positive(one.place.rate) || one.place.missing);
		this.flags.replaceChildren();
		if (above.length)
			this.flags.append(h("div", { class: "finding", role: "note" },
				h("strong", {}, `${plural(above.length, "case")} above a measured roof. `),
				"No device does more than its roof, so these times or amounts cannot be right, and none of these cases is the best of its variant.",
				h("ul", {}, above.slice(0, 5).map((one) =>
					h("li", {}, this.app.link(one), ` ${one.aboveRoof}`)))));
		if (noWork.length)
			this.flags.append(h("p", { class: "hint" }, `${plural(noWork.length, "variant")} ${noWork.length === 1 ? "is" : "are"} not drawn; the table above shows the parts of each roof.`),
				h("ul", { class: "hint" }, this.whyNot(noWork).map(([why, of]) => h("li", {}, `${why}: `,
					of.slice(0, 8).map((one, i) => [i ? ", " : "", this.app.link(one, one.label)]),
					of.length > 8 ? ` and ${of.length - 8} more` : ""))));
	}

	/** Cases by the reason why they have no point. */
	whyNot(cases) {
		const reasons = new Map();
		for (const one of cases) {
			const why = one.place.missing ?? "no floating-point operations were counted";
			reasons.set(why, [...(reasons.get(why) ?? []), one]);
		}
		return [...reasons];
	}

	/* ---- data of the plot ---- */

	candidates() {
		const chosen = this.all ? this.usable : this.model.best.filter((one) => positive(one.place.rate));
		return chosen.filter(({ place }) => positive(place.intensity[this.level]) &&
			(this.precision === "counted" || place.precision === this.precision));
	}

	points() {
		return this.candidates().filter((one) => !this.hidden.has(this.group(one)))
			.map((one) => ({ x: one.place.intensity[this.level], y: one.place.rate, one }))
			.sort((a, b) => a.x - b.x);
	}

	/** The flat roofs: { name, ceiling, per_s, strong }; strong ones belong to the chosen precision. */
	flats() {
		const used = new Set(this.usable.map((one) => one.place.precision));
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
		const used = new Set(this.usable.map((one) => one.place.precision));
		const level = this.model.levels[this.level];
		const of = (precision) => (this.precision === "counted" ? used.has(precision.name) : precision.name === this.precision);
		return {
			slope: level.peak_per_s,
			flats: this.model.precisions.filter((one) => one.peak_per_s !== null && of(one)),
		};
	}

	extent() {
		const points = this.points().length ? this.points() : this.candidates().map((one) => ({ x: one.place.intensity[this.level], y: one.place.rate }));
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
		const flats = this.flats().map((flat) => ({ ...flat, height: flat.per_s }));
		for (const group of besides(flats, perDecade[1])) {
			const text = group.map((flat) => `${flat.name} ${rate(flat.per_s)}${narrow || group.length > 1 ? "" : ` (${flat.ceiling})`}`).join(", ");
			result.push({ x: x[1] / 10 ** (8 / perDecade[0]), y: group[0].height, text, align: "right", strong: group.some((flat) => flat.strong) });
		}
		// at the left end, where measured roofs have no name, if there is room
		const peaks = narrow ? [] : this.peaks().flats.map((one) => ({ ...one, height: one.peak_per_s }));
		for (const group of besides(peaks, perDecade[1])) {
			const begin = Math.max(x[0], this.peaks().slope ? group[0].height / this.peaks().slope : 0);
			if (Math.log10(x[1] / begin) * perDecade[0] > ROOM_OF_NAMES * group.length)
				result.push({ x: begin * 10 ** (10 / perDecade[0]), y: group[0].height, text: `${group.map((one) => `${one.name} ${rate(one.peak_per_s)}`).join(", ")} at peak`, angle: 0, align: "left", strong: false });
		}
		return result;
	}

	/** The selected case at every memory level, the highest intensity last. */
	path(point) {
		if (!point) return [];
		return point.one.place.intensity
			.map((x, i) => ({ x, y: point.y, text: levelName(this.model.levels[i].name) }))
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
				// behind the points: a name must not cover one
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
					data: { name: "points", values: this.points().map(({ x: at, y: height, one }) => ({ x: at, y: height, group: this.palette.at(this.group(one)), modelled: one.place.modelled, above: Boolean(one.aboveRoof), unverified: one.unverified })) },
					transform: [{ filter: "!datum.modelled" }],
					mark: { type: "point", filled: true, size: this.all ? 44 : 90, opacity: this.all ? 0.7 : 0.95, clip: true },
					encoding: { fill: this.palette.encode("group", "colour"), shape: this.palette.encode("group", "shape") },
				},
				{
					// not counted: hollow
					data: { name: "points" },
					transform: [{ filter: "datum.modelled" }],
					mark: { type: "point", filled: false, fill: "var(--panel)", size: this.all ? 44 : 90, strokeWidth: 1.8, opacity: 1, clip: true },
					encoding: { stroke: this.palette.encode("group", "colour"), shape: this.palette.encode("group", "shape") },
				},
				{
					data: { name: "points" },
					transform: [{ filter: "datum.above" }],
					mark: { type: "point", shape: "circle", filled: false, size: 300, stroke: "var(--bad)", strokeWidth: 2, strokeDash: [3, 2], clip: true },
				},
				unverifiedLayer("points"),
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
		const modelled = points.filter(({ one }) => one.place.modelled).length;
		return [
			`${plural(points.length, "case")} at the level of ${level.meaning}.`,
			roofs.length ? `Measured roofs: ${roofs.join(", ")}.` : "No roof was measured for this device.",
			peaks.length ? `Theoretical peaks (dotted): ${peaks.join(", ")}.` : "",
			modelled ? `${plural(modelled, "hollow point")}: operations ${FROM_MODEL}, not counted.` : "",
			unverifiedNote(points.map(({ one }) => one)),
			this.palette.note,
			top ? `The highest is ${markedName(top.one, top.one.label)} with ${rate(top.y)} at ${intensity(top.x)}.` : "",
		].join(" ");
	}

	table() {
		const columns = [
			{ head: "Case" }, { head: "Precision" }, { head: "FLOP/s", numeric: true }, { head: "Operations" },
			...this.model.levels.flatMap((level) => [
				{ head: `${levelName(level.name)} FLOP/B`, numeric: true },
				{ head: `${levelName(level.name)} roof`, numeric: true },
			]),
			{ head: "FLOP roof", numeric: true }, { head: "Bound" },
		];
		const rows = this.points().map(({ one }) => [
			this.app.link(one), one.place.precision ?? "–", rate(one.place.rate), one.place.modelled ? FROM_MODEL : "counted",
			...one.levels.flatMap((level, i) => [three(one.place.intensity[i]), percent(level.pct)]),
			percent(one.place.pct), one.bound,
		]);
		return { columns, rows };
	}
}

export function rooflineSection(app) {
	const { model } = app;
	const section = byId("roofline");
	if (model.emulated) return emulatedIntensities(app, section);
	const points = model.timed.some(({ place }) => positive(place.rate) && place.intensity.some(positive));
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
