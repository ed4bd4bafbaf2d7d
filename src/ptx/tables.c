/* tables.c - expansions of the .def tables of this folder, and look-ups in them. */
#include "ptx/tables.h"

#include <string.h>

#include "base/check.h"

static const char *const op_names[PTX_OP_COUNT] = {
#define OP(id, text) [PTX_OP_##id] = text,
#include "ptx/ptx_ops.def"
#undef OP
};

static const char *const sreg_names[PTX_SREG_COUNT] = {
#define SREG(id, text, type) [PTX_SREG_##id] = text,
#include "ptx/ptx_sregs.def"
#undef SREG
};

enum type_family { FAMILY_OTHER, FAMILY_UNSIGNED, FAMILY_SIGNED, FAMILY_BITS, FAMILY_FLOAT };

static const struct {
	const char *name;
	uint8_t bytes, family;
} types[PTX_TYPE_COUNT] = {
    [PTX_TYPE_NONE] = {"", 0, FAMILY_OTHER},      [PTX_U8] = {"u8", 1, FAMILY_UNSIGNED},
    [PTX_S8] = {"s8", 1, FAMILY_SIGNED},          [PTX_B8] = {"b8", 1, FAMILY_BITS},
    [PTX_U16] = {"u16", 2, FAMILY_UNSIGNED},      [PTX_S16] = {"s16", 2, FAMILY_SIGNED},
    [PTX_B16] = {"b16", 2, FAMILY_BITS},          [PTX_F16] = {"f16", 2, FAMILY_FLOAT},
    [PTX_BF16] = {"bf16", 2, FAMILY_FLOAT},       [PTX_U32] = {"u32", 4, FAMILY_UNSIGNED},
    [PTX_S32] = {"s32", 4, FAMILY_SIGNED},        [PTX_B32] = {"b32", 4, FAMILY_BITS},
    [PTX_F32] = {"f32", 4, FAMILY_FLOAT},         [PTX_F16X2] = {"f16x2", 4, FAMILY_FLOAT},
    [PTX_BF16X2] = {"bf16x2", 4, FAMILY_FLOAT},   [PTX_U64] = {"u64", 8, FAMILY_UNSIGNED},
    [PTX_S64] = {"s64", 8, FAMILY_SIGNED},        [PTX_B64] = {"b64", 8, FAMILY_BITS},
    [PTX_F64] = {"f64", 8, FAMILY_FLOAT},         [PTX_PRED] = {"pred", 1, FAMILY_OTHER},
    [PTX_TEXREF] = {"texref", 8, FAMILY_OTHER},   [PTX_SAMPLERREF] = {"samplerref", 8, FAMILY_OTHER},
    [PTX_SURFREF] = {"surfref", 8, FAMILY_OTHER},
    [PTX_E4M3X2] = {"e4m3x2", 2, FAMILY_FLOAT},   [PTX_E5M2X2] = {"e5m2x2", 2, FAMILY_FLOAT},
    [PTX_E2M3X2] = {"e2m3x2", 2, FAMILY_FLOAT},   [PTX_E3M2X2] = {"e3m2x2", 2, FAMILY_FLOAT},
    [PTX_TF32] = {"tf32", 4, FAMILY_FLOAT},       [PTX_S4] = {"s4", 1, FAMILY_SIGNED},
    [PTX_U4] = {"u4", 1, FAMILY_UNSIGNED},        [PTX_B1] = {"b1", 1, FAMILY_BITS},
    [PTX_U16X2] = {"u16x2", 4, FAMILY_UNSIGNED},  [PTX_S16X2] = {"s16x2", 4, FAMILY_SIGNED},
    [PTX_B128] = {"b128", 16, FAMILY_BITS},
};

const struct ptx_class_info ptx_classes[PTX_CLASS_COUNT] = {
#define CLASS(id, field, what) [PTX_CLASS_##id] = {offsetof(struct ptx_mods, field), what},
#include "ptx/ptx_classes.def"
#undef CLASS
};
_Static_assert(PTX_CLASS_COUNT <= 64, "class sets are 64-bit masks");
_Static_assert(PTX_TYPE_COUNT <= 64, "type sets are 64-bit masks");

const struct ptx_mod_info ptx_mods_table[] = {
#define MOD(text, class_id, value) {text, PTX_CLASS_##class_id, value},
#include "ptx/ptx_mods.def"
#undef MOD
};
const uint32_t ptx_mods_count = ARRAY_COUNT(ptx_mods_table);

#define T(t) (1ull << PTX_##t)
#define T_SINT (T(S16) | T(S32) | T(S64))
#define T_INT (T_SINT | T(U16) | T(U32) | T(U64))
#define T_BYTE (T(U8) | T(S8) | T(B8))
#define T_PAIR (T(U16X2) | T(S16X2))
#define T_BITS (T(B16) | T(B32) | T(B64))
#define T_NARROW (T(E4M3X2) | T(E5M2X2) | T(E2M3X2) | T(E3M2X2) | T(TF32))
#define T_FLT (T(F16) | T(BF16) | T(F32) | T(F16X2) | T(BF16X2) | T(F64))
#define T_MATRIX \
	(T(F16) | T(BF16) | T(TF32) | T(F32) | T(F64) | T(S8) | T(U8) | T(S4) | T(U4) | T(B1) | T(S32))
#define M(c) (1ull << PTX_CLASS_##c)

#define M_MATRIX (M(SATFINITE) | M(ROUND) | M(ATOM) | M(VARIANT))

const struct ptx_form ptx_forms[PTX_OP_COUNT] = {
#define FORM(op, shape, type_min, type_max, types, allowed, needed) \
	[PTX_OP_##op] = {shape, type_min, type_max, types, allowed, needed},
#include "ptx/ptx_forms.def"
#undef FORM
};

uint32_t ptx_type_bytes(enum ptx_type t)
{
	CHECK((unsigned)t < PTX_TYPE_COUNT);
	return types[t].bytes;
}

const char *ptx_type_name(enum ptx_type t)
{
	CHECK((unsigned)t < PTX_TYPE_COUNT);
	return types[t].name;
}

bool ptx_type_is_float(enum ptx_type t)
{
	CHECK((unsigned)t < PTX_TYPE_COUNT);
	return types[t].family == FAMILY_FLOAT;
}

enum ptx_type ptx_type_twice(enum ptx_type t)
{
	switch (t) {
	case PTX_U16:
		return PTX_U32;
	case PTX_S16:
		return PTX_S32;
	case PTX_U32:
		return PTX_U64;
	case PTX_S32:
		return PTX_S64;
	default:
		return t;
	}
}

bool ptx_type_is_signed(enum ptx_type t)
{
	CHECK((unsigned)t < PTX_TYPE_COUNT);
	return types[t].family == FAMILY_SIGNED;
}

const char *ptx_op_name(enum ptx_op op)
{
	CHECK((unsigned)op < PTX_OP_COUNT);
	return op_names[op];
}

const char *ptx_sreg_name(enum ptx_sreg s)
{
	CHECK((unsigned)s < PTX_SREG_COUNT);
	return sreg_names[s];
}

const char *ptx_space_name(enum ptx_space s)
{
	static const char *const names[] = {
	    [PTX_SPACE_NONE] = "generic", [PTX_REG] = ".reg",          [PTX_CONST] = ".const",
	    [PTX_GLOBAL] = ".global",     [PTX_LOCAL] = ".local",      [PTX_SHARED] = ".shared",
	    [PTX_PARAM_ENTRY] = ".param", [PTX_PARAM_CALL] = ".param", [PTX_TEX] = ".tex"};
	CHECK((unsigned)s < ARRAY_COUNT(names));
	return names[s];
}

static bool is_text(const char *name, const char *text, uint32_t length)
{
	return strncmp(name, text, length) == 0 && name[length] == 0;
}

enum ptx_op ptx_op_find(const char *text, uint32_t length)
{
	for (uint32_t i = 0; i < PTX_OP_UNSUPPORTED; i++)
		if (is_text(op_names[i], text, length))
			return i;
	return PTX_OP_UNSUPPORTED;
}

enum ptx_type ptx_type_find(const char *text, uint32_t length)
{
	for (uint32_t i = PTX_TYPE_NONE + 1; i < PTX_TYPE_COUNT; i++)
		if (is_text(types[i].name, text, length))
			return i;
	return PTX_TYPE_NONE;
}

const struct ptx_mod_info *ptx_mod_find(const char *text, uint32_t length, uint64_t allowed)
{
	for (uint32_t i = 0; i < ptx_mods_count; i++)
		if ((allowed >> ptx_mods_table[i].class_id & 1) && is_text(ptx_mods_table[i].text, text, length))
			return &ptx_mods_table[i];
	return NULL;
}

const char *ptx_op_outside(const char *text, uint32_t length)
{
	static const struct {
		const char *op, *why;
	} outside[] = {
#define OUTSIDE(op, why) {op, why},
#include "ptx/ptx_outside.def"
#undef OUTSIDE
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(outside); i++)
		if (is_text(outside[i].op, text, length))
			return outside[i].why;
	return "unknown instruction";
}

const char *ptx_mod_outside(const char *text, uint32_t length)
{
	static const struct {
		const char *mod, *why;
	} outside[] = {
	    {"e2m1x2", "the 4-bit float type .e2m1x2"},
	    {"ue8m0x2", "the scale type .ue8m0x2"},
	    {"e4m3x4", "four 8-bit floats with random bits"},
	    {"e5m2x4", "four 8-bit floats with random bits"},
	    {"e2m1x4", "four 4-bit floats with random bits"},
	    {"e2m3x4", "four 6-bit floats with random bits"},
	    {"e3m2x4", "four 6-bit floats with random bits"},
	    {"f32x2", "pairs of f32 in one register"},
	    {"b128", "128-bit values"},
	    {"bulk", "bulk copies of sm_90"},
	    {"reduce", "bulk copies of sm_90"},
	    {"tensor", "tensor maps"},
	    {"multicast::cluster", "thread-block clusters"},
	    {"cp_mask", "byte masks of bulk copies"},
	    {"expect_tx", "bulk copies of sm_90"},
	    {"complete_tx", "bulk copies of sm_90"},
	    {"sp", "sparse matrices"},
	    {"sp::ordered_metadata", "sparse matrices"},
	    {"e4m3", "matrices of 8-bit floats"},
	    {"e5m2", "matrices of 8-bit floats"},
	    {"e2m3", "matrices of 6-bit floats"},
	    {"e3m2", "matrices of 6-bit floats"},
	    {"e2m1", "matrices of 4-bit floats"},
	    {"kind::f8f6f4", "scaled matrices of sm_100"},
	    {"kind::mxf8f6f4", "scaled matrices of sm_100"},
	    {"kind::mxf4", "scaled matrices of sm_100"},
	    {"kind::mxf4nvf4", "scaled matrices of sm_100"},
	    {"block_scale", "scaled matrices of sm_100"},
	    {"m16n16", "matrices of 8-bit elements of sm_100"},
	    {"m16n8", "matrices of 8-bit elements of sm_100"},
	    {"m8n16", "matrices of 8-bit elements of sm_100"},
	    {"cluster", "thread-block clusters"},
	    {"pack", "packing conversions"},
	    {"proxy", "proxy fences"},
	    {"alias", "proxy fences"},
	    {"async", "asynchronous copies"},
	    {"mbarrier_init", "asynchronous copies"},
	    {"2dms", "multi-sample textures"},
	    {"a2dms", "multi-sample textures"},
	    {"rs", "stochastic rounding"},
	    {"unpack", "unpacking moves"},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(outside); i++)
		if (is_text(outside[i].mod, text, length))
			return outside[i].why;
	return NULL;
}

bool ptx_word_find(const char *text, uint32_t length)
{
	/* PTX ISA 9.0; those with digits and colons cannot be taken for others that are misspelt. */
	static const char *const words[] = {
	    "alias", "alloc", "block", "bulk", "cancel", "commit", "cp", "cta", "dealloc", "decompress", "discard",
	    "down", "elemtype", "exclusive", "expect", "fence", "fill", "first", "gather", "generic", "im", "kind",
	    "lastuse", "ld", "oob", "pack", "permit", "proxy", "query", "rank", "read", "reduce", "relinquish",
	    "replace", "rs", "scale", "scatter", "shift", "sp", "st", "tensor", "tensormap", "tile", "try", "unpack",
	    "use", "warpx", "ws",
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(words); i++)
		if (is_text(words[i], text, length))
			return true;
	return ptx_mod_outside(text, length) != NULL;
}

/* "7" and "31" after a name's stem: the number, UINT32_MAX if it is none below limit. */
static uint32_t number_of(const char *text, uint32_t length, uint32_t limit)
{
	uint32_t n = 0;

	if (!length || length > 2)
		return UINT32_MAX;
	for (uint32_t k = 0; k < length; k++) {
		if (text[k] < '0' || text[k] > '9')
			return UINT32_MAX;
		n = n * 10 + (uint32_t)(text[k] - '0');
	}
	return n < limit ? n : UINT32_MAX;
}

enum ptx_sreg ptx_sreg_find(const char *text, uint32_t length, uint32_t *number)
{
	static const struct {
		const char *stem, *end;
		uint32_t limit;
		enum ptx_sreg sreg;
	} numbered[] = {
	    {"%envreg", "", 32, PTX_SREG_ENVREG},
	    {"%pm", "_64", 8, PTX_SREG_PM64},
	    {"%pm", "", 8, PTX_SREG_PM},
	};

	*number = 0;
	for (uint32_t i = 0; i < ARRAY_COUNT(numbered); i++) {
		const uint32_t stem = (uint32_t)strlen(numbered[i].stem), end = (uint32_t)strlen(numbered[i].end);

		if (length <= stem + end || memcmp(text, numbered[i].stem, stem) != 0 ||
		    memcmp(text + length - end, numbered[i].end, end) != 0)
			continue;
		const uint32_t n = number_of(text + stem, length - stem - end, numbered[i].limit);

		if (n == UINT32_MAX)
			continue;
		*number = n;
		return numbered[i].sreg;
	}
	for (uint32_t i = 0; i < PTX_SREG_COUNT; i++)
		if (i != PTX_SREG_ENVREG && i != PTX_SREG_PM && i != PTX_SREG_PM64 &&
		    is_text(sreg_names[i], text, length))
			return i;
	return PTX_SREG_COUNT;
}

enum ptx_type ptx_sreg_type(enum ptx_sreg s)
{
	static const uint8_t types_of[PTX_SREG_COUNT] = {
#define SREG(id, text, type) [PTX_SREG_##id] = PTX_##type,
#include "ptx/ptx_sregs.def"
#undef SREG
	};

	CHECK((unsigned)s < PTX_SREG_COUNT);
	return types_of[s];
}
