check --limit many vectoradd
