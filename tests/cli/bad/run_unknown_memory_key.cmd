run --set memories.far=cxl2-ddr5 --set far.dram.t_cll=3 vectoradd
