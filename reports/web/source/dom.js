// Creates elements without parsing HTML: untrusted data of a run becomes text, never markup.

/** @param {Record<string, any>} properties `class`, `on…` listeners, `data-`/`aria-` attributes */
function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (name === "value" || name === "checked") element[name] = value;
		else element.setAttribute(name, value === true ? "" : String(value));
	}
	element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

export const h = (tag, properties, ...children) =>
	fill(document.createElement(tag), properties, children);

export const svg = (tag, properties, ...children) =>
	fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

/** A name that may break after "/", "_" and ",", as children of an element. */
export const breakable = (text) => (text.match(/[^/_,]*[/_,]|[^/_,]+$/g) ?? []).flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part]));

export const byId = (id) => document.getElementById(id);

/** A message that says what is missing and how to get it. */
export const empty = (what, remedy, command) =>
	h("div", { class: "empty" },
		h("p", {}, h("strong", {}, what)),
		remedy && h("p", {}, remedy),
		command && h("p", {}, h("code", {}, command)));

export function announce(text) {
	byId("live").textContent = text;
}

/** Buttons to choose one of a few values. `options`: [value, label, title?]. `.mark(value)` marks another one as chosen. */
export function segmented(label, options, value, choose) {
	const group = h("div", { class: "segmented", role: "group", "aria-label": label });
	const mark = (chosen) => {
		for (const button of group.children)
			button.setAttribute("aria-pressed", String(button.dataset.value === chosen));
	};
	for (const [key, text, title] of options) {
		group.append(h("button", {
			type: "button", "data-value": key, title,
			onclick: () => { mark(key); choose(key); },
		}, text));
	}
	mark(value);
	return Object.assign(group, { mark });
}

/** A select with a label. `options`: [value, label]. `.mark(value)` shows another one as chosen. */
export function select(label, options, value, choose) {
	const list = h("select", { onchange: (event) => choose(event.target.value) },
		options.map(([key, text]) => h("option", { value: key }, text)));
	const mark = (chosen) => { list.value = chosen; };
	mark(value);
	return Object.assign(h("label", { class: "field" }, h("span", {}, label), list), { mark });
}

/** A table with texts and elements as cells. `columns`: { head, numeric?, title? }. */
export function table(caption, columns, rows, properties = {}) {
	const alignment = (column) => (column.numeric ? "number" : column.class ?? null);
	return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
		h("table", properties,
			h("caption", { class: "unseen" }, caption),
			h("thead", {}, h("tr", {}, columns.map((column) =>
				h("th", { scope: "col", class: alignment(column), title: column.title }, column.head)))),
			h("tbody", {}, rows.map((row) =>
				h("tr", {}, row.map((cell, i) =>
					h(i === 0 ? "th" : "td", {
						class: alignment(columns[i]), scope: i === 0 ? "row" : null,
					}, cell ?? "–")))))));
}
