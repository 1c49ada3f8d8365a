// Before anything is painted: the theme that this reader chose last, else the system's.
let chosen = null;
try {
	chosen = localStorage.getItem("perflab-theme");
} catch {
	// a browser may keep nothing for files
}
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const theme = chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
document.documentElement.dataset.theme = theme;
