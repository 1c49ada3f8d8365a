// What the first screen says without scrolling: what became slower, and the fastest case.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

/** The tiles in sight: { text, classes }. */
const tilesOf = (page) => page.locator("#head .tile").evaluateAll((tiles) =>
	tiles.filter((tile) => tile.getBoundingClientRect().bottom < innerHeight).map((tile) => ({ text: tile.innerText.replaceAll(/\s+/g, " "), classes: tile.className })));

for (const [what, options] of [["a desktop", {}], ["a phone", { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }]]) {
	test(`a regression is on the first screen, first and in red: ${what}`, async () => {
		const slower = sql("slower", `SELECT count(*) AS count FROM trial JOIN run ON run.id = trial.run_id
			JOIN trial AS old ON old.kernel = trial.kernel AND old.variant = trial.variant AND old.config = trial.config
			AND old.run_id = (SELECT id FROM run WHERE label = 'before')
			WHERE label = 'now' AND trial.variant = 'triad_float4' AND trial.status = 'ok' AND old.status = 'ok'`)[0].count;
		const { page } = await open(browser, "slower", options);
		const [first, ...others] = await tilesOf(page);
		assert.match(first.text, new RegExp(`^${slower} slower than before; most: stream/triad_float4/\\S+ takes ×1\\.300 the time$`));
		assert.match(first.classes, /\bbad\b/);
		assert.deepEqual(others.filter(({ text }) => / faster than /.test(text)), []);
		await page.context().close();
	});
}

test("a large difference that few rounds cannot decide is on the first screen, too", async () => {
	const { page } = await open(browser, "undecided");
	const tiles = await tilesOf(page);
	assert.ok(tiles.some(({ text, classes }) => /warn/.test(classes) && /^\d+ inconclusive against before: more rounds decide; most: stream\/triad_float4\/\S+ takes ×1\.300 the time$/.test(text)), JSON.stringify(tiles));
	await page.context().close();
});

test("without a regression the first screen says how many cases were compared", async () => {
	const { page } = await open(browser, "same");
	const [first] = await tilesOf(page);
	assert.match(first.text, /^0 slower than before of \d+ cases$/);
	await page.context().close();
});

test("of one kernel the first screen names the fastest case", async () => {
	const [fastest] = sql("lab", `SELECT kernel || '/' || variant || '/' || config AS name FROM trial JOIN run ON run.id = run_id
		WHERE label = 'now' AND kernel = 'stream' AND status = 'ok' AND bytes_read + bytes_written = (SELECT max(bytes_read + bytes_written)
		FROM trial JOIN run ON run.id = run_id WHERE label = 'now' AND kernel = 'stream') ORDER BY flop DESC, median_ns LIMIT 1`);
	const { page } = await open(browser, "stream");
	const [first] = await tilesOf(page);
	assert.ok(first.text.endsWith(`the fastest case of the largest problem: ${fastest.name}`), first.text);
	await page.context().close();
});
