/* dram.c - timing of DRAM commands: when each becomes legal, and what it makes illegal for how long. */
#include "mem/dram.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/units.h"

const struct sim_param_desc dram_param_rows[] = {
#define PARAM_STRUCT struct dram_params
#include "sim/param_rows.inc"
#include "mem/dram_params.def"
#include "sim/param_end.inc"
};
const uint32_t dram_param_row_count = ARRAY_COUNT(dram_param_rows);

static bool is_power_of_two(uint64_t v)
{
	return v && (v & (v - 1)) == 0;
}

/* Burst time in ps as a fraction: beats * 10^6 / rate, or beats * tCK / beats per tCK. */
static void burst_fraction(const struct dram_params *p, uint64_t *num, uint64_t *den)
{
	*num = p->burst_beats * (p->data_rate_mbps ? 1000000 : p->t_ck_ps);
	*den = p->data_rate_mbps ? p->data_rate_mbps : p->ck_beats;
}

bool dram_params_check(const struct dram_params *p, struct base_diag_list *diag)
{
	const struct base_place nowhere = {0};
	uint32_t before = diag->error_count;
	uint64_t num, den;
	const struct {
		const char *name;
		uint64_t value;
	} powers[] = {
		{"vault_count", p->vault_count},
		{"bank_count", p->bank_count},
		{"row_bytes", p->row_bytes},
		{"data_bits", p->data_bits},
		{"burst_beats", p->burst_beats},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(powers); i++) {
		if (!is_power_of_two(powers[i].value))
			base_diag_error(diag, nowhere, "dram.%s: %llu is not a power of two", powers[i].name,
					(unsigned long long)powers[i].value);
	}
	burst_fraction(p, &num, &den);
	if (num % den)
		base_diag_error(
		    diag, nowhere,
		    "dram.data_rate_mbps: %llu transfers at this rate take no whole number of ps; choose a rate "
		    "that divides, or 0 for dram.ck_beats transfers per tCK",
		    (unsigned long long)p->burst_beats);
	if (dram_column_bytes(p) == 0 || dram_column_bytes(p) > p->row_bytes)
		base_diag_error(diag, nowhere, "dram.burst_beats: a column access of %llu bits does not fit a row",
				(unsigned long long)(p->burst_beats * p->data_bits));
	if (p->t_rc && p->t_rc < p->t_ras + p->t_rp)
		base_diag_error(diag, nowhere, "dram.t_rc: %llu is less than t_ras + t_rp = %llu; 0 means their sum",
				(unsigned long long)p->t_rc, (unsigned long long)(p->t_ras + p->t_rp));
	if (p->t_faw < p->t_rrd)
		base_diag_error(diag, nowhere, "dram.t_faw: less than t_rrd");
	if (p->write_low_count >= p->write_high_count || p->write_high_count > p->queue_entries)
		base_diag_error(diag, nowhere,
				"dram.write_low_count, write_high_count, queue_entries: expected low < high <= queue");
	if (p->refresh && p->t_refi_ns < 2 * p->t_rfc_ns)
		base_diag_error(diag, nowhere, "dram.t_refi_ns: less than twice t_rfc_ns leaves no time for accesses");
	return diag->error_count == before;
}

uint64_t dram_column_bytes(const struct dram_params *p)
{
	return p->burst_beats * p->data_bits / 8;
}

uint64_t dram_burst_ps(const struct dram_params *p)
{
	uint64_t num, den;

	burst_fraction(p, &num, &den);
	CHECK(num % den == 0);
	return num / den;
}

double dram_vault_peak_bytes_per_s(const struct dram_params *p)
{
	return (double)dram_column_bytes(p) * BASE_PS_PER_S / (double)dram_burst_ps(p);
}

static uint64_t cycles_of_ns(double ns, uint64_t ck_ps)
{
	uint64_t ps = (uint64_t)(ns * BASE_PS_PER_NS + 0.5);

	return (ps + ck_ps - 1) / ck_ps;
}

void dram_timing_init(struct dram_timing *t, const struct dram_params *p, uint64_t ck_units, uint64_t units_per_ps)
{
	memset(t, 0, sizeof(*t));
	CHECK(ck_units == p->t_ck_ps * units_per_ps && p->bank_count <= DRAM_BANK_MAX);
	t->ck_units = ck_units;
	t->ck_inverse = UINT64_MAX / ck_units;
	t->rp = (uint32_t)p->t_rp;
	t->rcd = (uint32_t)p->t_rcd;
	t->cl = (uint32_t)p->t_cl;
	t->cwl = (uint32_t)p->t_cwl;
	t->ccd = (uint32_t)p->t_ccd;
	t->wr = (uint32_t)p->t_wr;
	t->ras = (uint32_t)p->t_ras;
	t->rc = (uint32_t)(p->t_rc ? p->t_rc : p->t_ras + p->t_rp);
	t->rrd = (uint32_t)p->t_rrd;
	t->faw = (uint32_t)p->t_faw;
	t->wtr = (uint32_t)p->t_wtr;
	t->rtp = (uint32_t)p->t_rtp;
	t->rtw = (uint32_t)p->t_rtw;
	t->rfc = (uint32_t)cycles_of_ns(p->t_rfc_ns, p->t_ck_ps);
	/* The interval is rounded down: refreshing a little too often is legal, too rarely is not. */
	t->refi = p->refresh ? (uint64_t)(p->t_refi_ns * BASE_PS_PER_NS) / p->t_ck_ps : 0;
	t->burst_units = dram_burst_ps(p) * units_per_ps;
	t->answer_units = (p->tsv_latency_ps + p->controller_latency_ps) * units_per_ps;
	t->column_bytes = (uint32_t)dram_column_bytes(p);
	t->bank_count = (uint32_t)p->bank_count;
}

void dram_banks_init(struct dram_banks *b, const struct dram_timing *t)
{
	memset(b, 0, sizeof(*b));
	b->t = *t;
	for (uint32_t i = 0; i < DRAM_BANK_MAX; i++)
		b->bank[i].open_row = DRAM_NO_ROW;
}

/* units / ck_units, exactly: the product with the inverse, rounded down, falls short of the quotient by at most 1. */
static inline uint64_t cycle_before(const struct dram_banks *b, uint64_t units)
{
	uint64_t cycle = (uint64_t)((unsigned __int128)units * b->t.ck_inverse >> 64);

	return cycle + (units - cycle * b->t.ck_units >= b->t.ck_units);
}

static inline uint64_t cycle_at_or_after(const struct dram_banks *b, uint64_t units)
{
	return cycle_before(b, units + b->t.ck_units - 1);
}

static uint64_t refresh_earliest(const struct dram_banks *b, uint64_t from)
{
	uint64_t cycle = base_max_u64(from, b->command_cycle);

	for (uint32_t i = 0; i < b->t.bank_count; i++)
		cycle = base_max_u64(cycle, b->bank[i].act_cycle);
	return cycle;
}

static uint64_t precharge_all_earliest(const struct dram_banks *b, uint64_t from)
{
	uint64_t cycle = base_max_u64(from, b->command_cycle);

	for (uint32_t i = 0; i < b->t.bank_count; i++) {
		if (b->bank[i].open_row != DRAM_NO_ROW)
			cycle = base_max_u64(cycle, b->bank[i].pre_cycle);
	}
	return cycle;
}

uint64_t dram_banks_earliest(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint64_t from)
{
	uint64_t cycle = base_max_u64(from, b->command_cycle);

	switch (c) {
	case DRAM_ACT:
		return base_max_u64(base_max_u64(cycle, b->bank[bank].act_cycle), b->act_cycle);
	case DRAM_PRE:
		return base_max_u64(cycle, b->bank[bank].pre_cycle);
	case DRAM_RD:
		return base_max_u64(base_max_u64(cycle, b->bank[bank].column_cycle), b->read_cycle);
	case DRAM_WR:
		return base_max_u64(base_max_u64(cycle, b->bank[bank].column_cycle), b->write_cycle);
	case DRAM_PREA:
		return precharge_all_earliest(b, cycle);
	case DRAM_REF:
		return refresh_earliest(b, cycle);
	case DRAM_COMMAND_COUNT:
		break;
	}
	UNREACHABLE("DRAM command");
}

bool dram_banks_is_legal(const struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	uint32_t open = b->bank[bank].open_row;

	if (c == DRAM_ACT && open != DRAM_NO_ROW)
		return false;
	if ((c == DRAM_RD || c == DRAM_WR) && (open == DRAM_NO_ROW || open != row))
		return false;
	if (c == DRAM_PRE && open == DRAM_NO_ROW)
		return false;
	if (c == DRAM_REF && b->open_count)
		return false;
	return dram_banks_earliest(b, c, bank, cycle) == cycle;
}

static void issue_activate(struct dram_banks *b, struct dram_bank *k, uint32_t row, uint64_t cycle)
{
	CHECK(k->open_row == DRAM_NO_ROW && row != DRAM_NO_ROW);
	k->open_row = row;
	b->open_count++;
	k->column_cycle = cycle + b->t.rcd;
	k->pre_cycle = cycle + b->t.ras;
	k->act_cycle = cycle + b->t.rc;
	b->faw[b->faw_next] = cycle + b->t.faw;
	b->faw_next = (b->faw_next + 1) % DRAM_FAW_COUNT;
	b->act_cycle = base_max_u64(cycle + b->t.rrd, b->faw[b->faw_next]); /* the fourth ACT back leaves the window */
}

static void issue_precharge(struct dram_banks *b, struct dram_bank *k, uint64_t cycle)
{
	k->open_row = DRAM_NO_ROW;
	b->open_count--;
	k->act_cycle = base_max_u64(k->act_cycle, cycle + b->t.rp);
}

/* The first cycle whose data, latency cycles later, waits less than one tCK for the bus to be free at units. */
static inline uint64_t bus_cycle(const struct dram_banks *b, uint64_t units, uint32_t latency)
{
	uint64_t data_cycle = cycle_before(b, units);

	return data_cycle > latency ? data_cycle - latency : 0;
}

static uint64_t issue_column(struct dram_banks *b, struct dram_bank *k, bool is_write, uint64_t cycle)
{
	const struct dram_timing *t = &b->t;
	uint32_t latency = is_write ? t->cwl : t->cl;
	uint64_t start = base_max_u64((cycle + latency) * t->ck_units, b->bus_free_units);
	uint64_t end = start + t->burst_units, read, write;

	b->bus_free_units = end;
	if (is_write) {
		uint64_t end_cycle = cycle_at_or_after(b, end);

		read = base_max_u64(end_cycle + t->wtr, bus_cycle(b, end, t->cl));
		write = bus_cycle(b, end, t->cwl);
		k->pre_cycle = base_max_u64(k->pre_cycle, end_cycle + t->wr);
	} else {
		uint64_t turned = cycle_at_or_after(b, end) + t->rtw;

		read = bus_cycle(b, end, t->cl);
		write = turned > t->cwl ? turned - t->cwl : 0;
		k->pre_cycle = base_max_u64(k->pre_cycle, cycle + t->rtp);
	}
	b->read_cycle = base_max_u64(b->read_cycle, base_max_u64(read, cycle + t->ccd));
	b->write_cycle = base_max_u64(b->write_cycle, base_max_u64(write, cycle + t->ccd));
	return end;
}

static void issue_refresh(struct dram_banks *b, uint64_t cycle)
{
	CHECK(b->open_count == 0);
	for (uint32_t i = 0; i < b->t.bank_count; i++)
		b->bank[i].act_cycle = cycle + b->t.rfc;
}

uint64_t dram_banks_issue(struct dram_banks *b, enum dram_command c, uint32_t bank, uint32_t row, uint64_t cycle)
{
	struct dram_bank *k = &b->bank[bank];
	uint64_t end = 0;

	CHECK(cycle >= b->command_cycle);
	switch (c) {
	case DRAM_ACT:
		issue_activate(b, k, row, cycle);
		break;
	case DRAM_PRE:
		CHECK(k->open_row != DRAM_NO_ROW);
		issue_precharge(b, k, cycle);
		break;
	case DRAM_PREA:
		for (uint32_t i = 0; i < b->t.bank_count; i++) {
			if (b->bank[i].open_row != DRAM_NO_ROW)
				issue_precharge(b, &b->bank[i], cycle);
		}
		break;
	case DRAM_RD:
	case DRAM_WR:
		CHECK(k->open_row == row);
		end = issue_column(b, k, c == DRAM_WR, cycle);
		break;
	case DRAM_REF:
		issue_refresh(b, cycle);
		break;
	case DRAM_COMMAND_COUNT:
		UNREACHABLE("DRAM command");
	}
	b->command_cycle = cycle + 1;
	return end;
}
