// The source lines of a profiled case, in its dialog: a bar a line. A line unfolds into the reasons why
// its warps waited, what was inlined into it, what its accesses needed, and its instructions.
import { h, segmented, table } from "../dom.js";
import { isNumber, percent, plural, whole } from "../numbers.js";
import { afterLoading, isProfiled, lanesOf, LANES_PER_WARP, profileOf, wastedSectors, wastedWavefronts } from "../profile.js";

const CONTEXT = 3; // lines around one with a cost
const SHORTEST_GAP = 4; // a shorter one takes as much room as the button that unfolds it
const COSTLY_FIRST = 60; // lines with a cost that are shown at once
const HOTTEST = 5;
const NOTED_FROM = 1; // percent of the case from which a line says why its warps wait
const INSTRUCTIONS_FIRST = 40;
const NOTABLE_WASTE = 0.1;
const NOTABLE_LANES = 0.75;
const NOTABLE_DIVERGENCE = 0.05;
const DEEPEST = 8; // levels of inlining that are indented
const OTHERS = 5;
const HALF_SURE = 60; // percent from which one reason alone says enough

const lastOf = (name) => name.slice(name.lastIndexOf("/") + 1) || name;
const shown = (share) => (share === null ? "–" : share === 0 ? "0 %" : share > 0 && share < 0.05 ? "<0.1 %" : percent(share, share < 9.95 ? 1 : 0));
const partOf = (part) => percent(100 * part, part < 0.0995 ? 1 : 0);
const lanesText = (lanes) => String(Number(lanes.toFixed(1)));
const hasCost = (line) => line.whole.instructions.length > 0;

/* ---- what the numbers say ---- */

/** What is wasted at a line, in words. */
function wastesOf(cost) {
	const [sectors, wavefronts, lanes] = [wastedSectors(cost), wastedWavefronts(cost), lanesOf(cost)];
	const diverging = cost.branches > 0 ? (cost.divergent ?? 0) / cost.branches : 0;
	return [
		sectors >= NOTABLE_WASTE && [`${partOf(sectors)} of its sectors unneeded`, `${whole(cost.sectors)} sectors of global memory; adjacent accesses would need ${whole(cost.ideal_sectors)}`],
		wavefronts >= NOTABLE_WASTE && [`bank conflicts: ${partOf(wavefronts)} of its wavefronts`, `${whole(cost.wavefronts)} wavefronts of shared memory; ${whole(cost.ideal_wavefronts)} without bank conflicts`],
		lanes !== null && lanes < LANES_PER_WARP * NOTABLE_LANES && [`${lanesText(lanes)} of ${LANES_PER_WARP} lanes`, "lanes that executed an instruction, on average"],
		diverging >= NOTABLE_DIVERGENCE && [`${partOf(diverging)} of its branches diverge`, `${whole(cost.divergent)} of ${whole(cost.branches)} branches sent lanes of a warp different ways`],
		cost.local_sectors > 0 && ["local memory", `${whole(cost.local_sectors)} sectors of local memory: spilled registers or arrays on the stack`],
	].filter(Boolean);
}

/** Why most of the samples of a line waited: "waits for a busy arithmetic pipe, 48 %". */
function mainReason(profile, cost) {
	const [main] = profile.reasons(cost);
	if (!main || !(cost.samples > 0)) return null;
	const share = (100 * main.samples) / cost.samples;
	return share >= HALF_SURE ? main.words : `${main.words} (${shown(share)} of it)`;
}

function powerOf(cycles) {
	const power = Math.log2(cycles);
	return Number.isInteger(power) ? `one every 2${String(power).replaceAll(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])} cycles of an SM or more` : `one every ${whole(cycles)} cycles of an SM or more`;
}

/** How the case was profiled, and what of it is missing. */
function about({ data, sampled }) {
	const how = sampled ? [`${plural(data.samples, "sample")} of warps`, data.period_cycles && powerOf(data.period_cycles), data.launches && plural(data.launches, "execution")].filter(Boolean).join(", ") : null;
	const lacks = [
		data.why_no_samples && `Not sampled: ${data.why_no_samples}.`,
		!sampled && data.samples === 0 && "Not one warp was sampled.",
		!sampled && data.lines.executed && "Bars show executed instructions.",
		data.why_no_counts && `Not counted: ${data.why_no_counts}.`,
		data.dropped > 0 && `The hardware lost ${plural(data.dropped, "sample")}.`,
		data.buffer_full === 1 && "Its buffer was full once, so samples are missing.",
	].filter(Boolean);
	return [how && h("p", { class: "hint" }, `${how}. A dark bar is the line itself, a pale one what was inlined into it.`), lacks.length > 0 && h("p", { class: "hint lacks" }, lacks.join(" "))];
}

/* ---- parts of a line ---- */

/** Whether most of what a line costs is inlined code, so that the reasons are those of both. */
const isMostlyInlined = (profile, line) => 2 * profile.amount(line.own) < profile.amount(line.whole) || !line.own.instructions.length;

function meter(own, all) {
	const bars = [own, all].map((share, i) => {
		const fill = h("span", { class: i ? "cost-all" : "cost-own" });
		fill.style.width = `${Math.min(100, share ?? 0)}%`;
		return fill;
	});
	return h("span", { class: "cost-bar", "aria-hidden": "true" }, bars.reverse());
}

/** The interval of a line that was inlined nowhere else; several positions have none together. */
function intervalOf({ frames }) {
	const [only, second] = frames;
	return !second && isNumber(only.low) && isNumber(only.high) ? `${(100 * only.low).toFixed(1)} to ${(100 * only.high).toFixed(1)} %` : null;
}

function titleOf(profile, line) {
	const [own, all] = [profile.share(line.own), profile.share(line.whole)];
	const interval = intervalOf(line);
	return [`${shown(own)} of the ${profile.sampled ? "samples" : "executed instructions"}`, interval && `another sampling would show ${interval} (95 %)`,
		line.inlined.length > 0 && `${shown(all)} with inlined code`].filter(Boolean).join("; ");
}

/** `where` is for readers who hear the page: "line 20". */
function reasonsTable(profile, cost, where) {
	const rows = profile.reasons(cost).map(({ name, words, samples, notIssued }) => {
		const share = (100 * samples) / cost.samples;
		return [h("span", { title: name }, words), h("span", { class: "bar-cell" }, meter(share, share), h("span", { class: "bar-number" }, shown(share))), whole(samples), notIssued ? shown((100 * notIssued) / samples) : "0"];
	});
	return rows.length > 0 && [h("h4", {}, "Where its warps were"), table(`Where the warps of ${where} were`,
		[{ head: "A warp of it", class: "reason-cell" }, { head: "Part" }, { head: "Samples", numeric: true },
			{ head: "Nothing issued", numeric: true, title: "part of these samples in whose cycle the scheduler issued nothing" }], rows, { class: "tight" })];
}

const perRequest = (amount, requests) => (requests > 0 ? `, ${(amount / requests).toFixed(1)} for each` : "");

function countsList(cost) {
	const lanes = lanesOf(cost);
	const rows = [
		["Executed by warps", cost.executed === null ? null : whole(cost.executed)],
		["Lanes", lanes === null ? null : `${lanesText(lanes)} of ${LANES_PER_WARP}`],
		["Global accesses", cost.requests > 0 ? whole(cost.requests) : null],
		["Their sectors", cost.sectors > 0 ? `${whole(cost.sectors)}${perRequest(cost.sectors, cost.requests)}; needed ${whole(cost.ideal_sectors)}` : null],
		["Sectors of local memory", cost.local_sectors > 0 ? whole(cost.local_sectors) : null],
		["Shared accesses", cost.shared_requests > 0 ? whole(cost.shared_requests) : null],
		["Their wavefronts", cost.wavefronts > 0 ? `${whole(cost.wavefronts)}${perRequest(cost.wavefronts, cost.shared_requests)}; needed ${whole(cost.ideal_wavefronts)}` : null],
		["Branches", cost.branches > 0 ? `${whole(cost.branches)}, ${whole(cost.divergent)} diverge` : null],
	].filter(([, value]) => value !== null);
	return rows.length > 0 && [
		h("dl", { class: "facts-list" }, rows.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, value)))),
		cost.varies === 1 && h("p", { class: "hint" }, "A second execution had other counts.")];
}

const hexOf = (pc) => `0x${pc.toString(16).padStart(4, "0")}`;

/** The instructions of one function, the first of them at once. */
function functionTable(profile, name, instructions, where) {
	const counted = instructions.some(({ executed }) => executed !== null);
	const rowOf = (one) => {
		const share = profile.share(one);
		return [h("code", {}, hexOf(one.pc)), h("span", { class: "bar-cell" }, meter(share, share), h("span", { class: "bar-number" }, shown(share))),
			...(profile.sampled ? [whole(one.samples ?? 0)] : []), ...(counted ? [whole(one.executed)] : [])];
	};
	const columns = [{ head: "Address" }, { head: "Part of the case" }, ...(profile.sampled ? [{ head: "Samples", numeric: true }] : []), ...(counted ? [{ head: "Executed", numeric: true }] : [])];
	const draw = (count) => table(`Instructions of ${where} in ${name}`, columns, instructions.slice(0, count).map(rowOf), { class: "tight" });
	const host = h("div", {}, draw(INSTRUCTIONS_FIRST));
	if (instructions.length > INSTRUCTIONS_FIRST)
		host.append(h("button", { type: "button", class: "wide-button", onclick: () => host.replaceChildren(draw(instructions.length)) }, `Show all ${whole(instructions.length)} instructions`));
	const share = profile.share({ [profile.measure]: instructions.reduce((sum, one) => sum + profile.amount(one), 0) });
	return [h("h4", { class: "function-head" }, h("span", {}, `${plural(instructions.length, "instruction")}, ${shown(share)} of the case, in`), h("code", { class: "function-cell", title: name }, name)), host];
}

function instructionTables(profile, { instructions }, where) {
	const byFunction = new Map();
	for (const one of instructions) {
		const of = byFunction.get(one.function) ?? [];
		of.push(one);
		byFunction.set(one.function, of);
	}
	return [...byFunction].map(([name, of]) => functionTable(profile, name, of, where));
}

/* ---- the listing ---- */

class Lines {
	constructor(app, one, profile, host) {
		Object.assign(this, { app, one, profile, host });
		this.open = null; // the line in the address
		this.file = profile.files[0] ?? null;
		this.unknown = h("p", { class: "finding", role: "note", hidden: true });
		this.listing = h("div", { class: "source", role: "group" });
		this.listing.addEventListener("keydown", (event) => this.pressed(event));
		this.allButton = h("button", { type: "button", class: "wide-button", hidden: true, onclick: () => {
			for (const gap of this.gaps()) gap.unfold();
			this.unfolded();
		} });
		host.append(...about(profile).filter(Boolean), this.unknown, this.hottest(), this.chooser(), this.listing, this.allButton);
		this.draw();
	}

	/* ---- choosing ---- */

	/** A button that shows a line. */
	link(file, number, text = `${lastOf(file.source.name)}:${number}`) {
		return h("button", { type: "button", class: "link", title: `${file.source.name}:${number}`, onclick: () => this.reveal(file, number) }, text);
	}

	fileOf(frame) {
		return this.profile.files.find(({ source }) => source === frame.file);
	}

	hottest() {
		const all = this.profile.files.flatMap((file) => [...file.lines.values()].map((line) => ({ file, line, cost: this.profile.amount(line.own) })));
		const best = all.filter(({ cost }) => cost > 0).sort((a, b) => b.cost - a.cost).slice(0, HOTTEST);
		if (best.length < 2) return "";
		return h("ol", { class: "hottest", "aria-label": "The costliest lines" }, best.map(({ file, line }) => h("li", {},
			h("span", { class: "hot-share" }, shown(this.profile.share(line.own))),
			h("div", {}, h("div", { class: "hot-line" }, this.link(file, line.number), this.hotCode(line)),
				h("div", { class: "hot-why" }, [mainReason(this.profile, line.own), ...wastesOf(line.own).map(([text]) => text)].filter(Boolean).join("; "))))));
	}

	/** The text of a line. If it is not kept, the nearest call with text, into which the line was inlined. */
	hotCode({ frames }) {
		let [frame] = frames;
		while (frame.caller && !frame.file.text) frame = frame.caller;
		return [frame !== frames[0] && h("span", {}, "in ", this.link(this.fileOf(frame), frame.line)), h("code", { class: "clip" }, this.codeOf(frame))];
	}

	nameOf(file) {
		const last = lastOf(file.source.name);
		return this.profile.files.some((other) => other !== file && lastOf(other.source.name) === last) ? file.source.name : last;
	}

	chooser() {
		const { files, nowhere, total } = this.profile;
		const options = files.map((file, i) => [String(i), `${this.nameOf(file)}  ${shown(total > 0 ? (100 * file.cost) / total : null)}`, file.source.name]);
		if (nowhere) options.push(["nowhere", `${files.length ? "no position" : "instructions"}  ${shown(this.profile.share(nowhere))}`, "instructions whose place in the source is not known"]);
		const chosen = this.file ? "0" : "nowhere";
		this.tabs = segmented("Source file", options, chosen, (key) => this.choose(files[Number(key)] ?? null));
		this.tabs.classList.add("files");
		return this.tabs;
	}

	choose(file) {
		this.file = file;
		this.open = null;
		this.tabs.mark(file ? String(this.profile.files.indexOf(file)) : "nowhere");
		this.draw();
		this.app.address.changed();
	}

	/* ---- drawing ---- */

	draw() {
		this.toggles = [];
		this.rows = new Map();
		if (this.file) this.drawFile();
		else this.drawNowhere();
	}

	drawNowhere() {
		const { nowhere } = this.profile;
		this.listing.setAttribute("aria-label", "Instructions without a position in the source");
		this.listing.className = "source plain-source";
		this.allButton.hidden = true;
		this.listing.replaceChildren(...(nowhere ? [h("p", { class: "hint" }, "Where these instructions are in the source is not known. Code that is compiled with -lineinfo has positions."),
			reasonsTable(this.profile, nowhere, "the case"), countsList(nowhere), instructionTables(this.profile, nowhere, "the case")].flat(Infinity).filter(Boolean) : [h("p", { class: "hint" }, "No instruction was executed or sampled.")]));
	}

	drawFile() {
		const { source } = this.file;
		this.listing.setAttribute("aria-label", `Lines of ${source.name}`);
		this.listing.className = "source";
		const note = source.text ? "" : h("p", { class: "hint source-note" }, `The text of ${source.name} is not kept: ${source.why ?? "the run did not look for it"}.`);
		this.listing.replaceChildren(note, h("div", { class: "source-lines" }, this.parts()));
		this.allButton.hidden = !this.gaps().length;
		this.allButton.textContent = `Show all ${plural(this.numbers().length, "line")}`;
		if (this.toggles.length) this.toggles[0].tabIndex = 0;
	}

	/** The numbers of all lines that can be shown. */
	numbers() {
		const { source: { text }, lines } = this.file;
		const costly = [...lines.values()].filter(hasCost).map(({ number }) => number);
		// a position may be wrong
		return text ? [...text.map((_, i) => i + 1), ...costly.filter((number) => number < 1 || number > text.length)] : costly;
	}

	/** The costliest lines and those around them; a button stands for each gap. */
	parts() {
		const amountOf = (line) => this.profile.amount(line.whole);
		const costliest = [...this.file.lines.values()].filter(hasCost).sort((a, b) => amountOf(b) - amountOf(a)).slice(0, COSTLY_FIRST);
		const around = this.file.source.text ? CONTEXT : 0;
		const wanted = new Set(costliest.flatMap(({ number }) => Array.from({ length: 2 * around + 1 }, (_, i) => number - around + i)));
		const parts = [];
		let folded = [];
		const fold = () => {
			parts.push(folded.length >= SHORTEST_GAP ? this.gap(folded) : folded.map((number) => this.row(number)));
			folded = [];
		};
		for (const number of this.numbers()) {
			if (!wanted.has(number)) {
				folded.push(number);
				continue;
			}
			fold();
			parts.push(this.row(number));
		}
		fold();
		return parts;
	}

	gaps() {
		return [...this.listing.querySelectorAll("button.gap")];
	}

	/** Stands for lines, and says what they cost. */
	gap(numbers) {
		const costs = numbers.map((number) => this.file.lines.get(number)?.own).filter(Boolean);
		const share = this.profile.share({ [this.profile.measure]: costs.reduce((sum, cost) => sum + this.profile.amount(cost), 0) });
		const unfold = () => button.replaceWith(...numbers.flatMap((number) => this.row(number)).filter(Boolean));
		const button = h("button", { type: "button", class: "gap", onclick: () => {
			unfold();
			this.unfolded();
		} }, `⋯ ${plural(numbers.length, "line")}${costs.length && share > 0 ? `, ${shown(share)}` : ""}`);
		return Object.assign(button, { numbers: new Set(numbers), unfold });
	}

	/** Gaps became lines: arrow keys reach them in the order of the page. */
	unfolded() {
		this.allButton.hidden = !this.gaps().length;
		this.toggles.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
	}

	row(number) {
		const line = this.file.lines.get(number);
		const code = h("code", { class: "code" }, this.file.source.text?.[number - 1] ?? "");
		if (!line || !hasCost(line)) return h("div", { class: "source-line" }, h("span", { class: "gutter" }, h("span", { class: "line-number" }, number)), code);
		const [own, all] = [this.profile.share(line.own), this.profile.share(line.whole)];
		const main = isMostlyInlined(this.profile, line) ? line.whole : line.own;
		const why = mainReason(this.profile, main);
		const more = h("div", { class: "line-more", id: `line-${this.profile.files.indexOf(this.file)}-${number}`, hidden: true });
		const toggle = h("button", {
			type: "button", class: "gutter", tabindex: "-1", "aria-expanded": "false", "aria-controls": more.id, title: titleOf(this.profile, line), "data-line": number,
			onclick: () => this.toggle(number),
		}, h("span", { class: "unseen" }, "Line "), h("span", { class: "line-number" }, number), meter(own, all), h("span", { class: "line-share" }, shown(all)),
		h("span", { class: "unseen" }, `: ${titleOf(this.profile, line)}${why ? `; ${why}` : ""}`));
		this.toggles.push(toggle);
		this.rows.set(number, { line, toggle, more });
		const notes = all === null || all >= NOTED_FROM ? [why && h("span", {}, why), all - own >= NOTED_FROM && h("span", { class: "dim" }, `${shown(own)} itself, ${shown(all - own)} inlined`), ...wastesOf(main).map(([text, title]) => h("span", { class: "waste-badge", title }, text))].filter(Boolean) : [];
		code.addEventListener("click", () => getSelection().isCollapsed && this.toggle(number));
		return [h("div", { class: `source-line costly ${all >= 10 ? "hot" : ""}` }, toggle, code), notes.length > 0 && h("div", { class: "line-note" }, notes), more];
	}

	/* ---- unfolding ---- */

	toggle(number, wanted = null) {
		const { line, toggle, more } = this.rows.get(number);
		const unfold = wanted ?? more.hidden;
		this.focused(toggle);
		if (unfold === !more.hidden) return;
		if (unfold && !more.childNodes.length) more.append(h("div", { class: "line-inside" }, this.details(line)));
		more.hidden = !unfold;
		toggle.setAttribute("aria-expanded", String(unfold));
		if (unfold) this.open = number;
		else if (this.open === number) this.open = null;
		this.app.address.changed();
	}

	details(line) {
		const inlined = isMostlyInlined(this.profile, line);
		const cost = inlined ? line.whole : line.own;
		return [
			h("p", { class: "hint" }, `${titleOf(this.profile, line)}.${inlined ? " Most of it is inlined code, which these reasons and counts include." : ""}`),
			reasonsTable(this.profile, cost, `line ${line.number}`), countsList(cost), this.inlined(line), this.callers(line), instructionTables(this.profile, line.own, `line ${line.number}`),
		].flat(Infinity).filter(Boolean);
	}

	/** The text of a line, without its indentation. */
	codeOf(frame) {
		return (frame.file.text?.[frame.line - 1] ?? "").trim();
	}

	/** Positions that differ only in the call that they were inlined through become one. */
	inlinedItems(frames, depth) {
		const alike = new Map();
		for (const frame of frames) {
			const key = JSON.stringify([frame.file.name, frame.line, frame.function]);
			alike.set(key, [...(alike.get(key) ?? []), frame]);
		}
		const amountOf = (group) => group.reduce((sum, { cost }) => sum + this.profile.amount(cost), 0);
		return [...alike.values()].sort((a, b) => amountOf(b) - amountOf(a) || a[0].line - b[0].line).flatMap((group) => {
			const [frame] = group;
			const place = h("span", { class: "inlined-line" }, this.link(this.fileOf(frame), frame.line), h("code", { class: "code" }, this.codeOf(frame)),
				frame.function && h("code", { class: "function-cell", title: frame.function }, frame.function));
			place.style.paddingLeft = `${Math.min(depth, DEEPEST)}em`;
			return [h("li", {}, h("span", { class: "hot-share" }, shown(this.profile.share({ [this.profile.measure]: amountOf(group) }))), place),
				...this.inlinedItems(group.flatMap(({ inlined }) => inlined), depth + 1)];
		});
	}

	inlined(line) {
		return line.inlined.length > 0 && [h("h4", {}, "Inlined here"), h("ul", { class: "inlined" }, this.inlinedItems(line.inlined, 0))];
	}

	/** Where the function of the line was inlined, the costliest first. */
	callers(line) {
		const inner = line.frames.filter(({ caller }) => caller).sort((a, b) => this.profile.amount(b.cost) - this.profile.amount(a.cost));
		return inner.length > 0 && [h("h4", {}, "Inlined into"), h("ul", { class: "inlined" }, inner.map((frame) => {
			const chain = [];
			for (let at = frame.caller; at; at = at.caller) chain.push(h("span", {}, chain.length ? "← " : "", this.link(this.fileOf(at), at.line)));
			return h("li", {}, h("span", { class: "hot-share" }, shown(this.profile.share(frame.cost))), h("span", { class: "inlined-line" }, chain));
		}))];
	}

	/* ---- keys ---- */

	/** The tab key reaches one line; arrow keys move on from there. */
	focused(toggle) {
		for (const other of this.toggles) other.tabIndex = other === toggle ? 0 : -1;
	}

	pressed(event) {
		const at = this.toggles.indexOf(event.target);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.toggles.length - 1 }[event.key];
		if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
		if (to !== undefined && this.toggles[to]) {
			this.focused(this.toggles[to]);
			this.toggles[to].focus();
		} else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
			this.toggle(Number(event.target.dataset.line), event.key === "ArrowRight");
		} else if (to === undefined) {
			return;
		}
		event.preventDefault();
	}

	/* ---- address ---- */

	/** Unfolds a line and scrolls to it. */
	reveal(file, number) {
		if (this.file !== file) this.choose(file);
		const gap = this.gaps().find(({ numbers }) => numbers.has(number));
		gap?.click();
		const row = this.rows.get(number);
		if (!row) return;
		this.toggle(number, true);
		this.open = number;
		row.toggle.scrollIntoView({ block: "center" });
		row.toggle.focus({ preventScroll: true });
		this.app.address.changed();
	}

	get address() {
		return this.open === null ? null : `${this.file.source.name}:${this.open}`;
	}

	go(text) {
		const [, name, number] = /^(.*):(\d+)$/s.exec(text) ?? [null, "", 0];
		const file = this.profile.files.find(({ source }) => source.name === name);
		const known = Boolean(file?.lines.has(Number(number)) && hasCost(file.lines.get(Number(number))));
		this.unknown.hidden = known;
		this.unknown.textContent = known ? "" : `The address names a line that costs nothing in this case: ${text}`;
		if (known) this.reveal(file, Number(number));
	}
}

/** For a case that was not profiled: the cases of its variant that were, mostly the fastest one. */
function elsewhere(app, one) {
	const others = app.model.cases.filter((other) => other.family === one.family && isProfiled(other));
	return others.length > 0 && h("p", { class: "hint" }, "This case was not profiled. Of its variant, these were: ",
		others.slice(0, OTHERS).flatMap((other, i) => [i ? ", " : "", app.link(other, other.config)]), others.length > OTHERS ? ", …" : "");
}

/** The section of a case, and `go(text)` to show the line of an address. */
export function linesOf(app, one) {
	const section = h("section", { class: "lines", hidden: true }, h("h3", {}, "Source lines"));
	let lines = null;
	let wanted = null;
	afterLoading(() => {
		let profile = null;
		try {
			profile = profileOf(one);
		} catch (error) {
			profile = { damaged: String(error) }; // the rest of the case is worth showing
		}
		const others = !profile && elsewhere(app, one);
		section.hidden = !profile && !others;
		if (!profile) section.append(others || "");
		else if (profile.damaged) section.append(h("p", { class: "hint" }, `They cannot be read: ${profile.damaged}`));
		else lines = new Lines(app, one, profile, section);
		if (wanted !== null) lines?.go(wanted);
	});
	return {
		section,
		/** For the address. null: no line is unfolded. */
		get text() { return lines?.address ?? null; },
		go(text) {
			wanted = text;
			lines?.go(text);
		},
	};
}
