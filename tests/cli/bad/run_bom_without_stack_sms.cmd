compare --machines bom --set gpu.stack_sm_count=0 vectoradd
