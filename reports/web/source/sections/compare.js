// This run compared with another: the ratio of the medians of each case that both have, and what else
// differs between the two runs.
import { Chart } from "../chart.js";
import { statusMark, unverifiedLayer } from "../colours.js";
import { byId, empty, h, segmented, table } from "../dom.js";
import { markedName, titleOf } from "../model.js";
import { isNumber, plural, three, time, whole } from "../numbers.js";
import { ratioTicks } from "../ticks.js";

const ROWS = 15;
export const ratioText = (value) => (isNumber(value) ? `×${value.toFixed(value < 10 ? 3 : 1)}` : "–");
const timeOf = (one) => markedName(one, time(one.median));
const isUnverified = ({ one, other }) => one.unverified || other.unverified;
const KINDS = {
	regressed: { colour: "var(--bad)", shape: "triangle-up", word: "slower" },
	improved: { colour: "var(--good)", shape: "triangle-down", word: "faster" },
	unchanged: { colour: "var(--ink-3)", shape: "circle", word: "unchanged" },
	"same code": { colour: "var(--ink-3)", shape: "circle", word: "same code" },
	inconclusive: { colour: "var(--warn)", shape: "diamond", word: "inconclusive" },
};

const isComparable = ({ emulated, run, other }) => emulated === other.run.emulated && run.backend === other.run.backend;

/**
 * The cases that have a time in both runs, with the verdict that `perflab regress` gives. It uses the
 * medians of the rounds; each round ran in a process of its own.
 */
export function compared(model) {
	if (!model.other || !isComparable(model)) return [];
	const { cases, changes, comparison } = model.other;
	return model.cases.filter((one) => comparison[one.at]).map((one) => {
		const [place, change, ratio, low, high] = comparison[one.at];
		const [kind, meaning] = changes[change];
		const other = cases[place];
		// without samples, use the medians of the trials
		return { one, other, kind, meaning, ratio: ratio ?? one.median / other.median, low, high };
	}).sort((a, b) => a.ratio - b.ratio);
}

/** Everything that differs: [what, value of this run, value of the other]. */
function differences(model) {
	const [now, before] = [model.run, model.other.run];
	const rows = [];
	const add = (what, a, b) => {
		if (String(a ?? "") !== String(b ?? "")) rows.push([what, String(a ?? "–"), String(b ?? "–")]);
	};
	const both = (prefix, a, b) => {
		const [left, right] = [new Map(a), new Map(b)];
		for (const key of new Set([...left.keys(), ...right.keys()]))
			add(`${prefix} ${key}`, left.get(key), right.get(key));
	};
	for (const key of ["version", "source_revision", "seed", "rounds", "state"]) add(key.replace("_", " "), now[key], before[key]);
	both("device", Object.entries(now.device), Object.entries(before.device));
	both("setting", model.settings, model.other.settings);
	// the process always differs
	const facts = (run) => run.environment.filter(([key]) => key !== "process");
	both("environment", facts(now), facts(before));
	return rows;
}

/** What makes the comparison unfair. */
function warnings(model) {
	const [now, before] = [model.run, model.other.run];
	const list = [];
	const setting = (settings, key) => new Map(settings).get(key);
	if (now.device.uuid !== before.device.uuid || now.device.name !== before.device.name)
		list.push(`The devices differ: ${now.device.name ?? "unknown"} and ${before.device.name ?? "unknown"}.`);
	if (setting(model.settings, "cache") !== setting(model.other.settings, "cache"))
		list.push("One run was timed with a cold L2 cache and the other with a hot one, so their times are not comparable.");
	return list;
}

function caterpillar(app, host, pairs) {
	const at = pairs.map((pair, i) => ({ ...pair, x: pair.ratio, y: i }));
	new Chart(host, {
		title: "Time now over time before",
		height: () => Math.max(220, Math.min(560, 60 + pairs.length * 7)),
		focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
		points: () => at,
		tip: ({ one, other, ratio, low, high, kind }) => ({
			title: titleOf(one),
			rows: [["Now", timeOf(one)], ["Before", timeOf(other)], ["Ratio", ratioText(ratio)], ["95 % interval", low === null ? "–" : `${ratioText(low)} to ${ratioText(high)}`], ["Verdict", KINDS[kind].word]],
		}),
		pick: (point) => app.open(point.one),
		summary: () => {
			const ratios = pairs.map((pair) => pair.ratio);
			const middle = ratios[Math.floor(ratios.length / 2)];
			return `${plural(pairs.length, "case")}, sorted; the middle one takes ${ratioText(middle)} the time. Points left of the line are faster now. ${pairs.some(isUnverified) ? "A question mark: unverified in one of the runs." : ""}`;
		},
		table: () => ({
			columns: [{ head: "Case" }, { head: "Now", numeric: true }, { head: "Before", numeric: true }, { head: "Ratio", numeric: true }, { head: "From", numeric: true }, { head: "To", numeric: true }],
			rows: pairs.map((pair) => [app.link(pair.one), timeOf(pair.one), timeOf(pair.other), ratioText(pair.ratio), ratioText(pair.low), ratioText(pair.high)]),
		}),
		spec: () => {
			const ends = at.flatMap(({ x, low, high }) => [x, low, high, 1]).filter(isNumber);
			const [least, most] = [ends.reduce((a, b) => Math.min(a, b)), ends.reduce((a, b) => Math.max(a, b))];
			const names = Object.keys(KINDS);
			const group = (key) => ({ field: "kind", type: "nominal", legend: null, scale: { domain: names, range: names.map((name) => KINDS[name][key]) } });
			const values = at.map(({ x, y, low, high, kind, ...pair }) => ({ x, y, low, high, kind, unverified: isUnverified(pair) }));
			return {
				encoding: {
					x: { field: "x", type: "quantitative", title: "Ratio of the times", scale: { type: "log", nice: false, padding: 16 }, axis: { values: ratioTicks(least, most), format: "~g" } },
					y: { field: "y", type: "quantitative", axis: null, scale: { zero: false, nice: false, padding: 10, reverse: true } },
				},
				layer: [
					{ data: { values: [{ x: 1 }] }, mark: { type: "rule", stroke: "var(--line-strong)", strokeWidth: 1.5 }, encoding: { y: null } },
					{ data: { name: "pairs", values }, transform: [{ filter: "isValid(datum.low) && isValid(datum.high)" }], mark: { type: "rule", strokeWidth: 1.5, opacity: 0.6 }, encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" }, stroke: group("colour") } },
					{ data: { name: "pairs" }, mark: { type: "point", filled: true, size: 40, opacity: 1 }, encoding: { fill: group("colour"), shape: group("shape") } },
					unverifiedLayer("pairs"),
				],
			};
		},
	});
}

function changes(app, host, pairs) {
	const show = (kind) => {
		shown = kind;
		const of = pairs.filter((pair) => pair.kind === kind);
		const sorted = kind === "improved" ? of : of.reverse();
		list.replaceChildren(of.length
			? table(`Cases that are ${KINDS[kind].word}`, [{ head: "Case" }, { head: "Now", numeric: true }, { head: "Before", numeric: true }, { head: "Ratio", numeric: true }, { head: "95 % interval", numeric: true }],
				sorted.slice(0, ROWS).map((pair) => [app.link(pair.one), timeOf(pair.one), timeOf(pair.other), ratioText(pair.ratio), pair.low === null ? "–" : `${ratioText(pair.low)} … ${ratioText(pair.high)}`]))
			: h("p", { class: "hint" }, `No case is ${KINDS[kind].word}.`),
		of.length > ROWS ? h("p", { class: "hint" }, `The ${ROWS} largest of ${whole(of.length)}; the numbers in the plot above have all.`) : "");
	};
	const count = (kind) => pairs.filter((pair) => pair.kind === kind).length;
	const list = h("div", {});
	const kinds = Object.keys(KINDS);
	const first = kinds.find((kind) => count(kind)) ?? "unchanged";
	let shown = first;
	const buttons = segmented("Changes", kinds.map((kind) => [kind, `${count(kind)} ${KINDS[kind].word}`]), first, (kind) => {
		show(kind);
		app.address.changed();
	});
	host.append(buttons, list);
	show(first);
	app.address.part("changes", () => (shown === first ? null : shown), (text) => {
		const kind = kinds.includes(text) ? text : first;
		buttons.mark(kind);
		show(kind);
	});
}

function onlyInOne(model) {
	const [mine, others] = [new Set(model.cases.map((one) => one.name)), new Set(model.other.cases.map((one) => one.name))];
	const added = model.cases.filter((one) => !others.has(one.name));
	const gone = model.other.cases.filter((one) => !mine.has(one.name));
	const part = (title, cases) => cases.length > 0 && h("details", {}, h("summary", {}, `${plural(cases.length, "case")} ${title}`),
		h("ul", { class: "plain" }, cases.slice(0, 100).map((one) => h("li", {}, statusMark(one), markedName(one, one.name))), cases.length > 100 && h("li", {}, `and ${cases.length - 100} more`)));
	return [part("only in this run", added), part("only in the other", gone)].filter(Boolean);
}

export function compareSection(app) {
	const { model } = app;
	const section = byId("compare");
	if (!section) return;
	if (!model.other) {
		section.append(empty("This report shows one run.", "To see what changed, name another run of the same database:", `perflab report ${model.run.id} --format html --compare RUN -o report.html`));
		return;
	}
	const { run } = model.other;
	section.append(h("p", { class: "lead" }, "Compared with ", h("strong", {}, run.label ?? `run ${run.id}`), ` (run ${run.id}${run.started ? `, ${run.started.replace("T", " ").replace("Z", " UTC")}` : ""}).`));
	if (!isComparable(model)) {
		section.append(empty("The two runs are of different backends.", "Emulated and measured numbers cannot be compared."));
		return;
	}
	for (const warning of warnings(model)) section.append(h("p", { class: "finding", role: "note" }, warning));
	const pairs = compared(model);
	if (pairs.length) {
		caterpillar(app, section, pairs);
		changes(app, section, pairs);
		section.append(h("p", { class: "hint" }, "The verdicts use the medians of the rounds; each round ran in a process of its own. The chance of any false alarm among all cases is 1 in 20. Inconclusive: the data neither show nor rule out a change that matters; measure more rounds."));
	} else {
		section.append(empty("No case has a time in both runs.", model.emulated ? "Emulated runs have no times." : "Sweep the same kernels and sizes to compare them."));
	}
	section.append(...onlyInOne(model));
	const rows = differences(model);
	section.append(h("h3", {}, "What else differs"), rows.length
		? table("What else differs", [{ head: "What" }, { head: "This run" }, { head: `Run ${run.id}` }], rows)
		: h("p", { class: "hint" }, `Nothing: device, settings and environment of both are the same (${three(model.run.environment.length)} facts).`));
}
