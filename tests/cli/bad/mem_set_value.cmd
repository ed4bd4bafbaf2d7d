mem --memory ddr3-1600 --set dram.bank_count=7
