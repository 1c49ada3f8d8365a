// A case over the runs of its device, with its change points.
import { Chart } from "../chart.js";
import { unverifiedLayer, unverifiedNote } from "../colours.js";
import { byId, h, select, table } from "../dom.js";
import { markedName, unique } from "../model.js";
import { isNumber, plural, time, timeRange } from "../numbers.js";

const ROWS = 15;
const SHORT = 12;
const percentOf = (ratio) => (isNumber(ratio) ? `${ratio >= 1 ? "+" : "−"}${Math.abs(100 * ratio - 100).toFixed(2)} %` : "–");
const dayOf = (run) => run.started?.slice(0, 10) ?? "–";
const revisionOf = ({ revision }) => (revision ? revision.slice(0, SHORT) + (revision.length > SHORT && revision.endsWith("-dirty") ? "-dirty" : "") : null);
const nameOf = (run) => (run.label ? `${run.label} (run ${run.id})` : `run ${run.id}`);
const SO_FAR = ", one run so far: wait for the next";
const SAME_CODE = "; machine code and launch are the same, so the cause is noise or the environment";
const wordsOf = ({ ratio, provisional, sameCode }) => `${wordOf(ratio)}${sameCode ? SAME_CODE : ""}${provisional ? SO_FAR : ""}`;
const wordOf = (ratio) => (ratio > 1 ? "slower" : "faster");

class History {
	constructor(app, section) {
		this.app = app;
		this.model = app.model;
		const { medians } = this.model.history;
		this.cases = this.model.cases.filter((one) => medians[one.at]);
		this.changed = this.cases.flatMap((one) => this.model.changesOf(one).map((change) => ({ one, ...change })))
			.sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
		// start with the case that became slower by the most
		this.first = (this.changed.find(({ ratio }) => ratio > 1) ?? this.changed[0])?.one ?? this.cases[0];
		this.one = this.first;
		this.chooser = h("div", { class: "controls" });
		section.append(this.list(), this.chooser);
		this.update();
		this.chart = new Chart(section, {
			title: "Median time over the runs",
			height: 300,
			focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
			points: () => this.points.map((point) => ({ ...point, x: point.at, y: point.median, one: this.one })),
			tip: ({ run, median, low, high, step, at, unverified }) => {
				const change = this.changes.find(({ first }) => first === at);
				return {
					title: nameOf(run),
					rows: [["Started", run.started?.replace("T", " ").replace("Z", " UTC") ?? "–"], ["Revision", revisionOf(run) ?? "–"],
						["Median", markedName({ unverified }, time(median))], ["Session interval, 95 %", timeRange(low, high)], ["Compared with the previous run", percentOf(step)],
						...(run.mark ? [["Marked", run.mark]] : []), ...(change ? [["Change point", percentOf(change.ratio)]] : [])],
				};
			},
			pick: () => app.open(this.one),
			summary: () => this.summary(),
			table: () => ({
				columns: [{ head: "Run", numeric: true }, { head: "Started" }, { head: "Label" }, { head: "Revision" }, { head: "Median", numeric: true }, { head: "Session interval, 95 %", numeric: true }, { head: "Compared with the previous run", numeric: true }, { head: "Mark" }, { head: "Change point", numeric: true }],
				rows: this.points.map(({ run, at, median, low, high, step, unverified }) => [String(run.id), run.started ?? "–", run.label ?? "–", revisionOf(run) ?? "–", markedName({ unverified }, time(median)), timeRange(low, high), percentOf(step), run.mark ?? "–",
					percentOf(this.changes.find(({ first }) => first === at)?.ratio)]),
			}),
			spec: () => this.spec(),
		});
		app.address.part("history", () => (this.one === this.first ? null : this.one.name), (name) => this.show(this.cases.find((one) => one.name === name) ?? this.first));
	}

	show(one) {
		this.one = one;
		this.update();
		this.chart.refresh();
		this.app.address.changed();
	}

	update() {
		const { one } = this;
		this.points = this.model.historyOf(one);
		this.changes = this.model.changesOf(one);
		const of = (fit) => this.cases.filter(fit);
		const variants = of((other) => other.kernel === one.kernel);
		const configs = variants.filter((other) => other.variant === one.variant);
		const choose = (label, of, field) =>
			select(label, unique(of.map((other) => other[field])).map((name) => [name, name]), one[field], (value) => this.show(of.find((other) => other[field] === value)));
		this.chooser.replaceChildren(choose("Kernel", this.cases, "kernel"), choose("Variant", variants, "variant"), choose("Configuration", configs, "config"));
	}

	/** The cases that changed, the largest change first. */
	list() {
		const { runs, all_runs: all, changes_unseen: unseen } = this.model.history;
		const older = unseen ? h("p", { class: "hint" }, `${plural(unseen, "change point")} among runs that are not shown: `, h("code", {}, "perflab history CASE"), " shows them.") : "";
		if (!this.changed.length)
			return h("div", {}, h("p", {}, unseen ? `None of ${plural(this.cases.length, "case")} changed between the runs shown.` : `None of ${plural(this.cases.length, "case")} changed over ${plural(all, "run")}.`), older);
		const rows = this.changed.slice(0, ROWS).map(({ one, last, first, ratio, low, high, ...rest }) => [
			h("button", { type: "button", class: "link", title: one.name, onclick: () => this.show(one) }, one.name),
			`${percentOf(ratio)} ${wordsOf({ ratio, ...rest })}`, `${percentOf(low)} … ${percentOf(high)}`,
			`${nameOf(runs[last])}, ${revisionOf(runs[last]) ?? dayOf(runs[last])}`, `${nameOf(runs[first])}, ${revisionOf(runs[first]) ?? dayOf(runs[first])}`]);
		return h("div", {},
			table("Change points", [{ head: "Case" }, { head: "Change", numeric: true }, { head: "95 % interval", numeric: true }, { head: "Last before" }, { head: "First after" }], rows),
			this.changed.length > ROWS ? h("p", { class: "hint" }, `The ${ROWS} largest of ${this.changed.length} change points.`) : "", older);
	}

	summary() {
		const { runs } = this.model.history;
		const said = this.changes.map(({ last, first, ratio, ...rest }) =>
			`${percentOf(ratio)} (${wordsOf({ ratio, ...rest })}) between ${nameOf(runs[last])} and ${nameOf(runs[first])}.`);
		const mode = this.model.modeOf(this.one);
		const modes = mode ? ` Two modes: ${time(mode.usual)}, and ${time(mode.other)} (${percentOf(mode.other / mode.usual)}) in ${mode.runs} of ${plural(mode.of, "run")}; a level that comes and goes is a mode and no change.` : "";
		return `${this.one.name}: ${plural(this.points.length, "run")} of one device. ${said.length ? said.join(" ") : "No change point."}${modes} A bar is the 95 % interval of a time in its session. ${unverifiedNote(this.points)}`;
	}

	/** One line per level, from one change point to the next. */
	levels() {
		const ends = [...this.changes.map(({ first }) => first), Infinity];
		return this.changes.flatMap((change, i) => {
			const inside = this.points.filter(({ at }) => at >= change.first && at < ends[i + 1]);
			// if the previous change is not shown, its level is not drawn yet
			const before = this.changes[i - 1]?.first === change.begin ? [] : this.points.filter(({ at }) => at >= change.begin && at < change.first);
			const piece = (points, y) => (points.length ? [{ x: points[0].at, x2: points.at(-1).at, y }] : []);
			return [...piece(before, change.before), ...piece(inside, change.after)];
		});
	}

	spec() {
		const { runs } = this.model.history;
		const values = this.points.map(({ at, median, unverified }) => ({ x: at, y: median, unverified }));
		const intervals = this.points.filter(({ low }) => low !== null).map(({ at, low, high }) => ({ x: at, y: low, high }));
		const heights = [...values.map(({ y }) => y), ...intervals.flatMap(({ y, high }) => [y, high]), ...this.levels().map(({ y }) => y)];
		const [least, most] = [Math.min(...heights), Math.max(...heights)];
		const [unit, divisor] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, ns]) => most >= 2 * ns) ?? ["ns", 1];
		// equal runs lie on a line in the middle instead of on the frame
		const room = Math.max((most - least) * 0.12, most * 0.002);
		const every = Math.ceil(runs.length / 12);
		const ticks = runs.map((_, i) => i).filter((i) => (runs.length - 1 - i) % every === 0);
		const marks = this.changes.map(({ first, ratio }) => ({ x: first - 0.5, y: most + room, text: percentOf(ratio), kind: wordOf(ratio) }));
		const kind = { field: "kind", type: "nominal", legend: null, scale: { domain: ["slower", "faster"], range: ["var(--bad)", "var(--good)"] } };
		return {
			encoding: {
				x: { field: "x", type: "quantitative", title: "Run", scale: { domain: [-0.5, runs.length - 0.5], nice: false }, axis: { values: ticks, grid: false, labelExpr: `${JSON.stringify(runs.map(({ id }) => id))}[datum.value]` } },
				y: { field: "y", type: "quantitative", title: `Median, ${unit}`, scale: { domain: [least - room, most + room], nice: false, zero: false }, axis: { tickCount: 6, labelExpr: `format(datum.value / ${divisor}, '~g')` } },
			},
			layer: [
				{ data: { values: marks }, mark: { type: "rule", strokeDash: [4, 3], strokeWidth: 1.5 }, encoding: { y: null, stroke: kind } },
				{ data: { values: marks }, mark: { type: "text", align: "left", baseline: "top", dx: 4, dy: 2, fontWeight: 600 }, encoding: { text: { field: "text" }, fill: kind } },
				{ data: { values: this.levels() }, mark: { type: "rule", strokeWidth: 6, stroke: "var(--line-strong)", strokeCap: "round", opacity: 0.7 }, encoding: { x2: { field: "x2" } } },
				{ data: { values }, mark: { type: "line", strokeWidth: 1.25, stroke: "var(--ink-3)" } },
				{ data: { values: intervals }, mark: { type: "rule", strokeWidth: 2, stroke: "var(--ink)", opacity: 0.55 }, encoding: { y2: { field: "high" } } },
				{ data: { name: "runs", values }, mark: { type: "point", filled: true, size: 42, opacity: 1, fill: "var(--ink)" } },
				unverifiedLayer("runs"),
			],
		};
	}
}

export function historySection(app) {
	const { model } = app;
	if (!model.history) return;
	const section = byId("history");
	const { runs, all_runs: all } = model.history;
	const some = runs.length < all ? `, of ${all}` : "";
	section.append(h("p", { class: "lead" }, `The cases of this run over ${plural(runs.length, "run")} of its device${some}, with the newest on the right.`));
	new History(app, section);
	section.append(h("p", { class: "hint" }, "At a change point, the rounds of the runs before and after differ by a test of their ranks and by a test of their scatter. The search covers every run, like that of ",
		h("code", {}, "perflab history CASE"), "."));
}
