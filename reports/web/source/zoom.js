// Zoom and pan for a chart with two logarithmic scales: drag, pinch, the wheel (while Ctrl is held or
// the plot has the focus), the keys + - 0, and buttons.
import { h } from "./dom.js";
import { hideTip } from "./tooltip.js";

const STEP = 1.5;
const MOST_DECADES = 24;
const LEAST_DECADES = 0.15;

export function enableZoom(chart) {
	const { plot } = chart;
	let now = null;

	const set = (x, y) => {
		const fits = ([low, high]) => {
			const decades = Math.log10(high / low);
			return low > 0 && decades > LEAST_DECADES && decades < MOST_DECADES;
		};
		if (!fits(x) || !fits(y)) return;
		now = { x, y };
		apply();
		chart.options.zoomChanged?.();
	};
	const apply = () => {
		if (!chart.view || !now) return;
		const { view } = chart;
		view.signal("x0", now.x[0]).signal("x1", now.x[1]).signal("y0", now.y[0]).signal("y1", now.y[1]);
		chart.options.zoomed?.(view, now);
		view.run();
	};
	/** Zooms by a factor around a place, given as 0 to 1 of each scale from the left and from below. */
	const zoomBy = (factor, at = [0.5, 0.5]) => {
		const around = ([low, high], place) => {
			const centre = low * (high / low) ** place;
			return [centre * (low / centre) ** factor, centre * (high / centre) ** factor];
		};
		set(around(now.x, at[0]), around(now.y, at[1]));
	};
	/** Moves by parts of the scales. */
	const panBy = (dx, dy) => {
		const moved = ([low, high], by) => [low * (high / low) ** by, high * (high / low) ** by];
		set(moved(now.x, -dx), moved(now.y, dy));
	};
	const reset = () => set(...Object.values(chart.options.zoom()));
	chart.zoomed = () => {
		now ??= chart.options.zoom();
		apply();
	};
	chart.resetZoom = () => {
		now = chart.options.zoom();
		apply();
	};
	/** The view as [x0, x1, y0, y1]; null: everything is shown. */
	chart.zoomRange = () => {
		const all = chart.options.zoom();
		const is = (axis) => now[axis].every((end, i) => Math.abs(Math.log(end / all[axis][i])) < 1e-3);
		return now === null || (is("x") && is("y")) ? null : [...now.x, ...now.y];
	};
	/** Takes what zoomRange() gave. Numbers that are no view, or none of what the chart shows, change nothing. */
	chart.zoomTo = ([x0, x1, y0, y1]) => {
		const { x, y } = chart.options.zoom();
		if (x0 < x[1] && x1 > x[0] && y0 < y[1] && y1 > y[0]) set([x0, x1], [y0, y1]);
	};

	const size = () => [chart.view.signal("width"), chart.view.signal("height")];
	const placeOf = (event) => {
		const box = plot.getBoundingClientRect();
		const [left, top] = chart.view.origin();
		const [width, height] = size();
		return [(event.clientX - box.left - left) / width, 1 - (event.clientY - box.top - top) / height];
	};
	plot.addEventListener("wheel", (event) => {
		if (!chart.view || !(event.ctrlKey || event.metaKey || document.activeElement === plot)) return;
		event.preventDefault();
		hideTip();
		zoomBy(1.0015 ** event.deltaY, placeOf(event));
	}, { passive: false });

	const fingers = new Map();
	let start = null;
	plot.addEventListener("pointerdown", (event) => {
		if (!chart.view || event.button !== 0) return;
		fingers.set(event.pointerId, event);
		start = { x: event.clientX, y: event.clientY };
		chart.dragged = false;
	});
	plot.addEventListener("pointermove", (event) => {
		const before = fingers.get(event.pointerId);
		if (!before) return;
		const [width, height] = size();
		if (fingers.size === 2) {
			const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
			const apart = (finger) => Math.hypot(finger.clientX - other.clientX, finger.clientY - other.clientY);
			if (apart(event) > 10) zoomBy(apart(before) / apart(event), placeOf(other));
			chart.dragged = true;
		} else if (event.pointerType !== "touch") {
			// with touch, one finger scrolls the page
			if (!chart.dragged && Math.hypot(event.clientX - start.x, event.clientY - start.y) < 4) return;
			if (!chart.dragged) {
				plot.setPointerCapture(event.pointerId);
				chart.attend(-1);
			}
			chart.dragged = true;
			panBy((event.clientX - before.clientX) / width, (event.clientY - before.clientY) / height);
		}
		fingers.set(event.pointerId, event);
	});
	for (const end of ["pointerup", "pointercancel"])
		plot.addEventListener(end, (event) => fingers.delete(event.pointerId));
	plot.addEventListener("dblclick", reset);
	plot.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key === "+" || event.key === "=") zoomBy(1 / STEP);
		else if (event.key === "-") zoomBy(STEP);
		else if (event.key === "0") reset();
		else return;
		event.preventDefault();
		chart.attend(-1);
	});

	const button = (sign, label, action) =>
		h("button", { type: "button", class: "quiet", "aria-label": label, title: label.replace(/^Reset: /, ""), onclick: () => chart.view && action() }, sign);
	chart.tools.prepend(
		button("+", "Zoom in", () => zoomBy(1 / STEP)),
		button("−", "Zoom out", () => zoomBy(STEP)),
		button("Reset", "Reset: show all again", reset));
}
