/* audit.c - the rules of the timing table, each as one sentence over the history of commands. */
#include "mem/audit.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/units.h"

enum { HISTORY = 512, REFRESH_DEBT_MAX = 8 };

static const char *const command_names[DRAM_COMMAND_COUNT] = {"ACT", "PRE", "PREA", "RD", "WR", "REF"};

struct event {
	enum dram_command command;
	uint32_t bank, row;
	uint64_t cycle;
	uint64_t data_start_units, data_end_units; /* RD, WR */
};

struct mem_audit {
	struct dram_params p;
	uint64_t ck_units, burst_units, units_per_ps;
	uint64_t refi_ps, rfc_ps;
	void (*violation)(void *ctx, const char *text);
	void *ctx;
	struct event history[HISTORY]; /* ring */
	uint64_t count, refresh_count;
	/* Last command of each kind per bank, as number of event + 1, so that history is long enough for these too. */
	bool is_open[DRAM_BANK_MAX];
	uint32_t row[DRAM_BANK_MAX];
	struct event last[DRAM_BANK_MAX][DRAM_COMMAND_COUNT];
	bool has_last[DRAM_BANK_MAX][DRAM_COMMAND_COUNT];
};

struct mem_audit *mem_audit_new(const struct dram_params *p, uint64_t units_per_ps,
				void (*violation)(void *ctx, const char *text), void *ctx)
{
	struct mem_audit *a = g_new0(struct mem_audit, 1);

	a->p = *p;
	a->units_per_ps = units_per_ps;
	a->ck_units = p->t_ck_ps * units_per_ps;
	a->burst_units = dram_burst_ps(p) * units_per_ps;
	a->refi_ps = (uint64_t)(p->t_refi_ns * BASE_PS_PER_NS);
	a->rfc_ps = (uint64_t)(p->t_rfc_ns * BASE_PS_PER_NS);
	a->violation = violation;
	a->ctx = ctx;
	return a;
}

void mem_audit_free(struct mem_audit *a)
{
	g_free(a);
}

__attribute__((format(printf, 3, 4))) static void report(struct mem_audit *a, const struct event *e, const char *fmt,
							  ...)
{
	char text[256], rule[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rule, sizeof(rule), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "DRAM cycle %llu, %s bank %u row %u: %s", (unsigned long long)e->cycle,
		 command_names[e->command], e->bank, e->row, rule);
	a->violation(a->ctx, text);
}

/* "At least min cycles from the bank's last command `from` to e." */
static void same_bank(struct mem_audit *a, const struct event *e, enum dram_command from, uint64_t min,
		      const char *rule)
{
	const struct event *f = &a->last[e->bank][from];

	if (a->has_last[e->bank][from] && e->cycle < f->cycle + min)
		report(a, e, "%s: %llu cycles after %s, needs %llu", rule, (unsigned long long)(e->cycle - f->cycle),
		       command_names[from], (unsigned long long)min);
}

static void check_units(struct mem_audit *a, const struct event *e, uint64_t time_units, uint64_t min_units,
			const char *rule)
{
	if (time_units < min_units)
		report(a, e, "%s: %llu units too early", rule, (unsigned long long)(min_units - time_units));
}

/* Calls for every earlier event, the latest first, still in the history. */
static const struct event *earlier(const struct mem_audit *a, uint64_t back)
{
	if (back > a->count || back > HISTORY)
		return NULL;
	return &a->history[(a->count - back) % HISTORY];
}

static void check_activate(struct mem_audit *a, const struct event *e)
{
	uint64_t rc = a->p.t_rc ? a->p.t_rc : a->p.t_ras + a->p.t_rp;
	uint32_t in_window = 0;

	if (a->is_open[e->bank])
		report(a, e, "bank is open");
	same_bank(a, e, DRAM_PRE, a->p.t_rp, "tRP");
	same_bank(a, e, DRAM_ACT, rc, "tRC");
	for (uint64_t back = 1;; back++) {
		const struct event *f = earlier(a, back);

		if (!f || f->cycle + a->p.t_faw <= e->cycle)
			break;
		if (f->command != DRAM_ACT)
			continue;
		if (e->cycle < f->cycle + a->p.t_rrd && f->bank != e->bank)
			report(a, e, "tRRD: %llu cycles after ACT", (unsigned long long)(e->cycle - f->cycle));
		in_window++;
	}
	if (in_window >= 4)
		report(a, e, "tFAW: a fifth ACT within %llu cycles", (unsigned long long)a->p.t_faw);
}

static void check_refresh_gap(struct mem_audit *a, const struct event *e)
{
	const struct event *f = &a->last[0][DRAM_REF];

	if (a->has_last[0][DRAM_REF] && (e->cycle - f->cycle) * a->p.t_ck_ps < a->rfc_ps)
		report(a, e, "tRFC: %llu cycles after REF", (unsigned long long)(e->cycle - f->cycle));
}

static void check_precharge(struct mem_audit *a, struct event *e, uint32_t bank)
{
	e->bank = bank;
	same_bank(a, e, DRAM_ACT, a->p.t_ras, "tRAS");
	same_bank(a, e, DRAM_RD, a->p.t_rtp, "tRTP");
	if (a->has_last[bank][DRAM_WR])
		check_units(a, e, e->cycle * a->ck_units,
			    a->last[bank][DRAM_WR].data_end_units + a->p.t_wr * a->ck_units, "tWR");
}

static void check_column(struct mem_audit *a, struct event *e)
{
	bool is_write = e->command == DRAM_WR;
	uint64_t ck = a->ck_units, bus_free = 0;
	uint64_t nominal = (e->cycle + (is_write ? a->p.t_cwl : a->p.t_cl)) * ck;

	if (!a->is_open[e->bank])
		report(a, e, "bank is closed");
	else if (a->row[e->bank] != e->row)
		report(a, e, "row %u is open", a->row[e->bank]);
	same_bank(a, e, DRAM_ACT, a->p.t_rcd, "tRCD");
	for (uint64_t back = 1;; back++) {
		const struct event *f = earlier(a, back);

		/* Only the last column access can still matter: they are on the bus in order. */
		if (!f)
			break;
		if (f->command != DRAM_RD && f->command != DRAM_WR)
			continue;
		bus_free = f->data_end_units;
		if (e->cycle < f->cycle + a->p.t_ccd)
			report(a, e, "tCCD: %llu cycles after %s", (unsigned long long)(e->cycle - f->cycle),
			       command_names[f->command]);
		if (is_write && f->command == DRAM_RD)
			check_units(a, e, nominal, f->data_end_units + a->p.t_rtw * ck, "tRTW");
		break;
	}
	if (nominal + ck <= bus_free)
		report(a, e, "data bus: busy for one tCK or more after the data's time");
	e->data_start_units = nominal > bus_free ? nominal : bus_free;
	e->data_end_units = e->data_start_units + a->burst_units;
	for (uint32_t i = 0; !is_write && i < a->p.bank_count; i++) {
		if (a->has_last[i][DRAM_WR])
			check_units(a, e, e->cycle * ck, a->last[i][DRAM_WR].data_end_units + a->p.t_wtr * ck, "tWTR");
	}
}

static void check_refresh(struct mem_audit *a, struct event *e)
{
	for (uint32_t i = 0; i < a->p.bank_count; i++) {
		e->bank = i;
		if (a->is_open[i])
			report(a, e, "bank is open");
		same_bank(a, e, DRAM_PRE, a->p.t_rp, "tRP before REF");
		same_bank(a, e, DRAM_ACT, a->p.t_rc ? a->p.t_rc : a->p.t_ras + a->p.t_rp, "tRC before REF");
	}
	e->bank = 0;
}

static void check_obligation(struct mem_audit *a, const struct event *e)
{
	uint64_t due, elapsed_ps = e->cycle * a->p.t_ck_ps;

	if (!a->p.refresh)
		return;
	due = elapsed_ps / a->refi_ps;
	if (due > a->refresh_count + REFRESH_DEBT_MAX)
		report(a, e, "refresh: %llu REF due, %llu issued", (unsigned long long)due,
		       (unsigned long long)a->refresh_count);
}

static void remember(struct mem_audit *a, const struct event *e, uint32_t bank, enum dram_command as)
{
	a->last[bank][as] = *e;
	a->has_last[bank][as] = true;
}

static void apply(struct mem_audit *a, struct event *e)
{
	if (e->command == DRAM_ACT) {
		a->is_open[e->bank] = true;
		a->row[e->bank] = e->row;
	} else if (e->command == DRAM_PRE) {
		a->is_open[e->bank] = false;
	}
	if (e->command == DRAM_PREA || e->command == DRAM_REF) {
		for (uint32_t i = 0; i < a->p.bank_count; i++) {
			if (e->command == DRAM_REF || a->is_open[i])
				remember(a, e, i, e->command == DRAM_REF ? DRAM_REF : DRAM_PRE);
			a->is_open[i] = false;
		}
	} else {
		remember(a, e, e->bank, e->command);
	}
	a->refresh_count += e->command == DRAM_REF;
}

void mem_audit_command(struct mem_audit *a, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	struct event e = {.command = c, .bank = bank, .row = row, .cycle = cycle};
	const struct event *before = earlier(a, 1);

	CHECK(bank < a->p.bank_count);
	if (before && cycle <= before->cycle)
		report(a, &e, "command bus: the command before was issued in cycle %llu",
		       (unsigned long long)before->cycle);
	check_refresh_gap(a, &e);
	check_obligation(a, &e);
	switch (c) {
	case DRAM_ACT:
		check_activate(a, &e);
		break;
	case DRAM_PRE:
		if (!a->is_open[bank])
			report(a, &e, "bank is closed");
		check_precharge(a, &e, bank);
		break;
	case DRAM_PREA:
		for (uint32_t i = 0; i < a->p.bank_count; i++) {
			if (a->is_open[i])
				check_precharge(a, &e, i);
		}
		e.bank = 0;
		break;
	case DRAM_RD:
	case DRAM_WR:
		check_column(a, &e);
		break;
	case DRAM_REF:
		check_refresh(a, &e);
		break;
	case DRAM_COMMAND_COUNT:
		UNREACHABLE("DRAM command");
	}
	apply(a, &e);
	a->history[a->count % HISTORY] = e;
	a->count++;
}

void mem_audit_until(struct mem_audit *a, uint64_t cycle)
{
	const struct event e = {.command = DRAM_REF, .cycle = cycle};

	check_obligation(a, &e);
}
