/* tables.h - what may follow each opcode, as the tables ptx_forms.def, ptx_mods.def and ptx_classes.def say. */
#ifndef STRATA_PTX_TABLES_H
#define STRATA_PTX_TABLES_H

#include "ptx/ptx.h"

enum ptx_class {
#define CLASS(id, field, what) PTX_CLASS_##id,
#include "ptx/ptx_classes.def"
#undef CLASS
	PTX_CLASS_COUNT
};

struct ptx_class_info {
	uint32_t field_offset; /* of the byte in struct ptx_mods */
	const char *what;      /* "rounding" */
};
extern const struct ptx_class_info ptx_classes[PTX_CLASS_COUNT];

struct ptx_mod_info {
	const char *text; /* without the dot */
	enum ptx_class class_id;
	uint8_t value;
};
extern const struct ptx_mod_info ptx_mods_table[];
extern const uint32_t ptx_mods_count;

struct ptx_form {
	const char *shape; /* see ptx_forms.def; NULL: no such opcode */
	uint8_t type_min, type_max;
	uint64_t types;   /* bit set of enum ptx_type */
	uint64_t allowed; /* bit set of enum ptx_class */
	uint64_t needed;
};
extern const struct ptx_form ptx_forms[PTX_OP_COUNT];

/* By text[0..length), without dot. Not found: PTX_OP_UNSUPPORTED; PTX_TYPE_NONE; NULL. */
enum ptx_op ptx_op_find(const char *text, uint32_t length);
enum ptx_type ptx_type_find(const char *text, uint32_t length);
const struct ptx_mod_info *ptx_mod_find(const char *text, uint32_t length, uint64_t allowed);

/* Why an opcode is outside the scope: "tensor-core instruction" and the like; "unknown instruction" otherwise. */
const char *ptx_op_outside(const char *text, uint32_t length);
/* Why a modifier that PTX has makes an instruction unsupported, or NULL if PTX has no such modifier. */
const char *ptx_mod_outside(const char *text, uint32_t length);

/* Is it a modifier of some instruction of PTX that the tables do not have? */
bool ptx_word_find(const char *text, uint32_t length);

/* A special register by name ("%envreg7": *number = 7; "%pm3_64": 3), PTX_SREG_COUNT if there is none. */
enum ptx_sreg ptx_sreg_find(const char *text, uint32_t length, uint32_t *number);
/* The type of a special register. */
enum ptx_type ptx_sreg_type(enum ptx_sreg s);

const char *ptx_space_name(enum ptx_space s); /* ".global" */

#endif
