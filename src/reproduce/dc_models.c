/* dc_models.c - Duality Cache's tables (dc/energy.h, dc/ops.h) as functions of numbers and of names in them. */
#include "reproduce/dc_models.h"

#include "dc/energy.h"
#include "dc/ops.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* A number of things; what is below zero, or more than there is of anything, is none. */
static uint32_t count_of(double x)
{
	return x >= 0 && x <= UINT16_MAX ? (uint32_t)x : 0;
}

static struct dc_params geometry_of(double sockets, double slices, double ways)
{
	return (struct dc_params){
	    .socket_count = count_of(sockets), .slice_count = count_of(slices), .way_count = count_of(ways)};
}

double dc_model_socket_arrays(const double *x)
{
	const struct dc_params p = geometry_of(1, x[0], x[1]);

	return (double)dc_arrays(&p);
}

double dc_model_socket_alus(const double *x)
{
	const struct dc_params p = geometry_of(1, x[0], x[1]);

	return (double)dc_bit_line_alus(&p);
}

double dc_model_blocks(const double *x)
{
	const struct dc_params p = geometry_of(x[0], x[1], x[2]);

	return dc_block_count(&p);
}

double dc_model_resources(const double *x)
{
	const struct dc_params p = geometry_of(x[0], x[1], x[2]);

	return dc_resources_ratio(&p, count_of(x[3]), count_of(x[4]), count_of(x[5]));
}

double dc_model_lanes(const double *x)
{
	const struct dc_params p = geometry_of(x[0], x[1], x[2]);

	return dc_threads_ratio(&p, count_of(x[3]));
}

/* ---- names in tables ---- */

static void no_such(const char *what, const char *name, char **why)
{
	*why = g_strdup_printf("Duality Cache has no %s '%s'", what, name);
}

double dc_model_cycles(const char *dir, const char *const *texts, const double *x, char **why)
{
	const struct dc_arith arith = {.cordic_iterations = count_of(x[2])};
	uint32_t op = 0;

	(void)dir;
	while (op < DC_OP_COUNT && strcmp(dc_op_name((enum dc_op)op), texts[0]) != 0)
		op++;
	if (op == DC_OP_COUNT || dc_op_kind((enum dc_op)op) != DC_KIND_INT) {
		no_such("operation of integers", texts[0], why);
		return NAN;
	}

	const struct dc_use use = {
	    .op = (enum dc_op)op, .n = x[0] >= 1 && x[0] <= 64 ? (uint8_t)x[0] : 0, .is_signed = x[1] > 0, .times = 1};

	return use.n ? (double)dc_base_cycles(&use, &arith) : NAN;
}

/* NULL after saying that there is none. */
static const struct dc_server *server_of(const char *name, char **why)
{
	for (uint32_t i = 0; i < dc_server_count; i++)
		if (!strcmp(dc_servers[i].name, name))
			return &dc_servers[i];
	no_such("server", name, why);
	return NULL;
}

double dc_model_die_mm2(const char *dir, const char *const *texts, const double *x, char **why)
{
	const struct dc_server *server = server_of(texts[0], why);

	(void)dir, (void)x;
	return server ? dc_server_mm2(server) : NAN;
}

double dc_model_die_w(const char *dir, const char *const *texts, const double *x, char **why)
{
	const struct dc_server *server = server_of(texts[0], why);

	(void)dir, (void)x;
	return server ? dc_server_w(server) : NAN;
}

/* dc_area_count after saying that there is none. */
static uint32_t part_of(const char *name, char **why)
{
	uint32_t part = 0;

	while (part < dc_area_count && strcmp(dc_areas[part].part, name) != 0)
		part++;
	if (part == dc_area_count)
		no_such("part", name, why);
	return part;
}

double dc_model_part_mm2(const char *dir, const char *const *texts, const double *x, char **why)
{
	const uint32_t part = part_of(texts[0], why);
	struct dc_params p;

	(void)dir;
	if (part == dc_area_count)
		return NAN;
	p = geometry_of(1, x[0], x[1]);
	p.tmu_count = count_of(x[2]);
	p.mshr_count = count_of(x[3]);
	p.crossbar_lines_per_cycle = count_of(x[4]);
	return dc_area_mm2(&p, part);
}

double dc_model_part_w(const char *dir, const char *const *texts, const double *x, char **why)
{
	const uint32_t part = part_of(texts[0], why);

	(void)dir, (void)x;
	return part < dc_area_count ? dc_areas[part].power_w : NAN;
}
