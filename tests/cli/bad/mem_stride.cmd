mem --memory ddr3-1600 --stream strided --stride 100
