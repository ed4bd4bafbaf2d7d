trace record -o /dev/null --set record.read_cycle=1 -- /bin/true
