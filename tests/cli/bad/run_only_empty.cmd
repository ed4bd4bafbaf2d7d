run --only= vectoradd
