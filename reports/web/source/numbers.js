// Formats numbers for readers. null means "not measured" and is shown as a dash.

export const dash = "–";
// No measurement is larger than this, and larger values would overflow the scale of a plot.
const MOST = 1e100;
export const isNumber = (value) => typeof value === "number" && Math.abs(value) <= MOST;

/** Three significant digits, or `more`, without an exponent between 0.001 and a million. */
export function three(value, more = 0) {
	if (!isNumber(value)) return dash;
	const size = Math.abs(value);
	if (size === 0) return "0";
	if (size >= 1e6 || size < 1e-3) return value.toExponential(2 + more).replace("e+", "e");
	return value.toFixed(Math.max(0, 2 + more - Math.floor(Math.log10(size))));
}

function scaled(value, steps, base) {
	let at = 0;
	let rest = Math.abs(value);
	while (rest >= base * 0.9995 && at < steps.length - 1) {
		rest /= base;
		at++;
	}
	return [value / base ** at, steps[at]];
}

const DECIMAL = ["", "k", "M", "G", "T", "P", "E"];
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const TIME = ["ns", "µs", "ms", "s"];
const LONG = [["d", 86400], ["h", 3600], ["min", 60]];

export function si(value, unit) {
	if (!isNumber(value)) return dash;
	if (value === 0) return "0";
	const [number, prefix] = scaled(value, DECIMAL, 1000);
	return `${three(number)} ${prefix}${unit}`.trim();
}

export function bytes(value) {
	if (!isNumber(value)) return dash;
	const [number, unit] = scaled(value, BINARY, 1024);
	return `${three(number)} ${unit}`;
}

/** `more`: digits beyond three. */
export function time(ns, more = 0) {
	if (!isNumber(ns)) return dash;
	for (const [unit, seconds] of LONG) if (ns >= 2e9 * seconds) return `${three(ns / 1e9 / seconds, more)} ${unit}`;
	const [number, unit] = scaled(ns, TIME, 1000);
	return `${three(number, more)} ${unit}`;
}

/** Both ends of an interval with as many digits as tell them apart: "108.9 µs to 109.2 µs". */
export function timeRange(low, high) {
	if (!isNumber(low) || !isNumber(high)) return dash;
	if (low === high) return time(low);
	for (let more = 0; more < 3; more++)
		if (time(low, more) !== time(high, more)) return `${time(low, more)} to ${time(high, more)}`;
	return time(low, 3);
}

/** For a quantity in running text: its number and its unit stay in one line. */
export const unbroken = (quantity) => quantity.replaceAll(" ", "\u00a0");

export const percent = (value, digits = 1) =>
	isNumber(value) ? `${value.toFixed(digits)} %` : dash;

/** Whole numbers; from 10 000 on with narrow spaces between groups of three digits. */
export const whole = (value) => (isNumber(value)
	? String(value).replace(/^-?\d{5,}/, (digits) => digits.replaceAll(/\B(?=(\d{3})+$)/g, "\u202f")) : dash);

/** Half the interval of the session over the median, in percent. */
export function halfInterval(one) {
	if (!isNumber(one.low) || !isNumber(one.high) || !(one.median > 0)) return null;
	const half = (50 * (one.high - one.low)) / one.median;
	return isNumber(half) ? half : null;
}

export function plusMinus(one) {
	const half = halfInterval(one);
	return half === null ? dash : `±${half < 10 ? half.toFixed(2) : half.toFixed(0)} %`;
}

/** A value with a unit of the metric catalogue. */
export function inUnit(value, unit) {
	if (!isNumber(value)) return dash;
	switch (unit) {
	case "byte": return bytes(value);
	case "byte/s": return si(value, "B/s");
	case "flop/s": return si(value, "FLOP/s");
	case "flop": return si(value, "FLOP");
	case "ns": return time(value);
	case "percent": return percent(value);
	case "1": return three(value);
	default: return `${Number.isInteger(value) ? whole(value) : three(value)} ${unit}`;
	}
}
export const rate = (value) => si(value, "FLOP/s");
export const bandwidth = (value) => si(value, "B/s");
export const intensity = (value) => (isNumber(value) ? `${three(value)} FLOP/B` : dash);
export const plural = (count, noun, many = `${noun}s`) =>
	`${whole(count)} ${count === 1 ? noun : many}`;
/** A precision as readers know it. null: the work model does not name it. */
export const precisionName = (name) => (name === null ? "Operations" : name.toUpperCase().replace("_", " "));
