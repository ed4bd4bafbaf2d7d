mem --memory ddr3-1600 --requests many
