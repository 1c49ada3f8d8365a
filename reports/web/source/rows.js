// Charts with one row per name. Rows are numbers, because Vega-Lite turns the domain of a scale into an
// expression; the names are drawn as text.

const ROOM = 172;

/** The y encoding for rows 0 … count - 1 from top to bottom; `y` of the data is the row. */
export const rowScale = (count, width) => ({
	field: "y", type: "quantitative", title: null,
	scale: { domain: [-0.6, count - 0.4], reverse: true, nice: false, zero: false },
	axis: { values: Array.from({ length: count }, (_, i) => i), labels: false, domain: false, ticks: false, minExtent: roomFor(width) },
});

const roomFor = (width) => Math.min(ROOM, width * 0.34);

/** About how wide the field beside the names is. */
export const rowWidth = (width) => width - roomFor(width) - 20;

/** Draws the names to the left of their rows. */
export const rowNames = (names, width) => ({
	data: { values: names.map((text, y) => ({ y, text })) },
	mark: { type: "text", align: "right", baseline: "middle", fontSize: 11, limit: roomFor(width) - 12 },
	encoding: { x: { value: -8 }, text: { field: "text" } },
});
