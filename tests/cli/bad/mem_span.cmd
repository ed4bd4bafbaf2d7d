mem --memory ddr3-1600 --stream random --span 1TB
