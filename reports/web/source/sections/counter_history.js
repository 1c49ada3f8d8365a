// The counters of an emulated run that changed between the runs of its device. Emulated runs have no times.
import { byId, h, table } from "../dom.js";
import { plural } from "../numbers.js";

const ROWS = 30;
const SHORT = 12;
const NAMED = 3;
const ORDER = { worse: 0, better: 1, different: 2 };
const nameOf = (run) => [run.label ? `${run.label} (run ${run.id})` : `run ${run.id}`, run.revision?.slice(0, SHORT) ?? run.started?.slice(0, 10)].filter(Boolean).join(", ");
const countersOf = ({ counters, more, sameCode }) => {
	const named = counters.slice(0, NAMED).map(({ metric, before, after }) => `${metric} ${before} → ${after}`);
	const others = counters.length - named.length + more;
	return `${named.join(", ")}${others ? `, and ${plural(others, "other")}` : ""}${sameCode ? "; code and launch are the same, so perflab or its settings changed" : ""}`;
};

export function counterHistorySection(app) {
	const { counterHistory: history } = app.model;
	if (!history) return;
	const { runs, all_runs: all } = history;
	const steps = app.model.counterSteps().sort((a, b) => ORDER[a.word] - ORDER[b.word] || b.first - a.first);
	const section = byId("history");
	const some = runs.length < all ? `, of ${all}` : "";
	section.append(h("p", { class: "lead" }, `The counters of this run's cases over ${plural(runs.length, "run")} of its device${some}. An emulated run has no times, and its counters repeat exactly: each difference is a change.`));
	if (!steps.length) {
		section.append(h("p", {}, "No counter of any case changed between the runs shown."));
		return;
	}
	section.append(table("Changes of counters", [{ head: "Case" }, { head: "Change" }, { head: "Counters" }, { head: "Last before" }, { head: "First after" }],
		steps.slice(0, ROWS).map((step) => [app.link(step.one), step.word, countersOf(step), nameOf(runs[step.last]), nameOf(runs[step.first])])));
	if (steps.length > ROWS)
		section.append(h("p", { class: "hint" }, `${ROWS} of ${plural(steps.length, "change")}, those for the worse first: `, h("code", {}, "perflab history CASE"), " shows those of a case."));
}
