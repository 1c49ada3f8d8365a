// Where and how the run was measured: device, roofs, settings and environment.
import { byId, empty, h, table } from "../dom.js";
import { bytes, inUnit, isNumber, percent, plusMinus, si, whole } from "../numbers.js";

const hertz = (value) => (isNumber(value) ? si(value, "Hz") : null);

function pairs(title, rows) {
	const known = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
	return known.length > 0 && h("div", { class: "card" }, h("h3", {}, title),
		h("dl", { class: "pairs" }, known.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, String(value))])));
}

function deviceRows(device) {
	return [
		["Name", device.name], ["Chip", device.chip],
		["Compute capability", device.cc_major ? `${device.cc_major}.${device.cc_minor}` : null],
		["Multiprocessors", whole(device.sm_count)], ["L2 cache", bytes(device.l2_bytes)],
		["Memory", bytes(device.memory_bytes)], ["Memory bus", device.memory_bus_bits ? `${device.memory_bus_bits} bit` : null],
		["SM clock, maximum", hertz(device.sm_clock_max_hz)], ["Memory clock, maximum", hertz(device.memory_clock_max_hz)],
		["Shared memory per SM", bytes(device.shared_bytes_per_sm)], ["Registers per SM", whole(device.registers_per_sm)],
		["Threads per SM", whole(device.max_threads_per_sm)],
		["Driver", device.driver], ["CUDA version of the driver", device.cuda_driver], ["CUDA toolkit", device.toolkit], ["CUPTI", device.cupti], ["UUID", device.uuid],
	].map(([key, value]) => [key, value === "–" ? null : value]);
}

function roofs(model) {
	const interval = (one) => plusMinus({ low: one.low_per_s, high: one.high_per_s, median: one.per_s });
	const rows = model.ceilings.map((one) => [
		one.name, one.of, inUnit(one.per_s, one.unit), interval(one), inUnit(one.peak_per_s, one.unit),
		isNumber(one.peak_per_s) ? percent((100 * one.per_s) / one.peak_per_s) : "–", hertz(one.sm_clock_hz) ?? "–", one.config ?? "–", one.measured ?? "–",
	]);
	return table("Measured roofs", [
		{ head: "Roof" }, { head: "Applies to" }, { head: "Measured", numeric: true }, { head: "Session CI", numeric: true },
		{ head: "Theoretical peak", numeric: true }, { head: "Of the peak", numeric: true }, { head: "SM clock", numeric: true }, { head: "Config" }, { head: "When" },
	], rows);
}

export function environmentSection(app) {
	const { model } = app;
	const { run } = model;
	const section = byId("environment");
	if (model.ceilings.length) section.append(h("h3", {}, "Measured roofs"), roofs(model));
	else if (model.gpus && !model.gpus.one_model) section.append(h("h3", {}, "Measured roofs"), empty("The GPUs are of different models, and each has its own roofs.", "The page of each run has them:", `perflab report ${model.gpus.runs[0].run} -o gpu.html`));
	else if (!model.emulated) section.append(h("h3", {}, "Measured roofs"), empty("No roofs are stored for this device.", "Measure them once:", "perflab ceilings"));
	section.append(h("div", { class: "cards" },
		pairs("Device", deviceRows(run.device)),
		pairs("Run", [["Number", run.id], ["Uid", run.uid], ["Label", run.label], ["Note", run.note], ["Backend", run.backend], ["perflab", run.version], ["Source revision", run.source_revision], ["Origin", run.origin], ["State", run.state], ["Started", run.started], ["Finished", run.finished], ["Seed", run.seed], ["Rounds", run.rounds]]),
		pairs("Settings", model.settings.map(([key, value]) => [key, typeof value === "object" ? JSON.stringify(value) : value])),
		pairs("Environment", run.environment)));
}
