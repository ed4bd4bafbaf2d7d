/* fake_nsu.c - replaces nsu/ and simt/partition.c at link time: the programs of the timing tests have no blocks that
 * run in two parts. */
#include "base/check.h"
#include "nsu/exec.h"

struct nsu_warp *nsu_warp_begin(struct nsu_program *p, const struct simt_launch *l, const struct simt_warp *home,
				uint32_t block)
{
	(void)p, (void)l, (void)home, (void)block;
	UNREACHABLE("no block");
}

uint32_t nsu_warp_mask(const struct nsu_program *p, const struct nsu_warp *w)
{
	(void)p, (void)w;
	UNREACHABLE("no block");
}

void nsu_warp_step(struct nsu_program *p, struct simt_launch *l, struct nsu_warp *w, struct simt_access *a)
{
	(void)p, (void)l, (void)w, (void)a;
	UNREACHABLE("no block");
}

void nsu_warp_constant(const struct nsu_program *p, const struct nsu_warp *w, bool *is_param, uint64_t *at_bytes)
{
	(void)p, (void)w, (void)is_param, (void)at_bytes;
	UNREACHABLE("no block");
}

void nsu_warp_end(struct nsu_program *p, struct simt_launch *l, struct nsu_warp *w, struct simt_warp *home)
{
	(void)p, (void)l, (void)w, (void)home;
	UNREACHABLE("no block");
}

void simt_skip(struct simt_launch *l, struct simt_warp *w)
{
	(void)l, (void)w;
	UNREACHABLE("no block");
}

bool simt_capture(struct simt_launch *l, struct simt_warp *w, struct simt_access *a, struct simt_step *out)
{
	(void)l, (void)w, (void)a, (void)out;
	UNREACHABLE("no block");
}

void simt_access_write(const struct simt_access *a)
{
	(void)a;
	UNREACHABLE("no block");
}

void nsu_warp_drop(struct nsu_program *p, struct nsu_warp *w)
{
	(void)p, (void)w;
	UNREACHABLE("no block");
}
