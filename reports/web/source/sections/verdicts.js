// The verdict on the best configuration of each variant: its limiter, how close it comes to the roof,
// what to try, and its part of every roof.
import { Palette } from "../colours.js";
import { breakable, byId, empty, h } from "../dom.js";
import { byLost, byRank } from "../model.js";
import { isNumber, percent, plural, plusMinus, time, timeRange, unbroken } from "../numbers.js";
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

/** Beside a share that uses operations of the work model. */
export const modelMark = (modelled) => modelled && h("small", { class: "model-mark", title: "The operations are those of the work model; no counter counted them" }, "work model");

const wasteBar = (pct, label) => {
	const cell = bar(pct, label);
	cell.classList.add("waste");
	return cell;
};

export const boundChip = (one) =>
	h("span", { class: `chip bound-${/^[a-z0-9]+$/.test(one.bound) ? one.bound : "unknown"}`, title: one.boundMeaning }, one.bound);

/** For a spread: on which GPU the case was the fastest, and how long it takes on the others. */
const placeOf = (model, one) => model.spread && h("span", { class: "on-gpu" }, `on GPU ${one.gpu}`);
function timesElsewhere(model, one) {
	const others = model.elsewhere(one);
	if (!others.length) return null;
	const [least, most] = [Math.min, Math.max].map((choose) => choose(...others.map((other) => other.median)));
	const times = unbroken(timeRange(least, most));
	return h("span", { class: "dim" }, others.length === 1 ? `GPU ${others[0].gpu}: ${times}` : `other GPUs: ${times}`);
}

function verdictRow(app, one, palette) {
	const tries = one.advice[0]?.text;
	return h("li", { class: "verdict" },
		h("div", { class: "verdict-name" }, palette.swatch(one.kernel), app.link(one, one.variant),
			h("code", { class: "config" }, breakable(one.config)), placeOf(app.model, one)),
		h("div", { class: "verdict-time" }, isNumber(one.median)
			? [h("strong", {}, time(one.median)), h("span", { class: "dim" }, plusMinus(one)), timesElsewhere(app.model, one)] : h("span", { class: "dim" }, "no time")),
		h("div", { class: "verdict-bound" }, boundChip(one), one.bound === "unknown" ? "" : h("div", {}, bar(one.roofPct, `the ${one.bound} roof`), modelMark(one.fromModel))),
		h("div", { class: "verdict-text" }, h("p", {}, one.summary ?? "The limiter is not known."),
			tries && h("p", { class: "try" }, h("span", { class: "try-word" }, "Try"), tries)));
}

/** The findings of an emulated case, the largest waste first. */
function emulatedRow(app, one, palette) {
	const wasted = one.notes.filter(({ lost }) => lost !== null).map(({ rule, text, lost }) => {
		const name = rule.replaceAll("_", " ");
		return h("div", { class: "count-row", title: text }, h("span", { class: "dim" }, name), wasteBar(100 * lost, name));
	});
	const said = one.notes.map((note) => note.text).join("; ");
	return h("li", { class: "verdict" },
		h("div", { class: "verdict-name" }, palette.swatch(one.kernel), app.link(one, one.variant), h("code", { class: "config" }, breakable(one.config))),
		h("div", { class: "verdict-time" }, h("span", { class: "dim", title: one.reason ?? one.statusMeaning }, one.status)),
		h("div", { class: "verdict-waste" }, wasted),
		h("div", { class: "verdict-text" }, h("p", {}, said || "The counts show no problem."),
			one.advice.map((note) => h("p", { class: "try" }, h("span", { class: "try-word" }, "Try"), note.text))));
}

/** The variants of each kernel. Of an emulated run, the kernel with the largest waste comes first. */
function byKernel(model) {
	const lists = model.kernels.map((kernel) => [kernel, model.best.filter((one) => one.kernel === kernel).sort(model.emulated ? byLost : byRank)])
		.filter(([, of]) => of.length);
	return model.emulated ? lists.sort(([, [a]], [, [b]]) => byLost(a, b)) : lists;
}

/** The cases shown at first: of every kernel the first ones, or of an emulated run those with the largest waste. */
function shownFirst(model, lists) {
	const { length } = model.best;
	if (length <= SHOWN_FIRST) return new Set(model.best);
	const worst = model.emulated ? [...model.best].sort(byLost).slice(0, SHOWN_FIRST) : [];
	const share = (of) => (model.emulated ? 1 : Math.max(1, Math.round((SHOWN_FIRST * of.length) / length)));
	return new Set([...worst, ...lists.flatMap(([, of]) => of.slice(0, share(of)))]);
}

function roofParts(app) {
	const { model } = app;
	const levels = model.levels.map((level, i) => [level, i]).filter(([level]) => level.per_s !== null);
	const precisions = model.precisions.filter((precision) => precision.per_s !== null && model.best.some((one) => one.place.precision === precision.name));
	if (!levels.length && !precisions.length) return null;
	const head = ["Variant", ...levels.map(([level]) => levelName(level.name)), "Compute"];
	return h("details", { class: "parts", open: model.best.length <= 40 },
		h("summary", {}, "Part of every measured roof"),
		h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Part of every measured roof" },
			h("table", { class: "roofs" },
				h("caption", { class: "unseen" }, "Percentage of every measured roof that the fastest configuration of each variant reaches at its largest problem"),
				h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
				h("tbody", {}, model.best.map((one) => h("tr", {},
					h("th", { scope: "row" }, app.link(one, one.label)),
					levels.map(([level, i]) => h("td", {}, bar(one.levels[i].pct, `the roof of ${level.meaning}`))),
					h("td", {}, bar(one.place.pct, `the ${one.place.precision} roof`), isNumber(one.place.pct) && modelMark(one.place.modelled))))))));
}

export function verdictsSection(app) {
	const { model } = app;
	const section = byId("verdicts");
	const palette = new Palette(model.kernels);
	if (model.emulated) section.querySelector("h2").textContent = "Findings in each kernel";
	if (!model.best.length) {
		section.append(model.cases.some((one) => one.aboveRoof)
			? empty("Every timed case of this run is above a measured roof.", "The section “Roofline” says which roofs, and what may be wrong.")
			: empty("No case of this run succeeded.", "The reasons are below, under “What is missing”."));
		return;
	}
	section.append(h("p", { class: "lead" }, model.emulated
		? "The case of each variant with the largest waste: the share of the counted instructions, wavefronts or bytes that did nothing useful. The largest comes first. There are no times."
		: `The fastest configuration of each variant at its largest problem, of the verified ones if there are any, and the roof that it comes closest to.${model.spread
			? " It is named on the GPU where it was fastest; below its time is the same case on the other GPUs." : ""}`));
	const lists = byKernel(model);
	const first = shownFirst(model, lists);
	const holder = h("div", { class: "verdicts folded" }, lists.map(([kernel, of]) => [
		h("h3", { class: "kernel-name" }, kernel, h("span", { class: "dim" }, ` ${plural(of.length, "variant")}`)),
		h("ul", { class: "verdict-list" }, of.map((one) => {
			const row = (model.emulated ? emulatedRow : verdictRow)(app, one, palette);
			row.classList.toggle("more", !first.has(one));
			return row;
		}))]));
	section.append(holder);
	const hiddenRows = holder.querySelectorAll(".more").length;
	if (hiddenRows) {
		const isFolded = () => holder.classList.contains("folded");
		const fold = (folded) => {
			holder.classList.toggle("folded", folded);
			button.setAttribute("aria-expanded", String(!folded));
			button.textContent = folded ? `Show ${hiddenRows} more variants` : "Show fewer";
			app.address.changed();
		};
		const button = h("button", { type: "button", class: "wide-button", onclick: () => fold(!isFolded()) });
		fold(true);
		section.append(button);
		app.address.part("verdicts", () => (isFolded() ? null : "all"), (value) => fold(value !== "all"));
	}
	section.append(roofParts(app) ?? "");
}
