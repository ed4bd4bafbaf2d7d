/*
 * Reads and writes of surface objects: surf1Dread<T> to surf2DLayeredwrite, one PTX suld.b or sust.b each (PTX ISA 7.0,
 * section 9.7.9). T has 1, 2, 4, 8 or 16 bytes, those of an element; x is in bytes. What happens beyond the edge is
 * part of the instruction: cudaBoundaryModeTrap unless the last argument says otherwise. Not included by hand: include
 * <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_SURFACE_H
#define STRATA_DEVICE_SURFACE_H

#define STRATA_DEV static __device__ __forceinline__
#define STRATA_LIST(...) __VA_ARGS__

/* Moves w, the words of an element of this many bytes, in one geometry and mode. `at` and `operands` say where. */
#define STRATA_SURFACE_MODE(name, mode, geometry, params, at, operands)                                                \
	STRATA_DEV void strata_##name##_read_##mode(int bytes, unsigned int *w, cudaSurfaceObject_t s, params)         \
	{                                                                                                              \
		unsigned short h = 0;                                                                                  \
                                                                                                                       \
		if (bytes == 1)                                                                                        \
			asm volatile("suld.b." geometry ".b8." #mode " {%[h]}, [%[s], " at "];"                        \
				     : [h] "=h"(h) : [s] "l"(s), operands : "memory");                                 \
		else if (bytes == 2)                                                                                   \
			asm volatile("suld.b." geometry ".b16." #mode " {%[h]}, [%[s], " at "];"                       \
				     : [h] "=h"(h) : [s] "l"(s), operands : "memory");                                 \
		else if (bytes == 4)                                                                                   \
			asm volatile("suld.b." geometry ".b32." #mode " {%[a]}, [%[s], " at "];"                       \
				     : [a] "=r"(w[0]) : [s] "l"(s), operands : "memory");                              \
		else if (bytes == 8)                                                                                   \
			asm volatile("suld.b." geometry ".v2.b32." #mode " {%[a], %[b]}, [%[s], " at "];"              \
				     : [a] "=r"(w[0]), [b] "=r"(w[1]) : [s] "l"(s), operands : "memory");              \
		else                                                                                                   \
			asm volatile("suld.b." geometry ".v4.b32." #mode                                               \
				     " {%[a], %[b], %[c], %[d]}, [%[s], " at "];"                                      \
				     : [a] "=r"(w[0]), [b] "=r"(w[1]), [c] "=r"(w[2]), [d] "=r"(w[3])                  \
				     : [s] "l"(s), operands : "memory");                                               \
		if (bytes <= 2)                                                                                        \
			w[0] = h;                                                                                      \
	}                                                                                                              \
	STRATA_DEV void strata_##name##_write_##mode(int bytes, const unsigned int *w, cudaSurfaceObject_t s, params)  \
	{                                                                                                              \
		unsigned short h = (unsigned short)w[0];                                                               \
                                                                                                                       \
		if (bytes == 1)                                                                                        \
			asm volatile("sust.b." geometry ".b8." #mode " [%[s], " at "], {%[h]};" ::[h] "h"(h),          \
				     [s] "l"(s), operands : "memory");                                                 \
		else if (bytes == 2)                                                                                   \
			asm volatile("sust.b." geometry ".b16." #mode " [%[s], " at "], {%[h]};" ::[h] "h"(h),         \
				     [s] "l"(s), operands : "memory");                                                 \
		else if (bytes == 4)                                                                                   \
			asm volatile("sust.b." geometry ".b32." #mode " [%[s], " at "], {%[a]};" ::[a] "r"(w[0]),      \
				     [s] "l"(s), operands : "memory");                                                 \
		else if (bytes == 8)                                                                                   \
			asm volatile("sust.b." geometry ".v2.b32." #mode " [%[s], " at "], {%[a], %[b]};"              \
				     ::[a] "r"(w[0]), [b] "r"(w[1]), [s] "l"(s), operands : "memory");                 \
		else                                                                                                   \
			asm volatile("sust.b." geometry ".v4.b32." #mode                                               \
				     " [%[s], " at "], {%[a], %[b], %[c], %[d]};" ::[a] "r"(w[0]),                     \
				     [b] "r"(w[1]), [c] "r"(w[2]), [d] "r"(w[3]), [s] "l"(s), operands                 \
				     : "memory");                                                                      \
	}

#define STRATA_SURFACE(name, geometry, params, names, at, operands)                                                    \
	STRATA_SURFACE_MODE(name, trap, geometry, STRATA_LIST(params), at, STRATA_LIST(operands))                      \
	STRATA_SURFACE_MODE(name, clamp, geometry, STRATA_LIST(params), at, STRATA_LIST(operands))                     \
	STRATA_SURFACE_MODE(name, zero, geometry, STRATA_LIST(params), at, STRATA_LIST(operands))                      \
	template <class T>                                                                                             \
	STRATA_DEV T name##read(cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)    \
	{                                                                                                              \
		unsigned int w[4] = {0, 0, 0, 0};                                                                      \
		T value;                                                                                               \
                                                                                                                       \
		static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "not the size of an element");        \
		if (mode == cudaBoundaryModeZero)                                                                      \
			strata_##name##_read_zero(sizeof(T), w, s, names);                                             \
		else if (mode == cudaBoundaryModeClamp)                                                                \
			strata_##name##_read_clamp(sizeof(T), w, s, names);                                            \
		else                                                                                                   \
			strata_##name##_read_trap(sizeof(T), w, s, names);                                             \
		__builtin_memcpy(&value, w, sizeof(T));                                                                \
		return value;                                                                                          \
	}                                                                                                              \
	template <class T>                                                                                             \
	STRATA_DEV void name##read(T *value, cudaSurfaceObject_t s, params,                                            \
				   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                \
	{                                                                                                              \
		*value = name##read<T>(s, names, mode);                                                                \
	}                                                                                                              \
	template <class T>                                                                                             \
	STRATA_DEV void name##write(T value, cudaSurfaceObject_t s, params,                                            \
				    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                               \
	{                                                                                                              \
		unsigned int w[4] = {0, 0, 0, 0};                                                                      \
                                                                                                                       \
		static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "not the size of an element");        \
		__builtin_memcpy(w, &value, sizeof(T));                                                                \
		if (mode == cudaBoundaryModeZero)                                                                      \
			strata_##name##_write_zero(sizeof(T), w, s, names);                                            \
		else if (mode == cudaBoundaryModeClamp)                                                                \
			strata_##name##_write_clamp(sizeof(T), w, s, names);                                           \
		else                                                                                                   \
			strata_##name##_write_trap(sizeof(T), w, s, names);                                            \
	}

STRATA_SURFACE(surf1D, "1d", STRATA_LIST(int x), STRATA_LIST(x), "{%[x]}", STRATA_LIST([x] "r"(x)))
STRATA_SURFACE(surf2D, "2d", STRATA_LIST(int x, int y), STRATA_LIST(x, y), "{%[x], %[y]}",
	       STRATA_LIST([x] "r"(x), [y] "r"(y)))
STRATA_SURFACE(surf3D, "3d", STRATA_LIST(int x, int y, int z), STRATA_LIST(x, y, z), "{%[x], %[y], %[z], %[z]}",
	       STRATA_LIST([x] "r"(x), [y] "r"(y), [z] "r"(z)))
STRATA_SURFACE(surf1DLayered, "a1d", STRATA_LIST(int x, int layer), STRATA_LIST(x, layer), "{%[l], %[x]}",
	       STRATA_LIST([x] "r"(x), [l] "r"(layer)))
STRATA_SURFACE(surf2DLayered, "a2d", STRATA_LIST(int x, int y, int layer), STRATA_LIST(x, y, layer),
	       "{%[l], %[x], %[y], %[y]}", STRATA_LIST([x] "r"(x), [y] "r"(y), [l] "r"(layer)))

#undef STRATA_SURFACE
#undef STRATA_SURFACE_MODE
#undef STRATA_LIST
#undef STRATA_DEV

#endif
