mem --memory ddr3-1600 --stream random --rate 0%
