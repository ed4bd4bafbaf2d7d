/* sweeps.js - sweeps: heat maps over two axes, lines over one. */

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
	const groups = machines.map((m, i) => ({label: m, color: palette[i % palette.length], dash: dashes[i % dashes.length], runs: own.filter(r => r.machine === m)}));
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

