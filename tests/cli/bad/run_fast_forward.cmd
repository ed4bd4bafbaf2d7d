run --fast-forward 3x vectoradd
