ptx check
