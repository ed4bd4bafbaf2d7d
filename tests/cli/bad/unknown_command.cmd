rum vectoradd
