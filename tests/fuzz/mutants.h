/* mutants.h - seeded mutants of good and bad inputs, through a reader of them.
 *
 *   NAME_mutants COUNT SEED FILE...     COUNT mutants of these files; the same ones everywhere
 *   NAME_mutants --file FILE            a mutant that was kept, as it is
 *
 * A mutant has bytes, words, numbers and lines of its file changed, or goes on as another file. The reader runs in a
 * process of its own; where that dies, leaks, or takes MUTANT_SECONDS of processor time for one mutant, the mutant's
 * number and the seed are printed, and the mutant is kept in a file. Some mutants have to be taken and some refused,
 * or the mutations would be too tame or too wild. Built with -DSTRATA_LIBFUZZER the same is a target of libFuzzer.
 */
#ifndef STRATA_TESTS_FUZZ_MUTANTS_H
#define STRATA_TESTS_FUZZ_MUTANTS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MUTANT_SECONDS = 20, MUTANT_BYTES_MAX = 1 << 18 };

/* Each program defines its own. */
extern const struct mutants_kind {
	const char *name;
	uint32_t part_count; /* files that are one input, a NUL between them */
	/* Reads an input of so many bytes. False: it was refused; what is wrong with the reader stops the process. */
	bool (*read)(const char *text, size_t bytes);
} mutants_kind;

/* A file that has the text, for readers of files; the same name each time. */
const char *mutants_file(const char *text, size_t bytes);

#endif
