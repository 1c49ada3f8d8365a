// Takes pictures of a page, its sections and the lines of its first case: light, dark and on a phone.
// usage: screenshots.mjs NAME FOLDER   (CHROMIUM, MODULES, PAGES as in browser.mjs)
import { join } from "node:path";
import { drawAll, launch, open } from "./browser.mjs";

const [name, folder] = process.argv.slice(2);
const LOOKS = {
	light: { viewport: { width: 1360, height: 860 }, colorScheme: "light" },
	dark: { viewport: { width: 1360, height: 860 }, colorScheme: "dark" },
	phone: { viewport: { width: 375, height: 812 }, colorScheme: "light", deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
const SECTIONS = ["gpus", "verdicts", "roofline", "curves", "occupancy", "samples", "cases"];

const browser = await launch();
for (const [look, options] of Object.entries(LOOKS)) {
	const { page } = await open(browser, name, options);
	await drawAll(page);
	await page.evaluate(() => scrollTo(0, 0));
	await page.screenshot({ path: join(folder, `${look}.png`) });
	for (const section of SECTIONS) {
		if (!(await page.locator(`#${section}`).count())) continue; // only a sweep on several GPUs has #gpus
		await page.locator(`#${section}`).evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 52));
		await page.waitForTimeout(150);
		await page.screenshot({ path: join(folder, `${look}-${section}.png`) });
	}
	const lines = page.locator(".lines");
	await page.locator("#verdicts .link").first().click();
	if (await lines.isVisible()) {
		await lines.evaluate((element) => element.scrollIntoView());
		await page.screenshot({ path: join(folder, `${look}-lines.png`) });
	}
	await page.context().close();
}
await browser.close();
