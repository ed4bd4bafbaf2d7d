run -- nothing-in-the-path
