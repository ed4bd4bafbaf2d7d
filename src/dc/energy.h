/* energy.h - what a Duality Cache's energy is of, and the area and power of its parts (ISCA'19, Tables 2 and 4). */
#ifndef STRATA_DC_ENERGY_H
#define STRATA_DC_ENERGY_H

#include "dc/system/params.h"
#include "energy/events.h"

struct dc_energy_counts {
	uint32_t host_count, socket_count; /* host cores that feed; processors */
	double banks; /* arrays that work in an operation's cycle */
	double pj_per_mw_ps;
};
extern const struct energy_table dc_energy_table;
struct dc_energy_counts dc_energy_counts(const struct dc_params *p);

/* Table 4: what is added to the processor's die. */
struct dc_area {
	const char *part;
	double area_mm2, power_w;
};
extern const struct dc_area dc_areas[]; /* the processor first */
extern const uint32_t dc_area_count;

/* Table 2: a server. */
struct dc_server {
	const char *name;
	uint32_t dies;
	double die_mm2, die_w; /* of each of the dies; where they differ, of all together */
	bool is_sum;
};
extern const struct dc_server dc_servers[]; /* cpu, gpu, duality */
extern const uint32_t dc_server_count;

/* The area of a part of dc_areas on a processor with these parameters: as many arrays, transpose units, control boxes,
 * MSHRs and crossbars as it has, each as large as Table 4's, whose processor has those of the defaults. */
double dc_area_mm2(const struct dc_params *p, uint32_t part);
double dc_area_added_mm2(const struct dc_params *p);
double dc_area_total_mm2(const struct dc_params *p);
double dc_power_total_w(void);
double dc_server_mm2(const struct dc_server *s);
double dc_server_w(const struct dc_server *s);
/* Section 4's model of power, solved for an array at work: of all peripherals, at this ILP and activity. */
double dc_array_pj(double peripheral_w, uint64_t arrays, double activity, double ilp, double clock_hz);
/* Bit-line ALUs against a GPU: threads of all control blocks over its CTAs' threads, and over its lanes (2.2, 5.1). */
double dc_resources_ratio(const struct dc_params *p, uint32_t sms, uint32_t ctas_per_sm, uint32_t threads_per_cta);
double dc_threads_ratio(const struct dc_params *p, uint32_t gpu_lanes);
/* How many a socket has. */
uint64_t dc_arrays(const struct dc_params *p);
uint64_t dc_bit_line_alus(const struct dc_params *p);

#endif
