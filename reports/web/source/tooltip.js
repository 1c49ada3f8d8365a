// One tooltip for all charts. It stands beside the selected point, never blocks the pointer, and
// Escape hides it.
import { byId, h } from "./dom.js";

const GAP = 14;

/** `content`: { title, mark?, rows: [label, text][], note? }; x and y are window coordinates. */
export function showTip(content, x, y) {
	const tip = byId("tip");
	tip.replaceChildren(
		h("div", { class: "tip-title" }, content.mark, h("span", {}, content.title)),
		h("dl", {}, content.rows.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, text)])),
		content.note ? h("p", {}, content.note) : "");
	tip.hidden = false;
	const { width, height } = tip.getBoundingClientRect();
	const right = x + GAP + width > innerWidth ? x - GAP - width : x + GAP;
	const below = y + GAP + height > innerHeight ? y - GAP - height : y + GAP;
	tip.style.left = `${Math.max(4, right)}px`;
	tip.style.top = `${Math.max(4, below)}px`;
}

export function hideTip() {
	byId("tip").hidden = true;
}

addEventListener("keydown", (event) => {
	if (event.key === "Escape") hideTip();
});
addEventListener("scroll", hideTip, { passive: true });
