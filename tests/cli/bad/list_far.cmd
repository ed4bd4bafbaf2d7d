list xyzzy
