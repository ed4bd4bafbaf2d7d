mem --memory ddr3-1600,
