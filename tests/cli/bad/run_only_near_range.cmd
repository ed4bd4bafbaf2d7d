run --only rang:forward vectoradd
