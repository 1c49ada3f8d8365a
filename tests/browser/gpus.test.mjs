// A sweep on several GPUs: the GPUs with their runs, the interference or the differences, and the GPU of each case.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeSource, drawAll, launch, open, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const rowsOf = (page, caption) => page.locator(`#gpus table:has(caption:text-is("${caption}")) tbody tr`).evaluateAll((rows) =>
	rows.map((row) => [...row.children].map((cell) => cell.innerText)));

const STORED = `SELECT device_ordinal AS gpu, run.id, count(trial.id) AS cases, uuid FROM run JOIN device ON device.id = device_id
	LEFT JOIN trial ON run_id = run.id GROUP BY run.id ORDER BY 1`;

test("the page of a split names the GPUs and the GPU of each case", async () => {
	const { page, complaints } = await open(browser, "split");
	try {
		await drawAll(page);
		assert.match(await page.locator("h1").innerText(), /Sweep on 3 GPUs/);
		assert.equal(await page.title(), "Sweep on several GPUs");
		const listed = await rowsOf(page, "GPUs");
		assert.deepEqual(listed.pop(), ["7", "–", "–", "–", "–", "–", "no run: <img src=x onerror=alert(2)>", "GPU-7"]);
		assert.deepEqual(listed.map(([gpu, , run, cases, , , , uuid]) => [gpu, run, cases, uuid]),
			sql("split", STORED).map(({ gpu, id, cases, uuid }) => [gpu, id, cases, uuid].map(String)));
		// names and reasons are text
		assert.equal(listed[0][1], 'Fake <b id="markup">GPU</b>');
		assert.equal(await page.locator("#markup, #gpus img").count(), 0);
		assert.ok(listed.some((row) => row[6] === "failed: <img src=x onerror=alert(1)>"));
		// a long reason does not push the UUIDs out of sight
		const table = page.locator('#gpus .scroll[aria-label="GPUs"]');
		await table.locator("td.wrap").last().evaluate((cell) => { cell.textContent = "failed: ".repeat(60); });
		assert.ok(await table.evaluate((box) => box.scrollWidth <= box.clientWidth));
		const facts = sql("split", `SELECT count(*) AS facts FROM environment WHERE key GLOB 'gpus.interference.[0-9]'`);
		const interference = await rowsOf(page, "Interference");
		assert.equal(interference.length, facts[0].facts);
		assert.ok(interference.every(([, verdict, change, interval]) => verdict === "not found" && /^[+−]0\.0 %$/.test(change) && / to /.test(interval)));
		await page.getByPlaceholder("kernel, variant").fill("reduce/shuffle/");
		await page.waitForFunction(() => document.querySelector("#cases .count").textContent.startsWith("5 of "));
		const heads = await page.locator("#cases thead th").allInnerTexts();
		const shown = await page.locator("#cases tbody tr").evaluateAll((rows, [gpu, block]) => rows.map((row) => [row.children[gpu].innerText, row.children[block].innerText]),
			["GPU", "block"].map((name) => heads.findIndex((head) => head.startsWith(name))));
		const measured = sql("split", `SELECT device_ordinal AS gpu, value AS block FROM trial JOIN run ON run.id = run_id
			JOIN axis ON trial_id = trial.id AND name = 'block' WHERE variant = 'shuffle'`);
		assert.deepEqual(shown.sort(), measured.map(({ gpu, block }) => [String(gpu), String(block)]).sort());
		// a comparison and a history are of one run
		assert.equal(await page.locator("#compare, #history").count(), 0);
		assert.deepEqual(complaints, []);
	} finally {
		await page.context().close();
	}
});

test("the page of a spread shows how the GPUs differ, and opens the case of a GPU", async () => {
	const { page, complaints } = await open(browser, "spread");
	try {
		await drawAll(page);
		const [first, second] = await rowsOf(page, "Differences between the GPUs");
		assert.deepEqual([first[0], first[1], ...first.slice(4, 6)], ["1", "4", "0", "0"]);
		assert.deepEqual([second[0], second[1], ...second.slice(4, 6)], ["2", "4", "1", "0"]);
		assert.match(second[2], /^\+10\.6\d %$/);
		const [changed, ...more] = await rowsOf(page, "Cases that differ");
		assert.deepEqual(more, []);
		assert.deepEqual([changed[0].replace(/\s/g, ""), changed[1], changed[5]], ["reduce/shuffle/block=128,n=1024", "2", "slower"]);
		await page.locator("#gpus button.link").click();
		assert.match(await page.locator("#detail").innerText(), /86\.\d µs/);
		assert.match(await page.locator("#detail .status").innerText(), /ok, on GPU 2$/);
		await page.waitForFunction(() => decodeURIComponent(location.hash).includes("on GPU 2"));
		assert.equal(await page.locator("#gpus :text('Interference')").count(), 0);
		// a line is of one GPU
		assert.deepEqual(await page.locator("#curves .legend button").allInnerTexts(), ["shuffle on GPU 0", "shuffle on GPU 1", "shuffle on GPU 2"]);
		assert.deepEqual(complaints, []);
	} finally {
		await page.context().close();
	}
});

test("what is fastest in a spread is a case on a GPU, and the other GPUs are beside it", async () => {
	const { page, complaints } = await open(browser, "spread");
	try {
		await drawAll(page);
		const medians = sql("spread", `SELECT device_ordinal AS gpu, median_ns AS median, config FROM trial JOIN run ON run.id = run_id
			WHERE variant = 'shuffle' ORDER BY median_ns, gpu`);
		const [fastest] = medians;
		const others = medians.filter(({ gpu, config }) => gpu !== fastest.gpu && config === fastest.config);
		assert.equal(others.length, 2);
		// no line ends between a number and its unit
		const inMicroseconds = ({ median }) => `${Number((median / 1000).toPrecision(3))}\u00a0µs`;
		const row = page.locator("#verdicts .verdict").first();
		assert.match(await row.locator(".verdict-name").innerText(), new RegExp(`on GPU ${fastest.gpu}$`));
		const [least, most] = [others.at(0), others.at(-1)].map(inMicroseconds);
		assert.match(await row.locator(".verdict-time").innerText(), new RegExp(`other GPUs: ${least === most ? least : `${least} to ${most}`}$`));
		assert.match(await page.locator("#verdicts .lead").innerText(), /on the GPU where it was fastest/);
		// the numbers of the head count each case once for each GPU
		assert.match(await page.locator(".tile").filter({ hasText: "cases measured" }).innerText(), /12 of 12\s+cases measured and correct, on all GPUs together/);
		await page.locator("#samples summary").first().click();
		assert.match(await page.locator("#samples").innerText(), new RegExp(`The least certain is shuffle on GPU ${fastest.gpu}:`));
		// a case that is open names its times on the others
		await row.locator("button.link").click();
		const [first, second] = others.sort((a, b) => a.gpu - b.gpu);
		assert.ok((await page.locator("#detail .facts-list").innerText()).replace(/[\n\t]+/g, " ")
			.includes(`On the other GPUs GPU ${first.gpu}: ${inMicroseconds(first)}, GPU ${second.gpu}: ${inMicroseconds(second)}`));
		assert.deepEqual(complaints, []);
	} finally {
		await page.context().close();
	}
});

test("a sweep of which every GPU failed says how to continue each run", async () => {
	const { page, complaints } = await open(browser, "failed");
	try {
		await drawAll(page);
		// in the order of the GPUs, whose runs begin in any order
		assert.match(await page.locator("#gaps").innerText(), /To continue the sweep: perflab sweep --resume (1, perflab sweep --resume 2|2, perflab sweep --resume 1)\./);
		assert.deepEqual(complaints, []);
	} finally {
		await page.context().close();
	}
});

test("the section is accessible on a phone", async () => {
	const { page } = await open(browser, "spread", { viewport: { width: 375, height: 812 } });
	try {
		await page.evaluate(axeSource);
		const { violations } = await page.evaluate(() => globalThis.axe.run("#gpus"));
		assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	} finally {
		await page.context().close();
	}
});
