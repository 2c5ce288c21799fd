// SPDX-License-Identifier: MIT
// Brings a flame graph to life: zoom, search, details, and as wide as its window. Names of the
// target are only ever read and set as text.
(function () {
	"use strict";
	const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
	// The same numbers are in fmt_svg.c.
	const MARGIN = 10, INDENT = 4, BASELINE = 12.5, FRAMED = 3;
	const NARROWEST = 0.1; // pixels that a box must have to be shown
	const svg = (document.currentScript || document.querySelector("svg.pyattach script")).closest("svg");
	const whole = document.documentElement === svg;
	const head = svg.querySelector(".head"), area = svg.querySelector(".boxes");
	const boxes = [];
	let width = 1200, column = 7.3; // pixels
	let zoomed = 0, pointed = null; // the box that fills the width, the one under the pointer

	// One entry a box, in the file's order: a parent before its children. "end" is the number behind
	// the last box below it.
	function collect() {
		const path = [];
		for (const g of area.children) {
			const depth = Number(g.dataset.depth);
			for (let i = depth; i < path.length; i++)
				boxes[path[i]].end = boxes.length;
			path.length = depth;
			boxes.push({
				g: g,
				rect: g.querySelector("rect"),
				text: g.querySelector("text"),
				y: Number(g.querySelector("rect").getAttribute("y")),
				x: Number(g.dataset.x),
				samples: Number(g.dataset.samples),
				self: Number(g.dataset.self || 0),
				parent: depth ? path[depth - 1] : -1,
				label: null,
				framed: g.querySelector("rect").hasAttribute("class"),
				hit: false,
				look: "",
			});
			g.number = boxes.length - 1;
			path.push(boxes.length - 1);
		}
		for (const i of path)
			boxes[i].end = boxes.length;
	}

	function element(name, attributes, parent) {
		const e = document.createElementNS(SVG, name);
		for (const key of Object.keys(attributes))
			e.setAttribute(key, attributes[key]);
		parent.appendChild(e);
		return e;
	}

	function titleOf(box) {
		return box.g.querySelector("title").textContent;
	}

	// The title without the numbers behind it.
	function labelOf(box) {
		if (box.label === null) {
			const title = titleOf(box);
			box.label = title.slice(0, title.lastIndexOf(" \u2014 "));
		}
		return box.label;
	}

	function percent(part, all) {
		return (all ? part * 100 / all : 0).toFixed(2) + " %";
	}

	// As much of the text as fits; see text_cut in escape.c.
	function cut(text, columns) {
		let used = 0, fits = 0, at = 0;
		for (const c of text) {
			used += c.codePointAt(0) >= 0x1100 ? 2 : 1;
			if (used > columns)
				return columns < 3 ? "" : text.slice(0, fits) + "\u2026";
			at += c.length;
			if (used <= columns - 1)
				fits = at;
		}
		return text;
	}

	function setLook(box, look) {
		const all = look + (box.hit ? " hit" : "");
		if (all === box.look)
			return;
		box.look = all;
		box.g.setAttribute("class", all.trim());
	}

	function place(box, x, w) {
		box.rect.setAttribute("x", x.toFixed(2));
		box.rect.setAttribute("width", w.toFixed(2));
		if (box.framed !== (w >= FRAMED)) {
			box.framed = w >= FRAMED;
			box.rect.setAttribute("class", box.framed ? "w" : "");
		}
		const room = Math.floor((w - 2 * INDENT) / column);
		const text = room > 0 ? cut(labelOf(box), room) : "";
		if (!text && !box.text)
			return;
		if (!box.text)
			box.text = element("text", {y: box.y + BASELINE}, box.g);
		box.text.textContent = text;
		box.text.setAttribute("x", (x + INDENT).toFixed(2));
	}

	// The zoomed box and its callers fill the width; beside them nothing is shown.
	function layout() {
		const z = boxes[zoomed], inner = width - 2 * MARGIN, scale = inner / z.samples;
		const callers = new Set();
		for (let i = z.parent; i >= 0; i = boxes[i].parent)
			callers.add(i);
		boxes.forEach(function (box, i) {
			const inside = i >= zoomed && i < z.end;
			if (inside && box.samples * scale >= NARROWEST) {
				setLook(box, "");
				place(box, MARGIN + (box.x - z.x) * scale, box.samples * scale);
			} else if (callers.has(i)) {
				setLook(box, "up");
				place(box, MARGIN, inner);
			} else {
				setLook(box, "off");
			}
		});
	}

	function zoom(i) {
		if (i !== zoomed) {
			zoomed = i;
			layout();
		}
		arrange();
		describe();
	}

	// The regular expression, or the text itself when it is none; capitals count when there are any.
	function pattern(text) {
		const flags = text === text.toLowerCase() ? "i" : "";
		try {
			return {test: new RegExp(text, flags), plain: false};
		} catch (e) {
			const literal = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
			return {test: new RegExp(literal, flags), plain: true};
		}
	}

	// Marks what matches. A sample counts once, however many boxes of its stack match.
	function search(text) {
		const re = text ? pattern(text) : null;
		let sum = 0, counted = 0;
		boxes.forEach(function (box, i) {
			box.hit = Boolean(re) && i > 0 && re.test.test(labelOf(box));
			if (box.hit && i >= counted) {
				sum += box.samples;
				counted = box.end;
			}
			setLook(box, box.look.replace(" hit", ""));
		});
		matched.textContent = re ? "Matched: " + percent(sum, boxes[0].samples) +
			(re.plain ? " (as plain text)" : "") : "";
		clear.setAttribute("class", re ? "button" : "button gone");
	}

	function openSearch() {
		field.setAttribute("class", "");
		arrange();
		input.focus();
		input.select();
	}

	function closeSearch() {
		input.value = "";
		input.blur();
		field.setAttribute("class", "gone");
		arrange();
		search("");
	}

	function describe() {
		if (!pointed) {
			details.textContent = "Point at a box for its share, click it to zoom in.";
			return;
		}
		let text = titleOf(pointed);
		if (pointed.self)
			text += "; " + percent(pointed.self, boxes[0].samples) + " in itself";
		if (zoomed && pointed.g.number > zoomed)
			text += "; " + percent(pointed.samples, boxes[zoomed].samples) + " of the zoomed box";
		details.textContent = text;
	}

	function button(id, label, w, action) {
		const g = element("g", {class: "button", role: "button", tabindex: "0", "data-id": id}, head);
		element("rect", {width: w, height: 24}, g);
		element("text", {x: w / 2, y: 16}, g).textContent = label;
		g.addEventListener("click", action);
		g.addEventListener("keydown", function (e) {
			if (e.key === "Enter" || e.key === " ") {
				e.preventDefault();
				e.stopPropagation();
				action();
			}
		});
		return g;
	}

	// The buttons, from the right: search, its field while it is open, reset while it is of use.
	function arrange() {
		const right = width - MARGIN, open = field.getAttribute("class") === "";
		find.setAttribute("transform", "translate(" + (right - 74) + ",11)");
		clear.setAttribute("transform", "translate(" + (right - 74) + ",40)");
		matched.setAttribute("x", right - 74 - 12);
		field.setAttribute("x", right - 74 - 8 - 220);
		reset.setAttribute("class", zoomed ? "button" : "button gone");
		reset.setAttribute("transform",
			"translate(" + (right - 74 - 8 - (open ? 220 + 8 : 0) - 96) + ",11)");
	}

	function resize() {
		if (whole)
			width = Math.max(480, svg.clientWidth || window.innerWidth);
		svg.setAttribute("width", width);
		svg.setAttribute("viewBox", "0 0 " + width + " " + svg.getAttribute("height"));
		arrange();
		layout();
	}

	function onKey(e) {
		if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "f") {
			if (document.activeElement !== input) {
				e.preventDefault();
				openSearch();
			}
			return;
		}
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key === "Escape") {
			if (document.activeElement === input || !zoomed)
				closeSearch();
			else
				zoom(0);
		} else if (document.activeElement === input) {
			return;
		} else if (e.key === "/") {
			e.preventDefault();
			openSearch();
		} else if (e.key === "0") {
			zoom(0);
		}
	}

	function boxAt(target) {
		const g = target.closest(".boxes > g");
		return g ? boxes[g.number] : null;
	}

	collect();
	if (!boxes.length)
		return;
	// Out of the way while sizes are asked for: each answer would lay all of them out.
	area.style.display = "none";
	const details = element("text", {class: "details", x: MARGIN, y: 72}, head);
	const matched = element("text", {class: "matched", y: 56, "text-anchor": "end"}, head);
	const find = button("search", "Search", 74, openSearch);
	const clear = button("clear", "Clear", 74, closeSearch);
	const reset = button("reset", "Reset zoom", 96, function () { zoom(0); });
	const field = element("foreignObject", {class: "gone", y: 11, width: 220, height: 24}, head);
	const input = document.createElementNS(HTML, "input");
	input.setAttribute("type", "text");
	input.setAttribute("placeholder", "regular expression");
	input.setAttribute("aria-label", "Search for a regular expression");
	field.appendChild(input);
	clear.setAttribute("class", "button gone");

	const probe = element("text", {}, head);
	probe.textContent = "M".repeat(100);
	column = probe.getComputedTextLength() / 100 || column;
	probe.remove();

	svg.classList.add("live");
	resize();
	describe();
	area.style.display = "";
	area.addEventListener("click", function (e) {
		const box = boxAt(e.target);
		if (box)
			zoom(box.g.number);
	});
	area.addEventListener("mouseover", function (e) {
		pointed = boxAt(e.target);
		describe();
	});
	area.addEventListener("mouseleave", function () {
		pointed = null;
		describe();
	});
	input.addEventListener("input", function () { search(input.value); });
	window.addEventListener("keydown", onKey);
	if (whole) {
		window.addEventListener("resize", resize);
		window.addEventListener("scroll", function () {
			head.setAttribute("transform", "translate(0," + window.scrollY + ")");
		});
	}
})();
