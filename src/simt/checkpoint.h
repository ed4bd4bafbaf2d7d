/* checkpoint.h - what the launches before a mark have written, in a file, so that another run of the program need not
 * execute them.
 *
 * The host's part of a program runs again and makes its contexts, modules and allocations itself. Launches in a row
 * between which nobody looks at memory are a batch: the file has what memory was before it, as a hash, each of its
 * launches with what was counted, and the pages that the batch has changed. A batch that finds other memory, or other
 * launches, is refused, and so is other memory at the mark: what goes on from there is what would be there without it.
 */
#ifndef STRATA_SIMT_CHECKPOINT_H
#define STRATA_SIMT_CHECKPOINT_H

#include "simt/simt.h"

/* What a launch has counted. */
struct simt_saved_counts {
	uint64_t warp_instructions, thread_instructions;
};

/* ---- writing ---- */

struct simt_saver;
/* Into a file beside path, which takes its place at the mark. */
struct simt_saver *simt_saver_new(const char *path);
/* Before the mark there will be no file. */
void simt_saver_free(struct simt_saver *s);
/* Around a launch that has begun and is executed for its values. */
void simt_saver_before(struct simt_saver *s, struct simt_launch *l);
void simt_saver_after(struct simt_saver *s, struct simt_launch *l, const struct simt_saved_counts *counts,
		      bool is_right);
/* The next launch is none of them: the file is complete. */
void simt_saver_mark(struct simt_saver *s);
uint64_t simt_saver_launches(const struct simt_saver *s);
/* NULL: it is written. */
const char *simt_saver_why_not(const struct simt_saver *s);

/* ---- reading ---- */

/* False: the file cannot be read to its end, or is none; *why says so. */
bool simt_checkpoint_check(const char *path, const char **why);

struct simt_restorer;
struct simt_restorer *simt_restorer_new(const char *path);
void simt_restorer_free(struct simt_restorer *r);
/* Is there one more launch before the mark? */
bool simt_restorer_has_launch(const struct simt_restorer *r);
/* Leaves in memory, and prints, what l, which has begun, would. False: l->fault says why it is not the file's. */
bool simt_restorer_launch(struct simt_restorer *r, struct simt_launch *l, struct simt_saved_counts *counts);
/* Before the first launch behind the mark. False: memory is not what the file's was, l->fault says so. */
bool simt_restorer_mark(struct simt_restorer *r, struct simt_launch *l);
uint64_t simt_restorer_launches(const struct simt_restorer *r);

#endif
