reproduce tim
