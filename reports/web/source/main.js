// Builds the page: first the head, the verdicts and the table, then section by section.
import { Address } from "./address.js";
import { breakable, byId, empty, h } from "./dom.js";
import { markedName, readModel } from "./model.js";
import { casesSection } from "./sections/cases.js";
import { compareSection } from "./sections/compare.js";
import { curvesSection } from "./sections/curves.js";
import { detailAddress, openDetail, prepareDetail } from "./sections/detail.js";
import { environmentSection } from "./sections/environment.js";
import { gapsSection } from "./sections/gaps.js";
import { gpusSection } from "./sections/gpus.js";
import { headSection, navigation } from "./sections/head.js";
import { counterHistorySection } from "./sections/counter_history.js";
import { historySection } from "./sections/history.js";
import { occupancySection } from "./sections/occupancy.js";
import { rooflineSection } from "./sections/roofline.js";
import { samplesSection } from "./sections/samples.js";
import { speedupSection } from "./sections/speedup.js";
import { verdictsSection } from "./sections/verdicts.js";
import { themeSwitch } from "./theme.js";

function start() {
	themeSwitch(byId("theme"));
	const model = readModel();
	const address = new Address();
	const app = {
		model,
		address,
		open: (one) => openDetail(app, one),
		/** A button with the name of a case, marked if the case is unverified. It opens the case. */
		link: (one, text = one.name) => h("button", { type: "button", class: "link", title: one.name, onclick: () => app.open(one) }, breakable(markedName(one, text))),
	};
	prepareDetail(app);
	headSection(app);
	// the first run of a device has no history
	if (!model.history && !model.counterHistory) byId("history").remove();
	if (!model.hasSpeedups) byId("speedup").remove();
	// a sweep on several GPUs compares these
	byId(model.gpus ? "compare" : "gpus").remove();
	navigation(app);
	if (model.hasSpeedups) speedupSection(app);
	if (model.gpus) gpusSection(app);
	verdictsSection(app);
	casesSection(app);
	const later = [rooflineSection, curvesSection, occupancySection, samplesSection, compareSection, historySection, counterHistorySection, gapsSection, environmentSection];
	const next = () => {
		const section = later.shift();
		if (!section) {
			detailAddress(app);
			address.start();
			document.documentElement.dataset.ready = "yes";
			return;
		}
		section(app);
		setTimeout(next);
	};
	requestAnimationFrame(() => setTimeout(() => {
		// head, verdicts and table are painted: scripts/bench-report reads this mark
		performance.mark("perflab-painted");
		next();
	}));
}

try {
	start();
} catch (error) {
	// an error message is better than half a page
	byId("content").prepend(empty("This page could not be drawn.", String(error), "perflab report RUN --format md"));
	throw error;
}
