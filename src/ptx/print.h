/* print.h - the IR as text: as PTX that parses to the same IR, and with the analyses, for people.
 *
 * Printed PTX differs from the source in form only: registers one by one, scopes flattened (names that then clash have
 * a $2, $3 ... suffix), labels numbered, constants in canonical form, debugging sections gone.
 */
#ifndef STRATA_PTX_PRINT_H
#define STRATA_PTX_PRINT_H

#include <stdio.h>

#include "ptx/cfg.h"

/* The whole module as PTX. */
void ptx_print_module(FILE *out, const struct ptx_module *m);

/* One instruction as PTX, without newline. labels begin with label_prefix and end with the instruction's number. */
void ptx_print_inst(FILE *out, const struct ptx_func *f, const struct ptx_inst *i, const char *label_prefix);

/* "(results) name (parameters)"; names false: parameters are called _. */
void ptx_print_signature(FILE *out, const struct ptx_func *f, const char *name, bool names);

/* What `strata ptx show` writes for a function with a body: header, frame sizes, blocks with their edges, dominators
 * and loops, each instruction with its number and the number of live 32-bit slots before it, then the registers'
 * live ranges and slots. */
void ptx_print_func(FILE *out, const struct ptx_func *f, const struct ptx_cfg *cfg, const struct ptx_alloc *alloc);

#endif
