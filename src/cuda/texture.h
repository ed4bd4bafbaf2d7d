/* texture.h - what texture objects and texture references share. Not for other folders. */
#ifndef STRATA_CUDA_TEXTURE_H
#define STRATA_CUDA_TEXTURE_H

#include "cuda/driver.h"
#include "simt/texture.h"

/* Fill *t, zeroed before the first, from what the driver's structures say, in this order. INVALID_VALUE or
 * INVALID_HANDLE for what a real driver refuses too, NOT_SUPPORTED after naming what Strata lacks. */
CUresult cuda_texture_resource(struct simt_tex_desc *t, const CUDA_RESOURCE_DESC *r);
CUresult cuda_texture_sampling(struct simt_tex_desc *t, const CUDA_TEXTURE_DESC *d);
CUresult cuda_texture_view(struct simt_tex_desc *t, const CUDA_RESOURCE_VIEW_DESC *v);

#endif
