/* slice_model.h - what control blocks ask of their slices, made up; and how long that takes by a second model, which
 * shares no code with dc/system: cycle by cycle, without wakes, lists instead of hashes. */
#ifndef STRATA_TESTS_DC_SLICE_MODEL_H
#define STRATA_TESTS_DC_SLICE_MODEL_H

#include "dc/system/system.h"

enum { WORDS_MAX = 12, CTAS_MAX = 24, LINES = 20, ASKED_MAX = 8 };

/* The memory behind: one request after the other. */
struct slice_memory {
	uint64_t latency_cycles, interval_cycles;
	uint32_t depth; /* requests under way at most */
};

struct slice_case {
	struct dc_params p;
	struct slice_memory memory;
	uint64_t seed;
	uint32_t words, ctas;
	uint8_t kinds[WORDS_MAX]; /* enum dc_box_kind */
	uint16_t swaps[WORDS_MAX]; /* rows that the word's first array swaps */
	uint64_t lines[LINES];	  /* addresses that fall into few sets */
};

/* A word of a CTA's: how long its slots take, what it asks for. */
struct slice_word {
	uint64_t cycles;
	struct dc_access access;
	uint64_t lines[ASKED_MAX];
	uint32_t line_bytes[ASKED_MAX];
	bool is_last;
};

void slice_word_of(const struct slice_case *c, uint64_t cta, uint32_t word, struct slice_word *out);
/* Where a line belongs. */
uint32_t slice_home_of(const struct dc_params *p, uint64_t line);
uint32_t slice_set_of(const struct dc_params *p, uint64_t line);

struct slice_model;
struct slice_model *slice_model_new(const struct slice_case *c);
void slice_model_free(struct slice_model *m);
/* The host writes some of the lines. */
void slice_model_write(struct slice_model *m, uint64_t line);
/* A launch that begins in this cycle: when each word of each CTA began. */
void slice_model_launch(struct slice_model *m, uint64_t cycle, uint64_t begins[CTAS_MAX][WORDS_MAX]);
/* The counts that both models know; the others are 0. */
const struct dc_stats *slice_model_stats(const struct slice_model *m);

#endif
