// Each kernel has a colour and a shape, so a reader can distinguish kernels by either. The colours are
// --c0 … --c7 of style/tokens.css, for the light and the dark theme, after Okabe and Ito.
import { svg } from "./dom.js";

const COLOURS = 8;
export const SHAPES = [
	"circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
	"triangle-left",
];
const PATHS = {
	circle: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z",
	square: "M-4.5-4.5h9v9h-9Z",
	"triangle-up": "M0-5.5 5.5 4.5h-11Z",
	diamond: "M0-6 5 0 0 6-5 0Z",
	cross: "M-2-5.5h4v3.5h3.5v4H2v3.5h-4V2h-3.5v-4H-2Z",
	"triangle-down": "M0 5.5 5.5-4.5h-11Z",
	"triangle-right": "M5.5 0-4.5 5.5v-11Z",
	"triangle-left": "M-5.5 0 4.5 5.5v-11Z",
};

/** A colour and a shape for each name. */
export class Palette {
	constructor(names) {
		this.names = names;
		this.place = new Map(names.map((name, i) => [name, i]));
	}

	at(name) {
		return this.place.get(name) ?? 0;
	}

	colour(name) {
		return `var(--c${this.at(name) % COLOURS})`;
	}

	/** Names that share a colour have different shapes. */
	shape(name) {
		const place = this.at(name);
		return SHAPES[(place + Math.floor(place / COLOURS)) % SHAPES.length];
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
		return svg("svg", { class: "swatch", viewBox: "-7 -7 14 14", "aria-hidden": "true" },
			svg("path", { d: PATHS[this.shape(name)], fill: this.colour(name) }));
	}
}

const STATUS_SHAPE = { ok: "circle", sampled: "circle", unverified: "triangle-up", pending: "diamond", skipped: "square" };

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
	return svg("svg", { class: `swatch ${kind}`, viewBox: "-7 -7 14 14", "aria-hidden": "true" },
		svg("path", { d: PATHS[STATUS_SHAPE[one.status] ?? "cross"], fill: "currentColor" }));
}
