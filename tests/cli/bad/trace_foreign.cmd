trace record -o /dev/null -- /bin/true
