// The speed-up of each case over its base case: both were timed in turn, in the same rounds.
import { Chart } from "../chart.js";
import { unverifiedLayer } from "../colours.js";
import { byId, h, table } from "../dom.js";
import { markedName, titleOf } from "../model.js";
import { isNumber, plural, time, whole } from "../numbers.js";
import { rowNames, rowScale } from "../rows.js";
import { ratioTicks } from "../ticks.js";
import { byReason, named } from "./gaps.js";

const ROWS_MOST = 40;
const KINDS = {
	faster: { colour: "var(--good)", shape: "triangle-up" },
	same: { colour: "var(--ink-3)", shape: "circle" },
	inconclusive: { colour: "var(--warn)", shape: "diamond" },
	slower: { colour: "var(--bad)", shape: "triangle-down" },
};
const ORDER = Object.keys(KINDS);

/** With as many decimals as the interval justifies, like the text report. */
const decimalsOf = ({ low, high }) => (!isNumber(low) || !isNumber(high) || high - low >= 0.1 ? 2 : high - low >= 0.002 ? 3 : 4);

export const ratioOf = (speedup) => speedup.ratio.toFixed(decimalsOf(speedup));

export function intervalOf(speedup) {
	if (!isNumber(speedup.low) || !isNumber(speedup.high)) return "no interval";
	return `${speedup.low.toFixed(decimalsOf(speedup))} to ${speedup.high.toFixed(decimalsOf(speedup))}`;
}

/** What must be known beside the verdict. */
function remarks({ speedup }) {
	return [
		speedup.aboveRoof && "above a measured roof",
		speedup.baseCase?.unverified && `${speedup.base} is unverified`,
		speedup.sameBuffers === false && "on other buffers",
		speedup.why,
	].filter(Boolean).join("; ");
}

/** "new is 1.042 times as fast as old (1.040 to 1.044): faster" */
export function sentenceOf(one) {
	const { speedup } = one;
	const variant = markedName(one, one.shortLabel);
	if (speedup.ratio === null) return `${variant}: not measured: ${speedup.why ?? "the run did not get there"}`;
	const said = remarks(one);
	return `${variant} is ${ratioOf(speedup)} times as fast as ${speedup.base} (${intervalOf(speedup)}): ${speedup.verdict}${said ? `; ${said}` : ""}`;
}

/** The measured pairs, in the order of the text report. */
export function rankedPairs(model) {
	const distrust = ({ unverified, speedup }) => (speedup.aboveRoof ? 2 : Number(unverified || Boolean(speedup.baseCase?.unverified)));
	return model.cases.filter((one) => one.speedup && one.speedup.ratio !== null).sort((a, b) => distrust(a) - distrust(b) ||
		ORDER.indexOf(a.speedup.verdict) - ORDER.indexOf(b.speedup.verdict) || b.speedup.ratio - a.speedup.ratio || a.at - b.at);
}

/** "3 faster, 1 same" */
export const countsOf = (pairs) => ORDER.map((name) => [pairs.filter((one) => one.speedup.verdict === name).length, name])
	.filter(([count]) => count).map(([count, name]) => `${whole(count)} ${name}`).join(", ");

/** Short names of rows: the variant, and the parts of the configuration in which the rows differ. */
function rowLabels(rows) {
	const parts = rows.map((one) => one.config.split(","));
	const common = new Set(parts[0].filter((part) => parts.every((list) => list.includes(part))));
	const kernels = new Set(rows.map((one) => one.kernel));
	return rows.map((one, i) => [kernels.size > 1 ? one.label : one.shortLabel, ...parts[i].filter((part) => !common.has(part))].join(" "));
}

function picture(app, section, pairs) {
	const rows = pairs.slice(0, ROWS_MOST);
	const uncertain = (one) => one.unverified || Boolean(one.speedup.baseCase?.unverified);
	new Chart(section, {
		title: "Times as fast as the base case",
		height: () => 60 + 24 * rows.length,
		focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
		points: () => rows.map((one, y) => ({ x: one.speedup.ratio, y, one })),
		tip: ({ one }) => ({
			title: titleOf(one),
			rows: [["Speed-up", ratioOf(one.speedup)], ["95 % interval", intervalOf(one.speedup)], ["Verdict", one.speedup.verdict],
				["Median", time(one.median)], [`${one.speedup.base} beside it`, time(one.speedup.baseMedian)], ["Rounds", whole(one.speedup.rounds)]],
		}),
		pick: (point) => app.open(point.one),
		summary: () => [
			`${plural(pairs.length, "pair")}: ${countsOf(pairs)}. Points to the right of the line are faster than the base variant; a bar is the 95 % interval.`,
			pairs.length > rows.length ? `The first ${rows.length} are drawn.` : "",
			rows.some(uncertain) ? "A question mark: unverified." : "",
		].join(" "),
		table: () => ({
			columns: [{ head: "Case" }, { head: "Speed-up", numeric: true }, { head: "95 % interval", numeric: true }, { head: "Verdict" }, { head: "Median", numeric: true }, { head: "Base median", numeric: true }],
			rows: pairs.map((one) => [app.link(one), ratioOf(one.speedup), intervalOf(one.speedup), one.speedup.verdict, time(one.median), time(one.speedup.baseMedian)]),
		}),
		spec: ({ width }) => {
			const values = rows.map((one, y) => ({ x: one.speedup.ratio, low: one.speedup.low, high: one.speedup.high, y, verdict: one.speedup.verdict, unverified: uncertain(one) }));
			const ends = [...values.flatMap(({ x, low, high }) => [x, low, high]), 1].filter((value) => isNumber(value) && value > 0);
			const [least, most] = [ends.reduce((a, b) => Math.min(a, b)), ends.reduce((a, b) => Math.max(a, b))];
			const group = (key) => ({ field: "verdict", type: "nominal", legend: null, scale: { domain: ORDER, range: ORDER.map((name) => KINDS[name][key]) } });
			return {
				encoding: {
					x: { field: "x", type: "quantitative", title: "Speed-up", scale: { type: "log", nice: false, padding: 16 }, axis: { values: ratioTicks(least, most), format: "~g" } },
					y: rowScale(rows.length, width),
				},
				layer: [
					rowNames(rowLabels(rows), width),
					{ data: { values: [{ x: 1 }] }, mark: { type: "rule", stroke: "var(--line-strong)", strokeWidth: 1.5 }, encoding: { y: null } },
					{ data: { name: "pairs", values }, transform: [{ filter: "isValid(datum.low) && isValid(datum.high) && datum.low > 0" }], mark: { type: "rule", strokeWidth: 2.5, opacity: 0.6, clip: true }, encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" }, stroke: group("colour") } },
					{ data: { name: "pairs" }, mark: { type: "point", filled: true, size: 70, opacity: 1, clip: true }, encoding: { fill: group("colour"), shape: group("shape") } },
					unverifiedLayer("pairs"),
				],
			};
		},
	});
}

export function speedupSection(app) {
	const { model } = app;
	const section = byId("speedup");
	const pairs = rankedPairs(model);
	if (pairs.length) {
		const best = pairs[0];
		section.append(h("p", { class: "lead" }, pairs.length > 1 ? "The best: " : "", h("strong", {}, sentenceOf(best)), ". ", app.link(best, best.config)));
		picture(app, section, pairs);
		section.append(h("p", { class: "hint" }, "Each case and its base case were timed in turn, in the same rounds, so that the state of the device is the same for both. ",
			model.speedupVerdicts.filter(([name]) => KINDS[name]).map(([name, meaning], i) => `${i ? "; " : ""}${name}: ${meaning}`).join(""), "."));
	}
	const reasons = model.cases.filter((one) => one.speedup && one.speedup.ratio === null).map((one) => [one.speedup.why ?? "the run did not get there", one, one.name]);
	if (reasons.length)
		section.append(h("h3", {}, "No speed-up"), table("No speed-up", [{ head: "Reason" }, { head: "Cases", numeric: true }, { head: "For example", class: "wrap" }],
			byReason(reasons).map(({ reason, cases, things }) => [reason, whole(cases.size), named(things)]), { class: "reasons" }));
}
