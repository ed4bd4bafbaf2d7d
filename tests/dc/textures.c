/* textures.c [WHAT] - fetches from texture objects of every format, address mode and kind of coordinate; prints what
 * each has brought. The machine's results are held against those of the host's cores, which have a texture unit's.
 * plain: those that the arrays replace by loads; linear: one that filters; again: a handle that becomes another object;
 * outside: memory that is gone. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, CHANNELS = 4, WIDTH = 40, HEIGHT = 6, DEPTH = 3, BYTES = WIDTH * HEIGHT * DEPTH * 16 };

#define BEGIN                                                                                                      \
	"{\n\t.reg .b64 %d<4>;\n\t.reg .b32 %r<12>;\n\t.reg .f32 %f<4>;\n\t.reg .pred %p<2>;\n"                     \
	"\tld.param.u64 %d0, [out];\n\tld.param.u64 %d1, [object];\n\tmov.u32 %r0, %tid.x;\n"                       \
	"\tshl.b32 %r1, %r0, 4;\n\tcvt.u64.u32 %d2, %r1;\n\tadd.u64 %d2, %d0, %d2;\n\tsub.s32 %r2, %r0, 8;\n"       \
	"\tand.b32 %r3, %r0, 7;\n\tsub.s32 %r3, %r3, 1;\n\tand.b32 %r4, %r0, 3;\n\tcvt.rn.f32.s32 %f0, %r2;\n"      \
	"\tcvt.rn.f32.s32 %f1, %r3;\n\tld.param.f32 %f2, [step];\n\tmul.f32 %f0, %f0, %f2;\n"                     \
	"\tmul.f32 %f1, %f1, %f2;\n"                                                                             \
	"\tmov.u32 %r5, 7;\n\tmov.u32 %r6, 7;\n\tmov.u32 %r7, 7;\n\tmov.u32 %r8, 7;\n\tsetp.ne.u32 %p0, %r4, 1;\n"
#define END "\tst.global.v4.b32 [%d2], {%r5, %r6, %r7, %r8};\n\tret;\n}\n"
#define KERNEL(name) ".visible .entry " name "(.param .u64 out, .param .u64 object, .param .f32 step)\n"

static const char text[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    KERNEL("int1") BEGIN "\ttex.1d.v4.s32.s32 {%r5, %r6, %r7, %r8}, [%d1, {%r2}];\n" END
    KERNEL("int2") BEGIN "\ttex.2d.v4.s32.s32 {%r5, %r6, %r7, %r8}, [%d1, {%r2, %r3}];\n" END
    KERNEL("int3") BEGIN "\ttex.3d.v4.s32.s32 {%r5, %r6, %r7, %r8}, [%d1, {%r2, %r3, %r4, %r4}];\n" END
    KERNEL("flt1") BEGIN "\ttex.1d.v4.s32.f32 {%r5, %r6, %r7, %r8}, [%d1, {%f0}];\n" END
    KERNEL("flt2") BEGIN "\ttex.2d.v4.s32.f32 {%r5, %r6, %r7, %r8}, [%d1, {%f0, %f1}];\n" END
    /* Some lanes only; one channel; the result where a coordinate was. */
    KERNEL("some") BEGIN "\t@%p0 tex.1d.v4.s32.s32 {%r5, %r6, %r7, %r8}, [%d1, {%r2}];\n" END
    KERNEL("not_some") BEGIN "\t@!%p0 tex.2d.v4.s32.s32 {%r5, _, %r3, _}, [%d1, {%r2, %r3}];\n"
			     "\tmov.u32 %r6, %r3;\n" END;

static const struct {
	CUarray_format format;
	unsigned bytes;
	const char *name;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 1, "u8"},   {CU_AD_FORMAT_UNSIGNED_INT16, 2, "u16"},
	       {CU_AD_FORMAT_UNSIGNED_INT32, 4, "u32"}, {CU_AD_FORMAT_SIGNED_INT8, 1, "s8"},
	       {CU_AD_FORMAT_SIGNED_INT16, 2, "s16"},   {CU_AD_FORMAT_SIGNED_INT32, 4, "s32"},
	       {CU_AD_FORMAT_HALF, 2, "f16"},           {CU_AD_FORMAT_FLOAT, 4, "f32"}};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static CUmodule module;
static CUdeviceptr out, memory;
static uint8_t bytes[BYTES];

static void check(CUresult r, const char *what)
{
	if (r == CUDA_SUCCESS)
		return;
	fprintf(stderr, "textures: %s: error %d\n", what, r);
	exit(1);
}

/* Numbers that every format has: no NaN and no denormal float among them. */
static void fill(unsigned format)
{
	for (unsigned n = 0; n < BYTES / formats[format].bytes; n++) {
		const uint32_t value = n * 2654435761u;
		const float f = (float)(int32_t)value / 65536.0f;
		const uint16_t half = (uint16_t)((value >> 16 & 0x83ff) | (n % 28 + 1) << 10);

		memcpy(bytes + (size_t)n * formats[format].bytes,
		       formats[format].format == CU_AD_FORMAT_FLOAT  ? (const void *)&f
		       : formats[format].format == CU_AD_FORMAT_HALF ? (const void *)&half
								     : (const void *)&value,
		       formats[format].bytes);
	}
}

static CUarray array_of(unsigned dims, unsigned format, unsigned channels)
{
	const size_t row = (size_t)WIDTH * channels * formats[format].bytes;
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = WIDTH, .Height = dims > 1 ? HEIGHT : 0,
					   .Depth = dims > 2 ? DEPTH : 0, .Format = formats[format].format,
					   .NumChannels = channels};
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = bytes, .srcPitch = row,
			      .srcHeight = HEIGHT, .dstMemoryType = CU_MEMORYTYPE_ARRAY, .WidthInBytes = row,
			      .Height = dims > 1 ? HEIGHT : 1, .Depth = dims > 2 ? DEPTH : 1};
	CUarray a;

	check(cuArray3DCreate(&a, &d), "cuArray3DCreate");
	copy.dstArray = a;
	check(cuMemcpy3D(&copy), "cuMemcpy3D");
	return a;
}

static CUtexObject object_of(unsigned dims, unsigned format, unsigned channels, CUaddress_mode mode, unsigned flags,
			     CUfilter_mode filter)
{
	CUDA_RESOURCE_DESC r = {.resType = dims ? CU_RESOURCE_TYPE_ARRAY : CU_RESOURCE_TYPE_LINEAR};
	const CUDA_TEXTURE_DESC t = {.addressMode = {mode, mode, mode}, .filterMode = filter, .flags = flags,
				     .borderColor = {0.5f, -2.0f, 3.0f, 4.0f}};
	CUtexObject object;

	fill(format);
	if (dims) {
		r.res.array.hArray = array_of(dims, format, channels);
	} else {
		check(cuMemcpyHtoD(memory, bytes, BYTES), "cuMemcpyHtoD");
		r.res.linear.devPtr = memory;
		r.res.linear.format = formats[format].format;
		r.res.linear.numChannels = channels;
		r.res.linear.sizeInBytes = (size_t)WIDTH * channels * formats[format].bytes;
	}
	check(cuTexObjectCreate(&object, &r, &t, NULL), "cuTexObjectCreate");
	return object;
}

static void fetch(const char *kernel, CUtexObject object, float step, const char *what)
{
	uint32_t got[THREADS * CHANNELS];
	void *args[] = {&out, &object, &step};
	CUfunction f;

	check(cuModuleGetFunction(&f, module, kernel), kernel);
	check(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL), "cuLaunchKernel");
	check(cuMemcpyDtoH(got, out, sizeof(got)), "cuMemcpyDtoH");
	printf("%s %s", kernel, what);
	for (unsigned n = 0; n < THREADS * CHANNELS; n++)
		printf("%c%x", n % CHANNELS ? ',' : ' ', got[n]);
	printf("\n");
}

static void formats_and_channels(void)
{
	for (unsigned f = 0; f < FORMATS; f++)
		for (unsigned channels = 1; channels <= CHANNELS; channels *= 2)
			for (unsigned flags = 0; flags <= CU_TRSF_READ_AS_INTEGER; flags++) {
				char what[64];

				snprintf(what, sizeof(what), "%s x %u, %s", formats[f].name, channels,
					 flags ? "integers" : "as they are");
				fetch("int1", object_of(0, f, channels, CU_TR_ADDRESS_MODE_CLAMP, flags,
							CU_TR_FILTER_MODE_POINT), 1, what);
			}
}

static void addresses(void)
{
	static const char *const names[] = {"wrap", "clamp", "mirror", "border"};

	for (unsigned mode = 0; mode < 4; mode++)
		for (unsigned flags = 0; flags <= CU_TRSF_NORMALIZED_COORDINATES;
		     flags += CU_TRSF_NORMALIZED_COORDINATES) {
			const float step = flags ? 0.0437f : 0.77f;
			const CUaddress_mode how = (CUaddress_mode)mode;
			const CUtexObject one = object_of(1, 7, 1, how, flags, CU_TR_FILTER_MODE_POINT),
					  two = object_of(2, 2, 2, how, flags, CU_TR_FILTER_MODE_POINT),
					  three = object_of(3, 7, 4, how, flags, CU_TR_FILTER_MODE_POINT);

			fetch("flt1", one, step, names[mode]);
			fetch("flt2", two, step, names[mode]);
			fetch("int2", two, 1, names[mode]);
			fetch("int3", three, 1, names[mode]);
			fetch("some", one, 1, names[mode]);
			fetch("not_some", two, 1, names[mode]);
		}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	CUdevice device;
	CUcontext context;
	CUtexObject object;

	check(cuInit(0), "cuInit");
	check(cuDeviceGet(&device, 0), "cuDeviceGet");
	check(cuCtxCreate(&context, 0, device), "cuCtxCreate");
	check(cuModuleLoadData(&module, text), "cuModuleLoadData");
	check(cuMemAlloc(&out, THREADS * CHANNELS * sizeof(uint32_t)), "cuMemAlloc");
	check(cuMemAlloc(&memory, BYTES), "cuMemAlloc");
	if (!strcmp(what, "plain")) {
		formats_and_channels();
		addresses();
	} else if (!strcmp(what, "linear")) {
		fetch("flt2", object_of(2, 7, 1, CU_TR_ADDRESS_MODE_CLAMP, 0, CU_TR_FILTER_MODE_LINEAR), 0.77f, what);
	} else if (!strcmp(what, "again")) {
		object = object_of(0, 7, 1, CU_TR_ADDRESS_MODE_CLAMP, 0, CU_TR_FILTER_MODE_POINT);
		fetch("int1", object, 1, "before");
		check(cuTexObjectDestroy(object), "cuTexObjectDestroy");
		object = object_of(0, 4, 2, CU_TR_ADDRESS_MODE_CLAMP, CU_TRSF_READ_AS_INTEGER, CU_TR_FILTER_MODE_POINT);
		fetch("int1", object, 1, "after");
	} else {
		object = object_of(0, 7, 1, CU_TR_ADDRESS_MODE_CLAMP, 0, CU_TR_FILTER_MODE_POINT);
		check(cuMemFree(memory), "cuMemFree");
		fetch("int1", object, 1, what);
	}
	return 0;
}
