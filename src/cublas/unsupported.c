/* unsupported.c - what is not modelled says so: names that only exist, and forms of calls. */
#include "cublas/blas.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

/* Names and reasons are literals: their addresses tell them apart. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *said[1024][2];
static size_t said_count;

static bool is_first(const char *name, const char *reason)
{
	bool is_new = true;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < said_count && is_new; i++)
		is_new = said[i][0] != name || said[i][1] != reason;
	if (is_new && said_count < ARRAY_COUNT(said)) {
		said[said_count][0] = name;
		said[said_count++][1] = reason;
	}
	pthread_mutex_unlock(&lock);
	return is_new;
}

int strata_blas_unsupported(const char *name)
{
	if (is_first(name, NULL))
		fprintf(stderr, "strata: %s is not modelled\n", name);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t strata_blas_refuse(const char *call, const char *reason)
{
	if (is_first(call, reason))
		fprintf(stderr, "strata: %s: not modelled: %s\n", call, reason);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}
