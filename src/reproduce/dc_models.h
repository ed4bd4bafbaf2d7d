/* dc_models.h - what Duality Cache's paper states without a run, for expressions (models.h): geometry, operations,
 * areas and servers; expressions call them without "model_". A geometry is given by its sockets, slices and ways. */
#ifndef STRATA_REPRODUCE_DC_MODELS_H
#define STRATA_REPRODUCE_DC_MODELS_H

/* What a socket with so many slices and ways has. */
double dc_model_socket_arrays(const double *x);
double dc_model_socket_alus(const double *x);
/* Control blocks of all sockets of a geometry, and their threads over those of a GPU of so many SMs, CTAs of an SM and
 * threads of a CTA, and over so many lanes. */
double dc_model_blocks(const double *x);
double dc_model_resources(const double *x);
double dc_model_lanes(const double *x);

/* Table 1: dc_cycles("mul", bits, 1: signed, iterations of CORDIC), with nothing saved. The names are ops.def's. */
double dc_model_cycles(const char *dir, const char *const *texts, const double *x, char **why);
/* Table 2: dc_die_mm2("duality") and dc_die_w of a server's dies. */
double dc_model_die_mm2(const char *dir, const char *const *texts, const double *x, char **why);
double dc_model_die_w(const char *dir, const char *const *texts, const double *x, char **why);
/* Table 4: dc_part_mm2("MSHR", slices, ways, transpose units, MSHRs, crossbar's lines per cycle) of a processor, whose
 * own area is "processor", and dc_part_w. */
double dc_model_part_mm2(const char *dir, const char *const *texts, const double *x, char **why);
double dc_model_part_w(const char *dir, const char *const *texts, const double *x, char **why);

#endif
