list params --machine server-ddr
