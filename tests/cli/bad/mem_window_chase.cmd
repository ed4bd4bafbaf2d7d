mem --memory ddr3-1600 --stream chase --window 4
