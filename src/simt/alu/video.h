/* video.h - how a video instruction's selectors and modifiers travel in aux, shared by the kernels and find.c. */
#ifndef STRATA_SIMT_ALU_VIDEO_H
#define STRATA_SIMT_ALU_VIDEO_H

enum {
	VIDEO_SEL_A = 0,	 /* enum ptx_vsel, 3 bits */
	VIDEO_SEL_B = 3,	 /* 3 bits */
	VIDEO_SEL_D = 6,	 /* 3 bits */
	VIDEO_SIGNED_A = 1 << 9,
	VIDEO_SIGNED_B = 1 << 10,
	VIDEO_SIGNED_D = 1 << 11,
	VIDEO_SAT = 1 << 12,
	VIDEO_SECOND = 13,	 /* enum ptx_vsecond ADD, MIN, MAX; 2 bits */
	VIDEO_CMP = 15,		 /* 0..5: eq ne lt le gt ge; 3 bits */
	VIDEO_SHIFT = 18,	 /* vmad: 0, 7, 15; 4 bits */
	VIDEO_NEGATE_AB = 1 << 22,
	VIDEO_NEGATE_C = 1 << 23,
	VIDEO_PLUS_ONE = 1 << 24,
	VIDEO_WRAP = 1 << 25,
	VIDEO_MASK = 26,	 /* SIMD: parts of d that are written, 4 bits */
};

#endif
