check --skip everything vectoradd
