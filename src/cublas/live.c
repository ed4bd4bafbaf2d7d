/* live.c - which handles there are, of both libraries. */
#include "cublas/blas.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct blas_live *all;

/* Where the handle hangs in the list; NULL: nowhere. Only what is in the list is read. */
static struct blas_live **find(const void *handle, unsigned int kinds)
{
	struct blas_live **at;

	for (at = &all; *at; at = &(*at)->next)
		if (*at == handle)
			return (unsigned int)(*at)->kind & kinds ? at : NULL;
	return NULL;
}

void strata_blas_add(struct blas_live *handle, enum blas_kind kind)
{
	handle->kind = kind;
	pthread_mutex_lock(&lock);
	handle->next = all;
	all = handle;
	pthread_mutex_unlock(&lock);
}

bool strata_blas_remove(const void *handle, enum blas_kind kind)
{
	struct blas_live **at;

	pthread_mutex_lock(&lock);
	at = find(handle, kind);
	if (at)
		*at = (*at)->next;
	pthread_mutex_unlock(&lock);
	return at;
}

bool strata_blas_is_live(const void *handle, unsigned int kinds)
{
	bool is_found;

	pthread_mutex_lock(&lock);
	is_found = find(handle, kinds);
	pthread_mutex_unlock(&lock);
	return is_found;
}
