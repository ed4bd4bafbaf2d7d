mem --memory ddr3-1600 --stream random --format dramsim3
