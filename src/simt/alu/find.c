/* find.c - from an instruction to its kernel: spell the form as the tables do, look it up. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/alu/rows.h"
#include "simt/alu/video.h"

/* ---- which build ---- */

bool simt_isa_available(enum simt_isa isa)
{
	switch (isa) {
	case SIMT_ISA_PORTABLE:
		return true;
#if defined(__x86_64__)
	case SIMT_ISA_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
	case SIMT_ISA_AVX512:
		return simt_isa_available(SIMT_ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
#endif
	default:
		return false;
	}
}

enum simt_isa simt_isa_choose(const char *name)
{
	static const char *const names[] = {"portable", "avx2", "avx512"};

	for (int isa = SIMT_ISA_COUNT - 1; isa >= 0; isa--) {
		if (name && strcmp(name, names[isa]) != 0)
			continue;
		if (simt_isa_available((enum simt_isa)isa))
			return (enum simt_isa)isa;
	}
	return SIMT_ISA_COUNT;
}

#define BUILD(b)                                                                                                       \
	{&simt_alu_int_##b, &simt_alu_float_##b, &simt_alu_compare_##b, &simt_alu_convert_##b, &simt_alu_half_##b,     \
	 &simt_alu_sfu_##b, &simt_alu_video_##b}
enum { TABLES = 7, SLOTS = 16384 };
static const struct simt_alu_table *const tables[SIMT_ISA_COUNT][TABLES] = {
	[SIMT_ISA_PORTABLE] = BUILD(portable),
#if defined(__x86_64__)
	[SIMT_ISA_AVX2] = BUILD(avx2),
	[SIMT_ISA_AVX512] = BUILD(avx512),
#endif
};

/* Open addressing over all rows of a build, filled once. */
static const struct simt_alu_row *slots[SIMT_ISA_COUNT][SLOTS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static uint32_t key_hash(const char *key)
{
	uint32_t h = 2166136261u;

	for (; *key; key++)
		h = (h ^ (uint8_t)*key) * 16777619u;
	return h;
}

static void slots_fill(void)
{
	for (int isa = 0; isa < SIMT_ISA_COUNT; isa++) {
		uint32_t used = 0;

		for (int t = 0; t < TABLES && tables[isa][t]; t++) {
			for (uint32_t i = 0; i < tables[isa][t]->count; i++) {
				const struct simt_alu_row *row = &tables[isa][t]->rows[i];
				uint32_t at = key_hash(row->key) % SLOTS;

				for (; slots[isa][at]; at = (at + 1) % SLOTS)
					CHECK(strcmp(slots[isa][at]->key, row->key) != 0);
				slots[isa][at] = row;
				CHECK(++used < SLOTS / 2);
			}
		}
	}
}

const struct simt_alu_row *simt_alu_row(const char *key, enum simt_isa isa)
{
	pthread_once(&slots_once, slots_fill);
	for (uint32_t at = key_hash(key) % SLOTS; slots[isa][at]; at = (at + 1) % SLOTS)
		if (strcmp(slots[isa][at]->key, key) == 0)
			return slots[isa][at];
	return NULL;
}

uint32_t simt_alu_row_list(enum simt_isa isa, const struct simt_alu_row **rows, uint32_t max)
{
	uint32_t count = 0;

	for (int t = 0; t < TABLES && tables[isa][t]; t++)
		for (uint32_t i = 0; i < tables[isa][t]->count; i++, count++)
			if (count < max)
				rows[count] = &tables[isa][t]->rows[i];
	return count;
}

/* ---- spelling a form ---- */

struct form {
	enum ptx_op op;
	struct ptx_mods m;
	enum ptx_type t[3];
	bool is_three; /* min and max of three values */
	const char *why; /* set when the form is refused */
};

static enum ptx_type type_unsigned(enum ptx_type t)
{
	switch (t) {
	case PTX_S8:
	case PTX_B8:
		return PTX_U8;
	case PTX_S16:
	case PTX_B16:
		return PTX_U16;
	case PTX_S32:
	case PTX_B32:
		return PTX_U32;
	case PTX_S64:
	case PTX_B64:
		return PTX_U64;
	case PTX_S16X2:
		return PTX_U16X2;
	default:
		return t;
	}
}

static enum ptx_type type_integer(enum ptx_type t)
{
	return ptx_type_is_signed(t) ? t : type_unsigned(t);
}

static enum ptx_type type_bits(enum ptx_type t)
{
	if (t == PTX_PRED || t == PTX_TYPE_NONE)
		return t;
	switch (ptx_type_bytes(t)) {
	case 1:
		return PTX_B8;
	case 2:
		return PTX_B16;
	case 4:
		return PTX_B32;
	default:
		return PTX_B64;
	}
}

static void form_compare(struct form *f, enum ptx_type *t)
{
	static const uint8_t plain[] = {[PTX_LO] = PTX_LT, [PTX_LS] = PTX_LE, [PTX_HI] = PTX_GT, [PTX_HS] = PTX_GE};

	if (ptx_type_is_float(*t))
		return;
	if (f->m.cmp >= PTX_LO && f->m.cmp <= PTX_HS) {
		f->m.cmp = plain[f->m.cmp];
		*t = type_unsigned(*t);
	}
	*t = f->m.cmp == PTX_EQ || f->m.cmp == PTX_NE ? type_unsigned(*t) : type_integer(*t);
}

/* Modifiers that change nothing for the type are dropped, and types that agree are made one. */
static void form_arith(struct form *f)
{
	enum ptx_type *t = &f->t[0];

	if (ptx_type_is_float(*t)) {
		if (f->op == PTX_OP_MAD)
			f->op = PTX_OP_FMA;
		if (f->m.round == PTX_ROUND_NONE)
			f->m.round = PTX_RN;
		f->m.part = 0;
		return;
	}
	if (f->m.sat && f->m.part != PTX_HI_HALF && f->op == PTX_OP_MAD)
		f->why = ".sat of an integer mad needs .hi.s32";
	if (f->m.part == PTX_HI_HALF || f->m.part == PTX_WIDE || f->m.sat)
		*t = type_integer(*t);
	else
		*t = type_unsigned(*t);
}

static void form_convert(struct form *f)
{
	const bool float_to = ptx_type_is_float(f->t[0]), float_from = ptx_type_is_float(f->t[1]);

	f->t[0] = type_integer(f->t[0]);
	f->t[1] = type_integer(f->t[1]);
	if (!float_to && float_from)
		f->m.sat = false; /* such a conversion always clamps */
	if (f->t[0] != PTX_F32 && f->t[1] != PTX_F32)
		f->m.ftz = false;
	if (float_to && !float_from)
		f->m.ftz = false;
	if (!float_to && !float_from)
		f->m.ftz = false, f->m.round = PTX_ROUND_NONE;
	if (f->t[1] == PTX_BF16 && (f->t[0] == PTX_F32 || f->t[0] == PTX_F64) && f->m.round <= PTX_RP)
		f->m.round = PTX_ROUND_NONE; /* nothing is left to round */
}

static void form_normalise(struct form *f)
{
	switch (f->op) {
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_MUL:
	case PTX_OP_MAD:
	case PTX_OP_FMA:
	case PTX_OP_ADDC:
	case PTX_OP_SUBC:
	case PTX_OP_MADC:
		form_arith(f);
		break;
	case PTX_OP_MUL24:
	case PTX_OP_MAD24:
	case PTX_OP_SAD:
	case PTX_OP_BFE:
	case PTX_OP_BFIND:
	case PTX_OP_REM:
	case PTX_OP_SHR:
	case PTX_OP_MIN:
	case PTX_OP_MAX:
	case PTX_OP_ABS:
	case PTX_OP_NEG:
		f->t[0] = type_integer(f->t[0]);
		break;
	case PTX_OP_DIV:
	case PTX_OP_RCP:
	case PTX_OP_SQRT:
		f->t[0] = type_integer(f->t[0]);
		if (ptx_type_is_float(f->t[0]) && f->m.round == PTX_ROUND_NONE && !f->m.full)
			f->m.approx = true; /* PTX 1.x wrote no rounding */
		break;
	case PTX_OP_RSQRT:
	case PTX_OP_SIN:
	case PTX_OP_COS:
	case PTX_OP_LG2:
	case PTX_OP_EX2:
	case PTX_OP_TANH:
		f->m.approx = true;
		break;
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_NOT:
	case PTX_OP_CNOT:
	case PTX_OP_SHL:
	case PTX_OP_MOV:
	case PTX_OP_SELP:
	case PTX_OP_SLCT:
	case PTX_OP_CLZ:
		f->t[0] = type_bits(f->t[0]);
		break;
	case PTX_OP_SETP:
		form_compare(f, &f->t[0]);
		break;
	case PTX_OP_SET:
		if (!ptx_type_is_float(f->t[0])) /* all ones or zero */
			f->t[0] = type_unsigned(f->t[0]);
		form_compare(f, &f->t[1]);
		break;
	case PTX_OP_CVT:
		form_convert(f);
		break;
	default:
		break;
	}
	if (f->t[0] == PTX_F64 && f->t[1] != PTX_F32)
		f->m.ftz = f->m.ftz && f->m.approx;
}

/* Words that are one modifier each, in the order of a key. */
static const char *const round_words[] = {"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
static const char *const cmp_words[] = {
    "",    "eq",  "ne",  "lt",  "le",  "gt",  "ge",     "lo",       "ls",     "hi",         "hs",     "equ",      "neu",
    "ltu", "leu", "gtu", "geu", "num", "nan", "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
static const char *const bool_words[] = {"", "and", "or", "xor"};
static const char *const part_words[] = {"", "lo", "hi", "wide"};
static const char *const shf_words[] = {"", "clamp", "wrap"};
static const char *const prmt_words[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};

static void key_add(char *key, const char *word)
{
	if (*word) {
		strcat(key, "_");
		strcat(key, word);
	}
}

enum { KEY_BYTES = 128 };

static void form_key(const struct form *f, char key[KEY_BYTES])
{
	const struct ptx_mods *m = &f->m;

	strcpy(key, ptx_op_name(f->op));
	key_add(key, f->is_three ? "three" : "");
	key_add(key, prmt_words[m->prmt]);
	key_add(key, m->left ? "l" : m->right ? "r" : "");
	key_add(key, shf_words[m->shf]);
	key_add(key, part_words[m->part]);
	key_add(key, bool_words[m->boolop]);
	key_add(key, cmp_words[m->cmp]);
	key_add(key, m->approx ? "approx" : "");
	key_add(key, m->full ? "full" : "");
	key_add(key, round_words[m->round]);
	key_add(key, m->cc ? "cc" : "");
	key_add(key, m->ftz ? "ftz" : "");
	key_add(key, m->relu ? "relu" : "");
	key_add(key, m->nan ? "nan" : "");
	key_add(key, m->xorsign ? "xorsign" : "");
	key_add(key, m->abs && !m->xorsign ? "abs" : "");
	key_add(key, m->sat ? "sat" : "");
	key_add(key, m->satfinite ? "satfinite" : "");
	key_add(key, m->shiftamt ? "shiftamt" : "");
	for (int k = 0; k < 3; k++)
		key_add(key, f->t[k] == PTX_TYPE_NONE ? "" : ptx_type_name(f->t[k]));
}

/* ---- video instructions: the form is in aux ---- */

static uint32_t video_selector(const struct ptx_inst *inst, int k)
{
	const struct ptx_operand *o = k == 0 ? &inst->dst : &inst->src[k - 1];

	return inst->mods.vsel[k] ? inst->mods.vsel[k] : o->sel;
}

static bool video_aux(const struct ptx_inst *inst, uint32_t *aux, const char **why)
{
	static const uint8_t order[] = {[PTX_EQ] = 0, [PTX_NE] = 1, [PTX_LT] = 2, [PTX_LE] = 3, [PTX_GT] = 4,
					[PTX_GE] = 5, [PTX_LO] = 2, [PTX_LS] = 3, [PTX_HI] = 4, [PTX_HS] = 5};
	const struct ptx_mods *m = &inst->mods;
	const bool is_set = inst->op == PTX_OP_VSET || inst->op == PTX_OP_VSET2 || inst->op == PTX_OP_VSET4;
	const enum ptx_type td = is_set ? PTX_U32 : inst->type, ta = is_set ? inst->type : inst->type2;
	const enum ptx_type tb = is_set ? inst->type2 : inst->type3;
	uint32_t u = (ptx_type_is_signed(ta) ? VIDEO_SIGNED_A : 0) | (ptx_type_is_signed(tb) ? VIDEO_SIGNED_B : 0) |
		     (ptx_type_is_signed(td) ? VIDEO_SIGNED_D : 0) | (m->sat ? VIDEO_SAT : 0);

	if (m->vsecond > PTX_VSECOND_MAX) {
		*why = "has a secondary operation other than .add, .min and .max";
		return false;
	}
	if (is_set && (m->cmp == PTX_CMP_NONE || m->cmp > PTX_HS)) {
		*why = "needs an integer comparison";
		return false;
	}
	u |= video_selector(inst, 0) << VIDEO_SEL_D | video_selector(inst, 1) << VIDEO_SEL_A |
	     video_selector(inst, 2) << VIDEO_SEL_B | (uint32_t)m->vsecond << VIDEO_SECOND;
	u |= (is_set ? (uint32_t)order[m->cmp] : 0) << VIDEO_CMP | (uint32_t)(m->shift_amount & 15) << VIDEO_SHIFT;
	u |= (m->trunc_po ? VIDEO_PLUS_ONE : 0) | (m->shf == PTX_SHF_WRAP ? VIDEO_WRAP : 0);
	if (inst->op == PTX_OP_VMAD)
		u |= (inst->src[0].negate != inst->src[1].negate ? VIDEO_NEGATE_AB : 0) |
		     (inst->src[2].negate ? VIDEO_NEGATE_C : 0);
	*aux = u | (m->vmask ? (uint32_t)m->vmask & 15 : 15u) << VIDEO_MASK;
	return true;
}

static bool video_find(const struct ptx_inst *inst, enum simt_isa isa, struct simt_alu *alu, const char **why)
{
	*alu = simt_alu_row(ptx_op_name(inst->op), isa)->alu;
	alu->src_bytes[2] = inst->src_count > 2 ? 4 : 0;
	return video_aux(inst, &alu->aux, why);
}

bool simt_alu_find(const struct ptx_inst *inst, enum simt_isa isa, struct simt_alu *alu, const char **why)
{
	struct form f = {.op = inst->op,
			 .m = inst->mods,
			 .t = {inst->type, inst->type2, inst->type3},
			 .is_three = (inst->op == PTX_OP_MIN || inst->op == PTX_OP_MAX) && inst->src_count == 3};
	char key[KEY_BYTES];

	memset(alu, 0, sizeof *alu);
	*why = NULL;
	if (inst->type == PTX_PRED) {
		*why = "operates on predicates, not on rows";
		return false;
	}
	if (inst->op >= PTX_OP_VABSDIFF && inst->op <= PTX_OP_VSUB4 && inst->op != PTX_OP_VOTE)
		return video_find(inst, isa, alu, why);
	form_normalise(&f);
	if (f.why) {
		*why = f.why;
		return false;
	}
	form_key(&f, key);
	const struct simt_alu_row *row = simt_alu_row(key, isa);
	if (!row) {
		*why = "is not arithmetic on rows, or not in this combination of modifiers and types";
		return false;
	}
	*alu = row->alu;
	if (f.op == PTX_OP_LOP3 && !f.m.boolop)
		alu->aux = (uint32_t)inst->src[3].imm;
	return true;
}
