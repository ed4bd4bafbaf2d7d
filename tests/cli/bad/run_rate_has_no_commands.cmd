run --machine channel-ndp --set cpu.dram_log_ps=1 triad
