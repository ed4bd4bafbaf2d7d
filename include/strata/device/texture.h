/*
 * Fetches from texture objects: tex1Dfetch<T> to texCubemap<T>, one PTX tex or tld4 each (PTX ISA 7.0, section 9.7.9).
 * T is float, a signed or unsigned integer of up to 32 bits, or a vector of 1, 2 or 4 of them; float also where
 * integers are read as normalised floats. Not included by hand: include <cuda_runtime.h>.
 */
#ifndef STRATA_DEVICE_TEXTURE_H
#define STRATA_DEVICE_TEXTURE_H

#define STRATA_DEV static __device__ __forceinline__

/* ---- Texels as T ------------------------------------------------------------------------------------------------ */

/* four: what the instruction returns; make: T of it. Types that are not listed are no texels. */
template <class T> struct strata_texel;

#define STRATA_TEXEL(type, component, vector, ...)                                                                     \
	template <> struct strata_texel<type> {                                                                        \
		typedef vector four;                                                                                   \
		STRATA_DEV type make(four v)                                                                           \
		{                                                                                                      \
			typedef component c;                                                                           \
                                                                                                                       \
			return __VA_ARGS__;                                                                            \
		}                                                                                                      \
	};
#define STRATA_TEXELS(component, name, vector)                                                                         \
	STRATA_TEXEL(component, component, vector, (c)v.x)                                                             \
	STRATA_TEXEL(name##1, component, vector, make_##name##1((c)v.x))                                               \
	STRATA_TEXEL(name##2, component, vector, make_##name##2((c)v.x, (c)v.y))                                       \
	STRATA_TEXEL(name##4, component, vector, make_##name##4((c)v.x, (c)v.y, (c)v.z, (c)v.w))
STRATA_TEXELS(float, float, float4)
STRATA_TEXELS(int, int, int4)
STRATA_TEXELS(unsigned int, uint, uint4)
STRATA_TEXELS(short, short, int4)
STRATA_TEXELS(unsigned short, ushort, uint4)
STRATA_TEXELS(signed char, char, int4)
STRATA_TEXELS(unsigned char, uchar, uint4)
STRATA_TEXEL(char, char, int4, (c)v.x)
#undef STRATA_TEXELS
#undef STRATA_TEXEL

/* ---- Fetches ---------------------------------------------------------------------------------------------------- */

#define STRATA_LIST(...) __VA_ARGS__

/* One fetch: the instruction for the three kinds of result, and the two forms in which CUDA has it. `names` are the
 * parameters' names, `operands` the asm operands from %5 on, `coordinates` how the instruction takes them. */
#define STRATA_FETCH(name, instruction, coordinate_type, coordinates, params, names, operands)                         \
	STRATA_DEV void strata_##name(float4 *r, cudaTextureObject_t object, params)                                   \
	{                                                                                                              \
		asm volatile(instruction ".v4.f32." coordinate_type " {%0, %1, %2, %3}, [%4, " coordinates ";"         \
			     : "=f"(r->x), "=f"(r->y), "=f"(r->z), "=f"(r->w)                                          \
			     : "l"(object), operands);                                                                 \
	}                                                                                                              \
	STRATA_DEV void strata_##name(int4 *r, cudaTextureObject_t object, params)                                     \
	{                                                                                                              \
		asm volatile(instruction ".v4.s32." coordinate_type " {%0, %1, %2, %3}, [%4, " coordinates ";"         \
			     : "=r"(r->x), "=r"(r->y), "=r"(r->z), "=r"(r->w)                                          \
			     : "l"(object), operands);                                                                 \
	}                                                                                                              \
	STRATA_DEV void strata_##name(uint4 *r, cudaTextureObject_t object, params)                                    \
	{                                                                                                              \
		asm volatile(instruction ".v4.u32." coordinate_type " {%0, %1, %2, %3}, [%4, " coordinates ";"         \
			     : "=r"(r->x), "=r"(r->y), "=r"(r->z), "=r"(r->w)                                          \
			     : "l"(object), operands);                                                                 \
	}                                                                                                              \
	template <class T> STRATA_DEV T name(cudaTextureObject_t object, params)                                       \
	{                                                                                                              \
		typename strata_texel<T>::four v;                                                                      \
                                                                                                                       \
		strata_##name(&v, object, names);                                                                      \
		return strata_texel<T>::make(v);                                                                       \
	}                                                                                                              \
	template <class T> STRATA_DEV void name(T *texel, cudaTextureObject_t object, params)                          \
	{                                                                                                              \
		*texel = name<T>(object, names);                                                                       \
	}

STRATA_FETCH(tex1Dfetch, "tex.1d", "s32", "{%5}]", STRATA_LIST(int x), STRATA_LIST(x), STRATA_LIST("r"(x)))
STRATA_FETCH(tex1D, "tex.1d", "f32", "{%5}]", STRATA_LIST(float x), STRATA_LIST(x), STRATA_LIST("f"(x)))
STRATA_FETCH(tex2D, "tex.2d", "f32", "{%5, %6}]", STRATA_LIST(float x, float y), STRATA_LIST(x, y),
	     STRATA_LIST("f"(x), "f"(y)))
STRATA_FETCH(tex3D, "tex.3d", "f32", "{%5, %6, %7, %7}]", STRATA_LIST(float x, float y, float z),
	     STRATA_LIST(x, y, z), STRATA_LIST("f"(x), "f"(y), "f"(z)))
STRATA_FETCH(tex1DLayered, "tex.a1d", "f32", "{%5, %6}]", STRATA_LIST(float x, int layer), STRATA_LIST(x, layer),
	     STRATA_LIST("r"(layer), "f"(x)))
STRATA_FETCH(tex2DLayered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", STRATA_LIST(float x, float y, int layer),
	     STRATA_LIST(x, y, layer), STRATA_LIST("r"(layer), "f"(x), "f"(y)))
STRATA_FETCH(texCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]", STRATA_LIST(float x, float y, float z),
	     STRATA_LIST(x, y, z), STRATA_LIST("f"(x), "f"(y), "f"(z)))

/* With the level of a mipmapped array given. */
STRATA_FETCH(tex1DLod, "tex.level.1d", "f32", "{%5}], %6", STRATA_LIST(float x, float level), STRATA_LIST(x, level),
	     STRATA_LIST("f"(x), "f"(level)))
STRATA_FETCH(tex2DLod, "tex.level.2d", "f32", "{%5, %6}], %7", STRATA_LIST(float x, float y, float level),
	     STRATA_LIST(x, y, level), STRATA_LIST("f"(x), "f"(y), "f"(level)))
STRATA_FETCH(tex3DLod, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8",
	     STRATA_LIST(float x, float y, float z, float level), STRATA_LIST(x, y, z, level),
	     STRATA_LIST("f"(x), "f"(y), "f"(z), "f"(level)))

/* One component of the four texels that bilinear filtering would take. */
STRATA_FETCH(strata_gather0, "tld4.r.2d", "f32", "{%5, %6}]", STRATA_LIST(float x, float y), STRATA_LIST(x, y),
	     STRATA_LIST("f"(x), "f"(y)))
STRATA_FETCH(strata_gather1, "tld4.g.2d", "f32", "{%5, %6}]", STRATA_LIST(float x, float y), STRATA_LIST(x, y),
	     STRATA_LIST("f"(x), "f"(y)))
STRATA_FETCH(strata_gather2, "tld4.b.2d", "f32", "{%5, %6}]", STRATA_LIST(float x, float y), STRATA_LIST(x, y),
	     STRATA_LIST("f"(x), "f"(y)))
STRATA_FETCH(strata_gather3, "tld4.a.2d", "f32", "{%5, %6}]", STRATA_LIST(float x, float y), STRATA_LIST(x, y),
	     STRATA_LIST("f"(x), "f"(y)))

template <class T> STRATA_DEV T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0)
{
	return component == 0	? strata_gather0<T>(object, x, y)
	       : component == 1 ? strata_gather1<T>(object, x, y)
	       : component == 2 ? strata_gather2<T>(object, x, y)
				: strata_gather3<T>(object, x, y);
}

#undef STRATA_FETCH
#undef STRATA_LIST
#undef STRATA_DEV

#endif
