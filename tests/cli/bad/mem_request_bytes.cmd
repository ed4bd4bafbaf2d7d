mem --memory ddr3-1600 --stream random --request-bytes 96
