trace record -- /bin/true
