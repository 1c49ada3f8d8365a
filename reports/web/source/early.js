// Runs before the first paint: applies the theme that the reader chose last, or that of the system.
let chosen = null;
try {
	chosen = localStorage.getItem("perflab-theme");
} catch {
	// some browsers have no storage for local files
}
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const theme = chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
document.documentElement.dataset.theme = theme;
