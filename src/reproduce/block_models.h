/* block_models.h - what the compiler finds in a PTX file, for expressions (models.h): blocks that TOM may offload. */
#ifndef STRATA_REPRODUCE_BLOCK_MODELS_H
#define STRATA_REPRODUCE_BLOCK_MODELS_H

/* What is said of a block, block_NAME("FILE", "FUNCTION", block's number from 0 on): X(name, number of c). Words are
 * what offloading changes, of all trips of its loop that pay, or of its loop once. */
#define BLOCK_NUMBERS(X)                                           \
	X(words, c->bandwidth.tx_words + c->bandwidth.rx_words)    \
	X(once_words, once_words(c))                               \
	X(trip_count, (double)c->trip_count)

#define BLOCK_DECLARE(name, number) \
	double block_##name(const char *dir, const char *const *texts, const double *x, char **why);
BLOCK_NUMBERS(BLOCK_DECLARE)
#undef BLOCK_DECLARE

#endif
