// Reads the lines of a case from the JSON that reports/page/lines.c writes. Each case has an element
// of its own behind the scripts, which is read when the case is opened.
//
// lines: columns, one entry per position in the source ("frame"); the last may be that of the instructions
// without a position. instructions: columns; `line` is an index into lines. Each value of a column is the difference to the last known
// one; a column of which nothing is known is null. low and high: in hundredths of a percent.

export const LANES_PER_WARP = 32;
const SUMS = ["executed", "lanes", "requests", "sectors", "ideal_sectors", "local_sectors", "shared_requests", "wavefronts", "ideal_wavefronts",
	"branches", "divergent", "samples", "not_issued"];
const SHARE_STEPS = 10000;

const read = (id) => {
	const element = document.getElementById(id);
	return element ? JSON.parse(element.textContent) : null;
};

/** The values of a column, which holds their differences. */
function column(steps) {
	let sum = 0;
	return steps?.map((step) => (step === null ? null : (sum += step))) ?? null;
}

/** Calls back as soon as the whole file is read. */
export function afterLoading(callback) {
	if (document.readyState === "loading") addEventListener("DOMContentLoaded", callback, { once: true });
	else callback();
}

/** null with null is null; otherwise what is not known adds nothing. */
const plus = (a, b) => (a === null ? b : b === null ? a : a + b);

let shared = null;

/** { files: [{ name, why, text: [line] or null }], reasons: [[name, words]] } */
const sources = () => (shared ??= read("lines-sources"));

/** What instructions cost together. Unknown numbers are null. */
function emptyCost() {
	return { ...Object.fromEntries(SUMS.map((name) => [name, null])), varies: null, stalls: new Map(), instructions: [] };
}

function addCost(cost, other) {
	for (const name of SUMS) cost[name] = plus(cost[name], other[name]);
	cost.varies = cost.varies === 1 || other.varies === 1 ? 1 : plus(cost.varies, other.varies);
	for (const [reason, [samples, notIssued]] of other.stalls) {
		const [before, notBefore] = cost.stalls.get(reason) ?? [0, 0];
		cost.stalls.set(reason, [before + samples, notBefore + notIssued]);
	}
	cost.instructions.push(...other.instructions);
	return cost;
}

function costsOf({ lines }) {
	const columns = Object.fromEntries([...SUMS, "varies", "frame"].map((name) => [name, column(lines[name])]));
	const shareOf = (steps) => (steps === null ? null : steps / SHARE_STEPS);
	return lines.stalls.map((stalls, at) => {
		const cost = emptyCost();
		for (const [name, values] of Object.entries(columns)) cost[name] = values?.[at] ?? null;
		for (let i = 0; i < stalls.length; i += 3) cost.stalls.set(stalls[i], [stalls[i + 1], stalls[i + 2]]);
		return Object.assign(cost, { low: shareOf(lines.low[at]), high: shareOf(lines.high[at]) });
	});
}

function addInstructions(costs, { functions, instructions, words }) {
	const [line, pc, samples, executed] = ["line", "pc", "samples", "executed"].map((name) => column(instructions[name]));
	let at = 0;
	for (const [word, count] of functions)
		for (const end = at + count; at < end; at++)
			costs[line[at]].instructions.push({ pc: pc[at], function: words[word], samples: samples?.[at] ?? null, executed: executed?.[at] ?? null });
}

/** Positions, each with its cost and what was inlined into it. */
function framesOf(data, costs) {
	const word = (at) => (at === null ? null : data.words[at]);
	const [line, caller] = [column(data.frames.line), column(data.frames.caller)];
	const frames = data.frames.file.map((file, at) => ({
		file: sources().files[file], line: line[at], function: word(data.frames.function[at]),
		caller: caller?.[at] ?? null, cost: emptyCost(), inlined: [], low: null, high: null,
	}));
	for (const cost of costs.filter(({ frame }) => frame !== null)) Object.assign(frames[cost.frame], { cost, low: cost.low, high: cost.high });
	for (const frame of frames) {
		frame.caller = frame.caller === null ? null : frames[frame.caller];
		frame.caller?.inlined.push(frame);
	}
	return frames;
}

/** The cost of a position and of everything that was inlined into it. `seen`: positions that are counted already. */
function wholeCost(frame, cost, seen) {
	if (seen.has(frame)) return cost;
	seen.add(frame);
	addCost(cost, frame.cost);
	for (const inlined of frame.inlined) wholeCost(inlined, cost, seen);
	return cost;
}

/** One line of a file: what its own instructions cost, and those with what was inlined into it. */
function lineOf(number, frames) {
	const own = frames.reduce((sum, frame) => addCost(sum, frame.cost), emptyCost());
	const seen = new Set();
	const whole = frames.reduce((sum, frame) => wholeCost(frame, sum, seen), emptyCost());
	return { number, frames, own, whole, inlined: frames.flatMap((frame) => frame.inlined) };
}

export class Profile {
	constructor(data) {
		this.data = data;
		this.damaged = data.damaged ?? null;
		if (this.damaged) return;
		this.sampled = data.samples > 0;
		/** What bars show: samples, or without them executed instructions. null: neither. */
		this.measure = this.sampled ? "samples" : data.lines.executed ? "executed" : null;
		const costs = costsOf(data);
		addInstructions(costs, data);
		const frames = framesOf(data, costs);
		this.nowhere = costs.find(({ frame }) => frame === null) ?? null;
		this.total = this.sampled ? data.samples : costs.reduce((sum, cost) => sum + (cost[this.measure] ?? 0), 0);
		this.files = this.filesOf(frames);
	}

	/**
	 * The files with lines: { source, lines: Map of number to line, cost, reach }. `reach` is the cost with inlined code, so the file of
	 * the kernel comes first, before the headers that it includes. Files without text come last.
	 */
	filesOf(frames) {
		const byFile = new Map();
		for (const frame of frames) {
			const lines = byFile.get(frame.file) ?? new Map();
			byFile.set(frame.file, lines.set(frame.line, [...(lines.get(frame.line) ?? []), frame]));
		}
		return [...byFile].map(([source, lines]) => {
			const sorted = [...lines].sort(([a], [b]) => a - b).map(([number, of]) => [number, lineOf(number, of)]);
			const seen = new Set();
			const reach = this.amount(sorted.flatMap(([, { frames: of }]) => of).reduce((sum, frame) => wholeCost(frame, sum, seen), emptyCost()));
			return { source, lines: new Map(sorted), cost: sorted.reduce((sum, [, line]) => sum + this.amount(line.own), 0), reach };
		}).sort((a, b) => (b.source.text !== null) - (a.source.text !== null) || b.reach - a.reach || b.cost - a.cost);
	}

	/** Samples, or executed instructions. */
	amount(cost) {
		return this.measure === null ? 0 : cost[this.measure] ?? 0;
	}

	/** In percent of the case. null: nothing was sampled or counted. */
	share(cost) {
		return this.measure !== null && this.total > 0 ? (100 * this.amount(cost)) / this.total : null;
	}

	/** [{ name, words, samples, notIssued }], the most samples first. */
	reasons(cost) {
		return [...cost.stalls].map(([at, [samples, notIssued]]) => {
			const [name, words] = sources().reasons[at];
			return { name, words, samples, notIssued };
		}).sort((a, b) => b.samples - a.samples);
	}
}

export const isProfiled = (one) => document.getElementById(`lines-${one.at}`) !== null;

/** null: the case was not profiled. */
export function profileOf(one) {
	const data = read(`lines-${one.at}`);
	return data && new Profile(data);
}

const part = (all, ideal) => (all > 0 && ideal !== null ? Math.max(0, 1 - ideal / all) : null);
export const wastedSectors = (cost) => part(cost.sectors, cost.ideal_sectors);
export const wastedWavefronts = (cost) => part(cost.wavefronts, cost.ideal_wavefronts);
export const lanesOf = (cost) => (cost.executed > 0 && cost.lanes !== null ? cost.lanes / cost.executed : null);
