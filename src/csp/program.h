/* program.h - a program for the cores: instructions, where each core begins, its input data and what is checked of its
 * output. Made from text by csp_assemble.
 */
#ifndef STRATA_CSP_PROGRAM_H
#define STRATA_CSP_PROGRAM_H

#include "base/diag.h"
#include "csp/config.h"
#include "csp/isa.h"

enum { CSP_DIRECTIVE_VALUES_MAX = 9, CSP_PROGRAM_BYTES_MAX = 1 << 20, CSP_NAME_BYTES = 64 };

/* DATA(name, number of values): fills a core's memory before the run. */
#define CSP_DATA(X)                                 \
	X(signal, SIGNAL, 4) X(weights, WEIGHTS, 3) \
	X(twiddle2, TWIDDLE2, 2) X(twiddle8, TWIDDLE8, 2) X(matrix, MATRIX, 4)
/* CHECK(name, number of values): compares a core's memory after the run with the host's double precision. */
#define CSP_CHECKS(X) \
	X(fir, FIR, 6) X(fft, FFT, 4) X(fft2d, FFT2D, 4) X(corr, CORR, 4) X(beam, BEAM, 6) X(grid, GRID, 9) \
	X(phase, PHASE, 5)

enum csp_directive_kind {
#define CSP_DATA_ENUMERATOR(name, enumerator, count) CSP_DATA_##enumerator,
	CSP_DATA(CSP_DATA_ENUMERATOR)
#undef CSP_DATA_ENUMERATOR
#define CSP_CHECK_ENUMERATOR(name, enumerator, count) CSP_CHECK_##enumerator,
	    CSP_CHECKS(CSP_CHECK_ENUMERATOR)
#undef CSP_CHECK_ENUMERATOR
};

struct csp_directive {
	enum csp_directive_kind kind;
	uint32_t first_core, last_core;
	int64_t values[CSP_DIRECTIVE_VALUES_MAX];
	const char *file; /* of the program's */
	uint32_t line;
};

/* Lines that a file of the user's fills before the run, or that are written to one after it; of several cores one after
 * the other. */
struct csp_port {
	char name[CSP_NAME_BYTES];
	bool is_output;
	const char *file;		      /* of the program's */
	uint32_t first_core, last_core, line; /* line: of the file */
	int64_t first, count;		      /* lines of memory */
};

/* Lines of a core's memory that the node's transceivers bring while it works, one after the other: with every so many
 * of them the core learns that they are there. */
struct csp_arrivals {
	uint32_t core;
	int64_t first, count, each; /* count 0: there are none */
	const char *file;	    /* of the program's */
	uint32_t line;		    /* of it */
};

/* What the program says of itself, for results: a number by name. */
struct csp_measure {
	char name[CSP_NAME_BYTES];
	double value;
};

struct csp_program {
	char *path;   /* of the text, for messages */
	char **files; /* paths of the text and of those that it includes; NULL-terminated */
	struct csp_instr *instrs;
	uint32_t instr_count;
	uint32_t *entries; /* by core; UINT32_MAX: it does nothing */
	uint32_t core_count;
	struct csp_directive *data, *checks;
	uint32_t data_count, check_count;
	struct csp_port *ports;
	struct csp_arrivals arrivals;
	struct csp_measure *measures;
	uint32_t port_count, measure_count;
};

/* A name that the text may use, before its own: --define NAME=VALUE. One that the text does not have is a mistake. */
struct csp_define {
	const char *name;
	int64_t value;
};

/* Assembles text (path: for messages) for a machine. NULL with messages, each with its line. Free with
 * csp_program_free. */
struct csp_program *csp_assemble(const char *text, const char *path, const struct csp_config *config,
				 const struct csp_define *defines, uint32_t define_count, struct base_diag_list *diag);
/* Assembles a file of at most CSP_PROGRAM_BYTES_MAX. */
struct csp_program *csp_assemble_file(const char *path, const struct csp_config *config,
				      const struct csp_define *defines, uint32_t define_count,
				      struct base_diag_list *diag);
void csp_program_free(struct csp_program *p);
/* The path of a file that a file of a program includes by that name; g_free. */
char *csp_include_path(const char *file, const char *name);
/* The file and those that its text includes, in their order, whether or not it is a program; NULL when one cannot be
 * read. g_strfreev. */
char **csp_sources(const char *path);

const char *csp_op_name(enum csp_op op);
const char *csp_directive_name(enum csp_directive_kind kind);

#endif
