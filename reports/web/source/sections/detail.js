// A dialog with everything known about one case.
import { Chart } from "../chart.js";
import { statusMark } from "../colours.js";
import { byId, h, table } from "../dom.js";
import { bandwidth, bytes, inUnit, intensity, isNumber, percent, plural, plusMinus, precisionName, rate, three, time, timeRange, unbroken, whole } from "../numbers.js";
import { linesOf } from "./lines.js";
import { levelName } from "./roofline.js";
import { sentenceOf } from "./speedup.js";
import { bar, boundChip } from "./verdicts.js";

const BINS = 40;
const DRAWN_MOST = 3000;
const ROUND_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"];

// A fact of launches that only this dialog shows is one row here.
function facts(model, one) {
	const rows = [
		["Median", `${time(one.median)} ${plusMinus(one)}`],
		["Session interval, 95 %", isNumber(one.low) ? timeRange(one.low, one.high) : "needs two rounds"],
		["Beside the base variant", one.speedup ? sentenceOf(one) : null],
		["Fastest, slowest", isNumber(one.min) ? `${time(one.min)}, ${time(one.max)}` : null],
		["On the other GPUs", model.elsewhere(one).map((other) => `GPU ${other.gpu}: ${unbroken(time(other.median))}`).join(", ") || null],
		["Samples", one.samples ? whole(one.samples) : null],
		["Compulsory bytes", isNumber(one.bytes) ? bytes(one.bytes) : null],
		["Operations of the work model", isNumber(one.flop) && one.flop > 0 ? inUnit(one.flop, "flop") : null],
		["Useful bandwidth", isNumber(one.bytes) && one.median > 0 ? bandwidth((1e9 * one.bytes) / one.median) : null],
		["Registers per thread", one.registers],
		["Shared memory per block", isNumber(one.sharedBytes) ? bytes(one.sharedBytes) : null],
		["Local memory per thread", one.fact("local_bytes_per_thread") ? bytes(one.fact("local_bytes_per_thread")) : null],
		["Theoretical occupancy", isNumber(one.occupancyLimit) ? `${percent(one.occupancyLimit)}${one.limiter ? `, limited by ${one.limiter}` : ""}` : null],
		["Code", one.codeKind],
	].filter(([label, value]) => value !== null && value !== undefined && (one.median !== null || !/Median|interval/.test(label)));
	return h("dl", { class: "facts-list" }, rows.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, String(value)))));
}

function verdict(one) {
	const list = (title, notes) => notes.length ? [h("h3", { class: "minor" }, title), h("ul", { class: "notes" }, notes.map((note) => h("li", {}, note.text, " ", h("code", { class: "rule" }, note.rule))))] : [];
	return h("section", {},
		h("p", { class: "verdict-line" }, boundChip(one), h("span", {}, one.summary ?? "The limiter is not known.")),
		one.aboveRoof && h("p", { class: "finding" }, one.aboveRoof),
		list("What to try", one.advice), list("What the numbers say", one.notes));
}

function roofs(model, one) {
	const rows = model.levels.map((level, i) => [level, one.levels[i]]).filter(([, of]) => isNumber(of.bytes))
		.map(([level, of]) => [levelName(level.name), bytes(of.bytes), bandwidth(of.rate), intensity(of.intensity), bar(of.pct, `the roof of ${level.meaning}`)]);
	const { place } = one;
	if (isNumber(place.rate)) rows.push([`${precisionName(place.precision)}${place.modelled ? " (work model, not counted)" : ""}`, inUnit(place.flop, "flop"), rate(place.rate), "–", bar(place.pct, `the ${place.precision} roof`)]);
	if (!rows.length) return null;
	return h("section", {}, h("h3", {}, "Under the roofs"), table("Under the roofs",
		[{ head: "Level" }, { head: "Amount", numeric: true }, { head: "Per second", numeric: true }, { head: "Intensity", numeric: true }, { head: "Part of the roof" }], rows));
}

/* ---- samples ---- */

function histogram(host, one, rounds) {
	const all = rounds.flatMap((round) => round.times);
	const [low, high] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
	// bins must not be narrower than the steps of the device's clock, or some would always be empty
	const distinct = [...new Set(all)].sort((a, b) => a - b);
	const step = distinct.reduce((least, value, i) => (i ? Math.min(least, value - distinct[i - 1]) : least), Infinity);
	const steps = Math.ceil((high - low) / BINS / step);
	const width = distinct.length > 1 ? Math.max(1, steps) * step : Math.max(low * 1e-4, 1e-3);
	const bins = new Map();
	for (const value of all) {
		const at = Math.floor((value - low) / width + 1e-6);
		bins.set(at, (bins.get(at) ?? 0) + 1);
	}
	const values = [...bins].sort((a, b) => a[0] - b[0]).map(([at, count]) => ({ x: (low + at * width) / 1000, x2: (low + (at + 1) * width) / 1000, y: count }));
	new Chart(host, {
		title: "Distribution",
		height: () => 190,
		focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
		points: () => values.map((bin) => ({ x: (bin.x + bin.x2) / 2, y: bin.y, bin })),
		tip: ({ bin }) => ({ title: plural(bin.y, "sample"), rows: [["From", time(bin.x * 1000)], ["To", time(bin.x2 * 1000)]] }),
		spec: () => ({
			encoding: {
				x: { field: "x", type: "quantitative", title: "µs", scale: { zero: false, nice: false, padding: 6 }, axis: { tickCount: 5, grid: false } },
				y: { field: "y", type: "quantitative", title: "Samples", axis: { tickCount: 4, tickMinStep: 1 } },
			},
			layer: [
				{ data: { values }, mark: { type: "bar", color: "var(--c0)", opacity: 0.85 }, encoding: { x2: { field: "x2" }, y2: { datum: 0 } } },
				{ data: { values: [{ x: one.median / 1000 }] }, mark: { type: "rule", color: "var(--ink)", strokeWidth: 1.5 }, encoding: { y: null } },
			],
		}),
		summary: () => `${plural(all.length, "sample")} ${timeRange(low, high)}; the line is the median.`,
		table: () => ({ columns: [{ head: "From", numeric: true }, { head: "To", numeric: true }, { head: "Samples", numeric: true }], rows: values.map((bin) => [time(bin.x * 1000), time(bin.x2 * 1000), bin.y]) }),
	});
}

function order(host, one, rounds) {
	const every = Math.ceil(rounds.reduce((sum, round) => sum + round.times.length, 0) / DRAWN_MOST);
	let place = 0;
	const values = rounds.flatMap(({ round, times }) => times.map((value) => ({ x: ++place, y: value / 1000, round })))
		.filter((_, i) => i % every === 0);
	const numbers = rounds.map(({ round }) => round);
	new Chart(host, {
		title: "In the order taken",
		height: () => 190,
		focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
		points: () => values.map((value) => ({ ...value })),
		tip: (point) => ({ title: time(point.y * 1000), rows: [["Sample", whole(point.x)], ["Round", point.round + 1]] }),
		spec: () => ({
			encoding: {
				x: { field: "x", type: "quantitative", title: "Sample", scale: { nice: false, padding: 6 }, axis: { tickCount: 5, grid: false } },
				y: { field: "y", type: "quantitative", title: "µs", scale: { zero: false }, axis: { tickCount: 4 } },
			},
			layer: [
				...(isNumber(one.low) ? [{ data: { values: [{ y: one.low / 1000, y2: one.high / 1000 }] }, mark: { type: "rect", color: "var(--ink)", opacity: 0.12 }, encoding: { x: null, y2: { field: "y2" } } }] : []),
				{
					data: { values }, mark: { type: "point", filled: true, size: 22, opacity: 0.75 },
					encoding: {
						color: { field: "round", type: "nominal", legend: null, scale: { domain: numbers, range: numbers.map((_, i) => `var(--c${i % 8})`) } },
						shape: { field: "round", type: "nominal", legend: null, scale: { domain: numbers, range: numbers.map((_, i) => ROUND_SHAPES[i % ROUND_SHAPES.length]) } },
					},
				},
			],
		}),
		summary: () => `${plural(rounds.length, "round")}, each in a fresh process, with its own colour and shape; the band is the 95 % interval of the time in this session.${every > 1 ? ` Every ${every}th sample is drawn.` : ""}`,
		table: () => ({ columns: [{ head: "Round" }, { head: "Samples", numeric: true }, { head: "Mean", numeric: true }], rows: rounds.map(({ round, times }) => [`${round + 1}`, times.length, time(times.reduce((a, b) => a + b, 0) / times.length)]) }),
	});
}

function samples(model, one) {
	const rounds = model.samplesOf(one).filter((round) => round.times.length);
	if (!rounds.length)
		return one.samples ? h("p", { class: "hint" }, model.sampleNote ?? "This page does not contain its samples.") : null;
	const hosts = [h("div", {}), h("div", {})];
	const section = h("section", {}, h("h3", {}, "Samples"), h("div", { class: "grid two" }, hosts));
	section.start = () => {
		histogram(hosts[0], one, rounds);
		order(hosts[1], one, rounds);
	};
	return section;
}

function counters(model, one) {
	const rows = model.counters.map((counter) => {
		const value = counter.values[one.at];
		if (value === null) return null;
		const name = h("span", { title: counter.meaning }, counter.metric);
		const source = h("span", { class: "dim" }, model.source(one, counter) ?? "");
		return Array.isArray(value)
			? [name, h("span", { class: "dim" }, `none: ${model.words[value[0]]}`), source]
			: [name, inUnit(value, counter.unit), source];
	}).filter(Boolean);
	if (!rows.length) return h("p", { class: "hint" }, "No counters are stored for this case.");
	return h("section", {}, h("h3", {}, "Counters"),
		table("Counters", [{ head: "Metric" }, { head: "Value", numeric: true }, { head: "Source" }], rows, { class: "counters" }));
}

export function openDetail(app, one) {
	const { model } = app;
	const dialog = byId("detail");
	const sampleSection = samples(model, one);
	app.lines = linesOf(app, one);
	dialog.replaceChildren(h("div", { class: "detail" },
		h("header", {},
			h("div", {}, h("h2", { id: "detail-title" }, `${one.kernel}/${one.variant}`), h("p", {}, h("code", { class: "config" }, one.config))),
			h("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: () => dialog.close() }, "Close")),
		h("p", { class: "status" }, statusMark(one), h("strong", {}, one.status), one.reason ? `: ${one.reason}` : "", one.gpu === null ? "" : `, on GPU ${one.gpu}`),
		verdict(one), facts(model, one), roofs(model, one), app.lines.section, sampleSection, counters(model, one)));
	if (!dialog.open) dialog.showModal();
	dialog.firstChild.scrollTop = 0;
	sampleSection?.start?.();
	app.opened = one;
	app.address.changed();
}

/** Closes the dialog on a click outside it. */
export function prepareDetail(app) {
	const dialog = byId("detail");
	dialog.addEventListener("click", (event) => {
		if (event.target === dialog) dialog.close();
	});
	dialog.addEventListener("close", () => {
		dialog.replaceChildren();
		app.opened = null;
		app.lines = null;
		app.address.changed();
	});
}

/** Opens the case that the address names, and unfolds its line. */
export function detailAddress(app) {
	const unknown = h("p", { class: "finding", role: "note", hidden: true });
	byId("content").prepend(unknown);
	app.address.part("case", () => app.opened?.name ?? null, (name) => {
		const one = app.model.cases.find((other) => other.name === name);
		unknown.hidden = Boolean(one) || name === null;
		unknown.textContent = unknown.hidden ? "" : `The address names a case that this page does not have: ${name}`;
		if (one) openDetail(app, one);
		else if (byId("detail").open) byId("detail").close();
	});
	app.address.part("line", () => app.lines?.text ?? null, (text) => {
		if (text !== null) app.lines?.go(text);
	});
}
