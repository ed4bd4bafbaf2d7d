/* compile.h - from a PTX kernel to DC-PTX (Duality Cache, ISCA'19, section 3.4).
 *
 * Two compilers share everything but what `struct dc_options` switches: the plain translator (all switches off, one
 * array: the baseline of figure 13) and the paper's (dc_options_full). A kernel that cannot be compiled is refused with
 * one message, which names the line of the instruction.
 */
#ifndef STRATA_DC_COMPILE_COMPILE_H
#define STRATA_DC_COMPILE_COMPILE_H

#include "base/diag.h"
#include "dc/word.h"

struct simt_tex_desc; /* simt/texture.h */

/* Who looks at the kernel behind every pass. What is NULL is not called. */
struct dc_watch {
	void *self;
	void (*after)(void *self, const char *pass, const struct dc_kernel *k);
	/* A mistake of the compiler, which goes on; where this is NULL the process ends with it. */
	void (*wrong)(void *self, const char *pass, const char *what);
};

/* What accesses cost where a launch will run: by their lines, by who shares the C-Box and the memory, by the ways that
 * are left. lanes = 0: that is not known, and each costs the same. */
struct dc_prices {
	uint32_t lanes, line_bytes; /* of a control block, that have threads */
	double fixed_cycles;	    /* rows through the transpose units, a way's answer */
	double line_cycles;	    /* a line in the C-Box, or on the link if that takes longer, */
	double memory_cycles;	    /* and in the memory */
	double cache_lines;	    /* of ways that are left, for each control block */
};

struct dc_options {
	uint32_t array_count; /* 1: plain translator; DC_ARRAYS */
	bool isolate; /* thread-independent variables are computed by the host, not in arrays; copies and dead values
			 are gone */
	bool balance; /* chains of + * & | ^ become trees: integers */
	bool balance_float;     /* float chains too: changes results */
	bool unroll;            /* loops whose trip count is known */
	bool keep;              /* floats between additions stay in two's complement: array/complement.h */
	bool open;              /* these floats are not normalised: array/open.h; changes results */
	bool split_fma;         /* fma as mul and add, rounded twice: changes results */
	bool table_roots;       /* sqrt.approx and rsqrt.approx by Table 1's algorithms */
	bool base_offset;       /* addresses are a base of the host's and 32 bits of a lane */
	bool schedule;          /* words hold several operations, in the best order; false: one each, in PTX's order */
	uint32_t pressure_cost; /* cycles by which p live registers of an array make it dearer: p * p times this */
	struct dc_prices prices;
	uint32_t unroll_insts;  /* most instructions that an unrolled loop may have */
	/* Known at launch; 0: not known. Trip counts that depend on them are known then. */
	uint32_t block[3], grid[3];
	const uint8_t *params;      /* the launch's parameter block, or NULL */
	const uint8_t *param_known; /* per byte of it: 1 where it is known; NULL: all */
	uint8_t *param_used; /* per byte of it: becomes 1 where the words depend on it; NULL: nobody asks */
	/* The texture object whose handle a variable has, or, where that is NULL, the parameter at this byte of the
	 * block: the words depend on the object from then on. NULL: there is none. The function NULL: objects are not
	 * known. */
	const struct simt_tex_desc *(*texture)(void *self, const struct ptx_var *var, uint64_t param_at);
	void *texture_self;
	bool audit;          /* the function is checked behind every pass, and all words that are made: validate.c */
	const struct dc_watch *watch; /* or NULL */
};

extern const struct dc_options dc_options_plain, dc_options_full;

/* The program's parameters and options may be gone afterwards; the module must live longer than the kernel. NULL with a
 * message in *diag when the kernel is refused. */
struct dc_kernel *dc_compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag);
void dc_kernel_free(struct dc_kernel *k);

/* The passes, in the order in which they are first run: compile/passes.def. is_shown: what it makes can be printed. */
uint32_t dc_pass_count(void);
const char *dc_pass_name(uint32_t index);
bool dc_pass_is_shown(uint32_t index);

/* The words as text, or the counts alone: `strata ptx duality`. */
void dc_print(FILE *out, const struct dc_kernel *k, bool is_summary);
/* The function as a pass has left it, in the time-th of its runs; behind `schedule` the words. */
void dc_print_pass(FILE *out, const struct dc_kernel *k, const char *pass, uint32_t time);

/* Is every word right by itself and in its place? See validate.c. NULL, or a message to be freed by g_free. */
char *dc_validate(const struct dc_kernel *k);

/* What passes have made of a function, a bit each: calls are what they call; only what the arrays, the C-Box and the
 * host do is left; loops have one entry each. */
enum dc_func_is { DC_FUNC_IS_WHOLE = 1, DC_FUNC_IS_LOW = 2, DC_FUNC_IS_REDUCIBLE = 4 };
/* May a pass have made this function, which is so, of the one before, which was so? copies: it may have copied
 * instructions. See validate_func.c. NULL, or a message to be freed by g_free. */
char *dc_validate_func(const struct ptx_func *f, uint32_t is, const struct ptx_func *before, uint32_t was, bool copies);

#endif
