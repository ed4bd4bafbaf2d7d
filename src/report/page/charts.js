/* charts.js - kinds of drawings: bars, parts, dots, lines, distributions, kernels under their roofs, the machine. */

/* ---- kinds of charts ---- */

/* Room for the names of rows: of a narrow drawing less than half, and what is longer is cut. */
const left_of = labels => Math.min(320, .42 * room(), 20 + 7 * d3.max(labels, l => l.length));
const cut = (text, width) => text.length <= Math.floor((width - 12) / 6.6) ? text : text.slice(0, Math.floor((width - 12) / 6.6) - 1) + '\u2026';

/* What the axes are of, in the corners: a drawing must say it by itself when it is saved. Returns what puts another x below. */
function axes(svg, x, y, height, left, format, x_name, y_name, y_format) {
	const width = +svg.attr('width'), names = d3.axisLeft(y);
	const values = scale => d3.axisBottom(scale).ticks(Math.max(2, Math.min(8, (width - left) / 90)), format);
	const below = svg.append('g').attr('transform', `translate(0,${height})`).call(values(x));
	if (y_format) names.ticks(4, y_format);
	else if (y.bandwidth) names.tickFormat(text => cut(String(text), left));
	svg.append('g').attr('transform', `translate(${left},0)`).call(names);
	svg.append('text').attr('x', width - 20).attr('y', height + 34).attr('text-anchor', 'end').text(x_name);
	if (y_name) svg.append('text').attr('x', left + 6).attr('y', 12).text(y_name);
	return scale => below.call(values(scale));
}

/* One bar per row: {label, value, color}. */
function bars(parent, title, unit, rows) {
	const width = room(), height = 26 * rows.length + 10, left = left_of(rows.map(r => r.label));
	const {svg, finish} = figure(parent, title, width, height + 40,
		[{name: 'what', value: r => r.label}, {name: unit, value: r => r.value}], rows);
	const x = d3.scaleLinear([0, d3.max(rows, r => r.value) || 1], [left, width - 90]).nice();
	const y = d3.scaleBand(rows.map(r => r.label), [0, height]).padding(.2);
	svg.selectAll('rect').data(rows).join('rect').attr('x', left).attr('y', r => y(r.label))
		.attr('width', r => Math.max(0, x(r.value) - left)).attr('height', y.bandwidth())
		.attr('fill', r => r.color || neutral).append('title').text(r => `${r.label}: ${plain(r.value)} ${unit}`);
	svg.selectAll('.value').data(rows).join('text').attr('class', 'value').attr('x', r => x(r.value) + 4)
		.attr('y', r => y(r.label) + y.bandwidth() / 2 + 4).text(r => brief(r.value) + ' ' + unit);
	axes(svg, x, y, height, left, '~s', unit);
	finish();
}

/* Per run a bar of parts: parts are names, value(run, part) numbers; as shares of the whole or as they are. */
function stacked(parent, title, unit, list, parts, value, is_share) {
	const used = parts.filter(p => d3.max(list, r => value(r, p)) > 0);
	const rows = list.flatMap(r => used.map(p => ({run: r.label, part: p, value: value(r, p)})));
	const width = room(), height = 30 * list.length + 10, left = left_of(list.map(r => r.label));
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'run', value: r => r.run},
		{name: 'part', value: r => r.part}, {name: unit, value: r => r.value}], rows);
	const whole_of = r => is_share ? d3.sum(used, p => value(r, p)) || 1 : 1;
	const most = is_share ? 1 : d3.max(list, r => d3.sum(used, p => value(r, p))) || 1;
	const x = d3.scaleLinear([0, most], [left, width - 20]), y = d3.scaleBand(list.map(r => r.label), [0, height]).padding(.2);
	/* By all parts, so that one has the same colour in the drawings of other programs. */
	const color = d3.scaleOrdinal(parts.length > palette.length ? used : parts, palette);
	for (const r of list) {
		let at = 0;
		for (const p of used) {
			const own = value(r, p) / whole_of(r);
			if (!(own > 0)) continue;
			svg.append('rect').attr('x', x(at)).attr('y', y(r.label)).attr('width', Math.max(0, x(at + own) - x(at)))
				.attr('height', y.bandwidth()).attr('fill', color(p)).attr('class', 'part').append('title')
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
	const width = room(), height = 22 * rows.length + 10, left = left_of(rows.map(r => r.label));
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

/* Lines of steps: [{label, color, points: [[x, y], ...]}]. group: of drawings that move together (time.js), or none. */
function lines(parent, title, x_name, y_name, list, group) {
	const points = list.flatMap(l => l.points.map(p => ({run: l.label, x: p[0], y: p[1]})));
	if (points.length < 2) return;
	const width = room(), height = 240, left = 70;
	const {svg, finish} = figure(parent, title, width, height + 40, [{name: 'run', value: r => r.run},
		{name: x_name, value: r => r.x}, {name: y_name, value: r => r.y}], points);
	const x = d3.scaleLinear(d3.extent(points, p => p.x), [left, width - 20]);
	const y = d3.scaleLinear([Math.min(0, d3.min(points, p => p.y)), d3.max(points, p => p.y) || 1], [height, 10]).nice();
	const path = d3.line(p => x(p[0]), p => y(p[1])).curve(d3.curveStepAfter);
	const value_at = (l, at) => (l.points.filter(p => p[0] <= at).pop() || [0, null])[1];
	const move = axes(svg, x, y, height, left, '~s', x_name, y_name), marks = group ? movable(group, svg, x, height, move, at =>
		list.map(l => `${l.label} ${shown(value_at(l, at))}`).join(', ') + ' ' + y_name) : svg;
	for (const l of list) marks.append('path').attr('d', path(l.points)).attr('fill', 'none').attr('stroke', l.color)
		.attr('stroke-width', 1.5).attr('vector-effect', 'non-scaling-stroke').append('title').text(l.label);
	finish(list.map(l => [l.label, l.color]));
}

/* The end of a histogram's bucket: sixteen of them in each power of two. */
const bucket_end = from => from < 16 ? from + 1 : from + 2 ** (Math.floor(Math.log2(from)) - 4);

/* Shares by bucket on a log scale: [{label, color, from: [...], count: [...]}], from in units of 1 / scale. */
function distribution(parent, title, unit, list, scale) {
	const rows = list.flatMap(l => l.from.map((from, i) => ({run: l.label, from: Math.max(from, 1) / scale, count: l.count[i],
		to: bucket_end(from) / scale, share: l.count[i] / d3.sum(l.count)})));
	const width = room(), height = 160, left = 70;
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
	const width = room(), left = 70, is_wide = width >= 720, right = is_wide ? width - 300 : width - 20;
	const height = Math.max(300, is_wide ? 20 * (roofs.length + kernels.length) + 70 : 0);
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
	if (is_wide) key.forEach(([text, of], i) => {
		if (of) svg.append('rect').attr('x', right + 20).attr('y', 14 + 20 * i).attr('width', 10).attr('height', 10).attr('fill', of);
		svg.append('text').attr('x', right + 36).attr('y', 23 + 20 * i).text(text.length > 36 ? text.slice(0, 35) + '\u2026' : text);
	});
	svg.append('g').attr('transform', `translate(0,${height})`).call(d3.axisBottom(x).ticks(is_wide ? 5 : 3, '~g'));
	svg.append('g').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).ticks(4, '~s'));
	svg.append('text').attr('x', right).attr('y', height + 34).attr('text-anchor', 'end').text(`${work} per byte`);
	svg.append('text').attr('x', left + 6).attr('y', 12).text(`G ${work} a second`);
	finish(is_wide ? null : key);
}

/* ---- the machine with its flows ---- */

function picture(parent, r) {
	const stacks = r.result.stacks || [], time = r.result.time_ps / 1e12, peak = r.result.peak_bytes_per_s;
	if (!stacks.length || !(time > 0)) return;
	const rate = b => b / time / 1e9, width = room(), height = Math.max(180, 62 * stacks.length + 20);
	const rows = stacks.map((s, i) => ({stack: i, tx: rate(s.tx_bytes), rx: rate(s.rx_bytes),
		dram: rate(s.dram_read_bytes + s.dram_write_bytes)}));
	const title = `${r.label}: GB/s on links and in stacks`;
	const {svg, finish} = figure(parent, title, width, height, [{name: 'stack', value: s => s.stack},
		{name: 'GPU to stack GB/s', value: s => s.tx}, {name: 'stack to GPU GB/s', value: s => s.rx},
		{name: 'DRAM GB/s', value: s => s.dram}], rows);
	const link = peak.tx / 1e9 / stacks.length, dram = peak.dram / 1e9 / stacks.length;
	const thick = (v, of) => 1 + 14 * Math.min(1, v / of);
	/* Where the GPU ends, and where a stack begins; few words where there is little room. */
	const gpu = .18 * width, begin = .58 * width, is_brief = begin - gpu < 240;
	const words = (v, of) => is_brief ? `${brief(v)} GB/s` : `${brief(v)} of ${brief(of)} (${brief(100 * v / of)} %)`;
	svg.append('rect').attr('class', 'frame').attr('x', 10).attr('y', 10).attr('width', gpu - 10).attr('height', height - 20);
	/* What is in the GPU, as its parameters have it, and how much its caches had. */
	const p = r.result.params || {}, sums = r.result.kernel_sums || [];
	const hits = key => {
		const all = d3.sum(sums, k => (k[key] || {}).accesses || 0);
		return all > 0 ? `, ${brief(100 * d3.sum(sums, k => (k[key] || {}).hits || 0) / all)} % hits` : '';
	};
	const size = bytes => bytes >= 2 ** 20 ? `${plain(bytes / 2 ** 20)} MiB` : `${plain(bytes / 1024)} KiB`;
	const inside = ['GPU', `${p['gpu.sm_count']} SMs, IPC ${brief(r.result.ipc)}`,
		...(p['l1d.size_bytes'] ? [`L1 ${size(p['l1d.size_bytes'])}${is_brief ? '' : hits('l1')}`] : []),
		...(p['l2.size_bytes'] ? [`L2 ${size(p['l2.size_bytes'])}${is_brief ? '' : hits('l2')}`] : [])];
	inside.forEach((text, i) => svg.append('text').attr('x', (gpu + 10) / 2).attr('y', height / 2 + 18 * (i - (inside.length - 1) / 2) + 4)
		.attr('text-anchor', 'middle').text(cut(text, gpu)));
	/* What is in a stack beside its memory. */
	const near = p['gpu.stack_sm_count'] ? `, ${p['gpu.stack_sm_count']} SM${p['gpu.stack_sm_count'] > 1 ? 's' : ''}` : p['nsu.is_present'] ? ', SIMD unit' : '';
	const between = rate((r.result.traffic_bytes || {}).stack_to_stack || 0), between_peak = (peak.stack_to_stack || 0) / 1e9;
	if (between > 0) svg.append('line').attr('x1', width - 10).attr('x2', width - 10).attr('y1', 30).attr('y2', height - 30)
		.attr('stroke', palette[3]).attr('stroke-width', thick(between, between_peak || between)).append('title')
		.text(`between stacks: ${brief(between)} GB/s`);
	rows.forEach((s, i) => {
		const y = 10 + i * 62, flow = (at, v, text, color) => {
			svg.append('line').attr('x1', gpu).attr('x2', begin).attr('y1', y + at).attr('y2', y + at).attr('stroke', color)
				.attr('stroke-width', thick(v, link));
			svg.append('text').attr('x', (gpu + begin) / 2).attr('y', y + at - 9).attr('text-anchor', 'middle')
				.text(`${text} ${words(v, link)}`);
		};
		flow(18, s.tx, '→', d3.schemeTableau10[0]);
		flow(46, s.rx, '←', d3.schemeTableau10[1]);
		svg.append('rect').attr('class', 'frame').attr('x', begin).attr('y', y).attr('width', width - 20 - begin).attr('height', 54);
		svg.append('rect').attr('x', begin + 1).attr('y', y + 36).attr('width', (width - 22 - begin) * Math.min(1, s.dram / dram)).attr('height', 17)
			.attr('fill', d3.schemeTableau10[2]);
		svg.append('text').attr('x', begin + 8).attr('y', y + 18).text(`stack ${s.stack}${near}`);
		svg.append('text').attr('x', begin + 8).attr('y', y + 33).text(`DRAM ${words(s.dram, dram)}`);
	});
	finish([['GPU to stack', d3.schemeTableau10[0]], ['stack to GPU', d3.schemeTableau10[1]], ['DRAM', d3.schemeTableau10[2]],
		...(between > 0 ? [[`between stacks, ${brief(between)}${between_peak ? ' of ' + brief(between_peak) : ''} GB/s`, palette[3]]] : [])]);
}

