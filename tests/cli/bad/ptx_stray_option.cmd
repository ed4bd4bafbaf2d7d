ptx check --plain ../dc/vectoradd.ptx
