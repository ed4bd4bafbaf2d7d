/* form.c - the arithmetic of alu/'s tables as text: their third reading, by which lane functions become host code. */
#include <string.h>

#include "simt/alu/rows.h"
#include "simt/native/native.h"

struct form_row {
	const char *key, *mode, *dst, *src[4], *expr;
	bool is_select;
};

#define ROW1(id, u, slots, mode, TD, TA, expr) {#id, #mode, #TD, {#TA}, #expr, false},
#define ROW2(id, u, slots, mode, TD, TA, TB, expr) {#id, #mode, #TD, {#TA, #TB}, #expr, false},
#define ROW3(id, u, slots, mode, TD, TA, TB, TC, expr) {#id, #mode, #TD, {#TA, #TB, #TC}, #expr, false},
#define ROW4(id, u, slots, TD, TA, TB, TC, TE, expr) {#id, "LANE_RN", #TD, {#TA, #TB, #TC, #TE}, #expr, false},
#define ROWS(id, u, slots, TD, TA, expr) {#id, "LANE_RN", #TD, {#TA, #TA}, #expr, true},
#define ROWC(id, u, slots, n, T, TA, inner, expr, carry)
#define ROWP(cmp, ftz, u, T, expr) {"setp_" #cmp "_" #ftz #T, "LANE_RN", NULL, {#T, #T}, #expr, false},
#define ROWPH(cmp, ftz, u, T, expr)
#define ROWPX(cmp, ftz, u, T, expr)
#define ROWT(test, u, T, expr) {"testp_" #test "_" #T, "LANE_RN", NULL, {#T}, #expr, false},
#define ROWX(id, u, slots, kind, dst, s0, s1, s2, s3, returns)

static const struct form_row rows[] = {
#include "simt/alu/int.def"
#include "simt/alu/float.def"
#include "simt/alu/compare.def"
#include "simt/alu/convert.def"
};

/* Expressions that compilers do not vectorise on every host: a loop that has one is done lane by lane. */
static const char *const scalar_words[] = {
    "int_div_s16",   "int_rem_s16", "int_div_u64",  "int_rem_u64", "int_div_s64", "int_rem_s64", "int_mulhi_u64",
    "int_mulhi_s64", "int_bfind",   "int_find_nth", "int_bfe_s64", "flt_to_u64",  "flt_to_s64",
};

static bool is_scalar(const struct form_row *row)
{
	const bool from_wide = row->src[0] && (!strcmp(row->src[0], "u64") || !strcmp(row->src[0], "s64"));

	for (uint32_t i = 0; i < G_N_ELEMENTS(scalar_words); i++)
		if (strstr(row->expr, scalar_words[i]))
			return true;
	if (!strcmp(row->key, "shr_s64"))
		return true;
	return row->dst && row->dst[0] == 'f' && from_wide;
}

/* A portable build has calls of the C library in the place of instructions for these. */
static bool needs_instructions(const struct form_row *row)
{
	return strstr(row->expr, "__builtin_") != NULL;
}

static const char *key_of(const struct simt_program_priv *p, simt_alu_fn fn)
{
	static const struct simt_alu_row *list[8192];
	static uint32_t counts[SIMT_ISA_COUNT];
	static enum simt_isa listed = SIMT_ISA_COUNT;

	if (listed != p->isa) {
		counts[p->isa] = simt_alu_row_list(p->isa, list, G_N_ELEMENTS(list));
		listed = p->isa;
	}
	for (uint32_t i = 0; i < counts[p->isa]; i++)
		if (list[i]->alu.fn == fn)
			return list[i]->key;
	return NULL;
}

/* A comparison's key without its boolean operator, which goes to *op. */
static void without_boolop(const char *key, char *plain, size_t size, enum ptx_boolop *op)
{
	static const struct {
		const char *begin;
		enum ptx_boolop op;
	} ops[] = {{"setp_and_", PTX_BOOL_AND}, {"setp_or_", PTX_BOOL_OR}, {"setp_xor_", PTX_BOOL_XOR}};

	*op = PTX_BOOL_NONE;
	g_strlcpy(plain, key, size);
	for (uint32_t i = 0; i < G_N_ELEMENTS(ops); i++) {
		if (!g_str_has_prefix(key, ops[i].begin))
			continue;
		*op = ops[i].op;
		g_snprintf(plain, size, "setp_%s", key + strlen(ops[i].begin));
	}
}

bool native_form_find(const struct simt_program_priv *p, const struct simt_exec *e, struct native_form *out)
{
	const char *key = key_of(p, e->alu);
	char plain[128];

	if (!key || e->writes_carry || e->aux_kind == SIMT_AUX_CARRY)
		return false;
	*out = (struct native_form){.key = key};
	if (!strcmp(key, "lop3_b32")) {
		out->dst = out->src[0] = out->src[1] = out->src[2] = "u32";
		out->expr = NULL;
		return true;
	}
	without_boolop(key, plain, sizeof(plain), &out->boolop);
	for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const struct form_row *row = &rows[i];

		if (strcmp(row->key, plain) != 0)
			continue;
		if (strcmp(row->mode, "LANE_RN") != 0 || is_scalar(row) ||
		    (p->isa == SIMT_ISA_PORTABLE && needs_instructions(row)))
			return false;
		out->dst = row->dst;
		memcpy(out->src, row->src, sizeof(out->src));
		out->expr = row->expr;
		out->is_select = row->is_select;
		return true;
	}
	return false;
}
