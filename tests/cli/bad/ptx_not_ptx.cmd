ptx check bad/run_directory.cmd
