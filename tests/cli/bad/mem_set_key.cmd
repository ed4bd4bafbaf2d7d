mem --memory ddr3-1600 --set dram.t_xl=3
