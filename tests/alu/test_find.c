/* test_find.c - instructions find their kernels whatever equivalent spelling they have, and combinations that PTX does
 * not have, or Strata not, are refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "rows_fixture.h"

static const struct {
	struct ptx_inst inst;
	const char *key; /* NULL: refused */
} cases[] = {
	{{.op = PTX_OP_ADD, .type = PTX_S32}, "add_u32"},
	{{.op = PTX_OP_ADD, .type = PTX_F32}, "add_rn_f32"},
	{{.op = PTX_OP_ADD, .type = PTX_F32, .mods = {.round = PTX_RZ, .ftz = true, .sat = true}},
	 "add_rz_ftz_sat_f32"},
	{{.op = PTX_OP_ADD, .type = PTX_S32, .mods = {.sat = true}}, "add_sat_s32"},
	{{.op = PTX_OP_ADD, .type = PTX_U32, .mods = {.sat = true}}, NULL},
	{{.op = PTX_OP_ADD, .type = PTX_S32, .mods = {.cc = true}}, "add_cc_u32"},
	{{.op = PTX_OP_ADDC, .type = PTX_S64, .mods = {.cc = true}}, "addc_cc_u64"},
	{{.op = PTX_OP_ADD, .type = PTX_F16X2}, "add_rn_f16x2"},
	{{.op = PTX_OP_MUL, .type = PTX_S32, .mods = {.part = PTX_WIDE}}, "mul_wide_s32"},
	{{.op = PTX_OP_MUL, .type = PTX_S64, .mods = {.part = PTX_LO_HALF}}, "mul_lo_u64"},
	{{.op = PTX_OP_MUL, .type = PTX_U64, .mods = {.part = PTX_WIDE}}, NULL},
	{{.op = PTX_OP_MAD, .type = PTX_S32, .mods = {.part = PTX_LO_HALF, .cc = true}}, "mad_lo_cc_u32"},
	{{.op = PTX_OP_MADC, .type = PTX_S32, .mods = {.part = PTX_HI_HALF}}, "madc_hi_s32"},
	{{.op = PTX_OP_MAD, .type = PTX_S32, .mods = {.part = PTX_HI_HALF, .sat = true}}, "mad_hi_sat_s32"},
	{{.op = PTX_OP_MAD, .type = PTX_F32}, "fma_rn_f32"},
	{{.op = PTX_OP_FMA, .type = PTX_BF16, .mods = {.round = PTX_RN, .relu = true}}, "fma_rn_relu_bf16"},
	{{.op = PTX_OP_DIV, .type = PTX_F32}, "div_approx_f32"},
	{{.op = PTX_OP_DIV, .type = PTX_F32, .mods = {.full = true}}, "div_full_f32"},
	{{.op = PTX_OP_DIV, .type = PTX_F64, .mods = {.round = PTX_RN}}, "div_rn_f64"},
	{{.op = PTX_OP_SHL, .type = PTX_B32}, "shl_b32"},
	{{.op = PTX_OP_SHR, .type = PTX_B64}, "shr_u64"},
	{{.op = PTX_OP_SELP, .type = PTX_F64}, "selp_b64"},
	{{.op = PTX_OP_MOV, .type = PTX_S16}, "mov_b16"},
	{{.op = PTX_OP_SETP, .type = PTX_S32, .mods = {.cmp = PTX_NE}}, "setp_ne_u32"},
	{{.op = PTX_OP_SETP, .type = PTX_U32, .mods = {.cmp = PTX_HS, .boolop = PTX_BOOL_OR}}, "setp_or_ge_u32"},
	{{.op = PTX_OP_SETP, .type = PTX_F32, .mods = {.cmp = PTX_GTU, .ftz = true}}, "setp_gtu_ftz_f32"},
	{{.op = PTX_OP_SETP, .type = PTX_S32, .mods = {.cmp = PTX_GTU}}, NULL},
	{{.op = PTX_OP_SET, .type = PTX_S32, .type2 = PTX_F32, .mods = {.cmp = PTX_LT}}, "set_lt_u32_f32"},
	{{.op = PTX_OP_SLCT, .type = PTX_U64, .type2 = PTX_F32, .mods = {.ftz = true}}, "slct_ftz_b64_f32"},
	{{.op = PTX_OP_CVT, .type = PTX_F64, .type2 = PTX_F32}, "cvt_f64_f32"},
	{{.op = PTX_OP_CVT, .type = PTX_S32, .type2 = PTX_F64, .mods = {.round = PTX_RZI, .sat = true}},
	 "cvt_rzi_s32_f64"},
	{{.op = PTX_OP_CVT, .type = PTX_F32, .type2 = PTX_F64}, NULL},
	{{.op = PTX_OP_CVT, .type = PTX_F64, .type2 = PTX_BF16, .mods = {.round = PTX_RM}}, "cvt_f64_bf16"},
	{{.op = PTX_OP_CVT, .type = PTX_U8, .type2 = PTX_S64, .mods = {.sat = true}}, "cvt_sat_u8_s64"},
	{{.op = PTX_OP_CVT, .type = PTX_F16X2, .type2 = PTX_F32, .mods = {.round = PTX_RN}}, "cvt_rn_f16x2_f32"},
	{{.op = PTX_OP_EX2, .type = PTX_F32, .mods = {.ftz = true}}, "ex2_approx_ftz_f32"},
	{{.op = PTX_OP_MIN, .type = PTX_F32, .mods = {.nan = true, .xorsign = true}}, "min_nan_xorsign_f32"},
	{{.op = PTX_OP_MIN, .type = PTX_F32, .mods = {.xorsign = true, .abs = true}, .src_count = 2},
	 "min_xorsign_f32"},
	{{.op = PTX_OP_MAX, .type = PTX_F32, .mods = {.ftz = true, .nan = true, .abs = true}, .src_count = 3},
	 "max_three_ftz_nan_abs_f32"},
	{{.op = PTX_OP_ADD, .type = PTX_S16X2}, "add_u16x2"},
	{{.op = PTX_OP_ADD, .type = PTX_S16X2, .mods = {.sat = true}}, NULL},
	{{.op = PTX_OP_MAX, .type = PTX_S16X2, .mods = {.relu = true}}, "max_relu_s16x2"},
	{{.op = PTX_OP_MIN, .type = PTX_U16X2, .mods = {.relu = true}}, NULL},
	{{.op = PTX_OP_SUB, .type = PTX_F32, .type2 = PTX_F16, .mods = {.round = PTX_RZ, .sat = true}},
	 "sub_rz_sat_f32_f16"},
	{{.op = PTX_OP_ADD, .type = PTX_F32, .type2 = PTX_BF16}, "add_rn_f32_bf16"},
	{{.op = PTX_OP_SET, .type = PTX_S16, .type2 = PTX_BF16, .mods = {.cmp = PTX_LT}}, "set_lt_u16_bf16"},
	{{.op = PTX_OP_PRMT, .type = PTX_B32, .mods = {.prmt = PTX_PRMT_ECL}}, "prmt_ecl_b32"},
	{{.op = PTX_OP_SHF, .type = PTX_B32, .mods = {.left = true, .shf = PTX_SHF_WRAP}}, "shf_l_wrap_b32"},
	{{.op = PTX_OP_BFIND, .type = PTX_U32, .mods = {.shiftamt = true}}, "bfind_shiftamt_u32"},
	{{.op = PTX_OP_CLZ, .type = PTX_U64}, "clz_b64"},
	{{.op = PTX_OP_TESTP, .type = PTX_F64, .mods = {.cmp = PTX_SUBNORMAL}}, "testp_subnormal_f64"},
	{{.op = PTX_OP_DP2A, .type = PTX_U32, .type2 = PTX_S32, .mods = {.part = PTX_HI_HALF}}, "dp2a_hi_u32_s32"},
	{{.op = PTX_OP_VABSDIFF4, .type = PTX_U32, .type2 = PTX_U32, .type3 = PTX_U32,
	  .mods = {.vsecond = PTX_VSECOND_ADD}, .src_count = 3}, "vabsdiff4"},
	{{.op = PTX_OP_LD, .type = PTX_U32}, NULL},
	{{.op = PTX_OP_BRA}, NULL},
	{{.op = PTX_OP_AND, .type = PTX_PRED}, NULL},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct simt_alu alu;
		const char *why = NULL;
		const bool found = simt_alu_find(&cases[k].inst, SIMT_ISA_PORTABLE, &alu, &why);

		if (found != (cases[k].key != NULL))
			fail_msg("case %zu (%s): %s", k, ptx_op_name(cases[k].inst.op), found ? "found" : why);
		if (found)
			assert_ptr_equal(alu.fn, simt_alu_row(cases[k].key, SIMT_ISA_PORTABLE)->alu.fn);
		else
			assert_non_null(why);
	}
}

static uint32_t video(const struct ptx_inst *inst, uint32_t a, uint32_t b, uint32_t c)
{
	struct fixture f = {.state = 1};
	struct simt_alu alu;
	const char *why;
	const void *src[4] = {f.src[0], f.src[1], inst->src_count > 2 ? f.src[2] : NULL, NULL};

	((uint32_t *)f.src[0])[0] = a;
	((uint32_t *)f.src[1])[0] = b;
	((uint32_t *)f.src[2])[0] = c;
	assert_true(simt_alu_find(inst, SIMT_ISA_PORTABLE, &alu, &why));
	alu.fn(f.dst, src, 1, alu.aux);
	return (uint32_t)f.dst[0];
}

/* Worked by hand from the PTX ISA's definitions (9.7.17, 9.7.18). */
static void test_video(void **state)
{
	struct ptx_inst i = {.op = PTX_OP_VABSDIFF4, .type = PTX_U32, .type2 = PTX_U32, .type3 = PTX_U32,
			     .src_count = 3,
			     .mods = {.vsecond = PTX_VSECOND_ADD}};

	(void)state;
	assert_int_equal(video(&i, 0x01ff1000, 0x03001005, 1000), 1000 + 2 + 255 + 0 + 5);
	i.mods.vmask = 5;
	assert_int_equal(video(&i, 0x01ff1000, 0x03001005, 1000), 1000 + 255 + 5);
	i = (struct ptx_inst){.op = PTX_OP_VADD, .type = PTX_S32, .type2 = PTX_S32, .type3 = PTX_U32, .src_count = 2,
			      .mods = {.vsel = {0, PTX_SEL_B1, PTX_SEL_H1}}};
	assert_int_equal(video(&i, 0x0000ff00, 0x00050000, 0), 4);
	i = (struct ptx_inst){.op = PTX_OP_VADD, .type = PTX_U32, .type2 = PTX_U32, .type3 = PTX_U32, .src_count = 2,
			      .mods = {.sat = true}};
	assert_int_equal(video(&i, 0xffffffff, 2, 0), 0xffffffff);
	i = (struct ptx_inst){.op = PTX_OP_VSUB, .type = PTX_S32, .type2 = PTX_U32, .type3 = PTX_U32, .src_count = 3,
			      .mods = {.sat = true, .vsel = {PTX_SEL_B2}}};
	assert_int_equal(video(&i, 0, 1000, 0x11223344), 0x11803344);
	i = (struct ptx_inst){.op = PTX_OP_VSHR, .type = PTX_S32, .type2 = PTX_S32, .type3 = PTX_U32, .src_count = 2,
			      .mods = {.shf = PTX_SHF_CLAMP}};
	assert_int_equal(video(&i, 0x80000000, 40, 0), 0xffffffff);
	i = (struct ptx_inst){.op = PTX_OP_VSET4, .type = PTX_S32, .type2 = PTX_S32, .src_count = 3,
			      .mods = {.cmp = PTX_LT}};
	assert_int_equal(video(&i, 0xff000105, 0x00000105, 0), 0x01000000);
	i = (struct ptx_inst){.op = PTX_OP_VMAD, .type = PTX_S32, .type2 = PTX_S32, .type3 = PTX_S32, .src_count = 3,
			      .mods = {.shift_amount = 7, .vsel = {0, PTX_SEL_B0, PTX_SEL_B0}}};
	assert_int_equal(video(&i, 0xff, 100, 1000), (1000 - 100) >> 7);
	i = (struct ptx_inst){.op = PTX_OP_VAVRG2, .type = PTX_U32, .type2 = PTX_U32, .type3 = PTX_U32, .src_count = 3};
	assert_int_equal(video(&i, 0x00040003, 0x00060004, 0), 0x00050004);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_video)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
