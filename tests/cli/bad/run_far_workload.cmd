run xyzzy
