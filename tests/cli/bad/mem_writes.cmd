mem --memory ddr3-1600 --stream random --writes 101
