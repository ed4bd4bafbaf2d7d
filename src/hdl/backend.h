/* backend.h - who makes a design's library: Verilator, or Icarus Verilog. */
#ifndef STRATA_HDL_BACKEND_H
#define STRATA_HDL_BACKEND_H

#include "hdl/sources.h"
#include "hdl/tools.h"

struct hdl_making {
	const struct hdl_files *files; /* the design in Verilog */
	const char *shim;	       /* folder of our own parts */
	const char *name;	       /* of the design, as hdl.design has it */
	uint32_t port_count, port_bytes; /* its memory ports, and the width of one */
	const char *scratch;	       /* where it is made; make only */
	bool is_waved;		       /* the library can record a waveform */
	bool is_vhdl;		       /* the Verilog is GHDL's */
	bool is_random;		       /* its registers may begin with other values than 0 */
};

struct hdl_backend {
	const char *tool;
	const char *const *needs; /* tool and package, tool and package, NULL */
	const char *const *parts; /* our own files, NULL */
	/* What decides the library: the preprocessed text of the design, how it is built, and the versions of who does
	 * it. NULL: the tool refuses it. Free with g_free. */
	char *(*text)(const struct hdl_making *m, GString *said);
	/* scratch/design.so. The parts are there. False: what the tools say is in said, and *is_refused whether it is
	 * the design that the tool does not take. */
	bool (*make)(const struct hdl_making *m, GString *said, bool *is_refused);
};

extern const struct hdl_backend hdl_verilator, hdl_icarus;

/* The Verilog that GHDL makes of a design in VHDL, with its generics; scratch: a folder for GHDL's own files. NULL:
 * GHDL refuses it, and says why. Free with g_free. */
char *hdl_vhdl_text(const struct hdl_files *files, const char *scratch, GString *said);

#endif
