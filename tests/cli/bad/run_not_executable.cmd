run -- ./bad/run_directory.cmd
