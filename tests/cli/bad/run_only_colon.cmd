run --only step:1 vectoradd
