mem --memory ddr3-1600 --set memory.line_bytes=16384
