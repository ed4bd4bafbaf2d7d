/* controls.js - put behind a report's own script by the test: what keys and screen readers need. Says "CONTROLS n" when all
 * is right, and a line "WRONG ..." for what is not. */
'use strict';
(async () => {
const wrong = text => console.info('WRONG ' + text);
const check = (is, text) => is || wrong(text);
const name = e => (e.getAttribute('aria-label') || e.textContent).trim();
const words = e => `${e.tagName.toLowerCase()} "${name(e).slice(0, 40)}"`;

document.querySelectorAll('details').forEach(d => { d.open = true; });
const all = [...document.querySelectorAll('a[href], button, summary, input, [tabindex]')];
for (const e of all) {
	e.focus();
	check(document.activeElement === e, `${words(e)} takes no focus`);
	check(name(e), `${e.outerHTML.slice(0, 60)} has no name`);
	check(e.tabIndex <= 0, `${words(e)} is out of the page's order`);
}
for (const a of document.querySelectorAll('nav a')) check(document.querySelector(a.hash), `${words(a)} leads nowhere`);
for (const region of document.querySelectorAll('[role=region], nav, section'))
	check(region.hasAttribute('aria-label') || document.getElementById(region.getAttribute('aria-labelledby')), 'a region has no name');
for (const svg of document.querySelectorAll('svg'))
	check(svg.getAttribute('role') === 'img' && svg.getAttribute('aria-label'), 'a drawing has no name');
check(document.documentElement.lang === 'en' && document.title, 'the page has no language or no title');
check(document.querySelectorAll('main').length === 1 && document.querySelectorAll('h1').length === 1, 'not one main part and title');
let level = 0;
for (const h of document.querySelectorAll('h1, h2, h3, h4')) {
	check(+h.tagName[1] <= level + 1, `${words(h)} skips a level`);
	level = +h.tagName[1];
}

/* A column is sorted both ways by its button, and says so. */
const parameters = document.querySelector('#parameters'), head = parameters.querySelector('th');
const names = () => [...parameters.querySelectorAll('tbody tr')].map(r => r.cells[0].textContent.replace('\u2260 ', ''));
head.firstChild.click();
check(head.getAttribute('aria-sort') === 'ascending', 'a sorted column does not say it');
const up = names();
head.firstChild.click();
check(head.getAttribute('aria-sort') === 'descending' && up.length > 100, 'a column is not sorted the other way');
check(up.join() === names().reverse().join() && up[0].localeCompare(up[1]) < 0, 'rows are not in the order of the column');

/* Searching leaves what was searched for; what differs is said in words, not by colour alone. */
const search = parameters.querySelector('input');
search.value = 'bytes';
search.dispatchEvent(new Event('input'));
check(names().length > 2 && names().length < up.length, 'searching leaves all, or nothing');
search.value = '';
search.dispatchEvent(new Event('input'));
const marked = [...parameters.querySelectorAll('.differs')];
check(marked.length > 0 && marked.length < up.length, 'the parameters that differ are not marked');
for (const row of marked) check(row.cells[0].textContent.startsWith('\u2260'), 'a mark is a colour only');
for (const row of parameters.querySelectorAll('tbody tr')) {
	const values = [...row.cells].slice(1, -1).map(c => c.textContent);
	check(row.classList.contains('differs') === new Set(values).size > 1, `${row.cells[0].textContent}: the mark is wrong`);
}

/* Kernels under their roofs: the longest kernels' points, each below the end of its line; all kernels in the table. */
const roofs = document.querySelector('#roofs');
let rows = [];
const look_at = (figure, line) => {
	const kinds = kind => new Set(line.roofs.filter(f => f.kind === kind).map(f => f.name)), bytes = kinds('bytes'), units = kinds('units');
	const kernels = line.kernels.slice(0, 8), shown = kernels.flatMap(k => k.roofs.filter(f => bytes.has(f.name)));
	const dots = [...figure.querySelectorAll('circle')], up_lines = [...figure.querySelectorAll('.headroom')];
	check(dots.length > 1 && dots.length === shown.length && dots.length === up_lines.length, 'not a point for each kind of bytes');
	dots.forEach((dot, i) => check(dot.getAttribute('cx') === up_lines[i].getAttribute('x1') &&
		+up_lines[i].getAttribute('y2') <= +dot.getAttribute('cy'), 'a kernel is above its roof'));
	/* On log axes the line's length is by how much the roof allows more: the same scale for all. */
	const most = line.lanes ? line.lanes * line.roofs.find(f => f.name === 'issue').per_s
		: Math.max(...kernels.map(k => k.roofs.find(f => units.has(f.name)).per_s));
	const more = shown.map(f => Math.log(Math.min(f.per_s, most) / line.kernels.find(k => k.roofs.includes(f)).per_s));
	const scales = dots.map((dot, i) => (+dot.getAttribute('cy') - up_lines[i].getAttribute('y2')) / more[i])
		.filter((scale, i) => more[i] > .01);
	check(Math.max(...scales) / Math.min(...scales) < 1.001, 'points and roofs are not where they are measured');
	rows = [...figure.querySelectorAll('tbody tr')];
	check(rows.length === line.kernels.reduce((n, k) => n + k.roofs.length, 0), 'the table has not each kernel and roof');
	check(rows.every(row => +row.cells[6].textContent <= 1 && +row.cells[6].textContent > 0), 'a share of a roof is above it');
};
const look_at_roofs = () => {
	const why = JSON.parse(document.getElementById('data').textContent).runs.map(r => r.why);
	const lines = why.map(w => w.roofline).filter(l => l), figures = [...roofs.querySelectorAll('figure')];
	check(lines.length > 0 && figures.length === lines.length, 'not a drawing for each machine with roofs');
	/* The first one last: its rows are compared with what is saved. */
	for (let i = figures.length; i--;) look_at(figures[i], lines[i]);
	check(roofs.textContent.includes('so without roofs') === why.some(w => !w.roofline), 'runs without roofs are not named');
};
check(!!roofs === location.search.includes('roofs'), 'roofs without an account, or none with one');
if (roofs) look_at_roofs();

/* Drawings are as wide as there is room, so that no text is scaled; and no two parts of one have one colour. */
const wide = [...document.querySelectorAll('figure > svg')].filter(e => !e.closest('.panels'));
for (const e of wide) check(e.getBoundingClientRect().width > e.getAttribute('width') - 20, `${words(e)} is scaled`);
for (const legend of document.querySelectorAll('.legend')) {
	const colors = [...legend.querySelectorAll('i')].map(i => i.style.background);
	check(new Set(colors).size === colors.length, `two of ${legend.textContent.slice(0, 40)} have one colour`);
}

/* Drawings over one time move together, by keys too, and come back. */
for (const bar of document.querySelectorAll('#time [role=group]')) {
	const group = bar.getAttribute('aria-label').split(':')[0], button = what => bar.querySelector(`[aria-label="${group}: ${what}"]`);
	const scales = () => [...document.querySelectorAll('#time g[clip-path] > g')]
		.map(g => (+/scale\(([-+.e0-9]+)/.exec(g.getAttribute('transform') || 'scale(1')[1]).toFixed(6)).join();
	const ticks = () => [...document.querySelectorAll('#time .tick text')].map(e => e.textContent).join();
	const before = [scales(), ticks()];
	button('zoom in').click();
	const zoomed = [scales(), ticks()];
	check(zoomed[0] !== before[0] && zoomed[1] !== before[1], `${group}: nothing is zoomed`);
	button('later').click();
	check(scales() === zoomed[0] && ticks() !== zoomed[1], `${group}: moving zooms, or does not move`);
	button('all of it').click();
	check(ticks() === before[1], `${group}: does not come back`);
}
const drawing_over_time = document.querySelector('#time figure > svg[role=img]');
if (drawing_over_time && document.querySelector('#time [role=group]')) {
	const box = drawing_over_time.getBoundingClientRect();
	drawing_over_time.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width / 2, clientY: box.top + 5}));
	check(/^at [0-9.]+ us: /.test(document.querySelector('#time output').textContent), 'the pointer says nothing');
}

/* What is saved: a line per row, and a drawing that is well-formed by itself. */
const saved = [];
URL.createObjectURL = blob => { saved.push(blob); return 'blob:'; };
HTMLAnchorElement.prototype.click = () => {};
const press = (where, label) => [...where.querySelectorAll('button')].find(b => b.textContent === label).click();
press(parameters, 'CSV');
press(document.querySelector('figure'), 'SVG');
if (roofs) press(roofs, 'CSV');
const [csv, svg, roofs_csv] = await Promise.all(saved.map(b => b.text()));
check(csv.trim().split('\n').length === up.length + 1, 'the CSV has not a line for each row');
check(!roofs || roofs_csv.trim().split('\n').length === rows.length + 1, 'the CSV of roofs has not a line for each row');
const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml');
check(drawing.documentElement.tagName === 'svg' && !drawing.querySelector('parsererror'), 'the saved drawing is no SVG');
console.info('CONTROLS ' + all.length);
})().catch(e => console.info('WRONG ' + e));
