// Unverified cases on the page: marked wherever they appear, and never above a verified one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawAll, launch, open, plotOf, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

function pageTest(title, name, body) {
	test(title, async () => {
		const { page, complaints } = await open(browser, name);
		try {
			await body(page);
			assert.deepEqual(complaints, []);
		} finally {
			await page.context().close();
		}
	});
}

const CASES = sql("unverified", `SELECT kernel || '/' || variant AS family, kernel || '/' || variant || '/' || config AS name,
	status, median_ns FROM trial JOIN run ON run.id = trial.run_id WHERE run.label = 'now'
	AND status IN ('ok', 'unverified')`);
const UNVERIFIED = CASES.filter((row) => row.status === "unverified");

/** The best case of each variant: the fastest verified one, or else the fastest. */
function expectedBest() {
	const best = new Map();
	const rank = (row) => [row.status === "ok" ? 0 : 1, row.median_ns];
	for (const row of CASES) {
		const known = best.get(row.family);
		const [a, b] = [rank(row), known ? rank(known) : [2, 0]];
		if (a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])) best.set(row.family, row);
	}
	return best;
}

const marks = (page, section) => page.locator(`#${section} .plot svg g.mark-text text`).filter({ hasText: /^\?$/ }).count();

pageTest("the best of a variant is a verified case if it has one", "unverified", async (page) => {
	const best = expectedBest();
	assert.ok([...best.values()].some((row) => row.status === "ok"));
	assert.equal(best.get("matmul/register_tiled").status, "unverified");
	for (const item of await page.locator("#verdicts .verdict").all()) {
		const name = await item.locator("button.link").first().getAttribute("title");
		const row = best.get(name.split("/").slice(0, 2).join("/"));
		assert.equal(name, row.name);
		assert.equal(/\(unverified\)/.test(await item.innerText()), row.status === "unverified", name);
		if (row.status === "unverified") assert.match(await item.innerText(), /unverified; /);
	}
	// the only unverified one of its kernel is the last of its list
	const variants = await page.locator("#verdicts .verdict button.link").evaluateAll((links) => links.map((link) => link.title).filter((name) => name.startsWith("matmul/")));
	assert.match(variants.at(-1), /register_tiled/);
});

pageTest("every place that names an unverified case marks it", "unverified", async (page) => {
	await drawAll(page);
	const unmarked = await page.locator("button.link").evaluateAll((links, names) => links
		.filter((link) => names.includes(link.title) !== link.textContent.endsWith("(unverified)")).map((link) => link.title), UNVERIFIED.map((row) => row.name));
	assert.deepEqual(unmarked, []);
	assert.match(await page.locator("#head").innerText(), new RegExp(`${UNVERIFIED.length}\\s+unverified`));
	assert.match(await page.locator("#gaps").innerText(), /Unverified: no check shows that the results are right[^]*its file says: verify none/);
	assert.ok(await page.locator("#cases tbody .status-cell").filter({ hasText: "unverified" }).count() > 0);
});

pageTest("a table sorted by time has the verified cases first", "unverified", async (page) => {
	await drawAll(page);
	const table = page.locator("#case-table");
	for (let click = 0; click < 2; click++) {
		await table.getByRole("button", { name: "Median" }).click();
		const statuses = (await table.locator("tbody .status-cell").allInnerTexts()).map((text) => text.trim());
		assert.ok(statuses.includes("ok"));
		assert.equal(statuses.includes("unverified") && statuses.indexOf("unverified") < statuses.lastIndexOf("ok"), false);
	}
	// the page shows 50 rows; the last one has the cases without a time
	await page.getByLabel("Search").fill("stream");
	await page.waitForFunction(() => document.querySelector("#cases .count").textContent.includes(" of "));
	const statuses = (await table.locator("tbody .status-cell").allInnerTexts()).map((text) => text.trim()).filter((text) => text === "ok" || text === "unverified");
	assert.deepEqual(statuses, [...statuses].sort());
	assert.ok(statuses.includes("unverified"));
});

pageTest("the pictures mark unverified points", "unverified", async (page) => {
	await drawAll(page);
	const plot = await plotOf(page, "roofline");
	const points = await plot.evaluate((host) => host.chart.found.map(({ one }) => one.unverified));
	assert.equal(await marks(page, "roofline"), points.filter(Boolean).length);
	assert.ok(points.some(Boolean) && !points.every(Boolean));
	assert.match(await page.locator("#roofline").innerText(), /A question mark: unverified/);
	for (const section of ["curves", "occupancy", "compare"])
		assert.ok(await marks(page, section) > 0, section);
	// a mark outside of the plot is cut off
	const cut = await page.locator("#curves .plot svg, #occupancy .plot svg").evaluateAll((plots) => plots.flatMap((plot) => {
		const { top, right } = plot.querySelector("path.background").getBoundingClientRect();
		return [...plot.querySelectorAll("g.mark-text text")].filter((text) => text.textContent === "?").map((text) => text.getBoundingClientRect())
			.filter((box) => box.top < top - 1 || box.left > right).length;
	}));
	assert.ok(cut.every((count) => count === 0), String(cut));
	await page.locator("#samples").getByLabel("Kernel").selectOption("matmul");
	const samples = await plotOf(page, "samples");
	await page.waitForFunction((host) => host.textContent.includes("? register_tiled"), await samples.elementHandle());
});

pageTest("the history marks the runs that were not verified", "unverified_history", async (page) => {
	await drawAll(page);
	assert.equal(await marks(page, "history"), 1);
	assert.match(await page.locator("#history").innerText(), /A question mark: unverified/);
});

pageTest("a page without unverified cases has no mark", "lab", async (page) => {
	await drawAll(page);
	assert.equal(await page.locator(".plot svg g.mark-text text").filter({ hasText: /^\?$/ }).count(), 0);
	assert.doesNotMatch(await page.locator("#head").innerText(), /unverified/);
});
