/* build.h - what the parts of the decoder share while a program is built. Not for other folders.
 *
 * program.c finds the functions and lays out memory, decode.c turns instructions into records, decode_mem.c those that
 * touch memory.
 */
#ifndef STRATA_SIMT_BUILD_H
#define STRATA_SIMT_BUILD_H

#include "simt/priv.h"

/* A module-scope .shared or .local variable that the program uses. */
struct simt_placed_var {
	const struct ptx_var *var;
	uint64_t offset;
};

struct simt_build {
	struct simt_program_priv *p;
	const struct simt_module *m;
	enum simt_isa isa;
	struct base_diag_list *diag;
	struct simt_placed_var *placed;
	uint32_t placed_count, placed_cap;
	uint64_t shared_bytes, local_bytes; /* laid out so far */
	uint64_t local_align;		    /* of every frame in local memory: the strictest of their variables */
	uint32_t func_cap, inst_cap, rows_cap, sb_count, sb_cap, sreg_cap;
	bool has_indirect;
	bool is_refused_device_runtime; /* and was said */
	/* the instruction being decoded */
	struct simt_program_func *f;
	uint32_t func_index, pc;
	const struct ptx_inst *i;
	bool failed; /* a message about this instruction has been given */
};

/* Memory that lives as long as the program. */
void *simt_own(struct simt_program_priv *p, size_t bytes);
void simt_owned_free(struct simt_program_priv *p);

/* Reports "FILE:LINE:COL: error: KERNEL: TEXT: ..." once per instruction. */
void simt_build_error(struct simt_build *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* All constant rows are there: moves them to where the widest vector instructions can read them. */
void simt_rows_align(struct simt_program_priv *p);
/* A constant row that holds value in every lane. */
struct simt_ref simt_const_row(struct simt_build *b, uint64_t value, uint32_t bytes);
/* Register number reg of the current function; elem: element of a vector register. */
struct simt_ref simt_reg_ref(struct simt_build *b, uint32_t reg, uint32_t elem);
/* Where an operand's value is. bytes: the width of a constant. A sink or absent operand has bytes 0. */
struct simt_ref simt_operand_ref(struct simt_build *b, const struct ptx_operand *o, uint32_t bytes);
struct simt_pred_ref simt_pred_operand(struct simt_build *b, const struct ptx_operand *o);
/* Predicate number of a destination, SIMT_NO_PRED for a sink or none. */
uint32_t simt_pred_dst(struct simt_build *b, const struct ptx_operand *o);
bool simt_is_pred(const struct simt_build *b, const struct ptx_operand *o);
bool simt_is_frame_local(const struct simt_build *b, const struct ptx_var *v);
/* A variable's address in its own space (frame-relative for locals of a device function, a row offset never). */
uint64_t simt_var_offset(struct simt_build *b, const struct ptx_var *v);
enum ptx_type simt_reg_type(const struct simt_build *b, uint32_t reg);

/* bytes rounded up to local_align. */
static inline uint64_t simt_local_aligned(const struct simt_build *b, uint64_t bytes)
{
	return (bytes + b->local_align - 1) & ~(b->local_align - 1);
}

/* registers.c: allocates and, where it must, spills the registers of all functions. */
void simt_registers_allocate(struct simt_build *b, const struct simt_register_bounds *bounds);
/* decode.c */
void simt_decode(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e);
/* decode_tex.c: true if it was a texture or surface instruction. */
bool simt_decode_texture(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e);
/* decode_mem.c: true if it was a memory, texture or atomic instruction. */
bool simt_decode_memory(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e);
/* Area and address of a memory operand in the given space (enum ptx_space). False with a message. */
bool simt_decode_place(struct simt_build *b, struct simt_inst *inst, struct simt_mem_op *op, uint8_t space,
		       const struct ptx_operand *o);
/* decode_matrix.c: true if it was a matrix instruction, an asynchronous copy or one of a barrier object. */
bool simt_decode_matrix(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e);
/* decode_control.c: true if it was a branch, call, barrier or warp-wide instruction. */
bool simt_decode_control(struct simt_build *b, struct simt_inst *inst, struct simt_exec *e);

/* beside.c: marks the instructions that have SIMT_OUTSIDE. */
void simt_outside_mark(struct simt_program_priv *p);

/* Functions by which a record runs. */
#define SIMT_RUN(name)                                                                                            \
	enum simt_next name(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t mask, \
			    struct simt_step *out)
SIMT_RUN(simt_run_alu);
SIMT_RUN(simt_run_alu_fixed);
SIMT_RUN(simt_run_mov);
SIMT_RUN(simt_run_mapa);
SIMT_RUN(simt_run_nop);
SIMT_RUN(simt_run_pred_logic);
SIMT_RUN(simt_run_pack);
SIMT_RUN(simt_run_unpack);
SIMT_RUN(simt_run_vector_mov);
SIMT_RUN(simt_run_local_addr);
SIMT_RUN(simt_run_isspacep);
SIMT_RUN(simt_run_cvta);
SIMT_RUN(simt_run_lop3_pred);
SIMT_RUN(simt_run_setp_pair);
SIMT_RUN(simt_run_video_parts);
SIMT_RUN(simt_run_bra);
SIMT_RUN(simt_run_brx);
SIMT_RUN(simt_run_call);
SIMT_RUN(simt_run_ret);
SIMT_RUN(simt_run_exit);
SIMT_RUN(simt_run_trap);
SIMT_RUN(simt_run_barrier);
SIMT_RUN(simt_run_warp_sync);
SIMT_RUN(simt_run_shfl);
SIMT_RUN(simt_run_vote);
SIMT_RUN(simt_run_match);
SIMT_RUN(simt_run_activemask);
SIMT_RUN(simt_run_elect);
SIMT_RUN(simt_run_redux);
SIMT_RUN(simt_run_mma);
SIMT_RUN(simt_run_wmma_access);
SIMT_RUN(simt_run_ldmatrix);
SIMT_RUN(simt_run_stmatrix);
SIMT_RUN(simt_run_movmatrix);
SIMT_RUN(simt_run_copy);
SIMT_RUN(simt_run_bulk);
SIMT_RUN(simt_run_mbarrier);
SIMT_RUN(simt_run_load);
SIMT_RUN(simt_run_load_param);
SIMT_RUN(simt_run_load_frame);
SIMT_RUN(simt_run_store);
SIMT_RUN(simt_run_store_frame);
SIMT_RUN(simt_run_atom);
SIMT_RUN(simt_run_tex);
SIMT_RUN(simt_run_query);
SIMT_RUN(simt_run_suld);
SIMT_RUN(simt_run_sust);
SIMT_RUN(simt_run_sust_formatted);
SIMT_RUN(simt_run_sured);

#endif
