ptx
