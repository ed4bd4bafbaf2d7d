/* duality_tables.c - what ISCA'19 states without a run: geometry, Table 1 for 32 bits and 17 iterations, Tables 2
 * and 4. */
#include "reproduce/duality_tables.h"

#include <math.h>

#include "base/check.h"
#include "dc/energy.h"
#include "dc/ops.h"

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;

/* Of the machine that the first program ran on. */
static double param(data *d, const char *name)
{
	return reproduce_number(d, REPRODUCE_DUALITY, 0, "params", name);
}

/* As the machine of the runs has it. */
static bool geometry(data *d, struct dc_params *p)
{
	const double sockets = param(d, "duality.socket_count");

	if (isnan(sockets))
		return false;
	*p = (struct dc_params){.socket_count = (uint64_t)sockets,
				.slice_count = (uint64_t)param(d, "duality.slice_count"),
				.way_count = (uint64_t)param(d, "duality.way_count"),
				.tmu_count = (uint64_t)param(d, "duality.tmu_count"),
				.mshr_count = (uint64_t)param(d, "duality.mshr_count"),
				.crossbar_lines_per_cycle =
				    (uint64_t)param(d, "duality.crossbar_lines_per_cycle")};
	return true;
}

/* Section 5.2: 30 SMs of two CTAs of 1,024 threads; 3,840 lanes. */
double duality_resources(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? dc_resources_ratio(&p, 30, 2, 1024) : NAN;
}

double duality_threads(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? dc_threads_ratio(&p, 3840) : NAN;
}

double duality_arrays(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? (double)dc_arrays(&p) : NAN;
}

double duality_socket_blocks(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? (double)dc_block_count(&p) / (double)p.socket_count : NAN;
}

double duality_bit_line_alus(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? (double)dc_bit_line_alus(&p) : NAN;
}

/* Table 1, for n = 32 and k = 17. */
static double base_cycles(enum dc_op op, bool is_signed)
{
	const struct dc_arith arith = {.cordic_iterations = 17};
	const struct dc_use use = {.op = op, .n = 32, .is_signed = is_signed, .times = 1};

	return (double)dc_base_cycles(&use, &arith);
}

#define TABLE_1(name, op, is_signed)                                                                          \
	double name(data *d, row_of *row)                                                                     \
	{                                                                                                     \
		(void)d;                                                                                      \
		(void)row;                                                                                    \
		return base_cycles(op, is_signed);                                                            \
	}
TABLE_1(duality_cycles_add, DC_OP_ADD, false)
TABLE_1(duality_cycles_sub, DC_OP_SUB, false)
TABLE_1(duality_cycles_logic, DC_OP_LOGIC, false)
TABLE_1(duality_cycles_mul, DC_OP_MUL, false)
TABLE_1(duality_cycles_mul_signed, DC_OP_MUL, true)
TABLE_1(duality_cycles_div, DC_OP_DIV, false)
TABLE_1(duality_cycles_div_signed, DC_OP_DIV, true)
TABLE_1(duality_cycles_shift, DC_OP_SHIFT, false)
TABLE_1(duality_cycles_sin, DC_OP_SINCOS_FIXED, false)
TABLE_1(duality_cycles_exp, DC_OP_EXP_FIXED, false)
TABLE_1(duality_cycles_log, DC_OP_LOG_FIXED, false)
#undef TABLE_1

/* Tables 2 and 4; row->config is a row of theirs. */
double duality_server_mm2(data *d, row_of *row)
{
	(void)d;
	return dc_server_mm2(&dc_servers[row->config]);
}

double duality_server_w(data *d, row_of *row)
{
	(void)d;
	return dc_server_w(&dc_servers[row->config]);
}

double duality_area_overhead(data *d, row_of *row)
{
	struct dc_params p;

	return geometry(d, &p) ? 100 * dc_area_mm2(&p, row->config) / dc_areas[0].area_mm2 : NAN;
}

double duality_area_added(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? dc_area_added_mm2(&p) : NAN;
}

double duality_area_added_share(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? 100 * dc_area_added_mm2(&p) / dc_areas[0].area_mm2 : NAN;
}

double duality_area_total(data *d, row_of *row)
{
	struct dc_params p;

	(void)row;
	return geometry(d, &p) ? dc_area_total_mm2(&p) : NAN;
}

double duality_power_total(data *d, row_of *row)
{
	(void)d;
	(void)row;
	return dc_power_total_w();
}

/* Rows of Table 1 that are not to the cycle. */
double duality_table_1_off(data *d, row_of *row)
{
	static const struct {
		reproduce_measure *measure;
		double cycles;
	} table[] = {
	    {duality_cycles_add, 32},		{duality_cycles_sub, 64},	    {duality_cycles_logic, 32},
	    {duality_cycles_mul, 1118},		{duality_cycles_mul_signed, 1184},  {duality_cycles_div, 1712},
	    {duality_cycles_div_signed, 1840},	{duality_cycles_shift, 1024},	    {duality_cycles_sin, 3960},
	    {duality_cycles_exp, 2246},		{duality_cycles_log, 2244},
	};
	uint32_t count = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(table); i++)
		count += table[i].measure(d, row) != table[i].cycles;
	return count;
}
