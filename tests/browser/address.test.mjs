// What a reader chose is in the address: a link to the file shows the same. What is in an address does
// nothing else.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, plotOf, sql } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

/** A test with a page of its own that must not complain. */
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

/** The address when it has taken up every change. */
async function addressOf(page) {
	const text = await page.evaluate(async () => {
		const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
		const late = () => document.documentElement.dataset.address === "late";
		for (let before = null; before !== location.hash || late(); await wait(600)) before = location.hash;
		return location.hash;
	});
	return text;
}

/** Everything that a reader can choose, as the page shows it. */
const stateOf = (page) => page.evaluate(() => {
	const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent);
	const chart = (section) => document.querySelector(`#${section} .plot`)?.chart;
	return {
		rows: texts("#case-table tbody th"), heads: texts("#case-table thead th"), count: texts("#cases .count"), pager: texts("#cases .pager span"),
		order: [...document.querySelectorAll("#case-table thead th")].map((head) => head.getAttribute("aria-sort")),
		fields: [...document.querySelectorAll("main select, main input[type=search]")].map((field) => field.value),
		pressed: [...document.querySelectorAll("main [aria-pressed]")].map((button) => `${button.textContent} ${button.getAttribute("aria-pressed")}`),
		zoom: chart("roofline")?.zoomRange?.() ?? null,
		points: ["roofline", "curves", "occupancy", "samples", "compare", "history"].map((section) => chart(section)?.found.map(({ x, one }) => `${one?.name} ${x}`)),
		opened: document.querySelector("#detail[open]") && [texts("#detail h2"), texts("#detail .config")],
		folded: Boolean(document.querySelector(".verdicts.folded")),
	};
});

const choose = (page, section, name) => page.locator(`#${section}`).getByRole("button", { name, exact: true }).click();

async function chooseMuch(page) {
	await choose(page, "roofline", "L2");
	await choose(page, "roofline", "All");
	await page.locator("#roofline .legend").getByRole("button", { name: "reduce" }).click();
	const plot = await plotOf(page, "roofline");
	await plot.focus();
	await page.keyboard.press("+");
	await page.keyboard.press("+");
	await page.locator("#curves").getByLabel("Kernel").selectOption("reduce");
	await page.locator("#curves .legend button").nth(1).click();
	await page.locator("#occupancy").getByLabel("Rows").selectOption("stream");
	await page.locator("#samples").getByLabel("Kernel").selectOption("matmul");
	await page.locator("#samples").getByRole("combobox", { name: "Cases" }).selectOption("tiled");
	await page.locator("#compare").getByRole("button", { name: /unchanged$/ }).click();
	await page.locator("#history").getByLabel("Kernel").selectOption("divergence");
	await page.locator("#verdicts .wide-button").click();
	const cases = page.locator("#cases");
	await cases.getByLabel("Search").fill("block n=16777216");
	await cases.getByRole("combobox", { name: "Status" }).selectOption("ok");
	await cases.locator("thead").getByRole("button", { name: "Median" }).click();
	await cases.locator("thead").getByRole("button", { name: "Median" }).click();
	await cases.locator(".menu summary").click();
	await cases.locator(".menu").getByLabel("Regs", { exact: true }).check();
	await cases.locator(".menu").getByLabel("Session CI", { exact: true }).uncheck();
	await page.keyboard.press("Escape");
	await cases.getByRole("button", { name: "Next page" }).click();
}

pageTest("a link shows what the sender saw", "lab", async (page) => {
	const start = await stateOf(page);
	await chooseMuch(page);
	const chosen = await stateOf(page);
	for (const [key, value] of Object.entries(chosen))
		if (key !== "opened") assert.notDeepEqual(value, start[key], `${key} was not chosen`);
	const hash = await addressOf(page);
	const { page: copy, complaints } = await open(browser, "lab", { hash });
	await plotOf(copy, "roofline");
	const copied = await stateOf(copy);
	// the address has four digits of each end
	chosen.zoom.forEach((end, i) => assert.ok(Math.abs(copied.zoom[i] / end - 1) < 1e-3, `${copied.zoom} is not ${chosen.zoom}`));
	for (const key of Object.keys(chosen).filter((name) => name !== "zoom")) assert.deepEqual(copied[key], chosen[key], key);
	assert.deepEqual(complaints, []);
	// an address without anything, typed into the same window, gives the page as at first
	await copy.evaluate(() => { location.hash = ""; });
	await copy.waitForFunction(() => document.querySelector("#case-search").value === "");
	await plotOf(copy, "roofline");
	const reset = await stateOf(copy);
	for (const key of Object.keys(start)) assert.deepEqual(reset[key], start[key], `${key} after the reset`);
	await copy.context().close();
});

pageTest("a link shows the section and the case that the sender read", "lab", async (page) => {
	await page.locator('#nav a[href="#compare"]').click();
	assert.match(await addressOf(page), /^#compare/);
	await page.locator("#verdicts .link").first().click();
	const name = await page.locator("#verdicts .link").first().getAttribute("title");
	const hash = await addressOf(page);
	const { page: copy } = await open(browser, "lab", { hash });
	assert.equal(await copy.locator("#detail").isVisible(), true);
	assert.equal(`${await copy.locator("#detail h2").innerText()}/${await copy.locator("#detail .config").first().innerText()}`, name);
	await copy.keyboard.press("Escape");
	assert.doesNotMatch(await addressOf(copy), /case=/);
	const { page: other } = await open(browser, "lab", { hash: "#compare&find=shuffle" });
	const top = await other.locator("#compare").evaluate((element) => element.getBoundingClientRect().top);
	assert.ok(Math.abs(top) < 80, `the section is at ${top}`);
	// a link to a section keeps what was chosen
	await other.locator('#nav a[href="#cases"]').click();
	assert.equal(await addressOf(other), "#cases&find=shuffle");
	assert.match(await other.locator("#cases .count").innerText(), / of /);
	await copy.context().close();
	await other.context().close();
});

pageTest("nothing is in the address before anything was chosen", "lab", async (page) => {
	assert.equal(await addressOf(page), "");
	assert.doesNotMatch(page.url(), /#/);
});

pageTest("a name of any kind survives the address", "hostile", async (page) => {
	const names = sql("hostile", "SELECT kernel || '/' || variant || '/' || config AS name FROM trial").map(({ name }) => name);
	const links = await page.locator("#cases tbody .link").all();
	assert.equal(links.length, names.length);
	for (const link of links.slice(0, 4)) {
		await link.click();
		const hash = await addressOf(page);
		const { page: copy, complaints } = await open(browser, "hostile", { hash });
		assert.equal(await copy.locator("#detail h2").innerText(), await page.locator("#detail h2").innerText());
		assert.deepEqual(complaints, []);
		await copy.context().close();
		await page.keyboard.press("Escape");
	}
});

const SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>";
const BAD = [
	`cases&find=${SCRIPT}`, `case=${SCRIPT}`, `${SCRIPT}&kernel=${SCRIPT}`, `%3Cscript%3Ealert(1)%3C/script%3E`, '"><svg onload=alert(1)>',
	"__proto__&constructor=1&__proto__=1", "case=__proto__", "sort=__proto__", "columns=-variant,+__proto__,+constructor,,", "kernel=__proto__&status=toString&limiter=nope",
	"zoom=NaN,1,2,3", "zoom=1e308,1e309,0,-1", "zoom=1,2", "zoom=1e300,1e301,1e300,1e301,7", "zoom=2,1,2,1", "zoom=0,1,0,1",
	"memory=nope&points=nope&colour=nope&precision=nope&hidden=nope,~9,~", "curves=nope,over=nope", "curves=stream,over=__proto__,n=1e9,-", "occupancy=nope&samples=nope,nope&history=nope&changes=nope&verdicts=nope",
	"page=99999999999", "page=-1", "page=999", "%", "cases&find=%E0%A4%A", "find=%F0", "&&&===&=&a", "javascript:alert(1)", "find=%ED%A0%80", "a".repeat(20000), `find=${"*a".repeat(2000)}b`, `find=${"%2A".repeat(2000)}`,
];

test("an address of any kind is harmless", async () => {
	const { page: plain } = await open(browser, "lab");
	await plotOf(plain, "roofline");
	const start = await stateOf(plain);
	await plain.context().close();
	const { page, complaints } = await open(browser, "lab");
	await plotOf(page, "roofline");
	for (const text of BAD) {
		const { page: fresh, complaints: said } = await open(browser, "lab", { hash: `#${text}` });
		// both in a new window and in one that is open
		await page.evaluate((hash) => { location.hash = hash; }, text);
		await plotOf(page, "roofline");
		await plotOf(fresh, "roofline");
		for (const one of [page, fresh]) {
			const state = await stateOf(one);
			for (const key of ["zoom", "points", "opened", "heads", "order", "pressed", "folded"]) assert.deepEqual(state[key], start[key], `${key} after ${text.slice(0, 60)}`);
			assert.equal(await one.locator("img, script:not([id]):not(:text('use strict')) >> text=alert(1)").count(), 0);
			assert.ok(state.count[0].endsWith("cases"));
		}
		assert.deepEqual(said, [], text.slice(0, 60));
		await fresh.context().close();
	}
	assert.deepEqual(complaints, []);
	await page.context().close();
});

pageTest("a case that the page does not have is named", "lab", async (page) => {
	await page.evaluate((name) => { location.hash = `case=${encodeURIComponent(name)}`; }, SCRIPT);
	const note = page.locator("#content > .finding");
	await note.waitFor({ state: "visible" });
	assert.equal(await note.innerText(), `The address names a case that this page does not have: ${SCRIPT}`);
	assert.equal(await page.locator("#content img").count(), 0);
});

pageTest("a pattern finds what the command line finds", "lab", async (page) => {
	const count = (condition) => sql("lab", `SELECT count(*) AS n FROM trial JOIN run ON run.id = run_id WHERE label = 'now' AND ${condition}`)[0].n;
	for (const [pattern, condition] of [["reduce/*", "kernel = 'reduce'"], ["*/shuffle", "variant = 'shuffle'"], ["stream/copy*", "kernel = 'stream' AND variant LIKE 'copy%'"], ["*block=64,*", "config LIKE 'block=64,%'"], ["re*/s*fle", "kernel = 'reduce' AND variant = 'shuffle'"]]) {
		await page.locator("#cases").getByLabel("Search").fill(pattern);
		await page.waitForFunction((text) => document.querySelector("#cases .count").textContent.startsWith(text), `${count(condition)} of`);
	}
	await page.locator("#cases").getByLabel("Search").fill("duce/*");
	await page.waitForFunction(() => document.querySelector("#cases .count").textContent.startsWith("0 of"));
});
