/* validate.h - re-checks what the parser and the analyses promise. */
#ifndef STRATA_TESTS_PTX_VALIDATE_H
#define STRATA_TESTS_PTX_VALIDATE_H

#include "ptx/cfg.h"

/* True if the module holds what ptx.h promises: indexes in range, operands fit opcodes, layouts do not overlap. On
 * false, what[0..size) says where. */
bool ptx_validate(const struct ptx_module *m, char *what, size_t size_bytes);

/* True if the graph, dominators, loops, liveness and allocation of a function agree with their definitions, checked the
 * slow way. Meant for functions of a few hundred blocks. */
bool ptx_validate_cfg(const struct ptx_cfg *c, const struct ptx_alloc *a, char *what, size_t size_bytes);

#endif
