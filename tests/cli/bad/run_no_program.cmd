run --
