/* energy.c - see energy.h. */
#include "dc/energy.h"

#include <stddef.h>

#include "base/check.h"

#define ENERGY_TABLE dc_energy_table
#define ENERGY_ROWS "dc/energy_rows.def"
#define ENERGY_PARAMS struct dc_params
#define ENERGY_COUNTS struct dc_energy_counts
#define UNIT_EACH ENERGY_EACH, 0
#define UNIT_MW_PS ENERGY_SCALED, offsetof(struct dc_energy_counts, pj_per_mw_ps)
#define UNIT_BANKS ENERGY_SCALED, offsetof(struct dc_energy_counts, banks)
#include "energy/table.inc"

struct dc_energy_counts dc_energy_counts(const struct dc_params *p)
{
	return (struct dc_energy_counts){
	    .host_count = p->socket_count > 0, .socket_count = (uint32_t)p->socket_count, .banks = DC_BANKS,
	    .pj_per_mw_ps = 1e-3};
}

/* ISCA'19, Table 4. */
const struct dc_area dc_areas[] = {
    {"processor", 456, 145},	       {"peripheral", 3.15, 2.96}, {"transpose unit", 5.32, 0.06},
    {"controller and FSM", 6.16, 0.33}, {"MSHR", 0.86, 0.05},	   {"local crossbar", 0.28, 0.01},
};
const uint32_t dc_area_count = ARRAY_COUNT(dc_areas);

/* ISCA'19, Table 2; the GPU server is a GPU of 471 mm2 and 250 W beside two processors. */
const struct dc_server dc_servers[] = {
    {"cpu-server", 2, 456, 145, false},
    {"gpu-server", 3, 471 + 2 * 456, 250 + 2 * 145, true},
    {"duality", 2, 471, 148, false},
};
const uint32_t dc_server_count = ARRAY_COUNT(dc_servers);

/* What Table 4's processor has of each part. */
enum { PAPER_SLICES = 14, PAPER_ARRAYS = 4480, PAPER_TMUS = PAPER_SLICES * 4, PAPER_MSHRS = PAPER_SLICES * 256 };

double dc_area_mm2(const struct dc_params *p, uint32_t part)
{
	const double slices = (double)p->slice_count;
	const double counts[] = {1,
				 (double)dc_arrays(p) / PAPER_ARRAYS,
				 slices * (double)p->tmu_count / PAPER_TMUS,
				 slices / PAPER_SLICES,
				 slices * (double)p->mshr_count / PAPER_MSHRS,
				 slices * (double)p->crossbar_lines_per_cycle / PAPER_SLICES};

	CHECK(part < ARRAY_COUNT(counts) && dc_area_count == ARRAY_COUNT(counts));
	return dc_areas[part].area_mm2 * counts[part];
}

double dc_area_added_mm2(const struct dc_params *p)
{
	double sum = 0;

	for (uint32_t i = 1; i < dc_area_count; i++)
		sum += dc_area_mm2(p, i);
	return sum;
}

double dc_area_total_mm2(const struct dc_params *p)
{
	return dc_areas[0].area_mm2 + dc_area_added_mm2(p);
}

double dc_power_total_w(void)
{
	double sum = 0;

	for (uint32_t i = 0; i < dc_area_count; i++)
		sum += dc_areas[i].power_w;
	return sum;
}

double dc_server_mm2(const struct dc_server *s)
{
	return s->is_sum ? s->die_mm2 : s->dies * s->die_mm2;
}

double dc_server_w(const struct dc_server *s)
{
	return s->is_sum ? s->die_w : s->dies * s->die_w;
}

double dc_array_pj(double peripheral_w, uint64_t arrays, double activity, double ilp, double clock_hz)
{
	/* ILP operations fill so many of a bank's four arrays */
	return peripheral_w * 1e12 / ((double)arrays * activity * ilp / DC_ARRAYS * clock_hz);
}

uint64_t dc_arrays(const struct dc_params *p)
{
	return p->slice_count * p->way_count * DC_BANKS * DC_ARRAYS;
}

uint64_t dc_bit_line_alus(const struct dc_params *p)
{
	return dc_arrays(p) * DC_BANK_LANES;
}

static double threads(const struct dc_params *p)
{
	return (double)dc_block_count(p) * DC_BLOCK_LANES;
}

double dc_resources_ratio(const struct dc_params *p, uint32_t sms, uint32_t ctas_per_sm, uint32_t threads_per_cta)
{
	return threads(p) / ((double)sms * ctas_per_sm * threads_per_cta);
}

double dc_threads_ratio(const struct dc_params *p, uint32_t gpu_lanes)
{
	return threads(p) / gpu_lanes;
}
