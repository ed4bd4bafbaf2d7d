/* object.c - the table of live handles. */
#include "cuda/driver.h"

void cuda_object_add(struct cuda_object *o, enum cuda_kind kind, struct CUctx_st *ctx,
		     void (*destroy)(struct cuda_object *o))
{
	o->kind = kind;
	o->ctx = ctx;
	o->destroy = destroy;
	o->prev = o->next = NULL;
	if (ctx) {
		o->next = ctx->first;
		if (o->next)
			o->next->prev = o;
		ctx->first = o;
	}
	g_hash_table_insert(cuda_driver.objects, o, o);
}

void cuda_object_remove(struct cuda_object *o)
{
	g_hash_table_remove(cuda_driver.objects, o);
	if (o->next)
		o->next->prev = o->prev;
	if (o->prev)
		o->prev->next = o->next;
	else if (o->ctx)
		o->ctx->first = o->next;
}

bool cuda_object_is(const void *handle, enum cuda_kind kind)
{
	const struct cuda_object *o = handle ? g_hash_table_lookup(cuda_driver.objects, handle) : NULL;

	return o && o->kind == kind;
}
