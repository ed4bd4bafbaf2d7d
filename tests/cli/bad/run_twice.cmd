run --machine a --machine b vectoradd
