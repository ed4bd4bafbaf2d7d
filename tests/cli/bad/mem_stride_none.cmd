mem --memory ddr3-1600 --stream sequential,random --stride 4096
