/* service.c - see service.h. */
#include "simt/service.h"

#include "simt/lanes.h"
#include "simt/state.h"

uint64_t simt_program_variable(const struct simt_program *p, const struct ptx_var *var)
{
	return simt_module_var_addr(((const struct simt_program_priv *)p)->module, var);
}

const char *simt_program_module_name(const struct simt_program *p)
{
	return ((const struct simt_program_priv *)p)->module->ptx->name;
}

simt_atomic_fn simt_atomic_find(enum ptx_atom op, enum ptx_type type, bool is_global)
{
	return is_global && op == PTX_ATOM_ADD && type == PTX_F32 ? simt_atom_add_f32_flush : simt_atom_find(op, type);
}
