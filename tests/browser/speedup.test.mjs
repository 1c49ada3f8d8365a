// The speed-up of each case over its base case.
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
			await drawAll(page);
			await body(page);
			assert.deepEqual(complaints, []);
		} finally {
			await page.context().close();
		}
	});
}

const ROWS = sql("speedup", `SELECT kernel || '/' || variant || '/' || config AS name, variant, verdict, speedup, status, why, same_buffers
	FROM speedups ORDER BY status = 'unverified', CASE verdict WHEN 'faster' THEN 0 WHEN 'same' THEN 1 WHEN 'inconclusive' THEN 2 ELSE 3 END, speedup DESC, trial_id`);
const MEASURED = ROWS.filter((row) => row.speedup !== null);

pageTest("the best comes first, as a sentence", "speedup", async (page) => {
	const best = MEASURED[0];
	assert.equal(best.status, "ok");
	const said = await page.locator("#speedup .lead").innerText();
	assert.ok(said.startsWith(`The best: ${best.variant} is ${best.speedup.toFixed(3).slice(0, 4)}`), said);
	assert.match(said, / times as fast as copy_scalar \([0-9.]+ to [0-9.]+\): faster/);
	assert.match(await page.locator("#head").innerText(), new RegExp(`${MEASURED.filter((row) => row.verdict === "faster").length} of ${MEASURED.length}\\s+faster than the base variant`));
	assert.match(await page.locator("#nav").innerText(), /Speed-up/);
});

pageTest("the picture has every pair, the untrusted ones last and marked", "speedup", async (page) => {
	const plot = await plotOf(page, "speedup");
	const drawn = await plot.evaluate((host) => host.chart.found.map(({ one }) => one.name));
	assert.deepEqual(drawn, MEASURED.map((row) => row.name));
	const last = MEASURED.findIndex((row) => row.status === "unverified");
	assert.ok(last > 0 && MEASURED.slice(last).every((row) => row.status === "unverified"));
	assert.equal(await page.locator("#speedup .plot svg g.mark-text text").filter({ hasText: /^\?$/ }).count(), MEASURED.length - last);
	for (const verdict of ["faster", "slower", "same", "inconclusive"])
		assert.match(await page.locator("#speedup").innerText(), new RegExp(`[0-9]+ ${verdict}`));
});

pageTest("what has no speed-up has a reason", "speedup", async (page) => {
	const missing = ROWS.filter((row) => row.speedup === null);
	assert.ok(missing.length > 0);
	assert.match(await page.locator("#speedup table.reasons").last().innerText(), new RegExp(`copy_scalar has no case with block=96\\s+${missing.length}\\s`));
	await page.getByPlaceholder("kernel, variant").fill("add_float4");
	await page.waitForFunction(() => document.querySelector("#cases .count").textContent.includes(" of "));
	const cells = await page.locator("#cases tbody").innerText();
	assert.match(cells, /not measured/);
	assert.match(cells, /[0-9.]+ (faster|slower)/);
	const buffers = ROWS.find((row) => row.same_buffers === 0);
	await page.getByPlaceholder("kernel, variant").fill(buffers.name);
	await page.locator(`#cases tbody button.link[title="${buffers.name}"]`).click();
	assert.match(await page.locator("dialog").innerText(), /times as fast as copy_scalar .*on other buffers/);
});

pageTest("a page without a base variant has no such section", "lab", async (page) => {
	assert.equal(await page.locator("#speedup").count(), 0);
	assert.doesNotMatch(await page.locator("body").innerText(), /[Ss]peed-up/);
});
