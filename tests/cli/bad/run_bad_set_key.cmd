run --set gpu.sm_cuont=4 vectoradd
