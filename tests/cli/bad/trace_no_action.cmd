trace
