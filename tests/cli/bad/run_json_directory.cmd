run --json bad vectoradd
