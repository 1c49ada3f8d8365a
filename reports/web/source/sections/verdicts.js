// The verdict on the best configuration of each variant: its limiter, how close it comes to the roof,
// what to try, and its part of every roof.
import { Palette } from "../colours.js";
import { byId, empty, h } from "../dom.js";
import { bySizeThenTime } from "../model.js";
import { isNumber, percent, plural, plusMinus, time } from "../numbers.js";
import { levelName } from "./roofline.js";

const SHOWN_FIRST = 12;

/** A percentage of a roof, as a bar and a number. */
export function bar(pct, label) {
	if (!isNumber(pct)) return h("span", { class: "dim" }, "–");
	const meter = h("span", { class: `bar ${pct > 100 ? "over" : ""}`, role: "img", "aria-label": `${percent(pct)} of ${label}` },
		h("span", { class: "bar-fill" }));
	meter.firstChild.style.width = `${Math.min(100, Math.max(0, pct))}%`;
	return h("span", { class: "bar-cell" }, meter, h("span", { class: "bar-number", "aria-hidden": "true" }, percent(pct, pct < 10 ? 1 : 0)));
}

export const boundChip = (one) =>
	h("span", { class: `chip bound-${/^[a-z0-9]+$/.test(one.bound) ? one.bound : "unknown"}`, title: one.boundMeaning }, one.bound);

function verdictRow(app, one, palette) {
	const tries = one.advice[0]?.text;
	return h("li", { class: "verdict" },
		h("div", { class: "verdict-name" }, palette.swatch(one.kernel), app.link(one, one.variant),
			h("code", { class: "config" }, one.config)),
		h("div", { class: "verdict-time" }, isNumber(one.median)
			? [h("strong", {}, time(one.median)), h("span", { class: "dim" }, plusMinus(one))] : h("span", { class: "dim" }, "no time")),
		h("div", { class: "verdict-bound" }, boundChip(one), one.bound === "unknown" ? "" : bar(one.roofPct, `the ${one.bound} roof`)),
		h("div", { class: "verdict-text" }, h("p", {}, one.summary ?? "The limiter is not known."),
			tries && h("p", { class: "try" }, h("span", { class: "try-word" }, "Try"), tries)));
}

/** The most telling counts of the emulated PTX, in percent. */
const EMULATED = [
	["ptx_warp_execution_efficiency_pct", "lanes"],
	["ptx_branch_efficiency_pct", "branches"],
];

function emulatedRow(app, one, palette) {
	const { model } = app;
	const counts = EMULATED.filter(([metric]) => model.hasCounter(metric)).map(([metric, word]) =>
		h("div", { class: "count-row" }, h("span", { class: "dim", title: model.counterOf.get(metric).meaning }, word), bar(model.counter(one, metric), word)));
	const said = one.notes.map((note) => note.text).join("; ");
	return h("li", { class: "verdict" },
		h("div", { class: "verdict-name" }, palette.swatch(one.kernel), app.link(one, one.variant), h("code", { class: "config" }, one.config)),
		h("div", { class: "verdict-time" }, h("span", { class: "dim", title: one.reason ?? one.statusMeaning }, one.status)),
		h("div", {}, counts),
		h("div", { class: "verdict-text" }, h("p", {}, said || "The counts show no problem."),
			one.advice.map((note) => h("p", { class: "try" }, h("span", { class: "try-word" }, "Try"), note.text))));
}

function roofParts(app) {
	const { model } = app;
	const levels = model.levels.map((level, i) => [level, i]).filter(([level]) => level.per_s !== null);
	const precisions = model.precisions.filter((precision) => precision.per_s !== null && model.best.some((one) => one.precision === precision.name));
	if (!levels.length && !precisions.length) return null;
	const head = ["Variant", ...levels.map(([level]) => levelName(level.name)), "Compute"];
	return h("details", { class: "parts", open: model.best.length <= 40 },
		h("summary", {}, "Part of every measured roof"),
		h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Part of every measured roof" },
			h("table", { class: "roofs" },
				h("caption", { class: "unseen" }, "Percentage of every measured roof that the fastest configuration of each variant reaches at its largest problem"),
				h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
				h("tbody", {}, model.best.map((one) => h("tr", {},
					h("th", { scope: "row" }, app.link(one, one.family)),
					levels.map(([level, i]) => h("td", {}, bar(one.levels[i].pct, `the roof of ${level.meaning}`))),
					h("td", {}, bar(one.computePct, `the ${one.precision} roof`))))))));
}

export function verdictsSection(app) {
	const { model } = app;
	const section = byId("verdicts");
	const palette = new Palette(model.kernels);
	if (model.emulated) section.querySelector("h2").textContent = "Counts of each kernel";
	if (!model.best.length) {
		section.append(model.cases.some((one) => one.aboveRoof)
			? empty("Every timed case of this run is above a measured roof.", "The section “Roofline” says which roofs, and what may be wrong.")
			: empty("No case of this run succeeded.", "The reasons are below, under “What is missing”."));
		return;
	}
	section.append(h("p", { class: "lead" }, model.emulated
		? "Counts of the emulator for each variant: the lanes that take part in an instruction, and the branches that keep a warp together. There are no times."
		: "The fastest configuration of each variant at its largest problem, of the verified ones if there are any, and the roof that it comes closest to."));
	const lists = [];
	let left = model.best.length > SHOWN_FIRST ? SHOWN_FIRST : model.best.length;
	for (const kernel of model.kernels) {
		const of = model.best.filter((one) => one.kernel === kernel).sort(bySizeThenTime);
		if (!of.length) continue;
		// every kernel shows at least its first variants
		const share = Math.max(1, Math.round((left * of.length) / model.best.length));
		const list = h("ul", { class: "verdict-list" }, of.map((one, i) => {
			const row = (model.emulated ? emulatedRow : verdictRow)(app, one, palette);
			if (model.best.length > SHOWN_FIRST && i >= share) row.classList.add("more");
			return row;
		}));
		lists.push(h("h3", { class: "kernel-name" }, kernel, h("span", { class: "dim" }, ` ${plural(of.length, "variant")}`)), list);
	}
	const holder = h("div", { class: "verdicts folded" }, lists);
	section.append(holder);
	const hiddenRows = holder.querySelectorAll(".more").length;
	if (hiddenRows) {
		const button = h("button", {
			type: "button", class: "wide-button", "aria-expanded": "false",
			onclick: () => {
				const folded = holder.classList.toggle("folded");
				button.setAttribute("aria-expanded", String(!folded));
				button.textContent = folded ? `Show ${hiddenRows} more variants` : "Show fewer";
			},
		}, `Show ${hiddenRows} more variants`);
		section.append(button);
	}
	section.append(roofParts(app) ?? "");
}
