/* csp_asm.h - what `strata csp asm` prints of a program, and writes. */
#ifndef STRATA_CLI_CSP_ASM_H
#define STRATA_CLI_CSP_ASM_H

#include <jansson.h>

#include "csp/program.h"

void cli_csp_program_print(const struct csp_program *p);
/* A new reference. */
json_t *cli_csp_program_json(const struct csp_program *p);

#endif
