/* The cuBLAS API by its usual names: see cublas_api.h. */
#ifndef STRATA_CUBLAS_V2_H
#define STRATA_CUBLAS_V2_H

#ifdef __NVCC__
#include_next <cublas_v2.h>
#else

#include <cublas_api.h>

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSaxpy_64 cublasSaxpy_v2_64
#define cublasDaxpy cublasDaxpy_v2
#define cublasDaxpy_64 cublasDaxpy_v2_64
#define cublasSscal cublasSscal_v2
#define cublasSscal_64 cublasSscal_v2_64
#define cublasDscal cublasDscal_v2
#define cublasDscal_64 cublasDscal_v2_64
#define cublasScopy cublasScopy_v2
#define cublasScopy_64 cublasScopy_v2_64
#define cublasDcopy cublasDcopy_v2
#define cublasDcopy_64 cublasDcopy_v2_64
#define cublasSswap cublasSswap_v2
#define cublasSswap_64 cublasSswap_v2_64
#define cublasDswap cublasDswap_v2
#define cublasDswap_64 cublasDswap_v2_64
#define cublasSdot cublasSdot_v2
#define cublasSdot_64 cublasSdot_v2_64
#define cublasDdot cublasDdot_v2
#define cublasDdot_64 cublasDdot_v2_64
#define cublasSasum cublasSasum_v2
#define cublasSasum_64 cublasSasum_v2_64
#define cublasDasum cublasDasum_v2
#define cublasDasum_64 cublasDasum_v2_64
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSnrm2_64 cublasSnrm2_v2_64
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDnrm2_64 cublasDnrm2_v2_64
#define cublasIsamax cublasIsamax_v2
#define cublasIsamax_64 cublasIsamax_v2_64
#define cublasIdamax cublasIdamax_v2
#define cublasIdamax_64 cublasIdamax_v2_64
#define cublasIsamin cublasIsamin_v2
#define cublasIsamin_64 cublasIsamin_v2_64
#define cublasIdamin cublasIdamin_v2
#define cublasIdamin_64 cublasIdamin_v2_64
#define cublasSgemv cublasSgemv_v2
#define cublasSgemv_64 cublasSgemv_v2_64
#define cublasDgemv cublasDgemv_v2
#define cublasDgemv_64 cublasDgemv_v2_64
#define cublasSger cublasSger_v2
#define cublasSger_64 cublasSger_v2_64
#define cublasDger cublasDger_v2
#define cublasDger_64 cublasDger_v2_64
#define cublasSgemm cublasSgemm_v2
#define cublasSgemm_64 cublasSgemm_v2_64
#define cublasDgemm cublasDgemm_v2
#define cublasDgemm_64 cublasDgemm_v2_64
#define cublasStrsm cublasStrsm_v2
#define cublasStrsm_64 cublasStrsm_v2_64
#define cublasDtrsm cublasDtrsm_v2
#define cublasDtrsm_64 cublasDtrsm_v2_64

#endif
#endif
