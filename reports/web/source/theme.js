// The theme: light, dark or that of the system. SVG takes its colours from the style sheet and changes
// by itself; onTheme() tells the canvases to redraw.
import { segmented } from "./dom.js";

const listeners = new Set();
const system = matchMedia("(prefers-color-scheme: dark)");
let choice = "auto";

function apply() {
	const dark = choice === "dark" || (choice === "auto" && system.matches);
	setTheme(dark ? "dark" : "light");
}

function setTheme(theme) {
	if (document.documentElement.dataset.theme === theme) return;
	document.documentElement.dataset.theme = theme;
	for (const listener of listeners) listener();
}

export const onTheme = (listener) => listeners.add(listener);

/** The current value of a colour variable of the style sheet. */
export const resolved = (name) =>
	getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function themeSwitch(host) {
	try {
		choice = localStorage.getItem("perflab-theme") ?? "auto";
	} catch {
		// some browsers have no storage for local files
	}
	if (!["auto", "light", "dark"].includes(choice)) choice = "auto";
	host.append(segmented("Theme", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], choice,
		(value) => {
			choice = value;
			try {
				localStorage.setItem("perflab-theme", value);
			} catch {
				// without storage the choice lasts until the page is closed
			}
			apply();
		}));
	system.addEventListener("change", apply);
	apply();
	// print on white
	addEventListener("beforeprint", () => setTheme("light"));
	addEventListener("afterprint", apply);
}
