mem --memory ddr3-1600 --stream random --json both --curve both
