// Marks of names: no two share colour and shape, and names with one shape have colours that readers
// with any colour blindness can distinguish, on the page and in the pictures by gnuplot.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Palette, PAIRS } from "../../reports/web/source/colours.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const NEAR = 10; // hundredths of OKLab; two colours at 2 look alike side by side

// G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of
// Color Vision Deficiency", IEEE TVCG 15 (2009): matrices of severity 1 for linear sRGB
const EYES = {
	usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
	tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
	.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));

// B. Ottosson, "A perceptual color space for image processing" (2020)
function oklab(rgb) {
	const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], rgb);
	return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], cones.map(Math.cbrt));
}

/** The distance of two colours for the eyes that distinguish them least. */
function distance(a, b) {
	return Math.min(...Object.values(EYES).map((matrix) => {
		const [left, right] = [a, b].map((hex) => oklab(times(matrix, linear(hex)).map((part) => Math.min(1, Math.max(0, part)))));
		return 100 * Math.hypot(...left.map((part, i) => part - right[i]));
	}));
}

function contrast(a, b) {
	const [dark, light] = [a, b].map((hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0]).sort((x, y) => x - y);
	return (light + 0.05) / (dark + 0.05);
}

/** { panel, colours } of a theme of the page. */
function themeOf(block) {
	const value = (name) => block.match(new RegExp(`${name}: (#[0-9a-f]{6})`))[1];
	return { panel: value("--panel"), colours: Array.from({ length: 8 }, (_, i) => value(`--c${i}`)) };
}
const [light, dark] = readFileSync(join(root, "reports/web/source/style/tokens.css"), "utf8").split(':root[data-theme="dark"]').map(themeOf);

for (const [name, { panel, colours }] of Object.entries({ light, dark })) {
	test(`each two colours are apart for any eyes, and from the ground: ${name}`, () => {
		colours.forEach((colour, i) => {
			assert.ok(contrast(colour, panel) >= 3, `${colour}: contrast ${contrast(colour, panel)}`);
			for (const other of colours.slice(i + 1)) assert.ok(distance(colour, other) >= NEAR, `${colour} and ${other}: ${distance(colour, other)}`);
		});
	});
}

test("no two names share colour and shape, neighbours share neither", () => {
	const names = Array.from({ length: PAIRS + 5 }, (_, i) => `kernel_${i}`);
	const palette = new Palette(names);
	const marks = names.map((name) => `${palette.colour(name)} ${palette.shape(name)}`);
	assert.ok(PAIRS >= 64);
	assert.equal(new Set(marks).size, PAIRS + 1, "the rest share one grey mark");
	assert.match(palette.note, /one of 5 further names/);
	assert.equal(new Palette(names.slice(0, PAIRS)).note, "");
	for (let i = 1; i < PAIRS; i++) {
		assert.notEqual(palette.colour(names[i]), palette.colour(names[i - 1]));
		assert.notEqual(palette.shape(names[i]), palette.shape(names[i - 1]));
	}
});

test("the pictures by gnuplot have the colours of the light page", () => {
	const source = readFileSync(join(root, "reports/roofline/gnuplot.c"), "utf8");
	assert.deepEqual(source.match(/point_colours\[\] = \{([^}]+)\}/)[1].match(/#[0-9a-f]{6}/g), light.colours);
});
