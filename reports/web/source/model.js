// Reads the run from the JSON that reports/page/ writes. The members of that JSON:
//
// rank, best_of_variant: per case its place in the order of all cases, and 1 for the best case of its variant.
//
// trials: one list per field, all in the order of the plan. kernel, variant, config, reason and other
// texts are indices into `words`.
// points.modelled: null, or per case 1 if no counter counted its operations; `points.model` then has its
// place by the work model. points.not_in_plot: null, or why a roofline has no point of the case.
// counters: each value is a number, [word] with the reason why there is none, or null if the counter
// was not requested.
// samples.trials: per trial one list per round: the number of the round, then times in
// 1/steps_per_ns ns. The first time is absolute, each other one is the difference to the previous.
// gpus: null, or as JSON text the GPUs of a sweep on several of them (reports/gpus/json.c); trials.gpu then has the number of the GPU
// that measured each case.
// selection: null, or what the cases of the page were selected by (page.h lists the members).
// speedups: null, or per case null or its speed-up over its base case (page.h lists the members).
// history: null, or the runs that fit into the page (`runs`), how many there are (`all_runs`), per case
// null or its median in each run (`medians`), per case null or how far
// the interval reaches below and above the median in each run, in turn (`intervals`), per case null or the indices of the runs in which it was
// unverified (`unverified`), and per case null or its change points (`changes`): the
// indices of the last run before and the first run after, the ratio with its interval, the levels
// before and after, the first run of the level before, 1 if only one run is at the new level so far,
// and 1 if machine code and launch are the same. `changes_unseen` counts the change points among runs
// that are not in the page.
// counter_history: of emulated runs only: the runs, as in history, and `changes`: case, last run before, first run after,
// "worse", "better" or "different", 1 if machine code and launch are the same, the number of other counters that changed, and
// then metric, value before and value after of each counter.

import { isNumber } from "./numbers.js";

/** One case of the run with everything known about it. Unknown numbers are null. */
function caseOf(at, trials, words, run, spread) {
	const word = (list) => (list[at] === null ? null : words[list[at]]);
	const [status, statusMeaning, failure] = trials.statuses[trials.status[at]];
	const kernel = word(trials.kernel) ?? "?";
	const variant = word(trials.variant) ?? "?";
	const config = word(trials.config) ?? "?";
	const gpu = trials.gpu?.[at] ?? null;
	const read = trials.bytes_read[at];
	return {
		at, run, kernel, variant, config, status, statusMeaning, failure,
		family: `${kernel}/${variant}`,
		// every GPU of a spread has each case
		name: `${kernel}/${variant}/${config}${spread ? ` on GPU ${gpu}` : ""}`,
		gpu,
		// what names a variant, and of a spread the GPU on which it is the best
		label: `${kernel}/${variant}${spread ? ` on GPU ${gpu}` : ""}`,
		shortLabel: `${variant}${spread ? ` on GPU ${gpu}` : ""}`,
		unverified: status === "unverified",
		reason: word(trials.reason),
		axes: trials.axes.map((axis) => axis.values[at]),
		n: trials.axes.find((axis) => axis.name === "n")?.values[at] ?? null,
		samples: trials.samples[at],
		median: trials.median_ns[at], mad: trials.mad_ns[at],
		low: trials.session_low_ns[at], high: trials.session_high_ns[at],
		min: trials.min_ns[at], max: trials.max_ns[at],
		flop: trials.flop[at],
		bytes: read === null ? null : read + trials.bytes_written[at],
		registers: trials.registers_per_thread[at],
		sharedBytes: trials.shared_static_bytes[at] === null
			? null : trials.shared_static_bytes[at] + (trials.shared_dynamic_bytes[at] ?? 0),
		occupancyLimit: trials.theoretical_occupancy_pct[at],
		limiter: word(trials.occupancy_limiter),
		codeKind: word(trials.code_kind), codeHash: word(trials.code_hash),
		// any number that is known of the largest launch, by its name in metrics/fields.h
		fact: (name) => trials[name]?.[at] ?? null,
	};
}

/**
 * Sets `place`: where a roofline shows the case. If no counter counted the operations, `modelled` is true and the operations are
 * those of the work model. `precision` is null if the model does not name it. `missing` says why there is no point.
 */
function addPlace(one, { points, precisions, words }) {
	const { at } = one;
	const { model, modelled, not_in_plot: missing } = points;
	const isModelled = Boolean(modelled?.[at]);
	one.place = isModelled ? {
		modelled: true, precision: precisions[model.precision[at]]?.name ?? null, flop: model.flop[at], rate: model.flop_per_s[at],
		pct: model.compute_roof_pct[at], attainable: model.attainable_flop_per_s[at], intensity: model.intensity.map((level) => level[at]),
	} : {
		modelled: false, precision: one.precision, flop: one.counted, rate: one.rate,
		pct: one.computePct, attainable: one.attainable, intensity: one.levels.map((level) => level.intensity),
	};
	one.place.missing = missing?.[at] === null || missing === undefined ? null : words[missing[at]];
}

function addPoint(one, data) {
	const { at } = one;
	const { points, verdicts, words, bounds } = data;
	const [bound, pct, summary, above, notes, advice, fromModel] = verdicts[at];
	const texts = (list) => list.map(([rule, text, lost]) => ({ rule: words[rule], text: words[text], lost: lost ?? null }));
	one.precision = data.precisions[points.precision[at]].name;
	one.counted = points.flop[at];
	one.rate = points.flop_per_s[at];
	one.computePct = points.compute_roof_pct[at];
	one.attainable = points.attainable_flop_per_s[at];
	one.needed = points.needed_bytes[at];
	one.neededIntensity = points.needed_intensity[at];
	one.waste = points.waste[at];
	one.levels = points.level.map((level) => ({
		bytes: level.bytes[at], rate: level.bytes_per_s[at],
		intensity: level.intensity[at], pct: level.roof_pct[at],
	}));
	addPlace(one, data);
	/** The place among the cases of its kernel: the largest problem first, then the fastest. Every output of perflab has this order. */
	one.rank = data.rank[at];
	/** Whether it is the fastest case of its variant, on the largest problem of the variant. */
	one.isBest = Boolean(data.best_of_variant[at]);
	one.bound = bounds[bound][0];
	one.boundMeaning = bounds[bound][1];
	one.roofPct = pct;
	/** Whether the share of the roof uses operations of the work model, which were not counted. */
	one.fromModel = Boolean(fromModel);
	one.summary = summary === null ? null : words[summary];
	one.aboveRoof = above === null ? null : words[above];
	one.notes = texts(notes);
	one.advice = texts(advice);
	/** The largest waste of an emulated case, as a share. 0: none was found. null: nothing was counted. */
	one.lost = data.run.emulated && isCounted(one) ? one.notes[0]?.lost ?? 0 : null;
}

const isCounted = ({ status, unverified }) => status === "ok" || status === "sampled" || unverified;

/** Sets `speedup` of each case: null if it has no base case; `ratio` is null if there is no speed-up. */
function addSpeedups(cases, { speedups, speedup_verdicts: verdicts, words }) {
	const word = (index) => (index === null ? null : words[index]);
	// a case and its base case are of one GPU
	const keyOf = (kernel, variant, config, gpu) => JSON.stringify([kernel, variant, config, gpu]);
	const byName = new Map(cases.map((one) => [keyOf(one.kernel, one.variant, one.config, one.gpu), one]));
	for (const one of cases) {
		const [base, config, verdict, ratio, low, high, baseMedian, rounds, same, why] = speedups?.[one.at] ?? [null];
		const baseCase = byName.get(keyOf(one.kernel, word(base), word(config), one.gpu)) ?? null;
		one.speedup = base === null ? null : {
			base: word(base), baseCase, verdict: verdicts[verdict][0], ratio, low, high, baseMedian, rounds,
			sameBuffers: same === null ? null : same === 1, why: word(why), aboveRoof: Boolean(one.aboveRoof || baseCase?.aboveRoof),
		};
	}
}

function settingsOf(run) {
	try {
		const settings = JSON.parse(run.settings ?? "{}");
		return settings && typeof settings === "object" ? Object.entries(settings) : [];
	} catch {
		return [["settings", run.settings]];
	}
}

function casesOf(trials, words, run, spread = false) {
	return Array.from({ length: trials.count }, (_, at) => caseOf(at, trials, words, run, spread));
}

/** A name of a case. Every unverified case is marked wherever it is named. */
export const markedName = (one, text) => (one.unverified ? `${text} (unverified)` : text);

/** The title of a case over a picture. */
export const titleOf = (one) => markedName(one, `${one.label}  ${one.config}`);

// an unverified case comes after every verified one, and one that is faster than its device can be after all
const trustOf = (one) => (one.aboveRoof ? 2 : Number(one.unverified));
export const byTrust = (a, b) => trustOf(a) - trustOf(b);

/** The case that is better by `isBetter`, if both can be trusted equally. */
export const betterOf = (a, b, isBetter) => ((byTrust(a, b) || (isBetter ? -1 : 1)) < 0 ? a : b);

export const byRank = (a, b) => a.rank - b.rank;

/** Orders emulated cases by their waste, the largest first, then by the number of findings. */
export const byLost = (a, b) => b.lost - a.lost || b.notes.length - a.notes.length || a.at - b.at;

/** For each value of `key`, the least case by `order`, in order of first appearance. */
function leastBy(cases, key, order) {
	const least = new Map();
	for (const one of cases) {
		const before = least.get(key(one));
		if (!before || order(one, before) < 0) least.set(key(one), one);
	}
	return [...least.values()];
}

export const unique = (items) => [...new Set(items)];

export class Model {
	constructor(data) {
		const { words } = data;
		this.format = data.format;
		this.run = data.run;
		this.settings = settingsOf(data.run);
		this.selection = data.selection ?? null;
		this.levels = data.levels;
		this.precisions = data.precisions;
		this.ceilings = data.ceilings;
		this.words = words;
		this.axes = data.trials.axes.map((axis) => axis.name);
		this.gpus = data.gpus ? JSON.parse(data.gpus) : null;
		/** Whether every GPU of several measured every case. */
		this.spread = this.gpus?.mode === "spread";
		this.cases = casesOf(data.trials, words, data.run, this.spread);
		for (const one of this.cases) addPoint(one, data);
		this.speedupVerdicts = data.speedup_verdicts;
		this.hasSpeedups = data.speedups !== null;
		addSpeedups(this.cases, data);
		this.counters = data.counters;
		this.counterOf = new Map(data.counters.map((counter) => [counter.metric, counter]));
		this.sampleData = data.samples;
		this.other = data.compare_run ? {
			run: data.compare_run,
			settings: settingsOf(data.compare_run),
			cases: casesOf(data.compare_trials, words, data.compare_run),
			changes: data.changes,
			comparison: data.comparison,
		} : null;
		this.history = data.history;
		this.counterHistory = data.counter_history ?? null;
		this.kernels = unique(this.cases.map((one) => one.kernel));
		this.families = unique(this.cases.map((one) => one.family));
		this.emulated = data.run.emulated;
		this.timed = this.cases.filter((one) => one.median !== null);
		/** The fastest configuration of the largest problem of each variant. Of an emulated run, the case with the largest waste. */
		this.best = this.emulated ? leastBy(this.cases.filter(isCounted), (one) => one.family, byLost) : this.cases.filter((one) => one.isBest);
	}

	/** What a case took on the other GPUs of a spread, where it was measured. */
	elsewhere(one) {
		return this.spread ? this.timed.filter((other) => other !== one && isCounted(other) && other.family === one.family && other.config === one.config) : [];
	}

	/** A number, or null. */
	counter(one, metric) {
		const value = this.counterOf.get(metric)?.values[one.at];
		return typeof value === "number" ? value : null;
	}

	/** Why a counter has no value. null: it has one, or was not requested. */
	whyNot(one, metric) {
		const value = this.counterOf.get(metric)?.values[one.at];
		return Array.isArray(value) ? this.words[value[0]] : null;
	}

	source(one, counter) {
		const place = Array.isArray(counter.source) ? counter.source[one.at] : counter.source;
		return place === null ? null : this.words[place];
	}

	hasCounter(metric) {
		return this.counterOf.get(metric)?.values.some((value) => typeof value === "number") ?? false;
	}

	axis(one, name) {
		const at = this.axes.indexOf(name);
		return at < 0 ? null : one.axes[at];
	}

	/** The runs that timed a case, oldest first: { run, median, low, high, unverified, step: ratio to the previous }. */
	historyOf(one) {
		const { runs, medians, intervals, unverified } = this.history;
		let before = null;
		const pointOf = (run, i) => {
			const median = medians[one.at]?.[i] ?? null;
			const [below, above] = [intervals[one.at]?.[2 * i] ?? null, intervals[one.at]?.[2 * i + 1] ?? null];
			const known = isNumber(below) && isNumber(above);
			return { run, at: i, median, low: known ? median - below : null, high: known ? median + above : null, unverified: unverified[one.at]?.includes(i) ?? false };
		};
		return runs.map(pointOf).filter(({ median }) => isNumber(median)).map((point) => {
			const step = before === null ? null : point.median / before;
			before = point.median;
			return { ...point, step };
		});
	}

	/** The change points of a case: each between the runs at `last` and `first`, with a ratio. */
	changesOf(one) {
		return (this.history.changes[one.at] ?? []).map(([last, first, ratio, low, high, before, after, begin, provisional, same]) =>
			({ last, first, ratio, low, high, before, after, begin, provisional: provisional === 1, sameCode: same === 1 }));
	}

	/** The two modes of the newest level of a case: { usual, other, runs, of }. null: it has one. */
	modeOf(one) {
		const mode = this.history.modes[one.at];
		return mode && { usual: mode[0], other: mode[1], runs: mode[2], of: mode[3] };
	}

	/** The runs at which counters of a case changed: { one, last, first, word, sameCode, more, counters: [{ metric, before, after }] }. */
	counterSteps() {
		return this.counterHistory.changes.map(([at, last, first, word, same, more, ...flat]) => ({
			one: this.cases[at], last, first, word, sameCode: same === 1, more,
			counters: Array.from({ length: flat.length / 3 }, (_, i) => ({ metric: flat[3 * i], before: flat[3 * i + 1], after: flat[3 * i + 2] })),
		}));
	}

	/** [{ round, times: [ns] }], in the order taken. */
	samplesOf(one) {
		const { trials, steps_per_ns: steps } = this.sampleData;
		return (trials[one.at] ?? []).map(([round, ...differences]) => {
			let sum = 0;
			return { round, times: differences.map((step) => (sum += step) / steps) };
		});
	}

	/** Says which samples the page lacks. null: it has all of them. */
	get sampleNote() {
		const { reason, most } = this.sampleData;
		if (reason) return `Some samples are missing: ${reason}.`;
		if (this.cases.some((one) => one.samples > most))
			return `To keep the page small, a case with more than ${most} samples shows every k-th one. Medians and intervals use all samples.`;
		return null;
	}
}

export function readModel() {
	return new Model(JSON.parse(document.getElementById("run").textContent));
}
