// SPDX-License-Identifier: GPL-2.0
//
// What the page does with the profile in it. The graph is d3-flame-graph's.
//
// A node of the profile has name, value, children, libtype (the kind of code) and,
// compared with a base, delta: how much more it has.
"use strict";
(function () {
	const byId = (id) => document.getElementById(id);
	const profile = JSON.parse(byId("profile").textContent);
	const chart = flamegraph.default();
	const hues = {
		user: [12, 78], kernel: [32, 82], jit: [130, 45], inlined: [190, 50], thread: [220, 12],
	};
	const kinds = {
		user: "user", kernel: "kernel", jit: "JIT", inlined: "inlined", thread: "thread",
	};
	let inverted = false;
	let matches = null;

	// Times as a person reads them; all else is counted.
	function amount(value) {
		if (profile.unit !== "ns")
			return value.toLocaleString("en") + " " + profile.unit;
		for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]]) {
			if (Math.abs(value) >= size)
				return (value / size).toFixed(2) + " " + unit;
		}
		return value + " ns";
	}

	function share(value) {
		const total = profile.root.value;

		return (total ? 100 * value / total : 0).toFixed(2) + " %";
	}

	// What stands on the root is a thread's name.
	function kindOf(d) {
		return d.depth === 1 ? "thread" : d.data.libtype || "user";
	}

	// A name keeps its colour in every graph, so that two can be laid side by side.
	function shade(name) {
		let hash = 0;

		for (const c of name)
			hash = (hash * 31 + c.codePointAt(0)) % 9973;
		return hash / 9973;
	}

	function byKind(d) {
		const [hue, saturation] = hues[kindOf(d)];

		if (!d.depth)
			return "hsl(0, 0%, 78%)";
		return `hsl(${hue + 14 * shade(d.data.name)}, ${saturation}%, ${62 + 12 * shade(d.data.name + "#")}%)`;
	}

	function offCpu(d) {
		return `hsl(${205 + 30 * shade(d.data.name)}, 60%, ${66 + 12 * shade(d.data.name + "#")}%)`;
	}

	// Red has more than before, blue has less, by how much of it is new or gone.
	function byDelta(d) {
		const delta = d.data.delta || 0;
		const most = Math.max(d.data.value, Math.abs(delta));
		const part = most ? Math.abs(delta) / most : 0;

		return part < 0.005 ? "hsl(0, 0%, 85%)" :
			`hsl(${delta > 0 ? 0 : 215}, 85%, ${92 - 34 * part}%)`;
	}

	const colours = { kind: byKind, offcpu: offCpu, delta: byDelta };
	const legends = {
		kind: Object.keys(kinds).map((kind) => [`hsl(${hues[kind][0] + 7}, ${hues[kind][1]}%, 68%)`,
							 kinds[kind]]),
		offcpu: [["hsl(220, 60%, 72%)", "time off the CPU"]],
		delta: [["hsl(0, 85%, 58%)", "more than before"], ["hsl(0, 0%, 85%)", "as before"],
			["hsl(215, 85%, 58%)", "less than before"]],
	};

	function label(d) {
		let text = `${d.data.name} (${share(d.data.value)}, ${amount(d.data.value)}`;

		if (profile.base)
			text += `, ${d.data.delta > 0 ? "+" : ""}${amount(d.data.delta || 0)}`;
		return text + ")" + (d.depth && kindOf(d) !== "user" ? ` [${kinds[kindOf(d)]}]` : "");
	}

	function matcher(term) {
		try {
			return new RegExp(term, "i");
		} catch (error) {
			// not a regular expression: the text itself
			return new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
		}
	}

	function remember() {
		const term = byId("search").value;

		history.replaceState(null, "", term ? "#q=" + encodeURIComponent(term) : "#");
	}

	function search() {
		const term = byId("search").value;

		matches = term ? matcher(term) : null;
		if (term) {
			chart.search(term);
		} else {
			chart.clear();
			byId("matched").textContent = "";
		}
		remember();
	}

	function legend() {
		const place = byId("legend");

		place.replaceChildren();
		for (const [colour, text] of legends[byId("colours").value]) {
			const swatch = document.createElement("span");

			swatch.className = "swatch";
			swatch.style.background = colour;
			place.append(swatch, text);
		}
	}

	function setTheme(theme) {
		document.documentElement.dataset.theme = theme;
		byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
	}

	function storedTheme() {
		try {
			return localStorage.getItem("latewind-theme");
		} catch (error) {
			return null;	// a page from a file may have no store
		}
	}

	function storeTheme(theme) {
		try {
			localStorage.setItem("latewind-theme", theme);
		} catch (error) {
			// as above: the choice lasts as long as the page
		}
	}

	function width() {
		return Math.max(320, byId("chart").clientWidth);
	}

	// Of a deep graph most is empty: where it begins is what is to be seen first.
	function showRoots() {
		scrollTo(0, inverted ? 0 : document.documentElement.scrollHeight);
	}

	function draw() {
		d3.select("#chart").datum(profile.root).call(chart);
		showRoots();
	}

	function redraw() {
		chart.width(width());
		chart.update();
	}

	chart.width(width()).cellHeight(18).transitionDuration(250).minFrameSize(0.5)
		.sort(true).inverted(inverted).selfValue(false)
		.getName((d) => d.data.name).getLibtype(kindOf)
		.setLabelHandler(label).setDetailsElement(byId("details"))
		.setColorMapper((d) => d.highlight ? "hsl(300, 85%, 68%)" :
				colours[byId("colours").value](d))
		.setSearchMatch((d) => d.depth > 0 && matches !== null && matches.test(d.data.name))
		.setSearchHandler((results, sum) => {
			byId("matched").textContent =
				`Matched: ${share(sum)}, ${amount(sum)}, in ${results.length} frames`;
		})
		.onClick((d) => {
			byId("reset").disabled = !d.depth;
		});

	byId("colours").value = profile.base ? "delta" : profile.offcpu ? "offcpu" : "kind";
	if (!profile.base)
		byId("colours").querySelector("[value=delta]").remove();
	setTheme(storedTheme() ||
		 (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
	byId("reset").disabled = true;

	byId("search-form").addEventListener("submit", (event) => {
		event.preventDefault();
		search();
	});
	byId("search").addEventListener("input", search);
	byId("search-clear").addEventListener("click", () => {
		byId("search").value = "";
		search();
	});
	byId("reset").addEventListener("click", () => chart.resetZoom());
	byId("invert").addEventListener("click", () => {
		inverted = !inverted;
		byId("invert").setAttribute("aria-pressed", String(inverted));
		chart.inverted(inverted);
		redraw();
		showRoots();
	});
	byId("colours").addEventListener("change", () => {
		legend();
		redraw();
	});
	byId("theme").addEventListener("click", () => {
		const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";

		setTheme(theme);
		storeTheme(theme);
	});
	addEventListener("resize", redraw);
	addEventListener("keydown", (event) => {
		if (event.key === "/" && event.target !== byId("search")) {
			event.preventDefault();
			byId("search").focus();
		} else if (event.key === "Escape") {
			byId("search").value = "";
			search();
		}
	});

	legend();
	if (!profile.root.value) {
		byId("chart").textContent = "The recording has no samples.";
		return;
	}
	draw();
	if (location.hash.startsWith("#q=")) {
		byId("search").value = decodeURIComponent(location.hash.slice(3));
		search();
	}
})();
