/* Shared by the programs and the kernels of gcn. */
#ifndef GCN_H
#define GCN_H

enum {
	GCN_BLOCK_THREADS = 256, /* a node per warp */
	GCN_WIDTH = 64, /* features of a node */
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define GCN_BOTH static __device__ __forceinline__
#else
#define GCN_BOTH static inline
#endif

/* An edge's score before the softmax: a leaky rectifier of slope 0.2 (Velickovic et al., ICLR 2018). */
GCN_BOTH float gcn_score(float of_node, float of_neighbour)
{
	const float sum = of_node + of_neighbour;

	return sum > 0 ? sum : 0.2f * sum;
}

#endif
