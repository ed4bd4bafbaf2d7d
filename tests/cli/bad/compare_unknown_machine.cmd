compare --machines tom-ideal,tom-baselin vectoradd
