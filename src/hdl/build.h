/* build.h - a design's file, and the shared library that is made of it, which steps it (ports.h).
 *
 * Verilator makes libraries of Verilog; what it refuses, Icarus Verilog simulates. VHDL becomes Verilog before, by
 * GHDL.
 *
 * Libraries are kept in $XDG_CACHE_HOME/strata/hdl (~/.cache), by what decides them: the preprocessed text of the
 * design, our own part, and the tools' versions. Two who build the same at once each make their own; one of them stays.
 */
#ifndef STRATA_HDL_BUILD_H
#define STRATA_HDL_BUILD_H

#include "base/diag.h"
#include "hdl/accelerator.h"

struct hdl_sources {
	const char *designs; /* folder of our own designs */
	const char *shim;    /* folder of shim.cpp, vpi.c, vpi.v and ports.h */
};

/* The file of a design: name itself if it has a '/', else DESIGNS/NAME.v or .vhd. NULL after a message. Free with
 * g_free. */
char *hdl_design_find(const struct hdl_sources *from, const char *name, struct base_diag_list *diag);
/* The path of the library, which is built if it is not kept yet, as the parameters have it; what the tools say of the
 * design goes to stderr as it is, with file and line. NULL after a message. Free with g_free. */
char *hdl_design_build(const struct hdl_sources *from, const char *file, const struct hdl_params *p,
		       struct base_diag_list *diag);

#endif
