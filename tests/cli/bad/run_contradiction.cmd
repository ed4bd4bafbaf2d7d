run --set gpu.stack_count=3 vectoradd
