ptx duality --param nope=1 ../dc/vectoradd.ptx
