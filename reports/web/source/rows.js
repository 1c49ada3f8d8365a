// Charts with a row for each of some names. Rows are numbers to Vega-Lite, which makes expressions of
// a scale's domain; their names are drawn as text.

const ROOM = 172;

/** The y encoding of rows 0 … count - 1, first on top; `y` of the data is the row. */
export const rowScale = (count, width) => ({
	field: "y", type: "quantitative", title: null,
	scale: { domain: [-0.6, count - 0.4], reverse: true, nice: false, zero: false },
	axis: { values: Array.from({ length: count }, (_, i) => i), labels: false, domain: false, ticks: false, minExtent: roomFor(width) },
});

const roomFor = (width) => Math.min(ROOM, width * 0.34);

/** The names, left of their rows. */
export const rowNames = (names, width) => ({
	data: { values: names.map((text, y) => ({ y, text })) },
	mark: { type: "text", align: "right", baseline: "middle", fontSize: 11, limit: roomFor(width) - 12 },
	encoding: { x: { value: -8 }, text: { field: "text" } },
});
