mem --memory ddr3-1600 --json /nonexistent/r.json
