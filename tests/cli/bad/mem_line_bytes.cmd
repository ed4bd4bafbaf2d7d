mem --memory ddr3-1600 --stream random --set memory.line_bytes=64KiB
