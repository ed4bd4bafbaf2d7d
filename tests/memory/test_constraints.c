/* The timing of every memory in memories/, edge by edge, against closed forms written here: each rule alone, legal at t
 * and not at t-1 for the bank model and the auditor; and random streams of commands, in which the bank model, the
 * auditor and the closed forms agree on every first legal cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <glib.h>
#include <math.h>

#include "mem/audit.h"
#include "memory/standard.h"

enum { EVENTS_MAX = 256, RULES_MAX = 64, VAULTS_MAX = 2, TEXT_MAX = 4096 };

#define SET(c) (1u << DRAM_##c)
#define READS (SET(RD) | SET(RDA))
#define WRITES (SET(WR) | SET(WRA))
#define COLUMNS (READS | WRITES)
#define CLOSED_BANK (SET(ACT) | SET(REFB) | SET(RFM))
#define CLOSED_RANK (SET(REF) | SET(SRE))

/* ---- the closed forms ---- */

enum where { IN_BANK, IN_GROUP, IN_RANK, ANYWHERE, OTHER_RANK };

struct rule {
	const char *name;
	uint32_t from, to;
	enum where where;
	bool is_after_data;
	int64_t cycles;
};

struct event {
	enum dram_command command;
	uint32_t vault, bank;
	int64_t cycle, data_end; /* data_end: in the units of `ck` below */
};

/* A memory as the closed forms see it. */
struct memory {
	struct dram_params p;
	int64_t ck, burst; /* in a unit of time that measures both */
	struct rule rules[RULES_MAX];
	uint32_t rule_count, faw_set;
};

/* What JEDEC calls 2133 is 6400/3, and so on. */
static double exact_rate(uint64_t mbps)
{
	const double thirds[] = {3200, 4000, 5600, 6400, 8000, 8800, 22400, 25600};

	for (uint32_t i = 0; i < G_N_ELEMENTS(thirds); i++) {
		if (fabs(thirds[i] / 3 - (double)mbps) < 0.67)
			return thirds[i] / 3;
	}
	return (double)mbps;
}

static double ck_ps(const struct dram_params *p)
{
	return p->t_ck_ps ? (double)p->t_ck_ps : (double)p->ck_beats * 1e6 / exact_rate(p->data_rate_mbps);
}

static int64_t clocks(const struct dram_params *p, double ns)
{
	return (int64_t)ceil(ns * 1000 / ck_ps(p) - 1e-6);
}

static int64_t either(uint64_t first, uint64_t second)
{
	return (int64_t)(first ? first : second);
}

static void add(struct memory *m, const char *name, uint32_t from, uint32_t to, enum where where, int64_t cycles)
{
	if (cycles > 0)
		m->rules[m->rule_count++] = (struct rule){name, from, to, where, false, cycles};
}

static void add_after_data(struct memory *m, const char *name, uint32_t from, uint32_t to, enum where where,
			   int64_t cycles)
{
	m->rules[m->rule_count++] = (struct rule){name, from, to, where, true, cycles};
}

static void make(struct memory *m, const struct dram_params *p)
{
	const bool has_groups = p->group_count > 1, is_per_bank = p->refresh_mode == DRAM_REFRESH_PER_BANK;
	const char *rfc_b = p->refresh_mode == DRAM_REFRESH_SAME_BANK ? "tRFCsb" : "tRFCpb";
	int64_t rp = (int64_t)p->t_rp, rc = either(p->t_rc, p->t_ras + p->t_rp), wr = (int64_t)p->t_wr;
	int64_t rtp = (int64_t)p->t_rtp, cl = (int64_t)p->t_cl, cwl = (int64_t)p->t_cwl;
	int64_t ccd_l = either(p->t_ccd_l, p->t_ccd);
	uint32_t all = COLUMNS | CLOSED_BANK | CLOSED_RANK | SET(PRE) | SET(PREA);

	memset(m, 0, sizeof(*m));
	m->p = *p;
	m->ck = p->t_ck_ps && p->data_rate_mbps ? (int64_t)(p->t_ck_ps * p->data_rate_mbps) : (int64_t)p->ck_beats;
	m->burst = (int64_t)p->burst_beats * (p->t_ck_ps && p->data_rate_mbps ? 1000000 : 1);
	m->faw_set = SET(ACT) | (is_per_bank ? SET(REFB) : 0);
	add(m, "tRCD", SET(ACT), READS, IN_BANK, (int64_t)p->t_rcd);
	add(m, "tRCDWR", SET(ACT), WRITES, IN_BANK, either(p->t_rcd_wr, p->t_rcd));
	add(m, "tRAS", SET(ACT), SET(PRE), IN_BANK, (int64_t)p->t_ras);
	add(m, "tRAS", SET(ACT), SET(PREA), IN_RANK, (int64_t)p->t_ras);
	add(m, "tRC", SET(ACT), CLOSED_BANK, IN_BANK, rc);
	add(m, "tRC", SET(ACT), CLOSED_RANK, IN_RANK, rc);
	add(m, "tRP", SET(PRE), CLOSED_BANK, IN_BANK, rp);
	add(m, "tRP", SET(PRE), CLOSED_RANK, IN_RANK, rp);
	add(m, "tRP", SET(PREA), CLOSED_BANK | CLOSED_RANK, IN_RANK, rp);
	add(m, "tRTP", SET(RD), SET(PRE), IN_BANK, rtp);
	add(m, "tRTP", SET(RD), SET(PREA), IN_RANK, rtp);
	add_after_data(m, "tWR", SET(WR), SET(PRE), IN_BANK, wr);
	add_after_data(m, "tWR", SET(WR), SET(PREA), IN_RANK, wr);
	add(m, "tRTP + tRP", SET(RDA), CLOSED_BANK, IN_BANK, rtp + rp);
	add(m, "tRTP + tRP", SET(RDA), CLOSED_RANK, IN_RANK, rtp + rp);
	add_after_data(m, "tWR + tRP", WRITES, CLOSED_BANK, IN_BANK, wr + rp);
	add_after_data(m, "tWR + tRP", WRITES, CLOSED_RANK, IN_RANK, wr + rp);
	add(m, "tRRD", SET(ACT), SET(ACT) | SET(REFB), IN_RANK, (int64_t)p->t_rrd);
	add(m, "tPPD", SET(PRE) | SET(PREA), SET(PRE) | SET(PREA), IN_RANK, (int64_t)p->t_ppd);
	add(m, "tCCD", COLUMNS, COLUMNS, IN_RANK, (int64_t)p->t_ccd);
	add_after_data(m, "tWTR", WRITES, READS, IN_RANK, (int64_t)p->t_wtr);
	if (has_groups) {
		add(m, "tRRD_L", SET(ACT), SET(ACT) | SET(REFB), IN_GROUP, either(p->t_rrd_l, p->t_rrd));
		add(m, "tCCD_L", READS, READS, IN_GROUP, ccd_l);
		add(m, "tCCD_L_WR", WRITES, WRITES, IN_GROUP, either(p->t_ccd_l_wr, (uint64_t)ccd_l));
		add_after_data(m, "tWTR_L", WRITES, READS, IN_GROUP, either(p->t_wtr_l, p->t_wtr));
	}
	add_after_data(m, "tRTW", READS, WRITES, ANYWHERE, (int64_t)p->t_rtw - cwl);
	if (p->rank_count > 1 && p->t_rtrs) {
		add_after_data(m, "tRTRS", COLUMNS, READS, OTHER_RANK, (int64_t)p->t_rtrs - cl);
		add_after_data(m, "tRTRS", COLUMNS, WRITES, OTHER_RANK, (int64_t)p->t_rtrs - cwl);
	}
	add(m, "tRFC", SET(REF), CLOSED_BANK | CLOSED_RANK | SET(PREA), IN_RANK, clocks(p, p->t_rfc_ns));
	add(m, rfc_b, SET(REFB), CLOSED_BANK, IN_BANK, clocks(p, p->t_rfc_pb_ns));
	add(m, rfc_b, SET(REFB), CLOSED_RANK, IN_RANK, clocks(p, p->t_rfc_pb_ns));
	add(m, "tRREFD", SET(REFB), SET(ACT), IN_RANK, clocks(p, p->t_rrefd_ns));
	add(m, "tpbR2pbR", SET(REFB), SET(REFB) | SET(RFM), IN_RANK,
	    clocks(p, p->t_pbr2pbr_ns > 0 ? p->t_pbr2pbr_ns : p->t_rrefd_ns));
	add(m, "tRFM", SET(RFM), CLOSED_BANK, IN_BANK, clocks(p, p->t_rfm_ns));
	add(m, "tRFM", SET(RFM), CLOSED_RANK, IN_RANK, clocks(p, p->t_rfm_ns));
	add(m, "tRREFD", SET(RFM), CLOSED_BANK, IN_RANK, clocks(p, p->t_rrefd_ns));
	add(m, "tXP", SET(PDX), all, IN_RANK, (int64_t)p->t_xp);
	add(m, "tCKE", SET(PDE), SET(PDX), IN_RANK, (int64_t)p->t_cke);
	add(m, "tCKE", SET(PDX), SET(PDE), IN_RANK, (int64_t)p->t_cke);
	add_after_data(m, "tRDPDEN", READS, SET(PDE) | SET(SRE), IN_RANK, 1);
	add_after_data(m, "tWRPDEN", SET(WR), SET(PDE), IN_RANK, wr);
	add_after_data(m, "tWRAPDEN", SET(WRA), SET(PDE), IN_RANK, wr + 1);
	add(m, "tXS", SET(SRX), all | SET(PDE), IN_RANK, clocks(p, p->t_xs_ns));
	add(m, "tCKESR", SET(SRE), SET(SRX), IN_RANK, (int64_t)p->t_ckesr);
	assert_true(m->rule_count <= RULES_MAX);
}

static bool is_in(enum dram_command c, uint32_t set)
{
	return set >> c & 1;
}

static uint32_t rank_of(const struct memory *m, uint32_t bank)
{
	return bank / (uint32_t)m->p.bank_count;
}

static bool reaches(const struct memory *m, enum dram_command c, uint32_t bank, uint32_t other)
{
	uint32_t groups = (uint32_t)m->p.group_count;
	bool is_part = c == DRAM_REFB || (c == DRAM_RFM && m->p.refresh_mode != DRAM_REFRESH_ALL_BANK);

	if (is_in(c, COLUMNS | SET(ACT) | SET(PRE)) || (is_part && m->p.refresh_mode == DRAM_REFRESH_PER_BANK))
		return bank == other;
	return is_part ? bank / groups == other / groups : rank_of(m, bank) == rank_of(m, other);
}

static bool is_related(const struct memory *m, enum where where, const struct event *a, const struct event *b)
{
	bool is_rank = rank_of(m, a->bank) == rank_of(m, b->bank);
	uint32_t banks = (uint32_t)(m->p.bank_count * m->p.rank_count), groups = (uint32_t)m->p.group_count;

	if (where >= IN_RANK)
		return where == ANYWHERE || is_rank == (where == IN_RANK);
	for (uint32_t i = 0; is_rank && i < banks; i++) {
		for (uint32_t k = 0; k < banks; k++) {
			if (reaches(m, a->command, a->bank, i) && reaches(m, b->command, b->bank, k) &&
			    rank_of(m, i) == rank_of(m, k) && (where == IN_BANK ? i == k : i % groups == k % groups))
				return true;
		}
	}
	return false;
}

static int64_t latency(const struct memory *m, enum dram_command c)
{
	return (int64_t)(is_in(c, WRITES) ? m->p.t_cwl : m->p.t_cl);
}

static int64_t on_bus(const struct memory *m, enum dram_command c)
{
	return (int64_t)(c == DRAM_ACT ? m->p.command_act_cycles
			 : is_in(c, COLUMNS) ? m->p.command_column_cycles
					     : 1);
}

static int64_t up(int64_t a, int64_t b)
{
	return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/* What a rule says of e after f, or less than any cycle. */
static int64_t bound(const struct memory *m, const struct rule *r, const struct event *f, const struct event *e)
{
	if (f->vault != e->vault || !is_in(f->command, r->from) || !is_in(e->command, r->to) ||
	    !is_related(m, r->where, f, e))
		return INT64_MIN;
	return r->is_after_data ? up(f->data_end + r->cycles * m->ck, m->ck) : f->cycle + r->cycles;
}

static int64_t window_bound(const struct memory *m, const struct event *events, uint32_t count, const struct event *e)
{
	uint32_t acts = 0;

	if (!is_in(e->command, m->faw_set))
		return INT64_MIN;
	for (uint32_t i = count; i-- > 0;) {
		const struct event *f = &events[i];

		if (f->vault == e->vault && is_in(f->command, m->faw_set) &&
		    rank_of(m, f->bank) == rank_of(m, e->bank) && ++acts == 4)
			return f->cycle + (int64_t)m->p.t_faw;
	}
	return INT64_MIN;
}

static int64_t bus_free(const struct event *events, uint32_t count, uint32_t vault)
{
	int64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (events[i].vault == vault && events[i].data_end > end)
			end = events[i].data_end;
	}
	return end;
}

/* The first cycle >= from at which e may follow the events. */
static int64_t first_legal(const struct memory *m, const struct event *events, uint32_t count, const struct event *e,
			   int64_t from)
{
	int64_t cycle = MAX(from, window_bound(m, events, count, e));
	bool is_column = is_in(e->command, COLUMNS);

	for (uint32_t i = 0; i < count; i++) {
		const struct event *f = &events[i];

		if (!m->p.dual_command_bus || is_in(f->command, COLUMNS) == is_column)
			cycle = MAX(cycle, f->cycle + on_bus(m, f->command));
		for (uint32_t k = 0; k < m->rule_count; k++)
			cycle = MAX(cycle, bound(m, &m->rules[k], f, e));
	}
	if (is_column)
		cycle = MAX(cycle, bus_free(events, count, e->vault) / m->ck - latency(m, e->command));
	return cycle;
}

/* Its data, when it is issued at e->cycle. */
static void end_data(const struct memory *m, const struct event *events, uint32_t count, struct event *e)
{
	if (is_in(e->command, COLUMNS))
		e->data_end = MAX((e->cycle + latency(m, e->command)) * m->ck, bus_free(events, count, e->vault)) +
			      m->burst;
}

/* ---- the two under test ---- */

struct bench {
	struct dram_timing timing;
	struct dram_banks banks[VAULTS_MAX];
	struct dram_command_bus bus;
	struct mem_audit *audit[VAULTS_MAX];
	uint32_t violation_count;
	char text[TEXT_MAX];
};

static void on_violation(void *ctx, const char *text)
{
	struct bench *b = ctx;

	b->violation_count++;
	g_strlcat(b->text, text, sizeof(b->text));
	g_strlcat(b->text, "; ", sizeof(b->text));
}

static void begin(struct bench *b, const struct dram_params *p)
{
	struct sim_period ck = dram_clock_period(p);

	memset(b, 0, sizeof(*b));
	dram_timing_init(&b->timing, p, ck.num_ps, ck.den);
	for (uint32_t i = 0; i < VAULTS_MAX; i++) {
		dram_banks_init(&b->banks[i], &b->timing, &b->bus);
		b->audit[i] = mem_audit_new(p, ck.den, on_violation, b);
	}
	mem_audit_share_bus(b->audit[1], b->audit[0]);
}

static void end(struct bench *b)
{
	for (uint32_t i = VAULTS_MAX; i-- > 0;)
		mem_audit_free(b->audit[i]);
}

static void issue(struct bench *b, const struct event *e)
{
	dram_banks_issue(&b->banks[e->vault], e->command, e->bank, 7, (uint64_t)e->cycle);
	mem_audit_command(b->audit[e->vault], e->command, e->bank, 7, (uint64_t)e->cycle);
}

static bool is_legal(struct bench *b, const struct event *e, int64_t cycle)
{
	return dram_banks_is_legal(&b->banks[e->vault], e->command, e->bank, 7, (uint64_t)cycle);
}

/* What an auditor of its own says of these events and then e at cycle; into text. */
static uint32_t audit_says(const struct dram_params *p, const struct event *events, uint32_t count,
			   const struct event *e, int64_t cycle, char *text)
{
	struct bench *b = g_new(struct bench, 1);
	uint32_t violation_count;

	begin(b, p);
	for (uint32_t i = 0; i < count; i++)
		mem_audit_command(b->audit[events[i].vault], events[i].command, events[i].bank, 7,
				  (uint64_t)events[i].cycle);
	if (b->violation_count)
		fail_msg("the auditor refuses what came before: %s", b->text);
	mem_audit_command(b->audit[e->vault], e->command, e->bank, 7, (uint64_t)cycle);
	violation_count = b->violation_count;
	strcpy(text, b->text);
	end(b);
	g_free(b);
	return violation_count;
}

/* ---- each rule alone ---- */

/* The least of everything but what makes one rule: no rule hides it then. */
static struct dram_params relaxed(const struct dram_params *p, const char *rule)
{
	struct dram_params r = *p;
	const double least_ns = 0.001;
	bool is_after_data = !strncmp(rule, "tWTR", 4) || !strncmp(rule, "tRTW", 4) || !strncmp(rule, "tRTRS", 5);

	r.refresh = false;
	r.command_act_cycles = r.command_column_cycles = 1;
	if (!is_after_data)
		r.burst_beats = 1;
	r.t_rp = r.t_rcd = r.t_ccd = r.t_wr = r.t_ras = r.t_rrd = r.t_faw = r.t_wtr = r.t_rtp = r.t_rtw = 1;
	r.t_xp = r.t_cke = r.t_ckesr = 1;
	r.t_rc = r.t_rcd_wr = r.t_ccd_l = r.t_ccd_l_wr = r.t_rrd_l = r.t_wtr_l = r.t_rtrs = r.t_ppd = 0;
	r.t_rfc_ns = r.t_xs_ns = least_ns;
	r.t_rfc_pb_ns = r.t_rfm_ns = least_ns;
	r.t_rrefd_ns = r.t_pbr2pbr_ns = 0;
#define KEEP(name, field) \
	if (!strcmp(rule, name)) \
	r.field = p->field
	KEEP("tRCD", t_rcd);
	KEEP("tRCDWR", t_rcd);
	KEEP("tRCDWR", t_rcd_wr);
	KEEP("tRAS", t_ras);
	KEEP("tRP", t_rp);
	KEEP("tRTP", t_rtp);
	KEEP("tWR", t_wr);
	KEEP("tRTP + tRP", t_rtp);
	KEEP("tRTP + tRP", t_rp);
	KEEP("tWR + tRP", t_wr);
	KEEP("tWR + tRP", t_rp);
	KEEP("tRRD", t_rrd);
	KEEP("tFAW", t_faw);
	KEEP("tPPD", t_ppd);
	KEEP("tCCD", t_ccd);
	KEEP("tWTR", t_wtr);
	KEEP("tRTW", t_rtw);
	KEEP("tRTRS", t_rtrs);
	KEEP("tRFC", t_rfc_ns);
	KEEP("tRFCpb", t_rfc_pb_ns);
	KEEP("tRFCsb", t_rfc_pb_ns);
	KEEP("tRREFD", t_rrefd_ns);
	KEEP("tpbR2pbR", t_rrefd_ns);
	KEEP("tpbR2pbR", t_pbr2pbr_ns);
	KEEP("tRFM", t_rfm_ns);
	KEEP("tXP", t_xp);
	KEEP("tCKE", t_cke);
	KEEP("tWRPDEN", t_wr);
	KEEP("tWRAPDEN", t_wr);
	KEEP("tXS", t_xs_ns);
	KEEP("tCKESR", t_ckesr);
#undef KEEP
	if (!strcmp(rule, "tRC"))
		r.t_rc = (uint64_t)either(p->t_rc, p->t_ras + p->t_rp);
	if (!strcmp(rule, "tRRD_L"))
		r.t_rrd_l = (uint64_t)either(p->t_rrd_l, p->t_rrd);
	if (!strcmp(rule, "tCCD_L"))
		r.t_ccd_l = (uint64_t)either(p->t_ccd_l, p->t_ccd);
	if (!strcmp(rule, "tCCD_L_WR"))
		r.t_ccd_l_wr = (uint64_t)either(p->t_ccd_l_wr, (uint64_t)either(p->t_ccd_l, p->t_ccd));
	if (!strcmp(rule, "tWTR_L"))
		r.t_wtr_l = (uint64_t)either(p->t_wtr_l, p->t_wtr);
	return r;
}

struct story {
	struct event events[16];
	uint32_t count;
};

static void tell(const struct memory *m, struct story *s, enum dram_command c, uint32_t bank, int64_t cycle)
{
	struct event e = {c, 0, bank, cycle, 0};

	end_data(m, s->events, s->count, &e);
	s->events[s->count++] = e;
}

/* What makes `from` to bank a legal at cycle 20000, and `to` to bank b legal in state after it. */
static void prepare(const struct memory *m, struct story *s, enum dram_command from, uint32_t a, enum dram_command to,
		    uint32_t b)
{
	const int64_t at = 20000;
	const uint32_t needs_open = COLUMNS | SET(PRE), needs_closed = CLOSED_BANK | CLOSED_RANK;

	s->count = 0;
	if (is_in(from, needs_open | SET(PREA)))
		tell(m, s, DRAM_ACT, a, 1000);
	if (is_in(to, needs_open) && !(a == b && is_in(from, needs_open | SET(PREA) | SET(ACT))))
		tell(m, s, DRAM_ACT, b, 2000);
	if (from == DRAM_PDX)
		tell(m, s, DRAM_PDE, a, 3000);
	if (from == DRAM_SRX)
		tell(m, s, DRAM_SRE, a, 3000);
	tell(m, s, from, a, at);
	if (is_in(to, needs_closed) && is_in(from, SET(ACT) | SET(RD)) && reaches(m, to, b, a))
		tell(m, s, DRAM_PRE, a, at + 1);
	if (is_in(to, needs_closed) && from == DRAM_WR && reaches(m, to, b, a)) {
		const struct event last = {DRAM_RDA, 0, a, 0, 0};

		tell(m, s, DRAM_RDA, a, first_legal(m, s->events, s->count, &last, 0));
	}
}

/* Does the story keep its own rules, and may e follow at some time? */
static bool is_told_legally(const struct memory *m, const struct story *s, const struct event *e)
{
	struct bench *b = g_new(struct bench, 1);
	bool is_fine = true;

	begin(b, &m->p);
	for (uint32_t i = 0; is_fine && i < s->count; i++) {
		is_fine = is_legal(b, &s->events[i], s->events[i].cycle);
		if (is_fine)
			issue(b, &s->events[i]);
	}
	is_fine = is_fine && is_legal(b, e, 1000000);
	end(b);
	g_free(b);
	return is_fine;
}

/* The last edge of the story is e at cycle. */
static void check_edge(const char *memory, const char *rule, const struct memory *m, const struct story *s,
		       const struct event *e, int64_t cycle)
{
	struct bench *b = g_new(struct bench, 1);
	char text[TEXT_MAX];
	const char *to = dram_command_name(e->command), *from = dram_command_name(s->events[s->count - 1].command);

	begin(b, &m->p);
	for (uint32_t i = 0; i < s->count; i++)
		issue(b, &s->events[i]);
	if (!is_legal(b, e, cycle))
		fail_msg("%s: %s: %s to %s: not legal at %lld", memory, rule, from, to, (long long)cycle);
	if (is_legal(b, e, cycle - 1))
		fail_msg("%s: %s: %s to %s: legal before %lld", memory, rule, from, to, (long long)cycle);
	if (dram_banks_earliest(&b->banks[0], e->command, e->bank, 0) != (uint64_t)cycle)
		fail_msg("%s: %s: %s to %s: not first at %lld", memory, rule, from, to, (long long)cycle);
	end(b);
	g_free(b);
	if (audit_says(&m->p, s->events, s->count, e, cycle, text))
		fail_msg("%s: %s: the auditor refuses %lld: %s", memory, rule, (long long)cycle, text);
	if (!audit_says(&m->p, s->events, s->count, e, cycle - 1, text) || !strstr(text, rule))
		fail_msg("%s: %s: %s to %s: the auditor misses %lld, says '%s'", memory, rule, from, to,
			 (long long)cycle - 1, text);
}

/* The bank to which the second command goes, for a first to bank 0; UINT32_MAX if this memory has none. */
static uint32_t second_bank(const struct dram_params *p, enum where where, uint32_t variant)
{
	if (where == IN_BANK)
		return variant == 0 ? 0 : UINT32_MAX;
	if (where == OTHER_RANK)
		return variant == 0 && p->rank_count > 1 ? (uint32_t)p->bank_count : UINT32_MAX;
	if (variant == 0) /* the same group */
		return p->bank_count > p->group_count ? (uint32_t)p->group_count : UINT32_MAX;
	if (where == IN_GROUP)
		return UINT32_MAX;
	if (variant == 1) /* another one */
		return p->group_count > 1 ? 1 : UINT32_MAX;
	return variant == 2 ? 0 : UINT32_MAX;
}

/* All pairs of commands and banks of a rule; returns how many edges were there, and adds the pairs to seen. */
static uint32_t check_rule(const char *memory, const struct dram_params *p, const struct rule *of,
			   uint32_t seen[DRAM_COMMAND_COUNT])
{
	const struct dram_params r = relaxed(p, of->name);
	struct memory m;
	uint32_t edges = 0;

	make(&m, &r);
	for (uint32_t pair = 0; pair < DRAM_COMMAND_COUNT * DRAM_COMMAND_COUNT * 3; pair++) {
		enum dram_command from = (enum dram_command)(pair % DRAM_COMMAND_COUNT);
		enum dram_command to = (enum dram_command)(pair / DRAM_COMMAND_COUNT % DRAM_COMMAND_COUNT);
		uint32_t bank = second_bank(p, of->where, pair / DRAM_COMMAND_COUNT / DRAM_COMMAND_COUNT);
		struct event e = {to, 0, bank, 0, 0};
		struct story s;
		int64_t cycle, own = INT64_MIN;

		if (!is_in(from, of->from) || !is_in(to, of->to) || bank == UINT32_MAX)
			continue;
		prepare(&m, &s, from, 0, to, bank);
		if (!is_told_legally(&m, &s, &e))
			continue;
		for (uint32_t i = 0; i < m.rule_count; i++) {
			if (strcmp(m.rules[i].name, of->name) || m.rules[i].where != of->where)
				continue;
			for (uint32_t k = 0; k < s.count; k++)
				own = MAX(own, bound(&m, &m.rules[i], &s.events[k], &e));
		}
		cycle = first_legal(&m, s.events, s.count, &e, 0);
		if (own != cycle || own <= s.events[s.count - 1].cycle + 1)
			continue; /* another rule hides it */
		check_edge(memory, of->name, &m, &s, &e, cycle);
		seen[from] |= 1u << to;
		edges++;
	}
	return edges;
}

static uint32_t check_window(const char *memory, const struct dram_params *p)
{
	const struct dram_params r = relaxed(p, "tFAW");
	struct memory m;
	uint32_t edges = 0;

	make(&m, &r);
	for (uint32_t mix = 0; mix < 32; mix++) {
		struct story s = {.count = 0};
		struct event e = {mix & 16 ? DRAM_REFB : DRAM_ACT, 0, 4, 0, 0};

		if (mix && p->refresh_mode != DRAM_REFRESH_PER_BANK)
			break;
		for (uint32_t i = 0; i < 4; i++)
			tell(&m, &s, mix >> i & 1 ? DRAM_REFB : DRAM_ACT, i, 20000 + (int64_t)i);
		assert_true(is_told_legally(&m, &s, &e));
		check_edge(memory, "tFAW", &m, &s, &e, 20000 + (int64_t)p->t_faw);
		edges++;
	}
	return edges;
}

/* Rules that this memory's other times always hide, whatever comes before. */
static bool is_always_hidden(const struct dram_params *p, const struct rule *r)
{
	/* Of no bank but the one of the command; of nothing that takes time. */
	if (r->where == IN_GROUP && p->bank_count <= p->group_count)
		return true;
	return r->cycles <= 1 && !r->is_after_data;
}

/* The pairs of commands that some memory had an edge for, by the number of the rule in a table with all rules. */
struct seen {
	char name[16];
	enum where where;
	uint32_t from, to, pairs[DRAM_COMMAND_COUNT];
};
static struct seen seen_rules[RULES_MAX];
static uint32_t seen_count;

static uint32_t *seen_pairs(const struct rule *r)
{
	for (uint32_t i = 0; i < seen_count; i++) {
		struct seen *s = &seen_rules[i];

		if (!strcmp(s->name, r->name) && s->where == r->where && s->from == r->from && s->to == r->to)
			return s->pairs;
	}
	assert_true(seen_count < RULES_MAX);
	g_strlcpy(seen_rules[seen_count].name, r->name, sizeof(seen_rules[seen_count].name));
	seen_rules[seen_count].where = r->where;
	seen_rules[seen_count].from = r->from;
	seen_rules[seen_count].to = r->to;
	return seen_rules[seen_count++].pairs;
}

static void check_memory(const char *name, const struct dram_params *p)
{
	struct dram_constraint rows[DRAM_CONSTRAINT_MAX];
	uint32_t row_count = dram_constraints(p, rows), edges = check_window(name, p);
	struct memory m;

	make(&m, p);
	for (uint32_t i = 0; i < m.rule_count; i++) {
		uint32_t found = check_rule(name, p, &m.rules[i], seen_pairs(&m.rules[i]));

		edges += found;
		if (!found && !is_always_hidden(p, &m.rules[i]))
			fail_msg("%s: %s (rule %u) has no edge", name, m.rules[i].name, i);
	}
	/* The table says nothing that the closed forms do not: each row's times are among theirs. */
	for (uint32_t i = 0; i < row_count; i++) {
		bool is_known = rows[i].nth > 1;

		for (uint32_t k = 0; k < m.rule_count; k++)
			is_known |= !strncmp(rows[i].name, m.rules[k].name, strlen(m.rules[k].name)) &&
				    rows[i].cycles == m.rules[k].cycles && !(rows[i].from & ~m.rules[k].from) &&
				    !(rows[i].to & ~m.rules[k].to);
		if (!is_known)
			fail_msg("%s: row %s has no closed form", name, rows[i].name);
	}
	assert_true(edges > 100);
}

/* ---- the memories ---- */

static void for_each_memory(void (*check)(const char *name, const struct dram_params *p))
{
	const char *const dirs[] = {TEST_MEMORIES};
	const struct sim_search search = {dirs, 1};
	GDir *dir = g_dir_open(TEST_MEMORIES, 0, NULL);
	struct memory_standard standard;
	const char *file;
	uint32_t count = 0;

	assert_non_null(dir);
	memory_standard_defaults(&standard);
	check("defaults", &standard.dram);
	/* TOM's bursts end within a clock: with ranks and groups, what counts from the end of data does so, too. */
	standard.dram.rank_count = 4;
	standard.dram.group_count = 4;
	standard.dram.t_ccd_l = 6;
	standard.dram.t_ccd_l_wr = 9;
	standard.dram.t_rrd_l = 7;
	standard.dram.t_wtr_l = 10;
	standard.dram.t_rtrs = 2;
	standard.dram.t_ppd = 2;
	standard.dram.t_rcd_wr = 8;
	standard.dram.refresh_mode = DRAM_REFRESH_SAME_BANK;
	standard.dram.t_rfc_pb_ns = 90;
	standard.dram.t_rrefd_ns = 30;
	standard.dram.t_rfm_ns = 130;
	standard.dram.command_act_cycles = 2;
	check("ranks and groups off the clock's grid", &standard.dram);
	while ((file = g_dir_read_name(dir))) {
		char *name = g_strndup(file, strcspn(file, "."));
		struct base_diag_list diag;

		if (g_str_has_suffix(file, ".yaml")) {
			base_diag_init(&diag);
			assert_true(memory_standard_load(name, &search, &standard, &diag));
			assert_true(memory_standard_check(&standard, &diag));
			base_diag_free(&diag);
			check(name, &standard.dram);
			count++;
		}
		g_free(name);
	}
	g_dir_close(dir);
	assert_true(count >= 10);
}

/* Pairs whose time some other always hides. */
static bool is_hidden_pair(const char *rule, enum dram_command from, enum dram_command to)
{
	if (!strcmp(rule, "tCCD")) /* a write's data and tWTR take longer */
		return is_in(from, WRITES) && is_in(to, READS);
	if (!strcmp(rule, "tXS")) /* behind self-refresh comes ACT first, */
		return is_in(to, COLUMNS | SET(PRE));
	return !strcmp(rule, "tPPD") && from == DRAM_PREA && to == DRAM_PRE; /* and behind PREA, too */
}

static void test_every_rule_of_every_memory(void **state)
{
	(void)state;
	seen_count = 0;
	for_each_memory(check_memory);
	for (uint32_t i = 0; i < seen_count; i++) {
		const struct seen *s = &seen_rules[i];

		for (enum dram_command from = 0; from < DRAM_COMMAND_COUNT; from++) {
			for (enum dram_command to = 0; to < DRAM_COMMAND_COUNT; to++) {
				bool is_seen = s->pairs[from] >> to & 1;

				if (!is_in(from, s->from) || !is_in(to, s->to))
					continue;
				if (is_seen == is_hidden_pair(s->name, from, to))
					fail_msg("%s: %s to %s: %s edge", s->name, dram_command_name(from),
						 dram_command_name(to), is_seen ? "an" : "no");
			}
		}
	}
}

/* ---- random streams ---- */

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

static enum dram_command random_command(const struct dram_params *p)
{
	static const enum dram_command often[] = {DRAM_ACT, DRAM_ACT, DRAM_ACT, DRAM_ACT, DRAM_RD,  DRAM_RD,
						  DRAM_RD,  DRAM_WR,  DRAM_WR,	DRAM_WR,  DRAM_PRE, DRAM_RDA,
						  DRAM_WRA, DRAM_RD,  DRAM_WR,	DRAM_PRE};
	enum dram_command c = (enum dram_command)random_below(DRAM_COMMAND_COUNT);

	if (random_below(8))
		return often[random_below(G_N_ELEMENTS(often))];
	return (c == DRAM_REFB && p->t_rfc_pb_ns <= 0) || (c == DRAM_RFM && p->t_rfm_ns <= 0) ? DRAM_REF : c;
}

static void check_stream(const char *name, const struct dram_params *standard)
{
	struct dram_params p = *standard;
	struct event *events = g_new0(struct event, EVENTS_MAX);
	struct bench *b = g_new(struct bench, 1);
	struct memory m;
	uint32_t count = 0, tight = 0;
	int64_t now = 0;
	char text[TEXT_MAX];

	p.refresh = false; /* the obligation: see tests/mem/test_dram.c */
	make(&m, &p);
	begin(b, &p);
	while (count < EVENTS_MAX) {
		struct event e = {random_command(&p), random_below((uint32_t)p.pseudo_count),
				  random_below((uint32_t)(p.bank_count * p.rank_count)), 0, 0};
		int64_t expected;

		if (random_below(4)) /* few banks, so that they are hit often */
			e.bank %= 6;
		if (!is_legal(b, &e, now + 1000000))
			continue; /* in its state at no time */
		if (!random_below(16))
			now += random_below(200);
		expected = first_legal(&m, events, count, &e, now);
		e.cycle = (int64_t)dram_banks_earliest(&b->banks[e.vault], e.command, e.bank, (uint64_t)now);
		if (e.cycle != expected)
			fail_msg("%s: command %u, %s to bank %u: bank model %lld, closed forms %lld", name, count,
				 dram_command_name(e.command), e.bank, (long long)e.cycle, (long long)expected);
		assert_true(is_legal(b, &e, e.cycle));
		if (e.cycle > now) {
			assert_false(is_legal(b, &e, e.cycle - 1));
			if (!audit_says(&p, events, count, &e, e.cycle - 1, text))
				fail_msg("%s: command %u, %s to bank %u: the auditor allows %lld", name, count,
					 dram_command_name(e.command), e.bank, (long long)e.cycle - 1);
			tight++;
		}
		end_data(&m, events, count, &e);
		issue(b, &e);
		if (b->violation_count)
			fail_msg("%s: command %u: %s", name, count, b->text);
		now = e.cycle;
		events[count++] = e;
	}
	assert_true(tight > EVENTS_MAX / 4);
	end(b);
	g_free(b);
	g_free(events);
}

static void test_random_streams(void **state)
{
	(void)state;
	seed = 1;
	for_each_memory(check_stream);
	for_each_memory(check_stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_rule_of_every_memory),
		cmocka_unit_test(test_random_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
