/* sm_pipe.c - the arithmetic pipeline of GPGPU-Sim, for sm.result_bus_count: from a warp scheduler through a register
 * to an operand collector, from there in order through another register to one of the SM's units, and from that to a
 * result bus. An instruction begins only where the cycle of its result is free; while it waits, none passes it, so that
 * results of different latencies cost issue cycles. Both stages have as many registers, and the SM as many units, as it
 * has schedulers.
 *
 * Everything is known when an instruction issues: its way is walked then, and what it takes is marked ahead.
 */
#include "gpu/priv.h"

enum {
	SLOTS = 256,	 /* a power of two; what is marked and still to come lies within GPU_PIPE_LATENCY_MAX */
	BEFORE_UNIT = 4, /* cycles from issue to a unit with all operands at once: register, collector, register */
};

_Static_assert((int)SLOTS > (int)GPU_PIPE_LATENCY_MAX && (int)GPU_PIPE_LATENCY_MIN > (int)BEFORE_UNIT,
	       "every result has a slot of its own");

/* What one cycle can take once: a bank, a unit's result, a bus. A slot has the last cycle taken, plus one. */
struct port {
	uint32_t taken[SLOTS];
};

struct sm_pipe {
	uint32_t width;			       /* registers of a stage, units */
	uint32_t count;			       /* instructions so far; [count % width] is the last but width - 1 */
	uint32_t entered[SM_SCHEDULER_MAX];    /* when they took a collector, */
	uint32_t dispatched[SM_SCHEDULER_MAX]; /* left it, */
	uint32_t begun[SM_SCHEDULER_MAX];      /* and began in a unit */
	uint32_t unit_free[SM_SCHEDULER_MAX];
	uint32_t cycle, unit; /* where the next instruction may begin: units are asked in turn within a cycle */
	uint32_t bus_count;
	struct port results[SM_SCHEDULER_MAX], buses[SM_SCHEDULER_MAX];
	struct port *banks;
};

static bool is_taken(const struct port *p, uint32_t cycle)
{
	return p->taken[cycle % SLOTS] == cycle + 1;
}

static void take(struct port *p, uint32_t cycle)
{
	p->taken[cycle % SLOTS] = cycle + 1;
}

struct sm_pipe *pipe_new(const struct sm *sm, uint32_t bus_count)
{
	struct sm_pipe *p;

	if (!bus_count)
		return NULL;
	p = g_new0(struct sm_pipe, 1);
	p->width = sm->issue_count;
	p->bus_count = bus_count;
	p->banks = g_new0(struct port, sm->register_banks);
	return p;
}

void pipe_free(struct sm_pipe *p)
{
	if (!p)
		return;
	g_free(p->banks);
	g_free(p);
}

void pipe_clear(struct sm *sm)
{
	struct sm_pipe *p = sm->pipe, old;

	if (!p)
		return;
	old = *p;
	memset(p, 0, sizeof(*p));
	p->width = old.width;
	p->bus_count = old.bus_count;
	p->banks = old.banks;
	memset(p->banks, 0, sm->register_banks * sizeof(*p->banks));
}

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The first bus that is free in this cycle, or NULL. */
static struct port *bus_at(struct sm_pipe *p, uint32_t cycle)
{
	for (uint32_t i = 0; i < p->bus_count; i++)
		if (!is_taken(&p->buses[i], cycle))
			return &p->buses[i];
	return NULL;
}

static struct port *bank_of(const struct sm *sm, const struct sm_warp *w, uint16_t reg)
{
	return &sm->pipe->banks[(reg + w->slot) % sm->register_banks];
}

static bool is_repeated(const uint16_t *reads, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (reads[k] == reads[i])
			return true;
	return false;
}

/* Reads the operands from the cycle after this one on, a bank's one by one; returns the cycle of the last. */
static uint32_t read_operands(struct sm *sm, const struct sm_warp *w, const uint16_t *reads, uint32_t count,
			      uint32_t entered)
{
	uint32_t last = entered, first = entered + 1, read_count = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at;

		if (is_repeated(reads, i))
			continue;
		if (read_count && read_count % sm->collector_reads == 0)
			first = last + 1;
		read_count++;
		at = first;
		if (sm->register_banks) {
			struct port *bank = bank_of(sm, w, reads[i]);

			while (is_taken(bank, at))
				at++;
			take(bank, at);
		}
		last = later(last, at);
	}
	return last;
}

/* Gives the instruction to the first unit that it can begin in, not before this cycle. */
static uint32_t begin(struct sm_pipe *p, uint32_t cycle, uint32_t latency, uint32_t interval)
{
	if (cycle > p->cycle) {
		p->cycle = cycle;
		p->unit = 0;
	}
	for (;; p->unit++) {
		uint32_t result;
		struct port *bus;

		if (p->unit == p->width) {
			p->cycle++;
			p->unit = 0;
		}
		result = p->cycle + latency;
		if (p->unit_free[p->unit] > p->cycle || is_taken(&p->results[p->unit], result))
			continue;
		bus = bus_at(p, result);
		if (!bus)
			continue;
		take(bus, result);
		take(&p->results[p->unit], result);
		p->unit_free[p->unit] = p->cycle + interval;
		p->unit++;
		return p->cycle;
	}
}

/* The collector that is free first. */
static uint32_t first_free(const struct sm *sm)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < sm->collector_count; i++)
		if (sm->collector_free[i] < sm->collector_free[first])
			first = i;
	return first;
}

uint32_t pipe_read(struct sm *sm, const struct sm_warp *w, const uint16_t *ids, uint32_t count)
{
	const uint32_t collector = first_free(sm), last = read_operands(sm, w, ids, count, sm->now);

	sm->collector_free[collector] = last + 1;
	sm->collector_next = later(sm->collector_next, sm->collector_free[first_free(sm)]);
	return last;
}

uint32_t pipe_enter(struct sm *sm, const struct sm_warp *w, const struct simt_inst *inst, uint32_t latency,
		    uint32_t interval)
{
	struct sm_pipe *p = sm->pipe;
	const uint16_t *writes = sm->gpu->launch->program->sb + inst->sb_first + inst->read_count;
	const uint16_t *reads = sm->gpu->launch->program->sb + inst->sb_first;
	const uint32_t me = p->count++ % p->width, before = (me + p->width - 1) % p->width;
	const uint32_t collector = first_free(sm);
	uint32_t entered, dispatched, cycle, ready;

	/* In order by itself: the collector that is free first is not free before the last one taken was. */
	entered = later(later(sm->now, p->entered[me]) + 1, sm->collector_free[collector]);
	dispatched = read_operands(sm, w, reads, inst->read_count, entered) + 1;
	dispatched = later(later(dispatched, p->dispatched[me] + 1), later(p->dispatched[before], p->begun[me]));
	cycle = begin(p, dispatched + 1, latency - BEFORE_UNIT, interval);
	p->entered[me] = entered;
	p->dispatched[me] = dispatched;
	p->begun[me] = cycle;
	sm->collector_free[collector] = dispatched;
	sm->collector_next = p->entered[p->count % p->width];
	ready = cycle + latency - BEFORE_UNIT;
	for (uint32_t i = 0; sm->register_banks && i < inst->write_count; i++)
		take(bank_of(sm, w, writes[i]), ready);
	return ready - sm->now - latency;
}

uint32_t pipe_result(struct sm_pipe *p, uint32_t ready)
{
	struct port *bus = bus_at(p, ready);

	while (!bus)
		bus = bus_at(p, ++ready);
	take(bus, ready);
	return ready;
}
