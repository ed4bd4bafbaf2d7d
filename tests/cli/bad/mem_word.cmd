mem ddr3-1600
