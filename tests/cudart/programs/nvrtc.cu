// A kernel that NVRTC compiles while the program runs, for the device's own capability. There is no device code in the
// program itself.
#include <cuda.h>
#include <nvrtc.h>

#include <vector>

#include "program.h"

#define WORKS(call) CHECK((call) == 0)

static const char source[] = "template <typename T> __global__ void axpy(T a, const T *x, T *y, int n)\n"
			     "{\n"
			     "	int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
			     "	if (i < n)\n"
			     "		y[i] += a * x[i];\n"
			     "}\n";

static std::vector<char> compile(const char *architecture, std::vector<char> *name)
{
	nvrtcProgram program;
	size_t bytes;
	const char *lowered;

	WORKS(nvrtcCreateProgram(&program, source, "axpy.cu", 0, NULL, NULL));
	WORKS(nvrtcAddNameExpression(program, "axpy<float>"));
	WORKS(nvrtcCompileProgram(program, 1, &architecture));
	WORKS(nvrtcGetLoweredName(program, "axpy<float>", &lowered));
	name->assign(lowered, lowered + strlen(lowered) + 1);
	WORKS(nvrtcGetPTXSize(program, &bytes));

	std::vector<char> ptx(bytes);

	WORKS(nvrtcGetPTX(program, ptx.data()));
	WORKS(nvrtcDestroyProgram(&program));
	return ptx;
}

int main()
{
	enum { N = 100 };
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUdeviceptr x, y;
	int major, minor, n = N;
	float a = 2, values[N];
	char architecture[64];
	std::vector<char> name;

	WORKS(cuInit(0));
	WORKS(cuDeviceGet(&device, 0));
	WORKS(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
	WORKS(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
	WORKS(cuDevicePrimaryCtxRetain(&context, device));
	WORKS(cuCtxSetCurrent(context));
	snprintf(architecture, sizeof(architecture), "--gpu-architecture=compute_%d%d", major, minor);

	std::vector<char> ptx = compile(architecture, &name);

	WORKS(cuModuleLoadData(&module, ptx.data()));
	WORKS(cuModuleGetFunction(&function, module, name.data()));
	WORKS(cuMemAlloc(&x, sizeof(values)));
	WORKS(cuMemAlloc(&y, sizeof(values)));
	for (int i = 0; i < N; i++)
		values[i] = i;
	WORKS(cuMemcpyHtoD(x, values, sizeof(values)));
	WORKS(cuMemcpyHtoD(y, values, sizeof(values)));

	void *arguments[] = {&a, &x, &y, &n};

	WORKS(cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
	WORKS(cuMemcpyDtoH(values, y, sizeof(values)));
	for (int i = 0; i < N; i++)
		CHECK(values[i] == 3 * i);
	return 0;
}
