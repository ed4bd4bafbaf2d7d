/* service.h - what an engine with registers and threads of its own needs of a launch's program (dc/): where variables
 * are, and what one atomic operation does.
 */
#ifndef STRATA_SIMT_SERVICE_H
#define STRATA_SIMT_SERVICE_H

#include "simt/simt.h"

/* Device address of a .global or .const variable that the program's module, or a function of it, has; 0: none. */
uint64_t simt_program_variable(const struct simt_program *p, const struct ptx_var *var);
/* The name of the module's file, for messages. */
const char *simt_program_module_name(const struct simt_program *p);
/* Device address of a launch's parameters; before it begins, where the caller has them. */
uint64_t simt_launch_params(const struct simt_launch *l);

/* One lane's atomic: writes the new value at p, returns the old one. */
typedef uint64_t (*simt_atomic_fn)(void *p, uint64_t b, uint64_t c);
/* NULL: PTX has no such one. Global: atom.add.f32 flushes subnormals there. */
simt_atomic_fn simt_atomic_find(enum ptx_atom op, enum ptx_type type, bool is_global);

#endif
