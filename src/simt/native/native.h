/* native.h - kernels as host code: what is compiled, where it is kept, and how a warp's turn runs in it.
 *
 * A program's text in C (text.c, piece.c, form.c) has the same instructions as the program: runs of arithmetic become
 * one loop over lanes, accesses that hit the allocation of the last one are done in place, all else is the
 * interpreter's own function. library.c compiles and keeps it, turn.c runs warps in it and leaves them where the
 * interpreter would.
 */
#ifndef STRATA_SIMT_NATIVE_NATIVE_H
#define STRATA_SIMT_NATIVE_NATIVE_H

#include <glib.h>

#include "simt/native/turn.h"
#include "simt/priv.h"

typedef enum native_end (*native_fn)(struct native_turn *t);

struct simt_native {
	native_fn fn; /* NULL: not compiled */
	bool is_tried;
	char *text;           /* what is to be compiled, until it is */
	char *why;            /* it is not compiled; NULL: not tried, or it is */
	uint64_t interpreted; /* warp instructions so far, which is what waits for a compiler to be worth it */
	void *library;
};

/* ---- text.c ---- */

/* The program as C; NULL with *why. Free with g_free. */
char *native_text(const struct simt_program_priv *p, char **why);

/* ---- form.c: arithmetic as expressions ---- */

struct native_form {
	const char *key;    /* as alu/find.c spells it, without .and, .or, .xor of a comparison */
	const char *dst;    /* type of the result; NULL: a predicate */
	const char *src[4]; /* types of the sources; NULL: none */
	const char *expr;   /* over a, b, c, e, and p of a selection */
	bool is_select;
	enum ptx_boolop boolop; /* of a comparison, with the predicate operand */
};

/* The form of an arithmetic record; false where lanes are not computed by one expression that vectorises. */
bool native_form_find(const struct simt_program_priv *p, const struct simt_exec *e, struct native_form *out);

/* ---- piece.c: a run of instructions as one loop over lanes ---- */

struct native_piece;

struct native_piece *native_piece_new(const struct simt_program_priv *p);
void native_piece_free(struct native_piece *c);
/* Is the instruction one that a piece can have? */
bool native_piece_takes(const struct simt_program_priv *p, uint32_t pc);
/* Adds it; false: the piece has to end before it. */
bool native_piece_add(struct native_piece *c, uint32_t pc);
/* Appends function "piece_NAME" to out; live and live_preds: slots and predicates that are read later. Empties c. */
void native_piece_end(struct native_piece *c, const char *name, const uint8_t *live, const uint8_t *live_preds,
		      GString *out);

/* Is the constant the same in all lanes? %laneid and the like are not. */
bool native_is_uniform(const struct simt_program_priv *p, struct simt_ref r);

/* ---- library.c ---- */

/* Loads the code of n->text: kept, or compiled now if may_compile. Sets n->fn; else n->why, unless it may be compiled
 * later. */
void native_load(struct simt_native *n, enum simt_isa isa, bool may_compile);
void native_unload(struct simt_native *n);

#endif
