ptx check nothing-here.ptx
