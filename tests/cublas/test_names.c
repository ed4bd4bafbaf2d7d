/* test_names.c - every function of the two libraries is there by its name; one that is not modelled says so, once. */
#include <cublasLt.h>
#include <dlfcn.h>
#include <unistd.h>

#include "common.h"

static const char *const names[] = {
#define SYMBOL(name) #name,
#include "cublas/names.def"
#include "cublas/names_lt.def"
#undef SYMBOL
};

/* docs/cublas-api.md says which of them are more than a name; the test of that page holds it. */
static void every_name(void)
{
	SAME(sizeof(names) / sizeof(names[0]) > 790, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!dlsym(RTLD_DEFAULT, names[i]))
			MISTAKE("%s is not there", names[i]);
}

static void says_so(void)
{
	FILE *file = tmpfile();
	const int saved = dup(STDERR_FILENO);
	char said[200] = "";
	int status[2];

	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	for (int i = 0; i < 2; i++)
		status[i] = ((int (*)(void))dlsym(RTLD_DEFAULT, "cublasZherkx"))();
	status[1] += ((int (*)(void))dlsym(RTLD_DEFAULT, "cublasLtMatrixTransform"))();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	if (pread(fileno(file), said, sizeof(said) - 1, 0) < 0)
		MISTAKE("nothing can be read");
	fclose(file);
	SAME(status[0], CUBLAS_STATUS_NOT_SUPPORTED);
	SAME(status[1], 2 * CUBLAS_STATUS_NOT_SUPPORTED);
	if (strcmp(said, "strata: cublasZherkx is not modelled\nstrata: cublasLtMatrixTransform is not modelled\n"))
		MISTAKE("said: %s", said);
}

int main(void)
{
	cublasHandle_t h;
	cublasLtHandle_t lt;

	OK(cublasCreate(&h));
	OK(cublasLtCreate(&lt));
	every_name();
	says_so();
	OK(cublasLtDestroy(lt));
	OK(cublasDestroy(h));
	return test_end("names");
}
