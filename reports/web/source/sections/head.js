// The head of the page: what was run, where, and with which result.
import { byId, h } from "../dom.js";
import { byLost, byRank, markedName, unique } from "../model.js";
import { compared, ratioText } from "./compare.js";
import { rankedPairs } from "./speedup.js";
import { percent, plural, time, whole } from "../numbers.js";

function tile(value, label, kind, href) {
	const inside = [h("span", { class: "tile-value" }, value), h("span", { class: "tile-label" }, label)];
	return href ? h("a", { class: `tile ${kind ?? ""}`, href }, inside) : h("div", { class: `tile ${kind ?? ""}` }, inside);
}

function copyButton(text) {
	const button = h("button", {
		type: "button", class: "quiet", "aria-label": "Copy the command",
		onclick: async () => {
			try {
				await navigator.clipboard.writeText(text);
				button.textContent = "Copied";
			} catch {
				button.textContent = "Select it manually";
			}
			setTimeout(() => { button.textContent = "Copy"; }, 1500);
		},
	}, "Copy");
	return button;
}

function counts(model) {
	const by = new Map();
	for (const one of model.cases) by.set(one.status, (by.get(one.status) ?? 0) + 1);
	return by;
}

/** What became slower or faster than in the earlier run with which perflab compared this one: "2 slower, most x1.30: NAME". */
function changesTile({ changes }) {
	const [, count, words] = changes?.match(/^(\d+) (.*)$/s) ?? [];
	return count ? [tile(whole(Number(count)), words, words.startsWith("slower") ? "bad" : "good", "#verdicts")] : [];
}

/** What the comparison with another run found: how many cases became slower and which of them the most, then how many faster. */
function comparisonTiles(model) {
	const pairs = compared(model);
	if (!pairs.length) return changesTile(model.run);
	const of = (kind) => pairs.filter((pair) => pair.kind === kind);
	const [slower, faster, open] = [of("regressed"), of("improved"), of("inconclusive")];
	const name = model.other.run.label ?? `run ${model.other.run.id}`;
	// sorted by their ratio
	const tileOf = (cases, word, most, kind) => tile(whole(cases.length),
		`${word} than ${name}${cases.length ? `; ${cases.length > 1 ? "most: " : ""}${most.one.name} takes ${ratioText(most.ratio)} the time` : ` of ${plural(pairs.length, "case")}`}`, kind, "#compare");
	const list = [tileOf(slower, "slower", slower.at(-1), slower.length ? "bad" : open.length ? "" : "good")];
	if (faster.length) list.push(tileOf(faster, "faster", faster[0], ""));
	// with few rounds and many cases even a large difference may be so: it must be in sight
	if (open.length) list.push(tile(whole(open.length), `inconclusive against ${name}: more rounds decide; most: ${open.at(-1).one.name} takes ${ratioText(open.at(-1).ratio)} the time`, "warn", "#compare"));
	return list;
}

function tiles(app) {
	const { model } = app;
	const by = counts(model);
	const failed = model.cases.filter((one) => one.failure).length;
	const good = (by.get("ok") ?? 0) + (by.get("sampled") ?? 0);
	const above = model.cases.filter((one) => one.aboveRoof).length;
	const [fastest] = model.kernels.length === 1 && !model.emulated ? [...model.best].sort(byRank) : [];
	const list = [
		...comparisonTiles(model),
		failed && tile(whole(failed), failed === 1 ? "failure" : "failures", "bad", "#gaps"),
		above && tile(whole(above), "above a measured roof", "bad", "#roofline"),
		fastest && tile(time(fastest.median), `the fastest case${fastest.n === null ? "" : " of the largest problem"}: ${markedName(fastest, fastest.name)}`, "", "#verdicts"),
		tile(`${whole(good)} of ${whole(model.cases.length)}`, model.emulated ? `cases emulated${by.get("sampled") ? "" : " and correct"}` : `cases measured and correct${model.spread ? ", on all GPUs together" : ""}`, good === model.cases.length ? "good" : "", "#cases"),
		tile(whole(model.families.length), `${model.families.length === 1 ? "variant" : "variants"} of ${plural(model.kernels.length, "kernel")}`, "", "#verdicts"),
	].filter(Boolean);
	if (by.get("unverified")) list.push(tile(whole(by.get("unverified")), "unverified: no check shows that they are right", "warn", "#gaps"));
	if (by.get("skipped")) list.push(tile(whole(by.get("skipped")), "skipped, with reasons", "", "#gaps"));
	if (by.get("pending")) list.push(tile(whole(by.get("pending")), "still pending", "warn", "#gaps"));
	if (!failed) list.push(tile(whole(failed), "failures", "good"));
	const pairs = rankedPairs(model);
	if (pairs.length) list.push(tile(`${whole(pairs.filter((one) => one.speedup.verdict === "faster").length)} of ${whole(pairs.length)}`, "faster than the base variant", "", "#speedup"));
	const [worst] = model.emulated ? [...model.best].sort(byLost) : [];
	if (worst?.lost > 0) list.push(tile(percent(100 * worst.lost, 0), `lost to ${worst.notes[0].rule.replaceAll("_", " ")}: ${worst.family}`, "warn", "#verdicts"));
	return h("div", { class: "tiles" }, list);
}

/** "A selection: 2 of the 690 cases of this run: reduce/*; the first 2 of each kernel; sorted by median" */
function selectionLine({ selection, cases }) {
	if (!selection) return null;
	const { patterns, top, sort } = selection;
	const how = [patterns.join(" "), top && `the first ${top} of each kernel`, sort && `sorted by ${sort}`].filter(Boolean).join("; ");
	return h("p", { class: "note-line" }, h("strong", {}, `A selection: ${whole(cases.length)} of the ${whole(selection.cases)} cases of this run`), how && `: ${how}`);
}

export function headSection(app) {
	const { model } = app;
	const { run } = model;
	const { device } = run;
	const facts = [
		device.name ?? (model.gpus ? unique(model.gpus.runs.map((one) => one.device)).join(", ") : "unknown device"),
		device.driver && `driver ${device.driver}`,
		device.toolkit && `CUDA ${device.toolkit}`,
		run.started && `${run.started.replace("T", " ").replace("Z", " UTC")}`,
		run.took_ns && `took ${time(run.took_ns)}`,
	].filter(Boolean);
	byId("head").append(...[
		h("h1", {}, run.label ?? (model.gpus ? `Sweep on ${plural(model.gpus.gpus, "GPU")}` : `Run ${run.id}`),
			h("span", { class: "pill" }, model.gpus ? `${plural(model.gpus.gpus, "GPU")}, ${model.gpus.mode}` : `run ${run.id}`),
			h("span", { class: `pill ${model.emulated ? "warn" : ""}` }, model.emulated ? "emulated: no times" : run.backend),
			run.state && run.state !== "finished" && h("span", { class: "pill warn" }, run.state)),
		h("p", { class: "facts" }, facts.map((fact) => h("span", {}, fact))),
		selectionLine(model),
		run.note && h("p", { class: "note-line" }, run.note),
		run.command && h("div", { class: "command" }, h("code", {}, run.command), copyButton(run.command)),
		tiles(app),
	].filter(Boolean));
}

/** The links to the sections. */
export function navigation({ address }) {
	const sections = [...document.querySelectorAll("main > section")];
	const links = sections.map((section) =>
		h("a", { href: `#${section.id}` }, section.querySelector("h2").dataset.short));
	const list = h("ul", {}, links.map((link) => h("li", {}, link)));
	byId("nav").append(list);
	const mark = (current) => {
		address.read(current ? current.hash.slice(1) : "");
		if (!current)
			list.scrollTo({ left: 0 });
		for (const link of links) {
			if (link !== current) {
				link.removeAttribute("aria-current");
				continue;
			}
			link.setAttribute("aria-current", "true");
			// scroll the row of links if it is wider than the window
			list.scrollTo({ left: link.offsetLeft - list.clientWidth / 3 });
		}
	};
	const seen = new IntersectionObserver((entries) => {
		for (const entry of entries) {
			if (entry.isIntersecting)
				mark(links[sections.indexOf(entry.target)]);
			else if (sections[0].getBoundingClientRect().top > entry.rootBounds.bottom)
				mark(null); // the head of the page belongs to no section
		}
	}, { rootMargin: "-20% 0px -70% 0px" });
	for (const section of sections) seen.observe(section);
}
