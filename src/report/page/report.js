/* report.js - the page's sections, in their order. */

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

/* The answer first: of each program who is fastest, what the others take, where their time went, and the cause, where
 * experiments have named it (a file of strata why). */
function verdict() {
	const s = node(main, 'div', null, {class: 'verdict', role: 'region', 'aria-label': 'the answer'});
	const more = r => (r.parts || []).slice(0, 2).map(p => `${p.name} ${p.change_ps < 0 ? '-' : '+'}${time_of(Math.abs(p.change_ps))}`).join(', ');
	for (const work of works) {
		const own = work.filter(r => r.result.verified && r.result.time_ps > 0), base = own[0];
		const name = works.length > 1 && base ? program_of(base) + ': ' : '';
		if (!base) continue;
		const best = own.reduce((a, b) => b.result.time_ps < a.result.time_ps ? b : a);
		const others = own.filter(r => r !== best).map(r => `${r.label} takes ${brief(r.result.time_ps / best.result.time_ps)} times as long`);
		const shared = own.every(r => r.result.time_ps === best.result.time_ps);
		node(s, 'p', name + (own.length === 1 ? `${base.label} takes ${time_of(base.result.time_ps)}` + (base.result.total_time_ps > base.result.time_ps
			? `, of the program's ${time_of(base.result.total_time_ps)}.` : '.') : shared ? `all take ${time_of(best.result.time_ps)}.`
			: `${best.label} is the fastest, with ${time_of(best.result.time_ps)}; ${others.join(', ')}.`));
		for (const r of own) {
			if (r !== base && r.result.time_ps !== base.result.time_ps && more(r))
				node(s, 'p', `Over ${base.label}, the time of ${r.label} changed most by: ${more(r)}.`);
			if (r.why && r.why.cause) node(s, 'p', `${own.length > 1 ? r.label + ': ' : ''}${r.why.cause.sentence}.`);
			else if (r.waits) node(s, 'p', `${r.label}: ${r.waits}.`, {class: 'soft'});
		}
	}
}

function overview() {
	const has_kernels = runs.some(r => r.result.program);
	const s = section('overview', 'Overview', works.length > 1 ? 'Speed-up and energy ratio are over the first verified run of the ' +
		'same program with the same arguments.' : '');
	table(s, [
		{name: 'run', value: r => r.label},
		{name: 'verified', value: r => r.result.verified ? 'yes' : 'NO'},
		{name: has_kernels ? 'kernels us' : 'time us', value: r => us(r.result.time_ps)},
		{name: 'speed-up', value: r => typeof r.speedup === 'number' ? `${r.speedup.toFixed(2)}x` : null},
		{name: 'program us', value: r => us(r.result.total_time_ps)},
		{name: 'IPC', value: r => r.result.ipc},
		{name: 'energy mJ', value: r => scaled(r.result.energy_total_pj, 1e9)},
		{name: 'energy ratio', value: r => typeof r.energy_ratio === 'number' ? `${r.energy_ratio.toFixed(2)}x` : null},
		{name: 'energy of', value: r => r.energy_scope},
		{name: 'commit', value: r => r.result.source_commit},
		{name: 'date', value: r => r.result.date},
	], runs, {name: 'overview'});
	per_program(runs, has_kernels ? 'time of the kernels' : 'measured time', (own, title) =>
		bars(s, title, 'us', own.map(r => ({label: r.label, value: us(r.result.time_ps)}))));
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
			{label: 'the whole', value: us(r.result.time_ps), color: palette[0]},
			...r.why.bounds.map(b => ({label: b.name, value: us(b.least_ps)}))]);
		node(s, 'h3', r.label);
		const list = node(s, 'ul', null, {class: 'findings'});
		for (const f of r.why.findings) node(list, 'li', f);
		experiments(s, r);
		costliest(s, r);
		ledgers(s, r);
	}
}

/* What each resource is worth, of a file of strata why: those that change the time by a hundredth and more. */
function experiments(parent, r) {
	const all = (r.why.what_if || []).filter(w => w.verified && typeof w.speedup === 'number');
	const list = all.filter(w => Math.abs(w.speedup - 1) >= .01).sort((a, b) => b.speedup - a.speedup);
	if (list.length) bars(parent, `${r.label}: what if, speed-up with one resource made ideal`, 'x', list.map(w => ({label: w.name, value: w.speedup})));
	if (all.length) table(parent, [{name: 'what if', value: w => w.name}, {name: 'that is', value: w => w.what},
		{name: 'speed-up', value: w => w.speedup}, {name: "the program's", value: w => w.program_speedup},
		{name: 'nobody can build it', value: w => w.is_best ? 'yes' : ''}, {name: 'setting', value: w => w.setting}], all, {name: `${r.label}: what if`});
}

/* Of a run with accounts: where in the program each one's time went (report/accounts.h), with what there is of a place. */
function costliest(parent, r) {
	for (const a of r.why.accounts.filter(o => (o.places || []).length)) {
		const is_time = a.unit === 'ps', has = key => a.places.some(p => key in p);
		const column = (key, name, value) => has(key) ? [{name, value: value || (p => p[key])}] : [];
		node(parent, 'h4', `${r.label}, ${a.who}: ${a.places_title}`);
		table(parent, [...column('kernel', 'kernel'), ...column('function', 'function'), ...column('file', 'file'),
			...column('line', has('kernel') ? 'PTX line' : 'line'),
			...column('source_file', 'source', p => p.source_file ? `${p.source_file}:${p.source_line}` : null),
			{name: is_time ? 'us' : a.unit, value: p => is_time ? us(p.amount) : p.amount},
			{name: '% of all', value: p => 100 * p.share}, {name: 'most of it', value: p => p.what},
			...column('text', 'instruction'), ...column('op', 'instruction')],
			a.places, {name: `${r.label}: ${a.who}`, search: true});
	}
}

/* What the mechanism did: blocks and kernels that it offered, and what that cost. */
function ledgers(parent, r) {
	const own = r.why.ledger || [], sentences = [...(r.why.blocks || []), ...(r.why.placed || [])].map(b => b.finding).filter(f => f);
	if (!own.length && !sentences.length) return;
	node(parent, 'h4', `${r.label}: the mechanism's ledger`);
	if (own.length) table(parent, [{name: 'what', value: l => l.name}, {name: 'how many', value: l => l.value}], own, {name: `${r.label}: ledger`});
	const list = node(parent, 'ul', null, {class: 'findings'});
	for (const f of sentences.slice(0, 8)) node(list, 'li', f);
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
if (runs.length) verdict();
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
