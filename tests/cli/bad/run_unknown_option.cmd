run --machin tom-ideal vectoradd
