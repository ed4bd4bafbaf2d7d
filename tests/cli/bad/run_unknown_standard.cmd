run --set dram.standard=hbm3-520 vectoradd
