/* fake_checkpoint.c - in the place of simt/checkpoint.c, whose launches have memory: no test of this folder asks for
 * one. */
#include "simt/checkpoint.h"

#include <stdlib.h>

struct simt_saver *simt_saver_new(const char *path)
{
	(void)path;
	abort();
}

void simt_saver_free(struct simt_saver *s)
{
	(void)s;
}

void simt_saver_before(struct simt_saver *s, struct simt_launch *l)
{
	(void)s;
	(void)l;
	abort();
}

void simt_saver_after(struct simt_saver *s, struct simt_launch *l, const struct simt_saved_counts *counts,
		      bool is_right)
{
	(void)s;
	(void)l;
	(void)counts;
	(void)is_right;
	abort();
}

void simt_saver_mark(struct simt_saver *s)
{
	(void)s;
	abort();
}

uint64_t simt_saver_launches(const struct simt_saver *s)
{
	(void)s;
	abort();
}

const char *simt_saver_why_not(const struct simt_saver *s)
{
	(void)s;
	abort();
}

struct simt_restorer *simt_restorer_new(const char *path)
{
	(void)path;
	abort();
}

void simt_restorer_free(struct simt_restorer *r)
{
	(void)r;
}

bool simt_restorer_has_launch(const struct simt_restorer *r)
{
	(void)r;
	abort();
}

bool simt_restorer_launch(struct simt_restorer *r, struct simt_launch *l, struct simt_saved_counts *counts)
{
	(void)r;
	(void)l;
	(void)counts;
	abort();
}

bool simt_restorer_mark(struct simt_restorer *r, struct simt_launch *l)
{
	(void)r;
	(void)l;
	abort();
}

uint64_t simt_restorer_launches(const struct simt_restorer *r)
{
	(void)r;
	abort();
}
