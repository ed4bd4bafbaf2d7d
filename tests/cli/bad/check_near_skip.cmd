check --skip leaks vectoradd
