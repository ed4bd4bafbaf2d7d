mem --memory ddr3-1066
