// The table of all cases: sort, filter, search, choose columns. It shows one page of rows at a time, so
// ten thousand cases are as quick as ten.
import { listOf, listText } from "../address.js";
import { Palette, statusMark } from "../colours.js";
import { announce, byId, h, select } from "../dom.js";
import { byRank, byTrust, unique } from "../model.js";
import { bandwidth, halfInterval, inUnit, isNumber, percent, plural, plusMinus, rate, three, time, whole } from "../numbers.js";
import { levelName } from "./roofline.js";
import { ratioOf, sentenceOf } from "./speedup.js";
import { boundChip, modelMark } from "./verdicts.js";

const PAGE = 50;

/** The columns that say how fast a case is: sorting by one of them is a ranking. */
const RANKING = ["median", "dram", "useful", "flop_rate", "roof", "speedup"];

/** Without a time, why: the status, in place of the median. */
const medianOf = (one) => (one.median === null ? h("span", { class: one.failure ? "no-time failed" : "no-time", title: one.reason ?? one.statusMeaning }, one.status) : time(one.median));
const roofOf = (one) => (one.aboveRoof ? h("span", { class: "above", title: one.aboveRoof }, percent(one.roofPct, 0)) : h("span", {}, percent(one.roofPct, one.roofPct < 10 ? 1 : 0), modelMark(one.fromModel)));

/** The largest waste that an emulator found. */
const findingOf = (one) => {
	const [worst] = one.notes;
	if (!worst) return one.failure || one.status === "skipped" ? medianOf(one) : null;
	return h("span", { class: "finding-cell", title: one.notes.map(({ text }) => text).join("; ") }, worst.rule.replaceAll("_", " "));
};

/**
 * { id, head, title?, numeric, value(case) to sort by, show(case), on, auto?(cases): whether a column that
 * nobody chose is shown with these cases }. What a reader looks for comes first, on any screen.
 */
function columnsOf(app, palette) {
	const { model } = app;
	const number = (id, head, value, show, on, title) =>
		({ id, head, title, numeric: true, value, show: (one) => show(value(one)), on });
	const counter = (metric) => (one) => model.counter(one, metric);
	const some = (value) => model.cases.some((one) => isNumber(value(one)));
	const axis = (name, i) => ({ ...number(`axis ${name}`, name, (one) => one.axes[i], whole, true), auto: (cases) => {
		const known = cases.filter((one) => one.axes[i] !== null);
		return known.length * 2 >= cases.length && known.some((one) => one.axes[i] !== known[0].axes[i]);
	} });
	const results = model.emulated ? [
		{ id: "finding", head: "Worst finding", title: "The finding with the largest waste", value: (one) => one.notes[0]?.rule ?? null, show: findingOf, on: true },
		number("lost", "Lost", (one) => one.lost, (value) => percent(isNumber(value) ? 100 * value : null, 0), true, "The share of the counted instructions, wavefronts or bytes that did nothing useful"),
	] : [
		{ ...number("median", "Median", (one) => one.median, time, true, "Median of the samples"), show: medianOf },
		{ id: "bound", head: "Limiter", title: "What limits the case", value: (one) => (one.median === null ? null : one.bound), show: (one) => (one.median === null ? null : boundChip(one)), on: true },
		{ ...number("roof", "Of roof", (one) => one.roofPct, percent, true, "Percentage of the closest measured roof"), show: roofOf },
	];
	const base = [
		{ id: "variant", head: "Case", value: (one) => one.family, on: true, fixed: true,
			show: (one) => h("span", { class: "case-cell" }, palette.swatch(one.kernel), h("span", {}, app.link(one, one.family), h("span", { class: "case-config" }, one.config.replaceAll(",", " ")))) },
		...results,
		{ ...number("speedup", "Speed-up", (one) => one.speedup?.ratio ?? null, ratioOf, true, "Time of the base case over the time of the case, measured in turn"),
			show: (one) => (one.speedup ? h("span", { title: sentenceOf(one) }, one.speedup.ratio === null ? one.speedup.verdict : `${ratioOf(one.speedup)} ${one.speedup.verdict}`) : null) },
		{ id: "status", head: "Status", value: (one) => one.status, on: true,
			show: (one) => h("span", { class: "status-cell", title: one.reason ?? one.statusMeaning }, statusMark(one), one.status, one.aboveRoof && h("span", { class: "above", title: one.aboveRoof }, "above a roof")) },
		number("gpu", "GPU", (one) => one.gpu, whole, true, "The GPU that measured the case"),
		...model.axes.map(axis),
		{ ...number("interval", "Session CI", halfInterval, three, true, "Half of the 95 % interval of the time in this session, in percent: of other rounds and placements, not of other sessions or cards"), show: plusMinus },
		number("samples", "Samples", (one) => one.samples || null, whole, false),
		number("dram", "DRAM", (one) => one.levels[0].rate, bandwidth, true, "Counted DRAM bytes over the median time"),
		number("useful", "Useful", (one) => (isNumber(one.bytes) && one.median > 0 ? (1e9 * one.bytes) / one.median : null), bandwidth, !model.hasCounter("dram_bytes"), "Bytes of the work model over the median time"),
		number("flop_rate", "FLOP/s", (one) => one.rate, rate, true, "Counted operations over the median time"),
		...model.levels.map((level, i) => number(`intensity ${level.name}`, `${levelName(level.name)} FLOP/B`, (one) => one.levels[i].intensity, three, false)),
		number("waste", "Moved / needed", (one) => one.waste, three, false, "DRAM bytes over the bytes of the work model"),
		number("occupancy", "Occupancy", counter("achieved_occupancy_pct"), percent, true, "Achieved occupancy"),
		number("limit", "Occ. limit", (one) => one.occupancyLimit, percent, model.emulated, "Theoretical occupancy"),
		number("branches", "Branch eff.", counter("branch_efficiency_pct"), percent, true, "Branch efficiency"),
		number("registers", "Regs", (one) => one.registers, whole, false, "Registers per thread"),
		...model.counters.map((one) => ({ ...number(`counter ${one.metric}`, one.metric, counter(one.metric), (value) => inUnit(value, one.unit), model.emulated && /_(pct|request|intensity)$/.test(one.metric), one.meaning), counter: true })),
		{ id: "reason", head: "Reason", value: (one) => one.reason, show: (one) => one.reason && h("span", { class: "reason" }, one.reason), on: model.cases.some((one) => one.reason) },
	];
	return base.filter((column) => !column.numeric || some(column.value));
}

/**
 * Sorts numbers inside names by value. Missing values come last in either direction, and in a ranking so do the cases that cannot be
 * trusted as the others.
 */
function order(column, descending) {
	const sign = descending ? -1 : 1;
	const collator = new Intl.Collator("en", { numeric: true });
	return (a, b) => {
		const [left, right] = [column.value(a), column.value(b)];
		if (left === null || right === null) return (left === null) - (right === null) || a.at - b.at;
		const rank = RANKING.includes(column.id) ? byTrust(a, b) : 0;
		if (rank) return rank;
		return sign * (typeof left === "number" ? left - right : collator.compare(left, right)) || a.at - b.at;
	};
}

/** Whether a pattern with "*" covers the whole text. In time that is linear in the text: an address may hold any pattern. */
function covers(pattern, text) {
	const [first, ...pieces] = pattern.split("*");
	const last = pieces.pop();
	if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
	let at = first.length;
	for (const piece of pieces) {
		const found = text.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return at <= text.length - last.length;
}

/** Says whether a case has all words; a word with "*" is a pattern of its name. */
function searchOf(text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	return (one) => {
		if (!words.length) return true;
		const about = `${one.name} ${one.status} ${one.aboveRoof ? "above a roof" : ""} ${one.bound} ${one.notes.map(({ rule }) => rule.replaceAll("_", " ")).join(" ")} ${one.reason ?? ""}`.toLowerCase();
		return words.every((word) => (word.includes("*") ? [one.family, one.name].some((name) => covers(word, name.toLowerCase())) : about.includes(word)));
	};
}

/** How the rows stand unless a column sorts them: each kernel with its best case first, unless `--sort` has ordered them. */
function unsorted(model) {
	if (model.emulated || model.selection?.sort) return null;
	const kernels = new Map(model.kernels.map((kernel, i) => [kernel, i]));
	return (a, b) => kernels.get(a.kernel) - kernels.get(b.kernel) || byRank(a, b);
}

class Cases {
	constructor(app, section) {
		this.app = app;
		this.columns = columnsOf(app, new Palette(app.model.kernels));
		this.filters = { text: "", status: "", kernel: "", bound: "" };
		this.sorted = this.firstOrder();
		this.unsorted = unsorted(app.model);
		this.page = 0;
		this.count = h("p", { class: "count" });
		this.ranked = h("p", { class: "hint" }, "For each kernel, the largest problem comes first, then the fastest case.");
		this.body = h("tbody", {});
		this.headRow = h("tr", {});
		this.pager = h("div", { class: "pager" });
		section.append(this.controls(), this.count, this.ranked,
			h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of all cases" },
				h("table", { id: "case-table", class: "cases" }, h("caption", { class: "unseen" }, "All cases; click a column head to sort"),
					h("thead", {}, this.headRow), this.body)),
			this.pager);
		this.update();
		this.addParts();
	}

	/** Emulated cases start with the largest waste; null: see unsorted(). */
	firstOrder() {
		const column = this.columns.find(({ id }) => id === "lost");
		return column ? { column, descending: true, turned: true } : null;
	}

	controls() {
		const { model } = this.app;
		const choice = (label, key, values, name = (value) => value) => {
			if (values.length < 2) return false;
			this.choices.set(key, { values, field: select(label, [["", "all"], ...values.map((value) => [value, name(value)])], "", (value) => this.filter(key, value)) });
			return this.choices.get(key).field;
		};
		this.choices = new Map();
		let later;
		this.search = h("input", {
			type: "search", placeholder: "kernel, variant, block=256, reason…", id: "case-search", title: "Words that a case must have; reduce/* is a pattern of its name",
			oninput: (event) => {
				clearTimeout(later);
				later = setTimeout(() => this.filter("text", event.target.value.trim()), 80);
			},
		});
		return h("div", { class: "controls" },
			h("label", { class: "field grow" }, h("span", {}, "Search"), this.search),
			choice("Kernel", "kernel", model.kernels),
			choice("Status", "status", unique(model.cases.map((one) => one.status))),
			choice("Limiter", "bound", unique(model.timed.map((one) => one.bound))),
			this.chooser(),
			h("button", { type: "button", onclick: () => this.download(), title: "Save the rows shown as CSV" }, "CSV"));
	}

	filter(key, value) {
		this.filters[key] = value;
		this.update();
	}

	/* ---- the address ---- */

	addParts() {
		const { address } = this.app;
		address.part("find", () => this.filters.text || null, (text) => {
			this.search.value = text ?? "";
			this.filter("text", (text ?? "").trim());
		});
		for (const [key, name] of [["kernel", "kernel"], ["status", "status"], ["bound", "limiter"]]) {
			address.part(name, () => this.filters[key] || null, (text) => {
				const choice = this.choices.get(key);
				const value = choice?.values.includes(text) ? text : "";
				choice?.field.mark(value);
				this.filter(key, value);
			});
		}
		const first = this.orderText();
		address.part("sort", () => (this.orderText() === first ? null : this.orderText()), (text) => {
			const column = this.columns.find(({ id }) => id === text?.replace(/^-/, ""));
			// an order of a link comes back to that of the plan with the next click
			this.sorted = column ? { column, descending: text.startsWith("-"), turned: true } : text === "plan" ? null : this.firstOrder();
			this.update();
		});
		address.part("columns", () => listText(this.columns.filter(({ chosen }) => chosen !== undefined).map(({ id, chosen }) => (chosen ? "+" : "-") + id)) || null, (text) => {
			const chosen = new Map(listOf(text).map((item) => [item.slice(1), item.startsWith("+")]));
			for (const column of this.columns) if (!column.fixed) column.chosen = chosen.get(column.id);
			this.update();
		});
		address.part("page", () => (this.page ? String(this.page + 1) : null), (text) => {
			this.page = /^\d{1,6}$/.test(text ?? "") ? Math.min(Math.max(0, Number(text) - 1), this.pages - 1) : 0;
			this.drawRows();
		});
	}

	orderText() {
		return this.sorted ? (this.sorted.descending ? "-" : "") + this.sorted.column.id : "plan";
	}

	/* ---- columns ---- */

	chooser() {
		this.boxes = h("div", { class: "menu-list" });
		const menu = h("details", { class: "menu", ontoggle: () => menu.open && this.drawBoxes() }, h("summary", {}, "Columns"), this.boxes);
		addEventListener("click", (event) => {
			if (menu.open && !menu.contains(event.target)) menu.open = false;
		});
		menu.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			menu.open = false;
			menu.firstChild.focus();
		});
		return menu;
	}

	drawBoxes() {
		this.boxes.replaceChildren(...this.columns.filter((column) => !column.fixed).map((column) =>
			h("label", { title: column.title }, h("input", {
				type: "checkbox", checked: this.isOn(column),
				onchange: (event) => {
					column.chosen = event.target.checked;
					this.drawTable();
				},
			}), column.head)));
	}

	isOn(column) {
		return column.chosen ?? (column.auto ? column.auto(this.rows.length ? this.rows : this.app.model.cases) : column.on);
	}

	drawHead() {
		this.headRow.replaceChildren(...this.shown.map((column) => h("th", {
			scope: "col", class: column.numeric ? "number" : null,
			"aria-sort": this.sorted?.column === column ? (this.sorted.descending ? "descending" : "ascending") : "none",
		}, h("button", { type: "button", title: column.title, onclick: () => this.sortBy(column) }, column.head, h("span", { class: "arrow", "aria-hidden": "true" })))));
	}

	sortBy(column) {
		const again = this.sorted?.column === column;
		// the third click restores the first order
		if (again && this.sorted.turned) this.sorted = null;
		else this.sorted = { column, descending: again ? !this.sorted.descending : false, turned: again };
		this.update();
		this.headRow.children[this.shown.indexOf(column)].firstChild.focus();
	}

	/* ---- rows ---- */

	get pages() {
		return Math.max(1, Math.ceil(this.rows.length / PAGE));
	}

	update() {
		const { text, status, kernel, bound } = this.filters;
		const has = searchOf(text);
		this.rows = this.app.model.cases.filter((one) => !(status && one.status !== status) && !(kernel && one.kernel !== kernel) &&
			!(bound && (one.bound !== bound || one.median === null)) && has(one));
		const compare = this.sorted ? order(this.sorted.column, this.sorted.descending) : this.unsorted;
		if (compare) this.rows.sort(compare);
		this.page = 0;
		const all = this.app.model.cases.length;
		this.ranked.hidden = this.sorted || !this.unsorted || this.rows.length < 2;
		this.count.textContent = this.rows.length === all ? plural(all, "case") : `${whole(this.rows.length)} of ${plural(all, "case")}`;
		announce(this.count.textContent);
		this.drawTable();
	}

	drawTable() {
		this.shown = this.columns.filter((column) => this.isOn(column));
		this.drawHead();
		this.drawRows();
	}

	drawRows() {
		const begin = this.page * PAGE;
		this.body.replaceChildren(...this.rows.slice(begin, begin + PAGE).map((one) => h("tr", { class: one.failure ? "failed" : null, "data-case": one.at },
			this.shown.map((column, i) => h(i === 0 ? "th" : "td", { class: column.numeric ? "number" : null, scope: i === 0 ? "row" : null }, column.show(one) ?? "–")))));
		if (!this.rows.length)
			this.body.append(h("tr", {}, h("td", { colspan: this.shown.length, class: "nothing" }, this.app.model.cases.length ? "No case matches. Remove a filter." : "This run has no cases.")));
		this.drawPager(begin);
		this.app.address.changed();
	}

	drawPager(begin) {
		const { pages } = this;
		if (pages < 2) return this.pager.replaceChildren();
		const go = (label, page, name) => h("button", {
			type: "button", "aria-label": name, "aria-disabled": page < 0 || page >= pages || page === this.page ? "true" : null,
			onclick: () => {
				if (page < 0 || page >= pages || page === this.page) return;
				this.page = page;
				this.drawRows();
				[...this.pager.children].find((child) => child.getAttribute("aria-label") === name)?.focus();
				announce(this.pager.textContent);
			},
		}, label);
		this.pager.replaceChildren(go("«", 0, "First page"), go("‹", this.page - 1, "Previous page"),
			h("span", {}, `${whole(begin + 1)} to ${whole(Math.min(begin + PAGE, this.rows.length))} of ${whole(this.rows.length)}`),
			go("›", this.page + 1, "Next page"), go("»", pages - 1, "Last page"));
	}

	/** Saves plain numbers in the units of the database. */
	download() {
		const quote = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
		const lines = [["case", ...this.shown.map((column) => column.id)], ...this.rows.map((one) => [one.name, ...this.shown.map((column) => String(column.value(one) ?? ""))])];
		const url = URL.createObjectURL(new Blob([lines.map((line) => line.map(quote).join(",")).join("\r\n")], { type: "text/csv" }));
		h("a", { href: url, download: `perflab-${this.app.model.gpus ? "sweep" : `run-${this.app.model.run.id}`}.csv` }).click();
		setTimeout(() => URL.revokeObjectURL(url), 1000);
	}
}

export function casesSection(app) {
	new Cases(app, byId("cases"));
}
