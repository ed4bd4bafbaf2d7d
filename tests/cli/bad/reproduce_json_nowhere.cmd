reproduce tom --json /nonexistent/x.json
