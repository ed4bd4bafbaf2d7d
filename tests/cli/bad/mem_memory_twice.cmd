mem --memory ddr3-1600,ddr3-1600
