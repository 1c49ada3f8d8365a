// Uses the page by pointer, keyboard, phone, dark theme and screen reader, and compares what it shows
// with the database.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeSource, drawAll, launch, open, pixelOf, plotOf, sql } from "./browser.mjs";

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

const close = (a, b) => Math.abs(a - b) <= 1e-8 * Math.max(Math.abs(a), Math.abs(b));
const CASES = `SELECT trial.kernel || '/' || trial.variant || '/' || trial.config AS name, trial.kernel,
	trial.variant, trial.status, trial.median_ns, trial.session_low_ns, trial.session_high_ns,
	max(CASE metric WHEN 'flop_f32' THEN value END) AS f32, max(CASE metric WHEN 'flop_f64' THEN value END) AS f64,
	max(CASE metric WHEN 'dram_bytes' THEN value END) AS dram, max(CASE metric WHEN 'l2_from_l1_bytes' THEN value END) AS l2
	FROM trial JOIN run ON run.id = trial.run_id LEFT JOIN counters ON counters.trial_id = trial.id
	WHERE run.label = 'now' GROUP BY trial.id ORDER BY trial.position`;

/** Points that a roofline at a level should show, by name. */
function expected(level) {
	const points = new Map();
	for (const row of sql("lab", CASES)) {
		const flop = Math.max(row.f32 ?? 0, row.f64 ?? 0);
		if (row.status === "ok" && flop > 0) points.set(row.name, { x: flop / row[level], y: (1e9 * flop) / row.median_ns });
	}
	return points;
}

const shown = (plot) => plot.evaluate((host) => {
	const drawn = host.chart.view.data("points").map(({ x, y }) => ({ x, y }));
	return host.chart.found.map(({ one }, i) => ({ name: one.name, kernel: one.kernel, precision: one.precision, ...drawn[i] }));
});

async function assertPoints(plot, level) {
	const wanted = expected(level);
	const points = await shown(plot);
	assert.equal(points.length, wanted.size);
	for (const point of points) {
		const { x, y } = wanted.get(point.name);
		assert.ok(close(point.x, x) && close(point.y, y), `${point.name}: ${point.x}, ${point.y}, not ${x}, ${y}`);
	}
}

const choose = (page, section, name) => page.locator(`#${section}`).getByRole("button", { name, exact: true }).click();

pageTest("draws every plot without a complaint or a request", "lab", async (page) => {
	await drawAll(page);
	assert.ok((await page.locator(".plot svg").count()) >= 7);
	assert.match(await page.title(), /^now, run \d+$/);
	assert.equal(await page.locator(".tip").isVisible(), false);
	assert.doesNotMatch(await page.locator("body").innerText(), /\b(null|undefined|NaN)\b/);
});

pageTest("the points are those of the database, at each level", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	await choose(page, "roofline", "All");
	await plotOf(page, "roofline");
	await assertPoints(plot, "dram");
	await choose(page, "roofline", "L2");
	await plotOf(page, "roofline");
	await assertPoints(plot, "l2");
	assert.match(await plot.textContent(), /per byte of L2/);
	// as many marks as points
	assert.equal(await plot.locator("svg g.mark-symbol").nth(1).locator("path").count(), expected("l2").size);
});

pageTest("at first the fastest of each variant", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	const best = new Map();
	for (const row of sql("lab", CASES)) {
		const family = `${row.kernel}/${row.variant}`;
		if (row.status === "ok" && Math.max(row.f32, row.f64) > 0 && !(best.get(family)?.median_ns <= row.median_ns)) best.set(family, row);
	}
	const names = (await shown(plot)).map((point) => point.name).sort();
	assert.deepEqual(names, [...best.values()].map((row) => row.name).sort());
});

pageTest("neither a smaller problem nor a block size of more work is the best", "sizes", async (page) => {
	const names = (await shown(await plotOf(page, "roofline"))).map((point) => point.name);
	assert.ok(names.length > 3);
	assert.deepEqual(names.filter((name) => /\/block=(256|512),/.test(name)), []);
	const configs = await page.locator("#verdicts .verdict .config").allInnerTexts();
	assert.ok(configs.length > 3);
	assert.deepEqual(configs.filter((config) => /^block=(256|512),/.test(config)), []);
});

pageTest("a precision leaves the cases of its own", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	await choose(page, "roofline", "All");
	await page.locator("#roofline").getByLabel("Precision").selectOption("f64");
	await plotOf(page, "roofline");
	const wanted = sql("lab", CASES).filter((row) => row.status === "ok" && row.f64 > row.f32).length;
	const points = await shown(plot);
	assert.ok(wanted > 0);
	assert.equal(points.length, wanted);
	assert.ok(points.every((point) => point.precision === "f64"));
});

pageTest("hovering shows the numbers of the point", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	const [row] = sql("lab", `${CASES.replace("GROUP BY", "AND trial.variant = 'register_tiled' AND trial.config LIKE 'block=256,%' GROUP BY")}`);
	const [x, y] = await pixelOf(plot, row.name);
	await page.mouse.move(x - 3, y + 2);
	const tip = page.locator("#tip");
	await tip.waitFor({ state: "visible" });
	const text = await tip.innerText();
	assert.match(text, /matmul\/register_tiled/);
	assert.ok(text.includes(`${(row.median_ns / 1000).toFixed(1)} µs`), text);
	assert.ok(text.includes(`${(row.f32 / row.median_ns / 1000).toFixed(1)} TFLOP/s`), text);
	for (const word of ["DRAM", "L2", "L1", "Bound by"]) assert.ok(text.includes(word), `${word} in ${text}`);
	// the same case at its other memory levels
	assert.ok((await plot.evaluate((host) => host.chart.view.data("path").length)) >= 3);
	await page.mouse.move(5, 5);
	await tip.waitFor({ state: "hidden" });
});

pageTest("the legend hides and shows a kernel", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	const all = await shown(plot);
	const button = page.locator("#roofline .legend").getByRole("button", { name: "reduce" });
	await button.click();
	await plotOf(page, "roofline");
	assert.equal(await button.getAttribute("aria-pressed"), "false");
	const left = await shown(plot);
	assert.equal(left.length, all.filter((point) => point.kernel !== "reduce").length);
	assert.ok(left.every((point) => point.kernel !== "reduce"));
	await button.click();
	await plotOf(page, "roofline");
	assert.equal((await shown(plot)).length, all.length);
	await choose(page, "roofline", "All / none");
	assert.equal(await plot.evaluate((host) => host.chart.found.length), 0);
});

pageTest("the wheel zooms, dragging moves, Reset comes back", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	const view = () => plot.evaluate((host) => ["x0", "x1", "y0", "y1"].map((name) => host.chart.view.signal(name)));
	const start = await view();
	const box = await plot.boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -400);
	await page.keyboard.up("Control");
	await page.waitForFunction(([host, before]) => host.chart.view.signal("x0") > before, [await plot.elementHandle(), start[0]]);
	const zoomed = await view();
	assert.ok(zoomed[1] / zoomed[0] < start[1] / start[0] && zoomed[3] / zoomed[2] < start[3] / start[2]);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2, { steps: 4 });
	await page.mouse.up();
	const moved = await view();
	assert.ok(moved[0] < zoomed[0] && close(moved[1] / moved[0], zoomed[1] / zoomed[0]));
	assert.equal(await page.locator("#detail").isVisible(), false, "dragging opens no case");
	await page.locator("#roofline").getByRole("button", { name: "Reset: show all again" }).click();
	assert.deepEqual(await view(), start);
});

pageTest("the table sorts both ways and back", "lab", async (page) => {
	const names = () => page.locator("#case-table tbody tr th .link").allInnerTexts();
	const planned = await names();
	const head = page.locator("#case-table thead").getByRole("button", { name: "Median" });
	const sorted = (order) => sql("lab", `${CASES.replace("GROUP BY", "AND trial.median_ns IS NOT NULL GROUP BY").replace("trial.position", `trial.median_ns ${order}`)} LIMIT 1`)[0];
	for (const [direction, order] of [["ascending", "ASC"], ["descending", "DESC"]]) {
		await head.click();
		assert.equal(await page.locator("#case-table th[aria-sort]:not([aria-sort=none])").getAttribute("aria-sort"), direction);
		const row = sorted(order);
		assert.equal((await names())[0], `${row.kernel}/${row.variant}`);
	}
	await head.click();
	assert.deepEqual(await names(), planned);
	assert.equal(await page.locator("#case-table th[aria-sort]:not([aria-sort=none])").count(), 0);
});

pageTest("the table begins with the fastest case of each kernel's largest problem", "sizes", async (page) => {
	const rows = sql("sizes", CASES.replace("trial.status,", "trial.status, trial.bytes_read + trial.bytes_written AS bytes,")).filter((row) => row.status === "ok" && !/\/block=(256|512),/.test(row.name));
	const [{ kernel }] = rows;
	// a copy moves less than an addition of the same n: it takes less time and is no better
	const [fastest] = rows.filter((row) => row.kernel === kernel).sort((a, b) => b.bytes - a.bytes || a.median_ns - b.median_ns);
	assert.equal(await page.locator("#case-table tbody .link").first().getAttribute("title"), fastest.name);
	assert.equal(await page.locator("#verdicts .verdict .link").first().getAttribute("title"), fastest.name);
	assert.match(await page.locator("#cases").innerText(), /For each kernel, the largest problem comes first/);
});

pageTest("ticks and intervals are plain numbers that differ", "lab", async (page) => {
	const plot = await plotOf(page, "samples");
	const labels = await plot.locator("svg .role-axis-label text").allTextContents();
	assert.ok(labels.length > 3);
	assert.deepEqual(labels.filter((label) => /\de/.test(label)), []);
	assert.equal(new Set(labels).size, labels.length);
	const intervals = await page.evaluate(() => document.querySelector("#samples .plot").chart.found.map((point) => document.querySelector("#samples .plot").chart.options.tip(point).rows[1][1]));
	for (const interval of intervals) {
		const [low, high] = interval.split(" to ");
		assert.notEqual(low, high ?? "one value");
	}
});

pageTest("the names of the roofs are drawn before the points", "lab", async (page) => {
	const plot = await plotOf(page, "roofline");
	const order = await plot.locator("svg .mark-symbol, svg .mark-text").evaluateAll((marks) => marks.map((mark) =>
		(mark.classList.contains("mark-symbol") ? (mark.childElementCount > 3 ? "points" : "") : /FLOP\/s|B\/s/.test(mark.textContent) ? "names" : "")).filter(Boolean));
	assert.ok(order.includes("names") && order.includes("points"), order.join());
	assert.ok(order.lastIndexOf("names") < order.indexOf("points"), order.join());
});

pageTest("on a phone the roofline begins below its heading", "lab", async (page) => {
	await plotOf(page, "roofline");
	const [heading, plot] = await page.evaluate(() => [document.querySelector("#roofline h2"), document.querySelector("#roofline .plot")].map((element) => element.getBoundingClientRect().top));
	assert.ok(plot - heading < 320, `${plot - heading} px`);
}, { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true });

/** The heads of the columns that are in sight without scrolling the table, and whether all rows show them. */
const inSight = (page) => page.locator("#cases").evaluate((section) => {
	const { right } = section.querySelector(".scroll").getBoundingClientRect();
	const heads = [...section.querySelectorAll("thead th")];
	const seen = heads.filter((head) => head.getBoundingClientRect().right <= right + 1);
	const rows = [...section.querySelectorAll("tbody tr")].every((row) => [...row.children].slice(0, seen.length).every((cell) => cell.getBoundingClientRect().right <= right + 1 && cell.scrollWidth <= cell.clientWidth + 1));
	return { heads: seen.map((head) => head.textContent), rows };
});

for (const [what, options] of [["a desktop", {}], ["a phone", { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }]]) {
	pageTest(`case, median, limiter and share of the roof come first: ${what}`, "lab", async (page) => {
		for (const order of [null, "Median", "Limiter", "Of roof"]) {
			if (order) await page.locator("#case-table thead").getByRole("button", { name: order }).click();
			const { heads, rows } = await inSight(page);
			assert.deepEqual(heads.slice(0, 4), ["Case", "Median", "Limiter", "Of roof"], `sorted by ${order}`);
			assert.ok(rows);
		}
		const [row] = sql("lab", `${CASES.replace("GROUP BY", "AND trial.status = 'ok' GROUP BY").replace("trial.position", "trial.median_ns")} LIMIT 1`);
		await page.locator("#cases").getByLabel("Search").fill(row.name);
		await page.waitForFunction(() => document.querySelectorAll("#case-table tbody tr").length === 1);
		const [name, median, limiter, share] = await page.locator("#case-table tbody tr").locator("th, td").allInnerTexts();
		assert.equal(name.replace(/\s+block/, "/block").replace(" n=", ",n="), row.name);
		assert.match(median, new RegExp(`^${(row.median_ns / 1000).toPrecision(3)} µs$`));
		assert.match(limiter, /^[a-z0-9]+$/);
		assert.match(share, /^[0-9.]+ %$/);
	}, options);
}

pageTest("a case without a time says why in place of it; axes that do not vary take no room", "lab", async (page) => {
	await page.locator("#cases").getByRole("combobox", { name: "Status" }).selectOption("skipped");
	assert.match(await page.locator("#case-table tbody tr").first().locator("td").first().innerText(), /^skipped$/);
	const heads = page.locator("#case-table thead");
	assert.equal(await heads.getByRole("button", { name: "block", exact: true }).count(), 0, "all skipped cases have one block size");
	await page.locator("#cases").getByRole("combobox", { name: "Status" }).selectOption("");
	assert.equal(await heads.getByRole("button", { name: "block", exact: true }).count(), 1);
});

pageTest("points of the occupancy do not cover each other", "lab", async (page) => {
	const plot = await plotOf(page, "occupancy");
	const rows = sql("lab", `SELECT kernel || '/' || variant || '/' || config AS name, kernel, value FROM trial JOIN run ON run.id = run_id
		JOIN counters ON trial_id = trial.id WHERE label = 'now' AND metric = 'achieved_occupancy_pct'`);
	const points = await plot.evaluate((host) => host.chart.found.map((point) => ({ name: point.one.name, kernel: point.one.kernel, x: point.x, row: Math.round(point.y) + 0, pixel: host.chart.pixelOf(point) })));
	assert.equal(points.length, rows.length);
	for (const row of rows) assert.ok(close(points.find(({ name }) => name === row.name).x, row.value), row.name);
	// a row per kernel
	assert.equal(new Set(points.map(({ row }) => row)).size, new Set(rows.map(({ kernel }) => kernel)).size);
	for (const { kernel, row } of points) assert.equal(row, points.find((other) => other.kernel === kernel).row);
	const covered = points.filter(({ pixel: [x, y] }, i) => points.some((other, j) => j > i && Math.hypot(other.pixel[0] - x, other.pixel[1] - y) < 2));
	assert.ok(covered.length < points.length / 50, `${covered.length} of ${points.length} are covered`);
	// rows of variants
	await page.locator("#occupancy").getByLabel("Rows").selectOption("reduce");
	await plotOf(page, "occupancy");
	const variants = await plot.evaluate((host) => host.chart.found.map(({ y, one }) => [one.variant, Math.round(y)]));
	assert.ok(variants.length > 5 && new Set(variants.map(String)).size === new Set(variants.map(([variant]) => variant)).size);
});

pageTest("the table is searched, filtered and paged", "lab", async (page) => {
	const count = (condition) => sql("lab", `SELECT count(*) AS n FROM trial JOIN run ON run.id = run_id WHERE label = 'now' AND ${condition}`)[0].n;
	const section = page.locator("#cases");
	const said = () => section.locator(".count").innerText();
	const all = count("1");
	assert.equal(await section.locator("tbody tr").count(), 50);
	await section.getByRole("button", { name: "Next page" }).click();
	assert.match(await section.locator(".pager").innerText(), new RegExp(`51 to 100 of ${all}`));
	await section.getByLabel("Search").fill("shuffle block=256");
	const wanted = count("variant = 'shuffle' AND config LIKE '%block=256,%'");
	await page.waitForFunction((n) => document.querySelectorAll("#case-table tbody tr").length === n, wanted);
	assert.equal(await said(), `${wanted} of ${all} cases`);
	await section.getByLabel("Search").fill("");
	await section.getByRole("combobox", { name: "Status" }).selectOption("skipped");
	await page.waitForFunction((text) => document.querySelector("#cases .count").textContent === text, `${count("status = 'skipped'")} of ${all} cases`);
	assert.match(await section.locator("tbody tr").first().innerText(), /the block must be a power of two/);
	await section.getByRole("combobox", { name: "Kernel" }).selectOption("stream");
	assert.match(await section.locator("tbody").innerText(), /No case matches/);
});

pageTest("columns can be chosen", "lab", async (page) => {
	const heads = page.locator("#case-table thead");
	assert.equal(await heads.getByRole("button", { name: "dram_read_bytes" }).count(), 0);
	await page.locator("#cases .menu summary").click();
	await page.locator("#cases .menu").getByLabel("dram_read_bytes", { exact: true }).check();
	assert.equal(await heads.getByRole("button", { name: "dram_read_bytes" }).count(), 1);
	await page.keyboard.press("Escape");
	assert.equal(await page.locator("#cases .menu-list").isVisible(), false);
});

pageTest("a case opens with its samples, to the last one", "lab", async (page) => {
	const [row] = sql("lab", "SELECT trial.id, kernel || '/' || variant AS family FROM trial JOIN run ON run.id = run_id WHERE label = 'now' AND variant = 'last_block' AND config LIKE 'block=1024,%'");
	await page.locator("#verdicts").getByRole("button", { name: "last_block", exact: true }).click();
	const dialog = page.locator("#detail");
	await dialog.waitFor({ state: "visible" });
	assert.equal(await dialog.locator("h2").innerText(), row.family);
	const order = dialog.locator(".plot").nth(1);
	await order.scrollIntoViewIfNeeded();
	await page.waitForFunction((host) => host.dataset.drawn, await order.elementHandle());
	const drawn = await order.evaluate((host) => host.chart.found.map((point) => [point.round, 1000 * point.y]));
	const stored = sql("lab", `SELECT round, time_ns FROM sample WHERE trial_id = ${row.id} ORDER BY round, sequence`);
	assert.equal(drawn.length, stored.length);
	stored.forEach((sample, i) => assert.ok(drawn[i][0] === sample.round && close(drawn[i][1], sample.time_ns), `sample ${i}`));
	// the stored counters
	const [{ value }] = sql("lab", `SELECT value FROM counters WHERE trial_id = ${row.id} AND metric = 'registers' UNION SELECT value FROM counters WHERE trial_id = ${row.id} AND metric = 'achieved_occupancy_pct'`);
	assert.ok((await dialog.locator(".counters").innerText()).includes(`${value.toFixed(1)} %`));
	await page.keyboard.press("Escape");
	await dialog.waitFor({ state: "hidden" });
});

pageTest("curves hold the medians and their intervals", "lab", async (page) => {
	await page.locator("#curves").getByLabel("Kernel").selectOption("reduce");
	const plot = await plotOf(page, "curves");
	const rows = sql("lab", "SELECT variant, median_ns, session_low_ns, session_high_ns, axis.value AS block FROM trial JOIN run ON run.id = run_id JOIN axis ON trial_id = trial.id AND name = 'block' WHERE label = 'now' AND kernel = 'reduce' AND median_ns IS NOT NULL");
	const points = await plot.evaluate((host) => host.chart.found.map(({ x, y, low, high, one }) => ({ x, y, low, high, variant: one.variant })));
	assert.equal(points.length, rows.length);
	for (const row of rows) {
		const point = points.find(({ x, variant }) => x === row.block && variant === row.variant);
		assert.ok(close(point.y, row.median_ns) && close(point.low, row.session_low_ns) && close(point.high, row.session_high_ns), row.variant);
	}
});

pageTest("the comparison has the ratios of the rounds' medians", "lab", async (page) => {
	const plot = await plotOf(page, "compare");
	// the median of each round (of 20 samples: between the 10th and the 11th), then the mean logarithm
	const rows = sql("lab", `WITH ranked AS (SELECT trial_id, round, time_ns, row_number() OVER (PARTITION BY trial_id, round ORDER BY time_ns) AS place FROM sample),
		medians AS (SELECT trial_id, round, avg(time_ns) AS ns FROM ranked WHERE place IN (10, 11) GROUP BY trial_id, round),
		means AS (SELECT trial_id, avg(ln(ns)) AS log_ns, min(ns) AS least, max(ns) AS most FROM medians GROUP BY trial_id),
		timed AS (SELECT trial.*, label, log_ns, least, most FROM trial JOIN run ON run.id = run_id JOIN means ON trial_id = trial.id)
		SELECT now.kernel || '/' || now.variant || '/' || now.config AS name, exp(now.log_ns - old.log_ns) AS ratio,
		now.least > old.most AS above, now.most < old.least AS below
		FROM timed AS now JOIN timed AS old USING (kernel, variant, config) WHERE now.label = 'now' AND old.label = 'before'`);
	const points = await plot.evaluate((host) => host.chart.found.map(({ ratio, kind, low, high, one }) => ({ ratio, kind, low, high, name: one.name })));
	assert.equal(points.length, rows.length);
	for (const row of rows) {
		const point = points.find(({ name }) => name === row.name);
		assert.ok(close(point.ratio, row.ratio) && point.low < point.ratio && point.ratio < point.high, row.name);
		// a reported change has separate rounds, in the reported direction
		if (point.kind === "regressed") assert.ok(row.above, row.name);
		if (point.kind === "improved") assert.ok(row.below, row.name);
	}
	for (const kind of ["regressed", "improved"]) assert.ok(points.some((point) => point.kind === kind), kind);
	assert.match(await page.locator("#compare").innerText(), /persistence_mode\s+on\s+off/);
	assert.doesNotMatch(await page.locator("#compare").innerText(), /environment process/);
	assert.match(await page.locator("#compare").innerText(), /20 cases only in this run/);
});

pageTest("by keyboard alone: skip, step through points, open, close, zoom, sort", "lab", async (page) => {
	await page.keyboard.press("Tab");
	assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
	await page.keyboard.press("Enter");
	assert.equal(await page.evaluate(() => document.activeElement.id), "content");
	const plot = await plotOf(page, "roofline");
	await plot.focus();
	await page.keyboard.press("ArrowRight");
	await page.locator("#tip").waitFor({ state: "visible" });
	const first = await page.locator("#live").textContent();
	assert.match(first, /FLOP/);
	await page.keyboard.press("ArrowRight");
	assert.notEqual(await page.locator("#live").textContent(), first);
	const name = await plot.evaluate((host) => host.chart.found[host.chart.at].one.family);
	await page.keyboard.press("Enter");
	await page.locator("#detail").waitFor({ state: "visible" });
	assert.equal(await page.locator("#detail h2").innerText(), name);
	await page.keyboard.press("Escape");
	await page.locator("#detail").waitFor({ state: "hidden" });
	assert.equal(await plot.evaluate((host) => document.activeElement === host), true, "the focus comes back");
	const span = () => plot.evaluate((host) => host.chart.view.signal("x1") / host.chart.view.signal("x0"));
	const before = await span();
	await page.keyboard.press("+");
	assert.ok((await span()) < before);
	await page.keyboard.press("0");
	assert.ok(close(await span(), before));
	await page.locator("#case-table thead button").nth(4).focus();
	await page.keyboard.press("Enter");
	assert.equal(await page.evaluate(() => document.activeElement.closest("th").getAttribute("aria-sort")), "ascending");
});

pageTest("light and dark, by switch and by system", "lab", async (page) => {
	const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const light = await ground();
	await page.getByRole("button", { name: "Dark" }).click();
	const dark = await ground();
	assert.notEqual(dark, light);
	const brightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
	assert.ok(brightness(light) > 600 && brightness(dark) < 150);
	await page.getByRole("button", { name: "Auto" }).click();
	assert.equal(await ground(), light);
	await page.emulateMedia({ colorScheme: "dark" });
	await page.waitForFunction((colour) => getComputedStyle(document.body).backgroundColor === colour, dark);
});

pageTest("the navigation marks the section that is read, and none at the head of the page", "lab", async (page) => {
	const current = page.locator('#nav [aria-current="true"]');
	await page.locator("#roofline").evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 52));
	await page.waitForFunction(() => document.querySelector('#nav [aria-current="true"]')?.hash === "#roofline");
	await page.evaluate(() => scrollTo(0, 0));
	await current.waitFor({ state: "detached" });
});

pageTest("on a phone the row of links follows, and begins anew at the head of the page", "lab", async (page) => {
	const shift = () => document.querySelector("#nav ul").scrollLeft;
	assert.equal(await page.evaluate(shift), 0);
	await page.locator("#cases").evaluate((element) => scrollTo({ top: element.getBoundingClientRect().top + scrollY - 52, behavior: "instant" }));
	await page.waitForFunction(() => document.querySelector("#nav ul").scrollLeft > 0);
	await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
	await page.waitForFunction(() => document.querySelector("#nav ul").scrollLeft === 0);
}, { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });

pageTest("on a phone nothing is wider than the screen", "lab", async (page) => {
	await drawAll(page);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	assert.ok(wide <= 0, `${wide} pixels too wide`);
	const plot = await plotOf(page, "roofline");
	const [{ name }] = await shown(plot);
	const [x, y] = await pixelOf(plot, name);
	await page.touchscreen.tap(x, y);
	await page.locator("#tip").waitFor({ state: "visible" });
	const box = await page.locator("#tip").boundingBox();
	assert.ok(box.x >= 0 && box.x + box.width <= 375);
	assert.equal(await page.locator("#detail").isVisible(), false, "the first tap shows");
}, { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });

pageTest("prints every variant and nothing to click", "lab", async (page) => {
	await page.emulateMedia({ media: "print" });
	assert.equal(await page.locator("nav").isVisible(), false);
	assert.equal(await page.locator(".verdict.more").first().isVisible(), true);
	assert.ok((await page.pdf({ format: "A4" })).length > 20000);
});

for (const [what, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 375, height: 812 } }]]) {
	pageTest(`nothing for axe: ${what}`, "lab", async (page) => {
		await drawAll(page);
		await page.evaluate(axeSource);
		const look = () => page.evaluate(async () => (await globalThis.axe.run()).violations
			.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`));
		assert.deepEqual(await look(), []);
		await page.locator("#verdicts .link").first().click();
		await page.locator("#detail").waitFor({ state: "visible" });
		assert.deepEqual(await look(), []);
	}, options);
}

pageTest("an emulated run has intensities without a height, and no times", "emulated", async (page) => {
	await drawAll(page);
	const plot = await plotOf(page, "roofline");
	const rows = sql("lab", `SELECT kernel || '/' || variant || '/' || config AS name, ptx_f32_f64_flop / ptx_compulsory_bytes AS intensity
		FROM emulated WHERE ptx_f32_f64_flop > 0`);
	const points = await plot.evaluate((host) => host.chart.found.filter(({ level }) => level.name === "dram").map(({ x, one }) => ({ x, name: one.name })));
	assert.equal(points.length, rows.length);
	for (const row of rows) assert.ok(close(points.find(({ name }) => name === row.name).x, row.intensity), row.name);
	assert.match(await page.locator("#samples").innerText(), /An emulator has no clock/);
	assert.match(await page.locator("h1").innerText(), /emulated: no times/);
	assert.equal(await page.locator("#case-table thead").getByRole("button", { name: "Median" }).count(), 0);
});

pageTest("the worst findings of an emulated run come first", "emulated", async (page) => {
	// what did nothing useful: lanes that did not take part, or conflicts among all cycles of instructions and conflicts
	const rows = sql("lab", `SELECT kernel, variant, config, 1 - ptx_warp_execution_efficiency_pct / 100 AS idle,
		(SELECT sum(CASE metric WHEN 'ptx_shared_bank_conflicts' THEN value ELSE 0 END) / sum(value)
			FROM counters WHERE counters.trial_id = emulated.trial_id AND metric IN ('ptx_shared_bank_conflicts', 'ptx_warp_instructions')) AS conflicts FROM emulated ORDER BY trial_id`);
	const name = (row) => `${row.kernel}/${row.variant}/${row.config}`;
	const lost = (row) => Math.max(row.idle > 0.1 ? row.idle : 0, row.conflicts);
	const worst = (of) => of.reduce((a, b) => (lost(b) > lost(a) ? b : a));
	const shown = await page.locator("#verdicts .verdict .link").evaluateAll((links) => links.map((link) => link.title));
	const variants = [...new Set(rows.map((row) => `${row.kernel}/${row.variant}`))];
	const expected = variants.map((family) => worst(rows.filter((row) => `${row.kernel}/${row.variant}` === family)));
	assert.deepEqual([...shown].sort(), expected.map(name).sort());
	// of a variant the case with the conflicts, although another one comes first; and it is not hidden
	const sequential = expected.find((row) => row.variant === "sequential");
	assert.ok(sequential.conflicts > 0.05);
	const row = page.locator("#verdicts .verdict").filter({ hasText: "sequential" });
	assert.equal(await row.isVisible(), true);
	assert.match(await row.innerText(), new RegExp(`bank conflicts[^]*${(100 * sequential.conflicts).toFixed(1)} %[^]*Try[^]*pad the rows`));
	// the kernels, the variants of one and the table: each from the largest to the least
	const of = (title) => lost(rows.find((one) => name(one) === title));
	const falls = (list) => list.every((value, i) => i === 0 || value <= list[i - 1]);
	assert.ok(falls(shown.filter((title) => title.startsWith("reduce/")).map(of)));
	assert.ok(falls([...new Set(shown.map((title) => title.split("/")[0]))].map((kernel) => of(shown.find((title) => title.startsWith(`${kernel}/`))))));
	const table = await page.locator("#cases tbody th .link").evaluateAll((links) => links.map((link) => link.title));
	assert.ok(falls(table.map(of)));
	assert.match(await page.locator("#cases tbody tr").first().innerText(), /switch_lane\s+block=256 n=65536\s+divergence\s+80 %/);
	assert.match(await page.locator("#head").innerText(), /80 %\s+lost to divergence: divergence\/switch_lane/);
});

pageTest("names that no page likes are text", "hostile", async (page) => {
	await drawAll(page);
	const text = await page.locator("#cases").innerText();
	assert.ok(text.includes("</script><script>throw 1</script>"), "the name is there, as text");
	assert.equal(await page.locator("#cases tbody tr").count(), sql("hostile", "SELECT count(*) AS n FROM trial")[0].n);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	assert.ok(wide <= 0, `${wide} pixels too wide`);
	for (const status of ["timeout", "crashed", "mismatch", "device_error", "out_of_memory"])
		assert.ok((await page.locator("#gaps").innerText()).includes(status), status);
	assert.match(await page.locator("#gaps").innerText(), /sweep --resume/);
	for (const link of await page.locator("#cases tbody .link").all()) {
		await link.click();
		await page.locator("#detail").waitFor({ state: "visible" });
		await page.keyboard.press("Escape");
	}
});

pageTest("numbers at the end of a double are no numbers, and break no plot", "absurd", async (page) => {
	await drawAll(page);
	const text = await page.locator("body").innerText();
	assert.doesNotMatch(text, /\b(null|undefined|NaN|Infinity)\b/);
	for (const label of await page.locator(".plot svg text").allTextContents())
		assert.doesNotMatch(label, /NaN|Infinity|undefined/);
	// cases with possible times are shown as usual
	const [row] = sql("absurd", "SELECT count(*) AS n FROM trial JOIN run ON run.id = run_id WHERE label = 'now'");
	assert.ok((await page.locator("#cases").innerText()).includes(`${row.n} cases`), "all are in the table");
});

pageTest("one case is a page", "one", async (page) => {
	await drawAll(page);
	assert.equal(await page.locator("#cases tbody tr").count(), 1);
	assert.equal((await shown(await plotOf(page, "roofline"))).length, 1);
	assert.match(await page.locator("#compare").innerText(), /--compare RUN/);
});

pageTest("without times or counters it says what is missing and how to get it", "bare", async (page) => {
	await drawAll(page);
	for (const [section, said] of [["verdicts", /No case of this run succeeded/], ["roofline", /--metrics core/], ["occupancy", /--metrics basic/], ["samples", /No case of this run was timed/], ["gaps", /the driver went away/]])
		assert.match(await page.locator(`#${section}`).innerText(), said);
	assert.equal(await page.locator(".plot").count(), 0);
});
