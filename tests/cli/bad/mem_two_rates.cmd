mem --memory ddr3-1600 --stream random --rate 50% --set stream.rate_mbytes_per_s=1000
