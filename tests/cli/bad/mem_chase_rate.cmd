mem --memory ddr3-1600 --stream chase --rate 50%
