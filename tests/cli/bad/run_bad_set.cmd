run --set gpu.sm_count vectoradd
