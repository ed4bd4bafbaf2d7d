mem --memory ddr3-1600 --stream sequential --writes 100 --seed 2
