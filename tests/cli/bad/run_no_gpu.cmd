run --machine server-ddr5 vectoradd
