run -- ./bad
