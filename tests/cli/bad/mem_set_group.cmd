mem --memory ddr3-1600 --set gpu.sm_count=3
