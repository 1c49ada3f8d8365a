// Cases that failed, were skipped, sampled or not verified, and counters without a value, each with its reason.
import { statusMark } from "../colours.js";
import { byId, h, table } from "../dom.js";
import { plural, whole } from "../numbers.js";

const LISTED = 60;
const NAMED = 4;

/** Groups failed cases by status and reason: [[case, …], …]. */
function failureGroups(failed) {
	const groups = new Map();
	for (const one of failed) {
		const key = `${one.status}\n${one.reason ?? ""}`;
		if (!groups.has(key)) groups.set(key, []);
		groups.get(key).push(one);
	}
	return [...groups.values()];
}

/** Groups things by reason: [{ reason, cases, things }]. */
export function byReason(entries) {
	const reasons = new Map();
	for (const [reason, one, thing] of entries) {
		const of = reasons.get(reason) ?? { reason, cases: new Set(), things: new Set() };
		of.cases.add(one);
		of.things.add(thing);
		reasons.set(reason, of);
	}
	return [...reasons.values()];
}

export function named(things) {
	const list = [...things];
	return list.slice(0, NAMED).join(", ") + (list.length > NAMED ? ` and ${list.length - NAMED} more` : "");
}

function reasonTable(title, head, entries) {
	return [h("h3", {}, title), table(title, [{ head: "Reason" }, { head: "Cases", numeric: true }, { head, class: "wrap" }],
		byReason(entries).map(({ reason, cases, things }) => [reason, whole(cases.size), named(things)]), { class: "reasons" })];
}

export function gapsSection(app) {
	const { model } = app;
	const section = byId("gaps");
	const failed = model.cases.filter((one) => one.failure);
	if (failed.length) {
		const groups = failureGroups(failed);
		section.append(h("h3", {}, `${plural(failed.length, "failure")}`), table("Failures", [{ head: "Cases", numeric: true }, { head: "First" }, { head: "Status" }, { head: "Reason", class: "wrap" }],
			groups.slice(0, LISTED).map(([one, ...others]) => [whole(others.length + 1), app.link(one), h("span", { class: "status-cell" }, statusMark(one), one.status), one.reason ?? "no reason is stored"]), { class: "reasons" }));
		if (groups.length > LISTED) section.append(h("p", { class: "hint" }, `The first ${LISTED}; the table of all cases has the others.`));
	}
	const ofStatus = (status) => model.cases.filter((one) => one.status === status).map((one) => [one.reason ?? "no reason is stored", one, one.name]);
	for (const [status, title] of [["skipped", "Skipped"], ["sampled", "Counted on some blocks only"],
		["unverified", "Unverified: no check shows that the results are right"]]) {
		const entries = ofStatus(status);
		if (entries.length) section.append(...reasonTable(title, "For example", entries));
	}
	const pending = model.cases.filter((one) => one.status === "pending");
	// of several GPUs each has runs of its own
	const runs = model.gpus?.runs.filter((one) => one.state === "interrupted" && pending.some(({ gpu }) => gpu === one.gpu)).map((one) => one.run) ?? [model.run.id];
	if (pending.length)
		section.append(h("h3", {}, "Pending"), h("p", {}, `${plural(pending.length, "case")} ${pending.length === 1 ? "has" : "have"} not been finished: ${named(new Set(pending.map((one) => one.name)))}. To continue the sweep: `,
			runs.map((id, i) => [i ? ", " : "", h("code", {}, `perflab sweep --resume ${id}`)]), "."));
	const missing = model.counters.flatMap((counter) => model.cases
		.filter((one) => Array.isArray(counter.values[one.at]))
		.map((one) => [model.words[counter.values[one.at][0]], one, counter.metric]));
	if (missing.length) section.append(...reasonTable("Counters without a value", "Metrics", missing));
	if (!model.counters.length && model.timed.length)
		section.append(h("p", {}, "This run requested no counters and has times only. To count: ", h("code", {}, "perflab sweep … --metrics core"), "."));
	if (model.sampleNote) section.append(h("h3", {}, "Samples"), h("p", {}, model.sampleNote));
	if (section.children.length === 1)
		section.append(h("p", { class: "all-well" }, "Nothing: every case succeeded, and every requested counter has a value."));
}
