mem --memory ddr3-1600 --jobs 0
