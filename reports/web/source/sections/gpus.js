// The GPUs of a sweep on several of them: which were there, how much they disturbed each other, and how they differ.
import { byId, h, table } from "../dom.js";
import { isNumber, plural, time, whole } from "../numbers.js";

const LISTED = 60;

const SENTINEL_DIGITS = 1; // as the facts of a run have them
const signed = (value, digits) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(digits)}`;
const changeText = (value, digits = 2) => (isNumber(value) ? `${signed(value, digits)} %` : "–");
const intervalText = ({ low, high }, digits = 2) => (isNumber(low) && isNumber(high) ? `${signed(low, digits)} to ${signed(high, digits)} %` : "–");

function remarkOf(one) {
	if (one.failed) return h("span", { class: "above" }, `failed: ${one.failed}`);
	if (one.state !== "finished") return one.state;
	return one.took_over ? "took over cases" : "";
}

function listOfGpus({ runs, absent }) {
	return table("GPUs", [
		{ head: "GPU", numeric: true }, { head: "Device" }, { head: "Run", numeric: true }, { head: "Cases", numeric: true },
		{ head: "Time", numeric: true }, { head: "Processors" }, { head: "Remark", class: "wrap" }, { head: "UUID" },
	], runs.map((one) => [
		String(one.gpu), one.device, String(one.run), whole(one.cases), isNumber(one.seconds) ? time(1e9 * one.seconds) : "–",
		one.processors && h("span", { title: one.processors }, one.processors.split(":")[0]), remarkOf(one), one.uuid,
	]).concat(absent.map(({ gpu, uuid, reason }) => [
		String(gpu), "–", "–", "–", "–", "–", h("span", { class: "above" }, `no run: ${reason}`), uuid ?? "–",
	])));
}

function interference({ runs }) {
	const rows = runs.flatMap((one) => {
		const verdict = one.interference ?? (one.state === "running" ? "not measured yet" : "not measured: the run was interrupted");
		const shown = () => (verdict === "found" ? h("span", { class: "above" }, verdict) : verdict);
		return one.sentinels.length
			? one.sentinels.map((sentinel) => [String(one.gpu), shown(), changeText(sentinel.change, SENTINEL_DIGITS), intervalText(sentinel, SENTINEL_DIGITS), sentinel.case])
			: [[String(one.gpu), shown(), "–", "–", "–"]];
	});
	return [h("h3", {}, "Interference"),
		h("p", { class: "hint" }, "How much the time of a case changed while all other GPUs were busy, against alone. Found: perflab regress would report such a change."),
		table("Interference", [{ head: "GPU", numeric: true }, { head: "Interference" }, { head: "Change", numeric: true }, { head: "95 % interval", numeric: true }, { head: "Case" }], rows)];
}

const count = (cases, verdict) => cases.filter((one) => one.verdict === verdict).length;

function differences({ base, differences: all }) {
	return [h("h3", {}, `Time against GPU ${base}`),
		h("p", { class: "hint" }, "Judged as perflab regress does. The mean is of the logarithms of the ratios of all cases; its 95 % interval is over the rounds."),
		table("Differences between the GPUs", [
			{ head: "GPU", numeric: true }, { head: "Cases", numeric: true }, { head: "Mean", numeric: true }, { head: "95 % interval", numeric: true },
			{ head: "Slower", numeric: true }, { head: "Faster", numeric: true }, { head: "Unchanged", numeric: true }, { head: "Inconclusive", numeric: true },
		], all.map(({ gpu, mean, cases }) => [
			String(gpu), whole(mean.cases), changeText(mean.change), intervalText(mean),
			...["regressed", "improved", "unchanged", "inconclusive"].map((verdict) => whole(count(cases, verdict))),
		]))];
}

/** The cases that differ, the largest change first. */
function changedCases(app) {
	const { model } = app;
	const shown = new Map(model.cases.map((one) => [one.name, one]));
	const rows = model.gpus.differences.flatMap(({ gpu, cases }) => cases
		.filter(({ verdict }) => verdict === "regressed" || verdict === "improved")
		.map((item) => ({ ...item, one: shown.get(`${item.case} on GPU ${gpu}`), gpu })))
		.filter(({ one, change }) => one && isNumber(change))
		.sort((a, b) => Math.abs(Math.log1p(b.change)) - Math.abs(Math.log1p(a.change)));
	if (!rows.length) return [h("p", {}, "No case differs.")];
	return [h("h3", {}, `${plural(rows.length, "case")} that ${rows.length === 1 ? "differs" : "differ"}`),
		table("Cases that differ", [{ head: "Case" }, { head: "GPU", numeric: true }, { head: "Time", numeric: true }, { head: "Change", numeric: true }, { head: "95 % interval", numeric: true }, { head: "Verdict" }],
			rows.slice(0, LISTED).map((item) => [app.link(item.one, item.case), String(item.gpu), time(item.one.median), changeText(item.change), intervalText(item), item.verdict === "regressed" ? "slower" : "faster"])),
		rows.length > LISTED && h("p", { class: "hint" }, `The first ${LISTED}.`)];
}

export function gpusSection(app) {
	const { gpus } = app.model;
	const here = new Set(gpus.runs.map((one) => one.uuid)).size;
	const notes = [
		here < gpus.gpus && `${here} of the ${gpus.gpus} GPUs have a run here.`,
		isNumber(gpus.roofs_of) && `All shares of roofs are of the roofs that were measured on GPU ${gpus.roofs_of}.`,
		gpus.mode === "spread" && "Every GPU measures every case.",
	].filter(Boolean);
	byId("gpus").append(...[
		listOfGpus(gpus),
		notes.length && h("p", { class: "hint" }, notes.join(" ")),
		...(gpus.mode === "split" ? interference(gpus) : []),
		...(gpus.differences.length ? [...differences(gpus), ...changedCases(app)] : []),
	].filter(Boolean));
}
