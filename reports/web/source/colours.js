// Each kernel has a colour and a shape, so that a reader can distinguish kernels by the pair. The colours
// are --c0 … --c7 of style/tokens.css, for the light and the dark theme. tests/browser/palette.test.mjs
// checks that no two names share a pair, and that names with one shape have colours that readers with
// any colour blindness can distinguish.
import { svg } from "./dom.js";

const COLOURS = 8;
// Paths in a square from -1 to 1, about equally heavy. None is another one turned around: a reader may
// confuse those at the size of a point.
const SHAPES = {
	circle: "M-0.92 0a0.92 0.92 0 1 0 1.84 0a0.92 0.92 0 1 0-1.84 0Z",
	square: "M-0.82-0.82h1.64v1.64h-1.64Z",
	triangle: "M0-1 1 0.8h-2Z",
	cross: "M-0.36-1.05h0.72v0.69h0.69v0.72h-0.69v0.69h-0.72v-0.69h-0.69v-0.72h0.69Z",
	diamond: "M0-1.15 0.9 0 0 1.15-0.9 0Z",
	star: "M0 -1.12L0.27 -0.37L1.07 -0.35L0.44 0.14L0.66 0.91L0 0.46L-0.66 0.91L-0.44 0.14L-1.07 -0.35L-0.27 -0.37Z",
	bar: "M-1.15-0.44h2.3v0.88h-2.3Z",
	saltire: "M-1-0.5-0.5-1 0-0.5 0.5-1 1-0.5 0.5 0 1 0.5 0.5 1 0 0.5-0.5 1-1 0.5-0.5 0Z",
	corner: "M-0.95-1h0.8v1.15h1.15v0.8h-1.95Z",
	hourglass: "M-0.95-1h1.9L0.2 0 0.95 1h-1.9L-0.2 0Z",
};
const DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3]];
const NAMES = Object.keys(SHAPES);
/** So many names have a pair of their own. */
export const PAIRS = COLOURS * NAMES.length;

/** The place of the n-th name in the lists of colours and shapes. Both go on with each name, so neighbours differ in both. */
const colourAt = (place) => place % COLOURS;
// after 40 names the two lists are in step again
const shapeAt = (place) => (place + Math.floor(place / (PAIRS / 2))) % NAMES.length;

const mark = (path, properties) => svg("svg", { class: "swatch", viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true", ...properties }, path);

/** A colour and a shape for each name. */
export class Palette {
	constructor(names) {
		this.names = names;
		this.place = new Map(names.map((name, i) => [name, i]));
	}

	has(name) {
		return this.place.has(name);
	}

	at(name) {
		return this.place.get(name) ?? 0;
	}

	colour(name) {
		return this.isDistinct(name) ? `var(--c${colourAt(this.at(name))})` : "var(--ink-3)";
	}

	/** The path of the shape, in a square from -1 to 1. Vega-Lite takes it as a shape, too. */
	shape(name) {
		return this.isDistinct(name) ? SHAPES[NAMES[shapeAt(this.at(name))]] : SHAPES.circle;
	}

	/** The dashes of a line, which has no shape: other ones each time that the colours start again. */
	dash(name) {
		return DASHES[Math.floor(this.at(name) / COLOURS) % DASHES.length];
	}

	/** Whether the name has a pair of its own. The others share a grey circle. */
	isDistinct(name) {
		return this.at(name) < PAIRS;
	}

	/** Says which names have no mark of their own. "": all have one. */
	get note() {
		const more = this.names.length - PAIRS;
		return more > 0 ? `A grey circle: one of ${more} further names, too many for marks of their own.` : "";
	}

	/**
	 * A Vega-Lite encoding of a field that holds at(name). It uses the number instead of the name,
	 * because Vega-Lite turns the domain of a scale into an expression and a name may not be valid in one.
	 */
	encode(field, range) {
		return {
			field, type: "nominal", legend: null,
			scale: { domain: this.names.map((_, i) => i), range: this.names.map((name) => this[range](name)) },
		};
	}

	swatch(name) {
		return mark(svg("path", { d: this.shape(name), fill: this.colour(name) }));
	}
}

const STATUS_SHAPE = { ok: "circle", sampled: "circle", unverified: "triangle", pending: "diamond", skipped: "square" };

/** A layer that marks the unverified points of the data called `name` with a question mark. */
export const unverifiedLayer = (name) => ({
	data: { name },
	transform: [{ filter: "datum.unverified" }],
	mark: { type: "text", text: "?", dx: 8, dy: -6, fontSize: 13, fontWeight: 700, fill: "var(--warn)", clip: true },
});

/** What the question marks of a picture mean. "": it has none. */
export const unverifiedNote = (cases) => (cases.some((one) => one.unverified) ? "A question mark: unverified." : "");

/** A mark for a status. Marks differ in shape as well as in colour. */
export function statusMark(one) {
	const kind = one.failure ? "bad" : one.unverified ? "warn" : one.status === "ok" || one.status === "sampled" ? "good" : "dim";
	return mark(svg("path", { d: SHAPES[STATUS_SHAPE[one.status] ?? "cross"], fill: "currentColor" }), { class: `swatch ${kind}` });
}
