// What the tests share: starts Chromium, opens pages from disk, collects their errors and requests, and
// asks the sqlite3 shell.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { CHROMIUM, MODULES, PAGES } = process.env;
const require = createRequire(join(MODULES, "perflab"));
const { chromium } = require("playwright-core");
export const axeSource = require("axe-core").source;

export const launch = () =>
	chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });

/**
 * A page of the run, ready, and `complaints`: errors, warnings of the console, and whatever it
 * asked of a network. `hash` is the end of its address.
 */
export async function open(browser, name, { hash = "", ...options } = {}) {
	const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, reducedMotion: "reduce", ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(60_000); // more than a busy machine needs
	const complaints = [];
	page.on("console", (message) => complaints.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => complaints.push(`error: ${error.stack}`));
	page.on("dialog", (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	const url = pathToFileURL(join(PAGES, `${name}.html`)).href;
	page.on("request", (request) => {
		if (request.url().split("#")[0] !== url && !/^(data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
	});
	await page.goto(url + hash);
	await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
	return { page, complaints };
}

/** Waits until a plot in sight is drawn. */
const drawn = async (page, plot) => page.waitForFunction((host) => host.dataset.drawn, await plot.elementHandle());

/** Scrolls through the page, so that every plot is drawn. */
export async function drawAll(page) {
	for (const plot of await page.locator(".plot").all()) {
		await plot.scrollIntoViewIfNeeded();
		await drawn(page, plot);
	}
}

/** Rows of a query, each an object. */
export function sql(database, query) {
	const said = execFileSync("sqlite3", ["-json", join(PAGES, `${database}.db`), query], { encoding: "utf8", maxBuffer: 1 << 28 });
	return said.trim() ? JSON.parse(said) : [];
}

/** Waits for the plot of a section, in sight and drawn. */
export async function plotOf(page, section, at = 0) {
	const plot = page.locator(`#${section} .plot`).nth(at);
	await plot.scrollIntoViewIfNeeded();
	await drawn(page, plot);
	return plot;
}

/** Where a case's point is in the window. */
export const pixelOf = (plot, name) => plot.evaluate((host, wanted) => {
	const { chart } = host;
	const point = chart.found.find(({ one }) => one.name === wanted);
	const [x, y] = chart.pixelOf(point);
	const box = host.getBoundingClientRect();
	return [box.left + x, box.top + y];
}, name);
