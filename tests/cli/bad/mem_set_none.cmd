mem --memory ddr3-1600 --set stream.trace_clock_ps=1000
