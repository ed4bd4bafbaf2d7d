run --trace nowhere/x.json vectoradd
