run --fast-forward range:forward vectoradd
