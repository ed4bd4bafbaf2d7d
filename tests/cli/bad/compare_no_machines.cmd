compare vectoradd
