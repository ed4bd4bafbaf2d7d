/* dram_table.c - what the parameters of a DRAM mean: its clock, its peak, and the table of timing constraints. */
#include <limits.h>

#include "base/check.h"
#include "base/units.h"
#include "mem/dram.h"

const struct sim_param_desc dram_param_rows[] = {
#define PARAM_STRUCT struct dram_params
#include "sim/param_rows.inc"
#include "mem/dram_params.def"
#include "sim/param_end.inc"
};
const uint32_t dram_param_row_count = ARRAY_COUNT(dram_param_rows);

enum { ABSENT = INT_MIN, UNITS_PER_PS_MAX = 1800 /* as the engine's */ };

struct fraction {
	uint64_t num, den;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

static struct fraction reduced(uint64_t num, uint64_t den)
{
	uint64_t g = gcd(num, den);

	return (struct fraction){num / g, den / g};
}

/* Data rates of JEDEC are multiples of 400/3 Mb/s, rounded: 2133, 2666 or 2667, 8533. */
static struct fraction data_rate_mbps(const struct dram_params *p)
{
	uint64_t thirds = p->data_rate_mbps * 3, exact = (thirds + 200) / 400 * 400;
	uint64_t off = thirds > exact ? thirds - exact : exact - thirds;

	if (p->t_ck_ps || off > 2)
		return (struct fraction){p->data_rate_mbps, 1};
	return reduced(exact, 3);
}

/* The time of so many transfers in ps. */
static struct fraction beats_ps(const struct dram_params *p, uint64_t beats)
{
	struct fraction rate = data_rate_mbps(p);

	if (!p->data_rate_mbps)
		return reduced(beats * p->t_ck_ps, p->ck_beats);
	return reduced(beats * 1000000 * rate.den, rate.num);
}

struct sim_period dram_clock_period(const struct dram_params *p)
{
	struct fraction burst = beats_ps(p, p->burst_beats);
	struct fraction ck = p->t_ck_ps ? (struct fraction){p->t_ck_ps, 1} : beats_ps(p, p->ck_beats);
	uint64_t den = ck.den / gcd(ck.den, burst.den) * burst.den;

	return (struct sim_period){ck.num * (den / ck.den), den};
}

static void check_clock(const struct dram_params *p, struct base_diag_list *diag)
{
	const struct base_place nowhere = {0};

	if (p->t_ck_ps ? p->t_ck_ps < 100 : !p->data_rate_mbps) {
		base_diag_error(diag, nowhere,
				"dram.t_ck_ps: %llu; expected 100 or more, or 0 with a dram.data_rate_mbps above 0",
				(unsigned long long)p->t_ck_ps);
	} else if (p->t_ck_ps ? beats_ps(p, p->burst_beats).den != 1 : dram_clock_period(p).den > UNITS_PER_PS_MAX) {
		base_diag_error(
		    diag, nowhere,
		    "dram.data_rate_mbps: %llu transfers at this rate take no whole number of %s; choose a rate "
		    "that divides, or 0 for dram.ck_beats transfers per tCK",
		    (unsigned long long)p->burst_beats, p->t_ck_ps ? "ps" : "1/1800 ps or more");
	}
}

/* What a rank gives in tCCD is what its bus carries at least: else the rate that is stated, and printed as the peak, is
 * none that the timing lets through. The rules of check_clock hold. */
static void check_rate(const struct dram_params *p, struct base_diag_list *diag)
{
	const struct sim_period ck = dram_clock_period(p);
	const struct fraction burst = beats_ps(p, p->burst_beats);
	const double bytes = (double)(p->burst_beats * p->data_bits) / BASE_BITS_PER_BYTE;
	const double ccd_ps = (double)(p->t_ccd * ck.num_ps) / (double)ck.den;
	const char *key = p->data_rate_mbps ? "dram.data_rate_mbps" : "dram.ck_beats";

	if (p->t_ccd * ck.num_ps * burst.den <= burst.num * ck.den)
		return;
	base_diag_error(diag, base_diag_place(diag, key),
			"%s = %llu: states %.4g GB/s of a vault's bus, but with dram.t_ccd = %llu and a tCK of %.6g ps "
			"a burst of %.0f bytes takes %.6g ps, %.4g GB/s: state the timing of this rate, too, as a "
			"memory standard does (dram.standard), or a lower rate",
			key, (unsigned long long)(p->data_rate_mbps ? p->data_rate_mbps : p->ck_beats),
			bytes * 1000 * (double)burst.den / (double)burst.num, (unsigned long long)p->t_ccd,
			(double)ck.num_ps / (double)ck.den, bytes, ccd_ps, bytes * 1000 / ccd_ps);
}

/* Rounded up to whole clocks; none where the standard has no such time. */
static int32_t cycles_of_ns(double ns, const struct dram_params *p)
{
	struct sim_period ck = dram_clock_period(p);
	uint64_t ps = (uint64_t)(ns * BASE_PS_PER_NS + 0.5);

	return ps ? (int32_t)((ps * ck.den + ck.num_ps - 1) / ck.num_ps) : ABSENT;
}

/* Between two refreshes of a bank an access must fit, or none ever does; between those of two banks, an ACT of others.
 * The rules before this one hold. */
static void check_refresh(const struct dram_params *p, struct base_diag_list *diag)
{
	const struct base_place nowhere = {0};
	const struct sim_period ck = dram_clock_period(p);
	const bool is_all_bank = p->refresh_mode == DRAM_REFRESH_ALL_BANK;
	const int32_t rfc = cycles_of_ns(is_all_bank ? p->t_rfc_ns : p->t_rfc_pb_ns, p);
	const int32_t apart = cycles_of_ns(p->t_pbr2pbr_ns > p->t_rrefd_ns ? p->t_pbr2pbr_ns : p->t_rrefd_ns, p);
	const uint64_t rc = p->t_rc ? p->t_rc : p->t_ras + p->t_rp;
	const uint64_t refi = (uint64_t)(p->t_refi_ns * BASE_PS_PER_NS) * ck.den / ck.num_ps;
	const uint64_t unit_count = p->refresh_mode == DRAM_REFRESH_PER_BANK ? p->bank_count :
								p->bank_count / p->group_count;
	/* What is due goes before an ACT, which must fit in between: PRE and REFB of every rank, ACT to REFB. */
	const uint64_t least = (apart > 0 ? (uint64_t)apart : 0) + 2 * p->rank_count +
			       (p->t_rrd_l > p->t_rrd ? p->t_rrd_l : p->t_rrd);

	if (refi <= (uint64_t)rfc + rc + p->t_rcd)
		base_diag_error(diag, nowhere,
				"dram.t_refi_ns: %llu tCK, of which a refresh takes %d, leave no time for an access",
				(unsigned long long)refi, rfc);
	else if (!is_all_bank && refi / unit_count < least)
		base_diag_error(diag, nowhere,
				"dram.t_refi_ns: %llu tCK for the refreshes of %llu banks, where each needs %llu, "
				"leave no time for accesses",
				(unsigned long long)refi, (unsigned long long)unit_count, (unsigned long long)least);
}

bool dram_params_check(const struct dram_params *p, struct base_diag_list *diag)
{
	const struct base_place nowhere = {0};
	uint32_t before = diag->error_count;
	const struct {
		const char *name;
		uint64_t value;
	} powers[] = {
		{"rank_count", p->rank_count},
		{"bank_count", p->bank_count},
		{"group_count", p->group_count},
		{"row_bytes", p->row_bytes},
		{"data_bits", p->data_bits},
		{"burst_beats", p->burst_beats},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(powers); i++) {
		if (!base_is_power_of_two(powers[i].value))
			base_diag_error(diag, nowhere, "dram.%s: %llu is not a power of two", powers[i].name,
					(unsigned long long)powers[i].value);
	}
	check_clock(p, diag);
	if (p->rank_count * p->bank_count > DRAM_BANK_MAX)
		base_diag_error(diag, nowhere,
				"dram.rank_count * bank_count: %llu banks in a vault; expected at most %d",
				(unsigned long long)(p->rank_count * p->bank_count), DRAM_BANK_MAX);
	if (p->group_count > p->bank_count)
		base_diag_error(diag, nowhere, "dram.group_count: more groups than the %llu banks of a rank",
				(unsigned long long)p->bank_count);
	if (p->vault_count % p->pseudo_count)
		base_diag_error(diag, nowhere, "dram.pseudo_count: vault_count is not a multiple of it");
	if (dram_column_bytes(p) == 0 || dram_column_bytes(p) > p->row_bytes)
		base_diag_error(diag, nowhere, "dram.burst_beats: a column access of %llu bits does not fit a row",
				(unsigned long long)(p->burst_beats * p->data_bits));
	if (p->t_rc && p->t_rc < p->t_ras + p->t_rp)
		base_diag_error(diag, nowhere, "dram.t_rc: %llu is less than t_ras + t_rp = %llu; 0 means their sum",
				(unsigned long long)p->t_rc, (unsigned long long)(p->t_ras + p->t_rp));
	if (p->t_faw < p->t_rrd)
		base_diag_error(diag, nowhere, "dram.t_faw: less than t_rrd");
	if (p->read_queue_entries > p->queue_entries || p->write_queue_entries > p->queue_entries)
		base_diag_error(diag, nowhere,
				"dram.read_queue_entries, write_queue_entries: more than dram.queue_entries");
	if (p->write_queue_entries && p->write_queue_entries < p->write_high_count)
		base_diag_error(diag, nowhere, "dram.write_queue_entries: less than dram.write_high_count");
	if (p->write_low_count >= p->write_high_count || p->write_high_count > p->queue_entries)
		base_diag_error(diag, nowhere,
				"dram.write_low_count, write_high_count, queue_entries: expected low < high <= queue");
	if (p->refresh && p->t_refi_ns < 2 * p->t_rfc_ns)
		base_diag_error(diag, nowhere, "dram.t_refi_ns: less than twice t_rfc_ns leaves no time for accesses");
	if (p->refresh_mode != DRAM_REFRESH_ALL_BANK && p->t_rfc_pb_ns <= 0)
		base_diag_error(diag, nowhere, "dram.refresh_mode: a refresh of single banks needs dram.t_rfc_pb_ns");
	if (diag->error_count == before)
		check_rate(p, diag);
	if (p->refresh && diag->error_count == before)
		check_refresh(p, diag);
	return diag->error_count == before;
}

uint64_t dram_column_bytes(const struct dram_params *p)
{
	return p->burst_beats * p->data_bits / 8;
}

double dram_vault_peak_bytes_per_s(const struct dram_params *p)
{
	struct fraction burst = beats_ps(p, p->burst_beats);

	return (double)dram_column_bytes(p) * BASE_PS_PER_S * (double)burst.den / (double)burst.num;
}

uint64_t dram_burst_units(const struct dram_params *p, uint64_t units_per_ps)
{
	struct fraction burst = beats_ps(p, p->burst_beats);

	CHECK(units_per_ps % burst.den == 0);
	return burst.num * (units_per_ps / burst.den);
}

uint32_t dram_vault_bank_count(const struct dram_params *p)
{
	return (uint32_t)(p->rank_count * p->bank_count);
}

/* ---- the table ---- */

static int32_t cycles_or(uint64_t cycles, uint64_t otherwise)
{
	return (int32_t)(cycles ? cycles : otherwise);
}

static int32_t cycles_or_none(uint64_t cycles)
{
	return cycles ? (int32_t)cycles : ABSENT;
}

uint32_t dram_constraints(const struct dram_params *p, struct dram_constraint rows[DRAM_CONSTRAINT_MAX])
{
	enum {
		ACT = 1 << DRAM_ACT, PRE = 1 << DRAM_PRE, PREA = 1 << DRAM_PREA, REF = 1 << DRAM_REF,
		REFB = 1 << DRAM_REFB, RFM = 1 << DRAM_RFM, PDE = 1 << DRAM_PDE, PDX = 1 << DRAM_PDX,
		SRE = 1 << DRAM_SRE, SRX = 1 << DRAM_SRX, RDA = 1 << DRAM_RDA, WRA = 1 << DRAM_WRA,
		RD = 1 << DRAM_RD, WR = 1 << DRAM_WR, READ = RD | RDA, WRITE = WR | WRA, COLUMN = READ | WRITE,
		OF_BANK = ACT | REFB | RFM, /* what finds a closed bank, */
		OF_RANK = REF | SRE,	    /* and all banks of a rank closed */
		VALID = COLUMN | OF_BANK | OF_RANK | PRE | PREA,
	};
	const bool has_groups = p->group_count > 1, is_same_bank = p->refresh_mode == DRAM_REFRESH_SAME_BANK;
	const char *rfcb = is_same_bank ? "tRFCsb" : "tRFCpb";
	const int32_t rp = (int32_t)p->t_rp, rtp = (int32_t)p->t_rtp, wr = (int32_t)p->t_wr, ras = (int32_t)p->t_ras;
	const int32_t rcd = (int32_t)p->t_rcd, cl = (int32_t)p->t_cl, cwl = (int32_t)p->t_cwl;
	const int32_t rc = cycles_or(p->t_rc, p->t_ras + p->t_rp), rcd_wr = cycles_or(p->t_rcd_wr, p->t_rcd);
	const int32_t rrd = (int32_t)p->t_rrd, rrd_l = has_groups ? cycles_or(p->t_rrd_l, p->t_rrd) : ABSENT;
	const int32_t ccd = (int32_t)p->t_ccd, ccd_l = has_groups ? cycles_or(p->t_ccd_l, p->t_ccd) : ABSENT;
	const int32_t ccd_l_wr = has_groups ? cycles_or(p->t_ccd_l_wr, (uint64_t)ccd_l) : ABSENT;
	const int32_t wtr = (int32_t)p->t_wtr, wtr_l = has_groups ? cycles_or(p->t_wtr_l, p->t_wtr) : ABSENT;
	const int32_t faw = (int32_t)p->t_faw, rtw = (int32_t)p->t_rtw - cwl, ppd = cycles_or_none(p->t_ppd);
	const bool switches_ranks = p->rank_count > 1 && p->t_rtrs;
	const int32_t rtrs_rd = switches_ranks ? (int32_t)p->t_rtrs - cl : ABSENT;
	const int32_t rtrs_wr = switches_ranks ? (int32_t)p->t_rtrs - cwl : ABSENT;
	const int32_t rfc = cycles_of_ns(p->t_rfc_ns, p), rfc_b = cycles_of_ns(p->t_rfc_pb_ns, p);
	const int32_t rrefd = cycles_of_ns(p->t_rrefd_ns, p), rfm = cycles_of_ns(p->t_rfm_ns, p);
	const int32_t b_to_b = cycles_of_ns(p->t_pbr2pbr_ns > 0 ? p->t_pbr2pbr_ns : p->t_rrefd_ns, p);
	const int32_t xs = cycles_of_ns(p->t_xs_ns, p), ckesr = (int32_t)p->t_ckesr;
	const int32_t xp = (int32_t)p->t_xp, cke = (int32_t)p->t_cke;
	/* A refresh of one bank opens a row of it: where it goes bank by bank, it counts as an ACT. */
	const uint32_t faw_set = p->refresh_mode == DRAM_REFRESH_PER_BANK ? ACT | REFB : ACT;

#define ROW(name, from, to, scope, anchor, cycles) \
	{name, from, to, DRAM_SCOPE_##scope, DRAM_SAME, 1, DRAM_FROM_##anchor, cycles}
	const struct dram_constraint table[] = {
		ROW("tRCD", ACT, READ, BANK, COMMAND, rcd),
		ROW("tRCDWR", ACT, WRITE, BANK, COMMAND, rcd_wr),
		ROW("tRAS", ACT, PRE, BANK, COMMAND, ras),
		ROW("tRAS", ACT, PREA, RANK, COMMAND, ras),
		ROW("tRC", ACT, OF_BANK, BANK, COMMAND, rc),
		ROW("tRC", ACT, OF_RANK, RANK, COMMAND, rc),
		ROW("tRP", PRE, OF_BANK, BANK, COMMAND, rp),
		ROW("tRP", PRE, OF_RANK, RANK, COMMAND, rp),
		ROW("tRP", PREA, OF_BANK | OF_RANK, RANK, COMMAND, rp),
		ROW("tRTP", RD, PRE, BANK, COMMAND, rtp),
		ROW("tRTP", RD, PREA, RANK, COMMAND, rtp),
		ROW("tWR", WR, PRE, BANK, DATA_END, wr),
		ROW("tWR", WR, PREA, RANK, DATA_END, wr),
		ROW("tRTP + tRP", RDA, OF_BANK, BANK, COMMAND, rtp + rp),
		ROW("tRTP + tRP", RDA, OF_RANK, RANK, COMMAND, rtp + rp),
		/* After a WR as well: an RDA may have precharged. */
		ROW("tWR + tRP", WRITE, OF_BANK, BANK, DATA_END, wr + rp),
		ROW("tWR + tRP", WRITE, OF_RANK, RANK, DATA_END, wr + rp),
		ROW(has_groups ? "tRRD_S" : "tRRD", ACT, ACT | REFB, RANK, COMMAND, rrd),
		ROW("tRRD_L", ACT, ACT | REFB, GROUP, COMMAND, rrd_l),
		{"tFAW", faw_set, faw_set, DRAM_SCOPE_RANK, DRAM_SAME, DRAM_FAW_COUNT, DRAM_FROM_COMMAND, faw},
		ROW("tPPD", PRE | PREA, PRE | PREA, RANK, COMMAND, ppd),
		ROW(has_groups ? "tCCD_S" : "tCCD", COLUMN, COLUMN, RANK, COMMAND, ccd),
		ROW("tCCD_L", READ, READ, GROUP, COMMAND, ccd_l),
		ROW("tCCD_L_WR", WRITE, WRITE, GROUP, COMMAND, ccd_l_wr),
		ROW(has_groups ? "tWTR_S" : "tWTR", WRITE, READ, RANK, DATA_END, wtr),
		ROW("tWTR_L", WRITE, READ, GROUP, DATA_END, wtr_l),
		ROW("tRTW", READ, WRITE, CHANNEL, DATA_END, rtw),
		{"tRTRS", COLUMN, READ, DRAM_SCOPE_CHANNEL, DRAM_OTHER_RANK, 1, DRAM_FROM_DATA_END, rtrs_rd},
		{"tRTRS", COLUMN, WRITE, DRAM_SCOPE_CHANNEL, DRAM_OTHER_RANK, 1, DRAM_FROM_DATA_END, rtrs_wr},
		ROW("tRFC", REF, OF_BANK | OF_RANK | PREA, RANK, COMMAND, rfc),
		ROW(rfcb, REFB, OF_BANK, BANK, COMMAND, rfc_b),
		ROW(rfcb, REFB, OF_RANK, RANK, COMMAND, rfc_b),
		ROW("tRREFD", REFB, ACT, RANK, COMMAND, rrefd),
		ROW("tpbR2pbR", REFB, REFB | RFM, RANK, COMMAND, b_to_b),
		ROW("tRFM", RFM, OF_BANK, BANK, COMMAND, rfm),
		ROW("tRFM", RFM, OF_RANK, RANK, COMMAND, rfm),
		ROW("tRREFD", RFM, ACT | REFB | RFM, RANK, COMMAND, rrefd),
		ROW("tXP", PDX, VALID, RANK, COMMAND, xp),
		ROW("tCKE", PDE, PDX, RANK, COMMAND, cke),
		ROW("tCKE", PDX, PDE, RANK, COMMAND, cke),
		ROW("tRDPDEN", READ, PDE | SRE, RANK, DATA_END, 1),
		ROW("tWRPDEN", WR, PDE, RANK, DATA_END, wr),
		ROW("tWRAPDEN", WRA, PDE, RANK, DATA_END, wr + 1),
		ROW("tXS", SRX, VALID | PDE, RANK, COMMAND, xs),
		ROW("tCKESR", SRE, SRX, RANK, COMMAND, ckesr),
	};
#undef ROW
	uint32_t count = 0;

	_Static_assert(ARRAY_COUNT(table) <= DRAM_CONSTRAINT_MAX, "a table of constraints has room");
	for (uint32_t i = 0; i < ARRAY_COUNT(table); i++) {
		if (table[i].cycles != ABSENT)
			rows[count++] = table[i];
	}
	return count;
}
