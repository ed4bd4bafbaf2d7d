/*
 * The device side of CUDA C for clang without a CUDA toolkit.
 *
 * Kernels include this header first.  clang (14 or newer, nvptx back end), called with -nocudainc -nocudalib, finds
 * here the qualifiers, the built-in variables and the functions that our kernels use, each on top of one compiler
 * built-in, and therefore on one PTX instruction unless a comment says otherwise.  nvcc brings its own definitions: for
 * it this header is empty, so that the same source compiles with both.
 *
 * Sources: CUDA C++ Programming Guide 12.0, appendices on built-in variables, atomics, warp shuffles and mathematical
 * functions; LLVM NVPTX back end, list of built-ins.
 */
#ifndef STRATA_KERNEL_H
#define STRATA_KERNEL_H

#ifndef __NVCC__

#ifndef __CUDA__
#error "kernels are compiled by clang -x cuda or by nvcc"
#endif

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define STRATA_DEVICE static __device__ __forceinline__

/* ---- Built-in variables ----------------------------------------------------------------------------------------- */

struct strata_index {
	unsigned int x, y, z;
};

STRATA_DEVICE struct strata_index strata_thread_index(void)
{
	return {(unsigned int)__nvvm_read_ptx_sreg_tid_x(), (unsigned int)__nvvm_read_ptx_sreg_tid_y(),
		(unsigned int)__nvvm_read_ptx_sreg_tid_z()};
}

STRATA_DEVICE struct strata_index strata_block_index(void)
{
	return {(unsigned int)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned int)__nvvm_read_ptx_sreg_ctaid_y(),
		(unsigned int)__nvvm_read_ptx_sreg_ctaid_z()};
}

STRATA_DEVICE struct strata_index strata_block_dim(void)
{
	return {(unsigned int)__nvvm_read_ptx_sreg_ntid_x(), (unsigned int)__nvvm_read_ptx_sreg_ntid_y(),
		(unsigned int)__nvvm_read_ptx_sreg_ntid_z()};
}

STRATA_DEVICE struct strata_index strata_grid_dim(void)
{
	return {(unsigned int)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned int)__nvvm_read_ptx_sreg_nctaid_y(),
		(unsigned int)__nvvm_read_ptx_sreg_nctaid_z()};
}

#define threadIdx strata_thread_index()
#define blockIdx strata_block_index()
#define blockDim strata_block_dim()
#define gridDim strata_grid_dim()
#define warpSize 32

/* ---- Barriers and fences ---------------------------------------------------------------------------------------- */

/* __syncthreads() is known to clang itself. */
STRATA_DEVICE void __threadfence_block(void)
{
	__nvvm_membar_cta();
}

STRATA_DEVICE void __threadfence(void)
{
	__nvvm_membar_gl();
}

STRATA_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu)
{
	__nvvm_bar_warp_sync(mask);
}

/* ---- Atomics: each returns the value from before ---------------------------------------------------------------- */

STRATA_DEVICE int atomicAdd(int *address, int value)
{
	return __nvvm_atom_add_gen_i(address, value);
}

STRATA_DEVICE unsigned int atomicAdd(unsigned int *address, unsigned int value)
{
	return (unsigned int)__nvvm_atom_add_gen_i((int *)address, (int)value);
}

STRATA_DEVICE float atomicAdd(float *address, float value)
{
	return __nvvm_atom_add_gen_f(address, value);
}

STRATA_DEVICE int atomicMin(int *address, int value)
{
	return __nvvm_atom_min_gen_i(address, value);
}

STRATA_DEVICE int atomicMax(int *address, int value)
{
	return __nvvm_atom_max_gen_i(address, value);
}

STRATA_DEVICE int atomicExch(int *address, int value)
{
	return __nvvm_atom_xchg_gen_i(address, value);
}

STRATA_DEVICE int atomicCAS(int *address, int expected, int value)
{
	return __nvvm_atom_cas_gen_i(address, expected, value);
}

/* ---- Warp shuffles (PTX 6.0) ------------------------------------------------------------------------------------ */

STRATA_DEVICE int __shfl_sync(unsigned int mask, int value, int lane)
{
	return __nvvm_shfl_sync_idx_i32(mask, value, lane, 0x1f);
}

STRATA_DEVICE int __shfl_down_sync(unsigned int mask, int value, unsigned int distance)
{
	return __nvvm_shfl_sync_down_i32(mask, value, (int)distance, 0x1f);
}

STRATA_DEVICE float __shfl_down_sync(unsigned int mask, float value, unsigned int distance)
{
	return __nvvm_shfl_sync_down_f32(mask, value, (int)distance, 0x1f);
}

STRATA_DEVICE int __shfl_xor_sync(unsigned int mask, int value, int lane_mask)
{
	return __nvvm_shfl_sync_bfly_i32(mask, value, lane_mask, 0x1f);
}

STRATA_DEVICE float __shfl_xor_sync(unsigned int mask, float value, int lane_mask)
{
	return __nvvm_shfl_sync_bfly_f32(mask, value, lane_mask, 0x1f);
}

/* ---- Mathematics ------------------------------------------------------------------------------------------------ */

/* The bits in reversed order: brev.b32. */
STRATA_DEVICE unsigned int __brev(unsigned int value)
{
	return __builtin_bitreverse32(value);
}

/* fma.rn.f32: one rounding, the same bits as fmaf() of the host. */
STRATA_DEVICE float fmaf(float a, float b, float c)
{
	return __nvvm_fma_rn_f(a, b, c);
}

/* sqrt.rn.f32: correctly rounded. */
STRATA_DEVICE float sqrtf(float x)
{
	return __nvvm_sqrt_rn_f(x);
}

STRATA_DEVICE float fabsf(float x)
{
	return __builtin_fabsf(x);
}

STRATA_DEVICE float fminf(float a, float b)
{
	return __nvvm_fmin_f(a, b);
}

STRATA_DEVICE float fmaxf(float a, float b)
{
	return __nvvm_fmax_f(a, b);
}

/* The fast forms: two instructions each around ex2.approx and lg2.approx, about 2 ulp plus the error of the product. */
STRATA_DEVICE float __expf(float x)
{
	return __nvvm_ex2_approx_f(x * 1.44269504f);
}

STRATA_DEVICE float __logf(float x)
{
	return __nvvm_lg2_approx_f(x) * 0.693147181f;
}

STRATA_DEVICE float rsqrtf(float x)
{
	return __nvvm_rsqrt_approx_f(x);
}

#endif

#endif
