/* What the kernels here share: options, a small generator of numbers, checking, errors. */
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define DO(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(2); } } while (0)

static int opt(int n, char **a, const char *name, int otherwise)
{
    for (int i = 1; i + 1 < n; i++) if (!strcmp(a[i], name)) return atoi(a[i + 1]);
    return otherwise;
}
static const char *opt_s(int n, char **a, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < n; i++) if (!strcmp(a[i], name)) return a[i + 1];
    return otherwise;
}
static unsigned long long seed_ = 88172645463325252ull;
static unsigned rnd()
{
    seed_ ^= seed_ << 13;
    seed_ ^= seed_ >> 7;
    seed_ ^= seed_ << 17;
    return (unsigned)(seed_ >> 32);
}
static double rnd01() { return rnd() / 4294967296.0; }
static int small(int m) { return (int)(rnd() % (2 * m + 1)) - m; }        /* -m .. m: sums are exact in a float */

template <class T> static T *up(const std::vector<T> &v)
{
    T *d; DO(cudaMalloc(&d, v.size() * sizeof(T)));
    DO(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return d;
}
template <class T> static T *room(size_t n)
{ T *d; DO(cudaMalloc(&d, n * sizeof(T))); DO(cudaMemset(d, 0, n * sizeof(T))); return d; }
template <class T> static std::vector<T> down(const T *d, size_t n)
{
    std::vector<T> v(n); DO(cudaDeviceSynchronize());
    DO(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return v;
}
static int verdict(const char *name, size_t wrong, size_t of)
{
    printf("%s: %s (%zu of %zu wrong)\n", name, wrong ? "FAIL" : "PASS", wrong, of); return wrong ? 1 : 0;
}
__device__ __forceinline__ float warp_sum(float s)
{
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    return s;
}
/* Loads whose order the compiler keeps: which of two a block begins with is what decides where it goes. */
__device__ __forceinline__ float4 ld4(const float *p)
{
    float4 v;
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ float ld1(const float *p)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ uint2 ldu2(const void *p)
{
    uint2 v;
    asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
}
__device__ __forceinline__ unsigned ldu1(const void *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
