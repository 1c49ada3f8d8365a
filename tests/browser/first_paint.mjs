// Opens a page from disk several times and prints median times in milliseconds as JSON: until head,
// verdicts and table are painted, until everything is ready, and until a case is shown after a click.
// usage: first_paint.mjs NAME TIMES   (CHROMIUM, MODULES, PAGES as in browser.mjs)
import { launch, open } from "./browser.mjs";

const [name, times] = process.argv.slice(2);
const painted = [];
const ready = [];
const drawn = [];
const opened = [];
let complaints = [];
const browser = await launch();
for (let i = 0; i < Number(times); i++) {
	const { page, complaints: said } = await open(browser, name);
	complaints = said;
	painted.push(await page.evaluate(() => performance.getEntriesByName("perflab-painted")[0].startTime));
	ready.push(await page.evaluate(() => performance.now()));
	// all points together, on a canvas
	const all = page.locator("#roofline").getByRole("button", { name: "All", exact: true });
	if (await all.count()) {
		await page.locator("#roofline .plot").scrollIntoViewIfNeeded();
		drawn.push(await page.evaluate(async () => {
			const button = [...document.querySelectorAll("#roofline .segmented button")].find((one) => one.textContent === "All");
			const plot = document.querySelector("#roofline .plot");
			const start = performance.now();
			button.click();
			plot.chart.draw();
			await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
			return performance.now() - start;
		}));
	}
	opened.push(await page.evaluate(async () => {
		const start = performance.now();
		document.querySelector("#verdicts button.link").click();
		await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
		return performance.now() - start;
	}));
	await page.context().close();
}
await browser.close();
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? null;
console.log(JSON.stringify({ painted: median(painted), ready: median(ready), drawn: median(drawn), opened: median(opened), complaints }));
