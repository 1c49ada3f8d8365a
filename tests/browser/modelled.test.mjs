// Cases whose operations no counter counted: drawn hollow by the work model, and labelled so wherever
// a number depends on it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawAll, launch, open, pixelOf, plotOf } from "./browser.mjs";

const FAMILY = "matmul/register_tiled"; // its operations are those of the model
const WITHOUT = "stream/copy_float4"; // it has no point, for a reason
const REASON = "it has no floating-point operations";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

test("points of the work model are hollow and labelled", async () => {
	const { page, complaints } = await open(browser, "modelled");
	const plot = await plotOf(page, "roofline");
	const name = await plot.evaluate((host, family) => host.chart.found.find(({ one }) => one.family === family).one.name, FAMILY);
	const marks = await plot.locator("svg g.mark-symbol path").evaluateAll((paths) => paths.map((path) => [path.getAttribute("fill"), path.getAttribute("stroke")]));
	const hollow = marks.filter(([fill, stroke]) => fill === "var(--panel)" && stroke.startsWith("var(--c"));
	assert.equal(hollow.length, 1);
	const found = await plot.evaluate((host) => host.chart.found.length);
	assert.equal(marks.filter(([fill]) => fill?.startsWith("var(--c")).length, found - 1, "the others are filled");
	assert.match(await page.locator("#roofline .summary").first().innerText(), /1 hollow point: operations from the work model, not counted\./);
	const [x, y] = await pixelOf(plot, name);
	await page.mouse.move(x, y);
	await page.locator("#tip").waitFor({ state: "visible" });
	assert.match(await page.locator("#tip").innerText(), /F32\s+[0-9.]+ .FLOP\/s.*, from the work model/);
	await page.locator("#roofline details.data summary").click();
	assert.match(await page.locator("#roofline details.data tr").filter({ hasText: `${FAMILY}/` }).innerText(), /from the work model/);
	assert.equal(await page.locator("#roofline details.data tbody tr").filter({ hasText: "from the work model" }).count(), 1);
	assert.deepEqual(complaints, []);
	await page.context().close();
});

test("a share of a roof by the work model says so; the counted columns stay empty", async () => {
	const { page, complaints } = await open(browser, "modelled");
	await drawAll(page);
	assert.match(await page.locator("#verdicts .verdict").filter({ hasText: "register_tiled" }).first().innerText(), /work model/);
	assert.doesNotMatch(await page.locator("#verdicts .verdict").filter({ hasText: "sequential" }).first().innerText(), /work model/);
	await page.locator("#cases").getByLabel("Search").fill(`${FAMILY}/*`);
	await page.waitForFunction(() => document.querySelectorAll("#case-table tbody tr").length < 10);
	const heads = (await page.locator("#case-table thead th").allInnerTexts()).map((text) => text.trim());
	const cells = await page.locator("#case-table tbody tr").first().locator("th, td").allInnerTexts();
	assert.match(cells[heads.indexOf("Of roof")], /%\s+work model/);
	assert.match(cells[heads.indexOf("FLOP/s")], /^(–|0)$/);
	await page.locator("#case-table tbody .link").first().click();
	assert.match(await page.locator("#detail").innerText(), /F32 \(work model, not counted\)/);
	await page.keyboard.press("Escape");
	// what has no point has a reason
	assert.match(await page.locator("#roofline").innerText(), new RegExp(`${REASON}[^\n]*: [^\n]*${WITHOUT}`));
	assert.doesNotMatch(await page.locator("body").innerText(), /\b(null|undefined|NaN)\b/);
	assert.deepEqual(complaints, []);
	await page.context().close();
});

test("a page with counted operations only has no hollow point", async () => {
	const { page } = await open(browser, "lab");
	await drawAll(page);
	assert.doesNotMatch(await page.locator("body").innerText(), /work model, not counted|hollow/);
	await page.context().close();
});
