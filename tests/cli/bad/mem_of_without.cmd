mem --memory ddr3-1600 --of ddr
