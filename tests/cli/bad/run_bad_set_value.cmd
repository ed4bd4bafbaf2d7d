run --set gpu.sm_count=0 vectoradd
