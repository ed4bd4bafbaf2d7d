run --only -4 vectoradd
