run --json nowhere/x.json vectoradd
