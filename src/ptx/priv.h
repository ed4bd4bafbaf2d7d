/* priv.h - what the parts of the parser share: state, symbols, errors, tokens. Not for other folders. */
#ifndef STRATA_PTX_PRIV_H
#define STRATA_PTX_PRIV_H

#include "base/diag.h"
#include "ptx/arena.h"
#include "ptx/lexer.h"
#include "ptx/ptx.h"
#include "ptx/tables.h"

/* Limits on what one module may ask for; each error names its limit. */
enum {
	PTX_REG_RANGE_MAX = 1 << 20, /* registers of one .reg %r<N> */
	PTX_VAR_RANGE_MAX = 1 << 12, /* variables of one .param %p<N> */
	PTX_NESTING_MAX = 64,        /* { } scopes, initialiser braces */
	PTX_EXPR_DEPTH_MAX = 64,     /* parentheses and unary operators in an expression */
	PTX_OPERANDS_MAX = 16,       /* operands of one instruction, elements of a vector */
	PTX_CALL_ARGS_MAX = 4096,    /* arguments of one call */
	PTX_MODS_MAX = 16,           /* modifiers of one opcode */
	PTX_FILES_MAX = 65536,       /* .file numbers */
};
#define PTX_TEXT_BYTES_MAX (1ull << 31)  /* a module's text */
#define PTX_VAR_BYTES_MAX (1ull << 36)   /* one variable */
#define PTX_IMAGE_BYTES_MAX (1ull << 28) /* all initialised variables of a module */
/* Registers times instructions that end or begin a block, in one function: the bits of one liveness set. */
#define PTX_LIVENESS_BITS_MAX (1ull << 33)
#define PTX_NO_REG UINT32_MAX

/* The module as the parser makes it: the public part first. */
struct ptx_symbol;
struct ptx_module_priv {
	struct ptx_module pub;
	struct ptx_arena arena;
	struct ptx_symbol **buckets; /* symbols of module scope stay for look-up by name */
	uint32_t bucket_count;       /* a power of two */
	uint32_t symbol_count;
};

enum ptx_symbol_kind {
	PTX_SYM_VAR,
	PTX_SYM_FUNC,
	PTX_SYM_REG,
	PTX_SYM_RANGE,
	PTX_SYM_LABEL,
	PTX_SYM_TARGETS,
	PTX_SYM_PROTO
};

struct ptx_symbol {
	struct ptx_symbol *next; /* in the bucket */
	const char *name;
	uint32_t length, scope, hash;
	enum ptx_symbol_kind kind;
	struct ptx_var *var;
	struct ptx_func *func;
	uint32_t index; /* REG: register; LABEL: instruction */
	/* RANGE: name is the prefix */
	uint32_t range_count;
	enum ptx_type type;
	uint8_t vec;
	struct ptx_operand *targets; /* TARGETS: the labels */
	uint32_t target_count;
	uint32_t line;
};

struct ptx_block_scope {
	uint32_t parent; /* index into scopes; scope 0 is the module */
};

/* A name used where a label may be: resolved at the end of the function. */
struct ptx_label_ref {
	const char *name;
	uint32_t length, scope, line, col;
};

#define PTX_VECTOR(type)             \
	struct {                     \
		type *at;            \
		uint32_t count, cap; \
	}

/* Appends a zeroed element and yields a pointer to it, valid until the next append. */
#define PTX_VECTOR_ADD(v) \
	((v)->at = ptx_vector_grow((v)->at, &(v)->cap, (v)->count, sizeof((v)->at[0])), &(v)->at[(v)->count++])

/* Makes room for element count (zeroed); cap is updated. */
void *ptx_vector_grow(void *at, uint32_t *cap, uint32_t count, size_t size_bytes);

struct ptx_parser {
	struct ptx_module_priv *m;
	struct ptx_arena *arena;
	struct base_diag_list *diag;
	struct ptx_lexer lexer;
	struct ptx_token tok, ahead; /* the current token and the one after */
	const char *prev_end;        /* end of the last token taken */
	uint64_t image_bytes;
	PTX_VECTOR(struct ptx_var *) vars;
	PTX_VECTOR(struct ptx_func *) funcs;
	PTX_VECTOR(struct ptx_loc) locs;
	PTX_VECTOR(const char *) files;
	/* the function being parsed */
	struct ptx_func *func;
	PTX_VECTOR(struct ptx_block_scope) scopes;
	uint32_t scope, func_scope; /* the innermost, and that of the function */
	PTX_VECTOR(struct ptx_reg) regs;
	PTX_VECTOR(struct ptx_inst) insts;
	PTX_VECTOR(struct ptx_pragma) pragmas;
	PTX_VECTOR(struct ptx_var *) locals;
	PTX_VECTOR(struct ptx_label_ref) label_refs;
	uint32_t loc, label_count;
	bool label_at_end; /* a label follows the last instruction */
};

/* parse.c: tokens and errors */
void ptx_parse_next(struct ptx_parser *p);
bool ptx_parse_is(const struct ptx_parser *p, uint32_t punct);
bool ptx_parse_is_dot(const struct ptx_parser *p, const char *word);
/* Takes the token if it is there. */
bool ptx_parse_take(struct ptx_parser *p, uint32_t punct);
bool ptx_parse_take_dot(struct ptx_parser *p, const char *word);
/* Takes the token, or reports what was found and expected (in words) and returns false. */
bool ptx_parse_expect(struct ptx_parser *p, uint32_t punct, const char *where);
/* Reports "found X, expected Y" at the current token; returns false. */
bool ptx_parse_unexpected(struct ptx_parser *p, const char *expected);
/* Reports at the given place; returns false. */
bool ptx_parse_error(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool ptx_parse_error_tok(struct ptx_parser *p, const struct ptx_token *t, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Skips past the next ';' at this nesting level, or to a '}' that closes it, or past a balanced {...}. */
void ptx_parse_recover(struct ptx_parser *p);
/* Skips a balanced {...}; the current token is '{'. */
bool ptx_parse_skip_braces(struct ptx_parser *p);
bool ptx_parse_too_many_errors(const struct ptx_parser *p);
char *ptx_parse_name(struct ptx_parser *p, const struct ptx_token *t);

/* symbols.c */
struct ptx_symbol *ptx_symbol_add(struct ptx_module_priv *m, uint32_t scope, const char *name, uint32_t length,
				  enum ptx_symbol_kind kind);
/* In exactly that scope. */
struct ptx_symbol *ptx_symbol_get(const struct ptx_module_priv *m, uint32_t scope, const char *name, uint32_t length);
/* From p->scope outward. */
struct ptx_symbol *ptx_symbol_find(const struct ptx_parser *p, const char *name, uint32_t length);
struct ptx_symbol *ptx_symbol_find_from(const struct ptx_parser *p, uint32_t scope, const char *name, uint32_t length);
/* Declares a name in p->scope; NULL and an error if it is taken there. */
struct ptx_symbol *ptx_symbol_declare(struct ptx_parser *p, const struct ptx_token *name, enum ptx_symbol_kind kind);
/* The register of that name, made on first use if a range declares it; PTX_NO_REG if there is none. */
uint32_t ptx_symbol_reg(struct ptx_parser *p, const char *name, uint32_t length);
/* The name, or the name with a suffix that makes it the only one in its function; then it is taken. */
const char *ptx_symbol_unique(struct ptx_parser *p, const char *name, uint32_t length);
uint32_t ptx_reg_add(struct ptx_parser *p, const char *name, uint32_t length, enum ptx_type type, uint8_t vec);

/* parse_expr.c: constant expressions */
struct ptx_value {
	enum { PTX_VALUE_INT, PTX_VALUE_F32, PTX_VALUE_F64 } kind;
	bool is_unsigned;
	uint64_t bits;
};
/* True if the current token can begin a constant (number, sign, parenthesis, WARP_SZ). */
bool ptx_expr_starts(const struct ptx_parser *p);
bool ptx_expr_parse(struct ptx_parser *p, struct ptx_value *out);
/* An expression whose value is an integer of at most max; what is for the message. */
bool ptx_expr_parse_count(struct ptx_parser *p, uint64_t max, const char *what, uint64_t *out);
/* The bits of v as a value of type t; false if a float cannot be a t (an integer type). */
bool ptx_value_to(const struct ptx_value *v, enum ptx_type t, uint64_t *bits);

/* parse_var.c: variable and parameter declarations */
/* After the state-space word; scope is where the variable is declared. */
bool ptx_parse_var_decl(struct ptx_parser *p, enum ptx_space space, enum ptx_linkage linkage);
bool ptx_parse_reg_decl(struct ptx_parser *p);
/* "( .param .u32 a, ... )" into an arena array. */
bool ptx_parse_params(struct ptx_parser *p, enum ptx_space space, struct ptx_var **params, uint32_t *count,
		      uint64_t *end_bytes);
/* The space of a directive word such as .global, PTX_SPACE_NONE if it is not one. */
enum ptx_space ptx_parse_space_of(const struct ptx_token *t);
/* parse_init.c: "= ..." of var; the '=' is taken. */
bool ptx_parse_init(struct ptx_parser *p, struct ptx_var *var);

/* parse_module.c */
bool ptx_parse_module(struct ptx_parser *p);
/* .loc .file .section .pragma and others that are the same inside and outside functions; *taken says if it was one. */
bool ptx_parse_common_directive(struct ptx_parser *p, bool *taken);
/* .visible, .extern, .weak, .common or none of them. */
void ptx_parse_linkage(struct ptx_parser *p, enum ptx_linkage *linkage);

/* parse_func.c */
bool ptx_parse_func(struct ptx_parser *p, enum ptx_linkage linkage, bool is_entry);

/* parse_inst.c */
bool ptx_parse_inst(struct ptx_parser *p);

/* parse_operand.c. While an instruction is parsed, an immediate has one of these kinds: its type is not known yet. */
enum { PTX_RAW_INT = 100, PTX_RAW_F32, PTX_RAW_F64 };
bool ptx_parse_operand(struct ptx_parser *p, struct ptx_operand *o);
bool ptx_parse_list(struct ptx_parser *p, uint32_t close, uint32_t max, struct ptx_operand *list);
/* A reference to a label that may come later; imm is the index into label_refs until the function ends. */
struct ptx_operand ptx_label_operand(struct ptx_parser *p, const struct ptx_token *name);
/* A whole vector register becomes the vector of its components. */
void ptx_operand_spread(struct ptx_parser *p, struct ptx_operand *o);
/* Makes an immediate of type t out of a raw one. */
bool ptx_operand_settle(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t);

/* parse_check.c: fills inst->dst, src from what was written, by the opcode's shape. */
struct ptx_written {
	struct ptx_operand at[PTX_OPERANDS_MAX];
	uint32_t count;
	struct ptx_operand second; /* q of p|q */
	bool has_second;
};
bool ptx_check_inst(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w);
/* "found X, expected Y" of an operand; false. */
bool ptx_check_fail(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_operand *o, const char *expected);
/* Are there min to max operands, and no second destination? False with a message. */
bool ptx_check_count(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_written *w, uint32_t min,
		     uint32_t max);
/* One source or destination as the letter of a shape says. */
bool ptx_check_operand(struct ptx_parser *p, struct ptx_inst *i, struct ptx_operand *o, char letter, bool relaxed,
		       bool vector, bool is_dst);

/* parse_special.c: call, bra, brx, bar, mov. */
bool ptx_check_special(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w);
bool ptx_parse_call(struct ptx_parser *p, struct ptx_inst *i);
/* parse_matrix.c: wmma, mma, ldmatrix, stmatrix, movmatrix, cp.async, mbarrier. */
bool ptx_check_matrix(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w);

/* Formats an instruction's place for base_diag_error. */
const char *ptx_operand_describe(const struct ptx_parser *p, const struct ptx_operand *o, char *buf, size_t size_bytes);

#endif
