mem --machine server-ddr5 --of fat
