check --json nowhere/x.json vectoradd
