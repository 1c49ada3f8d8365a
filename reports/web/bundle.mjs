// Builds the page: one HTML file with its style, scripts and licences, and three marks that
// perflab replaces with the title, the run and the lines of its cases. usage: bundle.mjs NODE_MODULES PAGE LICENCES
//
// The page loads nothing and runs only its own scripts: the policy in its head lists their hashes.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, pagePath, licencesPath] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(join(modules, "perflab"))("esbuild");

async function bundle(entry, options = {}) {
	const result = await build({
		entryPoints: [join(here, "source", entry)],
		bundle: true,
		minify: true,
		write: false,
		metafile: true,
		charset: "utf8",
		target: ["chrome100", "firefox100", "safari15.4"],
		legalComments: "none", // the page contains the full licences
		nodePaths: [modules],
		logLevel: "warning",
		...options,
	});
	return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
}

/** Escapes text for an element, so that nothing in it ends the element. */
function inside(element, text) {
	return text.replaceAll(new RegExp(`</(?=${element})`, "gi"), "<\\/");
}

/** The packages that the files of a bundle come from, without duplicates. */
function packagesOf(inputs) {
	const folders = new Set();
	for (const input of inputs) {
		const path = resolve(input);
		const inModules = relative(modules, path);
		if (inModules.startsWith("..")) continue;
		// scoped names have two parts; a package may contain other packages
		const parts = inModules.split("/");
		const last = parts.lastIndexOf("node_modules") + 1;
		const length = parts[last].startsWith("@") ? 2 : 1;
		folders.add(join(modules, ...parts.slice(0, last + length)));
	}
	return [...folders].sort();
}

function licenceOf(folder) {
	const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
	const text = file ? readFileSync(join(folder, file), "utf8").trim() : null;
	return { name: `${about.name} ${about.version} (${about.license})`, text };
}

/** Every licence once, below the names of the packages that use it. */
function licences(inputs) {
	const byText = new Map();
	for (const folder of packagesOf(inputs)) {
		const { name, text } = licenceOf(folder);
		// a package from a larger repository may have its licence text at the root only
		const key = text ?? "The package contains no licence text; its name states the licence.";
		byText.set(key, [...(byText.get(key) ?? []), name]);
	}
	return [...byText]
		.map(([text, names]) => `${names.join("\n")}\n\n${text}\n`)
		.join(`\n${"-".repeat(72)}\n\n`);
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const early = await bundle("early.js");
const main = await bundle("main.js");
const style = await bundle("style/style.css");
const licenceText = licences(main.inputs);
const programs = [early, main].map(({ text }) => inside("script", text));
const policy = [
	"default-src 'none'",
	`script-src ${programs.map(hash).join(" ")}`,
	"style-src 'unsafe-inline'",
	"img-src data: blob:",
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");
const parts = {
	policy,
	style: inside("style", style.text),
	early: programs[0],
	main: programs[1],
	licences: escape(licenceText),
};
let page = readFileSync(join(here, "page.html"), "utf8");
page = page.replaceAll(/<!--bundle:(\w+)-->|\{\{(\w+)\}\}/g, (_, a, b) => {
	const part = parts[a ?? b];
	if (part === undefined) throw new Error(`page.html asks for ${a ?? b}, which does not exist`);
	return part;
});
for (const mark of ["title", "run", "lines"]) {
	if (page.split(`<!--perflab:${mark}-->`).length !== 2)
		throw new Error(`the page needs the mark perflab:${mark} exactly once`);
}
if (!existsSync(dirname(pagePath))) throw new Error(`${dirname(pagePath)} does not exist`);
writeFileSync(licencesPath, licenceText);
writeFileSync(pagePath, page);
