mem --memory ddr3-1600 --stream randon
