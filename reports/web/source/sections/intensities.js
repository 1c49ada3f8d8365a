// The intensities of an emulated run on one axis. Without times they have no height.
import { Chart } from "../chart.js";
import { Palette, unverifiedLayer, unverifiedNote } from "../colours.js";
import { empty, h } from "../dom.js";
import { titleOf } from "../model.js";
import { rowNames, rowScale } from "../rows.js";
import { decades } from "../ticks.js";
import { bytes, intensity, isNumber, plural, three } from "../numbers.js";

export function emulatedIntensities(app, section) {
	const { model } = app;
	const palette = new Palette(model.kernels);
	const shown = model.cases.filter((one) => one.levels.some((level) => isNumber(level.intensity) && level.intensity > 0));
	const rows = [...new Set(shown.map((one) => one.family))];
	section.append(h("p", { class: "lead" },
		"The counts of the emulated PTX show how many operations a case does per byte that it must move. Without times, no case has a height under a roof."));
	if (!shown.length) {
		section.append(empty("No case of this run has counts of both operations and bytes.",
			"Kernels without floating-point arithmetic have no intensity."));
		return;
	}
	const points = () => shown.flatMap((one) => one.levels
		.map((level, i) => ({ x: level.intensity, y: rows.indexOf(one.family), one, level: model.levels[i], bytes: level.bytes }))
		.filter((point) => isNumber(point.x) && point.x > 0));
	const xs = points().map((point) => point.x);
	const [least, most] = [xs.reduce((a, b) => Math.min(a, b)), xs.reduce((a, b) => Math.max(a, b))];
	new Chart(section, {
		title: "Intensity",
		height: () => 70 + 22 * rows.length,
		focus: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } },
		points,
		spec: ({ width }) => ({
			encoding: {
				x: { field: "x", type: "quantitative", title: "Intensity, FLOP per byte", scale: { type: "log", nice: false, domain: [least / 2, most * 2] }, axis: { values: decades([least / 2, most * 2]), format: "~g" } },
				y: rowScale(rows.length, width),
			},
			layer: [rowNames(rows, width), {
				data: { name: "intensities", values: points().map((point) => ({ x: point.x, y: point.y, kernel: palette.at(point.one.kernel), unverified: point.one.unverified })) },
				mark: { type: "tick", orient: "vertical", thickness: 3, size: 15, opacity: 0.9 },
				encoding: { color: palette.encode("kernel", "colour") },
			}, unverifiedLayer("intensities")],
		}),
		tip: (point) => ({
			title: titleOf(point.one),
			mark: palette.swatch(point.one.kernel),
			rows: [["Intensity", intensity(point.x)], ["Operations", three(point.one.counted)], ["Bytes", bytes(point.bytes)], ["Status", point.one.status]],
			note: point.one.reason,
		}),
		pick: (point) => app.open(point.one),
		summary: () => `${plural(xs.length, "intensity", "intensities")} of ${plural(rows.length, "variant")}, from ${three(least)} to ${three(most)} operations per byte; emulated, not measured. ${unverifiedNote(shown)}`,
		table: () => ({
			columns: [{ head: "Case" }, { head: "FLOP/B", numeric: true }, { head: "Operations", numeric: true }, { head: "Bytes", numeric: true }],
			rows: points().map((point) => [app.link(point.one), three(point.x), three(point.one.counted), bytes(point.bytes)]),
		}),
	});
}
