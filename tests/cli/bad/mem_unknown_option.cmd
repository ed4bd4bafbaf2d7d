mem --memry ddr3-1600
