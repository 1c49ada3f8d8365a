// The source lines of profiled cases: their numbers against the database, unfolding, keys, addresses, and
// profiles of which much is missing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeSource, launch, open, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

// in the order of enum lab_profile
const CASES = Object.fromEntries(["inlined", "noText", "noPositions", "noCounts", "noSamples", "hostile", "noProfile"]
	.map((what, i) => [what, `reduce/shuffle/block=${32 * (i + 1)},n=16777216`]));
const linkTo = (what, line) => `#case=${encodeURIComponent(CASES[what])}${line ? `&line=${encodeURIComponent(line)}` : ""}`;

/** A test with a case open that must not complain. */
function lineTest(title, what, body, options = {}) {
	test(title, async () => {
		const { page, complaints } = await open(browser, "lines", { hash: linkTo(what, options.line), ...options });
		try {
			await page.locator("#detail").waitFor({ state: "visible" });
			await body(page);
			assert.deepEqual(complaints, []);
		} finally {
			await page.context().close();
		}
	});
}

const toggleOf = (page, number) => page.locator(`.source button.gutter:has(.line-number:text-is("${number}"))`);
const insideOf = async (page, number) => page.locator(`[id="${await toggleOf(page, number).getAttribute("aria-controls")}"]`);
const hashOf = (page, wanted) => page.waitForFunction((text) => decodeURIComponent(location.hash).includes(text), wanted);
const said = (page) => page.locator(".lines").innerText();

lineTest("shares are those of the database, with and without inlined code", "inlined", async (page) => {
	const own = sql("lines", `SELECT line, sum(share) AS share FROM profile_frame WHERE trial_id = 1 AND file = 'kernels/lab/sum.cu' GROUP BY line`);
	const [{ inlined }] = sql("lines", "SELECT sum(share) AS inlined FROM profile_frame WHERE trial_id = 1 AND caller IS NOT NULL");
	assert.deepEqual(own.map(({ line }) => line), [20, 21]);
	for (const { line, share } of own) assert.match(await toggleOf(page, line).textContent(), new RegExp(`^Line ${line}.*: ${Math.round(100 * share)} % of the samples`));
	const all = Math.round(100 * (own[0].share + inlined));
	assert.match(await toggleOf(page, 20).textContent(), new RegExp(`${all} % with inlined code`));
	assert.equal(await toggleOf(page, 20).locator(".line-share").innerText(), `${all} %`);
	assert.match(await said(page), /400 samples of warps, one every 2¹¹ cycles of an SM or more, 12 executions/);
});

lineTest("the interval of a line is in its title", "inlined", async (page) => {
	const [{ low, high }] = sql("lines", "SELECT low, high FROM profile_frame WHERE trial_id = 1 AND line = 21");
	assert.ok((await toggleOf(page, 21).getAttribute("title")).includes(`${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} % (95 %)`));
});

lineTest("a line says why its warps wait and what it wastes", "inlined", async (page) => {
	const text = await said(page);
	for (const words of ["waits for global or local memory", "75 % of its sectors unneeded", "16 of 32 lanes", "bank conflicts: 97 % of its wavefronts", "25 % itself, 50 % inlined"])
		assert.ok(text.includes(words), words);
});

lineTest("a line unfolds into its reasons, inlined code and instructions", "inlined", async (page) => {
	assert.equal(await toggleOf(page, 20).getAttribute("aria-expanded"), "false");
	await toggleOf(page, 20).click();
	assert.equal(await toggleOf(page, 20).getAttribute("aria-expanded"), "true");
	const inside = await (await insideOf(page, 20)).innerText();
	assert.match(inside, /Inlined here\s+15 %\s+sum\.cuh:3\s*return warp_sum\(x\);\s*block_sum/);
	assert.match(inside, /35 %\s+sum\.cuh:7\s*return x \+ __shfl\(x\);\s*warp_sum/);
	assert.match(inside, /1 instruction, 25 % of the case, in\s+sum/);
	assert.match(inside, /0x0000/);
	await toggleOf(page, 21).click();
	const [{ samples, not_issued: notIssued }] = sql("lines", "SELECT samples, not_issued FROM stall WHERE trial_id = 1 AND instruction = 3 AND reason = 'long_scoreboard'");
	assert.match(await (await insideOf(page, 21)).innerText(), new RegExp(`waits for global or local memory\\s+80 %\\s+${samples}\\s+${(100 * notIssued) / samples} %`));
	await toggleOf(page, 21).click();
	assert.equal(await toggleOf(page, 21).getAttribute("aria-expanded"), "false");
});

lineTest("two names of one file are one file; a link leads to the line", "inlined", async (page) => {
	assert.deepEqual(await page.locator(".files button").allInnerTexts(), ["sum.cu 50 %", "sum.cuh 50 %"]);
	await page.locator(".hottest").getByRole("button", { name: "sum.cuh:7" }).click();
	assert.match(await (await insideOf(page, 7)).innerText(), /Inlined into\s+35 %\s+sum\.cuh:3\s*← sum\.cu:20/);
	await hashOf(page, "&line=kernels/lab/sum.cuh:7");
});

lineTest("long stretches without a cost are folded", "inlined", async (page) => {
	assert.deepEqual(await page.locator(".source button.gap").allInnerTexts(), ["⋯ 16 lines", "⋯ 16 lines"]);
	assert.equal(await page.locator(".source-line").count(), 8);
	await page.getByRole("button", { name: "Show all 40 lines" }).click();
	assert.equal(await page.locator(".source-line").count(), 40);
	assert.equal(await page.locator(".source button.gap").count(), 0);
});

lineTest("arrow keys move between lines and unfold them", "inlined", async (page) => {
	assert.equal(await page.locator('.source button.gutter[tabindex="0"]').count(), 1);
	await toggleOf(page, 20).focus();
	await page.keyboard.press("ArrowDown");
	const focused = () => page.evaluate(() => document.activeElement.querySelector(".line-number")?.textContent);
	assert.equal(await focused(), "21");
	await page.keyboard.press("ArrowRight");
	assert.equal(await toggleOf(page, 21).getAttribute("aria-expanded"), "true");
	await page.keyboard.press("ArrowLeft");
	assert.equal(await toggleOf(page, 21).getAttribute("aria-expanded"), "false");
	await page.keyboard.press("Home");
	assert.equal(await focused(), "20");
	await page.keyboard.press("Enter");
	assert.equal(await toggleOf(page, 20).getAttribute("aria-expanded"), "true");
	const outline = await toggleOf(page, 20).evaluate((element) => getComputedStyle(element).outlineStyle);
	assert.notEqual(outline, "none");
});

lineTest("a link unfolds a line of a case", "inlined", async (page) => {
	assert.equal(await toggleOf(page, 7).getAttribute("aria-expanded"), "true");
	assert.ok(await toggleOf(page, 7).evaluate((element) => {
		const { top, bottom } = element.getBoundingClientRect();
		return top >= 0 && bottom <= innerHeight;
	}));
	await hashOf(page, "line=kernels/lab/sum.cuh:7");
	await toggleOf(page, 7).click();
	await page.waitForFunction(() => !location.hash.includes("line="));
}, { line: "kernels/lab/sum.cuh:7" });

lineTest("an address with a line that is not there says so", "inlined", async (page) => {
	assert.match(await said(page), /The address names a line that costs nothing in this case: <b>nowhere<\/b>:3/);
}, { line: "<b>nowhere</b>:3" });

lineTest("lines without text are listed by number", "noText", async (page) => {
	assert.match(await said(page), /The text of kernels\/lab\/lost\.cu is not kept: was not found\./);
	assert.deepEqual(await page.locator(".source .line-number").allInnerTexts(), ["7", "8"]);
});

lineTest("code without positions shows its instructions by function", "noPositions", async (page) => {
	const text = await said(page);
	assert.match(text, /Where these instructions are in the source is not known/);
	assert.match(text, /60 instructions, [0-9.]+ % of the case, in\s+first/);
	assert.equal(await page.locator(".lines tbody tr").count(), 1 + 40 + 40);
	await page.getByRole("button", { name: "Show all 60 instructions" }).first().click();
	assert.equal(await page.locator(".lines tbody tr").count(), 1 + 60 + 40);
});

lineTest("what was not counted is not shown as zero", "noCounts", async (page) => {
	const text = await said(page);
	for (const words of ["Not counted: it uses a library loaded them.", "The hardware lost 17 samples.", "Its buffer was full once"]) assert.ok(text.includes(words), words);
	await toggleOf(page, 21).click();
	const inside = await (await insideOf(page, 21)).innerText();
	assert.doesNotMatch(inside, /Executed|Lanes|sectors/);
});

lineTest("without samples, bars show executed instructions", "noSamples", async (page) => {
	const text = await said(page);
	assert.match(text, /Not sampled: the driver gives no samples to this user\. Bars show executed instructions\./);
	assert.equal(await toggleOf(page, 6).locator(".line-share").innerText(), "75 %");
	assert.doesNotMatch(text, /waits/);
});

lineTest("hostile names and text are shown as text", "hostile", async (page) => {
	assert.equal(await page.locator(".lines img, .lines script").count(), 0);
	await toggleOf(page, 1).click();
	await hashOf(page, "<img src=x onerror=alert(1)>");
	const text = await said(page);
	assert.ok(text.includes("int a; // </script><script>throw 1</script><img src=x onerror=alert(1)>"));
	const hash = await page.evaluate(() => location.hash);
	await page.evaluate(() => { location.hash = ""; });
	await page.locator("#detail").waitFor({ state: "hidden" });
	await page.evaluate((text_) => { location.hash = text_; }, hash);
	await page.locator("#detail").waitFor({ state: "visible" });
	assert.equal(await toggleOf(page, 1).getAttribute("aria-expanded"), "true");
});

lineTest("a case without a profile names those of its variant that have one", "noProfile", async (page) => {
	await page.locator(".lines").getByRole("button", { name: "block=32,n=16777216", exact: true }).click();
	assert.equal(await page.locator("#detail .config").innerText(), "block=32,n=16777216");
	assert.equal(await toggleOf(page, 20).count(), 1);
});

test("a page without profiles has no such section", async () => {
	const { page, complaints } = await open(browser, "one");
	await page.locator("#verdicts .link").first().click();
	assert.equal(await page.locator(".lines").isVisible(), false);
	assert.deepEqual(complaints, []);
	await page.context().close();
});

const PHONE = { viewport: { width: 375, height: 812 } };
for (const what of ["inlined", "noPositions", "hostile"]) {
	lineTest(`a phone scrolls code in its own box: ${what}`, what, async (page) => {
		for (const toggle of await page.locator(".source button.gutter").all()) await toggle.click();
		const [wide, inner, detail, shown] = await page.evaluate(() => {
			const box = document.querySelector(".detail");
			return [document.documentElement.scrollWidth, innerWidth, box.scrollWidth, box.clientWidth];
		});
		assert.ok(wide <= inner && detail <= shown, `${wide} ${inner} ${detail} ${shown}`);
	}, PHONE);
}

for (const [what, look, options] of [["inlined", "light", {}], ["noSamples", "dark", { colorScheme: "dark" }], ["inlined", "dark", { colorScheme: "dark" }], ["noPositions", "phone", PHONE]]) {
	lineTest(`nothing for axe: ${what}, ${look}`, what, async (page) => {
		for (const toggle of await page.locator(".source button.gutter").all()) await toggle.click();
		await page.evaluate(axeSource);
		assert.deepEqual(await page.evaluate(async () => (await globalThis.axe.run("#detail")).violations
			.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`)), []);
	}, options);
}
