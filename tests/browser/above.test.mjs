// Cases above a measured roof: a finding everywhere, and the best of nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawAll, launch, open, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const ABOVE = sql("above", `SELECT kernel || '/' || variant || '/' || config AS name FROM trial
	JOIN run ON run.id = trial.run_id WHERE run.label = 'now' AND trial.status = 'ok'
	AND (variant = 'triad_float4' AND config LIKE 'block=512,%' OR variant = 'copy_scalar')`).map((row) => row.name);

test("a case above a measured roof is a finding and never the best", async () => {
	const { page, complaints } = await open(browser, "above");
	try {
		await drawAll(page);
		assert.ok(ABOVE.length > 2);
		assert.match(await page.locator("#head").innerText(), new RegExp(`${ABOVE.length}\\s+above a measured roof`));
		assert.match(await page.locator("#roofline .finding").innerText(), /work model, DRAM: .* is above the measured/);
		const best = await page.locator("#verdicts .verdict button.link").evaluateAll((links) => links.map((link) => link.title));
		assert.deepEqual(best.filter((name) => ABOVE.includes(name)), []);
		assert.ok(best.some((name) => name.startsWith("stream/triad_float4/")));
		assert.ok(!best.some((name) => name.startsWith("stream/copy_scalar/")));
		await page.getByPlaceholder("kernel, variant").fill("above a roof");
		await page.waitForFunction((count) => document.querySelector("#cases .count").textContent.startsWith(`${count} of `), ABOVE.length);
		const marked = await page.locator("#cases tbody tr:has(.above) th button.link").evaluateAll((links) => links.map((link) => link.title));
		assert.deepEqual(marked.sort(), [...ABOVE].sort());
		assert.deepEqual(complaints, []);
	} finally {
		await page.context().close();
	}
});
