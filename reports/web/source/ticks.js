// Ticks of logarithmic scales at round numbers.

/** Powers of ten, or finer steps if few of them are in view. */
export function decades([low, high]) {
	const span = Math.log10(high / low);
	const steps = span > 2.5 ? [1] : span > 1 ? [1, 2, 5] : [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
	const every = Math.ceil(span / 10);
	const ticks = [];
	for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
		if (power % every === 0) ticks.push(...steps.map((step) => Number(`${step}e${power}`)));
	}
	return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Round ratios. */
export function ratioTicks(low, high) {
	const span = high / low;
	if (span > 8) return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
	const rough = (high - low) / 7;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
	const first = Math.ceil(low / step);
	return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}
