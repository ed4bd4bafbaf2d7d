/* ptx.h - PTX as data: what the parser makes of a module, and what everybody downstream reads.
 *
 * A module is immutable after ptx_module_parse. Everything in it lives in the module's arena and is freed with it. An
 * instruction that the parser knows but Strata cannot execute, or does not know, is kept with op PTX_OP_UNSUPPORTED and
 * its text; its function gets `unsupported`, and only a launch that needs the function fails.
 *
 * Semantics follow the PTX ISA manual (version 8.x); forms down to PTX 1.4 are accepted.
 */
#ifndef STRATA_PTX_PTX_H
#define STRATA_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum ptx_type {
	PTX_TYPE_NONE,
	PTX_U8, PTX_S8, PTX_B8,
	PTX_U16, PTX_S16, PTX_B16, PTX_F16, PTX_BF16,
	PTX_U32, PTX_S32, PTX_B32, PTX_F32, PTX_F16X2, PTX_BF16X2,
	PTX_U64, PTX_S64, PTX_B64, PTX_F64,
	PTX_PRED,
	PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF,
	/* Formats that only cvt knows: pairs of 8- and 6-bit floats, and f32 with 10 fraction bits. */
	PTX_E4M3X2, PTX_E5M2X2, PTX_E2M3X2, PTX_E3M2X2, PTX_TF32,
	PTX_S4, PTX_U4, PTX_B1, /* elements of matrices; ptx_type_bytes says 1 */
	PTX_U16X2, PTX_S16X2,
	PTX_B128, /* in PTX text only: the parser makes two of .b64 of it */
	PTX_TYPE_COUNT
};

uint32_t ptx_type_bytes(enum ptx_type t); /* 1..16; pred 1; texref and the like 8 */
const char *ptx_type_name(enum ptx_type t); /* "u32" */
bool ptx_type_is_float(enum ptx_type t);
bool ptx_type_is_signed(enum ptx_type t); /* s8..s64 */
/* The integers of twice as many bits, for those of 16 and 32; others stay as they are. */
enum ptx_type ptx_type_twice(enum ptx_type t);

enum ptx_space {
	PTX_SPACE_NONE, /* generic addressing where a space is optional */
	PTX_REG,
	PTX_CONST,
	PTX_GLOBAL,
	PTX_LOCAL,
	PTX_SHARED,
	PTX_PARAM_ENTRY, /* .param of a kernel */
	PTX_PARAM_CALL,	 /* .param of a device function or of a call site: lives in the thread's frame */
	PTX_TEX,
};

/* One row per base opcode: OP(id, text). The list is ptx_ops.def, in alphabetical order. */
enum ptx_op {
#define OP(id, text) PTX_OP_##id,
#include "ptx/ptx_ops.def"
#undef OP
	PTX_OP_COUNT
};
const char *ptx_op_name(enum ptx_op op);

enum ptx_round { PTX_ROUND_NONE, PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI, PTX_RNA };

/* setp/set/slct/testp comparisons; the U forms are true when an operand is NaN. */
enum ptx_cmp {
	PTX_CMP_NONE, PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE, PTX_LO, PTX_LS, PTX_HI, PTX_HS,
	PTX_EQU, PTX_NEU, PTX_LTU, PTX_LEU, PTX_GTU, PTX_GEU, PTX_NUM, PTX_NAN,
	/* testp */
	PTX_FINITE, PTX_INFINITE, PTX_NUMBER, PTX_NOTANUMBER, PTX_NORMAL, PTX_SUBNORMAL,
};

enum ptx_boolop { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR };

/* mul/mad result part */
enum ptx_part { PTX_PART_NONE, PTX_LO_HALF, PTX_HI_HALF, PTX_WIDE };

enum ptx_cache { PTX_CACHE_NONE, PTX_CA, PTX_CG, PTX_CS, PTX_LU, PTX_CV, PTX_WB, PTX_WT, PTX_NC };

enum ptx_sem { PTX_SEM_WEAK, PTX_VOLATILE, PTX_RELAXED, PTX_ACQUIRE, PTX_RELEASE, PTX_ACQ_REL, PTX_SC };
enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_CLUSTER, PTX_SCOPE_GPU, PTX_SCOPE_SYS };

enum ptx_atom {
	PTX_ATOM_NONE, PTX_ATOM_AND, PTX_ATOM_OR, PTX_ATOM_XOR, PTX_ATOM_CAS, PTX_ATOM_EXCH, PTX_ATOM_ADD, PTX_ATOM_INC,
	PTX_ATOM_DEC, PTX_ATOM_MIN, PTX_ATOM_MAX,
	PTX_ATOM_POPC, /* bar.red.popc only */
};

enum ptx_shfl { PTX_SHFL_NONE, PTX_SHFL_UP, PTX_SHFL_DOWN, PTX_SHFL_BFLY, PTX_SHFL_IDX };
enum ptx_vote { PTX_VOTE_NONE, PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNI, PTX_VOTE_BALLOT };
/* bar/barrier: sync, arrive, red; match: any, all */
enum ptx_bar { PTX_BAR_NONE, PTX_BAR_SYNC, PTX_BAR_ARRIVE, PTX_BAR_RED, PTX_BAR_WARP_SYNC,
	       PTX_BAR_WAIT /* barrier.cluster */ };
enum ptx_match { PTX_MATCH_NONE, PTX_MATCH_ANY, PTX_MATCH_ALL };
enum ptx_prmt { PTX_PRMT_NONE, PTX_PRMT_F4E, PTX_PRMT_B4E, PTX_PRMT_RC8, PTX_PRMT_ECL, PTX_PRMT_ECR, PTX_PRMT_RC16 };
enum ptx_shf { PTX_SHF_NONE, PTX_SHF_CLAMP, PTX_SHF_WRAP };
/* tex/sust/suld */
enum ptx_geom { PTX_GEOM_NONE, PTX_1D, PTX_2D, PTX_3D, PTX_A1D, PTX_A2D, PTX_CUBE, PTX_ACUBE };
enum ptx_clamp { PTX_CLAMP_NONE, PTX_CLAMP_TRAP, PTX_CLAMP_CLAMP, PTX_CLAMP_ZERO };
/* what txq and suq ask for; the component of tld4 */
enum ptx_query {
	PTX_QUERY_NONE, PTX_QUERY_WIDTH, PTX_QUERY_HEIGHT, PTX_QUERY_DEPTH, PTX_QUERY_CHANNEL_DATA_TYPE,
	PTX_QUERY_CHANNEL_ORDER, PTX_QUERY_NORMALIZED_COORDS, PTX_QUERY_FILTER_MODE, PTX_QUERY_ADDR_MODE_0,
	PTX_QUERY_ADDR_MODE_1, PTX_QUERY_ADDR_MODE_2, PTX_QUERY_ARRAY_SIZE, PTX_QUERY_NUM_MIPMAP_LEVELS,
	PTX_QUERY_NUM_SAMPLES, PTX_QUERY_MEMORY_LAYOUT, PTX_QUERY_FORCE_UNNORMALIZED,
	PTX_QUERY_COMP_R, PTX_QUERY_COMP_G, PTX_QUERY_COMP_B, PTX_QUERY_COMP_A,
};
/* addr_mode_* of a .samplerref, numbered as txq answers (PTX ISA, txq) */
enum ptx_addr_mode { PTX_ADDR_WRAP, PTX_ADDR_MIRROR, PTX_ADDR_CLAMP_OGL, PTX_ADDR_CLAMP_TO_EDGE,
		     PTX_ADDR_CLAMP_TO_BORDER };
/* Initial value of a .samplerref variable: address modes of dimensions 0, 1, 2 in three bits each, then these. */
enum { PTX_SAMPLER_ADDRESS_BITS = 3, PTX_SAMPLER_LINEAR = 1 << 9, PTX_SAMPLER_UNNORMALIZED = 1 << 10 };
#define PTX_SAMPLER_PACKED (1ull << 63) /* set in all of them: no texture object's handle has it */
/* mipmap level of tex; cache level of prefetch, prefetchu, discard */
enum ptx_level { PTX_LEVEL_NONE, PTX_LEVEL_BASE, PTX_LEVEL_LEVEL, PTX_LEVEL_GRAD, PTX_LEVEL_L1, PTX_LEVEL_L2 };
/* wmma: what is done, and to which matrix; how a matrix lies in memory, or which operand is transposed */
enum ptx_wmma { PTX_WMMA_NONE, PTX_WMMA_LOAD, PTX_WMMA_STORE, PTX_WMMA_MMA };
enum ptx_matrix_name { PTX_MATRIX_NONE, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C, PTX_MATRIX_D };
enum ptx_layout { PTX_LAYOUT_NONE, PTX_ROW, PTX_COL };
/* D (m x n) = A (m x k) * B (k x n) + C; m8n8: of ldmatrix, stmatrix, movmatrix */
enum ptx_shape {
	PTX_SHAPE_NONE, PTX_M8N8, PTX_M8N8K4, PTX_M8N8K16, PTX_M8N8K32, PTX_M8N8K128, PTX_M16N8K4, PTX_M16N8K8,
	PTX_M16N8K16, PTX_M16N8K32, PTX_M16N8K64, PTX_M16N8K128, PTX_M16N8K256, PTX_M16N16K8, PTX_M16N16K16,
	PTX_M32N8K16, PTX_M8N32K16,
};
/* What else changes the meaning: ldmatrix .trans; mma .popc; cp.async.mbarrier .noinc; mbarrier .noComplete .parity
 * .expect_tx .complete_tx; fence.proxy .alias */
enum ptx_variant {
	PTX_VARIANT_NONE, PTX_VARIANT_TRANS, PTX_VARIANT_POPC, PTX_VARIANT_NOINC, PTX_VARIANT_NOCOMPLETE,
	PTX_VARIANT_PARITY, PTX_VARIANT_EXPECT_TX, PTX_VARIANT_COMPLETE_TX, PTX_VARIANT_ALIAS,
};
/* cp.async: a copy, or what is done with the copies before it */
enum ptx_cp { PTX_CP_COPY, PTX_CP_COMMIT, PTX_CP_WAIT_GROUP, PTX_CP_WAIT_ALL, PTX_CP_ARRIVE, PTX_CP_PREFETCH };
/* cp.async.bulk: what is told that the bytes are there; .read of a wait: that they have been read */
enum ptx_complete { PTX_COMPLETE_NONE, PTX_COMPLETE_MBARRIER, PTX_COMPLETE_GROUP, PTX_COMPLETE_READ };
/* cp.async.bulk, fence.mbarrier_init, fence.proxy */
enum ptx_kind { PTX_KIND_PLAIN, PTX_KIND_BULK, PTX_KIND_MBARRIER_INIT, PTX_KIND_PROXY };
enum ptx_mbar {
	PTX_MBAR_NONE, PTX_MBAR_INIT, PTX_MBAR_INVAL, PTX_MBAR_ARRIVE, PTX_MBAR_ARRIVE_DROP, PTX_MBAR_TEST_WAIT,
	PTX_MBAR_TRY_WAIT, PTX_MBAR_PENDING_COUNT,
};
/* griddepcontrol; createpolicy */
enum ptx_griddep { PTX_GRIDDEP_NONE, PTX_GRIDDEP_LAUNCH, PTX_GRIDDEP_WAIT };
enum ptx_policy_kind { PTX_POLICY_NONE, PTX_POLICY_FRACTIONAL, PTX_POLICY_RANGE, PTX_POLICY_CVT };
/* video instructions: secondary operation, and per operand a byte/half selector */
enum ptx_vsecond {
	PTX_VSECOND_NONE,
	PTX_VSECOND_ADD,
	PTX_VSECOND_MIN,
	PTX_VSECOND_MAX,
	PTX_VSECOND_MRG_H0,
	PTX_VSECOND_MRG_H1,
	PTX_VSECOND_MRG_B
};
enum ptx_vsel { PTX_SEL_NONE, PTX_SEL_B0, PTX_SEL_B1, PTX_SEL_B2, PTX_SEL_B3, PTX_SEL_H0, PTX_SEL_H1 };

/* Everything that follows the base opcode. Fields that do not apply are zero. */
struct ptx_mods {
	uint8_t round;	  /* enum ptx_round */
	uint8_t cmp;	  /* enum ptx_cmp */
	uint8_t boolop;	  /* enum ptx_boolop: setp.cmp.BOOLOP with a third source predicate */
	uint8_t part;	  /* enum ptx_part */
	uint8_t cache;	  /* enum ptx_cache */
	uint8_t sem;	  /* enum ptx_sem */
	uint8_t scope;	  /* enum ptx_scope; membar.{cta,gl,sys} too */
	uint8_t space;	  /* enum ptx_space: of ld/st/atom/red/cvta/isspacep/prefetch; NONE = generic */
	uint8_t atom;	  /* enum ptx_atom: atom, red, bar.red (AND, OR, POPC) */
	uint8_t shfl;	  /* enum ptx_shfl */
	uint8_t vote;	  /* enum ptx_vote */
	uint8_t bar;	  /* enum ptx_bar */
	uint8_t match;	  /* enum ptx_match */
	uint8_t prmt;	  /* enum ptx_prmt */
	uint8_t shf;	  /* enum ptx_shf: shf, bmsk */
	uint8_t geom;	  /* enum ptx_geom */
	uint8_t clamp;	  /* enum ptx_clamp */
	uint8_t vsecond;  /* enum ptx_vsecond */
	uint8_t vsel[4];  /* enum ptx_vsel of d, a, b, c (video); vset4 etc.: byte mask in vmask */
	uint8_t vmask;	  /* .b3210 style lane mask of SIMD video instructions */
	uint8_t vec;	  /* 0/1 scalar, 2, 4, 8: .v2/.v4 of ld, st, tex, sust */
	uint8_t shift_amount; /* vshr/vmad .shr7/.shr15: 7 or 15 */
	bool ftz, sat, approx, full, uni, cc /* .cc: writes carry */, to /* cvta.to */, sync, aligned, shiftamt, left,
	    right, relu, nan, xorsign, trunc_po /* .po */, unified, hint /* L1:: or L2:: hint: no effect on results */,
	    policy /* .L2::cache_hint: the last source is the policy, no effect on results */, noftz, idx,
	    b_form /* suld, sust, sured: .b; false = .p */, satfinite, abs /* min, max: of absolute values */,
	    mmio /* an access to a device: as any other here */,
	    mask /* pmevent.mask */;
	uint8_t query;	/* enum ptx_query */
	uint8_t level;	/* enum ptx_level */
	uint8_t griddep;     /* enum ptx_griddep */
	uint8_t policy_kind; /* enum ptx_policy_kind: createpolicy */
	uint8_t wmma;	     /* enum ptx_wmma */
	uint8_t matrix;	     /* enum ptx_matrix_name: of wmma.load and wmma.store */
	uint8_t a_layout, b_layout; /* enum ptx_layout; a_layout also of the matrix that is loaded or stored */
	uint8_t shape;	     /* enum ptx_shape */
	uint8_t num;	     /* ldmatrix, stmatrix: matrices, 1, 2 or 4 */
	uint8_t variant;     /* enum ptx_variant */
	uint8_t space2;	     /* cp.async: enum ptx_space of the source; space is that of the destination */
	uint8_t cp_op;	     /* enum ptx_cp */
	uint8_t mbar;	     /* enum ptx_mbar */
	bool async;	     /* cp.async, fence.proxy.async */
	uint8_t kind;	     /* enum ptx_kind */
	uint8_t complete;    /* enum ptx_complete */
};

struct ptx_func;
struct ptx_var;

enum ptx_operand_kind {
	PTX_OPND_NONE,
	PTX_OPND_REG,  /* reg; negate: "!p" */
	PTX_OPND_IMM,  /* imm: bits of a value of the operand's type; is_float_literal: how it was written */
	PTX_OPND_SREG, /* sreg, and component for .x .y .z */
	PTX_OPND_ADDR, /* [base + offset]: base is reg or var or none (absolute) */
	PTX_OPND_VAR,  /* address of a variable (+ offset): mov, call parameter names */
	PTX_OPND_LABEL, /* instruction index */
	PTX_OPND_FUNC,  /* function symbol: call target, or address of a function */
	PTX_OPND_VEC,   /* {a, b, ...}: elems */
	PTX_OPND_SINK,  /* _ */
	PTX_OPND_LIST,  /* ( ... ) of call; branch target list of brx: elems */
};

enum ptx_sreg {
#define SREG(id, text, type) PTX_SREG_##id,
#include "ptx/ptx_sregs.def"
#undef SREG
	PTX_SREG_COUNT
};
const char *ptx_sreg_name(enum ptx_sreg s);

struct ptx_operand {
	uint8_t kind;	     /* enum ptx_operand_kind */
	bool negate;	     /* "!p", and "-x" on a register where PTX 1.x allows it */
	bool is_float_literal;
	uint8_t component;   /* 0 none, 1..4 = .x .y .z .w of a vector register or special register */
	uint8_t sel;	     /* enum ptx_vsel of a video operand */
	uint8_t part_count;  /* SIMD video: bytes (".b7610": 4) or halves (".h10": 2) that are written out; 0: none */
	bool is_halves;
	uint16_t parts;	     /* their numbers, four bits each, the last one written in the lowest */
	uint8_t type;	     /* IMM: enum ptx_type of the value */
	uint16_t elem_count; /* VEC, LIST */
	uint32_t reg;	     /* REG, ADDR with register base: index into func->regs; UINT32_MAX = none */
	uint32_t label;	     /* LABEL: instruction index in func->insts */
	enum ptx_sreg sreg;
	int64_t offset;	     /* ADDR, VAR */
	uint64_t imm;	     /* IMM: integer value two's complement, or IEEE bits of the operand's type */
	const struct ptx_var *var;
	const struct ptx_func *func;
	struct ptx_operand *elems;
	uint32_t line, col;
};

enum { PTX_SRC_MAX = 7 };

/* Sources by opcode, where the order is not that of the text:
 * - st, red, sust, sured: no dst; the address, or texture and coordinates, first, then the value.
 * - tex, tld4: src[0] texture (VAR, or REG with a handle), src[1] coordinates (VEC, REG or IMM), src[2] sampler or
 * NONE, then level or gradients, then offsets. suld, sust, sured: src[0] surface, src[1] coordinates. txq, suq: src[0].
 * - cp.async: no dst; src[0] destination, src[1] source, src[2] bytes, src[3] source bytes (or a predicate: ignore the
 * source) or NONE, src[4] policy. wmma.load: dst the fragment, src[0] address, src[1] stride or NONE. wmma.store,
 * stmatrix: no dst; src[0] address, src[1] the fragment, src[2] stride. mma, wmma.mma: A, B, C. A fragment is a VEC.
 * - bar.red: src[0] barrier, src[1] thread count or NONE, src[2] predicate.
 * A whole vector register is given as the VEC of its components, so that REG always means one value; a .b128 is one of
 * two .b64. A vmad operand with '-' has negate. PM, PM64 and ENVREG have their number in offset.
 *
 * One instruction. dst2 is the predicate q of "p|q" (setp, shfl, match, lop3...), or the carry-like second result. */
struct ptx_inst {
	enum ptx_op op;
	struct ptx_mods mods;
	enum ptx_type type;  /* the first type suffix: of the operation, of the result for cvt/set */
	enum ptx_type type2; /* the second: source type of cvt, set, tex coordinate type, vadd's a type... */
	enum ptx_type type3; /* the third: vadd's b type */
	enum ptx_type type4; /* the fourth: of C, where mma and wmma.mma name all of D, A, B and C */
	bool has_guard, guard_negate;
	bool is_spill; /* no instruction of the program: a load or store that spill.h has added */
	uint32_t guard_reg;  /* index into func->regs */
	uint8_t src_count;
	struct ptx_operand dst, dst2;
	struct ptx_operand src[PTX_SRC_MAX];
	/* call: dst = LIST of return params (kind NONE if absent), src[0] = FUNC or REG, src[1] = LIST of arguments,
	 * prototype for indirect calls. brx.idx: src[0] index, src[1] LIST of labels. */
	const struct ptx_func *prototype;
	uint32_t line, col;  /* in the PTX text */
	uint32_t loc;	     /* index into module->locs, 0 = none: .loc source line */
	const char *text;    /* the instruction as written, one line, for messages */
	const char *unsupported; /* op UNSUPPORTED: why, e.g. "wmma: tensor-core instruction" */
};

struct ptx_reg {
	const char *name;
	enum ptx_type type;
	uint8_t vec; /* 1, 2, 4: .v2/.v4 register */
};

enum ptx_linkage { PTX_LINK_LOCAL, PTX_LINK_VISIBLE, PTX_LINK_EXTERN, PTX_LINK_WEAK, PTX_LINK_COMMON };

/* A symbol's address placed in an initialised variable: bytes [at, at + bytes) = address(target) + addend. */
struct ptx_reloc {
	uint64_t at_bytes, addend;
	uint32_t bytes;
	bool is_generic; /* generic(sym): the generic address rather than the space's own */
	uint8_t mask_shift; /* 0xFF(sym) forms: shift of the byte taken */
	const struct ptx_var *var;
	const struct ptx_func *func;
};

struct ptx_var {
	const char *name;
	enum ptx_space space;
	enum ptx_linkage linkage;
	enum ptx_type type; /* element type */
	uint8_t vec;
	uint64_t size_bytes; /* whole variable; 0 for .extern .shared x[] and other unsized externs */
	uint32_t align_bytes;
	bool is_unsized;     /* [] */
	bool is_managed;     /* .attribute(.managed): the host reads and writes it too */
	bool is_ptr;	     /* kernel parameter with .ptr */
	enum ptx_space ptr_space;
	uint32_t ptr_align_bytes;
	uint8_t *init;	     /* size_bytes initial bytes, or NULL = zero */
	struct ptx_reloc *relocs;
	uint32_t reloc_count;
	uint64_t offset_bytes; /* kernel params: offset in the parameter block; function-scope .local/.shared/.param:
				* offset in the frame area of their space (laid out by the parser, aligned) */
	const struct ptx_func *owner; /* NULL: module scope */
	uint32_t index;	     /* in module->vars for module scope */
	uint32_t line;
};

struct ptx_cfg; /* ptx/cfg.h */

/* A string of a .pragma in a function: it stands before instruction inst. */
struct ptx_pragma {
	const char *text; /* without its quotes */
	uint32_t inst;
};

struct ptx_func {
	const char *name;
	bool is_entry, is_prototype /* .callprototype */, has_body, is_noreturn, has_clusters;
	enum ptx_linkage linkage;
	struct ptx_var *params; /* inputs, PTX_PARAM_ENTRY or PTX_PARAM_CALL (or PTX_REG for old register params) */
	uint32_t param_count;
	uint64_t param_bytes;	/* kernel parameter block: the end of the last parameter */
	struct ptx_var *rets;
	uint32_t ret_count;
	struct ptx_reg *regs;
	uint32_t reg_count;
	struct ptx_inst *insts;
	uint32_t inst_count;
	struct ptx_pragma *pragmas; /* in the order of the text */
	uint32_t pragma_count;
	struct ptx_var **locals; /* function-scope variables of .local, .shared, .param, .const, .global */
	uint32_t local_count;
	uint64_t frame_local_bytes;  /* .local variables, aligned */
	uint64_t frame_param_bytes;  /* call-site .param variables and own params/rets of a device function */
	uint64_t static_shared_bytes; /* of function-scope .shared; shared of callees is added by simt */
	uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0 = not given */
	const char *unsupported; /* first reason why the function cannot run; NULL = can */
	uint32_t unsupported_line;
	const struct ptx_func *alias; /* .alias: the function this name stands for; has_body is false */
	uint32_t index; /* in module->funcs */
	uint32_t line;
	const struct ptx_module *module;
};

struct ptx_loc {
	uint32_t file, line, col; /* file: index into module->files by .file number */
};

struct ptx_module {
	const char *name; /* file name or what the caller called it */
	uint32_t version_major, version_minor;
	uint32_t address_bits; /* .address_size; 64 where the module has none (64-bit PTX before 2.3 had none either) */
	const char *target; /* "sm_70" */
	struct ptx_var **vars; /* module scope */
	uint32_t var_count;
	struct ptx_func **funcs; /* with body, declarations, prototypes at module scope */
	uint32_t func_count;
	struct ptx_loc *locs; /* [0] unused */
	uint32_t loc_count;
	const char **files; /* indexed by .file number; NULL where not declared */
	uint32_t file_count;
};

/* Parses text[0..size) (a terminating NUL inside size is allowed). name appears in messages; copied. Returns the
 * module, or NULL with at least one message "name:line:col: error: ..." naming the offending text and what was
 * expected. Errors are collected up to a limit. Never crashes, never loops, whatever the bytes. Free with
 * ptx_module_free. */
struct ptx_module *ptx_module_parse(const char *name, const char *text, size_t size_bytes, struct base_diag_list *diag);
void ptx_module_free(struct ptx_module *m);

/* By exact name; NULL if absent. Declarations without body are found only when there is no definition. */
const struct ptx_func *ptx_module_func(const struct ptx_module *m, const char *name);
const struct ptx_var *ptx_module_var(const struct ptx_module *m, const char *name);

/* Registers an instruction reads and writes, as indexes into func->regs, guard included in reads (once each). A
 * guarded write, and a write of a part, is also counted as a read of the old value only where `partial` of the caller
 * says so (liveness wants it for guarded writes). Returns counts; arrays hold up to PTX_REGS_MAX. */
enum { PTX_REGS_MAX = 64 };
struct ptx_reg_use {
	uint32_t reads[PTX_REGS_MAX], writes[PTX_REGS_MAX];
	uint32_t read_count, write_count;
};
void ptx_inst_regs(const struct ptx_inst *i, struct ptx_reg_use *use);

/* Classes that analyses and the timing model share. */
bool ptx_inst_is_load(const struct ptx_inst *i);   /* ld (any space but param/const), tex, suld */
bool ptx_inst_is_store(const struct ptx_inst *i);  /* st, sust */
bool ptx_inst_is_branch(const struct ptx_inst *i); /* bra, brx */
bool ptx_inst_is_barrier(const struct ptx_inst *i); /* bar, barrier */
bool ptx_inst_is_warp_wide(const struct ptx_inst *i); /* shfl, vote, and the like */
bool ptx_inst_ends_block(const struct ptx_inst *i); /* branch, ret, exit, trap, unguarded or not */

#endif
