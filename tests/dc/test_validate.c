/* test_validate.c - faults planted into right words are found by the validator: the scheduler's (dependences, masks,
 * memory order), the allocator's (clobbered registers, scratch, spill slots), the ring buffer's. And one fault at a
 * time at random: what the validator does not object to computes the same. */
#include "rig.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"

enum { FAULTS = 60, FAULT_KINDS = 10 };

static const char *workload_dir;

/* if (tid < n) { loop: sum of a[], exchanged through memory } else { other values }; both sides write out[tid]. What
 * the first side does not write in some lanes has lived in r4 since before: an unmasked write of the other side loses
 * it. */
static const char *const text =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry sides(.param .u64 a, .param .u64 out, .param .u32 n)\n{\n"
    "\t.reg .pred %p<4>;\n\t.reg .b32 %r<16>;\n\t.reg .b64 %rd<8>;\n"
    "\tld.param.u64 %rd1, [a];\n\tld.param.u64 %rd2, [out];\n\tld.param.u32 %r1, [n];\n"
    "\tmov.u32 %r2, %tid.x;\n\tmul.wide.u32 %rd3, %r2, 4;\n\tadd.s64 %rd4, %rd1, %rd3;\n\tadd.s64 %rd5, %rd2, %rd3;\n"
    "\tsetp.lt.u32 %p1, %r2, %r1;\n\tmov.u32 %r4, %r2;\n\tmov.u32 %r9, 17;\n"
    "\t@%p1 bra THEN;\n"
    "\tld.global.u32 %r3, [%rd4];\n\tadd.u32 %r4, %r3, %r2;\n\txor.b32 %r4, %r4, %r9;\n\tbra JOIN;\n"
    "THEN:\n\tmov.u32 %r5, %r2;\n\tmov.u32 %r6, 0;\n"
    "LOOP:\n\tld.global.u32 %r7, [%rd4];\n\tadd.u32 %r6, %r6, %r7;\n\tst.global.u32 [%rd5], %r6;\n"
    "\tld.global.u32 %r8, [%rd5];\n\tmul.lo.u32 %r6, %r6, %r8;\n"
    "\tadd.u32 %r5, %r5, 3;\n\tsetp.lt.u32 %p2, %r5, 40;\n\t@%p2 bra LOOP;\n"
    "\tsetp.gt.u32 %p3, %r6, 9;\n\t@%p3 add.u32 %r4, %r6, %r9;\n"
    "JOIN:\n\tadd.u32 %r4, %r4, %r9;\n\tst.global.u32 [%rd5], %r4;\n\tret;\n}\n";

static struct dc_kernel *compile(struct dc_rig *r, const char *name, const struct dc_options *o)
{
	struct dc_kernel *k = dc_rig_compile(ptx_module_func(r->ptx, name), o, &r->diag);

	if (!k)
		fail_msg("%s", base_diag_join(&r->diag));
	return k;
}

static void expect(const struct dc_kernel *k, const char *fault, const char *what)
{
	g_autofree char *wrong = dc_validate(k);

	if (what ? !wrong || !strstr(wrong, what) : wrong != NULL)
		fail_msg("%s: %s, not %s", fault, wrong ? wrong : "nothing wrong", what ? what : "nothing wrong");
}

static void with(const char *fault, void (*plant)(struct dc_kernel *k), const struct dc_options *o, const char *what)
{
	struct dc_rig r;
	struct dc_kernel *k;

	dc_rig_open(&r, text, "sides");
	k = compile(&r, "sides", o);
	expect(k, fault, NULL);
	plant(k);
	expect(k, fault, what);
	dc_kernel_free(k);
	dc_rig_close(&r);
}

/* The word with an operation of this kind of instruction in block of depth > 0 or any; its slot. */
static struct dc_slot *find(struct dc_kernel *k, enum ptx_op op, bool guarded, uint32_t *word)
{
	for (uint32_t n = 0; n < k->word_count; n++)
		for (uint32_t a = 0; a < DC_ARRAYS; a++) {
			struct dc_slot *s = &k->words[n].slot[a];

			if (s->kind == DC_SLOT_ALU && s->inst->op == op && (!guarded || s->guard.pred != DC_NO_PRED)) {
				*word = n;
				return s;
			}
		}
	fail_msg("no such operation");
	return NULL;
}

static uint32_t find_box(const struct dc_kernel *k, enum ptx_op op)
{
	for (uint32_t n = 0; n < k->word_count; n++)
		if (k->words[n].box.inst && k->words[n].box.inst->op == op)
			return n;
	fail_msg("no such access");
	return 0;
}

static void swap_words(struct dc_kernel *k, uint32_t a, uint32_t b)
{
	struct dc_slot slots[DC_ARRAYS];
	struct dc_box box = k->words[a].box;

	memcpy(slots, k->words[a].slot, sizeof(slots));
	memcpy(k->words[a].slot, k->words[b].slot, sizeof(slots));
	memcpy(k->words[b].slot, slots, sizeof(slots));
	k->words[a].box = k->words[b].box;
	k->words[b].box = box;
}

/* The operation and the one before it that made its operand change places. */
static void read_too_early(struct dc_kernel *k)
{
	uint32_t n = 0;

	find(k, PTX_OP_XOR, true, &n);
	swap_words(k, n - 1, n);
}

static void store_after_load(struct dc_kernel *k)
{
	uint32_t st = find_box(k, PTX_OP_ST), ld = st + 1;

	while (!k->words[ld].box.inst || k->words[ld].box.inst->op != PTX_OP_LD)
		ld++;
	struct dc_box box = k->words[st].box;

	k->words[st].box = k->words[ld].box;
	k->words[ld].box = box;
	for (uint32_t a = 0; a < DC_ARRAYS; a++) {
		struct dc_slot s = k->words[st].slot[a];

		k->words[st].slot[a] = k->words[ld].slot[a];
		k->words[ld].slot[a] = s;
	}
}

static void clobber(struct dc_kernel *k)
{
	uint32_t n = 0;
	struct dc_slot *s = find(k, PTX_OP_XOR, true, &n);

	/* The value that both sides need: the thread's address in out[], in a register of the same array. */
	for (uint32_t m = n; m < k->word_count; m++)
		if (k->words[m].box.inst && k->words[m].box.inst->op == PTX_OP_ST)
			s->dst = (struct dc_loc){s->dst.array, k->words[m].box.src[0].loc.lo, DC_NO_REG};
}

static void unmask_else(struct dc_kernel *k)
{
	uint32_t n = 0;
	const uint32_t block = (find(k, PTX_OP_XOR, true, &n), k->words[n].block);

	/* The operation, and the copy of its result to where it lives. */
	for (; k->words[n].block == block && !k->words[n].is_edge; n++)
		for (uint32_t a = 0; a < DC_ARRAYS; a++)
			k->words[n].slot[a].guard.pred = DC_NO_PRED;
}

static void unmask_access(struct dc_kernel *k)
{
	k->words[find_box(k, PTX_OP_ST)].box.guard.pred = DC_NO_PRED;
}

static void wrong_side(struct dc_kernel *k)
{
	uint32_t n;
	struct dc_slot *s = find(k, PTX_OP_XOR, true, &n);

	s->guard.negate = !s->guard.negate;
}

static void wrong_mask(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->word_count; n++)
		for (uint32_t a = 0; a < DC_ARRAYS; a++)
			if (k->words[n].slot[a].kind == DC_SLOT_MASK && k->words[n].slot[a].mask_op == DC_MASK_AND) {
				k->words[n].slot[a].mask_op = DC_MASK_MOV;
				k->words[n].slot[a].src_count = 1;
				return;
			}
	fail_msg("no mask");
}

static void ring_overflow(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->word_count; n++)
		if (k->words[n].flow == DC_FLOW_JUMP)
			k->words[n].loop_words -= 2;
}

static void short_loop(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->word_count; n++)
		if (k->words[n].flow == DC_FLOW_JUMP) {
			k->words[k->words[n].target].is_loop_begin = false;
			k->words[n].target++;
			k->words[n].loop_words--;
			k->words[k->words[n].target].is_loop_begin = true;
		}
}

static void two_in_one_array(struct dc_kernel *k)
{
	const uint32_t n = find_box(k, PTX_OP_LD);
	uint32_t m;
	const struct dc_loc l = k->words[n].box.dst[0];

	k->words[n].slot[l.array] = *find(k, PTX_OP_XOR, true, &m);
	k->words[n].slot[l.array].dst.array = l.array;
	k->words[m].slot[0].kind = DC_SLOT_NONE;
}

static void too_many_rows(struct dc_kernel *k)
{
	uint32_t n;
	struct dc_slot *s = find(k, PTX_OP_MUL, false, &n);

	s->scratch_rows = (uint16_t)(s->scratch_rows + DC_ROWS);
}

static void lost_operation(struct dc_kernel *k)
{
	uint32_t n;

	find(k, PTX_OP_XOR, true, &n)->kind = DC_SLOT_NONE;
}

/* All registers that are no operands: one of them holds what is read later. */
static void scratch_over_value(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->word_count; n++)
		for (uint32_t a = 0; a < DC_ARRAYS; a++) {
			struct dc_slot *s = &k->words[n].slot[a];
			uint32_t used = s->dst.lo == DC_NO_REG ? 0 : 1u << s->dst.lo;

			if (s->kind != DC_SLOT_ALU || s->guard.pred == DC_NO_PRED)
				continue;
			used |= s->dst.hi == DC_NO_REG ? 0 : 1u << s->dst.hi;
			for (uint32_t o = 0; o < s->src_count; o++)
				if (s->src[o].kind == DC_SRC_LOC)
					used |= 1u << s->src[o].loc.lo |
						(s->src[o].loc.hi == DC_NO_REG ? 0 : 1u << s->src[o].loc.hi);
			s->scratch_regs = (uint8_t)(~used & ((1u << k->reg_count[a]) - 1));
		}
}

/* Of a value that a store, an exclusive or and a comparison read. */
static void keep_a_value(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->func->inst_count; n++)
		if (k->func->insts[n].op == PTX_OP_ADD && k->func->insts[n].dst.reg != UINT32_MAX)
			k->is_kept[k->func->insts[n].dst.reg / 64] |= 1ull << k->func->insts[n].dst.reg % 64;
}

static void planted_faults_are_found(void **state)
{
	struct dc_options few = dc_options_full;

	(void)state;
	few.schedule = false; /* one operation a word, so that faults are where they are expected */
	with("read_too_early", read_too_early, &dc_options_plain, "an operand that is not where it is read");
	with("store_after_load", store_after_load, &dc_options_plain, "word");
	with("clobber", clobber, &dc_options_plain, "word");
	with("unmask_else", unmask_else, &dc_options_plain, "word");
	with("unmask_access", unmask_access, &dc_options_plain, "word");
	with("wrong_side", wrong_side, &dc_options_plain, "the mask is not that of the block");
	with("wrong_mask", wrong_mask, &dc_options_plain, "word");
	with("ring_overflow", ring_overflow, &dc_options_plain, "the ring buffer is told");
	with("short_loop", short_loop, &dc_options_plain, "word");
	with("two_in_one_array", two_in_one_array, &dc_options_plain, "which does something else");
	with("too_many_rows", too_many_rows, &dc_options_plain, "more than 256 rows");
	with("lost_operation", lost_operation, &dc_options_plain, "lacks an instruction");
	with("scratch_over_value", scratch_over_value, &few, "word");
	with("keep_a_value", keep_a_value, &dc_options_full, "in two's complement");
	with("unmask_else", unmask_else, &few, "word");
	with("unmask_else", unmask_else, &dc_options_full, "word");
	with("wrong_side", wrong_side, &dc_options_full, "word");
}

/* ---- instructions that no lane of their block does ---- */

/* Behind the loop its predicate is false in all lanes: what it guards there leaves each result what it was, a register,
 * the parts of a vector, a predicate, and %r8, which is written nowhere else. Some are read in the same block, some
 * behind it. */
static const char *const left_text =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry left(.param .u64 a, .param .u32 n)\n{\n"
    "\t.reg .pred %p<4>;\n\t.reg .b32 %r<12>;\n\t.reg .b64 %rd<4>;\n"
    "\tld.param.u64 %rd1, [a];\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, %tid.x;\n"
    "\tmul.wide.u32 %rd2, %r2, 32;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
    "\tld.global.u32 %r4, [%rd3];\n\tld.global.v2.u32 {%r5, %r6}, [%rd3+8];\n\tsetp.gt.u32 %p2, %r4, 5;\n"
    "\tsetp.gt.u32 %p3, %r5, 7;\n\tmov.u32 %r7, %r2;\n\tmov.u32 %r3, 0;\n"
    "LOOP:\n\tadd.u32 %r3, %r3, 1;\n\tadd.u32 %r7, %r7, %r3;\n\tsetp.lt.u32 %p1, %r3, %r1;\n\t@%p1 bra LOOP;\n"
    "\t@%p1 xor.b32 %r4, %r4, %r3;\n\t@%p1 ld.global.v2.u32 {%r5, %r6}, [%rd3+16];\n"
    "\t@%p1 setp.gt.u32 %p2, %r4, 9;\n\t@%p1 setp.gt.u32 %p3, %r4, 9;\n\t@%p1 mov.u32 %r8, 4;\n"
    "\t@%p1 add.u32 %r7, %r7, %r4;\n"
    "\tst.global.u32 [%rd3], %r4;\n\tst.global.u32 [%rd3+4], %r6;\n\t@%p2 st.global.u32 [%rd3+8], %r5;\n"
    "\tst.global.u32 [%rd3+24], %r8;\n\t@%p3 bra END;\n"
    "\tst.global.u32 [%rd3+12], %r7;\n\tst.global.u32 [%rd3+28], %r8;\n"
    "END:\n\tadd.u32 %r7, %r7, %r6;\n\tst.global.u32 [%rd3+16], %r7;\n\tret;\n}\n";

/* The first store of a value in a register of an array: of another register. */
static void store_another(struct dc_kernel *k)
{
	for (uint32_t n = find_box(k, PTX_OP_ST); n < k->word_count; n++) {
		struct dc_box *b = &k->words[n].box;

		if (!b->inst || b->inst->op != PTX_OP_ST || b->src[1].kind != DC_SRC_LOC)
			continue;
		b->src[1].loc.lo = b->src[1].loc.lo ? 0 : 1;
		return;
	}
	fail_msg("no such store");
}

/* The first instruction behind the loop that is guarded by its predicate, done by all. */
static void do_it_anyway(struct dc_kernel *k)
{
	uint32_t n;

	find(k, PTX_OP_XOR, true, &n)->guard.pred = DC_NO_PRED;
}

static void what_no_lane_does_leaves_results(void **state)
{
	static const struct dc_options *const options[] = {&dc_options_plain, &dc_options_full};
	static void (*const plants[])(struct dc_kernel *k) = {store_another, do_it_anyway};

	(void)state;
	for (uint32_t n = 0; n < 2 * G_N_ELEMENTS(options); n++) {
		struct dc_rig r;
		struct dc_kernel *k;

		dc_rig_open(&r, left_text, "left");
		k = compile(&r, "left", options[n / 2]);
		expect(k, "none", NULL);
		plants[n % 2](k);
		expect(k, "planted", "word");
		dc_kernel_free(k);
		dc_rig_close(&r);
	}
}

static void leave_out(GString *from, const char *line)
{
	const char *at = strstr(from->str, line);

	assert_non_null(at);
	g_string_erase(from, at - from->str, (gssize)strcspn(at, "\n") + 1);
}

/* crowded.ptx without the load of a value, so that an instruction with a guard is all that writes it: what that leaves
 * in a register, and what a copy with the same guard takes to the value's slot, is all that there is of it. */
static void what_some_lanes_write_alone_is_whole(void **state)
{
	g_autofree char *path = g_strdup_printf("%s/../tests/dc/crowded.ptx", workload_dir), *file = NULL;
	uint8_t params[16] = {[8] = 1};
	struct dc_options o = dc_options_full;
	struct dc_rig r;
	struct dc_kernel *k;
	uint32_t spills = 0;

	(void)state;
	assert_true(g_file_get_contents(path, &file, NULL, NULL));
	g_autoptr(GString) one = g_string_new(file);

	leave_out(one, "ld.global.u32 %r24,");
	leave_out(one, "setp.eq.u32 %p2,");
	dc_rig_open(&r, one->str, "k");
	o.params = params;
	k = compile(&r, "k", &o);
	expect(k, "none", NULL);
	for (uint32_t n = 0; n < k->word_count; n++) {
		struct dc_box *b = &k->words[n].box;

		if (b->kind != DC_BOX_SPILL || b->guard.pred == DC_NO_PRED)
			continue;
		spills++;
		b->guard.negate = !b->guard.negate;
		expect(k, "in the other lanes", "word");
		b->guard.negate = !b->guard.negate;
	}
	assert_true(spills);
	dc_kernel_free(k);
	dc_rig_close(&r);
}

/* ---- conversions of floats ---- */

/* A sum that is carried round a loop: in two's complement there, converted for the store behind it. */
static const char *const sum_text =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry sum(.param .u64 a, .param .f32 x)\n{\n"
    "\t.reg .pred %p;\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<4>;\n\t.reg .f32 %f<3>;\n"
    "\tld.param.u64 %rd1, [a];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
    "\tld.global.f32 %f1, [%rd3];\n\tmov.f32 %f2, 0f00000000;\n"
    "LOOP:\n\tadd.f32 %f2, %f2, %f1;\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p, %r1, 40;\n\t@%p bra LOOP;\n"
    "\tst.global.f32 [%rd3], %f2;\n\tret;\n}\n";

static bool is_conversion(const struct dc_kernel *k, const struct ptx_inst *i)
{
	return i->op == PTX_OP_MOV && i->src[0].kind == PTX_OPND_REG &&
	       k->is_kept[i->src[0].reg / 64] >> i->src[0].reg % 64 & 1;
}

static void convert_bits(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->func->inst_count; n++)
		if (is_conversion(k, &k->func->insts[n]))
			k->func->insts[n].type = PTX_B32;
}

/* What the store would read without the conversion in front of it. */
static void store_unconverted(struct dc_kernel *k)
{
	uint32_t kept = UINT32_MAX;

	for (uint32_t n = 0; n < k->func->inst_count; n++) {
		if (is_conversion(k, &k->func->insts[n]))
			kept = k->func->insts[n].src[0].reg;
		if (k->func->insts[n].op == PTX_OP_ST)
			k->func->insts[n].src[1].reg = kept;
	}
	assert_int_not_equal(kept, UINT32_MAX);
}

/* What the sum begins with. */
static void begin_with_one(struct dc_kernel *k)
{
	for (uint32_t n = 0; n < k->func->inst_count; n++)
		if (k->func->insts[n].op == PTX_OP_MOV && k->func->insts[n].type == PTX_F32 &&
		    k->func->insts[n].src[0].kind == PTX_OPND_IMM)
			k->func->insts[n].src[0].imm = 0x3f800000;
}

static void conversions_are_checked(void **state)
{
	static void (*const plants[])(struct dc_kernel *k) = {convert_bits, store_unconverted, convert_bits,
							      store_unconverted, begin_with_one};
	static const char *const what[] = {"to or from two's complement that is of no float",
					   "operand 1 lies in two's complement",
					   "to or from two's complement that is of no float",
					   "operand 1 lies in two's complement",
					   "no addition, but its result is read in two's complement"};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(plants); n++) {
		struct dc_options o = dc_options_full;
		struct dc_rig r;
		struct dc_kernel *k;

		o.open = n >= 2;
		dc_rig_open(&r, sum_text, "sum");
		k = compile(&r, "sum", &o);
		assert_int_equal(k->counts.converted, 2);
		expect(k, "none", NULL);
		plants[n](k);
		expect(k, what[n], what[n]);
		dc_kernel_free(k);
		dc_rig_close(&r);
	}
}

/* ---- at random ---- */

/* False: the fault does not apply to this word. */
static bool plant(struct dc_rig *r, struct dc_kernel *k, uint32_t kind, uint32_t n)
{
	struct dc_word *w = &k->words[n];
	struct dc_slot *s = &w->slot[dc_rig_draw(r, k->array_count)];
	const uint32_t limit = (DC_ROWS - k->pred_count) / DC_REG_ROWS;
	const bool computes = s->kind == DC_SLOT_ALU || s->kind == DC_SLOT_COPY;

	switch (kind) {
	case 0:
		if (!computes || s->dst.lo == DC_NO_REG)
			return false;
		s->dst.lo = (uint8_t)dc_rig_draw(r, limit);
		return s->dst.lo != s->dst.hi;
	case 1:
		if (!computes || s->guard.pred == DC_NO_PRED)
			return false;
		s->guard.pred = DC_NO_PRED;
		return true;
	case 2:
		if (!computes || s->guard.pred == DC_NO_PRED)
			return false;
		s->guard.pred = (uint16_t)dc_rig_draw(r, k->pred_count);
		return true;
	case 3:
		if (!s->src_count || s->src[0].kind != DC_SRC_LOC)
			return false;
		s->src[0].loc.lo = (uint8_t)dc_rig_draw(r, limit);
		return true;
	case 4:
		if (s->kind != DC_SLOT_MASK)
			return false;
		s->src[0].negate = !s->src[0].negate;
		return true;
	case 5:
		if (s->kind != DC_SLOT_MASK)
			return false;
		s->pred_dst = (uint16_t)dc_rig_draw(r, k->pred_count);
		return true;
	case 6:
		if (w->box.kind != DC_BOX_FILL && w->box.kind != DC_BOX_SPILL)
			return false;
		w->box.spill = dc_rig_draw(r, k->spill_slots - 1);
		return true;
	case 7:
		if (n + 1 >= k->word_count || w->flow || k->words[n + 1].flow || w->is_loop_begin ||
		    k->words[n + 1].is_loop_begin)
			return false;
		swap_words(k, n, n + 1);
		return true;
	case 8:
		if (w->flow != DC_FLOW_SKIP && w->flow != DC_FLOW_JUMP)
			return false;
		w->flow_pred = (uint16_t)dc_rig_draw(r, k->pred_count);
		return true;
	default:
		if (!w->box.inst || w->box.dst[0].lo == DC_NO_REG)
			return false;
		w->box.dst[0].lo = (uint8_t)dc_rig_draw(r, limit);
		return true;
	}
}

/* Nothing wrong, says the validator: then the words compute what they computed. */
static bool computes_the_same(struct dc_rig *r, const struct dc_kernel *k, const uint8_t *before, const uint8_t *want)
{
	char *failed = NULL;
	bool same;

	memcpy(dc_rig_memory(r), before, MEMORY_BYTES);
	same = interpret(k, r->module, &r->launch, NULL, &failed) && !memcmp(dc_rig_memory(r), want, MEMORY_BYTES);
	g_free(failed);
	return same;
}

static void random_faults_are_found_or_harmless(void **state)
{
	static const uint32_t cases[] = {0, 3, 8, 12, 13};
	uint32_t found = 0, harmless = 0;

	(void)state;
	for (uint32_t c = 0; c < G_N_ELEMENTS(cases); c++)
		for (uint32_t full = 0; full < 2; full++) {
			struct dc_rig r;
			struct dc_kernel *k;
			g_autofree uint8_t *before = NULL, *want = NULL;
			g_autofree struct dc_word *words = NULL;

			dc_rig_case(&r, workload_dir, &dc_cases[cases[c]]);
			r.launch.grid[0] = r.launch.grid[1] = 1;
			k = compile(&r, dc_cases[cases[c]].name, full ? &dc_options_full : &dc_options_plain);
			before = g_memdup2(dc_rig_memory(&r), MEMORY_BYTES);
			want = dc_rig_wanted(&r, dc_cases[cases[c]].name);
			words = g_memdup2(k->words, k->word_count * sizeof(*words));
			for (uint32_t done = 0; done < FAULTS;) {
				char *wrong;

				memcpy(k->words, words, k->word_count * sizeof(*words));
				const uint32_t n = dc_rig_draw(&r, k->word_count);

				if (!plant(&r, k, done % FAULT_KINDS, n) &&
				    dc_rig_draw(&r, 200)) /* a kernel may have no place for this fault */
					continue;
				wrong = dc_validate(k);
				if (!wrong && !computes_the_same(&r, k, before, want))
					fail_msg("%s, %u arrays: fault %u in word %u is not found",
						 dc_cases[cases[c]].name, k->array_count, done % FAULT_KINDS, n);
				found += wrong != NULL;
				harmless += wrong == NULL;
				g_free(wrong);
				done++;
			}
			dc_kernel_free(k);
			dc_rig_close(&r);
		}
	print_message("%u faults found, %u harmless\n", found, harmless);
	assert_true(found > harmless);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(planted_faults_are_found),
	    cmocka_unit_test(what_no_lane_does_leaves_results),
	    cmocka_unit_test(what_some_lanes_write_alone_is_whole),
	    cmocka_unit_test(conversions_are_checked),
	    cmocka_unit_test(random_faults_are_found_or_harmless),
	};

	CHECK(argc == 2);
	workload_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
