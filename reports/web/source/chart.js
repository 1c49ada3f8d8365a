// A chart: a figure with a summary in words, a plot drawn by Vega-Lite, and the same numbers as a
// table. A plot is drawn when it scrolls into view. The pointer selects the nearest point and the
// arrow keys step through the points. A selected point shows its numbers and can open its case.
import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { announce, h, table } from "./dom.js";
import { hideTip, showTip } from "./tooltip.js";
import { onTheme, resolved } from "./theme.js";
import { plural } from "./numbers.js";
import { enableZoom } from "./zoom.js";

const MANY_POINTS = 2500; // a plot with more is drawn on a canvas
const NEAR_PX = 28;
const TABLE_MOST = 200;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

const CONFIG = {
	background: null,
	font: FONT,
	padding: 4,
	view: { stroke: null },
	axis: {
		domainColor: "var(--line-strong)", tickColor: "var(--line-strong)", gridColor: "var(--line)",
		labelColor: "var(--ink-2)", titleColor: "var(--ink-2)", labelFontSize: 11, titleFontSize: 12,
		titleFontWeight: 500, titlePadding: 8, labelPadding: 4, tickSize: 4, labelLimit: 220,
	},
	text: { color: "var(--ink-2)", fontSize: 11 },
	aria: false, // the figure has a summary in words
	customFormatTypes: false,
};
const LOADER = {
	load: () => Promise.reject(new Error("this page loads nothing")),
	sanitize: () => Promise.reject(new Error("this page has no links to follow")),
};
const QUIET = { level: () => QUIET, error: () => QUIET, warn: () => QUIET, info: () => QUIET, debug: () => QUIET };

const visible = new IntersectionObserver((entries) => {
	for (const entry of entries) {
		if (!entry.isIntersecting) continue;
		visible.unobserve(entry.target);
		entry.target.chart.draw();
	}
}, { rootMargin: "300px" });
const charts = new Set();

const withColours = (spec) =>
	JSON.parse(JSON.stringify(spec).replaceAll(/var\((--[\w-]+)\)/g, (_, name) => resolved(name)));

export class Chart {
	/**
	 * options:
	 *  title, height: of the figure; height may be a function of the width
	 *  spec(size): { params?, layer } of Vega-Lite, with fields x and y in data units
	 *  focus: encodings x and y of the ring around the selected point
	 *  points(): [{ x, y, … }] that can be selected, in the order of the arrow keys
	 *  tip(point): content for showTip(); pick(point): called on a click or Enter
	 *  summary(): one or two sentences that say what the plot shows
	 *  table(): { columns, rows } with the numbers of the plot
	 *  zoom: { x: [low, high], y: [low, high] }: logarithmic scales, bound to the params x0 … y1
	 *  attend(view, point): draws more for the selected point; null: none is selected
	 */
	constructor(host, options) {
		this.options = options;
		this.plot = h("div", { class: "plot", tabindex: "0" });
		this.plot.chart = this;
		this.caption = h("p", { class: "summary" });
		this.data = h("details", { class: "data", ontoggle: () => this.fillTable() },
			h("summary", {}, "The numbers in this plot"));
		this.tools = h("div", { class: "tools" });
		this.figure = h("figure", { class: "chart", "aria-label": options.title },
			h("div", { class: "figure-head" }, h("figcaption", {}, options.title), this.tools),
			this.plot, this.caption, this.data);
		host.append(this.figure);
		this.tools.append(h("button", {
			type: "button", class: "quiet", onclick: () => this.save(),
			"aria-label": `Save ${options.title} as SVG`, title: "Save as SVG",
		}, "SVG"));
		this.listen();
		if (options.zoom) enableZoom(this);
		charts.add(this);
		this.refresh();
		new ResizeObserver(() => this.resized()).observe(this.plot);
	}

	/** Redraws after the data has changed. */
	refresh() {
		const { options } = this;
		this.at = -1;
		this.found = options.points?.() ?? [];
		this.caption.textContent = options.summary?.() ?? "";
		this.name();
		this.data.open = false;
		this.data.hidden = !options.table;
		this.drawn = null;
		this.plot.style.minHeight = `${this.height()}px`;
		visible.observe(this.plot);
	}

	/** Describes the plot for screen readers. Vega alone would make it a picture without words. */
	name() {
		const { plot, options } = this;
		plot.setAttribute("role", "application");
		plot.setAttribute("aria-roledescription", "chart");
		plot.setAttribute("aria-label",
			`${options.title}. ${this.caption.textContent} ${this.found.length ? "Arrow keys step through the points, Enter opens one." : ""}`);
	}

	height() {
		const { height } = this.options;
		return typeof height === "function" ? height(this.plot.clientWidth) : height;
	}

	draw() {
		const width = this.plot.clientWidth;
		const height = this.height();
		if (width < 40) return;
		this.drawn = width;
		const canvas = this.found.length > MANY_POINTS;
		const { layer, params, ...rest } = this.options.spec({ width, height });
		const layers = [...layer, {
			data: { name: "focus", values: [] },
			mark: { type: "point", shape: "circle", size: 240, strokeWidth: 2.5, filled: false, stroke: "var(--ink)", opacity: 1, clip: true },
			encoding: this.options.focus,
		}];
		let spec = compile({
			$schema: undefined, width, height, autosize: { type: "fit", contains: "padding" },
			params, layer: layers, ...rest,
		}, { config: CONFIG, logger: QUIET }).spec;
		if (canvas) spec = withColours(spec);
		this.view?.finalize();
		this.view = new vega.View(vega.parse(spec, undefined, { ast: true }), {
			expr: expressionInterpreter, renderer: canvas ? "canvas" : "svg", loader: LOADER,
			logger: QUIET, hover: false,
		});
		this.canvas = canvas;
		this.view.initialize(this.plot).run();
		this.name();
		this.plot.querySelector("svg, canvas").setAttribute("aria-hidden", "true");
		this.plot.dataset.drawn = canvas ? "canvas" : "svg";
		this.zoomed?.();
	}

	resized() {
		clearTimeout(this.later);
		if (this.drawn && Math.abs(this.plot.clientWidth - this.drawn) > 2)
			this.later = setTimeout(() => this.draw(), 120);
	}

	/* ---- selecting points ---- */

	pixelOf(point) {
		const place = (name, value) => {
			const scale = this.view.scale(name);
			return scale(value) + (scale.bandwidth ? scale.bandwidth() / 2 : 0);
		};
		const [left, top] = this.view.origin();
		return [left + place("x", point.x), top + place("y", point.y)];
	}

	inView([x, y]) {
		const [left, top] = this.view.origin();
		return x >= left - 1 && x <= left + this.view.signal("width") + 1 &&
			y >= top - 1 && y <= top + this.view.signal("height") + 1;
	}

	nearest(event) {
		const box = this.plot.getBoundingClientRect();
		let best = -1;
		let least = NEAR_PX ** 2;
		this.found.forEach((point, i) => {
			const pixel = this.pixelOf(point);
			const distance = (pixel[0] - (event.clientX - box.left)) ** 2 +
				(pixel[1] - (event.clientY - box.top)) ** 2;
			if (distance < least && this.inView(pixel)) [best, least] = [i, distance];
		});
		return best;
	}

	attend(at, speak) {
		this.at = at;
		const point = this.found[at];
		this.view.data("focus", point ? [{ x: point.x, y: point.y }] : []);
		this.options.attend?.(this.view, point ?? null);
		this.view.run();
		this.plot.classList.toggle("on-point", Boolean(point));
		if (!point) return hideTip();
		const box = this.plot.getBoundingClientRect();
		const [x, y] = this.pixelOf(point);
		const content = this.options.tip(point);
		showTip(content, box.left + x, box.top + y);
		if (speak)
			announce(`${content.title}: ${content.rows.map((row) => row.join(" ")).join(", ")}`);
	}

	step(by) {
		const inSight = (i) => this.inView(this.pixelOf(this.found[i]));
		let at = this.at;
		for (let tries = 0; tries < this.found.length; tries++) {
			at = (at + by + this.found.length) % this.found.length;
			if (at < 0) at = this.found.length - 1;
			if (inSight(at)) return this.attend(at, true);
		}
	}

	listen() {
		const { plot } = this;
		const ready = () => this.view && this.found.length > 0;
		plot.addEventListener("pointermove", (event) => {
			if (!ready() || event.buttons) return;
			const at = this.nearest(event);
			if (at !== this.at) this.attend(at);
		});
		plot.addEventListener("pointerleave", () => ready() && this.attend(-1));
		plot.addEventListener("blur", () => ready() && this.attend(-1));
		plot.addEventListener("click", (event) => {
			if (!ready() || this.dragged) return;
			const at = this.nearest(event);
			if (at < 0) return;
			// touch has no hover: the first tap selects, the second opens
			if (event.pointerType === "touch" && at !== this.at) this.attend(at);
			else this.options.pick?.(this.found[at]);
		});
		plot.addEventListener("keydown", (event) => {
			if (!ready()) return;
			const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
			if (steps[event.key]) this.step(steps[event.key]);
			else if (event.key === "Enter" && this.at >= 0) this.options.pick?.(this.found[this.at]);
			else return;
			event.preventDefault();
		});
	}

	/* ---- other forms ---- */

	fillTable() {
		if (!this.data.open || this.data.children.length > 1) {
			if (!this.data.open) while (this.data.children.length > 1) this.data.lastChild.remove();
			return;
		}
		const { columns, rows } = this.options.table();
		this.data.append(table(this.options.title, columns, rows.slice(0, TABLE_MOST)));
		if (rows.length > TABLE_MOST)
			this.data.append(h("p", { class: "hint" }, `The first ${TABLE_MOST} of ${plural(rows.length, "row")}; the table of all cases below has all of them.`));
	}

	async save() {
		if (!this.view) return;
		const text = (await this.view.toSVG()).replaceAll(/var\((--[\w-]+)\)/g, (_, name) => resolved(name));
		const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
		h("a", { href: url, download: `${this.options.title.toLowerCase().replaceAll(/\W+/g, "-")}.svg` }).click();
		setTimeout(() => URL.revokeObjectURL(url), 1000);
	}
}

onTheme(() => {
	for (const chart of charts) if (chart.canvas && chart.drawn) chart.draw();
});
addEventListener("beforeprint", () => {
	for (const chart of charts) if (!chart.drawn && chart.plot.isConnected) chart.draw();
});
