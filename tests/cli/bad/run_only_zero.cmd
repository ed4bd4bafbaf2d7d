run --only 0 vectoradd
