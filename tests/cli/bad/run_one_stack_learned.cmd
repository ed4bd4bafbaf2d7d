run --machine tom-ctrl-tmap --set gpu.stack_count=1 vectoradd
