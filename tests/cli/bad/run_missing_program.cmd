run -- ./nothing-here
