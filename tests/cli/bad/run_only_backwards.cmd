run --only 9-5 vectoradd
