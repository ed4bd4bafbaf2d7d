/* pieces.js - what a page is made of: the data, tables, drawings with their legend, their SVG and their numbers. The
 * scripts of this folder are one function, in the order pieces, charts, time, sweeps, report. */
/* Thirty colours that differ, the ones that are told apart best first: a drawing has no two parts of one. */
const palette = [...d3.schemeTableau10, '#1b3a5c', '#a0cbe8', '#8c510a', '#ffbe7d', '#01665e', '#9edae5', '#7f0000', '#f7b6d2', '#1b5e20',
	'#b5cf6b', '#4a148c', '#c5b0d5', '#8d6e00', '#dbdb8d', '#ad1457', '#d9d9d9', '#3e2723', '#c49c94', '#5c6bc0', '#006064'];
/* Of what a drawing's axis names: a hue there would mean nothing. */
const neutral = '#7b8ba3';
const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.runs.map((r, i) => ({...r, label: label(r, i), color: palette[i % palette.length]}));
const main = document.querySelector('main');
/* Room for a drawing, so that it is not scaled down on a narrow screen, and leaves nothing empty on a wide one. */
const room = () => Math.max(260, Math.min(1140, main.clientWidth - 30));
/* What is not there, or not counted, stays so: it is no 0. */
const scaled = (v, by) => typeof v === 'number' ? v / by : null;
const us = ps => scaled(ps, 1e6);

/* A time as people read it. */
function time_of(ps) {
	const [by, unit] = ps >= 1e12 ? [1e12, 's'] : ps >= 1e9 ? [1e9, 'ms'] : ps >= 1e6 ? [1e6, 'us'] : [1e3, 'ns'];
	return d3.format('.4~r')(ps / by) + ' ' + unit;
}

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

