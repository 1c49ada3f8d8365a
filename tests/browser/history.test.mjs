// Compares the history section, a case over the runs of its device, with the database.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeSource, drawAll, launch, open, plotOf, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

function pageTest(title, name, body, options) {
	test(title, async () => {
		const { page, complaints } = await open(browser, name, options);
		try {
			await body(page);
			assert.deepEqual(complaints, []);
		} finally {
			await page.context().close();
		}
	});
}

const RUNS = `SELECT run.id, run.label, trial.variant, trial.kernel || '/' || trial.variant || '/' || trial.config AS name, trial.median_ns
	FROM trial JOIN run ON run.id = trial.run_id WHERE trial.status = 'ok' ORDER BY run.started_ns, trial.position`;
const shown = (plot) => plot.evaluate((host) => host.chart.found.map(({ run, x, y, one }) => ({ id: run.id, x, y, name: one.name })));

pageTest("the points are the medians of the runs, and the step is marked", "history", async (page) => {
	const plot = await plotOf(page, "history");
	const points = await shown(plot);
	// the case that became slower is shown first
	const [{ name }] = sql("history", "SELECT kernel || '/' || variant || '/' || config AS name FROM trial ORDER BY id LIMIT 1");
	assert.equal(points[0].name, name);
	const rows = sql("history", RUNS).filter((row) => row.name === name);
	assert.equal(rows.length, 24);
	assert.deepEqual(points.map(({ id }) => id), rows.map(({ id }) => id));
	points.forEach(({ y }, i) => assert.ok(Math.abs(y - rows[i].median_ns) <= 0.5));
	const changes = await plot.evaluate((host) => host.chart.options.summary());
	assert.match(changes, /\+[45]\.\d\d % \(slower\) between day-9 \(run \d+\) and day-10 \(run \d+\)\./);
	assert.match(await plot.textContent(), /\+[45]\.\d\d %/, "the plot names the change");
	const row = page.locator("#history table tbody tr").first();
	assert.match(await row.innerText(), /slower/);
	assert.equal(await page.locator("#history > div table tbody tr").count(), 2);
	assert.match(await page.locator("#history table tbody tr").nth(1).innerText(), /faster, one run so far: wait for the next/);
	assert.doesNotMatch(await row.innerText(), /one run so far/);
});

pageTest("another case is chosen; a run that failed is left out", "history", async (page) => {
	await plotOf(page, "history");
	const [first, second] = sql("history", "SELECT DISTINCT kernel, variant, config FROM trial ORDER BY id LIMIT 2");
	const field = first.kernel !== second.kernel ? ["Kernel", "kernel"] : ["Variant", "variant"];
	await page.locator("#history").getByLabel(field[0]).selectOption(second[field[1]]);
	const plot = await plotOf(page, "history");
	const points = await shown(plot);
	const name = `${second.kernel}/${second.variant}/${second.config}`;
	assert.ok(points.every((point) => point.name === name));
	assert.equal(points.length, 23);
	assert.equal(points.some(({ x }) => x === 5), false);
	assert.match(await plot.evaluate((host) => host.chart.options.summary()), /No change point/);
	// from the list back to the case that changed
	await page.locator("#history table").first().getByRole("button").first().click();
	await plotOf(page, "history");
	assert.equal((await shown(plot)).length, 24);
});

pageTest("each median has its interval", "history", async (page) => {
	const plot = await plotOf(page, "history");
	const points = await plot.evaluate((host) => host.chart.found.map(({ run, low, high, one }) => ({ id: run.id, low, high, name: one.name })));
	const rows = sql("history", RUNS.replace("trial.median_ns", "trial.session_low_ns AS low, trial.session_high_ns AS high")).filter((row) => row.name === points[0].name);
	assert.ok(rows.length > 2);
	for (const { id, low, high } of rows) {
		const point = points.find((other) => other.id === id);
		assert.ok(Math.abs(point.low - low) <= 1 && Math.abs(point.high - high) <= 1, `${point.low} to ${point.high}, not ${low} to ${high}`);
	}
	const bars = await plot.evaluate((host) => [...host.querySelectorAll("svg .mark-rule line")].filter((line) => line.getAttribute("stroke-width") === "2").length);
	assert.equal(bars, rows.length);
});

pageTest("by keyboard and in words", "history", async (page) => {
	const plot = await plotOf(page, "history");
	await plot.focus();
	await page.keyboard.press("ArrowRight");
	await page.locator("#tip").waitFor({ state: "visible" });
	assert.match(await page.locator("#live").textContent(), /day-0 \(run \d+\): Started .*Median .*µs/);
	for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
	assert.match(await page.locator("#live").textContent(), /Marked good/);
	await page.keyboard.press("ArrowLeft");
	assert.match(await page.locator("#live").textContent(), /day-2/);
	assert.equal(await plot.getAttribute("role"), "application");
	assert.match(await plot.getAttribute("aria-label"), /^Median time over the runs\. .*24 runs/);
	await page.keyboard.press("Enter");
	await page.locator("#detail").waitFor({ state: "visible" });
	await page.keyboard.press("Escape");
	await page.locator("#history details.data summary").click();
	const numbers = page.locator("#history details.data tbody tr");
	await numbers.first().waitFor();
	assert.equal(await numbers.count(), 24);
	assert.match(await numbers.nth(10).innerText(), /day-10.*\+[45]\.\d\d %/s);
	assert.match(await numbers.nth(3).innerText(), /good/);
});

for (const [what, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["a phone", { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true }]]) {
	pageTest(`nothing serious for axe, nothing too wide: ${what}`, "history", async (page) => {
		await drawAll(page);
		await page.evaluate(axeSource);
		const found = await page.evaluate(async () => (await globalThis.axe.run("#history")).violations.map(({ id, impact }) => `${impact} ${id}`));
		assert.deepEqual(found.filter((line) => /^(serious|critical)/.test(line)), []);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		assert.doesNotMatch(await page.locator("#history").innerText(), /\b(null|undefined|NaN)\b/);
	}, options);
}

pageTest("of two runs there is a history without change points", "lab", async (page) => {
	const plot = await plotOf(page, "history");
	assert.equal((await shown(plot)).length, 2);
	assert.match(await page.locator("#history").innerText(), /None of \d+ cases changed over 2 runs/);
});

pageTest("a page of selected cases has their histories, and says what it is", "selected", async (page) => {
	const [{ whole }] = sql("lab", "SELECT count(*) AS whole FROM trial JOIN run ON run.id = run_id WHERE label = 'now'");
	const rows = sql("lab", "SELECT label, kernel || '/' || variant || '/' || config AS name, median_ns FROM trial JOIN run ON run.id = run_id WHERE label IN ('now', 'before') AND median_ns IS NOT NULL ORDER BY started_ns");
	const cases = await page.locator("#cases .count").innerText();
	assert.match(await page.locator("#head").innerText(), new RegExp(`A selection: ${cases.split(" ")[0]} of the ${whole} cases of this run: reduce/\\*; sorted by -median`));
	// every history of the page is that of the case beside it
	const plot = await plotOf(page, "history");
	const shownNames = await page.locator("#history").getByLabel("Configuration").locator("option").allInnerTexts();
	assert.ok(shownNames.length > 2);
	for (const config of shownNames) {
		await page.locator("#history").getByLabel("Configuration").selectOption(config);
		await plotOf(page, "history");
		const points = await shown(plot);
		const medians = rows.filter(({ name }) => name === points[0].name).map((row) => row.median_ns);
		assert.equal(points.length, medians.length);
		points.forEach(({ name, y }, i) => assert.ok(name.startsWith("reduce/") && Math.abs(y - medians[i]) <= 0.5, `${name}: ${y}, not ${medians[i]}`));
	}
});

for (const name of ["one", "bare", "emulated", "hostile"]) {
	pageTest(`no section and no way to it without a history: ${name}`, name, async (page) => {
		assert.equal(await page.locator("#history").count(), 0);
		assert.equal(await page.locator('#nav a[href="#history"]').count(), 0);
	});
}

pageTest("the counters of emulated runs that changed, the worse first", "counted", async (page) => {
	const changed = sql("counted", `SELECT kernel || '/' || variant || '/' || config AS name, max(value) FILTER (WHERE age = 2) AS before, max(value) FILTER (WHERE age = 1) AS after
		FROM (SELECT *, row_number() OVER (PARTITION BY kernel, variant, config ORDER BY started_ns DESC) AS age FROM result_counters
			WHERE backend = 'ptx' AND name = 'ptx_global_load_sectors')
		GROUP BY 1 HAVING before <> after ORDER BY after < before`);
	assert.equal(changed.length, 2);
	const rows = page.locator("#history table tbody tr");
	assert.equal(await rows.count(), 2);
	for (const [i, word] of ["worse", "better"].entries()) {
		const text = await rows.nth(i).innerText();
		assert.ok(text.includes(changed[i].name), `${text} lacks ${changed[i].name}`);
		assert.ok(text.includes(`ptx_global_load_sectors ${changed[i].before} → ${changed[i].after}`), text);
		assert.match(text, new RegExp(`\\b${word}\\b`));
	}
	assert.equal(await page.locator('#nav a[href="#history"]').count(), 1);
	await page.evaluate(axeSource);
	const found = await page.evaluate(async () => (await globalThis.axe.run("#history")).violations.map(({ id, impact }) => `${impact} ${id}`));
	assert.deepEqual(found.filter((line) => /^(serious|critical)/.test(line)), []);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});
