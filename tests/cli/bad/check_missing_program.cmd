check -- ./not-there
