mem --memory ddr3-1600 --stream nothing-like-it
