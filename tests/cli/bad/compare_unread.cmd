compare --machines tom-baseline,tom-ctrl-tmap --set ndp.nsu_ratio=0.3 vectoradd
