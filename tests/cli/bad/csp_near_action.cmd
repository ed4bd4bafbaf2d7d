csp spce
