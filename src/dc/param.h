/* param.h - a launch's parameter block, as the compiler and the machine read it: where a load reads, and whether that
 * is in the block. A kernel's text says where, so that nothing is read but through here.
 */
#ifndef STRATA_DC_PARAM_H
#define STRATA_DC_PARAM_H

#include <string.h>

#include "ptx/ptx.h"

/* A load of parameter space, by its name or by its variable's. */
static inline bool dc_param_is_load(const struct ptx_inst *i)
{
	return i->op == PTX_OP_LD && (i->mods.space == PTX_PARAM_ENTRY || i->mods.space == PTX_PARAM_CALL ||
				      (i->src[0].var && i->src[0].var->space == PTX_PARAM_ENTRY));
}

/* Where in a block of so many bytes a load of such an element reads, if no register is asked, and all that the
 * instruction loads is there, in its place. False: the C-Box finds out when a lane comes to it. */
static inline bool dc_param_place(const struct ptx_inst *i, uint64_t block_bytes, uint64_t *at)
{
	const struct ptx_operand *o = &i->src[0];
	const uint64_t bytes = (uint64_t)ptx_type_bytes(i->type) * (i->mods.vec > 1 ? i->mods.vec : 1u);

	if (o->kind != PTX_OPND_ADDR || o->reg != UINT32_MAX || !o->var || o->var->space != PTX_PARAM_ENTRY)
		return false;
	*at = o->var->offset_bytes + (uint64_t)o->offset;
	return *at < block_bytes && bytes <= block_bytes - *at && !(*at & (bytes - 1));
}

/* The element at a place of the block, extended by its type's sign. False: it is not there. */
static inline bool dc_param_read(const uint8_t *block, uint64_t block_bytes, uint64_t at, enum ptx_type type,
				 uint64_t *value)
{
	const uint32_t bytes = ptx_type_bytes(type);

	*value = 0;
	if (!block || at >= block_bytes || bytes > block_bytes - at || bytes > sizeof(*value))
		return false;
	memcpy(value, block + at, bytes);
	if (ptx_type_is_signed(type) && bytes && bytes < 8 && *value >> (8 * bytes - 1) & 1)
		*value |= ~0ull << 8 * bytes;
	return true;
}

#endif
