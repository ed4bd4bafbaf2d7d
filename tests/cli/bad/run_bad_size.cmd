run --size huge vectoradd
