// Light, dark, or as the system has it. What is drawn in SVG takes its colours from the style sheet
// and changes by itself; canvases are told.
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

/** The colour that a variable of the style sheet has now. */
export const resolved = (name) =>
	getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function themeSwitch(host) {
	try {
		choice = localStorage.getItem("perflab-theme") ?? "auto";
	} catch {
		// a browser may keep nothing for files
	}
	if (!["auto", "light", "dark"].includes(choice)) choice = "auto";
	host.append(segmented("Theme", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], choice,
		(value) => {
			choice = value;
			try {
				localStorage.setItem("perflab-theme", value);
			} catch {
				// then it holds until the page is closed
			}
			apply();
		}));
	system.addEventListener("change", apply);
	apply();
	// paper is white
	addEventListener("beforeprint", () => setTheme("light"));
	addEventListener("afterprint", apply);
}
