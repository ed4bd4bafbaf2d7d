/* report.js - draws a report from the data in the page: runs, each with its result and the account of its time. */
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.runs.map((r, i) => ({...r, label: label(r, i), color: d3.schemeTableau10[i % 10]}));
const main = document.querySelector('main');
/* What is not there, or not counted, stays so: it is no 0. */
const scaled = (v, by) => typeof v === 'number' ? v / by : null;
const us = ps => scaled(ps, 1e6);

/* A program with its arguments. */
function program_of(r) {
	return [r.result.workload, ...(r.result.args || [])].join(' ');
}

function label(r, i) {
	const same = data.runs.filter(o => o.result.machine === r.result.machine).length > 1;
	const program = data.runs.some(o => program_of(o) !== program_of(r));
	const unmodelled = r.result.unmodelled_ratio || 0;
	const sampling = r.result.sampling || {};
	return (program ? program_of(r) + ' on ' : '') + r.result.machine + (same ? ' #' + (i + 1) : '') +
		(unmodelled > data.unmodelled_marked ? ` (UNMODELLED ${(100 * unmodelled).toFixed(1)} %)` : '') +
		(Number.isFinite(sampling.detailed_ratio) && sampling.detailed_ratio < 1 ? ' (SAMPLED)' : '') +
		(sampling.launches_skipped ? ` (${sampling.launches_skipped} SKIPPED)` : '');
}

/* Runs of the same program with the same arguments: what may be compared, bar by bar. */
const works = [...new Set(runs.map(r => r.work))].map(work => runs.filter(r => r.work === work));
const per_program = (list, title, draw) => {
	for (const work of works) {
		const own = list.filter(r => work.includes(r));
		if (own.length) draw(own, title + (works.length > 1 ? ': ' + program_of(own[0]) : ''));
	}
};

/* ---- pieces of the page ---- */

function node(parent, name, text, attributes) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
	if (text !== undefined && text !== null) e.textContent = text;
	parent.appendChild(e);
	return e;
}

const sections = [];
function section(id, title, text) {
	const s = node(main, 'section', null, {id, 'aria-labelledby': id + '-title'});
	node(s, 'h2', title, {id: id + '-title'});
	if (text) node(s, 'p', text, {class: 'soft'});
	sections.push([id, title]);
	return s;
}

function save(name, type, text) {
	const a = document.createElement('a');
	a.href = URL.createObjectURL(new Blob([text], {type}));
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

/* An SVG by itself, in black on white, with its title above and its legend below: as a paper takes it. */
function svg_text(svg, title, legend) {
	const copy = svg.cloneNode(true), ns = 'http://www.w3.org/2000/svg';
	const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
	const put = (name, attributes, text) => {
		const e = document.createElementNS(ns, name);
		for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
		if (text) e.textContent = text;
		copy.appendChild(e);
	};
	let x = 0, y = height + 14;
	for (const [name, color] of legend || []) {
		const wide = 30 + 7 * name.length;
		if (x && x + wide > width) [x, y] = [0, y + 18];
		if (color) put('rect', {x, y: y - 10, width: 11, height: 11, fill: color});
		put('text', {x: x + 16, y}, name);
		x += wide;
	}
	const below = legend && legend.length ? y + 8 : height;
	put('text', {x: 0, y: -10, 'font-weight': 'bold'}, title);
	const room_of_title = Math.max(width, 8 * title.length);
	copy.setAttribute('viewBox', `0 -26 ${room_of_title} ${below + 26}`);
	copy.setAttribute('width', room_of_title);
	copy.setAttribute('height', below + 26);
	const sheet = document.createElementNS(ns, 'style');
	sheet.textContent = 'text{font:12px sans-serif;fill:#000}.domain,.tick line{stroke:#999}.frame{fill:none;stroke:#555}';
	copy.insertBefore(sheet, copy.firstChild);
	copy.setAttribute('xmlns', ns);
	return '<?xml version="1.0"?>\n' + new XMLSerializer().serializeToString(copy) + '\n';
}

function csv_of(columns, rows) {
	const cell = v => {
		const text = v === null || v === undefined ? '' : String(v);
		return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
	};
	return [columns.map(c => c.name), ...rows.map(r => columns.map(c => c.value(r)))]
		.map(line => line.map(cell).join(',')).join('\n') + '\n';
}

const plain = d3.format('.6~g'), brief = d3.format('.3~g'), whole = d3.format(',');
function shown(v) {
	if (v === null || v === undefined) return '-';
	if (typeof v === 'number') return Number.isInteger(v) ? whole(v) : plain(v);
	if (typeof v === 'object') return JSON.stringify(v);
	return String(v);
}

/* A table that can be sorted by each column and saved. options: name, search, differs(row). */
function table(parent, columns, rows, options) {
	const tools = node(parent, 'div', null, {class: 'tools'});
	const box = node(parent, 'div', null, {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'table: ' + options.name});
	const t = node(box, 'table'), head = node(node(t, 'thead'), 'tr'), body = node(t, 'tbody');
	let order = null, up = true, filter = '';
	const draw = () => {
		const list = rows.filter(r => !filter || columns.some(c => shown(c.value(r)).toLowerCase().includes(filter)));
		if (order) list.sort((a, b) => {
			const x = order.value(a), y = order.value(b);
			const by = typeof x === 'number' && typeof y === 'number' ? x - y : shown(x).localeCompare(shown(y));
			return up ? by : -by;
		});
		body.replaceChildren();
		for (const r of list) {
			const differs = options.differs && options.differs(r);
			const line = node(body, 'tr', null, differs ? {class: 'differs'} : {});
			for (const c of columns) {
				const v = c.value(r);
				node(line, 'td', (differs && c === columns[0] ? '\u2260 ' : '') + shown(v), typeof v === 'number' ? {class: 'number'} : {});
			}
		}
	};
	columns.forEach(c => {
		const cell = node(head, 'th', null, {scope: 'col', 'aria-sort': 'none'});
		node(cell, 'button', c.name, {type: 'button'}).addEventListener('click', () => {
			up = order === c ? !up : true;
			order = c;
			head.querySelectorAll('th').forEach(e => e.setAttribute('aria-sort', 'none'));
			cell.setAttribute('aria-sort', up ? 'ascending' : 'descending');
			draw();
		});
	});
	if (options.search) {
		const input = node(tools, 'input', null, {type: 'search', placeholder: 'search ' + options.name,
			'aria-label': 'search ' + options.name});
		input.addEventListener('input', () => { filter = input.value.toLowerCase(); draw(); });
	}
	node(tools, 'button', 'CSV', {type: 'button', 'aria-label': options.name + ' as CSV'}).addEventListener('click', () =>
		save(options.name.replace(/[^a-z0-9]+/gi, '-') + '.csv', 'text/csv', csv_of(columns, rows)));
	draw();
}

/* A drawing with its caption, its SVG to save and its numbers as a table. */
function figure(parent, title, width, height, columns, rows) {
	const f = node(parent, 'figure');
	node(f, 'figcaption', title);
	const svg = d3.select(f).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width)
		.attr('height', height).attr('role', 'img').attr('aria-label', title);
	const tools = document.createElement('div');
	tools.className = 'tools';
	const finish = legend => {
		if (legend) {
			const l = node(f, 'div', null, {class: 'legend'});
			for (const [name, color] of legend) {
				const s = node(l, 'span');
				if (color) node(s, 'i', '', {style: 'background:' + color});
				s.appendChild(document.createTextNode(name));
			}
		}
		f.appendChild(tools);
		node(tools, 'button', 'SVG', {type: 'button', 'aria-label': title + ' as SVG'}).addEventListener('click', () =>
			save(title.replace(/[^a-z0-9]+/gi, '-') + '.svg', 'image/svg+xml', svg_text(svg.node(), title, legend)));
		const details = node(f, 'details');
		node(details, 'summary', 'as a table');
		table(details, columns, rows, {name: title});
	};
	return {svg, finish};
}

/* ---- kinds of charts ---- */

const left_of = labels => Math.min(320, 20 + 7 * d3.max(labels, l => l.length));

/* What the axes are of, in the corners: a drawing must say it by itself when it is saved. */
function axes(svg, x, y, height, left, format, x_name, y_name, y_format) {
	svg.append('g').attr('transform', `translate(0,${height})`).call(d3.axisBottom(x).ticks(6, format));
	svg.append('g').attr('transform', `translate(${left},0)`).call(y_format ? d3.axisLeft(y).ticks(4, y_format) : d3.axisLeft(y));
	svg.append('text').attr('x', 880).attr('y', height + 34).attr('text-anchor', 'end').text(x_name);
	if (y_name) svg.append('text').attr('x', left + 6).attr('y', 12).text(y_name);
}

/* One bar per row: {label, value, color}. */
function bars(parent, title, unit, rows) {
	const width = 900, height = 26 * rows.length + 10, left = left_of(rows.map(r => r.label));
	const {svg, finish} = figure(parent, title, width, height + 40,
		[{name: 'what', value: r => r.label}, {name: unit, value: r => r.value}], rows);
	const x = d3.scaleLinear([0, d3.max(rows, r => r.value) || 1], [left, width - 90]).nice();
	const y = d3.scaleBand(rows.map(r => r.label), [0, height]).padding(.2);
	svg.selectAll('rect').data(rows).join('rect').attr('x', left).attr('y', r => y(r.label))
		.attr('width', r => Math.max(0, x(r.value) - left)).attr('height', y.bandwidth())
		.attr('fill', r => r.color || d3.schemeTableau10[0]).append('title').text(r => `${r.label}: ${plain(r.value)} ${unit}`);
	svg.selectAll('.value').data(rows).join('text').attr('class', 'value').attr('x', r => x(r.value) + 4)
		.attr('y', r => y(r.label) + y.bandwidth() / 2 + 4).text(r => brief(r.value) + ' ' + unit);
	axes(svg, x, y, height, left, '~s', unit);
	finish();
}

/* Per run a bar of parts: parts are names, value(run, part) numbers; as shares of the whole or as they are. */
function stacked(parent, title, unit, list, parts, value, is_share) {
	const used = parts.filter(p => d3.max(list, r => value(r, p)) > 0);
	const rows = list.flatMap(r => used.map(p => ({run: r.label, part: p, value: value(r, p)})));
	const width = 900, height = 30 * list.length + 10, left = left_of(list.map(r => r.label));
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'run', value: r => r.run},
		{name: 'part', value: r => r.part}, {name: unit, value: r => r.value}], rows);
	const whole_of = r => is_share ? d3.sum(used, p => value(r, p)) || 1 : 1;
	const most = is_share ? 1 : d3.max(list, r => d3.sum(used, p => value(r, p))) || 1;
	const x = d3.scaleLinear([0, most], [left, width - 20]), y = d3.scaleBand(list.map(r => r.label), [0, height]).padding(.2);
	const color = d3.scaleOrdinal(used, [...d3.schemeTableau10, '#86bcb6', '#8cd17d', '#b6992d', '#499894', '#d37295',
		'#fabfd2', '#b07aa1', '#d4a6c8', '#9d7660', '#d7b5a6']);
	for (const r of list) {
		let at = 0;
		for (const p of used) {
			const own = value(r, p) / whole_of(r);
			if (!(own > 0)) continue;
			svg.append('rect').attr('x', x(at)).attr('y', y(r.label)).attr('width', Math.max(0, x(at + own) - x(at)))
				.attr('height', y.bandwidth()).attr('fill', color(p)).append('title')
				.text(`${r.label}, ${p}: ${plain(value(r, p))} ${unit}${is_share ? ` (${plain(100 * own)} %)` : ''}`);
			at += own;
		}
	}
	axes(svg, x, y, height, left, is_share ? '.0%' : '~s', is_share ? 'share of ' + unit : unit);
	finish(used.map(p => [p, color(p)]));
}

/* Points per row and series on a log scale: [{label, points: {name: value}}]. */
function dots(parent, title, unit, rows, names) {
	const all = rows.flatMap(r => names.map(n => r.points[n])).filter(v => v > 0);
	if (!all.length) return;
	const width = 900, height = 22 * rows.length + 10, left = left_of(rows.map(r => r.label));
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'what', value: r => r.label},
		...names.map(n => ({name: n + ' ' + unit, value: r => r.points[n]}))], rows);
	const x = d3.scaleLog(d3.extent(all), [left + 8, width - 20]).nice(), y = d3.scaleBand(rows.map(r => r.label), [0, height]).padding(.2);
	for (const r of rows) {
		const values = names.map(n => r.points[n]).filter(v => v > 0), at = y(r.label) + y.bandwidth() / 2;
		svg.append('line').attr('x1', x(d3.min(values))).attr('x2', x(d3.max(values))).attr('y1', at).attr('y2', at)
			.attr('stroke', r.color).attr('stroke-width', 2);
		names.forEach((n, i) => r.points[n] > 0 && svg.append('circle').attr('cx', x(r.points[n])).attr('cy', at)
			.attr('r', 3 + i).attr('fill', r.color).append('title').text(`${r.label} ${n}: ${plain(r.points[n])} ${unit}`));
	}
	axes(svg, x, y, height, left, '~s', unit);
	finish();
}

/* Lines of steps: [{label, color, points: [[x, y], ...]}]. */
function lines(parent, title, x_name, y_name, list) {
	const points = list.flatMap(l => l.points.map(p => ({run: l.label, x: p[0], y: p[1]})));
	if (points.length < 2) return;
	const width = 900, height = 240, left = 70;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'run', value: r => r.run},
		{name: x_name, value: r => r.x}, {name: y_name, value: r => r.y}], points);
	const x = d3.scaleLinear(d3.extent(points, p => p.x), [left, width - 20]);
	const y = d3.scaleLinear([Math.min(0, d3.min(points, p => p.y)), d3.max(points, p => p.y) || 1], [height, 10]).nice();
	const path = d3.line(p => x(p[0]), p => y(p[1])).curve(d3.curveStepAfter);
	for (const l of list) svg.append('path').attr('d', path(l.points)).attr('fill', 'none').attr('stroke', l.color)
		.attr('stroke-width', 1.5).append('title').text(l.label);
	axes(svg, x, y, height, left, '~s', x_name, y_name);
	finish(list.map(l => [l.label, l.color]));
}

/* The end of a histogram's bucket: sixteen of them in each power of two. */
const bucket_end = from => from < 16 ? from + 1 : from + 2 ** (Math.floor(Math.log2(from)) - 4);

/* Shares by bucket on a log scale: [{label, color, from: [...], count: [...]}], from in units of 1 / scale. */
function distribution(parent, title, unit, list, scale) {
	const rows = list.flatMap(l => l.from.map((from, i) => ({run: l.label, from: Math.max(from, 1) / scale, count: l.count[i],
		to: bucket_end(from) / scale, share: l.count[i] / d3.sum(l.count)})));
	const width = 900, height = 160, left = 70;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'run', value: r => r.run},
		{name: 'from ' + unit, value: r => r.from}, {name: 'to ' + unit, value: r => r.to}, {name: 'requests', value: r => r.count},
		{name: 'share', value: r => r.share}], rows);
	const x = d3.scaleLog([d3.min(rows, r => r.from), d3.max(rows, r => r.to)], [left, width - 20]);
	const y = d3.scaleLinear([0, d3.max(rows, r => r.share)], [height, 10]).nice();
	for (const l of list) {
		/* A bucket that is empty is a gap: the step falls to nothing. */
		const points = rows.filter(r => r.run === l.label).flatMap((r, i, own) =>
			own[i + 1] && own[i + 1].from === r.to ? [[r.from, r.share]] : [[r.from, r.share], [r.to, 0]]);
		svg.append('path').attr('d', d3.line(p => x(p[0]), p => y(p[1])).curve(d3.curveStepAfter)([[points[0][0], 0], ...points]))
			.attr('fill', l.color).attr('fill-opacity', .15).attr('stroke', l.color).attr('stroke-width', 1.5)
			.append('title').text(l.label);
	}
	axes(svg, x, y, height, left, '~s', unit, 'share of requests', '.0%');
	finish(list.map(l => [l.label, l.color]));
}

/* Kernels under their roofs, both axes logarithmic: roofs of bytes rise with the work for a byte, that of a GPU's issue is
 * flat. A kernel, or program, is a row of points, one for each kind of bytes that it moves, with a line up to what that roof
 * would allow, and dashes at the lowest of its roofs of issue and units. */
const ROOFLINE_KERNELS = 8;
function roofline(parent, r) {
	const all = r.why.roofline, work = all.work, kind = new Map(all.roofs.map(f => [f.name, f.kind]));
	const kernels = all.kernels.slice(0, ROOFLINE_KERNELS), flat_of = k => k.roofs.find(f => kind.get(f.name) === 'units');
	/* Nothing is above it: all lanes of a GPU's schedulers; elsewhere the highest of the kernels' own roofs of units. */
	const issue = all.lanes ? all.roofs.find(f => f.name === 'issue').per_s * all.lanes
		: d3.max(kernels, k => (flat_of(k) || {per_s: d3.max(k.roofs, f => f.per_s) || 0}).per_s);
	const issue_name = all.lanes ? 'issue, all lanes' : 'highest roof of units';
	const rows = all.kernels.flatMap(k => k.roofs.map(f => ({...f, kernel: k.name, time_ps: k.time_ps, measured: k.per_s})));
	const points = kernels.flatMap((k, i) => k.roofs.filter(f => kind.get(f.name) === 'bytes')
		.map(f => ({...f, kernel: k.name, number: i + 1, measured: k.per_s}))).filter(p => p.measured > 0);
	if (!points.length) return;
	const roofs = all.roofs.filter(f => points.some(p => p.name === f.name));
	const width = 900, left = 70, right = 600, height = Math.max(300, 20 * (roofs.length + kernels.length) + 70);
	const {svg, finish} = figure(parent, `${r.label}: kernels under their roofs`, width, height + 40,
		[{name: 'kernel', value: f => f.kernel}, {name: 'us', value: f => us(f.time_ps)}, {name: 'roof', value: f => f.name},
			{name: `${work} per byte, slot or operation`, value: f => f.intensity},
			{name: 'measured G/s', value: f => f.measured / 1e9}, {name: 'roof allows G/s', value: f => f.per_s / 1e9},
			{name: 'share of the roof', value: f => f.measured / f.per_s}], rows);
	const x = d3.scaleLog([d3.min(points, p => p.intensity) / 2, d3.max(points, p => p.intensity) * 2], [left, right]);
	const y = d3.scaleLog([d3.min(points, p => p.measured) / 2e9, issue * 1.5 / 1e9], [height, 10]);
	const color = d3.scaleOrdinal(roofs.map(f => f.name), d3.schemeTableau10);
	const stroke = (x1, y1, x2, y2, of) => svg.append('line').attr('x1', x(x1)).attr('x2', x(x2)).attr('y1', y(y1 / 1e9))
		.attr('y2', y(y2 / 1e9)).attr('stroke', of);
	const [x0, x1] = x.domain(), y0 = y.domain()[0] * 1e9;
	for (const f of roofs) {
		/* Roofs at one rate lie on each other: their dashes take turns. */
		const equal = roofs.filter(o => o.per_s === f.per_s), from = Math.max(x0, y0 / f.per_s), to = Math.min(x1, issue / f.per_s);
		if (from < to) stroke(from, from * f.per_s, to, to * f.per_s, color(f.name)).attr('stroke-width', 2)
			.attr('stroke-dasharray', equal.length > 1 ? `8 ${8 * (equal.length - 1)}` : null)
			.attr('stroke-dashoffset', 8 * equal.indexOf(f)).append('title').text(`${f.name}: ${plain(f.per_s / 1e9)} GB/s`);
	}
	stroke(x0, issue, x1, issue, '#888').attr('stroke-width', 2).append('title').text(`${issue_name}: ${plain(issue / 1e9)} G/s`);
	kernels.forEach((k, i) => {
		const own = points.filter(p => p.number === i + 1), flat = flat_of(k);
		if (!own.length) return;
		const [first, last] = d3.extent(own, p => p.intensity);
		if (flat && flat.per_s <= issue) stroke(first / 1.2, flat.per_s, last * 1.2, flat.per_s, '#888')
			.attr('stroke-dasharray', '3 3').append('title').text(`${k.name}, ${flat.name}: ${plain(flat.per_s / 1e9)} G/s`);
		svg.append('text').attr('x', x(last) + 8).attr('y', y(k.per_s / 1e9) + 4).text(i + 1);
	});
	for (const p of points) {
		stroke(p.intensity, p.measured, p.intensity, Math.min(p.per_s, issue), color(p.name)).attr('class', 'headroom');
		svg.append('circle').attr('cx', x(p.intensity)).attr('cy', y(p.measured / 1e9)).attr('r', 4).attr('fill', color(p.name))
			.append('title').text(`${p.kernel}, ${p.name}: ${plain(p.measured / 1e9)} of ${plain(p.per_s / 1e9)} G/s, ` +
				`${plain(p.intensity)} ${work} per byte`);
	}
	const key = [...roofs.map(f => [`${f.name}, ${brief(f.per_s / 1e9)} GB/s`, color(f.name)]),
		[`${issue_name}, ${d3.format('.3~s')(issue)}/s`, '#888'], ...kernels.map((k, i) => [`${i + 1} ${k.short}`, null])];
	key.forEach(([text, of], i) => {
		if (of) svg.append('rect').attr('x', right + 20).attr('y', 14 + 20 * i).attr('width', 10).attr('height', 10).attr('fill', of);
		svg.append('text').attr('x', right + 36).attr('y', 23 + 20 * i).text(text.length > 36 ? text.slice(0, 35) + '\u2026' : text);
	});
	svg.append('g').attr('transform', `translate(0,${height})`).call(d3.axisBottom(x).ticks(5, '~g'));
	svg.append('g').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).ticks(4, '~s'));
	svg.append('text').attr('x', right).attr('y', height + 34).attr('text-anchor', 'end').text(`${work} per byte`);
	svg.append('text').attr('x', left + 6).attr('y', 12).text(`G ${work} a second`);
	finish();
}

/* ---- the machine with its flows ---- */

function picture(parent, r) {
	const stacks = r.result.stacks || [], time = r.result.time_ps / 1e12, peak = r.result.peak_bytes_per_s;
	if (!stacks.length || !(time > 0)) return;
	const rate = b => b / time / 1e9, width = 900, height = Math.max(180, 62 * stacks.length + 20);
	const rows = stacks.map((s, i) => ({stack: i, tx: rate(s.tx_bytes), rx: rate(s.rx_bytes),
		dram: rate(s.dram_read_bytes + s.dram_write_bytes)}));
	const title = `${r.label}: GB/s on links and in stacks`;
	const {svg, finish} = figure(parent, title, width, height, [{name: 'stack', value: s => s.stack},
		{name: 'GPU to stack GB/s', value: s => s.tx}, {name: 'stack to GPU GB/s', value: s => s.rx},
		{name: 'DRAM GB/s', value: s => s.dram}], rows);
	const link = peak.tx / 1e9 / stacks.length, dram = peak.dram / 1e9 / stacks.length;
	const thick = (v, of) => 1 + 14 * Math.min(1, v / of);
	svg.append('rect').attr('class', 'frame').attr('x', 10).attr('y', 10).attr('width', 150).attr('height', height - 20);
	svg.append('text').attr('x', 85).attr('y', height / 2 - 6).attr('text-anchor', 'middle').text('GPU');
	svg.append('text').attr('x', 85).attr('y', height / 2 + 12).attr('text-anchor', 'middle')
		.text(`IPC ${brief(r.result.ipc)}`);
	rows.forEach((s, i) => {
		const y = 10 + i * 62, flow = (at, v, text, color) => {
			svg.append('line').attr('x1', 160).attr('x2', 520).attr('y1', y + at).attr('y2', y + at).attr('stroke', color)
				.attr('stroke-width', thick(v, link));
			svg.append('text').attr('x', 340).attr('y', y + at - 9).attr('text-anchor', 'middle')
				.text(`${text} ${brief(v)} of ${brief(link)} (${brief(100 * v / link)} %)`);
		};
		flow(18, s.tx, '→', d3.schemeTableau10[0]);
		flow(46, s.rx, '←', d3.schemeTableau10[1]);
		svg.append('rect').attr('class', 'frame').attr('x', 520).attr('y', y).attr('width', 360).attr('height', 54);
		svg.append('rect').attr('x', 521).attr('y', y + 36).attr('width', 358 * Math.min(1, s.dram / dram)).attr('height', 17)
			.attr('fill', d3.schemeTableau10[2]);
		svg.append('text').attr('x', 530).attr('y', y + 18).text(`stack ${s.stack}`);
		svg.append('text').attr('x', 530).attr('y', y + 33).text(`DRAM ${brief(s.dram)} of ${brief(dram)} (${brief(100 * s.dram / dram)} %)`);
	});
	finish([['GPU to stack', d3.schemeTableau10[0]], ['stack to GPU', d3.schemeTableau10[1]], ['DRAM', d3.schemeTableau10[2]]]);
}

/* Copies and kernels of the program in time, a row per kind. */
function timeline(parent, r) {
	const spans = (r.result.timeline || []).filter(s => s.end_ps > s.start_ps);
	if (!spans.length) return;
	const kinds = [...new Set(spans.map(s => s.kind))], width = 900, height = 26 * kinds.length + 10, left = left_of(kinds);
	const title = `${r.label}: copies and kernels`;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'kind', value: s => s.kind},
		{name: 'name', value: s => s.title || s.name}, {name: 'start us', value: s => us(s.start_ps)},
		{name: 'end us', value: s => us(s.end_ps)}], spans);
	const x = d3.scaleLinear([0, d3.max(spans, s => us(s.end_ps))], [left, width - 20]);
	const y = d3.scaleBand(kinds, [0, height]).padding(.2), color = d3.scaleOrdinal(kinds, d3.schemeTableau10);
	svg.selectAll('rect').data(spans).join('rect').attr('x', s => x(us(s.start_ps))).attr('y', s => y(s.kind))
		.attr('width', s => Math.max(1, x(us(s.end_ps)) - x(us(s.start_ps)))).attr('height', y.bandwidth())
		.attr('fill', s => color(s.kind)).append('title').text(s => `${s.title || s.name}: ${plain(us(s.end_ps - s.start_ps))} us`);
	axes(svg, x, y, height, left, '~s', 'us');
	finish();
	if (r.result.timeline_count > r.result.timeline.length)
		node(parent, 'p', `the first ${r.result.timeline.length} of ${r.result.timeline_count}`, {class: 'soft'});
}

/* ---- sweeps: heat maps over two axes, lines over one ---- */

/* A name's ending says its unit (docs/sweep.md): what people read of it. */
const endings = [['_mbytes_per_s', 'GB/s', 1e3], ['_khz', 'GHz', 1e6], ['_ps', 'ns', 1e3], ['_bytes', 'KiB', 1024]];
const fields_of_results = [['_ps', 'us', 1e6], ['_pj', 'mJ', 1e9], ['_w', 'W', 1], ['_mm2', 'mm2', 1]];
function unit_of(name, list) {
	const own = list.find(e => name.endsWith(e[0]));
	return own ? {name: name.slice(0, -own[0].length), unit: own[1], by: own[2]} : {name, unit: '', by: 1};
}

/* The values of an axis, in order: numbers as they grow, names as they were written. */
function axis_of(sweep, key) {
	const value_of = r => (r.values || {})[key];
	/* What has not run has its setting as a text only: another run may have had the same. */
	const known = new Map(sweep.runs.filter(r => key in r.settings && value_of(r) !== null && value_of(r) !== undefined)
		.map(r => [r.settings[key], value_of(r)]));
	const of = r => {
		const text = r.settings[key];
		return known.has(text) ? known.get(text) : text !== undefined && text !== '' && isFinite(text) ? +text : text;
	};
	const values = [...new Set(sweep.runs.map(of))].filter(v => v !== undefined), is_number = values.every(v => typeof v === 'number');
	const {name, unit, by} = is_number ? unit_of(key, endings) : {name: key, unit: '', by: 1};
	if (is_number) values.sort((a, b) => a - b);
	return {key, name, unit, of, values, is_number, title: unit ? `${name}, ${unit}` : name,
		scaled: v => is_number ? v / by : v, show: v => is_number ? plain(v / by) : String(v)};
}

const speedup_field = {title: 'speed-up', unit: 'x', of: r => r.speedup, is_ratio: true};
function fields_of(sweep) {
	const list = sweep.objectives.map(o => {
		const key = o.replace(/^-/, ''), {name, unit, by} = unit_of(key, fields_of_results);
		return {key, title: unit ? `${name}, ${unit}` : name, unit, is_more_better: o[0] === '-', of: r => scaled(r.objectives[key], by)};
	});
	return sweep.runs.some(r => typeof r.speedup === 'number') ? [speedup_field, ...list] : list;
}

const has_value = (r, field) => r.verified && typeof field.of(r) === 'number';
const state_of = r => r.left_out ? 'left out: ' + r.left_out : !r.done ? 'not done' : !r.verified ? 'NOT VERIFIED' : r.mark || '';
const work_of = r => [r.workload, ...(r.args || [])].join(' ');
/* Room for a drawing, so that it is not scaled down on a narrow screen. */
const room = () => Math.max(260, Math.min(900, main.clientWidth - 30));

/* Light enough for black text: ratios above 1 blue, below 1 orange, other values darker as they are larger. */
function color_of(field, values) {
	if (field.is_ratio) {
		const most = Math.max(.05, d3.max(values, v => Math.abs(Math.log2(v))));
		const scale = d3.scaleLinear([-most, 0, most], ['#f1a340', '#f7f7f7', '#67a9cf']);
		return {of: v => scale(Math.log2(v)), legend: [2 ** -most, 1, 2 ** most]};
	}
	const ends = d3.extent(values), scale = d3.scaleLinear(ends, ['#f7fbff', '#6baed6']);
	return {of: v => ends[0] === ends[1] ? '#f7fbff' : scale(v), legend: ends};
}

/* One panel: a cell for each pair of values; the best one has a frame. */
function heat_map(parent, title, x_axis, y_axis, runs_here, field, color) {
	const cell_of = (x, y) => runs_here.find(r => x_axis.of(r) === x && y_axis.of(r) === y);
	const rows = y_axis.values.flatMap(y => x_axis.values.map(x => ({x, y, run: cell_of(x, y)})));
	const left = Math.max(40, 16 + 7 * d3.max(y_axis.values, v => y_axis.show(v).length));
	const wanted = Math.max(52, 12 + 7 * d3.max(x_axis.values, v => x_axis.show(v).length));
	const wide = Math.max(10, Math.min(wanted, (Math.max(room(), 420) - left - 10) / x_axis.values.length)), high = 30;
	const width = Math.max(left + wide * x_axis.values.length + 10, left + 7 * x_axis.title.length + 10);
	const height = 24 + high * y_axis.values.length, is_wide = wide >= 40, every = Math.ceil(wanted / wide);
	const number = c => c.run && has_value(c.run, field) ? field.of(c.run) : null;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: y_axis.title, value: c => y_axis.scaled(c.y)},
		{name: x_axis.title, value: c => x_axis.scaled(c.x)}, {name: field.title, value: number},
		{name: 'state', value: c => c.run ? state_of(c.run) : 'not in the sweep'}], rows);
	const known = rows.filter(c => number(c) !== null), better = field.is_ratio || field.is_more_better ? d3.max : d3.min;
	const best = better(known, number);
	svg.append('text').attr('x', 4).attr('y', 12).text(y_axis.title);
	rows.forEach(c => {
		const x = left + wide * x_axis.values.indexOf(c.x), y = 20 + high * y_axis.values.indexOf(c.y), v = number(c);
		svg.append('rect').attr('x', x + 1).attr('y', y + 1).attr('width', wide - 2).attr('height', high - 2)
			.attr('fill', v === null ? 'none' : color.of(v)).attr('stroke', v === best ? '#000' : v === null ? '#999' : 'none')
			.attr('stroke-width', v === best ? 2 : 1).attr('stroke-dasharray', v === null ? '3 3' : null).append('title')
			.text(`${x_axis.title} ${x_axis.show(c.x)}, ${y_axis.title} ${y_axis.show(c.y)}: ` + (v === null
				? c.run ? state_of(c.run) || 'no value' : 'not in the sweep' : `${plain(v)} ${field.unit}`));
		if (is_wide) svg.append('text').attr('x', x + wide / 2).attr('y', y + high / 2 + 4).attr('text-anchor', 'middle')
			.attr('style', v === null ? null : 'fill:#000').text(v === null ? '-' : brief(v));
	});
	y_axis.values.forEach((v, i) => svg.append('text').attr('x', left - 6).attr('y', 20 + high * (i + .5) + 4).attr('text-anchor', 'end').text(y_axis.show(v)));
	x_axis.values.forEach((v, i) => i % every || svg.append('text').attr('x', left + wide * (i + .5)).attr('y', height + 12).attr('text-anchor', 'middle').text(x_axis.show(v)));
	svg.append('text').attr('x', width - 4).attr('y', height + 30).attr('text-anchor', 'end').text(x_axis.title);
	finish([...color.legend.map(v => [`${brief(v)} ${field.unit}`.trim(), color.of(v)]), ...(known.length ? [['framed: the best', null]] : [])]);
}

/* A line for each machine over the one axis, or over one axis of points that are no grid. */
function axis_lines(parent, title, axis, groups, field, is_line) {
	const rows = groups.flatMap(g => g.runs.filter(r => has_value(r, field) && axis.of(r) !== undefined)
		.map(r => ({label: g.label, color: g.color, x: axis.scaled(axis.of(r)), y: field.of(r), best: r.is_pareto})));
	if (!rows.length) return;
	const columns = [{name: 'machine', value: p => p.label}, {name: axis.title, value: p => p.x}, {name: field.title, value: p => p.y}];
	const width = Math.min(is_line ? 520 : 420, room()), height = 220, left = 60, right = width - 20;
	const {svg, finish} = figure(parent, title, width, height + 40, columns, rows);
	const ends = d3.extent(rows, p => p.x), has_factor = axis.is_number && ends[0] > 0 && ends[1] / ends[0] >= 8;
	const x = !axis.is_number ? d3.scaleBand(axis.values, [left, right]).padding(.4)
		: (has_factor ? d3.scaleLog : d3.scaleLinear)(ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends, [left + 10, right - 10]);
	const at = v => axis.is_number ? x(v) : x(v) + x.bandwidth() / 2;
	const y = d3.scaleLinear([0, d3.max(rows, p => p.y) || 1], [height, 20]).nice();
	const ticks = axis.values.length <= 8 && is_line ? d3.axisBottom(x).tickValues(axis.values.map(axis.scaled)).tickFormat(axis.is_number ? plain : String)
		: d3.axisBottom(x).ticks(5).tickFormat(axis.is_number ? plain : String);
	svg.append('g').attr('transform', `translate(0,${height})`).call(ticks);
	svg.append('g').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).ticks(4).tickFormat(plain));
	if (field.is_ratio) svg.append('line').attr('x1', left).attr('x2', right).attr('y1', y(1)).attr('y2', y(1)).attr('stroke', '#888').attr('stroke-dasharray', '4 3');
	for (const g of groups) {
		const own = rows.filter(p => p.label === g.label);
		if (is_line && axis.is_number && own.length > 1) svg.append('path').attr('fill', 'none').attr('stroke', g.color).attr('stroke-width', 2)
			.attr('stroke-dasharray', g.dash).attr('d', d3.line(p => at(p.x), p => y(p.y))(own.slice().sort((a, b) => a.x - b.x)));
		for (const p of own) svg.append('circle').attr('cx', at(p.x)).attr('cy', y(p.y)).attr('r', 4).attr('fill', g.color).append('title')
			.text(`${p.label}, ${axis.title} ${typeof p.x === 'number' ? plain(p.x) : p.x}: ${plain(p.y)} ${field.unit}`);
	}
	svg.append('text').attr('x', right).attr('y', height + 34).attr('text-anchor', 'end').text(axis.title);
	svg.append('text').attr('x', left + 6).attr('y', 12).text(field.title);
	finish(groups.map(g => [g.label, g.color]));
}

/* Two fields against each other, with what no other run beats. */
function front(parent, title, fx, fy, groups) {
	const rows = groups.flatMap(g => g.runs.filter(r => has_value(r, fx) && has_value(r, fy))
		.map(r => ({label: g.label, color: g.color, x: fx.of(r), y: fy.of(r), best: r.is_pareto, settings: settings_of(r)})));
	if (rows.length < 2) return;
	const width = Math.min(700, room()), height = 300, left = 60, right = width - 20;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'machine', value: p => p.label}, {name: 'settings', value: p => p.settings},
		{name: fx.title, value: p => p.x}, {name: fy.title, value: p => p.y}, {name: 'front', value: p => p.best ? '*' : ''}], rows);
	const x = d3.scaleLinear([0, d3.max(rows, p => p.x)], [left, right]).nice(), y = d3.scaleLinear([0, d3.max(rows, p => p.y)], [height, 20]).nice();
	axes_at(svg, x, y, height, left, right, fx.title, fy.title);
	for (const p of rows) svg.append('circle').attr('cx', x(p.x)).attr('cy', y(p.y)).attr('r', p.best ? 6 : 3.5).attr('fill', p.best ? p.color : 'none')
		.attr('stroke', p.color).attr('stroke-width', 1.5).append('title').text(`${p.label}, ${p.settings}: ${plain(p.x)} ${fx.unit}, ${plain(p.y)} ${fy.unit}`);
	finish([...groups.map(g => [g.label, g.color]), ['filled: no other run beats it', null]]);
}

function axes_at(svg, x, y, height, left, right, x_name, y_name) {
	svg.append('g').attr('transform', `translate(0,${height})`).call(d3.axisBottom(x).ticks(5).tickFormat(plain));
	svg.append('g').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).ticks(4).tickFormat(plain));
	svg.append('text').attr('x', right).attr('y', height + 34).attr('text-anchor', 'end').text(x_name);
	svg.append('text').attr('x', left + 6).attr('y', 12).text(y_name);
}

const settings_of = r => r.run || Object.entries(r.settings).map(([k, v]) => `${k}=${v}`).join(' ');
const dashes = [null, '7 3', '2 3', '9 3 2 3', '4 2'];

/* Values of the axes that a drawing does not have: a group of runs for each combination, which are at most so many. */
const PANELS = 24;
function panels_of(runs_here, rest) {
	const by = new Map();
	for (const r of runs_here) {
		const name = rest.map(a => `${a.title} ${a.show(a.of(r))}`).join(', ');
		by.set(name, [...(by.get(name) || []), r]);
	}
	return [...by];
}

/* The best of a program's runs in words: which gains most over the first machine or point, and which is best by itself. */
function verdict_of(own, fields, all_axes) {
	const objective = fields.find(f => !f.is_ratio), ratio = fields.find(f => f.is_ratio);
	const at = r => `${r.machine}${r.run ? ', ' + r.run : ''}${all_axes.filter(a => a.of(r) !== undefined && a.values.length > 1)
		.map(a => `, ${a.name} ${a.show(a.of(r))}${a.unit ? ' ' + a.unit : ''}`).join('')}`;
	const best_of = (field, is_more) => own.filter(r => has_value(r, field))
		.reduce((a, b) => !a || (is_more ? field.of(b) > field.of(a) : field.of(b) < field.of(a)) ? b : a, null);
	const best = objective && best_of(objective, objective.is_more_better), gain = ratio && best_of(ratio, true);
	if (!best) return 'No run is verified.';
	const is_machines = own.some(r => r.machine !== own[0].machine);
	return `Best in ${objective.title.replace(/,.*/, '')}: ${at(best)}: ${plain(objective.of(best))} ${objective.unit}.` + (!gain ? '' :
		gain.speedup > 1 ? ` Largest speed-up: ${at(gain)}: ${brief(gain.speedup)} over ${is_machines ? own[0].machine + ' there' : 'the first point'}.`
		: ` Nothing is faster than ${is_machines ? own[0].machine : 'the first point'}.`);
}

function sweep_program(s, sweep, own, all_axes, fields, title) {
	const machines = [...new Set(own.map(r => r.machine))];
	const groups = machines.map((m, i) => ({label: m, color: d3.schemeTableau10[i % 10], dash: dashes[i % dashes.length], runs: own.filter(r => r.machine === m)}));
	const points = new Set(own.map(r => r.point)).size, moving = all_axes.filter(a => a.values.length > 1);
	const is_grid = moving.length && moving.reduce((n, a) => n * a.values.length, 1) === points;
	const of = (field, more) => [title, field.title, more].filter(t => t).join(', ');
	if (is_grid && moving.length > 1) {
		/* The two axes with most values are drawn; the later one of the file goes across. */
		const drawn = moving.slice().sort((a, b) => b.values.length - a.values.length).slice(0, 2);
		const [y_axis, x_axis] = moving.filter(a => drawn.includes(a)), rest = moving.filter(a => !drawn.includes(a));
		for (const field of fields) {
			const values = own.filter(r => has_value(r, field)).map(field.of);
			if (!values.length) continue;
			const box = node(s, 'div', null, {class: 'panels'}), color = color_of(field, values);
			const panels = groups.flatMap(g => panels_of(g.runs, rest).map(([name, list]) => [[g.label, name].filter(t => t).join(', '), list]));
			for (const [name, list] of panels.slice(0, PANELS))
				if (!field.is_ratio || machines.length === 1 || list.some(r => r.machine !== machines[0])) heat_map(box, of(field, name), x_axis, y_axis, list, field, color);
			if (panels.length > PANELS) node(s, 'p', `${PANELS} of ${panels.length} panels; the table has all.`, {class: 'soft'});
		}
	} else if (moving.length) {
		for (const axis of moving) {
			const box = node(s, 'div', null, {class: 'panels'});
			for (const field of fields) axis_lines(box, of(field, moving.length > 1 ? 'over ' + axis.name : ''), axis, groups, field, is_grid);
		}
	}
	const objectives = fields.filter(f => !f.is_ratio);
	if (!moving.length) for (const field of fields) {
		const rows = own.filter(r => has_value(r, field)).map(r => ({label: `${r.machine} ${settings_of(r)}`.slice(0, 44), value: field.of(r)}));
		if (rows.length) bars(s, of(field), field.unit, rows);
	}
	if (objectives.length > 1) front(s, [title, `${objectives[1].title.replace(/,.*/, '')} against ${objectives[0].title.replace(/,.*/, '')}`]
		.filter(t => t).join(': '), objectives[0], objectives[1], groups);
}

function sweeps() {
	data.sweeps.forEach((sweep, i) => {
		const programs = [...new Set(sweep.runs.map(work_of))], fields = fields_of(sweep);
		const keys = [...new Set([...sweep.axes, ...sweep.runs.flatMap(r => Object.keys(r.settings))])];
		const all_axes = keys.map(k => axis_of(sweep, k)), done = sweep.runs.filter(r => r.done).length;
		const s = section('sweep' + (i || ''), `Sweep ${sweep.sweep}`, `${done} of ${sweep.runs.length} runs are done` +
			(fields[0] && fields[0].is_ratio ? '. Speed-up is over the first machine at the same point, or, of one machine, over the first point.' : '.'));
		for (const program of programs) {
			const own = sweep.runs.filter(r => work_of(r) === program), title = programs.length > 1 || program !== '-' ? program : '';
			if (programs.length > 1) node(s, 'h3', program);
			if (fields.length) node(s, 'p', verdict_of(own, fields, all_axes));
			sweep_program(s, sweep, own, all_axes, fields, title);
		}
		table(s, [{name: 'point', value: r => r.point}, {name: 'machine', value: r => r.machine}, {name: 'program', value: work_of},
			...(sweep.runs.some(r => r.run) ? [{name: 'run', value: r => r.run}] : []),
			...all_axes.map(a => ({name: a.title, value: r => a.of(r) === undefined ? null : a.scaled(a.of(r))})),
			...fields.map(f => ({name: f.title, value: f.of})), {name: 'front', value: r => r.is_pareto ? '*' : ''},
			{name: 'state', value: state_of}], sweep.runs, {name: 'sweep ' + sweep.sweep, search: true});
	});
}

/* ---- sections ---- */

function head() {
	const programs = [...new Set([...runs.map(program_of), ...data.sweeps.map(s => 'sweep ' + s.sweep)])];
	const count = (n, what) => n ? [`${n} ${what}${n > 1 ? 's' : ''}`] : [];
	node(main, 'h1', programs.join(', '));
	node(main, 'p', `${[...count(runs.length, 'run'), ...count(data.sweeps.length, 'sweep')].join(', ')}; made by strata ${data.version}`, {class: 'soft'});
	const bad = runs.filter(r => !r.result.verified);
	for (const r of bad) node(main, 'p', `${r.label}: NOT VERIFIED: ${r.result.not_verified || ''}`, {class: 'bad'});
	for (const text of data.left_out) node(main, 'p', text, {class: 'bad'});
	return node(main, 'nav', null, {'aria-label': 'sections'});
}

function overview() {
	const has_kernels = runs.some(r => r.result.program);
	const s = section('overview', 'Overview', works.length > 1 ? 'Speed-up and energy ratio are over the first verified run of the ' +
		'same program with the same arguments.' : '');
	table(s, [
		{name: 'run', value: r => r.label},
		{name: 'verified', value: r => r.result.verified ? 'yes' : 'NO'},
		{name: has_kernels ? 'kernels us' : 'time us', value: r => us(r.result.time_ps)},
		{name: 'speed-up', value: r => r.speedup},
		{name: 'program us', value: r => us(r.result.total_time_ps)},
		{name: 'IPC', value: r => r.result.ipc},
		{name: 'energy mJ', value: r => scaled(r.result.energy_total_pj, 1e9)},
		{name: 'energy ratio', value: r => r.energy_ratio},
		{name: 'energy of', value: r => r.energy_scope},
		{name: 'commit', value: r => r.result.source_commit},
		{name: 'date', value: r => r.result.date},
	], runs, {name: 'overview'});
	per_program(runs, has_kernels ? 'time of the kernels' : 'measured time', (own, title) =>
		bars(s, title, 'us', own.map(r => ({label: r.label, value: us(r.result.time_ps), color: r.color}))));
}

/* Bars of [{label, parts: {name: value}}], with all names that occur. */
function stacked_parts(parent, title, unit, list) {
	const names = [...new Set(list.flatMap(l => Object.keys(l.parts)))];
	if (list.length) stacked(parent, title, unit, list, names, (l, name) => l.parts[name] || 0, true);
}

/* Whose time there is an account of, in one unit of time: a drawing of all runs for each who. */
function account_of(parent, all, who, unit) {
	const is_time = unit === 'ps', scale = is_time ? 1e6 : 1, shown = is_time ? 'us' : unit;
	stacked_parts(parent, `${is_time ? 'time' : unit} of ${who}`, shown, all.filter(a => a.who === who && a.unit === unit && a.whole > 0)
		.map(a => ({label: a.label, parts: {...Object.fromEntries(a.parts.map(p => [p.what, p.amount / scale])),
			unaccounted: Math.max(0, a.unaccounted / scale)}})));
}

/* What units spent their time on (report/accounts.h), and what they waited for. */
function accounts(parent) {
	const all = runs.filter(r => r.why).flatMap(r => r.why.accounts.map(a => ({...a, label: r.label})));
	for (const key of new Set(all.map(a => JSON.stringify([a.who, a.unit])))) account_of(parent, all, ...JSON.parse(key));
	for (const r of runs.filter(o => o.why))
		for (const b of r.why.behind.filter(o => o.rows.some(row => row.amount > 0)))
			stacked(parent, `${r.label}: ${b.title}`, 'us', b.rows.map(row => ({label: `${b.name} ${row[b.name]}`, row})),
				Object.keys(b.rows[0].by), (c, who) => us(c.row.by[who]), false);
}

function why() {
	const all = runs.filter(r => r.why);
	if (!all.length) return;
	const s = section('why', 'Where the time goes', 'All time that there is an account of has one reason; bounds are what a ' +
		'resource alone needs at its full rate.');
	accounts(s);
	const programs = all.filter(r => r.why.program);
	if (programs.length) stacked(s, 'the program', 'us', programs, ['kernels', 'copies', 'idle'],
		(r, p) => us(r.why.program[p + '_ps'] || 0), false);
	for (const r of all) {
		bars(s, `${r.label}: least time by resource, and the whole`, 'us', [
			{label: 'the whole', value: us(r.result.time_ps), color: '#888'},
			...r.why.bounds.map(b => ({label: b.name, value: us(b.least_ps), color: r.color}))]);
		node(s, 'h3', r.label);
		const list = node(s, 'ul', null, {class: 'findings'});
		for (const f of r.why.findings) node(list, 'li', f);
	}
}

function roofs() {
	const all = runs.filter(r => r.why), list = all.filter(r => r.why.roofline && r.why.roofline.kernels.length);
	if (!list.length) return;
	const s = section('roofs', 'Roofs', 'A point is a kernel, or a program, as measured, against one kind of the bytes that it moves; the line up ' +
		'leads to what this roof would allow. Dashes: the lowest of the kernel\'s own roofs of issue and units.');
	for (const r of list) roofline(s, r);
	const without = all.filter(r => !r.why.roofline);
	if (without.length) node(s, 'p', `Without an account of instructions (run.account), so without roofs: ` +
		without.map(r => r.label).join(', '), {class: 'soft'});
}

function traffic() {
	if (runs.every(r => !r.result.traffic_bytes && !r.result.channels)) return;
	const s = section('traffic', 'Traffic');
	/* DRAM is reads and writes, or, of a memory that is a rate, both together. */
	const of = r => {
		const all = {...(r.result.traffic_bytes || r.result.channels || {})};
		if (typeof all.dram_read === 'number') delete all.dram;
		return all;
	};
	const parts = [...new Set(runs.flatMap(r => Object.keys(of(r))))];
	per_program(runs, 'bytes moved', (own, title) => stacked(s, title, 'MB', own, parts, (r, p) => scaled(of(r)[p], 1e6), false));
	for (const r of runs) picture(s, r);
}

function energy() {
	const list = runs.filter(r => r.result.energy_total_pj > 0);
	if (!list.length) return;
	const parts = [...new Set(list.flatMap(r => Object.keys(r.result.energy_pj)))];
	const s = section('energy', 'Energy'), scopes = [...new Set(list.map(r => r.energy_scope))];
	if (scopes.length > 1 || list.some(r => (r.result.energy_not_counted || []).length))
		for (const r of list) node(s, 'p', `${r.label}: of ${r.energy_scope || 'parts that its results do not name'}`, {class: 'soft'});
	per_program(list, 'energy by part', (own, title) =>
		stacked(s, title, 'mJ', own, parts, (r, p) => scaled(r.result.energy_pj[p], 1e9), false));
}

function latency() {
	const rows = runs.flatMap(r => Object.entries(r.result.stats || {})
		.filter(([name, v]) => v && typeof v === 'object' && v.count > 0 && /latency_ps$/.test(name))
		.map(([name, v]) => ({label: `${name.replace(/_latency_ps$/, '')}${runs.length > 1 ? ', ' + r.label : ''}`, color: r.color,
			points: {p50: v.p50 / 1e3, p90: v.p90 / 1e3, p99: v.p99 / 1e3, max: v.max / 1e3}})));
	if (!rows.length) return;
	const s = section('latency', 'Latency', 'Median, 90th and 99th percentile, and the longest; larger dots are later. ' +
		'Below, of each kind of request the share that took so long.');
	dots(s, 'latency of requests', 'ns', rows, ['p50', 'p90', 'p99', 'max']);
	const kinds = [...new Set(runs.flatMap(r => Object.keys(r.result.distributions || {})))].filter(n => /latency_ps$/.test(n));
	for (const kind of kinds) distribution(s, kind.replace(/_latency_ps$/, '').replace(/_/g, ' ') + ', how long requests took',
		'ns', runs.filter(r => (r.result.distributions || {})[kind]).map(r => ({label: r.label, color: r.color,
			...r.result.distributions[kind]})), 1e3);
}

/* A series of all runs that have it, as their parts' rows say (SERIES of sim/explain.h). A value holds to the end of its
 * stretch, and nothing is known of the time to the next one. */
function sampled(parent, title, unit) {
	const list = runs.map(r => {
		const own = r.series.find(o => o.title === title && o.unit === unit), s = r.result.samples;
		const points = own ? own.values.flatMap((value, i) => {
			const begin = [us(s.start_ps[i]), value], end = s.end_ps[i];
			return s.start_ps[i + 1] === end ? [begin] : [begin, [us(end), value], [us(end), 0]];
		}) : [];
		return {label: r.label, color: r.color, points: points.filter(p => Number.isFinite(p[1]))};
	}).filter(l => l.points.some(p => p[1] !== 0));
	if (list.length) lines(parent, title, 'us', unit, list);
}

/* What has parts, as a map of parts by time, darker where there was more; columns are as long as there is room for. */
const HEAT_COLUMNS = 200;
function heat(parent, r, title, names) {
	const all = (r.result.samples || {}).parts || {}, has = names.filter(n => all[n]);
	if (!has.length) return;
	const s = r.result.samples, kind = all[has[0]].part, parts = all[has[0]].values.map((v, i) => kind + ' ' + i);
	const first = s.start_ps[0], step = (s.end_ps[s.end_ps.length - 1] - first) / HEAT_COLUMNS;
	const bytes = parts.map(() => new Array(HEAT_COLUMNS).fill(0));
	s.start_ps.forEach((start, i) => parts.forEach((p, k) => {
		/* A row's bytes go to the columns that it lies in. */
		const amount = d3.sum(has, n => all[n].values[k][i]), length = s.end_ps[i] - start;
		for (let c = Math.floor((start - first) / step); c < HEAT_COLUMNS && first + c * step < s.end_ps[i]; c++)
			bytes[k][c] += amount * (Math.min(s.end_ps[i], first + (c + 1) * step) - Math.max(start, first + c * step)) / length;
	}));
	const cells = parts.flatMap((p, k) => bytes[k].map((b, c) => ({part: p, from: us(first + c * step), value: b / step * 1e3})));
	const most = d3.max(cells, c => c.value);
	if (!(most > 0)) return;
	const width = 900, height = Math.max(40, 16 * parts.length), left = left_of(parts);
	const {svg, finish} = figure(parent, `${r.label}: ${title}, GB/s, at most ${brief(most)}`, width, height + 40,
		[{name: kind, value: c => c.part}, {name: 'from us', value: c => c.from}, {name: 'GB/s', value: c => c.value}], cells);
	const x = d3.scaleLinear([us(first), us(first + HEAT_COLUMNS * step)], [left, width - 20]), y = d3.scaleBand(parts, [0, height]).padding(.08);
	svg.selectAll('rect').data(cells.filter(c => c.value > 0)).join('rect').attr('x', c => x(c.from)).attr('y', c => y(c.part))
		.attr('width', (width - 20 - left) / HEAT_COLUMNS + .2).attr('height', y.bandwidth()).attr('fill', r.color)
		.attr('fill-opacity', c => c.value / most);
	axes(svg, x, y, height, left, '~s', 'us');
	finish();
}

function over_time() {
	const series = [...new Set(runs.flatMap(r => Object.keys(r.result.series || {})))];
	if (!series.length && runs.every(r => !(r.result.timeline || []).length && !r.result.samples)) return;
	const s = section('time', 'Over time');
	for (const r of runs.filter(o => o.result.timeline)) timeline(s, r);
	const drawn = new Map(runs.flatMap(r => r.series.map(o => [o.title + o.unit, o])));
	for (const o of drawn.values()) sampled(s, o.title, o.unit);
	for (const r of runs) for (const m of r.maps) heat(s, r, m.title, m.counts);
	for (const name of series) lines(s, name, 'number', name, runs.filter(r => (r.result.series || {})[name]).map(r => ({label: r.label,
		color: r.color, points: r.result.series[name].map((v, i) => [i, v]).filter(p => typeof p[1] === 'number')})));
}

function ctas() {
	const list = runs.filter(r => Object.keys(r.result.cta_times || {}).length);
	if (!list.length) return;
	lines(section('ctas', 'Thread blocks'), 'how long CTAs took', 'cycles', 'CTAs', list.map(r => ({label: r.label, color: r.color,
		points: Object.entries(r.result.cta_times).map(([c, n]) => [+c, n]).sort((a, b) => a[0] - b[0])})));
}

function kernels() {
	const rows = runs.flatMap(r => (r.result.kernel_sums || []).map(k => ({...k, run: r.label})));
	if (!rows.length) return;
	/* What no run counts has no column; bytes that never were have none either, but of links to the memory and DRAM. */
	const ways = [['TX MB', 'tx', 0], ['RX MB', 'rx', 0], ['stack to stack MB', 'stack_to_stack', 1], ['link MB', 'link', 1],
		['DRAM MB', 'dram', 0]].filter(w => rows.some(k => k.traffic_bytes && k.traffic_bytes[w[1]] >= w[2]));
	const caches = [['L1 hits %', 'l1'], ['L2 hits %', 'l2'], ['cache hits %', 'cache']].filter(c => rows.some(k => k[c[1]]));
	const percent = c => c && c.accesses ? 100 * c.hits / c.accesses : null;
	table(section('kernels', 'Kernels'), [
		{name: 'run', value: k => k.run}, {name: 'kernel', value: k => k.title || k.name}, {name: 'launches', value: k => k.launches},
		{name: 'us', value: k => us(k.time_ps)}, {name: 'cycles', value: k => k.cycles},
		{name: 'warp instructions', value: k => k.warp_instructions}, {name: 'CTAs', value: k => k.cta_count},
		...ways.map(w => ({name: w[0], value: k => scaled((k.traffic_bytes || {})[w[1]], 1e6)})),
		...caches.map(c => ({name: c[0], value: k => percent(k[c[1]])})),
		...(rows.some(k => typeof k.energy_total_pj === 'number') ? [{name: 'mJ', value: k => scaled(k.energy_total_pj, 1e9)}] : []),
	], rows, {name: 'kernels', search: true});
}

/* Values by name, a column per run; rows that differ are marked. */
function by_name(id, title, key) {
	const names = [...new Set(runs.flatMap(r => Object.keys(r.result[key] || {})))];
	const of = (r, n) => {
		const v = (r.result[key] || {})[n];
		return v && typeof v === 'object' ? v.count ? `${v.count} of ${plain(v.sum / v.count)}, p99 ${plain(v.p99)}` : 'none' : v;
	};
	if (!names.length) return;
	table(section(id, title, runs.length > 1 ? 'Rows in which the runs differ are marked.' : ''), [
		{name: 'name', value: n => n}, ...runs.map(r => ({name: r.label, value: n => of(r, n)})),
		{name: 'unit', value: n => (runs.find(r => (r.result.units || {})[n]) || {result: {units: {}}}).result.units[n]},
	], names, {name: title, search: true, differs: n => runs.some(r => shown(of(r, n)) !== shown(of(runs[0], n)))});
}

const nav = head();
sweeps();
if (runs.length) overview();
why();
roofs();
traffic();
energy();
latency();
over_time();
ctas();
kernels();
by_name('parameters', 'Parameters', 'params');
by_name('statistics', 'Statistics', 'stats');
for (const [id, title] of sections) node(nav, 'a', title, {href: '#' + id});
console.info(`DRAWN ${document.querySelectorAll('svg').length} charts, ${document.querySelectorAll('table').length} tables`);
})();
