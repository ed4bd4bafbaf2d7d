/* time.js - what happened when: copies and kernels, counts over time, maps of parts by time. */

/* ---- drawings over one time move together: zoom, and where the pointer is ---- */

let clips = 0;

/* The drawings of a group, from its bar of buttons on; parts of their time are in us. */
function time_group(parent, name) {
	const group = {list: [], domain: null};
	const bar = node(parent, 'div', null, {class: 'tools', role: 'group', 'aria-label': `${name}: which part of the time is shown`});
	const button = (text, what) => node(bar, 'button', text, {type: 'button', 'aria-label': `${name}: ${text}`}).addEventListener('click', what);
	/* By how much the part shown is longer, and moves, of its own length. */
	const change = (longer, by) => () => {
		const [from, to] = group.domain || whole_of(group), length = (to - from) * longer, middle = (from + to) / 2 + (to - from) * by;
		zoom(group, middle - length / 2, middle + length / 2);
	};
	button('zoom in', change(.5, 0));
	button('zoom out', change(2, 0));
	button('earlier', change(1, -.5));
	button('later', change(1, .5));
	button('all of it', () => zoom(group, ...whole_of(group)));
	group.words = node(bar, 'output', 'Drag over a drawing to see a part of the time.', {class: 'soft'});
	return group;
}

const whole_of = group => [d3.min(group.list, d => d.x.domain()[0]), d3.max(group.list, d => d.x.domain()[1])];

function zoom(group, from, to) {
	const [first, last] = whole_of(group), length = Math.min(to - from, last - first);
	if (!(length > (last - first) / 1e5)) return;
	const begin = Math.max(first, Math.min(from, last - length)), is_whole = length >= last - first;
	group.domain = is_whole ? null : [begin, begin + length];
	for (const d of group.list) {
		const [left, right] = d.x.range(), domain = group.domain || d.x.domain();
		const times = (right - left) / (d.x(domain[1]) - d.x(domain[0]));
		d.now = d.x.copy().domain(domain);
		d.marks.attr('transform', `translate(${left - times * d.x(domain[0])},0) scale(${times},1)`);
		d.move(d.now);
		d.cursor.attr('visibility', 'hidden');
	}
}

/* Where what is drawn goes: into what is cut at the drawing's ends and can be moved. value_at: what is there, in words. */
function movable(group, svg, x, height, move, value_at) {
	const id = `clip${clips += 1}`, [left, right] = x.range(), width = +svg.attr('width');
	svg.append('clipPath').attr('id', id).append('rect').attr('x', left).attr('width', right - left).attr('height', height);
	const marks = svg.append('g').attr('clip-path', `url(#${id})`).append('g');
	const cursor = svg.append('line').attr('y1', 0).attr('y2', height).attr('stroke', '#888').attr('visibility', 'hidden');
	const chosen = svg.append('rect').attr('height', height).attr('fill', '#888').attr('fill-opacity', .25).attr('visibility', 'hidden');
	const d = {x, now: x, marks, cursor, move};
	const place = e => {
		const box = svg.node().getBoundingClientRect();
		return Math.max(left, Math.min(right, (e.clientX - box.left) * width / box.width));
	};
	let begin = null;
	svg.on('pointerdown', e => { begin = place(e); }).on('pointerleave', () => { begin = null; chosen.attr('visibility', 'hidden'); })
		.on('pointermove', e => {
			const at = place(e), time = d.now.invert(at);
			for (const o of group.list) o.cursor.attr('x1', o.now(time)).attr('x2', o.now(time)).attr('visibility', 'visible');
			group.words.textContent = `at ${plain(time)} us: ${value_at(time)}`;
			if (begin !== null) chosen.attr('x', Math.min(begin, at)).attr('width', Math.abs(at - begin)).attr('visibility', 'visible');
		})
		.on('pointerup', e => {
			const at = place(e), from = begin;
			begin = null;
			chosen.attr('visibility', 'hidden');
			if (from !== null && Math.abs(at - from) > 4) zoom(group, d.now.invert(Math.min(from, at)), d.now.invert(Math.max(from, at)));
		});
	group.list.push(d);
	return marks;
}

/* Copies and kernels of the program in time, a row per kind. */
function timeline(parent, r, group) {
	const spans = (r.result.timeline || []).filter(s => s.end_ps > s.start_ps);
	if (!spans.length) return;
	const kinds = [...new Set(spans.map(s => s.kind))], width = room(), height = 26 * kinds.length + 10, left = left_of(kinds);
	const title = `${r.label}: copies and kernels`;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'kind', value: s => s.kind},
		{name: 'name', value: s => s.title || s.name}, {name: 'start us', value: s => us(s.start_ps)},
		{name: 'end us', value: s => us(s.end_ps)}], spans);
	const x = d3.scaleLinear([0, d3.max(spans, s => us(s.end_ps))], [left, width - 20]);
	const y = d3.scaleBand(kinds, [0, height]).padding(.2), color = d3.scaleOrdinal(kinds, palette);
	const there = at => spans.filter(s => us(s.start_ps) <= at && at <= us(s.end_ps)).map(s => s.title || s.name || s.kind).join(', ') || 'nothing';
	const marks = movable(group, svg, x, height, axes(svg, x, y, height, left, '~s', 'us'), there);
	marks.selectAll('rect').data(spans).join('rect').attr('x', s => x(us(s.start_ps))).attr('y', s => y(s.kind))
		.attr('width', s => Math.max(1, x(us(s.end_ps)) - x(us(s.start_ps)))).attr('height', y.bandwidth())
		.attr('fill', s => color(s.kind)).append('title').text(s => `${s.title || s.name}: ${plain(us(s.end_ps - s.start_ps))} us`);
	finish();
	if (r.result.timeline_count > r.result.timeline.length)
		node(parent, 'p', `the first ${r.result.timeline.length} of ${r.result.timeline_count}`, {class: 'soft'});
}

/* A series of all runs that have it, as their parts' rows say (SERIES of sim/explain.h). A value holds to the end of its
 * stretch, and nothing is known of the time to the next one. */
function sampled(parent, title, unit, group) {
	const list = runs.map(r => {
		const own = r.series.find(o => o.title === title && o.unit === unit), s = r.result.samples;
		const points = own ? own.values.flatMap((value, i) => {
			const begin = [us(s.start_ps[i]), value], end = s.end_ps[i];
			return s.start_ps[i + 1] === end ? [begin] : [begin, [us(end), value], [us(end), 0]];
		}) : [];
		return {label: r.label, color: r.color, points: points.filter(p => Number.isFinite(p[1]))};
	}).filter(l => l.points.some(p => p[1] !== 0));
	if (list.length) lines(parent, title, 'us', unit, list, group);
}

/* What has parts, as a map of parts by time, darker where there was more; columns are as long as there is room for. */
const HEAT_COLUMNS = 200;
function heat(parent, r, title, names, group) {
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
	const width = room(), height = Math.max(40, 16 * parts.length), left = left_of(parts);
	const {svg, finish} = figure(parent, `${r.label}: ${title}, GB/s, at most ${brief(most)}`, width, height + 40,
		[{name: kind, value: c => c.part}, {name: 'from us', value: c => c.from}, {name: 'GB/s', value: c => c.value}], cells);
	const x = d3.scaleLinear([us(first), us(first + HEAT_COLUMNS * step)], [left, width - 20]), y = d3.scaleBand(parts, [0, height]).padding(.08);
	const column = at => Math.max(0, Math.min(HEAT_COLUMNS - 1, Math.floor((at - us(first)) / us(step))));
	const marks = movable(group, svg, x, height, axes(svg, x, y, height, left, '~s', 'us'), at =>
		parts.map((p, k) => `${p} ${brief(bytes[k][column(at)] / step * 1e3)}`).join(', ') + ' GB/s');
	marks.selectAll('rect').data(cells.filter(c => c.value > 0)).join('rect').attr('x', c => x(c.from)).attr('y', c => y(c.part))
		.attr('width', (width - 20 - left) / HEAT_COLUMNS + .2).attr('height', y.bandwidth()).attr('fill', r.color)
		.attr('fill-opacity', c => c.value / most);
	finish();
}

function over_time() {
	const series = [...new Set(runs.flatMap(r => Object.keys(r.result.series || {})))];
	if (!series.length && runs.every(r => !(r.result.timeline || []).length && !r.result.samples)) return;
	const s = section('time', 'Over time');
	const programs = runs.filter(r => (r.result.timeline || []).some(o => o.end_ps > o.start_ps));
	const program = programs.length ? time_group(s, 'copies and kernels') : null;
	for (const r of programs) timeline(s, r, program);
	const counts = runs.some(r => r.result.samples) ? time_group(s, 'counts over time') : null;
	const drawn = new Map(runs.flatMap(r => r.series.map(o => [o.title + o.unit, o])));
	for (const o of drawn.values()) sampled(s, o.title, o.unit, counts);
	for (const r of runs) for (const m of r.maps) heat(s, r, m.title, m.counts, counts);
	for (const name of series) lines(s, name, 'number', name, runs.filter(r => (r.result.series || {})[name]).map(r => ({label: r.label,
		color: r.color, points: r.result.series[name].map((v, i) => [i, v]).filter(p => typeof p[1] === 'number')})));
}

