mem --memory ddr3-1600 --stream chase --curve c.svg
