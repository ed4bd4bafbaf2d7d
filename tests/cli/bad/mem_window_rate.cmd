mem --memory ddr3-1600 --stream random --window 4 --rate 50%
