// What the reader chose, in the address after "#", so that a link to the file shows the same:
// "#cases&find=shuffle&sort=-median". It starts with the section that is read.
//
// An address comes from anywhere, so its values are untrusted. Each part of the page checks its own
// value against what the run has, and ignores one that it does not know.

const WAIT_MS = 400; // browsers refuse more than about three changes a second
const LONGEST = 8000;

/** Like encodeURIComponent(), but leaves what may stand in an address and separates nothing here. */
const encode = (text) => encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/gu, "\ufffd")) // halves of a pair would throw
	.replaceAll(/%(2F|2C|3A|3D|40)/g, decodeURIComponent).replaceAll("'", "%27");

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return null; // not from this page
	}
}

/** A list of names in one value, and back. */
export const listText = (names) => names.map((name) => name.replaceAll("~", "~0").replaceAll(",", "~1")).join(",");
export const listOf = (text) => (text ? text.split(",").map((name) => name.replaceAll("~1", ",").replaceAll("~0", "~")) : []);

/** { section, values: Map } of the text after "#". */
function parse(hash) {
	const values = new Map();
	let section = "";
	for (const [at, item] of hash.slice(1, LONGEST).split("&").entries()) {
		const [key, ...rest] = item.split("=");
		const value = rest.length ? decode(rest.join("=")) : null;
		if (value !== null) values.set(key, value);
		else if (at === 0 && !rest.length) section = key;
	}
	return { section, values };
}

export class Address {
	constructor() {
		this.parts = new Map();
		this.given = parse(location.hash);
		this.section = "";
		this.ready = false;
		addEventListener("hashchange", () => this.moved());
	}

	/**
	 * Adds a part of the page. `get()` gives its value, or null if it is as at first. `set(text)` takes a
	 * value from an address, or null for the state at first. It is called now if the address has one.
	 */
	part(key, get, set) {
		this.parts.set(key, { get, set });
		if (this.given.values.has(key)) set(this.given.values.get(key));
	}

	/** Called when everything is drawn. */
	start() {
		this.ready = true;
		const [how] = performance.getEntriesByType("navigation");
		// after a reload the browser knows better where the reader was
		if (!["reload", "back_forward"].includes(how?.type)) this.scroll(this.given.section);
	}

	scroll(section) {
		if (/^[a-z]+$/.test(section)) document.querySelector(`main > #${section}`)?.scrollIntoView();
	}

	/** The section that is read now; "": the head. */
	read(section) {
		if (this.section === section) return;
		this.section = section;
		this.changed();
	}

	/** Writes the address after a change of any part. */
	changed() {
		clearTimeout(this.later);
		if (!this.ready) return;
		this.later = setTimeout(() => this.write(), WAIT_MS);
		document.documentElement.dataset.address = "late"; // until it is written
	}

	text() {
		const values = [...this.parts].map(([key, { get }]) => [key, get()]).filter(([, value]) => value !== null);
		return [this.section, ...values.map(([key, value]) => `${key}=${encode(value)}`)].join("&").replace(/^&/, "");
	}

	write() {
		clearTimeout(this.later);
		delete document.documentElement.dataset.address;
		const text = this.text();
		if (location.hash.slice(1) === text) return;
		try {
			history.replaceState(history.state, "", text ? `#${text}` : location.pathname + location.search);
		} catch {
			// some browsers refuse this for local files; the page works as well without
		}
	}

	/** Somebody followed a link within the page, went back, or changed the address. */
	moved() {
		const { section, values } = parse(location.hash);
		// a link to a section only moves
		if (section && !values.size && document.getElementById(section)) {
			this.changed();
			return;
		}
		for (const [key, { set }] of this.parts) set(values.get(key) ?? null);
		this.scroll(section);
	}
}
