/* host_cost.h - what a kernel takes on the host's cores, by its text alone: as vectors, one thread after the other, and
 * which of these is the form to run it in. Parameters of the same cores that run it say what an instruction takes. */
#ifndef STRATA_DC_HOST_COST_H
#define STRATA_DC_HOST_COST_H

#include "cpu/system.h"
#include "dc/system/params.h"
#include "dc/word.h"
#include "simt/simt.h"

/* How often a thread does each instruction of the program, by the words that the arrays would execute, where there is
 * a kernel; else each loop has as many rounds. A thread comes to all instructions. To be freed by g_free. */
double *dc_host_rounds(const struct simt_program *program, const struct dc_kernel *k, double rounds);

/* The host's cores. */
struct dc_host_machine {
	const struct dc_params *p;
	const struct cpu_params *cores;
	double memory_bytes_per_s;
};

/* Cycles of a core for 32 threads whose lines its first level has, in vectors of so many lanes: the longest of what its
 * instructions take of the issue width, of the dividers and of the load ports, and of what waits for each other, as
 * far as that is longer than the window. */
double dc_host_warp_cycles(const struct dc_host_machine *m, const struct simt_program *program, const double *rounds,
			   const uint32_t block[3], uint32_t lanes);
/* Lanes of the form in which the kernel runs: as duality.host_form says; 1 is one thread after the other. */
uint32_t dc_host_form(const struct dc_host_machine *m, const struct simt_program *program, const double *rounds,
		      const uint32_t block[3]);
/* The launch's microseconds in that form. lines: that it asks for the first time, and what the link takes for them. */
double dc_host_us(const struct dc_host_machine *m, const struct simt_launch *l, const double *rounds, uint32_t lanes,
		  double lines, double link_us);

#endif
